dnl SPDX-License-Identifier: LGPL-2.1-or-later

dnl RUNG_FLAGS(VARIABLE, FLAG...) - appends each FLAG that the compiler and linker take.
AC_DEFUN([RUNG_FLAGS], [m4_foreach_w([rung_flag], [$2], [
	AC_MSG_CHECKING([whether $CC takes rung_flag])
	rung_saved_cflags=$CFLAGS
	CFLAGS="$CFLAGS -Werror rung_flag"
	AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
		[AC_MSG_RESULT([yes]); $1="$$1 rung_flag"],
		[AC_MSG_RESULT([no])])
	CFLAGS=$rung_saved_cflags
])])

dnl RUNG_WITH(NAME, WHAT-FOR) - --with-NAME and --without-NAME; with_NAME is yes, no or check.
AC_DEFUN([RUNG_WITH], [
	AC_ARG_WITH([$1], [AS_HELP_STRING([--without-$1], [build without $1: $2])],
		[], [with_$1=check])
])

dnl RUNG_ARCHIVE(VARIABLE, ARCHIVE, SHARED, HEADER, CALL) - sets VARIABLE to the archive when the
dnl linker finds it and --disable-archives was not given, else to SHARED.
AC_DEFUN([RUNG_ARCHIVE], [
	AC_MSG_CHECKING([how to link $2])
	$1=$3
	rung_saved_libs=$LIBS
	LIBS="-l:$2 $LIBS"
	AS_IF([test "$enable_archives" != no], [
		AC_LINK_IFELSE([AC_LANG_PROGRAM([#include <$4>], [$5])], [$1=-l:$2])])
	LIBS=$rung_saved_libs
	AC_MSG_RESULT([$$1])
])

dnl RUNG_LIBRARY(NAME, MODULE, ARCHIVE, HEADER, CALL) - a library to link, found by pkg-config
dnl module MODULE.  Sets have_NAME, NAME_LIBS (upper case) and defines HAVE_NAME.
AC_DEFUN([RUNG_LIBRARY], [
	have_$1=no
	AS_IF([test "$with_$1" != no], [
		PKG_CHECK_MODULES(m4_toupper([$1]), [$2], [
			have_$1=yes
			CPPFLAGS="$CPPFLAGS $m4_toupper([$1])_CFLAGS"
			RUNG_ARCHIVE([rung_library], [$3], [$m4_toupper([$1])_LIBS], [$4], [$5])
			m4_toupper([$1])_LIBS=$rung_library
			AC_DEFINE([HAVE_]m4_toupper([$1]), [1], [Whether $1 is linked.])
		], [AS_IF([test "$with_$1" = yes],
			[AC_MSG_ERROR([$1 was asked for but is not there ($2.pc)])])])
	])
	AC_SUBST(m4_toupper([$1])_LIBS)
])

dnl RUNG_LOADED(NAME, HEADER) - a library that is loaded at run time where it is needed: only its
dnl header has to be here.  Sets have_NAME and defines HAVE_NAME.
AC_DEFUN([RUNG_LOADED], [
	have_$1=no
	AS_IF([test "$with_$1" != no], [
		AC_CHECK_HEADER([$2], [
			have_$1=yes
			AC_DEFINE([HAVE_]m4_toupper([$1]), [1], [Whether $1 is loaded when needed.])
		], [AS_IF([test "$with_$1" = yes],
			[AC_MSG_ERROR([$1 was asked for but <$2> is not there])])])
	])
])

dnl RUNG_STATIC - sets RUNG_PROGRAM to the flags that link the program with a static C library, when
dnl that is possible and was not declined; else to those of any other program.
AC_DEFUN([RUNG_STATIC], [
	RUNG_PROGRAM=$RUNG_PIE
	rung_static=shared
	AS_IF([test "$enable_static" = check], [
		AS_CASE([$enable_sanitizers$enable_coverage$enable_archives], [nonoyes], [],
			[enable_static=no])])
	AS_IF([test "$enable_static" != no], [
		AC_MSG_CHECKING([how to link the program statically])
		rung_flags=-static
		AS_CASE([$RUNG_PIE], [*-pie*], [rung_flags=-static-pie])
		rung_saved_libs=$LIBS rung_saved_ldflags=$LDFLAGS rung_saved_cflags=$CFLAGS
		LDFLAGS="$LDFLAGS $rung_flags"
		CFLAGS="$CFLAGS $RUNG_CFLAGS"
		LIBS="-lm $YAJL_LIBS $CAP_LIBS $SECCOMP_LIBS $LIBS"
		AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [RUNG_PROGRAM=$rung_flags; rung_static=static])
		LIBS=$rung_saved_libs LDFLAGS=$rung_saved_ldflags CFLAGS=$rung_saved_cflags
		AC_MSG_RESULT([$rung_static $RUNG_PROGRAM])
		AS_CASE([$enable_static:$rung_static], [yes:shared],
			[AC_MSG_ERROR([a static program was asked for, but not all libraries are there as archives])])])
	AC_SUBST([RUNG_PROGRAM])
	rung_early=no
	AS_CASE([$rung_static:$host_cpu], [static:x86_64|static:aarch64], [
		AC_MSG_CHECKING([whether the program can protect itself before the C library starts])
		CFLAGS="$CFLAGS -Werror"
		AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[__attribute__((no_stack_protector)) static void f(void) { }]],
			[f()])], [rung_early=yes; RUNG_PROGRAM="$RUNG_PROGRAM -Wl,-u,rung_start -Wl,-e,rung_start"])
		CFLAGS=$rung_saved_cflags
		AC_MSG_RESULT([$rung_early])])
	AM_CONDITIONAL([EARLY_START], [test $rung_early = yes])
])
