/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Making a cgroup and writing its limits. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/scope.h"
#include "base/str.h"
#include "base/sys.h"
#include "host/cgroup-mount.h"
#include "host/cgroup.h"

enum { SMALL_FILE = 4096, DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* Whether @word is one of @text's: "cpu" is none of "cpuset io". */
static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (; *text; text += strspn(text, " \n")) {
		size_t n = strcspn(text, " \n");

		if (n == len && !strncmp(text, word, n))
			return true;
		text += n;
	}
	return false;
}

/* Enables in @fd, for what is below it, all controllers that it has; those that can't be stay off. */
static void enable_controllers(int fd)
{
	char all[FD_SMALL], enabled[FD_SMALL];
	char *rest = all, *name, word[64];

	if (fd_read_small(fd, "cgroup.controllers", all) < 0 ||
	    fd_read_small(fd, "cgroup.subtree_control", enabled) < 0)
		return;
	while ((name = strsep(&rest, " \n"))) {
		if (!*name || has_word(enabled, name))
			continue;
		(void)snprintf(word, sizeof(word), "+%s", name);
		(void)fd_write_file(fd, "cgroup.subtree_control", word);
	}
}

static int remove_made(int mount_fd, char *path, size_t kept)
{
	for (char *slash; strlen(path) > kept && (slash = strrchr(path, '/')); *slash = '\0')
		if (unlinkat(mount_fd, path + 1, AT_REMOVEDIR) < 0)
			break;
	return 0;
}

/*
 * Makes the directories of ret->path one by one and opens the last one; on failure those
 * that are new go again (R139).
 */
static int make_directories(int mount_fd, struct cgroup *ret, struct err *err)
{
	autofree char *copy = strdup(ret->path);
	size_t kept = 0, len = strlen(ret->path);

	if (!copy)
		return err_errno(err, ENOMEM, "make cgroup %s", ret->path);
	for (size_t at = 1; at <= len;) {
		size_t end = at + strcspn(ret->path + at, "/");
		autoclose int parent_fd = ret->fd;
		int above_fd = parent_fd < 0 ? mount_fd : parent_fd, code = 0;

		ret->fd = -1;
		enable_controllers(above_fd);
		(void)snprintf(copy, len + 1, "%.*s", (int)end, ret->path);
		ret->is_new = mkdirat(above_fd, copy + at, 0755) == 0;
		if (!ret->is_new) {
			code = errno == EEXIST ? 0 : errno;
			kept = errno == EEXIST ? end : kept;
		}
		if (code == 0 && (ret->fd = openat(above_fd, copy + at, DIRECTORY)) < 0)
			code = errno;
		if (code) {
			(void)remove_made(mount_fd, copy, kept);
			return err_errno(err, code, "make cgroup %s", copy);
		}
		at = end + 1;
	}
	return 0;
}

/* What was there before must be empty and not frozen (R136). */
static int check_fit(const struct cgroup *cgroup, struct err *err)
{
	autofree pid_t *pids = NULL;
	size_t count;
	bool frozen;

	if (cgroup_pids(cgroup, &pids, &count, err) < 0 ||
	    cgroup_is_frozen(cgroup, &frozen, err) < 0)
		return -1;
	if (count)
		return err_set(err, "container's cgroup is not empty: %zu process(es) found",
			       count);
	return frozen ? err_set(err, "container's cgroup unexpectedly frozen") : 0;
}

static int open_new(const char *path, struct cgroup *ret, struct err *err)
{
	autoclose int mount_fd = -1;
	struct stat st;

	if (!path[1])
		return cgroup_open(path, 0, ret, err) < 0 ? -1 : check_fit(ret, err);
	mount_fd = cgroup_open_mount(err);
	if (mount_fd < 0)
		return -1;
	ret->path = strdup(path);
	if (!ret->path)
		return err_errno(err, ENOMEM, "make cgroup %s", path);
	if (make_directories(mount_fd, ret, err) < 0)
		return -1;
	if (fstat(ret->fd, &st) < 0)
		return err_errno(err, errno, "make cgroup %s", path);
	ret->inode = st.st_ino;
	return ret->is_new ? 0 : check_fit(ret, err);
}

int cgroup_create(const struct cgroup_plan *plan, struct cgroup *ret, struct err *err)
{
	struct err why = { 0 };

	*ret = CGROUP_NONE;
	if (open_new(plan->path, ret, &why) == 0)
		return 0;
	cgroup_close(ret);
	if (plan->may_be_without && (why.code == EACCES || why.code == EPERM || why.code == EROFS))
		return 0;
	(void)err_pass(err, &why);
	if (why.code == EACCES || why.code == EPERM)
		return err_prefix(
			err,
			plan->path_given ?
				"linux.cgroupsPath" :
				"rootless needs no limits + no cgrouppath when no permission is granted for cgroups");
	return -1;
}

/* "bound to cgroup v1 at DIR" for a controller that is missing in v2 because v1 has it. */
static void describe_controller(const char *controller, char *text, size_t room)
{
	autofree char *mounts = NULL;
	char *rest, *line;

	(void)snprintf(text, room, "not there or not delegated");
	if (fd_read_file(AT_FDCWD, "/proc/self/mounts", 1 << 20, &mounts) < 0)
		return;
	rest = mounts;
	while ((line = strsep(&rest, "\n"))) {
		char directory[256], type[32], options[512];

		if (sscanf(line, "%*s %255s %31s %511s", directory, type, options) != 3 ||
		    !str_eq(type, "cgroup"))
			continue;
		for (char *list = options, *word; (word = strsep(&list, ","));)
			if (str_eq(word, controller))
				(void)snprintf(text, room, "bound to cgroup v1 at %s", directory);
	}
}

static int report_write(const struct cgroup_write *write, int code, struct err *err)
{
	char controller[32], where[300];

	(void)snprintf(controller, sizeof(controller), "%.*s", (int)strcspn(write->file, "."),
		       write->file);
	if (code != -ENOENT || str_eq(controller, "cgroup"))
		return err_errno(err, code, "%s: write \"%s\" to %s", write->json_path,
				 write->value, write->file);
	describe_controller(controller, where, sizeof(where));
	return err_set(err, "%s: %s: controller %s is not available in cgroup v2: %s",
		       write->json_path, write->file, controller, where);
}

static int write_lines(const struct cgroup *cgroup, const struct cgroup_write *write)
{
	autofree char *copy = strdup(write->value);
	char *rest = copy, *line;
	int code = copy ? 0 : -ENOMEM;

	while (code == 0 && (line = strsep(&rest, "\n")))
		if (*line || !rest)
			code = fd_write_file(cgroup->fd, write->file, line);
	return code;
}

static int check_use(const struct cgroup_plan *plan, const struct cgroup *cgroup, struct err *err)
{
	autofree char *text = NULL;
	int64_t used;

	if (!plan->check_memory ||
	    fd_read_file(cgroup->fd, "memory.current", SMALL_FILE, &text) <= 0)
		return 0;
	used = strtoll(text, NULL, 10);
	if (plan->check_memory > used)
		return 0;
	return err_set(err,
		       "linux.resources.memory.limit: rejecting memory limit %" PRId64 ": %" PRId64
		       " bytes are in use",
		       plan->check_memory, used);
}

int cgroup_limit(const struct cgroup_plan *plan, const struct cgroup *cgroup, struct err *err)
{
	if (check_use(plan, cgroup, err) < 0)
		return -1;
	for (size_t i = 0; i < plan->writes_len; i++) {
		const struct cgroup_write *write = &plan->writes[i];
		int code = write_lines(cgroup, write);

		if (code == -ENOENT && write->may_be_missing)
			continue;
		if (code < 0)
			return report_write(write, code, err);
	}
	return 0;
}

int cgroup_restrict_devices(const struct cgroup_plan *plan, const struct cgroup *cgroup,
			    struct err *err)
{
	autofree struct bpf_insn *program = NULL;
	struct err why = { 0 };
	size_t len;

	if (!plan->restrict_devices)
		return 0;
	if (device_program(plan->device_rules, plan->device_rules_len, &program, &len, err) < 0)
		return -1;
	if (device_program_attach(program, len, cgroup->fd, cgroup->is_new, &why) == 0)
		return 0;
	if (plan->devices_may_fail) {
		log_debug("linux.resources.devices: %s, ignored in a user namespace", why.text);
		return 0;
	}
	(void)err_pass(err, &why);
	return err_prefix(err, "linux.resources.devices");
}

static int give(int fd, const char *file, uid_t owner)
{
	return fchownat(fd, file, owner, (gid_t)-1, AT_SYMLINK_NOFOLLOW) < 0 && errno != ENOENT ?
		       -errno :
		       0;
}

int cgroup_delegate(const struct cgroup_plan *plan, const struct cgroup *cgroup, struct err *err)
{
	autofree char *files = NULL;
	char *rest, *file;
	int code;

	if (!plan->delegate)
		return 0;
	if (fd_read_file(AT_FDCWD, "/sys/kernel/cgroup/delegate", SMALL_FILE, &files) <= 0)
		files = strdup("cgroup.procs\ncgroup.subtree_control\ncgroup.threads\n");
	code = give(cgroup->fd, ".", plan->owner);
	rest = files;
	while (code == 0 && (file = strsep(&rest, "\n")))
		if (*file && !strchr(file, '/'))
			code = give(cgroup->fd, file, plan->owner);
	return code < 0 ? err_errno(err, code, "delegate cgroup %s to uid %u", cgroup->path,
				    (unsigned)plan->owner) :
			  0;
}
