# SPDX-License-Identifier: LGPL-2.1-or-later
"""The configuration that tests start from: what a user gets from `rung spec`, without a terminal."""
import copy

CAPS = ["CAP_AUDIT_WRITE", "CAP_KILL", "CAP_NET_BIND_SERVICE"]
PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
MASKED = ["/proc/acpi", "/proc/asound", "/proc/kcore", "/proc/keys", "/proc/latency_stats",
          "/proc/timer_list", "/proc/sched_debug", "/proc/scsi", "/sys/firmware"]
READONLY = ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"]


def entry(destination, fstype, source, *options):
    return {"destination": destination, "type": fstype, "source": source,
            "options": list(options)}


def bind(source, destination, *options):
    return entry(destination, "bind", str(source), *(options or ("rbind",)))


DEFAULT = {
    "ociVersion": "1.3.0",
    "root": {"path": "rootfs"},
    "hostname": "rung",
    "process": {
        "terminal": False,
        "user": {"uid": 0, "gid": 0},
        "args": ["/bin/true"],
        "env": [PATH],
        "cwd": "/",
        "noNewPrivileges": True,
        "capabilities": {name: CAPS for name in ("bounding", "effective", "permitted")},
    },
    "mounts": [
        entry("/proc", "proc", "proc"),
        entry("/dev", "tmpfs", "tmpfs", "nosuid", "strictatime", "mode=755", "size=65536k"),
        entry("/dev/pts", "devpts", "devpts", "nosuid", "noexec", "newinstance",
              "ptmxmode=0666", "mode=0620", "gid=5"),
        entry("/dev/shm", "tmpfs", "shm", "nosuid", "noexec", "nodev", "mode=1777",
              "size=65536k"),
        entry("/dev/mqueue", "mqueue", "mqueue", "nosuid", "noexec", "nodev"),
        entry("/sys", "sysfs", "sysfs", "nosuid", "noexec", "nodev", "ro"),
        entry("/sys/fs/cgroup", "cgroup", "cgroup", "nosuid", "noexec", "nodev", "relatime",
              "ro"),
    ],
    "linux": {
        "resources": {"devices": [{"allow": False, "access": "rwm"}]},
        "namespaces": [{"type": t} for t in ("pid", "network", "ipc", "uts", "mount",
                                             "cgroup")],
        "maskedPaths": MASKED,
        "readonlyPaths": READONLY,
    },
}


def default():
    return copy.deepcopy(DEFAULT)
