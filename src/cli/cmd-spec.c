/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* spec: a configuration to start from, in the shape that peers' fixtures edit (R246, spec.md 5.2). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/scope.h"
#include "base/str.h"
#include "cli/command.h"

static const char head[] =
	"{\n"
	"\t\"ociVersion\": \"1.3.0\",\n"
	"\t\"process\": {\n"
	"\t\t\"terminal\": true,\n"
	"\t\t\"user\": {\n\t\t\t\"uid\": 0,\n\t\t\t\"gid\": 0\n\t\t},\n"
	"\t\t\"args\": [\n\t\t\t\"sh\"\n\t\t],\n"
	"\t\t\"env\": [\n"
	"\t\t\t\"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\",\n"
	"\t\t\t\"TERM=xterm\"\n\t\t],\n"
	"\t\t\"cwd\": \"/\",\n"
	"\t\t\"capabilities\": {\n"
	"\t\t\t\"bounding\": [\n\t\t\t\t\"CAP_AUDIT_WRITE\",\n\t\t\t\t\"CAP_KILL\",\n\t\t\t\t\"CAP_NET_BIND_SERVICE\"\n\t\t\t],\n"
	"\t\t\t\"effective\": [\n\t\t\t\t\"CAP_AUDIT_WRITE\",\n\t\t\t\t\"CAP_KILL\",\n\t\t\t\t\"CAP_NET_BIND_SERVICE\"\n\t\t\t],\n"
	"\t\t\t\"permitted\": [\n\t\t\t\t\"CAP_AUDIT_WRITE\",\n\t\t\t\t\"CAP_KILL\",\n\t\t\t\t\"CAP_NET_BIND_SERVICE\"\n\t\t\t]\n"
	"\t\t},\n"
	"\t\t\"rlimits\": [\n\t\t\t{\n\t\t\t\t\"type\": \"RLIMIT_NOFILE\",\n\t\t\t\t\"hard\": 1024,\n\t\t\t\t\"soft\": 1024\n\t\t\t}\n\t\t],\n"
	"\t\t\"noNewPrivileges\": true\n"
	"\t},\n"
	"\t\"root\": {\n\t\t\"path\": \"rootfs\",\n\t\t\"readonly\": true\n\t},\n"
	"\t\"hostname\": \"rung\",\n"
	"\t\"mounts\": [\n"
	"\t\t{\n\t\t\t\"destination\": \"/proc\",\n\t\t\t\"type\": \"proc\",\n\t\t\t\"source\": \"proc\"\n\t\t},\n"
	"\t\t{\n\t\t\t\"destination\": \"/dev\",\n\t\t\t\"type\": \"tmpfs\",\n\t\t\t\"source\": \"tmpfs\",\n"
	"\t\t\t\"options\": [\n\t\t\t\t\"nosuid\",\n\t\t\t\t\"strictatime\",\n\t\t\t\t\"mode=755\",\n\t\t\t\t\"size=65536k\"\n\t\t\t]\n\t\t},\n"
	"\t\t{\n\t\t\t\"destination\": \"/dev/pts\",\n\t\t\t\"type\": \"devpts\",\n\t\t\t\"source\": \"devpts\",\n"
	"\t\t\t\"options\": [\n\t\t\t\t\"nosuid\",\n\t\t\t\t\"noexec\",\n\t\t\t\t\"newinstance\",\n\t\t\t\t\"ptmxmode=0666\",\n\t\t\t\t\"mode=0620\"%s\n\t\t\t]\n\t\t},\n"
	"\t\t{\n\t\t\t\"destination\": \"/dev/shm\",\n\t\t\t\"type\": \"tmpfs\",\n\t\t\t\"source\": \"shm\",\n"
	"\t\t\t\"options\": [\n\t\t\t\t\"nosuid\",\n\t\t\t\t\"noexec\",\n\t\t\t\t\"nodev\",\n\t\t\t\t\"mode=1777\",\n\t\t\t\t\"size=65536k\"\n\t\t\t]\n\t\t},\n"
	"\t\t{\n\t\t\t\"destination\": \"/dev/mqueue\",\n\t\t\t\"type\": \"mqueue\",\n\t\t\t\"source\": \"mqueue\",\n"
	"\t\t\t\"options\": [\n\t\t\t\t\"nosuid\",\n\t\t\t\t\"noexec\",\n\t\t\t\t\"nodev\"\n\t\t\t]\n\t\t},\n";

static const char rooted_mounts[] =
	"\t\t{\n\t\t\t\"destination\": \"/sys\",\n\t\t\t\"type\": \"sysfs\",\n\t\t\t\"source\": \"sysfs\",\n"
	"\t\t\t\"options\": [\n\t\t\t\t\"nosuid\",\n\t\t\t\t\"noexec\",\n\t\t\t\t\"nodev\",\n\t\t\t\t\"ro\"\n\t\t\t]\n\t\t},\n";

static const char rootless_mounts[] =
	"\t\t{\n\t\t\t\"destination\": \"/sys\",\n\t\t\t\"type\": \"none\",\n\t\t\t\"source\": \"/sys\",\n"
	"\t\t\t\"options\": [\n\t\t\t\t\"rbind\",\n\t\t\t\t\"nosuid\",\n\t\t\t\t\"noexec\",\n\t\t\t\t\"nodev\",\n\t\t\t\t\"ro\"\n\t\t\t]\n\t\t},\n";

static const char cgroup_mount[] =
	"\t\t{\n\t\t\t\"destination\": \"/sys/fs/cgroup\",\n\t\t\t\"type\": \"cgroup\",\n\t\t\t\"source\": \"cgroup\",\n"
	"\t\t\t\"options\": [\n\t\t\t\t\"nosuid\",\n\t\t\t\t\"noexec\",\n\t\t\t\t\"nodev\",\n\t\t\t\t\"relatime\",\n\t\t\t\t\"ro\"\n\t\t\t]\n\t\t}\n"
	"\t],\n"
	"\t\"linux\": {\n";

static const char rooted_linux[] =
	"\t\t\"resources\": {\n\t\t\t\"devices\": [\n\t\t\t\t{\n\t\t\t\t\t\"allow\": false,\n\t\t\t\t\t\"access\": \"rwm\"\n\t\t\t\t}\n\t\t\t]\n\t\t},\n"
	"\t\t\"namespaces\": [\n"
	"\t\t\t{\n\t\t\t\t\"type\": \"pid\"\n\t\t\t},\n\t\t\t{\n\t\t\t\t\"type\": \"network\"\n\t\t\t},\n"
	"\t\t\t{\n\t\t\t\t\"type\": \"ipc\"\n\t\t\t},\n\t\t\t{\n\t\t\t\t\"type\": \"uts\"\n\t\t\t},\n"
	"\t\t\t{\n\t\t\t\t\"type\": \"mount\"\n\t\t\t},\n\t\t\t{\n\t\t\t\t\"type\": \"cgroup\"\n\t\t\t}\n\t\t],\n";

static const char rootless_linux[] =
	"\t\t\"uidMappings\": [\n\t\t\t{\n\t\t\t\t\"containerID\": 0,\n\t\t\t\t\"hostID\": %u,\n\t\t\t\t\"size\": 1\n\t\t\t}\n\t\t],\n"
	"\t\t\"gidMappings\": [\n\t\t\t{\n\t\t\t\t\"containerID\": 0,\n\t\t\t\t\"hostID\": %u,\n\t\t\t\t\"size\": 1\n\t\t\t}\n\t\t],\n"
	"\t\t\"namespaces\": [\n"
	"\t\t\t{\n\t\t\t\t\"type\": \"pid\"\n\t\t\t},\n\t\t\t{\n\t\t\t\t\"type\": \"ipc\"\n\t\t\t},\n"
	"\t\t\t{\n\t\t\t\t\"type\": \"uts\"\n\t\t\t},\n\t\t\t{\n\t\t\t\t\"type\": \"mount\"\n\t\t\t},\n"
	"\t\t\t{\n\t\t\t\t\"type\": \"cgroup\"\n\t\t\t},\n\t\t\t{\n\t\t\t\t\"type\": \"user\"\n\t\t\t}\n\t\t],\n";

static const char tail[] =
	"\t\t\"maskedPaths\": [\n\t\t\t\"/proc/acpi\",\n\t\t\t\"/proc/asound\",\n\t\t\t\"/proc/kcore\",\n"
	"\t\t\t\"/proc/keys\",\n\t\t\t\"/proc/latency_stats\",\n\t\t\t\"/proc/timer_list\",\n"
	"\t\t\t\"/proc/timer_stats\",\n\t\t\t\"/proc/sched_debug\",\n\t\t\t\"/sys/firmware\",\n"
	"\t\t\t\"/sys/devices/virtual/powercap\",\n\t\t\t\"/proc/scsi\"\n\t\t],\n"
	"\t\t\"readonlyPaths\": [\n\t\t\t\"/proc/bus\",\n\t\t\t\"/proc/fs\",\n\t\t\t\"/proc/irq\",\n"
	"\t\t\t\"/proc/sys\",\n\t\t\t\"/proc/sysrq-trigger\"\n\t\t]\n"
	"\t}\n}\n";

static void write_spec(FILE *out, bool rootless)
{
	(void)fprintf(out, head, rootless ? "" : ",\n\t\t\t\t\"gid=5\"");
	(void)fputs(rootless ? rootless_mounts : rooted_mounts, out);
	(void)fputs(cgroup_mount, out);
	if (rootless)
		(void)fprintf(out, rootless_linux, (unsigned)geteuid(), (unsigned)getegid());
	else
		(void)fputs(rooted_linux, out);
	(void)fputs(tail, out);
}

int cmd_spec(const struct run_context *ctx, struct arguments *args, int *ret_status,
	     struct err *err)
{
	const char *directory = args->bundle ? args->bundle : ".";
	autofree char *path = args->config ? strdup(args->config) :
					     str_printf("%s/config.json", directory);
	int fd;
	FILE *out;

	(void)ctx;
	(void)ret_status;
	if (!path)
		return err_errno(err, ENOMEM, "spec");
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (args->config ? O_TRUNC : O_EXCL), 0666);
	if (fd < 0 && errno == EEXIST)
		return err_set(err, "spec: %s exists already; remove it first", path);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out)
		return err_errno(err, errno, "spec: write %s", path);
	write_spec(out, args->rootless);
	return fclose(out) == 0 ? 0 : err_errno(err, errno, "spec: write %s", path);
}
