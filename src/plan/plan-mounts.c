/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* root, mounts, maskedPaths, readonlyPaths, rootfsPropagation (R10-R57, R182-R187). */
#include "plan/plan.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/vfs.h>

#include "base/log.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"
#include "base/sys.h"
#include "host/lsm.h"
#include "plan/mount-options.h"

/* What a bind with any of them is given or loses; access times are apart. */
enum {
	BIND_FLAGS = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC |
		     MOUNT_ATTR_NOSYMFOLLOW
};

/* What may be bound below /proc: files that only report (R42). */
static const char *const proc_files[] = {
	"/proc/cpuinfo",
	"/proc/diskstats",
	"/proc/meminfo",
	"/proc/stat",
	"/proc/swaps",
	"/proc/uptime",
	"/proc/loadavg",
	"/proc/slabinfo",
	"/proc/net/dev",
	"/proc/sys/kernel/ns_last_pid",
	"/proc/sys/crypto/fips_enabled",
	NULL,
};

/* File systems without a device: read-only is a matter of the mount alone. */
static const char *const pseudo_types[] = { "proc",  "sysfs", "cgroup2", "mqueue", "devpts",
					    "tmpfs", "bpf",   "ramfs",	 NULL };

static int plan_root(struct plan *plan, const struct plan_input *in, struct err *err)
{
	const struct oci_root *root = in->config->root;
	autofree char *path = NULL;
	autofree char *real = NULL;

	if (!*root->path)
		return err_set(err, "root.path: empty");
	path = *root->path == '/' ? strdup(root->path) :
				    str_printf("%s/%s", in->bundle, root->path);
	real = path ? realpath(path, NULL) : NULL;
	if (!real)
		return err_errno(err, errno, "root.path: %s", root->path);
	plan->rootfs.path = plan_copy(plan, real, err);
	plan->rootfs.read_only = root->readonly.value;
	return plan->rootfs.path ? 0 : -1;
}

static bool is_type(const struct oci_mount *mount, const char *type)
{
	return mount->type && str_eq(mount->type, type);
}

/* Sorts the words of one entry; what the file system has to understand goes to @out->data. */
static int read_options(struct plan *plan, const struct oci_mount *in,
			struct mount_options *options, struct mount_plan *out, struct err *err)
{
	out->data = plan_alloc(plan, (in->options.len + 2) * sizeof(*out->data), err);
	if (!out->data)
		return -1;
	for (size_t i = 0; i < in->options.len; i++) {
		const char *word = in->options.at[i], *key;
		int kind = *word ? mount_options_add(options, word, &key, err) : MOUNT_WORD_KNOWN;
		char *copy, *equals;

		if (kind < 0)
			return err_prefix(err, "%s.options", out->json_path);
		if (kind == MOUNT_WORD_KNOWN)
			continue;
		copy = plan_copy(plan, kind == MOUNT_WORD_SUPERBLOCK ? key : word, err);
		if (!copy)
			return -1;
		equals = strchr(copy, '=');
		if (equals)
			*equals++ = '\0';
		out->has_mode |= str_eq(copy, "mode");
		out->data[out->data_len++] = (struct mount_datum){ copy, equals };
	}
	return 0;
}

static void take_options(const struct mount_options *options, struct mount_plan *out)
{
	out->attr_set = options->set;
	out->attr_clr = options->clear;
	out->recursive_set = options->recursive_set;
	out->recursive_clr = options->recursive_clear;
	memcpy(out->propagation, options->propagation, sizeof(out->propagation));
	out->recursive = options->recursive || out->recursive_set || out->recursive_clr;
	out->copy_up = options->copy_up;
	out->idmap = options->idmap;
	out->idmap_recursive = options->idmap_recursive;
	out->copy_symlink = options->copy_symlink;
	out->source_no_follow = options->source_no_follow;
	out->destination_no_follow = options->destination_no_follow;
}

/*
 * A bind without flags keeps those of its source; with some it has these and no others, as
 * mount(8) remounts it and other runtimes do.  The way of access times is kept until another is
 * chosen (R31).
 */
static void take_bind_flags(const struct mount_options *options, struct mount_plan *out)
{
	out->asked_clr = options->clear & BIND_FLAGS;
	out->attr_clr = 0;
	if (!options->set && !options->clear)
		return;
	out->attr_clr = BIND_FLAGS;
	if (options->chooses_atime)
		out->attr_clr |= MOUNT_ATTR__ATIME | MOUNT_ATTR_NODIRATIME;
	out->attr_clr &= ~out->attr_set | MOUNT_ATTR__ATIME;
}

/* One that names the rootfs itself, as callers do who think of the host's tree, is taken below it. */
static char *plan_destination(struct plan *plan, const char *destination, struct err *err)
{
	char *path = path_clean(plan_printf(plan, err, "/%s", destination));
	size_t len = strlen(plan->rootfs.path);

	if (path && path_is_inside(path, plan->rootfs.path) && path[len])
		path += len;
	return path;
}

/* @path without links as far as it is there: a mount before may bring the rest.  Owned by the caller. */
static char *real_path(const char *path, bool keep_last)
{
	char *real = keep_last ? NULL : realpath(path, NULL);
	const char *slash = strrchr(path, '/');
	autofree char *above = NULL;
	autofree char *real_above = NULL;

	if (real || (!keep_last && errno != ENOENT) || !slash || slash == path)
		return real;
	above = strndup(path, (size_t)(slash - path));
	real_above = above ? real_path(above, false) : NULL;
	return real_above ? str_printf("%s%s", real_above[1] ? real_above : "", slash) : NULL;
}

/* A source in the rootfs that is not there yet is one, too (R49). */
static int find_inside(struct plan *plan, struct mount_plan *out, struct err *err)
{
	autofree char *real = real_path(out->source, out->source_no_follow);
	size_t len = strlen(plan->rootfs.path);

	if (!real || !path_is_inside(real, plan->rootfs.path))
		return 0;
	out->source_inside = plan_copy(plan, real[len] ? real + len : "/", err);
	return out->source_inside ? 0 : -1;
}

static int plan_bind(struct plan *plan, const struct plan_input *in, const struct oci_mount *mount,
		     struct mount_plan *out, struct err *err)
{
	if (!mount->source || !*mount->source)
		return err_set(err, "%s.source: required for a bind mount", out->json_path);
	out->kind = MOUNT_BIND;
	out->type = "bind";
	out->source = *mount->source == '/' ?
			      mount->source :
			      plan_printf(plan, err, "%s/%s", in->bundle, mount->source);
	if (!out->source)
		return -1;
	if (out->data_len)
		log_warn("config.json: %s.options: \"%s\" means nothing to a bind mount, ignored",
			 out->json_path, out->data[0].key);
	if (find_inside(plan, out, err) < 0)
		return -1;
	out->keep_locked = !out->source_inside && ns_has_user(&plan->ns);
	return 0;
}

static int drop_unmapped_gid(struct plan *plan, struct mount_plan *out)
{
	uint64_t gid;

	for (size_t i = 0; i < out->data_len; i++) {
		struct mount_datum *d = &out->data[i];

		if (!str_eq(d->key, "gid") || !d->value ||
		    !str_to_uint(d->value, UINT32_MAX, &gid) ||
		    idmap_has(&plan->idmap.gid, (uint32_t)gid))
			continue;
		log_warn(
			"config.json: %s.options: gid=%s is not mapped in the user namespace, ignored",
			out->json_path, d->value);
		*d = out->data[--out->data_len];
		return 0;
	}
	return 0;
}

static int plan_fs(struct plan *plan, const struct oci_mount *mount, struct mount_plan *out,
		   struct err *err)
{
	if (!mount->type || !*mount->type)
		return err_set(err, "%s.type: required unless it is a bind mount", out->json_path);
	out->kind = str_eq(mount->type, "cgroup") || str_eq(mount->type, "cgroup2") ? MOUNT_CGROUP :
										      MOUNT_FS;
	out->type = out->kind == MOUNT_CGROUP ? "cgroup2" : mount->type;
	out->source = mount->source;
	if (out->recursive_set | out->recursive_clr) {
		out->attr_set = (out->attr_set & ~out->recursive_clr) | out->recursive_set;
		out->recursive_set = out->recursive_clr = 0;
	}
	out->plain_destination = str_eq(out->type, "proc") || str_eq(out->type, "sysfs");
	if (out->copy_up && !str_eq(out->type, "tmpfs"))
		return err_set(err, "%s.options: tmpcopyup is for tmpfs alone", out->json_path);
	if (str_eq(out->type, "devpts"))
		(void)drop_unmapped_gid(plan, out);
	if (!(out->attr_set & MOUNT_ATTR_RDONLY))
		return 0;
	out->read_only_late = str_eq(out->type, "tmpfs") || str_eq(out->destination, "/dev");
	if (str_index(pseudo_types, out->type) < 0)
		out->data[out->data_len++] = (struct mount_datum){ "ro", NULL };
	return 0;
}

static int convert_map(struct plan *plan, const struct oci_id_mapping_list *list,
		       struct id_map *ret, struct err *err)
{
	ret->at = plan_alloc(plan, (list->len + 1) * sizeof(*ret->at), err);
	if (!ret->at)
		return -1;
	for (ret->len = 0; ret->len < list->len; ret->len++) {
		const struct oci_id_mapping *m = &list->at[ret->len];

		ret->at[ret->len] = (struct id_range){ (uint32_t)m->container_id.value,
						       (uint32_t)m->host_id.value,
						       (uint32_t)m->size.value };
	}
	return 0;
}

/* The entry's own maps, else those of the container's user namespace (R34-R36). */
static int plan_idmap(struct plan *plan, const struct plan_input *in, const struct oci_mount *mount,
		      struct mount_plan *out, struct err *err)
{
	bool given = mount->uid_mappings.len || mount->gid_mappings.len;

	out->idmap |= given;
	if (!out->idmap)
		return 0;
	if (out->kind != MOUNT_BIND)
		return err_set(err, "%s: id-mapped mounts are only supported for bind mounts",
			       out->json_path);
	if (!in->privileged)
		return err_set(err,
			       "%s: id-mapped mounts need privileges that a rootless caller lacks",
			       out->json_path);
	if (given && (!mount->uid_mappings.len || !mount->gid_mappings.len))
		return err_set(err, "%s: uidMappings and gidMappings go together", out->json_path);
	if (given)
		return convert_map(plan, &mount->uid_mappings, &out->uid_map, err) < 0 ?
			       -1 :
			       convert_map(plan, &mount->gid_mappings, &out->gid_map, err);
	if (!ns_has_user(&plan->ns))
		return err_set(err,
			       "%s: idmap without mappings needs a user namespace to take them of",
			       out->json_path);
	out->uid_map = plan->idmap.uid;
	out->gid_map = plan->idmap.gid;
	return 0;
}

static bool is_procfs(const struct mount_plan *mount)
{
	struct statfs fs;

	if (mount->kind != MOUNT_BIND)
		return str_eq(mount->type, "proc");
	return statfs(mount->source, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

static int check_below_proc(const struct mount_plan *out, struct err *err)
{
	const char *path = out->destination;

	if (str_eq(path, "/proc") && !is_procfs(out))
		return err_set(err, "%s.destination: \"/proc\" takes nothing but a procfs",
			       out->json_path);
	if (!str_after(path, "/proc/") || str_eq(out->type, "proc"))
		return 0;
	if (out->kind == MOUNT_BIND && str_index(proc_files, path) >= 0)
		return 0;
	return err_set(err, "%s.destination: \"%s\" cannot be mounted because it is inside /proc",
		       out->json_path, path);
}

static int plan_mount(struct plan *plan, const struct plan_input *in, size_t i, struct err *err)
{
	const struct oci_mount *mount = &in->config->mounts.at[i];
	struct mount_plan *out = &plan->rootfs.mounts[i];
	struct mount_options options = { 0 };

	out->json_path = plan_printf(plan, err, "mounts[%zu]", i);
	if (!out->json_path)
		return -1;
	if (!*mount->destination)
		return err_set(err, "%s.destination: empty", out->json_path);
	out->destination = plan_destination(plan, mount->destination, err);
	if (!out->destination || read_options(plan, mount, &options, out, err) < 0)
		return -1;
	if (!options.bind && is_type(mount, "bind")) {
		log_warn(
			"config.json: %s: type bind without option bind or rbind: bound without what is mounted below",
			out->json_path);
		options.bind = true;
	}
	take_options(&options, out);
	if (options.bind)
		take_bind_flags(&options, out);
	if ((options.bind ? plan_bind(plan, in, mount, out, err) : plan_fs(plan, mount, out, err)) <
	    0)
		return -1;
	if (plan_idmap(plan, in, mount, out, err) < 0)
		return -1;
	return check_below_proc(out, err);
}

static int plan_paths(const struct str_list *list, const char *member, const char *const **ret,
		      size_t *ret_len, struct err *err)
{
	for (size_t i = 0; i < list->len; i++)
		if (list->at[i][0] != '/')
			return err_set(err, "linux.%s[%zu]: \"%s\" is not an absolute path", member,
				       i, list->at[i]);
	*ret = (const char *const *)list->at;
	*ret_len = list->len;
	return 0;
}

static int plan_linux(struct plan *plan, const struct oci_linux *linux_, struct err *err)
{
	/* By enum oci_propagation. */
	static const unsigned long propagations[] = {
		MS_PRIVATE,	     MS_SHARED,		 MS_SLAVE,	    MS_UNBINDABLE,
		MS_PRIVATE | MS_REC, MS_SHARED | MS_REC, MS_SLAVE | MS_REC, MS_UNBINDABLE | MS_REC,
	};
	struct rootfs_plan *out = &plan->rootfs;

	if (plan_paths(&linux_->masked_paths, "maskedPaths", &out->masked, &out->masked_len, err) <
		    0 ||
	    plan_paths(&linux_->readonly_paths, "readonlyPaths", &out->read_only_paths,
		       &out->read_only_paths_len, err) < 0)
		return -1;
	if ((out->masked_len || out->read_only_paths_len) && !out->own_mount_namespace)
		return err_set(
			err,
			"linux.maskedPaths, linux.readonlyPaths: unable to restrict paths without a private MNT namespace");
	if (linux_->rootfs_propagation.set)
		out->propagation = propagations[linux_->rootfs_propagation.value];
	if (linux_->mount_label && *linux_->mount_label && lsm_has_selinux())
		out->mount_label = linux_->mount_label;
	return 0;
}

static bool has_dev_bind(const struct rootfs_plan *rootfs)
{
	for (size_t i = 0; i < rootfs->mounts_len; i++)
		if (rootfs->mounts[i].kind == MOUNT_BIND &&
		    str_eq(rootfs->mounts[i].destination, "/dev"))
			return true;
	return false;
}

/* The socket's directory, where NOTIFY_SOCKET in the container points to (R258). */
static void add_notify(struct plan *plan, const struct plan_input *in)
{
	struct rootfs_plan *out = &plan->rootfs;

	if (!plan->proxies_notify)
		return;
	out->mounts[out->mounts_len++] = (struct mount_plan){
		.kind = MOUNT_BIND,
		.json_path = "NOTIFY_SOCKET",
		.source = in->notify_directory,
		.destination = "/run/notify",
		.type = "bind",
		.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
			    MOUNT_ATTR_NOEXEC,
	};
}

int plan_mounts(struct plan *plan, const struct plan_input *in, struct err *err)
{
	const struct oci_mount_list *list = &in->config->mounts;
	struct rootfs_plan *out = &plan->rootfs;

	if (plan_root(plan, in, err) < 0)
		return -1;
	out->own_mount_namespace = ns_is_private(&plan->ns, NS_MOUNT);
	out->own_user_namespace = ns_has_user(&plan->ns);
	out->privileged = in->privileged;
	out->no_pivot = in->no_pivot;
	out->cwd = plan->process.cwd;
	out->mounts = plan_alloc(plan, (list->len + 1) * sizeof(*out->mounts), err);
	if (!out->mounts)
		return -1;
	if (list->len && !out->own_mount_namespace)
		return err_set(err, "mounts: not possible without a private mount namespace");
	for (out->mounts_len = 0; out->mounts_len < list->len; out->mounts_len++)
		if (plan_mount(plan, in, out->mounts_len, err) < 0)
			return -1;
	out->make_devices = out->own_mount_namespace && !has_dev_bind(out);
	add_notify(plan, in);
	return in->config->linux_ ? plan_linux(plan, in->config->linux_, err) : 0;
}
