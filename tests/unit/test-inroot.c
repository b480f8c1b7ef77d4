/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Paths in a file tree that is not to be trusted: whatever it holds, nothing outside is touched. */
#include "child.h"

#include <linux/fs.h>
#include <limits.h>
#include <signal.h>
#include <sys/syscall.h>

#include "base/scope.h"
#include "host/inroot.h"

enum { RACES = 3000 };

/* "root" is the tree, "outside" what no link of it may reach. */
static int open_tree_root(void)
{
	int fd;

	(void)mkdir("outside", 0755);
	assert_int_equal(mkdir("root", 0755), 0);
	fd = open("root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static void link_in(int root_fd, const char *target, const char *name)
{
	assert_int_equal(symlinkat(target, root_fd, name), 0);
}

/* Removes the tree, and asserts that nothing has got out. */
static int leave_tree(void **state)
{
	(void)state;
	if (rmdir("outside") < 0)
		return -1; /* something was made in it */
	return system("rm -rf root") == 0 ? 0 : -1;
}

static void assert_opens(int root_fd, const char *path, const char *same)
{
	autoclose int fd = inroot_open(root_fd, path, O_PATH);
	struct stat a, b;

	if (fd < 0)
		fail_msg("%s: %s", path, strerror(-fd));
	assert_int_equal(fstat(fd, &a), 0);
	assert_int_equal(stat(same, &b), 0);
	assert_true(a.st_ino == b.st_ino && a.st_dev == b.st_dev);
}

static void test_links_stay_inside(void **state)
{
	autoclose int root_fd = open_tree_root();

	(void)state;
	assert_int_equal(mkdirat(root_fd, "dir", 0755), 0);
	link_in(root_fd, "/dir", "absolute");
	link_in(root_fd, "../../../../dir", "above");
	link_in(root_fd, "absolute/../above", "hops");
	link_in(root_fd, "self", "self");
	link_in(root_fd, "/outside", "gone");
	assert_opens(root_fd, "/", "root");
	assert_opens(root_fd, "../..", "root");
	assert_opens(root_fd, "absolute", "root/dir");
	assert_opens(root_fd, "/above/.", "root/dir");
	assert_opens(root_fd, "hops", "root/dir");
	assert_int_equal(inroot_open(root_fd, "self", O_PATH), -ELOOP);
	assert_int_equal(inroot_open(root_fd, "gone", O_PATH), -ENOENT);
	assert_int_equal(inroot_open(root_fd, "dir/none", O_PATH), -ENOENT);
}

static void test_plain_and_last(void **state)
{
	autoclose int root_fd = open_tree_root();
	autoclose int fd = -1;
	struct stat st;

	(void)state;
	assert_int_equal(mkdirat(root_fd, "dir", 0755), 0);
	link_in(root_fd, "dir", "link");
	fd = inroot_open_plain(root_fd, "/dir", O_PATH);
	assert_true(fd >= 0);
	assert_int_equal(inroot_open_plain(root_fd, "link", O_PATH), -ELOOP);
	assert_int_equal(inroot_open_plain(root_fd, "link/x", O_PATH), -ELOOP);
	(void)close(fd);
	fd = inroot_open_last(root_fd, "link");
	assert_true(fd >= 0 && fstat(fd, &st) == 0 && S_ISLNK(st.st_mode));
}

/* /proc/self/root and its like lead out of any tree. */
static void test_magic_links(void **state)
{
	autoclose int root_fd = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_true(root_fd >= 0);
	assert_int_equal(inroot_open(root_fd, "root/tmp", O_PATH), -ELOOP);
	assert_int_equal(inroot_open(root_fd, "cwd", O_PATH), -ELOOP);
	assert_int_equal(inroot_make_directory(root_fd, "root/tmp", NULL), -ELOOP);
}

static void assert_makes(int root_fd, const char *path, bool made, const char *result)
{
	bool new = !made;
	autoclose int fd = inroot_make_directory(root_fd, path, &new);
	struct stat a, b;

	if (fd < 0)
		fail_msg("%s: %s", path, strerror(-fd));
	assert_int_equal(new, made);
	assert_true(fstat(fd, &a) == 0 && stat(result, &b) == 0 && a.st_ino == b.st_ino);
	assert_true(S_ISDIR(a.st_mode));
}

static void test_directories(void **state)
{
	autoclose int root_fd = open_tree_root();
	mode_t mask = umask(022);

	(void)state;
	link_in(root_fd, "/real/deep", "dangling");
	link_in(root_fd, "dangling/more", "twice");
	link_in(root_fd, "../../up", "up-link");
	assert_makes(root_fd, "/a/b/c", true, "root/a/b/c");
	assert_makes(root_fd, "a/b/c", false, "root/a/b/c");
	assert_makes(root_fd, "a//b/./d/", true, "root/a/b/d");
	assert_makes(root_fd, "dangling/x", true, "root/real/deep/x");
	assert_makes(root_fd, "twice", false, "root/real/deep/more");
	assert_makes(root_fd, "up-link/x", true, "root/up/x");
	assert_makes(root_fd, "../../above", true, "root/above");
	assert_makes(root_fd, "", false, "root");
	(void)umask(mask);
}

static void test_what_cannot_be_a_directory(void **state)
{
	autoclose int root_fd = open_tree_root();
	char path[2 * PATH_MAX];

	(void)state;
	assert_int_equal(mknodat(root_fd, "file", S_IFREG | 0644, 0), 0);
	link_in(root_fd, "b", "a");
	link_in(root_fd, "a", "b");
	assert_int_equal(inroot_make_directory(root_fd, "file", NULL), -ENOTDIR);
	assert_int_equal(inroot_make_directory(root_fd, "file/x", NULL), -ENOTDIR);
	assert_int_equal(inroot_make_directory(root_fd, "a", NULL), -ELOOP);
	assert_int_equal(inroot_make_directory(root_fd, "a/x", NULL), -ELOOP);
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(inroot_make_directory(root_fd, path, NULL), -ENAMETOOLONG);
	for (size_t i = 100; i < sizeof(path); i += 100)
		path[i] = '/';
	assert_int_equal(inroot_make_directory(root_fd, path, NULL), -ENAMETOOLONG);
}

static void test_files(void **state)
{
	autoclose int root_fd = open_tree_root();
	autoclose int fd = -1;
	mode_t mask = umask(022);
	struct stat st;

	(void)state;
	link_in(root_fd, "/missing/dir/file", "dangling");
	link_in(root_fd, "../../../outside/file", "above");
	fd = inroot_make_file(root_fd, "/a/b/file");
	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	assert_true(S_ISREG(st.st_mode) && st.st_size == 0 && (st.st_mode & 07777) == 0644);
	assert_int_equal(stat("root/a/b", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	(void)close(fd);
	fd = inroot_make_file(root_fd, "dangling");
	assert_true(fd >= 0);
	assert_int_equal(access("root/missing/dir/file", F_OK), 0);
	(void)close(fd);
	fd = inroot_make_file(root_fd, "above");
	assert_true(fd >= 0);
	assert_int_equal(access("root/outside/file", F_OK), 0);
	(void)close(fd);
	fd = inroot_make_file(root_fd, "a/b"); /* what is there is taken as it is */
	assert_true(fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode));
	assert_int_equal(inroot_make_file(root_fd, "new/"), -EINVAL);
	(void)umask(mask);
}

static void test_parents(void **state)
{
	autoclose int root_fd = open_tree_root();
	autoclose int fd = -1;
	const char *name;

	(void)state;
	fd = inroot_make_parent(root_fd, "/a/b/name", &name);
	assert_true(fd >= 0);
	assert_string_equal(name, "name");
	assert_int_equal(access("root/a/b/name", F_OK), -1);
	assert_int_equal(access("root/a/b", F_OK), 0);
	assert_int_equal(inroot_make_parent(root_fd, "/a/", &name), -EINVAL);
	assert_int_equal(inroot_make_parent(root_fd, "", &name), -EINVAL);
}

static _Noreturn void exchange_for_ever(void)
{
	for (;;)
		(void)syscall(SYS_renameat2, AT_FDCWD, "root/dir", AT_FDCWD, "root/link",
			      RENAME_EXCHANGE);
}

/* A directory becomes a link that leads out and one again while paths are made below it. */
static void test_race(void **state)
{
	autoclose int root_fd = open_tree_root();
	char path[64];
	unsigned made = 0;
	pid_t pid;

	(void)state;
	assert_int_equal(mkdirat(root_fd, "dir", 0755), 0);
	link_in(root_fd, "../outside", "link");
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		exchange_for_ever();
	for (int i = 0; i < RACES; i++) {
		autoclose int fd = -1;

		(void)snprintf(path, sizeof(path), "dir/x%d/y", i);
		fd = i % 2 ? inroot_make_directory(root_fd, path, NULL) :
			     inroot_make_file(root_fd, path);
		made += fd >= 0;
	}
	(void)kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(made > 0); /* that none of it is outside, leave_tree() asserts */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_links_stay_inside, leave_tree),
		cmocka_unit_test_teardown(test_plain_and_last, leave_tree),
		cmocka_unit_test(test_magic_links),
		cmocka_unit_test_teardown(test_directories, leave_tree),
		cmocka_unit_test_teardown(test_what_cannot_be_a_directory, leave_tree),
		cmocka_unit_test_teardown(test_files, leave_tree),
		cmocka_unit_test_teardown(test_parents, leave_tree),
		cmocka_unit_test_teardown(test_race, leave_tree),
	};

	return cmocka_run_group_tests(tests, enter_directory, remove_directory);
}
