/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan/plan-environment.h"

#include <errno.h>
#include <stdlib.h>

#include "base/scope.h"
#include "base/str.h"
#include "host/notify.h"

enum { EXTRA_VARIABLES = 5 }; /* HOME, LISTEN_FDS, LISTEN_PID, NOTIFY_SOCKET and the NULL */

struct variable {
	char *entry;
	size_t name_len; /* with the '=' */
	size_t at;	 /* where it stands in process.env */
};

static int compare_names(const struct variable *a, const struct variable *b)
{
	size_t len = a->name_len < b->name_len ? a->name_len : b->name_len;
	int order = memcmp(a->entry, b->entry, len);

	return order ? order : (a->name_len > b->name_len) - (a->name_len < b->name_len);
}

static int compare_variables(const void *left, const void *right)
{
	const struct variable *a = left, *b = right;
	int order = compare_names(a, b);

	return order ? order : (a->at > b->at) - (a->at < b->at);
}

static int check_entry(const char *entry, size_t i, struct err *err)
{
	if (!strchr(entry, '=') || *entry == '=')
		return err_set(err, "process.env[%zu]: \"%.60s\" is not NAME=value", i, entry);
	if (strlen(entry) >= PLAN_STRING_MAX)
		return err_set(err,
			       "process.env[%zu]: longer than %d bytes, which no program can get",
			       i, PLAN_STRING_MAX - 1);
	return 0;
}

/* Moves the @len entries of @envp over the gaps; returns how many there are. */
static size_t close_gaps(char **envp, size_t len)
{
	size_t kept = 0;

	for (size_t i = 0; i < len; i++)
		if (envp[i])
			envp[kept++] = envp[i];
	while (len > kept)
		envp[--len] = NULL;
	return kept;
}

/*
 * Copies @env to @envp; of entries with the same name the last one, in the place of
 * the first (R66).  Sorts, for there may be 100,000 of them.
 */
static int copy_variables(const struct str_list *env, char **envp, size_t *ret_len, struct err *err)
{
	autofree struct variable *all = NULL;
	size_t first = 0;

	all = calloc(env->len + 1, sizeof(*all));
	if (!all)
		return err_errno(err, ENOMEM, "process.env");
	for (size_t i = 0; i < env->len; i++) {
		if (check_entry(env->at[i], i, err) < 0)
			return -1;
		all[i] = (struct variable){ env->at[i], strcspn(env->at[i], "=") + 1, i };
	}
	qsort(all, env->len, sizeof(*all), compare_variables);
	for (size_t i = 0; i < env->len; i++) {
		if (compare_names(&all[first], &all[i]) != 0)
			first = i;
		envp[all[first].at] = all[i].entry;
	}
	*ret_len = close_gaps(envp, env->len);
	return 0;
}

/* Where the variable of @entry ("NAME=...") stands in the first @len of @envp, or @len. */
static size_t find_variable(char *const *envp, size_t len, const char *entry)
{
	size_t name_len = strcspn(entry, "=") + 1, i = 0;

	while (i < len && strncmp(envp[i], entry, name_len) != 0)
		i++;
	return i;
}

static void set_variable(char **envp, size_t *len, char *entry)
{
	size_t i = find_variable(envp, *len, entry);

	envp[i] = entry;
	if (i == *len)
		++*len;
}

static int add_listen(struct plan *plan, size_t *len, unsigned count, struct err *err)
{
	char *text = plan_printf(plan, err, "LISTEN_FDS=%u", count);

	plan->process.listen_pid = plan_alloc(plan, PROCESS_LISTEN_PID_SIZE, err);
	if (!text || !plan->process.listen_pid)
		return -1;
	memcpy(plan->process.listen_pid, "LISTEN_PID=1", sizeof("LISTEN_PID=1"));
	set_variable(plan->process.envp, len, text);
	set_variable(plan->process.envp, len, plan->process.listen_pid);
	return 0;
}

/* Without a value it is settled in the container, whose users are not known here. */
static int plan_home(struct plan *plan, size_t len, struct err *err)
{
	struct process_plan *out = &plan->process;
	size_t i = find_variable(out->envp, len, "HOME=");

	if (i < len && out->envp[i][strlen("HOME=")])
		return 0;
	out->home = plan_alloc(plan, PROCESS_HOME_SIZE, err);
	if (!out->home)
		return -1;
	memcpy(out->home, "HOME=/", sizeof("HOME=/"));
	out->envp[i] = out->home;
	return 0;
}

int plan_environment(struct plan *plan, const struct plan_input *in, struct err *err)
{
	const struct str_list *env = &in->config->process->env;
	struct process_plan *out = &plan->process;
	size_t len;

	out->envp = plan_alloc(plan, (env->len + EXTRA_VARIABLES) * sizeof(char *), err);
	if (!out->envp || copy_variables(env, out->envp, &len, err) < 0)
		return -1;
	if (in->listen_fds && add_listen(plan, &len, in->listen_fds, err) < 0)
		return -1;
	if (plan->proxies_notify)
		set_variable(out->envp, &len,
			     (char *)"NOTIFY_SOCKET=/run/notify/" NOTIFY_SOCKET_NAME);
	return plan_home(plan, len, err);
}
