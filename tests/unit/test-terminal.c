/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Terminals: a pair of the host's own stands for that of a container; loopback of a namespace. */
#include "child.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>

#include "base/scope.h"
#include "host/net.h"
#include "host/tty.h"

struct pair_of_fds {
	int master, slave;
};

static struct pair_of_fds open_terminal(void)
{
	struct pair_of_fds made = { posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), -1 };

	assert_true(made.master >= 0);
	assert_int_equal(grantpt(made.master), 0);
	assert_int_equal(unlockpt(made.master), 0);
	made.slave = open(ptsname(made.master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(made.slave >= 0);
	return made;
}

static void close_terminal(struct pair_of_fds *made)
{
	(void)close(made->master);
	(void)close(made->slave);
}

static void assert_size(int fd, unsigned short rows, unsigned short columns)
{
	struct winsize size;

	assert_int_equal(ioctl(fd, TIOCGWINSZ, &size), 0);
	assert_int_equal(size.ws_row, rows);
	assert_int_equal(size.ws_col, columns);
}

static void test_sizes(void **state)
{
	struct pair_of_fds one = open_terminal(), two = open_terminal();
	autoclose int file = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct err err = { 0 };

	(void)state;
	assert_int_equal(tty_set_size(one.master, 24, 80, &err), 0);
	assert_size(one.slave, 24, 80);
	tty_copy_size(one.slave, two.master);
	assert_size(two.slave, 24, 80);
	assert_int_equal(tty_set_size(one.master, 65535, 0, &err), 0);
	assert_size(one.slave, 65535, 0);
	tty_copy_size(file, two.master);
	assert_size(two.slave, 24, 80);
	assert_int_equal(tty_set_size(file, 1, 1, &err), -1);
	assert_int_equal(err.code, ENOTTY);
	assert_memory_equal(err.text, "process.consoleSize: ", 21);
	close_terminal(&one);
	close_terminal(&two);
}

/* What a reader of @from gets of what is written to @to. */
static void assert_passes(int to, int from, const char *written, const char *want)
{
	char got[64];
	ssize_t n;

	assert_int_equal(write(to, written, strlen(written)), strlen(written));
	n = read(from, got, sizeof(got) - 1);
	assert_true(n >= 0);
	got[n] = '\0';
	assert_string_equal(got, want);
}

static void test_newlines(void **state)
{
	struct pair_of_fds made = open_terminal();
	autoclose int file = open("/dev/null", O_RDWR | O_CLOEXEC);

	(void)state;
	assert_passes(made.slave, made.master, "a\nb", "a\r\nb");
	tty_pass_newlines(made.master);
	assert_passes(made.slave, made.master, "a\nb", "a\nb");
	tty_pass_newlines(file); /* nothing to be done */
	close_terminal(&made);
}

/* Raw: each byte at once, no echo, no signal; but lines that are written still end with "\r\n". */
static void test_raw_mode(void **state)
{
	struct pair_of_fds made = open_terminal();
	autoclose int file = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct termios before, raw, after;

	(void)state;
	assert_int_equal(tcgetattr(made.slave, &before), 0);
	assert_true(tty_make_raw(made.slave));
	assert_int_equal(tcgetattr(made.slave, &raw), 0);
	assert_false(raw.c_lflag & (ICANON | ECHO | ISIG));
	assert_passes(made.master, made.slave, "\003x", "\003x");
	assert_passes(made.slave, made.master, "a\n", "a\r\n");
	tty_restore(made.slave);
	assert_int_equal(tcgetattr(made.slave, &after), 0);
	assert_int_equal(after.c_lflag, before.c_lflag);
	assert_int_equal(after.c_iflag, before.c_iflag);
	assert_int_equal(after.c_oflag, before.c_oflag);
	assert_false(tty_make_raw(file));
	close_terminal(&made);
}

static int listen_at(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(fd, 1), 0);
	return fd;
}

static void test_console_socket(void **state)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(4 * sizeof(int))];
	} control;
	char payload[64] = "";
	struct iovec data = { payload, sizeof(payload) };
	struct msghdr message = { .msg_iov = &data,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	struct pair_of_fds made = open_terminal();
	autoclose int listener = listen_at("console"), peer = -1;
	struct err err = { 0 };
	int got = -1;

	(void)state;
	assert_int_equal(tty_send_master("console", made.master, &err), 0);
	peer = accept(listener, NULL, NULL);
	assert_int_equal(recvmsg(peer, &message, 0), 9);
	assert_string_equal(payload, "/dev/ptmx");
	assert_int_equal(control.head.cmsg_type, SCM_RIGHTS);
	assert_int_equal(control.head.cmsg_len, CMSG_LEN(sizeof(int)));
	memcpy(&got, CMSG_DATA(&control.head), sizeof(got));
	assert_passes(made.slave, got, "through", "through");
	assert_int_equal(recvmsg(peer, &message, 0), 0); /* the connection is closed */
	(void)close(got);
	close_terminal(&made);
}

static void test_no_console_socket(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(tty_send_master("no/such", STDIN_FILENO, &err), -1);
	assert_int_equal(err.code, ENOENT);
	assert_memory_equal(err.text, "send the terminal to console socket no/such: ", 45);
	assert_int_equal(mknod("file", S_IFREG | 0600, 0), 0);
	assert_int_equal(tty_send_master("file", STDIN_FILENO, &err), -1);
	assert_int_equal(err.code, ECONNREFUSED);
}

static bool loopback_is_up(void)
{
	struct ifreq request = { .ifr_name = "lo" };
	autoclose int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	check(ioctl(fd, SIOCGIFFLAGS, &request) == 0);
	return request.ifr_flags & IFF_UP;
}

static void raise_loopback(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(address);
	struct err err = { 0 };
	int listener, peer;

	enter_namespaces(CLONE_NEWNET);
	check(!loopback_is_up());
	check_done(net_raise_loopback(&err), err);
	check(loopback_is_up());
	check_done(net_raise_loopback(&err), err); /* no harm in it */
	listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	check(bind(listener, (struct sockaddr *)&address, len) == 0 && listen(listener, 1) == 0);
	check(getsockname(listener, (struct sockaddr *)&address, &len) == 0);
	peer = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	check(connect(peer, (struct sockaddr *)&address, len) == 0);
}

static void test_loopback(void **state)
{
	(void)state;
	in_child(raise_loopback);
}

static void raise_without_privileges(void)
{
	struct err err = { 0 };

	enter_namespaces(CLONE_NEWNET);
	if (unshare(CLONE_NEWUSER) < 0) /* the network is not this one's */
		_exit(CHILD_SKIPS);
	check(net_raise_loopback(&err) == -1 && err.code == EPERM);
	check_text(err.text, "bring lo up: ");
}

static void test_loopback_without_privileges(void **state)
{
	(void)state;
	in_child(raise_without_privileges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_newlines),
		cmocka_unit_test(test_raw_mode),
		cmocka_unit_test(test_console_socket),
		cmocka_unit_test(test_no_console_socket),
		cmocka_unit_test(test_loopback),
		cmocka_unit_test(test_loopback_without_privileges),
	};

	return cmocka_run_group_tests(tests, enter_directory, remove_directory);
}
