/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/output.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/str.h"

static struct oci_state document_of(const struct container_state *state, char *owner)
{
	return (struct oci_state){
		.oci_version = state->oci_version,
		.id = state->id,
		.status = (char *)container_status_name[state->status],
		.bundle = state->bundle,
		.rootfs = state->rootfs,
		.created = state->created,
		.systemd_scope = state->scope,
		.owner = owner,
		.pid = { true, state->pid },
		.annotations = state->annotations,
	};
}

void output_state(FILE *out, const struct container_state *state)
{
	const struct oci_state document = document_of(state, (char *)"");

	ocispec_write_pretty(out, &oci_state_desc, &document);
	(void)putc('\n', out);
}

struct owner {
	bool known;
	uid_t uid;
	char name[64];
};

/*
 * The name that /etc/passwd has for @uid, kept in @owner for the next container.  Not by
 * getpwuid(3), whose modules are shared libraries.
 */
static char *owner_name(struct owner *owner, uid_t uid)
{
	autofclose FILE *file = NULL;
	const struct passwd *user = NULL;

	if (owner->known && owner->uid == uid)
		return owner->name;
	file = fopen("/etc/passwd", "re");
	while (file && (user = fgetpwent(file)) && user->pw_uid != uid)
		;
	if (user)
		(void)snprintf(owner->name, sizeof(owner->name), "%s", user->pw_name);
	else
		(void)snprintf(owner->name, sizeof(owner->name), "#%u", (unsigned)uid);
	owner->known = true;
	owner->uid = uid;
	return owner->name;
}

void output_list_json(FILE *out, const struct container_state *states, size_t count)
{
	struct owner owner = { 0 };

	if (!count)
		(void)fputs("null", out);
	for (size_t i = 0; i < count; i++) {
		const struct oci_state document =
			document_of(&states[i], owner_name(&owner, states[i].owner));

		(void)putc(i ? ',' : '[', out);
		ocispec_write(out, &oci_state_desc, &document);
	}
	(void)fputs(count ? "]\n" : "\n", out);
}

/* What a column takes with the space to the next one. */
static int wider(int width, const char *text)
{
	int needed = text ? (int)strlen(text) + 2 : 0;

	return needed > width ? needed : width;
}

void output_list_table(FILE *out, const struct container_state *states, size_t count)
{
	int id = 12, bundle = 12, created = 12;
	struct owner owner = { 0 };

	for (size_t i = 0; i < count; i++) {
		id = wider(id, states[i].id);
		bundle = wider(bundle, states[i].bundle);
		created = wider(created, states[i].created);
	}
	(void)fprintf(out, "%-*s%-12s%-12s%-*s%-*s%s\n", id, "ID", "PID", "STATUS", bundle,
		      "BUNDLE", created, "CREATED", "OWNER");
	for (size_t i = 0; i < count; i++) {
		(void)fprintf(out, "%-*s%-12d%-12s%-*s%-*s%s\n", id, states[i].id,
			      (int)states[i].pid, container_status_name[states[i].status], bundle,
			      states[i].bundle, created, states[i].created,
			      owner_name(&owner, states[i].owner));
	}
}

void output_pids(FILE *out, const struct pid_list *pids)
{
	(void)putc('[', out);
	for (size_t i = 0; i < pids->len; i++)
		(void)fprintf(out, "%s%d", i ? "," : "", (int)pids->at[i]);
	(void)fputs("]\n", out);
}

/* The word in @column of @line, counted from 0; *@ret_len is 0 when there is none. */
static const char *word_at(const char *line, int column, size_t *ret_len)
{
	const char *at = line + strspn(line, " ");

	for (; column > 0; column--) {
		at += strcspn(at, " \n");
		at += strspn(at, " ");
	}
	*ret_len = strcspn(at, " \n");
	return at;
}

/* The column that is headed "PID", or -1. */
static int pid_column(const char *heading)
{
	size_t len;

	for (int column = 0;; column++) {
		const char *word = word_at(heading, column, &len);

		if (!len)
			return -1;
		if (len == 3 && strncmp(word, "PID", 3) == 0)
			return column;
	}
}

static bool is_listed(const struct pid_list *pids, long pid)
{
	for (size_t i = 0; i < pids->len; i++)
		if (pids->at[i] == pid)
			return true;
	return false;
}

int output_ps(FILE *out, FILE *in, const struct pid_list *pids, struct err *err)
{
	autofree char *line = NULL;
	size_t room = 0, len;
	int column;

	if (getline(&line, &room, in) < 0)
		return err_set(err, "ps printed nothing");
	column = pid_column(line);
	if (column < 0)
		return err_set(err, "ps printed no column \"PID\"");
	(void)fputs(line, out);
	while (getline(&line, &room, in) >= 0)
		if (is_listed(pids, strtol(word_at(line, column, &len), NULL, 10)))
			(void)fputs(line, out);
	return 0;
}
