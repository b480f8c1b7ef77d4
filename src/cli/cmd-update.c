/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* update: options or a document as linux.resources. */
#include <errno.h>
#include <string.h>

#include "base/scope.h"
#include "base/str.h"
#include "cli/command.h"
#include "plan/bundle.h"

/* "64m" in bytes; -1: unlimited. */
static int parse_bytes(const char *option, const char *text, struct opt_int *ret, struct err *err)
{
	static const char units[] = "bkmgt";
	char digits[24];
	size_t len = strlen(text);
	const char *unit = len && text[len - 1] ? strchr(units, text[len - 1] | 0x20) : NULL;
	unsigned shift = unit ? 10 * (unsigned)(unit - units) : 0;

	if (len - !!unit < sizeof(digits)) {
		memcpy(digits, text, len - !!unit);
		digits[len - !!unit] = '\0';
		if (str_to_int(digits, -1, INT64_MAX >> shift, &ret->value)) {
			ret->value = ret->value < 0 ? -1 : ret->value << shift;
			ret->set = true;
			return 0;
		}
	}
	return err_set(err, "update: --%s: \"%s\" is no number of bytes", option, text);
}

static int parse_int(const char *option, const char *text, struct opt_int *ret, struct err *err)
{
	if (!str_to_int(text, INT64_MIN, INT64_MAX, &ret->value))
		return err_set(err, "update: --%s: \"%s\" is no number", option, text);
	ret->set = true;
	return 0;
}

static int parse_uint(const char *option, const char *text, struct opt_uint *ret, struct err *err)
{
	if (!str_to_uint(text, UINT64_MAX, &ret->value))
		return err_set(err, "update: --%s: \"%s\" is no number", option, text);
	ret->set = true;
	return 0;
}

struct parts {
	struct oci_memory memory;
	struct oci_cpu cpu;
	struct oci_pids pids;
	struct oci_block_io block_io;
};

static int read_memory(const struct arguments *a, struct parts *p, struct oci_resources *ret,
		       struct err *err)
{
	const struct {
		const char *name, *text;
		struct opt_int *at;
	} rows[] = {
		{ "memory", a->memory, &p->memory.limit },
		{ "memory-reservation", a->memory_reservation, &p->memory.reservation },
		{ "memory-swap", a->memory_swap, &p->memory.swap },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (!rows[i].text)
			continue;
		if (parse_bytes(rows[i].name, rows[i].text, rows[i].at, err) < 0)
			return -1;
		ret->memory = &p->memory;
	}
	return 0;
}

static int read_cpu(const struct arguments *a, struct parts *p, struct oci_resources *ret,
		    struct err *err)
{
	if ((a->cpu_period && parse_uint("cpu-period", a->cpu_period, &p->cpu.period, err) < 0) ||
	    (a->cpu_quota && parse_int("cpu-quota", a->cpu_quota, &p->cpu.quota, err) < 0) ||
	    (a->cpu_burst && parse_uint("cpu-burst", a->cpu_burst, &p->cpu.burst, err) < 0) ||
	    (a->cpu_share && parse_uint("cpu-share", a->cpu_share, &p->cpu.shares, err) < 0) ||
	    (a->cpu_idle && parse_int("cpu-idle", a->cpu_idle, &p->cpu.idle, err) < 0))
		return -1;
	p->cpu.cpus = (char *)a->cpuset_cpus;
	p->cpu.mems = (char *)a->cpuset_mems;
	if (a->cpu_period || a->cpu_quota || a->cpu_burst || a->cpu_share || a->cpu_idle ||
	    a->cpuset_cpus || a->cpuset_mems)
		ret->cpu = &p->cpu;
	return 0;
}

static int read_options(const struct arguments *a, struct parts *p, struct oci_resources *ret,
			struct err *err)
{
	if (read_memory(a, p, ret, err) < 0 || read_cpu(a, p, ret, err) < 0)
		return -1;
	if (a->pids_limit) {
		if (parse_int("pids-limit", a->pids_limit, &p->pids.limit, err) < 0)
			return -1;
		ret->pids = &p->pids;
	}
	if (a->blkio_weight) {
		if (parse_uint("blkio-weight", a->blkio_weight, &p->block_io.weight, err) < 0)
			return -1;
		ret->block_io = &p->block_io;
	}
	return 0;
}

int cmd_update(const struct run_context *ctx, struct arguments *args, int *ret_status,
	       struct err *err)
{
	struct oci_resources from_options = { 0 }, *resources = &from_options;
	struct parts parts = { 0 };

	(void)ret_status;
	if (args->l3_cache_schema || args->mem_bw_schema)
		return err_set(err, "update: --%s: not supported yet: Intel RDT",
			       args->l3_cache_schema ? "l3-cache-schema" : "mem-bw-schema");
	if (args->resources) {
		resources = document_read(&oci_resources_desc, args->resources, &args->arena, err);
		if (!resources)
			return -1;
	} else if (read_options(args, &parts, resources, err) < 0) {
		return -1;
	}
	return run_update(ctx, args->positional[0], resources, err);
}
