/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* state, list and ps: what is printed, and in which shape (peers.md 1.5). */
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/str.h"
#include "cli/command.h"

struct state_document {
	char *oci_version, *id, *status, *bundle, *rootfs, *created, *scope, *owner;
	struct opt_int pid;
	struct pair_list annotations;
};

#define T struct state_document
static const struct field state_fields[] = { F_STRING(T, oci_version, "ociVersion", 0),
					     F_STRING(T, id, "id", 0),
					     F_INT(T, pid, "pid", 0, 0, INT32_MAX),
					     F_STRING(T, status, "status", 0),
					     F_STRING(T, bundle, "bundle", 0),
					     F_STRING(T, rootfs, "rootfs", 0),
					     F_STRING(T, created, "created", 0),
					     F_STRING(T, scope, "systemd-scope", 0),
					     F_PAIRS(T, annotations, "annotations", 0),
					     F_STRING(T, owner, "owner", 0),
					     F_END };
#undef T
static const struct desc state_desc = { .name = "state",
					.size = sizeof(struct state_document),
					.fields = state_fields };

static struct state_document document_of(const struct container_state *state, char *owner)
{
	return (struct state_document){
		.oci_version = state->oci_version,
		.id = state->id,
		.status = (char *)container_status_name[state->status],
		.bundle = state->bundle,
		.rootfs = state->rootfs,
		.created = state->created,
		.scope = state->scope,
		.owner = owner,
		.pid = { true, state->pid },
		.annotations = state->annotations,
	};
}

int cmd_state(const struct run_context *ctx, struct arguments *args, int *ret_status,
	      struct err *err)
{
	struct container_state state;
	struct state_document document;

	(void)ret_status;
	if (run_state(ctx, args->positional[0], &args->arena, &state, err) < 0)
		return -1;
	document = document_of(&state, (char *)"");
	ocispec_write_pretty(stdout, &state_desc, &document);
	(void)putchar('\n');
	return 0;
}

static void owner_name(uid_t uid, char text[64])
{
	const struct passwd *user = getpwuid(uid);

	if (user)
		(void)snprintf(text, 64, "%s", user->pw_name);
	else
		(void)snprintf(text, 64, "#%u", (unsigned)uid);
}

static void list_json(const struct container_state *states, size_t count)
{
	if (!count) {
		(void)puts("null");
		return;
	}
	for (size_t i = 0; i < count; i++) {
		char owner[64];
		struct state_document document;

		owner_name(states[i].owner, owner);
		document = document_of(&states[i], owner);
		(void)putchar(i ? ',' : '[');
		ocispec_write(stdout, &state_desc, &document);
	}
	(void)puts("]");
}

static size_t width(const char *text, size_t least)
{
	size_t len = text ? strlen(text) : 0;

	return len > least ? len : least;
}

static void list_table(const struct container_state *states, size_t count)
{
	size_t id = 12, bundle = 12;
	char owner[64];

	for (size_t i = 0; i < count; i++) {
		id = width(states[i].id, id);
		bundle = width(states[i].bundle, bundle);
	}
	(void)printf("%-*s%-12s%-12s%-*s%-32s%s\n", (int)id + 4, "ID", "PID", "STATUS",
		     (int)bundle + 4, "BUNDLE", "CREATED", "OWNER");
	for (size_t i = 0; i < count; i++) {
		owner_name(states[i].owner, owner);
		(void)printf("%-*s%-12d%-12s%-*s%-32s%s\n", (int)id + 4, states[i].id,
			     (int)states[i].pid, container_status_name[states[i].status],
			     (int)bundle + 4, states[i].bundle, states[i].created, owner);
	}
}

static int check_format(const char *format, struct err *err)
{
	if (!format || str_eq(format, "table") || str_eq(format, "json"))
		return 0;
	return err_set(err, "--format: unknown value \"%s\"; known: table, json", format);
}

int cmd_list(const struct run_context *ctx, struct arguments *args, int *ret_status,
	     struct err *err)
{
	struct container_state *states;
	size_t count;

	(void)ret_status;
	if (check_format(args->format, err) < 0 ||
	    run_list(ctx, &args->arena, &states, &count, err) < 0)
		return -1;
	if (args->quiet)
		for (size_t i = 0; i < count; i++)
			(void)puts(states[i].id);
	else if (args->format && str_eq(args->format, "json"))
		list_json(states, count);
	else
		list_table(states, count);
	return 0;
}

static bool is_listed(const struct pid_list *pids, long pid)
{
	for (size_t i = 0; i < pids->len; i++)
		if (pids->at[i] == pid)
			return true;
	return false;
}

/* The number in the column of @line that ends where "PID" does in the heading. */
static long pid_of_line(const char *line, int column)
{
	const char *at = line;

	for (int i = 0; i < column; i++) {
		at += strspn(at, " ");
		at += strcspn(at, " ");
	}
	return strtol(at, NULL, 10);
}

static int pid_column(const char *heading)
{
	char *copy = strdup(heading), *rest = copy, *word;
	int column = 0, found = -1;

	while (copy && (word = strsep(&rest, " \n"))) {
		if (!*word)
			continue;
		if (str_eq(word, "PID"))
			found = column;
		column++;
	}
	free(copy);
	return found;
}

static int filter_ps(FILE *in, const struct pid_list *pids, struct err *err)
{
	autofree char *line = NULL;
	size_t room = 0;
	int column;

	if (getline(&line, &room, in) < 0)
		return err_set(err, "ps: printed nothing");
	column = pid_column(line);
	if (column < 0)
		return err_set(err, "ps: no PID column in its output");
	(void)fputs(line, stdout);
	while (getline(&line, &room, in) >= 0)
		if (is_listed(pids, pid_of_line(line, column)))
			(void)fputs(line, stdout);
	return 0;
}

/* The host's ps(1), of which the container's lines are kept. */
static int ps_table(char **argv, const struct pid_list *pids, struct err *err)
{
	extern char **environ;
	posix_spawn_file_actions_t actions;
	int pipe_fds[2], code, result = -1;
	FILE *in;
	pid_t pid;

	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return err_errno(err, errno, "pipe");
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], STDOUT_FILENO);
	code = posix_spawnp(&pid, "ps", &actions, NULL, argv, environ);
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)close(pipe_fds[1]);
	in = code ? NULL : fdopen(pipe_fds[0], "r");
	if (in) {
		result = filter_ps(in, pids, err);
		(void)fclose(in);
		(void)waitpid(pid, NULL, 0);
	} else {
		(void)close(pipe_fds[0]);
		(void)err_errno(err, code ? code : errno, "run ps");
	}
	return result;
}

int cmd_ps(const struct run_context *ctx, struct arguments *args, int *ret_status, struct err *err)
{
	static char *const defaults[] = { (char *)"ps", (char *)"-ef", NULL };
	struct pid_list pids;

	(void)ret_status;
	if (check_format(args->format, err) < 0 ||
	    run_ps(ctx, args->positional[0], &args->arena, &pids, err) < 0)
		return -1;
	if (!args->format || str_eq(args->format, "table")) {
		args->positional[0] = (char *)"ps";
		return ps_table(args->positional_len > 1 ? args->positional : (char **)defaults,
				&pids, err);
	}
	for (size_t i = 0; i < pids.len; i++)
		(void)printf("%s%d", i ? "," : "[", (int)pids.at[i]);
	(void)puts(pids.len ? "]" : "[]");
	return 0;
}
