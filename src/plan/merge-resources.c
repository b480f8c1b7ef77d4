/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan/merge-resources.h"

#include <string.h>

#define KEEP(member)                               \
	do {                                       \
		if (!new->member.set)              \
			new->member = old->member; \
	} while (0)

static void merge_memory(struct oci_memory *new, const struct oci_memory *old)
{
	/* without a limit on memory there is none on memory and swap together */
	if (new->limit.set &&new->limit.value == -1 && !new->swap.set)
		new->swap = (struct opt_int){ true, -1 };
	KEEP(limit);
	KEEP(reservation);
	KEEP(swap);
	KEEP(check_before_update);
}

static void merge_cpu(struct oci_cpu *new, const struct oci_cpu *old)
{
	KEEP(shares);
	KEEP(quota);
	KEEP(period);
	KEEP(burst);
	KEEP(idle);
	if (!new->cpus)
		new->cpus = old->cpus;
	if (!new->mems)
		new->mems = old->mems;
}

void merge_resources(struct oci_resources *new, const struct oci_resources *old)
{
	if (!old)
		return;
	if (new->memory && old->memory)
		merge_memory(new->memory, old->memory);
	else if (!new->memory)
		new->memory = old->memory;
	if (new->cpu && old->cpu)
		merge_cpu(new->cpu, old->cpu);
	else if (!new->cpu)
		new->cpu = old->cpu;
	if (!new->pids)
		new->pids = old->pids;
	if (!new->block_io)
		new->block_io = old->block_io;
	if (!new->hugepage_limits.at)
		new->hugepage_limits = old->hugepage_limits;
	if (!new->rdma.at)
		new->rdma = old->rdma;
	if (!new->unified.at)
		new->unified = old->unified;
	new->devices = old->devices; /* update never touches the device filter */
}
