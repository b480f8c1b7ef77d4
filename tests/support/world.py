# SPDX-License-Identifier: LGPL-2.1-or-later
"""A private world for the session: what a test does to mounts, devices and cgroups stays in it.

The test process enters a mount and a cgroup namespace of its own, mounts a fresh
cgroup2 (its root is a cgroup made for the session), a /dev with own nodes and a
temporary directory in memory.  All of it ends with the process, the cgroup in leave().
"""
import ctypes
import os
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

MS_REC, MS_PRIVATE, MS_NOSUID, MS_BIND = 0x4000, 1 << 18, 2, 4096
MNT_DETACH = 2
CLONE_NEWNS, CLONE_NEWCGROUP = 0x20000, 0x2000000
PR_SET_CHILD_SUBREAPER = 36

libc = ctypes.CDLL(None, use_errno=True)

NODES = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8), "urandom": (1, 9),
         "tty": (5, 0), "fuse": (10, 229)}
LINKS = {"ptmx": "pts/ptmx", "fd": "/proc/self/fd", "stdin": "/proc/self/fd/0",
         "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2"}


def checked(result):
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def mount(source, target, fstype=None, flags=0, data=None):
    encode = [None if x is None else os.fsencode(x) for x in (source, target, fstype, data)]
    checked(libc.mount(encode[0], encode[1], encode[2], ctypes.c_ulong(flags), encode[3]))


def umount(target, flags=MNT_DETACH):
    checked(libc.umount2(os.fsencode(target), flags))


def unshare(flags):
    checked(libc.unshare(flags))


def remove_cgroup(top):
    for directory in [*sorted((p for p in top.rglob("*") if p.is_dir()), reverse=True), top]:
        try:
            directory.rmdir()
        except OSError:
            pass


class World:
    """The session's directories: base (all below), rootfs (template), cgroup (fresh cgroup2)."""

    def __init__(self):
        self.base = None
        self.session_cgroup = None
        self.cgroup = Path("/sys/fs/cgroup")

    def enter(self):
        unshare(CLONE_NEWNS)
        mount(None, "/", flags=MS_REC | MS_PRIVATE)
        libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        os.umask(0o022)
        os.environ.pop("NOTIFY_SOCKET", None)
        os.environ.pop("XDG_RUNTIME_DIR", None)
        self._make_cgroup()
        self._make_dev()
        self._make_base()
        self._make_rootfs()
        self._make_users()

    def leave(self):
        os.chdir("/")
        outer = self.outer / "cgroup.procs"
        outer.write_text("0")
        remove_cgroup(self.session_cgroup)
        for controller in self.lent:
            self._switch("-" + controller)
        for directory in (self.outer, self.base):
            umount(directory)
            directory.rmdir()

    def _switch(self, word):
        try:
            (self.outer / "cgroup.subtree_control").write_text(word)
        except OSError:
            return False
        return True

    def _make_cgroup(self):
        """The hierarchy's real root stays reachable at self.outer, for leave() alone."""
        subprocess.run(["umount", "-R", self.cgroup], check=False, stderr=subprocess.DEVNULL)
        self.outer = Path(tempfile.mkdtemp(prefix="rung-cgroup-"))
        mount("none", self.outer, "cgroup2")
        enabled = (self.outer / "cgroup.subtree_control").read_text().split()
        self.lent = [controller for controller
                     in (self.outer / "cgroup.controllers").read_text().split()
                     if controller not in enabled and self._switch("+" + controller)]
        for old in self.outer.glob("rung-tests-*"):
            if not Path("/proc", old.name.rpartition("-")[2]).exists():
                remove_cgroup(old)  # of a session that was killed
        self.session_cgroup = self.outer / f"rung-tests-{os.getpid()}"
        self.session_cgroup.mkdir()
        (self.session_cgroup / "cgroup.procs").write_text("0")
        unshare(CLONE_NEWCGROUP)
        mount("none", self.cgroup, "cgroup2")
        (self.cgroup / "harness").mkdir()
        (self.cgroup / "harness" / "cgroup.procs").write_text("0")

    def _make_dev(self):
        fresh = tempfile.mkdtemp(prefix="rung-dev-")
        mount("none", fresh, "tmpfs", MS_NOSUID, "mode=755")
        dev = Path(fresh)
        for name, (major, minor) in NODES.items():
            os.mknod(dev / name, stat.S_IFCHR | 0o666, os.makedev(major, minor))
            os.chmod(dev / name, 0o666)
        for name, text in LINKS.items():
            os.symlink(text, dev / name)
        for name in ("pts", "shm", "mqueue"):
            (dev / name).mkdir()
        mount("none", dev / "pts", "devpts", 0, "newinstance,ptmxmode=0666,mode=620,gid=5")
        mount("none", dev / "shm", "tmpfs", 0, "mode=1777")
        mount(fresh, "/dev", flags=MS_BIND | MS_REC)
        umount(fresh)
        os.rmdir(fresh)

    def _make_base(self):
        self.base = Path(tempfile.mkdtemp(prefix="rung-tests-"))
        mount("none", self.base, "tmpfs", 0, "mode=755")
        self.base.chmod(0o755)
        for name in ("bundles", "state", "bin"):
            (self.base / name).mkdir()

    def _make_rootfs(self):
        busybox = shutil.which("busybox")
        template = self.base / "template"
        (template / "bin").mkdir(parents=True)
        shutil.copy(busybox, template / "bin" / "busybox")
        self.applets = subprocess.run([busybox, "--list"], check=True, text=True,
                                      stdout=subprocess.PIPE).stdout.split()
        self.probe = self._compile("probe")
        shutil.copy(self.probe, template / "bin" / "probe")
        self.template = template

    def _compile(self, name):
        source = Path(__file__).parent.parent / "helpers" / f"{name}.c"
        program = self.base / "bin" / name
        subprocess.run([os.environ.get("CC", "cc"), "-static", "-O1", "-Wall", "-Werror",
                        "-o", program, source], check=True)
        return program

    def _make_users(self):
        """Accounts for the rootless tests: in front of the host's, in this namespace alone."""
        self.user, self.sub = 12345, 200000
        etc = self.base / "etc"
        etc.mkdir()
        for name, text in {"passwd": f"root:x:0:0::/root:/bin/sh\nrung:x:{self.user}:{self.user}"
                                     "::/:/bin/sh\n",
                           "group": f"root:x:0:\nrung:x:{self.user}:\n",
                           "subuid": f"rung:{self.sub}:65536\n",
                           "subgid": f"rung:{self.sub}:65536\n"}.items():
            (etc / name).write_text(text)
            if not Path("/etc", name).exists():
                continue
            mount(etc / name, f"/etc/{name}", flags=MS_BIND)

    def make_rootfs(self, path):
        """A root file system of its own, of hard links: busybox, its applets, probe."""
        path = Path(path)
        for name in ("bin", "proc", "sys", "dev", "tmp", "etc", "root", "usr", "var", "run"):
            (path / name).mkdir(parents=True, exist_ok=True)
        (path / "tmp").chmod(0o1777)
        for name in ("busybox", "probe"):
            os.link(self.template / "bin" / name, path / "bin" / name)
        for applet in self.applets:
            if not (path / "bin" / applet).exists():
                os.symlink("busybox", path / "bin" / applet)
        (path / "etc" / "passwd").write_text("root:x:0:0:root:/root:/bin/sh\n"
                                             "user:x:1000:1000:user:/home/user:/bin/sh\n")
        (path / "etc" / "group").write_text("root:x:0:\ntty:x:5:\nuser:x:1000:\n")
        return path
