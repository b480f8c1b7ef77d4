/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* linux.devices and the default ones (R117-R122). */
#include "plan/plan.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"

static const struct {
	const char *path;
	unsigned major, minor;
} defaults[] = {
	{ "/dev/null", 1, 3 },	 { "/dev/zero", 1, 5 },	   { "/dev/full", 1, 7 },
	{ "/dev/random", 1, 8 }, { "/dev/urandom", 1, 9 }, { "/dev/tty", 5, 0 },
};

static mode_t type_of(const char *type)
{
	if (str_eq(type, "c") || str_eq(type, "u"))
		return S_IFCHR;
	return str_eq(type, "b") ? S_IFBLK : str_eq(type, "p") ? S_IFIFO : 0;
}

static int plan_device(struct plan *plan, const struct oci_device *device, size_t i,
		       struct err *err)
{
	struct device_plan *out = &plan->rootfs.devices[plan->rootfs.devices_len];
	mode_t type = type_of(device->type);
	bool numbered = device->major.set && device->minor.set;

	if (!type)
		return err_set(err,
			       "linux.devices[%zu].type: unknown value \"%s\"; known: c, b, u, p",
			       i, device->type);
	if (device->path[0] != '/')
		return err_set(err, "linux.devices[%zu].path: \"%s\" is not an absolute path", i,
			       device->path);
	if (type != S_IFIFO && !numbered)
		return err_set(err, "linux.devices[%zu]: major and minor are required", i);
	if (numbered && (device->major.value < 0 || device->major.value > 0xfff ||
			 device->minor.value < 0 || device->minor.value > 0xfffff))
		return err_set(err, "linux.devices[%zu]: there is no device %" PRId64 ":%" PRId64,
			       i, device->major.value, device->minor.value);
	*out = (struct device_plan){
		.json_path = plan_printf(plan, err, "linux.devices[%zu]", i),
		.path = path_clean(plan_copy(plan, device->path, err)),
		.mode = type |
			(device->file_mode.set ? (mode_t)device->file_mode.value & 07777 : 0666),
		.number = makedev((unsigned)device->major.value, (unsigned)device->minor.value),
		.uid = (uid_t)device->uid.value,
		.gid = (gid_t)device->gid.value,
	};
	plan->rootfs.devices_len++;
	return out->json_path && out->path ? 0 : -1;
}

static bool is_planned(const struct rootfs_plan *rootfs, const char *path)
{
	for (size_t i = 0; i < rootfs->devices_len; i++)
		if (str_eq(rootfs->devices[i].path, path))
			return true;
	return false;
}

static void add_defaults(struct rootfs_plan *out)
{
	for (size_t i = 0; i < ARRAY_LEN(defaults); i++)
		if (!is_planned(out, defaults[i].path))
			out->devices[out->devices_len++] = (struct device_plan){
				.path = defaults[i].path,
				.mode = S_IFCHR | 0666,
				.number = makedev(defaults[i].major, defaults[i].minor),
			};
}

int plan_devices(struct plan *plan, const struct plan_input *in, struct err *err)
{
	const struct oci_linux *linux_ = in->config->linux_;
	size_t given = linux_ ? linux_->devices.len : 0;
	struct rootfs_plan *out = &plan->rootfs;

	if (given && !out->own_mount_namespace)
		return err_set(err,
			       "linux.devices: not possible without a private mount namespace");
	out->devices = plan_alloc(plan, (given + ARRAY_LEN(defaults)) * sizeof(*out->devices), err);
	for (size_t i = 0; out->devices && i < given; i++) {
		if (str_eq(linux_->devices.at[i].path, "/dev/ptmx"))
			continue; /* a link to the container's own, always (R119) */
		if (plan_device(plan, &linux_->devices.at[i], i, err) < 0)
			return -1;
	}
	if (out->devices && out->make_devices)
		add_defaults(out);
	return out->devices ? 0 : -1;
}
