/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "host/idmap.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "base/scope.h"
#include "base/str.h"
#include "base/sys.h"
#include "host/ns.h"

enum { MAP_TEXT_MAX = 1 << 16 };

uint32_t idmap_outside(const struct id_map *map, uint32_t inside)
{
	if (!map->len)
		return inside;
	for (size_t i = 0; i < map->len; i++) {
		const struct id_range *range = &map->at[i];

		if (inside >= range->inside && inside - range->inside < range->count)
			return range->outside + (inside - range->inside);
	}
	return UINT32_MAX;
}

bool idmap_has(const struct id_map *map, uint32_t inside)
{
	return idmap_outside(map, inside) != UINT32_MAX;
}

/* The map as the kernel reads it, a range a line.  Owned by the caller. */
static char *map_text(const struct id_map *map)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < map->len; i++)
		(void)fprintf(out, "%" PRIu32 " %" PRIu32 " %" PRIu32 "\n", map->at[i].inside,
			      map->at[i].outside, map->at[i].count);
	return fclose(out) == 0 ? text : NULL;
}

static int write_map(pid_t pid, const char *file, const struct id_map *map, struct err *err)
{
	autofree char *text = map_text(map);
	char path[64];
	int code;

	if (!text)
		return err_errno(err, ENOMEM, "format %s", file);
	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	code = fd_write_file(AT_FDCWD, path, text);
	if (code < 0)
		return err_errno(err, code, "write %s \"%.*s\"", file, (int)strcspn(text, "\n"),
				 text);
	return 0;
}

/* argv of newuidmap: PID, then three numbers a range.  Numbers live in @digits. */
static void helper_arguments(char **argv, char (*digits)[12], const struct id_map *map)
{
	for (size_t i = 0; i < map->len; i++) {
		const uint32_t triple[] = { map->at[i].inside, map->at[i].outside,
					    map->at[i].count };

		for (size_t k = 0; k < ARRAY_LEN(triple); k++) {
			(void)snprintf(digits[3 * i + k], sizeof(*digits), "%" PRIu32, triple[k]);
			argv[2 + 3 * i + k] = digits[3 * i + k];
		}
	}
}

static int run_helper(char *const *argv, struct err *err)
{
	extern char **environ;
	pid_t pid;
	int status, code = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);

	if (code)
		return err_errno(err, code, "run %s (package uidmap)", argv[0]);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_errno(err, errno, "wait for %s", argv[0]);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return err_set(
			err,
			"%s refused the map: see /etc/subuid, /etc/subgid and its message on stderr",
			argv[0]);
	return 0;
}

static int write_map_by_helper(const char *helper, pid_t pid, const struct id_map *map,
			       struct err *err)
{
	autofree char **argv = calloc(3 + 3 * map->len, sizeof(*argv));
	autofree void *digits = calloc(3 * map->len + 1, sizeof(char[12]));
	char pid_text[16];

	if (!argv || !digits)
		return err_errno(err, ENOMEM, "run %s", helper);
	(void)snprintf(pid_text, sizeof(pid_text), "%d", (int)pid);
	argv[0] = (char *)helper;
	argv[1] = pid_text;
	helper_arguments(argv, digits, map);
	return run_helper(argv, err);
}

static int deny_setgroups(pid_t pid, struct err *err)
{
	char path[64];
	int code;

	(void)snprintf(path, sizeof(path), "/proc/%d/setgroups", (int)pid);
	code = fd_write_file(AT_FDCWD, path, "deny");
	return code < 0 ? err_errno(err, code, "write \"deny\" to %s", path) : 0;
}

int idmap_write(const struct idmap_plan *plan, pid_t pid, struct err *err)
{
	if (plan->deny_setgroups && deny_setgroups(pid, err) < 0)
		return -1;
	if (plan->use_helpers)
		return write_map_by_helper("newuidmap", pid, &plan->uid, err) < 0 ||
				       write_map_by_helper("newgidmap", pid, &plan->gid, err) < 0 ?
			       -1 :
			       0;
	return write_map(pid, "uid_map", &plan->uid, err) < 0 ||
			       write_map(pid, "gid_map", &plan->gid, err) < 0 ?
		       -1 :
		       0;
}

int idmap_namespace(const struct id_map *uid, const struct id_map *gid, int *ret_fd,
		    struct err *err)
{
	struct clone_args args = { .flags = CLONE_NEWUSER, .exit_signal = SIGCHLD };
	autoclose int parent_end = -1;
	autoclose int fd = -1;
	pid_t pid;
	int pair[2];
	char byte;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_errno(err, errno, "socketpair");
	parent_end = pair[0];
	pid = sys_clone3(&args, sizeof(args));
	if (pid == 0) {
		(void)close(pair[0]);
		(void)!read(pair[1], &byte, 1); /* ends with the parent's end */
		_exit(0);
	}
	(void)close(pair[1]);
	if (pid < 0)
		return err_errno(err, pid, "clone a user namespace for id-mapped mounts");
	if (write_map(pid, "uid_map", uid, err) == 0 && write_map(pid, "gid_map", gid, err) == 0)
		fd = ns_open_of(NS_USER, pid, err);
	(void)close(take_fd(&parent_end));
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (fd < 0)
		return -1;
	*ret_fd = take_fd(&fd);
	return 0;
}

static int parse_map(const char *text, struct id_map *ret)
{
	autofree struct id_range *at = NULL;
	size_t lines = 0;

	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	at = calloc(lines + 1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < lines; i++) {
		if (sscanf(text, "%" SCNu32 " %" SCNu32 " %" SCNu32, &at[i].inside, &at[i].outside,
			   &at[i].count) != 3)
			return -EINVAL;
		text = strchr(text, '\n') + 1;
	}
	*ret = (struct id_map){ take_ptr(at), lines };
	return 0;
}

static int read_map(pid_t pid, const char *file, struct id_map *ret, struct err *err)
{
	autofree char *text = NULL;
	char path[64];
	ssize_t n;

	if (pid)
		(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	else
		(void)snprintf(path, sizeof(path), "/proc/self/%s", file);
	n = fd_read_file(AT_FDCWD, path, MAP_TEXT_MAX, &text);
	if (n >= 0)
		n = parse_map(text, ret);
	return n < 0 ? err_errno(err, (int)n, "read %s", path) : 0;
}

int idmap_read(pid_t pid, struct id_map *ret_uid, struct id_map *ret_gid, struct err *err)
{
	if (read_map(pid, "uid_map", ret_uid, err) < 0)
		return -1;
	if (read_map(pid, "gid_map", ret_gid, err) == 0)
		return 0;
	free(ret_uid->at);
	*ret_uid = (struct id_map){ 0 };
	return -1;
}

/* A process that waits in the user namespace @ns_fd, for its maps to be read. */
static pid_t spawn_in(int ns_fd, const int pair[2], struct err *err)
{
	struct clone_args args = { .exit_signal = SIGCHLD };
	pid_t pid = sys_clone3(&args, sizeof(args));
	char byte = 0;

	if (pid < 0)
		return err_errno(err, pid, "clone to read id maps");
	if (pid > 0)
		return pid;
	(void)close(pair[0]);
	if (sys_setns(ns_fd, CLONE_NEWUSER) < 0 || write(pair[1], &byte, 1) != 1)
		_exit(1);
	(void)!read(pair[1], &byte, 1); /* ends with the parent's end */
	_exit(0);
}

int idmap_read_namespace(const char *path, struct id_map *ret_uid, struct id_map *ret_gid,
			 struct err *err)
{
	autoclose int ns_fd = -1;
	int pair[2], result = -1;
	pid_t pid;
	char byte;

	ns_fd = ns_open(NS_USER, path, err);
	if (ns_fd < 0)
		return -1;
	if (ns_is_own(NS_USER, ns_fd))
		return idmap_read(0, ret_uid, ret_gid, err);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_errno(err, errno, "socketpair");
	pid = spawn_in(ns_fd, pair, err);
	(void)close(pair[1]);
	if (pid > 0 && read(pair[0], &byte, 1) == 1)
		result = idmap_read(pid, ret_uid, ret_gid, err);
	else if (pid > 0)
		(void)err_set(err, "join the user namespace %s: not permitted", path);
	(void)close(pair[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return result;
}
