# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a test must leave as it found it, and how to tell."""
import os
import re
import signal
import subprocess
import threading
import time
from pathlib import Path


def mounts():
    """Mounts of this namespace without their ids, which change."""
    with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as lines:
        return sorted(" ".join(line.split()[2:]) for line in lines)


def cgroups(root):
    return sorted(str(p) for p in Path(root).rglob("*") if p.is_dir())


def stat_of(pid):
    """(parent, state, name) of a process, or None."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    name, rest = re.match(r"\d+ \((.*)\) (.*)", text, re.S).groups()
    state, parent = rest.split()[:2]
    return int(parent), state, name


def descendants():
    """{pid: name} of all living processes below this one."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit() and (found := stat_of(int(entry))):
            parents[int(entry)] = found
    below, more = {}, {os.getpid()}
    while more:
        more = {pid for pid, (parent, _, _) in parents.items() if parent in more} - below.keys()
        below.update({pid: parents[pid][2] for pid in more})
    return {pid: name for pid, name in below.items() if parents[pid][1] not in "ZX"}


LOCK = threading.Lock()
CACHES = {".seccomp"}  # of the whole state root, meant to stay


class Children:
    """Orphans end up here, for this process is a subreaper: they are reaped in the background.

    A pid namespace ends only when all in it are reaped, so no command that waits for a
    container may have to wait for this process.  What Popen started is left to Popen.
    """

    def __init__(self):
        self.own = set()
        children = self
        original = subprocess.Popen.__init__

        def init(popen, *args, **kwargs):
            with LOCK:
                original(popen, *args, **kwargs)
                children.own.add(popen.pid)

        subprocess.Popen.__init__ = init
        threading.Thread(target=self._loop, daemon=True).start()

    def reap(self):
        with LOCK:
            for pid in self._zombies() - self.own:
                os.waitpid(pid, os.WNOHANG)

    @staticmethod
    def _zombies():
        found = set()
        for task in os.listdir("/proc/self/task"):
            text = Path(f"/proc/self/task/{task}/children").read_text()
            found |= {int(pid) for pid in text.split()
                      if (seen := stat_of(int(pid))) and seen[1] == "Z"}
        return found

    def _loop(self):
        while True:
            time.sleep(0.01)
            try:
                self.reap()
            except OSError:
                pass  # one of them was waited for meanwhile


def keys(prefix):
    """Keyrings named after this session's containers; other keys come and go on their own."""
    with open("/proc/keys", encoding="utf-8", errors="replace") as lines:
        return sorted(line.split(None, 8)[8].strip() for line in lines if prefix in line)


def descriptors():
    found = {}
    with LOCK:  # the thread that reaps opens some
        for fd in os.listdir("/proc/self/fd"):
            try:
                found[fd] = os.readlink(f"/proc/self/fd/{fd}")
            except OSError:
                pass  # the directory's own
    return found


def device_nodes():
    found = {}
    for name in sorted(os.listdir("/dev")):
        info = os.lstat(f"/dev/{name}")
        found[name] = (oct(info.st_mode), info.st_uid, info.st_gid, info.st_rdev)
    return found


def host_names():
    return os.uname().nodename, Path("/proc/sys/kernel/domainname").read_text()


class Snapshot:
    def __init__(self, world, state_root, id_prefix):
        self.id_prefix = id_prefix
        self.world = world
        self.state_root = state_root
        self.before = self.take()

    def take(self):
        return {
            "mounts": mounts(),
            "cgroups": cgroups(self.world.cgroup),
            "processes": sorted(descendants().items()),
            "keys": keys(self.id_prefix),
            "descriptors": descriptors(),
            "/dev": device_nodes(),
            "state": sorted(str(p) for p in Path(self.state_root).rglob("*")
                            if not CACHES & set(p.parts)),
            "names": host_names(),
        }

    def changes(self, patience_s=3.0):
        """{what: (before, after)} of what stays different: processes and keys end a bit later."""
        end = time.monotonic() + patience_s
        while True:
            after = self.take()
            changed = {what: (self.before[what], after[what]) for what in after
                       if after[what] != self.before[what]}
            if not changed or time.monotonic() > end:
                return {what: difference(*pair) for what, pair in changed.items()}
            time.sleep(0.02)

    def clean(self):
        """Removes what a failed test has left, so that the next one begins like this one."""
        known = {pid for pid, _ in self.before["processes"]}
        for pid in descendants().keys() - known:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        for path in sorted(set(cgroups(self.world.cgroup)) - set(self.before["cgroups"]),
                           reverse=True):
            try:
                Path(path, "cgroup.kill").write_text("1")
                Path(path, "cgroup.freeze").write_text("0")
            except OSError:
                pass
        time.sleep(0.1)
        for path in sorted(set(cgroups(self.world.cgroup)) - set(self.before["cgroups"]),
                           reverse=True):
            try:
                os.rmdir(path)
            except OSError:
                pass


def difference(before, after):
    if isinstance(before, list):
        return {"new": [x for x in after if x not in before],
                "gone": [x for x in before if x not in after]}
    if isinstance(before, dict):
        return {"new": {k: v for k, v in after.items() if before.get(k) != v},
                "gone": {k: v for k, v in before.items() if k not in after}}
    return {"before": before, "after": after}
