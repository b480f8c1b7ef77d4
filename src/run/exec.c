/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * exec: a shorter score over the same steps.  The process is born in the
 * container's cgroup and pid namespace and joins the others with one setns(2) on
 * init's pidfd.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/scope.h"
#include "base/str.h"
#include "base/userns.h"
#include "plan/bundle.h"
#include "plan/exec-cgroup.h"
#include "plan/plan-exec.h"
#include "run/container.h"
#include "run/create.h"
#include "run/foreground.h"
#include "run/start.h"
#include "run/steps.h"

static int step_exec_cgroup(struct play *play, struct err *err);

static const struct step exec_steps[] = {
	{ RUNTIME, "set-initial-affinity", step_affinity_initial, NULL, step_has_affinity },
	{ RUNTIME, "open-cgroup", step_exec_cgroup },
	{ RUNTIME, "spawn-init", step_spawn_init, undo_spawn_init },
	{ RUNTIME, "raise-rlimits", step_raise_rlimits, NULL, step_raises_rlimits },
	{ RUNTIME, "set-oom-score", step_set_oom_score, NULL, step_has_oom_score },
	{ INIT, "set-affinity", step_affinity_final },
	{ INIT, "open-proc", step_open_proc, NULL, step_has_labels },
	{ INIT, "join-namespaces", step_join_target },
	{ INIT, "become-namespace-root", step_become_root, NULL, step_has_user },
	{ INIT, "fork-init", step_fork_init, NULL, play_is_staged },
	{ RUNTIME, "adopt-init", step_adopt_init, NULL, play_is_staged },
	{ INIT, "new-session", step_new_session },
	{ INIT, "join-keyring", step_join_keyring, NULL, step_has_keyring },
	{ INIT, "open-terminal", step_open_terminal, NULL, step_has_terminal },
	{ RUNTIME, "send-console", step_receive_console, NULL, step_has_terminal },
	{ INIT, "take-terminal", step_take_terminal, NULL, step_has_terminal },
	{ INIT, "set-schedule", step_set_schedule },
	{ INIT, "set-labels", step_set_labels, NULL, step_has_labels },
	{ INIT, "reset-signals", step_reset_signals },
	{ INIT, "close-descriptors", step_close_fds },
	{ INIT, "set-rlimits", step_set_rlimits, NULL, step_has_rlimits },
	{ INIT, "load-seccomp", step_load_seccomp, NULL, step_seccomp_early },
	{ RUNTIME, "send-seccomp", step_send_seccomp, NULL, step_seccomp_early_notify },
	{ INIT, "become-user", step_become_user },
	{ INIT, "find-program", step_find_program },
	{ INIT, "load-seccomp-notify", step_load_seccomp, NULL, step_seccomp_notify_late },
	{ RUNTIME, "send-seccomp-notify", step_send_seccomp, NULL, step_seccomp_notify_late },
	{ RUNTIME, "write-pid-file", step_write_pid_file, undo_write_pid_file, step_has_pid_file },
	{ RUNTIME, "send-pidfd", step_send_pidfd, NULL, step_has_pidfd_socket },
	{ INIT, "commit", step_commit },
	{ RUNTIME, "release-init", step_release_init },
	{ INIT, "part-from-runtime", step_part },
	{ INIT, "load-seccomp-last", step_load_seccomp, NULL, step_seccomp_last },
	{ INIT, "exec", step_exec },
};

const struct score exec_score = { "exec", exec_steps, ARRAY_LEN(exec_steps) };

struct execution {
	struct container container;
	struct oci_config config; /* the container's with the process to run */
	struct oci_process process;
	struct plan plan;
	struct play play;
	struct foreground foreground;
	char *cgroup;  /* --cgroup below the container's, NULL: not given */
	int result_fd; /* where init tells why it could not execute the program */
	bool began;
};

/* --cgroup: that one and no other, "/" being the container's own. */
static int open_asked_cgroup(struct play *play, struct err *err)
{
	const struct record *record = &play->record;
	autofree char *path = NULL;

	if (!record->cgroup_path)
		return err_set(err, "--cgroup: the container has no cgroup");
	if (str_eq(play->exec_cgroup, "/"))
		return cgroup_open(record->cgroup_path, record->cgroup_inode.value, &play->cgroup,
				   err);
	path = str_printf("%s%s", record->cgroup_path, play->exec_cgroup);
	return path ? cgroup_open(path, 0, &play->cgroup, err) : err_errno(err, ENOMEM, "exec");
}

/*
 * The container's cgroup, or init's own when that one is gone or has its controllers passed on to
 * cgroups below, where init has moved (R242).
 */
static int step_exec_cgroup(struct play *play, struct err *err)
{
	const struct record *record = &play->record;
	autofree char *path = NULL;
	struct err why;

	if (play->exec_cgroup)
		return open_asked_cgroup(play, err);
	if (!record->cgroup_path)
		return 0;
	if (cgroup_open(record->cgroup_path, record->cgroup_inode.value, &play->cgroup, &why) ==
		    0 &&
	    cgroup_takes_processes(&play->cgroup))
		return 0;
	if (cgroup_of_process(play->target_pid, &path, err) < 0)
		return -1;
	cgroup_close(&play->cgroup);
	return cgroup_open(path, 0, &play->cgroup, err);
}

static int check_executable(const struct container *container, bool ignore_paused, struct err *err)
{
	switch (container->status) {
	case STATUS_STOPPED:
		return err_set(err, "cannot exec in a stopped container");
	case STATUS_CREATING:
		return err_set(err, "cannot exec in a container that is being created");
	case STATUS_PAUSED:
		return ignore_paused ?
			       0 :
			       err_set(err,
				       "cannot exec in a paused container (use --ignore-paused to override)");
	default:
		return 0;
	}
}

static int make_process(struct execution *e, const struct exec_options *options, struct err *err)
{
	struct oci_config *config = container_config(&e->container, err);
	struct exec_request request = {
		.args = options->args,
		.cwd = options->cwd,
		.user = options->user,
		.apparmor = options->apparmor,
		.label = options->process_label,
		.env = options->env,
		.caps = options->caps,
		.gids = options->additional_gids,
		.tty = options->tty,
		.no_new_privs = options->no_new_privs,
	};

	if (!config)
		return -1;
	if (options->process_file) {
		request.given = document_read(&oci_process_desc, options->process_file,
					      &e->container.arena, err);
		if (!request.given)
			return -1;
	}
	if (plan_exec_process(&e->container.arena, config->process, &request, &e->process, err) < 0)
		return -1;
	e->config = *config;
	e->config.process = &e->process;
	return 0;
}

static int check_terminal(const struct oci_process *process, const struct exec_options *options,
			  struct err *err)
{
	if (process->terminal.value && options->detach && !options->console_socket)
		return err_set(
			err,
			"cannot allocate tty if rung will detach without setting console socket: use --console-socket");
	if (options->console_socket && !process->terminal.value)
		return err_set(err, "cannot use console socket if rung will not allocate tty");
	return 0;
}

static int open_result(struct execution *e, struct err *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_errno(err, errno, "pipe");
	e->result_fd = ends[0];
	e->play.result_fd = ends[1];
	return 0;
}

static int plan_execution(struct execution *e, const struct run_context *ctx,
			  const struct exec_options *options, struct err *err)
{
	autofree char *cache = str_printf("%s/.seccomp", ctx->root);
	const struct plan_input in = {
		.config = &e->config,
		.id = options->id,
		.bundle = e->container.record.bundle,
		.seccomp_cache = cache,
		.preserve_fds = options->preserve_fds,
		.privileged = userns_is_initial_root(),
	};

	if (plan_make_exec(&e->plan, &in, err) < 0)
		return -1;
	e->play = (struct play){
		.plan = &e->plan,
		.ctx = ctx,
		.score = &exec_score,
		.pid_file = options->pid_file,
		.console_socket = options->console_socket,
		.pidfd_socket = options->pidfd_socket,
		.exec_cgroup = e->cgroup,
		.target_pid = (pid_t)e->container.record.pid.value,
		.target_fd = e->container.pid_fd,
	};
	if (play_begin(&e->play, err) < 0)
		return -1;
	e->play.record = e->container.record;
	e->began = true;
	return open_result(e, err);
}

/* Plays, and waits until the program has been executed: init's end closes at that moment. */
static int play_execution(struct execution *e, struct err *err)
{
	if (play_runtime(&e->play, err) < 0)
		return -1;
	(void)close(take_fd(&e->play.result_fd));
	if (start_read_result(e->result_fd, err) == 0)
		return 0;
	score_undo(&exec_score, &e->play);
	return -1;
}

static int run(struct execution *e, const struct run_context *ctx,
	       const struct exec_options *options, int *ret_status, struct err *err)
{
	if (preserved_check(options->preserve_fds, err) < 0 ||
	    container_open(ctx, options->id, STORE_UNLOCKED, &e->container, err) < 0 ||
	    check_executable(&e->container, options->ignore_paused, err) < 0 ||
	    plan_exec_cgroup(&e->container.arena, &options->cgroups, &e->cgroup, err) < 0 ||
	    make_process(e, options, err) < 0 || check_terminal(&e->process, options, err) < 0 ||
	    plan_execution(e, ctx, options, err) < 0)
		return -1;
	if (!options->detach && foreground_prepare(&e->foreground, false, err) < 0)
		return -1;
	if (play_execution(e, err) < 0)
		return -1;
	*ret_status = 0;
	if (options->detach)
		return 0;
	return foreground_wait(&e->foreground, e->play.init_pid, e->play.master_fd, ret_status,
			       err);
}

int run_exec(const struct run_context *ctx, const struct exec_options *options, int *ret_status,
	     struct err *err)
{
	struct execution e = { .container = CONTAINER_NONE,
			       .foreground = FOREGROUND_NONE,
			       .result_fd = -1 };
	int result = run(&e, ctx, options, ret_status, err);

	if (e.began)
		play_end(&e.play);
	foreground_done(&e.foreground);
	if (e.result_fd >= 0)
		(void)close(e.result_fd);
	plan_free(&e.plan);
	container_close(&e.container);
	return result;
}
