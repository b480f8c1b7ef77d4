/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filters, loaded into children; the message that hands a listener on. */
#include "child.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "base/scope.h"
#include "host/seccomp.h"

/* @action for mkdirat, all else is allowed. */
#define FILTER(action)                                                                 \
	{                                                                              \
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)), \
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mkdirat, 0, 1),        \
			BPF_STMT(BPF_RET | BPF_K, action),                             \
			BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),                  \
	}

static void load_filter(void)
{
	struct sock_filter program[] = FILTER(SECCOMP_RET_ERRNO | EXDEV);
	const struct seccomp_plan plan = { .program = program, .len = ARRAY_LEN(program) };
	struct err err = { 0 };
	int notify_fd = 0;

	check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	check_done(seccomp_load_filter(&plan, &notify_fd, &err), err);
	check(notify_fd == -1);
	check(syscall(SYS_mkdirat, AT_FDCWD, "made", 0700) == -1 && errno == EXDEV);
	check(access("made", F_OK) < 0);
}

static void load_listener(void)
{
	struct sock_filter program[] = FILTER(SECCOMP_RET_USER_NOTIF);
	const struct seccomp_plan plan = { .program = program,
					   .len = ARRAY_LEN(program),
					   .notify = true };
	struct seccomp_notif *request = calloc(1, 512);
	struct seccomp_notif_resp answer = { .error = -EROFS };
	struct err err = { 0 };
	int notify_fd = -1;
	pid_t pid;

	check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	check_done(seccomp_load_filter(&plan, &notify_fd, &err), err);
	check(notify_fd >= 0 && fcntl(notify_fd, F_GETFD) & FD_CLOEXEC);
	pid = fork();
	if (!pid)
		_exit(syscall(SYS_mkdirat, AT_FDCWD, "made", 0700) == -1 && errno == EROFS ? 0 : 1);
	check(syscall(SYS_ioctl, notify_fd, SECCOMP_IOCTL_NOTIF_RECV, request) == 0);
	check(request->data.nr == SYS_mkdirat && (pid_t)request->pid == pid);
	answer.id = request->id;
	check(syscall(SYS_ioctl, notify_fd, SECCOMP_IOCTL_NOTIF_SEND, &answer) == 0);
	free(request);
	check(waitpid(pid, &(int){ 0 }, 0) == pid);
}

static void load_nonsense(void)
{
	struct sock_filter program[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 4096) };
	const struct seccomp_plan plan = { .program = program, .len = ARRAY_LEN(program) };
	struct err err = { 0 };
	int notify_fd = 0;

	check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	check(seccomp_load_filter(&plan, &notify_fd, &err) == -1 && err.code == EINVAL);
	check_text(err.text, "linux.seccomp: load the filter: ");
	check(notify_fd == -1);
}

static void test_load(void **state)
{
	(void)state;
	in_child(load_filter);
	in_child(load_listener);
	in_child(load_nonsense);
}

static void test_flags(void **state)
{
	(void)state;
	assert_true(seccomp_has_flag(SECCOMP_FILTER_FLAG_LOG));
	assert_true(seccomp_has_flag(SECCOMP_FILTER_FLAG_TSYNC));
	assert_true(seccomp_has_flag(SECCOMP_FILTER_FLAG_SPEC_ALLOW));
	assert_false(seccomp_has_flag(1U << 30));
}

static int listen_at(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(fd, 4), 0);
	return fd;
}

static void test_agent(void **state)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	char text[512] = "";
	struct iovec data = { text, sizeof(text) - 1 };
	struct msghdr message = { .msg_iov = &data,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	const struct seccomp_plan plan = { .listener_path = "agent",
					   .listener_metadata = "say \"x\"\n" };
	autoclose int listener = listen_at("agent"), peer = -1, sent = -1, got = -1;
	struct stat a, b;
	struct err err = { 0 };

	(void)state;
	sent = open(".", O_PATH | O_CLOEXEC);
	assert_int_equal(seccomp_send_listener(&plan, sent, 42, "{\"id\":\"x\"}", &err), 0);
	peer = accept(listener, NULL, NULL);
	assert_true(recvmsg(peer, &message, 0) > 0);
	assert_string_equal(text,
			    "{\"ociVersion\":\"1.3.0\",\"fds\":[\"seccompFd\"],\"pid\":42,"
			    "\"metadata\":\"say \\\"x\\\"\\u000a\",\"state\":{\"id\":\"x\"}}");
	assert_int_equal(control.head.cmsg_len, CMSG_LEN(sizeof(int)));
	memcpy(&got, CMSG_DATA(&control.head), sizeof(got));
	assert_true(fstat(sent, &a) == 0 && fstat(got, &b) == 0 && a.st_ino == b.st_ino);
}

static void test_no_agent(void **state)
{
	const struct seccomp_plan plan = { .listener_path = "/no/such" };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(seccomp_send_listener(&plan, STDIN_FILENO, 42, "{}", &err), -1);
	assert_int_equal(err.code, ENOENT);
	assert_non_null(strstr(err.text, "linux.seccomp.listenerPath: "));
	assert_non_null(strstr(err.text, "/no/such"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_load),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_agent),
		cmocka_unit_test(test_no_agent),
	};

	return cmocka_run_group_tests(tests, enter_directory, remove_directory);
}
