/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A container's file tree, built in a mount namespace of a child, by root or in a user
 * namespace, and looked at from the inside.
 */
#include "child.h"

#include <dirent.h>
#include <limits.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include "base/scope.h"
#include "base/str.h"
#include "base/sys.h"
#include "host/inroot.h"
#include "host/mount.h"
#include "host/rootfs.h"

#define PATH_OF(name) path_of(name, (char[PATH_MAX]){ 0 })

static const char *path_of(const char *name, char path[PATH_MAX])
{
	(void)snprintf(path, PATH_MAX, "%s/%s", test_directory, name);
	return path;
}

/* What every tree has. */
static int make_tree(void **state)
{
	static const char *const directories[] = { "tree",	 "tree/dev", "tree/tmp",
						   "tree/var",	 "tree/ro",  "tree/secret",
						   "tree/place", "data",     "data/sub" };

	if (enter_directory(state) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(directories); i++)
		if (mkdir(directories[i], 0755) < 0)
			return -1;
	put("tree/var/original", "original");
	put("tree/secret/key", "key");
	put("tree/secret-file", "key");
	put("tree/file", "file");
	put("data/inside", "inside");
	return chmod("tree/tmp", 01777) < 0 || chmod("tree/var", 0751) < 0 ||
			       symlink("../../../place", "tree/link") < 0 ||
			       symlink("inside", "data/link") < 0 ?
		       -1 :
		       0;
}

static struct rootfs live = { .root_fd = -1, .null_fd = -1, .console_fd = -1 };

/* In the child: the tree of @plan with all that is mounted in it. */
static void build(struct rootfs_plan *plan)
{
	struct err err = { 0 };

	plan->path = strdup(PATH_OF("tree"));
	plan->own_mount_namespace = true;
	plan->own_user_namespace = geteuid() != 0;
	plan->cwd = "/";
	enter_namespaces(CLONE_NEWNS);
	check_done(rootfs_open_sources(plan, &live, &err), err);
	check_done(rootfs_make_private(plan, &live, &err), err);
	check_done(rootfs_attach(plan, &live, &err), err);
	check_done(rootfs_mount_all(plan, &live, &err), err);
}

static void enter(const struct rootfs_plan *plan)
{
	struct err err = { 0 };

	check_done(rootfs_finish(plan, &live, &err), err);
	check_done(rootfs_pivot(plan, &live, &err), err);
	rootfs_release(&live);
}

static bool is_refused(const char *path, int code)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	return fd < 0 && errno == code;
}

static void check_file(const char *path, const char *want)
{
	char text[64];

	get(path, text, sizeof(text));
	check_text(text, want);
	check(strlen(text) == strlen(want));
}

static bool is_empty(const char *path)
{
	DIR *directory = opendir(path);
	size_t names = 0;

	check(directory != NULL);
	while (readdir(directory))
		names++;
	(void)closedir(directory);
	return names == 2;
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	check_at(stat(path, &st) == 0, path, __LINE__);
	return st.st_mode & 07777;
}

static unsigned long flags_of(const char *path)
{
	struct statvfs fs;

	check_at(statvfs(path, &fs) == 0, path, __LINE__);
	return fs.f_flag;
}

#define TMPFS(at)                                                                       \
	.kind = MOUNT_FS, .json_path = "mounts[0]", .type = "tmpfs", .source = "tmpfs", \
	.destination = at
#define BIND(from, at)                                                                \
	.kind = MOUNT_BIND, .json_path = "mounts[1]", .type = "bind", .source = from, \
	.destination = at

static void see_mounts(void)
{
	struct mount_datum mode = { "mode", "700" };
	struct mount_plan mounts[] = {
		{ TMPFS("/tmp"), .attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV },
		{ TMPFS("/new/deep"), .data = &mode, .data_len = 1, .has_mode = true },
		{ TMPFS("/var"), .copy_up = true },
		{ BIND(strdup(PATH_OF("data")), "/data"), .recursive = true,
		  .recursive_set = MOUNT_ATTR_RDONLY, .attr_set = MOUNT_ATTR_NOEXEC },
		{ BIND(strdup(PATH_OF("data/inside")), "/etc/bound") },
		{ TMPFS("/link/below") },
	};
	struct rootfs_plan plan = { .mounts = mounts, .mounts_len = ARRAY_LEN(mounts) };

	build(&plan);
	enter(&plan);
	check(access(test_directory, F_OK) < 0);
	check(mode_of("/tmp") == 01777 &&
	      (flags_of("/tmp") & (ST_NOSUID | ST_NODEV)) == (ST_NOSUID | ST_NODEV));
	check(mode_of("/new/deep") == 0700 && mode_of("/new") == 0755);
	check(mode_of("/var") == 0751);
	check_file("/var/original", "original");
	put("/var/new", "new");
	check_file("/data/inside", "inside");
	check(is_refused("/data/x", EROFS) && is_refused("/data/sub/x", EROFS));
	check(flags_of("/data") & ST_NOEXEC);
	check_file("/etc/bound", "inside");
	check(is_empty("/place/below")); /* where the link leads in this tree */
	put("/place/below/x", "x");
	put("/written", "to the tree");
}

static void test_mounts(void **state)
{
	(void)state;
	in_child(see_mounts);
	assert_int_equal(access("tree/var/new", F_OK), -1);
	assert_int_equal(access("tree/place/below/x", F_OK), -1);
	assert_int_equal(access("tree/written", F_OK), 0);
	assert_int_equal(access("data/x", F_OK), -1);
}

static void see_masks(void)
{
	static const char *const masked[] = { "/secret", "/secret-file", "/none", "/secret" };
	static const char *const read_only[] = { "/ro", "/none" };
	struct rootfs_plan plan = { .masked = masked,
				    .masked_len = ARRAY_LEN(masked),
				    .read_only_paths = read_only,
				    .read_only_paths_len = ARRAY_LEN(read_only) };

	build(&plan);
	enter(&plan);
	check(is_empty("/secret") && is_refused("/secret/x", EROFS));
	check_file("/secret-file", "");
	check(is_refused("/ro/x", EROFS));
	check(access("/none", F_OK) < 0);
	put("/place/x", "x");
}

static void see_read_only_root(void)
{
	struct mount_plan mounts[] = { { TMPFS("/tmp") } };
	struct rootfs_plan plan = { .mounts = mounts, .mounts_len = 1, .read_only = true };

	build(&plan);
	enter(&plan);
	check(flags_of("/") & ST_RDONLY && is_refused("/x", EROFS));
	put("/tmp/x", "x");
}

static void test_masks(void **state)
{
	(void)state;
	in_child(see_masks);
	in_child(see_read_only_root);
	assert_int_equal(access("tree/secret/key", F_OK), 0);
}

/* What is mounted on "/" hides the tree, and what follows lies on top of it. */
static void see_new_root(void)
{
	struct mount_plan mounts[] = { { TMPFS("/") }, { BIND(strdup(PATH_OF("data")), "/data") } };
	struct rootfs_plan plan = { .mounts = mounts, .mounts_len = ARRAY_LEN(mounts) };

	build(&plan);
	enter(&plan);
	check(access("/file", F_OK) < 0);
	check_file("/data/inside", "inside");
}

static void test_mount_on_the_root(void **state)
{
	(void)state;
	in_child(see_new_root);
	assert_int_equal(access("tree/data/inside", F_OK), -1);
}

static void see_devices(void)
{
	struct mount_plan mounts[] = { { TMPFS("/dev") } };
	struct device_plan devices[] = {
		{ .path = "/dev/null", .mode = S_IFCHR | 0666, .number = makedev(1, 3) },
		{ .path = "/dev/deep/pipe",
		  .json_path = "linux.devices[0]",
		  .mode = S_IFIFO | 0620 },
	};
	struct rootfs_plan plan = { .mounts = mounts,
				    .mounts_len = 1,
				    .make_devices = true,
				    .devices = devices,
				    .devices_len = ARRAY_LEN(devices) };
	struct err err = { 0 };
	struct stat st;
	char target[64] = "";

	build(&plan);
	check_done(rootfs_make_devices(&plan, &live, &err), err);
	enter(&plan);
	check(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3));
	check_file("/dev/null", "");
	check(stat("/dev/deep/pipe", &st) == 0 && S_ISFIFO(st.st_mode));
	check((st.st_mode & 07777) == 0620);
	check(readlink("/dev/fd", target, sizeof(target) - 1) > 0 &&
	      str_eq(target, "/proc/self/fd"));
}

static void test_devices(void **state)
{
	(void)state;
	in_child(see_devices);
	assert_int_equal(access("tree/dev/null", F_OK), -1);
}

static void see_console(void)
{
	struct mount_datum data[] = { { "newinstance", NULL }, { "ptmxmode", "0666" } };
	struct mount_plan mounts[] = {
		{ TMPFS("/dev") },
		{ .kind = MOUNT_FS,
		  .json_path = "mounts[1]",
		  .type = "devpts",
		  .source = "devpts",
		  .destination = "/dev/pts",
		  .data = data,
		  .data_len = ARRAY_LEN(data) },
	};
	struct rootfs_plan plan = { .mounts = mounts, .mounts_len = ARRAY_LEN(mounts) };
	struct err err = { 0 };
	char text[16] = "";
	int master_fd, console;

	build(&plan);
	check_done(rootfs_open_console(&plan, &live, &master_fd, &err), err);
	check(fcntl(master_fd, F_GETFD) & FD_CLOEXEC);
	enter(&plan);
	console = open("/dev/console", O_RDWR | O_NOCTTY);
	check(console >= 0 && isatty(console) && access("/dev/pts/0", F_OK) == 0);
	check(write(console, "hello", 5) == 5);
	check(read(master_fd, text, sizeof(text)) == 5 && str_eq(text, "hello"));
}

static void test_console(void **state)
{
	(void)state;
	in_child(see_console);
}

static void see_links(void)
{
	const char *link = strdup(PATH_OF("data/link"));
	struct mount_plan mounts[] = {
		{ BIND(link, "/followed") },
		{ BIND(link, "/copied"), .copy_symlink = true },
		{ BIND(strdup(PATH_OF("data/inside")), "/copied-file"), .copy_symlink = true },
	};
	struct rootfs_plan plan = { .mounts = mounts, .mounts_len = ARRAY_LEN(mounts) };
	char target[64] = "";

	build(&plan);
	enter(&plan);
	check_file("/followed", "inside");
	check(readlink("/copied", target, sizeof(target) - 1) > 0 && str_eq(target, "inside"));
	check_file("/copied-file", "inside");
}

static void test_links(void **state)
{
	(void)state;
	in_child(see_links);
}

static void see_id_map(void)
{
	struct id_range range = { 0, 4000, 10 };
	struct mount_plan mounts[] = {
		{ BIND(strdup(PATH_OF("mapped")), "/mapped"), .idmap = true,
		  .uid_map = { &range, 1 }, .gid_map = { &range, 1 } },
	};
	struct rootfs_plan plan = { .mounts = mounts, .mounts_len = ARRAY_LEN(mounts) };
	struct stat st;

	if (geteuid() != 0 || mkdir("mapped", 0755) < 0)
		_exit(CHILD_SKIPS); /* only root of the host may */
	enter_namespaces(CLONE_NEWNS);
	check(mount("tmpfs", "mapped", "tmpfs", 0, "mode=755") == 0);
	put("mapped/file", "mapped");
	build(&plan);
	enter(&plan);
	check(stat("/mapped/file", &st) == 0 && st.st_uid == 4000 && st.st_gid == 4000);
}

static void test_id_map(void **state)
{
	(void)state;
	in_child(see_id_map);
}

static const struct refusal {
	struct mount_plan mount;
	const char *text;
} refusals[] = {
	{ { BIND("/no/such", "/x") }, "mounts[1].source: /no/such: " },
	{ { TMPFS("/file/below") }, "mounts[0].destination: /file/below: " },
	{ { BIND("/usr", "/file") }, "mounts[1].destination: /file: " },
	{ { BIND("/etc/passwd", "/place") }, "mounts[1]: attach /place: " },
	{ { TMPFS("/x"), .data = &(struct mount_datum){ "size", "many" }, .data_len = 1 },
	  "mounts[0]: mount tmpfs at /x (" },
	{ { TMPFS("/x"), .data = &(struct mount_datum){ "nosuchoption", NULL }, .data_len = 1 },
	  "nosuchoption" },
	{ { .kind = MOUNT_FS, .json_path = "mounts[2]", .type = "nosuchfs", .destination = "/x" },
	  "mounts[2].type: nosuchfs: " },
	{ { .kind = MOUNT_FS,
	    .json_path = "mounts[3]",
	    .type = "proc",
	    .destination = "/link",
	    .plain_destination = true },
	  "mounts[3].destination: /link of type proc must be mounted on ordinary directory" },
	{ { .kind = MOUNT_FS,
	    .json_path = "mounts[3]",
	    .type = "proc",
	    .destination = "/file",
	    .plain_destination = true },
	  "mounts[3].destination: /file of type proc must be mounted on ordinary directory" },
};

static void see_refusals(void)
{
	struct rootfs_plan plan = { 0 };

	build(&plan);
	for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
		struct mount_plan mount = refusals[i].mount;
		struct err err = { 0 };

		plan.mounts = &mount;
		plan.mounts_len = 1;
		check_at(rootfs_mount_all(&plan, &live, &err) == -1, refusals[i].text, __LINE__);
		check_text(err.text, refusals[i].text);
	}
}

static void test_refusals(void **state)
{
	(void)state;
	in_child(see_refusals);
}

static void test_no_tree(void **state)
{
	struct rootfs_plan plan = { .path = PATH_OF("none") };
	struct rootfs none = ROOTFS_NONE;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(rootfs_open_sources(&plan, &none, &err), -1);
	assert_memory_equal(err.text, "root.path: ", 11);
	assert_int_equal(err.code, ENOENT);
	plan.path = PATH_OF("tree/file");
	assert_int_equal(rootfs_open_sources(&plan, &none, &err), -1);
	assert_non_null(strstr(err.text, "is not a directory"));
	rootfs_release(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mounts),
		cmocka_unit_test(test_masks),
		cmocka_unit_test(test_mount_on_the_root),
		cmocka_unit_test(test_devices),
		cmocka_unit_test(test_console),
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_id_map),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_no_tree),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_directory);
}
