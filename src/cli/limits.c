/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/limits.h"

#include <string.h>
#include <strings.h>

#include "base/scope.h"
#include "base/str.h"

/* How far a number with this suffix is to be shifted, or -1. */
static int shift_of(const char *suffix)
{
	static const char units[] = "kmgt";
	const char *unit = *suffix ? strchr(units, *suffix | 0x20) : NULL;

	if (!*suffix || strcasecmp(suffix, "b") == 0)
		return 0;
	if (!unit)
		return -1;
	suffix++;
	if (*suffix && strcasecmp(suffix, "b") != 0 && strcasecmp(suffix, "ib") != 0)
		return -1;
	return 10 * (int)(unit - units + 1);
}

static int read_bytes(const char *option, const char *text, struct opt_int *ret, struct err *err)
{
	size_t len = strspn(text, "0123456789");
	int shift = shift_of(text + len);
	char digits[24] = "";
	uint64_t value;

	if (str_eq(text, "-1")) {
		*ret = (struct opt_int){ true, -1 };
		return 0;
	}
	if (len < sizeof(digits))
		memcpy(digits, text, len);
	if (shift < 0 || !str_to_uint(digits, (uint64_t)INT64_MAX >> shift, &value))
		return err_set(err, "--%s: \"%s\" is no number of bytes", option, text);
	*ret = (struct opt_int){ true, (int64_t)(value << shift) };
	return 0;
}

static int read_int(const char *option, const char *text, struct opt_int *ret, struct err *err)
{
	if (!str_to_int(text, INT64_MIN, INT64_MAX, &ret->value))
		return err_set(err, "--%s: \"%s\" is no number", option, text);
	ret->set = true;
	return 0;
}

static int read_uint(const char *option, const char *text, struct opt_uint *ret, struct err *err)
{
	if (!str_to_uint(text, UINT64_MAX, &ret->value))
		return err_set(err, "--%s: \"%s\" is no number", option, text);
	ret->set = true;
	return 0;
}

/* One of the numbers: at most one of the three places is there. */
struct row {
	const char *option, *text;
	struct opt_int *bytes, *number;
	struct opt_uint *positive;
};

static int read_row(const struct row *row, struct err *err)
{
	if (row->bytes)
		return read_bytes(row->option, row->text, row->bytes, err);
	if (row->number)
		return read_int(row->option, row->text, row->number, err);
	return read_uint(row->option, row->text, row->positive, err);
}

static void point_to_parts(const struct arguments *args, struct limits *ret)
{
	ret->cpu.cpus = (char *)args->cpuset_cpus;
	ret->cpu.mems = (char *)args->cpuset_mems;
	if (args->memory || args->memory_reservation || args->memory_swap)
		ret->resources.memory = &ret->memory;
	if (args->cpu_period || args->cpu_quota || args->cpu_burst || args->cpu_share ||
	    args->cpu_idle || args->cpuset_cpus || args->cpuset_mems)
		ret->resources.cpu = &ret->cpu;
	if (args->pids_limit)
		ret->resources.pids = &ret->pids;
	if (args->blkio_weight)
		ret->resources.block_io = &ret->block_io;
}

int limits_read(const struct arguments *args, struct limits *ret, struct err *err)
{
	const struct row rows[] = {
		{ "memory", args->memory, .bytes = &ret->memory.limit },
		{ "memory-reservation", args->memory_reservation,
		  .bytes = &ret->memory.reservation },
		{ "memory-swap", args->memory_swap, .bytes = &ret->memory.swap },
		{ "cpu-period", args->cpu_period, .positive = &ret->cpu.period },
		{ "cpu-quota", args->cpu_quota, .number = &ret->cpu.quota },
		{ "cpu-burst", args->cpu_burst, .positive = &ret->cpu.burst },
		{ "cpu-share", args->cpu_share, .positive = &ret->cpu.shares },
		{ "cpu-idle", args->cpu_idle, .number = &ret->cpu.idle },
		{ "pids-limit", args->pids_limit, .number = &ret->pids.limit },
		{ "blkio-weight", args->blkio_weight, .positive = &ret->block_io.weight },
	};

	*ret = (struct limits){ 0 };
	point_to_parts(args, ret);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].text && read_row(&rows[i], err) < 0)
			return -1;
	return 0;
}
