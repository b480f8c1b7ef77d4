/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * create: two processes, one score.
 *
 *   runtime   the `rung create` that was called: the host's privileges
 *   init      its clone, born in the container's namespaces and cgroup; becomes
 *             the program.  Ends when runtime ends before
 *             "release-init".
 *
 *   runtime ── spawn-init ──▶ init
 *      │  ◀── handovers where `who` changes ──▶ │
 *   save-state, release-init ──────────▶ commit, wait-for-start ┄ start ┄▶ exec
 *
 * The order follows runtime-spec "Lifecycle" and R208: namespaces, mounts,
 * createRuntime and createContainer hooks, pivot, everything that needs
 * privilege, ids and capabilities, the filter, the program.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/scope.h"
#include "base/str.h"
#include "base/userns.h"
#include "host/notify.h"
#include "plan/bundle.h"
#include "run/create.h"
#include "run/hook-state.h"
#include "run/remove.h"
#include "run/steps.h"
#include "store/id.h"

static const struct step create_steps[] = {
	{ RUNTIME, "make-state", step_make_state, undo_make_state },
	{ RUNTIME, "record-intent", step_record_intent },
	{ RUNTIME, "create-cgroup", step_create_cgroup, undo_create_cgroup, step_has_cgroup },
	{ RUNTIME, "limit-cgroup", step_limit_cgroup, NULL, step_limits_early },
	{ RUNTIME, "open-namespaces", step_open_namespaces, NULL, step_has_joins },
	{ RUNTIME, "open-mount-sources", step_open_sources, undo_open_sources },
	{ RUNTIME, "spawn-init", step_spawn_init, undo_spawn_init },
	{ RUNTIME, "write-id-maps", step_write_id_maps, NULL, step_direct_new_user },
	{ RUNTIME, "raise-rlimits", step_raise_rlimits, NULL, step_raises_rlimits },
	{ RUNTIME, "set-oom-score", step_set_oom_score, NULL, step_has_oom_score },
	{ INIT, "reset-affinity", step_reset_affinity },
	{ INIT, "join-outer-namespaces", step_join_outer, NULL, play_is_staged },
	{ INIT, "enter-user-namespace", step_enter_user, NULL, play_is_staged },
	{ RUNTIME, "write-stage-id-maps", step_write_id_maps, NULL, step_staged_new_user },
	{ INIT, "become-namespace-root", step_become_root, NULL, step_has_user },
	{ INIT, "join-namespaces", step_join_namespaces, NULL, step_has_joins },
	{ INIT, "unshare-namespaces", step_unshare, NULL, step_unshares },
	{ INIT, "fork-init", step_fork_init, NULL, play_is_staged },
	{ RUNTIME, "adopt-init", step_adopt_init, NULL, play_is_staged },
	{ RUNTIME, "move-net-devices", step_move_net_devices, undo_move_net_devices,
	  step_has_net_devices },
	{ RUNTIME, "limit-staged-cgroup", step_limit_cgroup, NULL, step_limits_late },
	{ INIT, "raise-loopback", step_raise_loopback, NULL, step_new_net },
	{ INIT, "new-session", step_new_session },
	{ INIT, "join-keyring", step_join_keyring, NULL, step_has_keyring },
	{ INIT, "open-proc", step_open_proc, NULL, step_writes_proc },
	{ INIT, "make-mounts-private", step_make_private, NULL, step_has_mount_namespace },
	{ INIT, "attach-rootfs", step_attach_rootfs },
	{ INIT, "mount-all", step_mount_all },
	{ INIT, "make-devices", step_make_devices },
	{ INIT, "open-console", step_open_console, NULL, step_has_terminal },
	{ RUNTIME, "send-console", step_receive_console, NULL, step_has_terminal },
	{ RUNTIME, "run-runtime-hooks", step_run_runtime_hooks, NULL, step_has_runtime_hooks },
	{ INIT, "run-container-hooks", step_run_container_hooks, NULL, step_has_container_hooks },
	{ INIT, "finish-rootfs", step_finish_rootfs },
	{ INIT, "pivot-root", step_pivot_root },
	{ INIT, "set-names", step_set_names, NULL, step_has_names },
	{ INIT, "write-sysctl", step_write_sysctl, NULL, step_has_sysctl },
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
	{ RUNTIME, "save-state", step_save_state },
	{ RUNTIME, "write-pid-file", step_write_pid_file, undo_write_pid_file, step_has_pid_file },
	{ RUNTIME, "send-pidfd", step_send_pidfd, NULL, step_has_pidfd_socket },
	{ INIT, "commit", step_commit },
	{ RUNTIME, "release-init", step_release_init },
	{ INIT, "part-from-runtime", step_part },
	{ INIT, "wait-for-start", step_wait_for_start },
	{ INIT, "load-seccomp-last", step_load_seccomp, NULL, step_seccomp_last },
	{ INIT, "run-start-hooks", step_run_start_hooks, NULL, step_has_start_hooks },
	{ INIT, "exec", step_exec },
};

const struct score create_score = { "create", create_steps, ARRAY_LEN(create_steps) };

static int check_console(const struct oci_process *process, const struct create_options *options,
			 bool detached, struct err *err)
{
	bool terminal = process && process->terminal.value;

	if (terminal && detached && !options->console_socket)
		return err_set(
			err,
			"cannot allocate tty if rung will detach without setting console socket: use --console-socket");
	if (!terminal && options->console_socket)
		return err_set(err, "cannot use console socket if rung will not allocate tty");
	if (terminal && !detached && options->console_socket)
		return err_set(err, "cannot use console socket if rung will not detach");
	return 0;
}

int preserved_check(unsigned count, struct err *err)
{
	int code;

	for (unsigned i = 0; i < count; i++)
		if (!fd_is_open(3 + (int)i))
			return err_set(err, "--preserve-fds: descriptor %u is not open", 3 + i);
	code = fd_cloexec_from(3 + count);
	return code < 0 ? err_errno(err, code, "close_range") : 0;
}

/* LISTEN_FDS counts when it was meant for this process (sd_listen_fds(3)). */
static unsigned listen_fds(void)
{
	const char *count = getenv("LISTEN_FDS"), *pid = getenv("LISTEN_PID");
	uint64_t n, meant_for;

	if (!count || !str_to_uint(count, 1024, &n))
		return 0;
	if (pid && (!str_to_uint(pid, INT32_MAX, &meant_for) || (pid_t)meant_for != getpid()))
		return 0;
	return (unsigned)n;
}

/* A hook that fails has the container go through the rest of its life (R206). */
static bool is_hook_failure(const struct play *play)
{
	const struct step *failed = &play->score->steps[play->failed_row];

	return play->failed_row < play->score->len &&
	       (failed->run == step_run_runtime_hooks || failed->run == step_run_container_hooks);
}

/* What poststop hooks of a container that did not come to be are told. */
static void run_poststop_hooks(struct play *play)
{
	autofree char *state = hook_state(&play->record, STATUS_STOPPED, 0, NULL);
	const struct hook_call call = { .state_json = state, .cwd = play->plan->bundle };

	if (state)
		hooks_run_all(&play->plan->hooks, HOOK_POSTSTOP, &call, log_error);
}

static int play_create(struct creation *creation, struct err *err)
{
	struct play *play = &creation->play;

	if (play_begin(play, err) < 0)
		return -1;
	if (play_runtime(play, err) == 0)
		return 0;
	if (is_hook_failure(play))
		run_poststop_hooks(play);
	return -1;
}

static void plan_input_of(const struct run_context *ctx, const struct create_options *options,
			  struct creation *creation, struct plan_input *ret)
{
	*ret = (struct plan_input){
		.config = creation->bundle.config,
		.id = options->id,
		.bundle = creation->bundle.path,
		.manager = ctx->manager,
		.seccomp_cache = creation->seccomp_cache,
		.notify_socket = notify_host_address(),
		.notify_directory = creation->notify_directory,
		.preserve_fds = options->preserve_fds + creation->listen_fds,
		.listen_fds = creation->listen_fds,
		.no_pivot = options->no_pivot,
		.no_new_keyring = options->no_new_keyring,
		.privileged = userns_is_initial_root(),
	};
}

int creation_begin(const struct create_options *options, struct creation *creation, struct err *err)
{
	creation->listen_fds = listen_fds();
	return preserved_check(options->preserve_fds + creation->listen_fds, err);
}

/* Where in the state root things of the plan lie; refuses what cannot be told to the host. */
static int name_files(const struct run_context *ctx, const struct create_options *options,
		      struct creation *creation, struct err *err)
{
	const char *address = notify_host_address();

	if (address && notify_check(address, err) < 0)
		return -1;
	creation->seccomp_cache = str_printf("%s/.seccomp", ctx->root);
	creation->notify_directory = str_printf("%s/%s/notify", ctx->root, options->id);
	return creation->seccomp_cache && creation->notify_directory ?
		       0 :
		       err_errno(err, ENOMEM, "create");
}

int creation_make(const struct run_context *ctx, const struct create_options *options,
		  struct creation *creation, struct err *err)
{
	struct plan_input in;

	if (name_files(ctx, options, creation, err) < 0 || id_check(options->id, err) < 0 ||
	    bundle_read(options->bundle, options->config, &creation->bundle, err) < 0 ||
	    check_console(creation->bundle.config->process, options, creation->detached, err) < 0)
		return -1;
	plan_input_of(ctx, options, creation, &in);
	if (plan_make(&creation->plan, &in, err) < 0)
		return -1;
	creation->play = (struct play){
		.plan = &creation->plan,
		.ctx = ctx,
		.score = &create_score,
		.pid_file = options->pid_file,
		.console_socket = options->console_socket,
		.pidfd_socket = options->pidfd_socket,
		.config_text = creation->bundle.text,
	};
	creation->began = true;
	return play_create(creation, err);
}

void creation_release(struct creation *creation)
{
	if (creation->began)
		play_end(&creation->play);
	plan_free(&creation->plan);
	bundle_release(&creation->bundle);
	free(creation->seccomp_cache);
	free(creation->notify_directory);
}

void creation_unlock(struct creation *creation)
{
	struct play *play = &creation->play;

	store_close(&play->store);
	(void)close(take_fd(&play->start_fd));
	(void)close(take_fd(&play->result_fd));
}

int run_create(const struct run_context *ctx, const struct create_options *options, struct err *err)
{
	struct creation creation = { .detached = true };
	int result = creation_begin(options, &creation, err);

	if (result == 0)
		result = creation_make(ctx, options, &creation, err);
	creation_release(&creation);
	return result;
}
