/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the kernel enters a statically linked rung: start_protected() first, which
 * needs no C library, then the library's own entry as if nothing had happened.
 */
#if defined(__x86_64__)
#ifdef __CET__
#include <cet.h>
#else
#define _CET_ENDBR
#endif
	.text
	.globl	rung_start
	.type	rung_start, @function
rung_start:
	.cfi_startproc
	.cfi_undefined rip
	_CET_ENDBR
	xorl	%ebp, %ebp
	movq	%rsp, %rbx
	movq	%rdx, %r12
	movq	%rsp, %rdi
	andq	$-16, %rsp
	call	start_protected
	movq	%rbx, %rsp
	movq	%r12, %rdx
	jmp	_start
	.cfi_endproc
	.size	rung_start, . - rung_start
#elif defined(__aarch64__)
	.text
	.globl	rung_start
	.type	rung_start, %function
rung_start:
	.cfi_startproc
	.cfi_undefined x30
	hint	#34	/* bti c */
	mov	x29, #0
	mov	x30, #0
	mov	x19, x0
	mov	x0, sp
	bl	start_protected
	mov	x0, x19
	mov	x30, #0
	b	_start
	.cfi_endproc
	.size	rung_start, . - rung_start
	.pushsection .note.gnu.property, "a"
	.p2align 3
	.word	4, 16, 5
	.asciz	"GNU"
	.word	0xc0000000, 4, 3, 0	/* BTI and PAC */
	.popsection
#endif
	.section .note.GNU-stack, "", %progbits
