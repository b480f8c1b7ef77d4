/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan/mount-options.h"

#include <string.h>
#include <sys/mount.h>

#include "base/scope.h"
#include "base/str.h"
#include "base/sys.h"

enum option_kind { SET, CLEAR, RSET, RCLEAR, PROPAGATION, SUPER, FLAG, NOTHING };

enum option_flag { BIND, RBIND, COPY_UP, IDMAP, RIDMAP, COPY_SYMLINK, SRC_NOFOLLOW, DEST_NOFOLLOW };

struct option {
	const char *word;
	enum option_kind kind;
	uint64_t value;
	const char *key;
};

#define RO    MOUNT_ATTR_RDONLY
#define ATIME MOUNT_ATTR__ATIME

/* In byte order of the words. */
static const struct option table[] = {
	{ "async", SUPER, 0, "async" },
	{ "atime", CLEAR, ATIME, NULL },
	{ "bind", FLAG, BIND, NULL },
	{ "copy-symlink", FLAG, COPY_SYMLINK, NULL },
	{ "defaults", NOTHING, 0, NULL },
	{ "dest-nofollow", FLAG, DEST_NOFOLLOW, NULL },
	{ "dev", CLEAR, MOUNT_ATTR_NODEV, NULL },
	{ "diratime", CLEAR, MOUNT_ATTR_NODIRATIME, NULL },
	{ "dirsync", SUPER, 0, "dirsync" },
	{ "exec", CLEAR, MOUNT_ATTR_NOEXEC, NULL },
	{ "idmap", FLAG, IDMAP, NULL },
	{ "iversion", SUPER, 0, "iversion" },
	{ "lazytime", SUPER, 0, "lazytime" },
	{ "loud", NOTHING, 0, NULL },
	{ "mand", SUPER, 0, "mand" },
	{ "noatime", SET, MOUNT_ATTR_NOATIME, NULL },
	{ "nodev", SET, MOUNT_ATTR_NODEV, NULL },
	{ "nodiratime", SET, MOUNT_ATTR_NODIRATIME, NULL },
	{ "noexec", SET, MOUNT_ATTR_NOEXEC, NULL },
	{ "noiversion", NOTHING, 0, NULL },
	{ "nolazytime", SUPER, 0, "nolazytime" },
	{ "nomand", SUPER, 0, "nomand" },
	{ "norelatime", CLEAR, ATIME, NULL },
	{ "nostrictatime", CLEAR, ATIME, NULL },
	{ "nosuid", SET, MOUNT_ATTR_NOSUID, NULL },
	{ "nosymfollow", SET, MOUNT_ATTR_NOSYMFOLLOW, NULL },
	{ "private", PROPAGATION, MS_PRIVATE, NULL },
	{ "ratime", RCLEAR, ATIME, NULL },
	{ "rbind", FLAG, RBIND, NULL },
	{ "rdev", RCLEAR, MOUNT_ATTR_NODEV, NULL },
	{ "rdiratime", RCLEAR, MOUNT_ATTR_NODIRATIME, NULL },
	{ "relatime", SET, MOUNT_ATTR_RELATIME, NULL },
	{ "remount", NOTHING, 0, NULL },
	{ "rexec", RCLEAR, MOUNT_ATTR_NOEXEC, NULL },
	{ "ridmap", FLAG, RIDMAP, NULL },
	{ "rnoatime", RSET, MOUNT_ATTR_NOATIME, NULL },
	{ "rnodev", RSET, MOUNT_ATTR_NODEV, NULL },
	{ "rnodiratime", RSET, MOUNT_ATTR_NODIRATIME, NULL },
	{ "rnoexec", RSET, MOUNT_ATTR_NOEXEC, NULL },
	{ "rnorelatime", RCLEAR, ATIME, NULL },
	{ "rnostrictatime", RCLEAR, ATIME, NULL },
	{ "rnosuid", RSET, MOUNT_ATTR_NOSUID, NULL },
	{ "rnosymfollow", RSET, MOUNT_ATTR_NOSYMFOLLOW, NULL },
	{ "ro", SET, RO, NULL },
	{ "rprivate", PROPAGATION, MS_PRIVATE | MS_REC, NULL },
	{ "rrelatime", RSET, MOUNT_ATTR_RELATIME, NULL },
	{ "rro", RSET, RO, NULL },
	{ "rrw", RCLEAR, RO, NULL },
	{ "rshared", PROPAGATION, MS_SHARED | MS_REC, NULL },
	{ "rslave", PROPAGATION, MS_SLAVE | MS_REC, NULL },
	{ "rstrictatime", RSET, MOUNT_ATTR_STRICTATIME, NULL },
	{ "rsuid", RCLEAR, MOUNT_ATTR_NOSUID, NULL },
	{ "rsymfollow", RCLEAR, MOUNT_ATTR_NOSYMFOLLOW, NULL },
	{ "runbindable", PROPAGATION, MS_UNBINDABLE | MS_REC, NULL },
	{ "rw", CLEAR, RO, NULL },
	{ "shared", PROPAGATION, MS_SHARED, NULL },
	{ "silent", NOTHING, 0, NULL },
	{ "slave", PROPAGATION, MS_SLAVE, NULL },
	{ "src-nofollow", FLAG, SRC_NOFOLLOW, NULL },
	{ "strictatime", SET, MOUNT_ATTR_STRICTATIME, NULL },
	{ "suid", CLEAR, MOUNT_ATTR_NOSUID, NULL },
	{ "symfollow", CLEAR, MOUNT_ATTR_NOSYMFOLLOW, NULL },
	{ "sync", SUPER, 0, "sync" },
	{ "tmpcopyup", FLAG, COPY_UP, NULL },
	{ "unbindable", PROPAGATION, MS_UNBINDABLE, NULL },
};

const char *const mount_option_names[] = {
	"async",
	"atime",
	"bind",
	"copy-symlink",
	"defaults",
	"dest-nofollow",
	"dev",
	"diratime",
	"dirsync",
	"exec",
	"idmap",
	"iversion",
	"lazytime",
	"loud",
	"mand",
	"noatime",
	"nodev",
	"nodiratime",
	"noexec",
	"noiversion",
	"nolazytime",
	"nomand",
	"norelatime",
	"nostrictatime",
	"nosuid",
	"nosymfollow",
	"private",
	"ratime",
	"rbind",
	"rdev",
	"rdiratime",
	"relatime",
	"remount",
	"rexec",
	"ridmap",
	"rnoatime",
	"rnodev",
	"rnodiratime",
	"rnoexec",
	"rnorelatime",
	"rnostrictatime",
	"rnosuid",
	"rnosymfollow",
	"ro",
	"rprivate",
	"rrelatime",
	"rro",
	"rrw",
	"rshared",
	"rslave",
	"rstrictatime",
	"rsuid",
	"rsymfollow",
	"runbindable",
	"rw",
	"shared",
	"silent",
	"slave",
	"src-nofollow",
	"strictatime",
	"suid",
	"symfollow",
	"sync",
	"tmpcopyup",
	"unbindable",
	NULL,
};
_Static_assert(ARRAY_LEN(mount_option_names) == ARRAY_LEN(table) + 1, "a name for each row");

static bool is_of_atime(uint64_t value)
{
	return value & ATIME || value == MOUNT_ATTR_RELATIME;
}

/* The access time flags are one value, not bits: setting one replaces the others (R32). */
static void set_attribute(uint64_t *set, uint64_t *clear, uint64_t value, bool on)
{
	if (is_of_atime(value)) {
		*set &= ~(uint64_t)ATIME;
		*clear |= ATIME;
		*set |= on ? value : 0;
	} else if (on) {
		*set |= value;
		*clear &= ~value;
	} else {
		*set &= ~value;
		*clear |= value;
	}
}

static void set_flag(struct mount_options *options, enum option_flag flag)
{
	switch (flag) {
	case RBIND:
		options->recursive = true;
		options->bind = true;
		break;
	case BIND:
		options->bind = true;
		break;
	case COPY_UP:
		options->copy_up = true;
		break;
	case RIDMAP:
		options->idmap_recursive = true;
		options->idmap = true;
		break;
	case IDMAP:
		options->idmap = true;
		break;
	case COPY_SYMLINK:
		options->copy_symlink = true;
		break;
	case SRC_NOFOLLOW:
		options->source_no_follow = true;
		break;
	case DEST_NOFOLLOW:
		options->destination_no_follow = true;
	}
}

static const struct option *find(const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (str_eq(table[i].word, word))
			return &table[i];
	return NULL;
}

int mount_options_add(struct mount_options *options, const char *word, const char **ret_key,
		      struct err *err)
{
	const struct option *o = find(word);

	*ret_key = NULL;
	if (!o)
		return MOUNT_WORD_DATA;
	switch (o->kind) {
	case SET:
	case CLEAR:
		set_attribute(&options->set, &options->clear, o->value, o->kind == SET);
		if (is_of_atime(o->value) || o->value == MOUNT_ATTR_NODIRATIME)
			options->chooses_atime = o->kind == SET ||
						 options->set & (ATIME | MOUNT_ATTR_NODIRATIME);
		return MOUNT_WORD_KNOWN;
	case RSET:
	case RCLEAR:
		set_attribute(&options->recursive_set, &options->recursive_clear, o->value,
			      o->kind == RSET);
		return MOUNT_WORD_KNOWN;
	case PROPAGATION:
		if (options->propagation_len == ARRAY_LEN(options->propagation))
			return err_set(err, "too many propagation options");
		options->propagation[options->propagation_len++] = (unsigned long)o->value;
		return MOUNT_WORD_KNOWN;
	case FLAG:
		set_flag(options, (enum option_flag)o->value);
		return MOUNT_WORD_KNOWN;
	case SUPER:
		*ret_key = o->key;
		return MOUNT_WORD_SUPERBLOCK;
	default:
		return MOUNT_WORD_KNOWN;
	}
}
