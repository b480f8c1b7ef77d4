/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Labels go through files of the kernel, one write each, reached over a procfs that
 * the container cannot have tampered with.  libselinux does the same over the
 * /proc it finds, and so isn't used.
 */
#include "host/lsm.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/scope.h"
#include "host/proc.h"

enum { LABEL_MAX = 4096 }; /* the kernel takes less than a page */

/* An O_PATH descriptor of selinuxfs, which is there only when SELinux is enabled; or -1. */
static int open_selinuxfs(void)
{
	autoclose int fd = -1;
	struct statfs fs;

	fd = open("/sys/fs/selinux", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstatfs(fd, &fs) < 0 || (unsigned long)fs.f_type != SELINUX_MAGIC)
		return -1;
	return take_fd(&fd);
}

bool lsm_has_selinux(void)
{
	autoclose int fd = -1;

	fd = open_selinuxfs();
	return fd >= 0;
}

bool lsm_has_apparmor(void)
{
	autoclose int fd = -1;
	char answer = 'N';

	fd = open("/sys/module/apparmor/parameters/enabled", O_RDONLY | O_CLOEXEC);
	return fd >= 0 && read(fd, &answer, 1) == 1 && answer == 'Y';
}

int lsm_check_selinux(const char *label, struct err *err)
{
	autoclose int fs_fd = -1;
	autoclose int fd = -1;
	size_t size = strlen(label) + 1;

	fs_fd = open_selinuxfs();
	if (fs_fd >= 0)
		fd = openat(fs_fd, "context", O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || write(fd, label, size) == (ssize_t)size || errno == EACCES || errno == EPERM)
		return 0;
	return err_errno(err, errno, "\"%s\" is no context of this host's SELinux policy", label);
}

bool lsm_is_confining(const char *apparmor_label)
{
	static const char mode[] = " (unconfined)";
	size_t len = strcspn(apparmor_label, "\n"), mode_len = sizeof(mode) - 1;

	if (len == strlen("unconfined") && strncmp(apparmor_label, "unconfined", len) == 0)
		return false;
	/* of stacked profiles each has to be so, which only the kernel can tell */
	if (memmem(apparmor_label, len, "//&", 3))
		return true;
	return len <= mode_len || memcmp(apparmor_label + len - mode_len, mode, mode_len) != 0;
}

/* In doubt yes: a profile that is stacked takes nothing away from what it confines. */
static bool is_confined(int proc_fd, const char *directory)
{
	char path[64];
	autofree char *label = NULL;

	(void)snprintf(path, sizeof(path), "%s/current", directory);
	return fd_read_file(proc_fd, path, LABEL_MAX, &label) < 0 || lsm_is_confining(label);
}

/*
 * attr/apparmor belongs to AppArmor alone; attr/exec to whichever module is first, and
 * kernels before 5.8 have nothing else.
 */
static int set_apparmor(const struct lsm_labels *labels, int proc_fd, struct err *err)
{
	const char *profile = labels->apparmor, *directory = "thread-self/attr/apparmor";
	char command[LABEL_MAX], path[64];
	bool stack;
	int code;

	if (faccessat(proc_fd, directory, F_OK, 0) < 0)
		directory = "thread-self/attr";
	stack = labels->no_new_privs && is_confined(proc_fd, directory);
	if (snprintf(command, sizeof(command), "%s %s", stack ? "stack" : "exec", profile) >=
	    (int)sizeof(command))
		return err_set(err, "process.apparmorProfile: too long");
	(void)snprintf(path, sizeof(path), "%s/exec", directory);
	code = proc_write(proc_fd, path, command);
	if (code == -ENOENT)
		return err_errno(err, code, "process.apparmorProfile: profile \"%s\" is not loaded",
				 profile);
	return code < 0 ? err_errno(err, code, "process.apparmorProfile: %s \"%s\"",
				    stack ? "stack" : "apply", profile) :
			  0;
}

int lsm_set_key_label(const char *label, int proc_fd, struct err *err)
{
	int code = proc_write(proc_fd, "thread-self/attr/keycreate", label);

	return code < 0 ? err_errno(err, code, "process.selinuxLabel: label keys \"%s\"", label) :
			  0;
}

int lsm_set_exec(const struct lsm_labels *labels, int proc_fd, struct err *err)
{
	int code;

	if (labels->apparmor && *labels->apparmor && set_apparmor(labels, proc_fd, err) < 0)
		return -1;
	if (!labels->selinux || !*labels->selinux)
		return 0;
	code = proc_write(proc_fd, "thread-self/attr/exec", labels->selinux);
	return code < 0 ?
		       err_errno(err, code, "process.selinuxLabel: apply \"%s\"", labels->selinux) :
		       0;
}
