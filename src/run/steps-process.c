/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the program's process is given: session, ids, limits, labels, filter. */
#include "run/steps.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/scope.h"
#include "host/keyring.h"
#include "host/lsm.h"
#include "host/net.h"
#include "host/proc.h"
#include "host/seccomp.h"
#include "host/sysctl.h"
#include "run/hook-state.h"

bool step_has_oom_score(const struct play *play)
{
	return play->plan->process.oom_score_adj.set;
}

/* By runtime: lowering it needs privilege in the initial user namespace (R87). */
int step_set_oom_score(struct play *play, struct err *err)
{
	pid_t pid = play->stage_pid > 0 ? play->stage_pid : play->init_pid;

	return process_set_oom_score(&play->plan->process, pid, err);
}

int step_reset_affinity(struct play *play, struct err *err)
{
	(void)play;
	return process_set_affinity(0, NULL, err);
}

bool step_has_affinity(const struct play *play)
{
	return play->plan->process.exec_affinity_initial;
}

/* exec: runtime itself, so that its child is born with it, before the cgroup is entered (R94). */
int step_affinity_initial(struct play *play, struct err *err)
{
	return process_set_affinity(0, play->plan->process.exec_affinity_initial, err);
}

int step_affinity_final(struct play *play, struct err *err)
{
	return process_set_affinity(0, play->plan->process.exec_affinity_final, err);
}

int step_new_session(struct play *play, struct err *err)
{
	(void)play;
	/* fails for a process group leader alone, which a clone is not */
	return setsid() < 0 ? err_errno(err, errno, "setsid") : 0;
}

bool step_has_keyring(const struct play *play)
{
	return !play->plan->no_new_keyring;
}

int step_join_keyring(struct play *play, struct err *err)
{
	return keyring_join(play->plan->id, play->plan->process.selinux_label, err);
}

bool step_new_net(const struct play *play)
{
	return play->plan->ns.of[NS_NET].how == NS_NEW;
}

int step_raise_loopback(struct play *play, struct err *err)
{
	(void)play;
	return net_raise_loopback(err);
}

bool step_has_sysctl(const struct play *play)
{
	return play->plan->sysctl.len;
}

int step_write_sysctl(struct play *play, struct err *err)
{
	return sysctl_write_all(&play->plan->sysctl, play->proc_fd, err);
}

bool step_has_labels(const struct play *play)
{
	return play->plan->process.selinux_label || play->plan->process.apparmor_profile;
}

int step_set_labels(struct play *play, struct err *err)
{
	const struct process_plan *process = &play->plan->process;
	const struct lsm_labels labels = {
		.selinux = process->selinux_label,
		.apparmor = process->apparmor_profile,
		/* the caller's stays with all that it starts */
		.no_new_privs = process->no_new_privs ||
				prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1,
	};

	return lsm_set_exec(&labels, play->proc_fd, err);
}

bool step_writes_proc(const struct play *play)
{
	return step_has_sysctl(play) || step_has_labels(play);
}

int step_open_proc(struct play *play, struct err *err)
{
	return proc_open(&play->proc_fd, err);
}

int step_set_schedule(struct play *play, struct err *err)
{
	return process_set_schedule(&play->plan->process, err);
}

int step_become_user(struct play *play, struct err *err)
{
	process_fix_home(&play->plan->process);
	if (process_become(&play->plan->process, err) < 0)
		return -1;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* the change of ids has cleared it */
	(void)prctl(PR_SET_DUMPABLE, 0);
	return 0;
}

int step_find_program(struct play *play, struct err *err)
{
	return process_find_program(&play->plan->process, play->program, err);
}

/* Without no_new_privs the filter needs CAP_SYS_ADMIN, so it comes before the ids change (R86). */
bool step_seccomp_early(const struct play *play)
{
	return play->plan->seccomp.len && !play->plan->process.no_new_privs;
}

/* With it the filter comes last, unless runtime has to send its listener on. */
bool step_seccomp_notify_late(const struct play *play)
{
	return play->plan->seccomp.notify && play->plan->process.no_new_privs;
}

bool step_seccomp_last(const struct play *play)
{
	return play->plan->seccomp.len && !step_seccomp_early(play) &&
	       !step_seccomp_notify_late(play);
}

bool step_seccomp_early_notify(const struct play *play)
{
	return step_seccomp_early(play) && play->plan->seccomp.notify;
}

int step_load_seccomp(struct play *play, struct err *err)
{
	int notify_fd = -1;

	if (seccomp_load_filter(&play->plan->seccomp, &notify_fd, err) < 0)
		return -1;
	if (notify_fd >= 0)
		play->mail.fd[play->mail.len++] = notify_fd;
	return 0;
}

int step_send_seccomp(struct play *play, struct err *err)
{
	enum container_status status = play->target_pid ? STATUS_RUNNING : STATUS_CREATING;
	autofree char *state = NULL;
	autoclose int notify_fd = -1;

	if (play->mail.len != 1)
		return err_set(err, "no seccomp listener came from init");
	play->mail.len = 0;
	notify_fd = play->mail.fd[0];
	state = hook_state(&play->record, status, play->init_pid, err);
	if (!state)
		return -1;
	return seccomp_send_listener(&play->plan->seccomp, notify_fd, play->init_pid, state, err);
}

bool step_has_rlimits(const struct play *play)
{
	return play->plan->process.rlimits_len;
}

/* By init itself, late, for it may be few descriptors (R78). */
int step_set_rlimits(struct play *play, struct err *err)
{
	return process_set_rlimits(&play->plan->process, 0, err);
}

/* In a user namespace init cannot raise a hard limit, but runtime can (R77). */
bool step_raises_rlimits(const struct play *play)
{
	return play->plan->process.rlimits_raised && ns_has_user(&play->plan->ns);
}

int step_raise_rlimits(struct play *play, struct err *err)
{
	pid_t pid = play->stage_pid > 0 ? play->stage_pid : play->init_pid;

	return process_raise_rlimits(&play->plan->process, pid, err);
}
