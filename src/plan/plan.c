/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan/plan.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/scope.h"
#include "base/str.h"

void *plan_alloc(struct plan *plan, size_t size, struct err *err)
{
	void *at = arena_alloc(&plan->arena, size);

	if (!at)
		(void)err_errno(err, ENOMEM, "plan");
	return at;
}

char *plan_copy(struct plan *plan, const char *text, struct err *err)
{
	char *copy = arena_copy(&plan->arena, text, strlen(text));

	if (!copy)
		(void)err_errno(err, ENOMEM, "plan");
	return copy;
}

bool plan_is_annotated(const struct oci_config *config, const char *key)
{
	for (size_t i = 0; i < config->annotations.len; i++) {
		const char *value = config->annotations.at[i].value;

		if (str_eq(config->annotations.at[i].key, key))
			return !str_eq(value, "0") && !str_eq(value, "false");
	}
	return false;
}

char *plan_printf(struct plan *plan, struct err *err, const char *fmt, ...)
{
	va_list ap, again;
	char *text;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	text = n < 0 ? NULL : plan_alloc(plan, (size_t)n + 1, err);
	if (text)
		(void)vsnprintf(text, (size_t)n + 1, fmt, again);
	va_end(again);
	va_end(ap);
	return text;
}

void plan_free(struct plan *plan)
{
	arena_free(&plan->arena);
}

/* MAJOR.MINOR.PATCH of digits, then anything that SemVer lets follow a '-' or '+'. */
static bool is_semver(const char *text)
{
	for (int part = 0; part < 3; part++) {
		size_t digits = strspn(text, "0123456789");

		if (!digits || (digits > 1 && *text == '0') || (part < 2 && text[digits] != '.'))
			return false;
		text += digits + (part < 2);
	}
	if (!*text)
		return true;
	return (*text == '-' || *text == '+') && text[1] &&
	       text[1 + strspn(text + 1, "0123456789abcdefghijklmnopqrstuvwxyz"
					 "ABCDEFGHIJKLMNOPQRSTUVWXYZ-.+")] == '\0';
}

int plan_word(const char *const *names, const char *list, size_t i, const char *word,
	      struct err *err)
{
	int k = str_index(names, word);
	char known[500] = "none";
	int len = 0;

	if (k >= 0)
		return k;
	for (k = 0; names[k] && len < (int)sizeof(known); k++)
		len += snprintf(known + len, sizeof(known) - (size_t)len, "%s%s", k ? ", " : "",
				names[k]);
	return err_set(err, "%s[%zu]: unknown value \"%.60s\"; known: %s", list, i, word, known);
}

/* R8 */
static int check_version(const struct oci_config *config, struct err *err)
{
	const char *version = config->oci_version;

	if (!is_semver(version))
		return err_set(err, "ociVersion: \"%s\" is not a semantic version", version);
	if (!str_after(version, "1."))
		return err_set(err, "ociVersion: %s is not supported, 1.x is", version);
	return 0;
}

/* R96, R97 */
static int plan_names(struct plan *plan, const struct plan_input *in, struct err *err)
{
	enum { NAME_MAX_UTS = 64 }; /* __NEW_UTS_LEN */
	const struct {
		const char *member, *value;
	} names[] = {
		{ "hostname", in->config->hostname },
		{ "domainname", in->config->domainname },
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!names[i].value || !*names[i].value)
			continue;
		if (!ns_is_private(&plan->ns, NS_UTS))
			return err_set(err, "%s: unable to set it without a private UTS namespace",
				       names[i].member);
		if (strlen(names[i].value) > NAME_MAX_UTS)
			return err_set(err, "%s: longer than %d bytes", names[i].member,
				       NAME_MAX_UTS);
	}
	plan->hostname = names[0].value && *names[0].value ? names[0].value : NULL;
	plan->domainname = names[1].value && *names[1].value ? names[1].value : NULL;
	return 0;
}

/* R258; its socket is mounted into the container. */
static int plan_notify(struct plan *plan, const struct plan_input *in, struct err *err)
{
	(void)err;
	plan->proxies_notify = in->notify_socket && ns_is_private(&plan->ns, NS_MOUNT);
	if (in->notify_socket && !plan->proxies_notify)
		log_warn("NOTIFY_SOCKET is not passed on: that needs a private mount namespace");
	return 0;
}

/* R100 */
static int check_annotations(const struct oci_config *config, struct err *err)
{
	for (size_t i = 0; i < config->annotations.len; i++)
		if (!*config->annotations.at[i].key)
			return err_set(err, "annotations: empty key");
	return 0;
}

static int check_sections(const struct oci_config *config, struct err *err)
{
	if (!config->root)
		return err_set(err, "root: required, but absent");
	if (config->vm)
		log_warn("config.json: vm: ignored, rung runs no virtual machines"); /* R191 */
	return 0;
}

typedef int plan_part(struct plan *plan, const struct plan_input *in, struct err *err);

static int make_parts(struct plan *plan, const struct plan_input *in, plan_part *const *parts,
		      struct err *err)
{
	for (; *parts; parts++)
		if ((*parts)(plan, in, err) < 0)
			return err_prefix(err, "config.json");
	return 0;
}

static int plan_document(struct plan *plan, const struct plan_input *in, struct err *err)
{
	(void)plan;
	if (check_version(in->config, err) < 0 || check_annotations(in->config, err) < 0)
		return -1;
	return check_sections(in->config, err);
}

static void take_input(struct plan *plan, const struct plan_input *in)
{
	*plan = (struct plan){
		.config = in->config,
		.id = in->id,
		.bundle = in->bundle,
		.no_new_keyring = in->no_new_keyring,
		.preserve_fds = in->preserve_fds,
	};
}

int plan_make(struct plan *plan, const struct plan_input *in, struct err *err)
{
	static plan_part *const parts[] = {
		plan_document, plan_namespaces, plan_notify, plan_names,  plan_process,
		plan_mounts,   plan_devices,	plan_sysctl, plan_cgroup, plan_rdt,
		plan_net,      plan_seccomp,	plan_hooks,  NULL,
	};

	take_input(plan, in);
	return make_parts(plan, in, parts, err);
}

int plan_make_exec(struct plan *plan, const struct plan_input *in, struct err *err)
{
	static plan_part *const parts[] = { plan_namespaces, plan_process, plan_seccomp, NULL };

	take_input(plan, in);
	return make_parts(plan, in, parts, err);
}
