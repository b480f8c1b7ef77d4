/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * steps - what the rows of the scores do.  A step_X() either runs (returns 0, or
 * -1 with @err set) or is a predicate over the plan; undo_X() takes back what the
 * step of that name made, also when it came but half way.  Each belongs to the one
 * player that its rows name.
 */
#ifndef RUN_STEPS_H
#define RUN_STEPS_H

#include "run/play.h"

typedef int step_function(struct play *play, struct err *err);
typedef bool step_predicate(const struct play *play);
typedef void step_undo(struct play *play);

/* steps-store.c */
step_function step_make_state, step_record_intent, step_save_state, step_write_pid_file;
step_function step_send_pidfd;
step_undo undo_make_state, undo_write_pid_file;
step_predicate step_has_pid_file, step_has_pidfd_socket;

/* steps-cgroup.c */
step_function step_create_cgroup, step_limit_cgroup;
step_undo undo_create_cgroup;
step_predicate step_has_cgroup, step_limits_early, step_limits_late;

/* steps-spawn.c */
step_function step_open_namespaces, step_spawn_init, step_write_id_maps, step_join_outer;
step_function step_enter_user, step_become_root, step_join_namespaces, step_unshare;
step_function step_fork_init, step_adopt_init, step_join_target;
step_undo undo_spawn_init;
step_predicate step_has_joins, step_has_user, step_direct_new_user, step_staged_new_user;
step_predicate step_unshares;

/* steps-netdev.c */
step_function step_move_net_devices;
step_undo undo_move_net_devices;
step_predicate step_has_net_devices;

/* steps-rootfs.c */
step_function step_open_sources, step_make_private, step_attach_rootfs, step_mount_all;
step_function step_make_devices, step_pivot_root, step_finish_rootfs, step_set_names;
step_undo undo_open_sources;
step_predicate step_has_mount_namespace, step_has_names;

/* steps-process.c */
step_function step_set_oom_score, step_reset_affinity, step_new_session, step_join_keyring;
step_function step_raise_loopback, step_write_sysctl, step_set_labels;
step_function step_open_proc, step_set_schedule, step_become_user, step_find_program;
step_function step_affinity_initial, step_affinity_final, step_load_seccomp, step_send_seccomp,
	step_set_rlimits, step_raise_rlimits;
step_predicate step_has_affinity, step_has_oom_score, step_has_keyring, step_new_net;
step_predicate step_has_sysctl, step_has_labels, step_writes_proc, step_has_rlimits,
	step_raises_rlimits;
step_predicate step_seccomp_early, step_seccomp_notify_late, step_seccomp_last;
step_predicate step_seccomp_early_notify;

/* steps-hooks.c */
step_function step_run_runtime_hooks, step_run_container_hooks, step_run_start_hooks;
step_predicate step_has_runtime_hooks, step_has_container_hooks, step_has_start_hooks;

/* steps-finish.c */
step_function step_open_terminal, step_open_console, step_receive_console, step_take_terminal,
	step_commit;
step_function step_release_init, step_part, step_wait_for_start, step_close_fds, step_reset_signals,
	step_exec;
step_predicate step_has_terminal;

#endif
