/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * plan - what a container will be, as plain data.
 *
 * plan_make() turns an OCI configuration into values that host/ takes, and makes
 * every refusal that can be made before the kernel is touched.  A plan is const
 * once made; runtime and init share it from before the fork, so that both skip
 * the same rows of the score.  It has no side effect on the host; it may read
 * files (the id maps of a joined namespace, the kernel's list of controllers).
 *
 * All it points to is owned by its arena or by the configuration it was made of,
 * which must live as long.
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include <stdbool.h>
#include <sys/types.h>

#include <ocispec.h>

#include "base/err.h"
#include "host/cgroup.h"
#include "host/hook.h"
#include "host/idmap.h"
#include "host/netdev.h"
#include "host/ns.h"
#include "host/process.h"
#include "host/rootfs.h"
#include "host/seccomp.h"
#include "host/sysctl.h"

/* What the caller says beside the configuration. */
struct plan_input {
	const struct oci_config *config;
	const char *id;
	const char *bundle;	      /* absolute */
	enum cgroup_manager manager;  /* --systemd-cgroup, --cgroup-manager */
	const char *seccomp_cache;    /* directory for compiled filters, NULL: none */
	const char *notify_socket;    /* NOTIFY_SOCKET of the caller, NULL: none */
	const char *notify_directory; /* where the proxy socket's directory will be */
	unsigned preserve_fds;	      /* descriptors 3.. that the program gets */
	unsigned listen_fds;	      /* those of them that LISTEN_FDS announced */
	bool no_pivot;
	bool no_new_keyring;
	bool privileged; /* effective uid 0 in the initial user namespace */
};

struct plan {
	struct arena arena;
	const struct oci_config *config;
	const char *id;
	const char *bundle;
	const char *hostname, *domainname; /* NULL: untouched */
	bool no_new_keyring;
	bool proxies_notify; /* the program's NOTIFY_SOCKET is a socket of the runtime's */
	unsigned preserve_fds;
	struct ns_plan ns;
	struct idmap_plan idmap;
	struct rootfs_plan rootfs;
	struct cgroup_plan cgroup;
	struct process_plan process;
	struct seccomp_plan seccomp;
	struct sysctl_plan sysctl;
	struct hooks_plan hooks;
	struct netdev_plan *netdevs;
	size_t netdevs_len;
};

/*
 * Fills *@plan from *@in.  Returns 0, or -1 with @err "config.json: JSON.PATH:
 * what is wrong"; plan_free() is due in both cases.
 */
int plan_make(struct plan *plan, const struct plan_input *in, struct err *err);

/* The plan of a process that joins a container: process and seccomp alone. */
int plan_make_exec(struct plan *plan, const struct plan_input *in, struct err *err);

void plan_free(struct plan *plan);

/* Zeroed memory of @plan's arena, NULL with @err set when there is none left. */
void *plan_alloc(struct plan *plan, size_t size, struct err *err);

/* A copy of @text in @plan's arena; as plan_alloc(). */
char *plan_copy(struct plan *plan, const char *text, struct err *err);

/* True when @config has the annotation @key with a value other than "0" and "false". */
bool plan_is_annotated(const struct oci_config *config, const char *key);

/* Formatted text in @plan's arena; as plan_alloc(). */
char *plan_printf(struct plan *plan, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * The index of @word, entry @i of the list at JSON path @list, in the NULL-terminated
 * @names; or -1 with @err saying what is known, as the reader does of a lone value.
 */
int plan_word(const char *const *names, const char *list, size_t i, const char *word,
	      struct err *err);

/*
 * The parts, in the order in which plan_make() calls them.  Each fills its own
 * members from in->config and returns 0, or -1 with @err starting with the JSON path.
 */
int plan_namespaces(struct plan *plan, const struct plan_input *in, struct err *err);
int plan_process(struct plan *plan, const struct plan_input *in, struct err *err);
int plan_mounts(struct plan *plan, const struct plan_input *in, struct err *err);
int plan_devices(struct plan *plan, const struct plan_input *in, struct err *err);
int plan_sysctl(struct plan *plan, const struct plan_input *in, struct err *err);
int plan_cgroup(struct plan *plan, const struct plan_input *in, struct err *err);
int plan_rdt(struct plan *plan, const struct plan_input *in, struct err *err);
int plan_net(struct plan *plan, const struct plan_input *in, struct err *err);
int plan_seccomp(struct plan *plan, const struct plan_input *in, struct err *err);
int plan_hooks(struct plan *plan, const struct plan_input *in, struct err *err);

#endif
