/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* linux.sysctl: the namespaced parameters alone, and only of namespaces of the container's own (R165). */
#include "plan/plan.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/str.h"

/* A name that ends in '.' stands for all below it. */
static const struct {
	const char *name;
	enum ns_kind needs;
} namespaced[] = {
	{ "kernel.msgmax", NS_IPC },
	{ "kernel.msgmnb", NS_IPC },
	{ "kernel.msgmni", NS_IPC },
	{ "kernel.sem", NS_IPC },
	{ "kernel.shmall", NS_IPC },
	{ "kernel.shmmax", NS_IPC },
	{ "kernel.shmmni", NS_IPC },
	{ "kernel.shm_rmid_forced", NS_IPC },
	{ "fs.mqueue.", NS_IPC },
	{ "net.", NS_NET },
	{ "kernel.domainname", NS_UTS },
	{ "kernel.hostname", NS_UTS },
	{ "user.", NS_USER },
};

/* Joined by a path, it may still be the host's (L06). */
static bool is_own(const struct plan *plan, enum ns_kind kind)
{
	const struct ns_request *request = &plan->ns.of[kind];
	autoclose int fd = -1;

	if (request->how != NS_JOIN)
		return request->how == NS_NEW;
	fd = ns_open(kind, request->path, NULL);
	return fd >= 0 && !ns_is_own(kind, fd);
}

static bool matches(const char *name, const char *pattern)
{
	return pattern[strlen(pattern) - 1] == '.' ?
		       str_after(name, pattern) && name[strlen(pattern)] :
		       str_eq(name, pattern);
}

static int check_name(const struct plan *plan, const char *given, const char *name, struct err *err)
{
	size_t i = 0;

	while (i < ARRAY_LEN(namespaced) && !matches(name, namespaced[i].name))
		i++;
	if (i == ARRAY_LEN(namespaced))
		return err_set(err, "linux.sysctl: \"%s\" is not in a separate kernel namespace",
			       given);
	if (!is_own(plan, namespaced[i].needs))
		return err_set(err,
			       "linux.sysctl: \"%s\" is not allowed in the host's %s namespace",
			       given, ns_info[namespaced[i].needs].oci);
	return 0;
}

/* "net/ipv4/conf/eth0.1/x" has its separators the other way round (R166). */
static char *dotted(struct plan *plan, const char *given, struct err *err)
{
	char *name = plan_copy(plan, given, err);
	const char *separator = name ? strpbrk(name, "./") : NULL;

	if (separator && *separator == '/')
		for (char *c = name; *c; c++)
			*c = *c == '/' ? '.' : *c == '.' ? '/' : *c;
	return name;
}

static bool is_clean(const char *name)
{
	for (const char *c = name; *c; c++)
		if (!isgraph((unsigned char)*c) || strchr("=+\\\"'", *c))
			return false;
	return *name && *name != '.' && *name != '/' && !strstr(name, "..") &&
	       !strstr(name, "//") && !strstr(name, "./") && !strstr(name, "/.") &&
	       !str_ends(name, ".");
}

static char *proc_path(struct plan *plan, const char *name, struct err *err)
{
	char *path = plan_printf(plan, err, "sys/%s", name);

	for (char *c = path ? path + strlen("sys/") : NULL; c && *c; c++)
		*c = *c == '.' ? '/' : *c == '/' ? '.' : *c;
	return path;
}

/* What the configuration has members for: hostname alone sets the one, as in runc and crun. */
static int check_members(const struct plan_input *in, const char *name, const char *value,
			 struct err *err)
{
	const char *domain = in->config->domainname;

	if (str_eq(name, "kernel.hostname"))
		return err_set(err, "linux.sysctl: \"%s\" is not allowed, hostname sets it", name);
	if (str_eq(name, "kernel.domainname") && domain && *domain && !str_eq(domain, value))
		return err_set(
			err, "linux.sysctl: \"kernel.domainname\" is \"%s\", but domainname \"%s\"",
			value, domain);
	return 0;
}

int plan_sysctl(struct plan *plan, const struct plan_input *in, struct err *err)
{
	const struct pair_list *list = in->config->linux_ ? &in->config->linux_->sysctl : NULL;
	struct sysctl_plan *out = &plan->sysctl;

	if (!list || !list->len)
		return 0;
	out->at = plan_alloc(plan, list->len * sizeof(*out->at), err);
	for (size_t i = 0; out->at && i < list->len; i++) {
		const char *given = list->at[i].key;
		const char *name = dotted(plan, given, err);
		struct sysctl_setting *s = &out->at[i];

		if (!name)
			return -1;
		if (!is_clean(name))
			return err_set(err, "linux.sysctl: \"%.80s\" is no name of a parameter",
				       given);
		if (check_name(plan, given, name, err) < 0 ||
		    check_members(in, name, list->at[i].value, err) < 0)
			return -1;
		*s = (struct sysctl_setting){ given, proc_path(plan, name, err),
					      list->at[i].value };
		if (!s->path)
			return -1;
	}
	out->len = list->len;
	return out->at ? 0 : -1;
}
