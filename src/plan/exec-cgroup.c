/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan/exec-cgroup.h"

#include <errno.h>
#include <string.h>

#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"

/* Of both versions: what callers write for the first means the same place in the second. */
static const char *const controllers[] = {
	"blkio",  "cpu",  "cpuacct", "cpuset",	 "devices",    "dmem", "freezer", "hugetlb", "io",
	"memory", "misc", "net_cls", "net_prio", "perf_event", "pids", "rdma",	  "systemd", NULL,
};

_Static_assert(ARRAY_LEN(controllers) <= 8 * sizeof(unsigned) + 1, "a bit for each");

/* The words before the ':' of @value, @len bytes; each at most once over all values. */
static int check_controllers(const char *value, size_t len, unsigned *seen, struct err *err)
{
	for (const char *word = value; word <= value + len; word += strcspn(word, ",:") + 1) {
		size_t word_len = strcspn(word, ",:");
		char name[16] = "";
		int k;

		if (!word_len)
			return err_set(err,
				       "invalid --cgroup argument: %s (empty <controller> prefix)",
				       value);
		if (word_len < sizeof(name))
			memcpy(name, word, word_len);
		k = str_index(controllers, name);
		if (k < 0)
			return err_set(err, "unknown controller %.*s in --cgroup argument: %s",
				       (int)word_len, word, value);
		if (*seen >> k & 1)
			return err_set(
				err,
				"invalid --cgroup argument(s): controller %s specified multiple times",
				name);
		*seen |= 1U << k;
	}
	return 0;
}

/* True when no component of @path leads above where it starts. */
static bool stays_below(const char *path)
{
	int depth = 0;

	while (*(path += strspn(path, "/"))) {
		size_t len = strcspn(path, "/");

		if (len == 2 && strncmp(path, "..", 2) == 0)
			depth--;
		else if (len != 1 || *path != '.')
			depth++;
		if (depth < 0)
			return false;
		path += len;
	}
	return true;
}

static char *clean_path(struct arena *arena, const char *path, struct err *err)
{
	char *copy;

	if (!stays_below(path)) {
		(void)err_set(err, "bad sub cgroup path: %s", path);
		return NULL;
	}
	copy = arena_alloc(arena, strlen(path) + 2);
	if (!copy) {
		(void)err_errno(err, ENOMEM, "--cgroup");
		return NULL;
	}
	*copy = '/';
	strcpy(copy + 1, path);
	return path_clean(copy);
}

int plan_exec_cgroup(struct arena *arena, const struct str_list *values, char **ret,
		     struct err *err)
{
	unsigned seen = 0;

	*ret = NULL;
	for (size_t i = 0; i < values->len; i++) {
		const char *value = values->at[i], *colon = strchr(value, ':');
		char *path;

		if (!colon && values->len != 1)
			return err_set(
				err, "invalid --cgroup argument: %s (missing <controller>: prefix)",
				value);
		if (colon && check_controllers(value, (size_t)(colon - value), &seen, err) < 0)
			return -1;
		path = clean_path(arena, colon ? colon + 1 : value, err);
		if (!path)
			return -1;
		if (*ret && !str_eq(*ret, path))
			return err_set(
				err,
				"invalid --cgroup argument(s): %s and %s: cgroup v2 has one path for all controllers",
				*ret, path);
		*ret = path;
	}
	return 0;
}
