# SPDX-License-Identifier: LGPL-2.1-or-later
"""Debian's Podman with a storage of its own in the session's world."""
import os
import shutil
import subprocess

from .leftover import descendants, stat_of
from .runtime import Failure, Result, wait_until
from .world import remove_cgroup

CONFIGURATION = """
[containers]
pids_limit = 0
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
netns = "none"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
lock_type = "file"
no_pivot_root = false
"""


class Podman:
    """One engine for a test; clean() takes everything of it away."""

    def __init__(self, world, runtime):
        self.world = world
        self.base = world.base / "podman"
        self.base.mkdir()
        (self.base / "containers.conf").write_text(CONFIGURATION)
        (self.base / "storage.conf").write_text(
            f'[storage]\ndriver = "vfs"\nrunroot = "{self.base}/run"\ngraphroot = "{self.base}/root"\n')
        (self.base / "policy.json").write_text('{"default": [{"type": "insecureAcceptAnything"}]}')
        self.rootfs = world.make_rootfs(self.base / "rootfs")
        self.command = ["podman", "--root", self.base / "root", "--runroot", self.base / "run",
                        "--tmpdir", self.base / "tmp", "--runtime", runtime]
        self.environment = {**os.environ, "CONTAINERS_CONF": str(self.base / "containers.conf"),
                            "CONTAINERS_STORAGE_CONF": str(self.base / "storage.conf"),
                            "HOME": str(self.base), "TMPDIR": str(self.base)}

    def __call__(self, *args, stdin=subprocess.DEVNULL, timeout=60):
        argv = [str(a) for a in (*self.command, *args)]
        done = subprocess.run(argv, stdin=stdin, capture_output=True, text=True, timeout=timeout,
                              env=self.environment, check=False)
        return Result(argv, done.returncode, done.stdout, done.stderr, 0)

    def run(self, *args, flags=(), **options):
        """`podman run --rm` of @args in the test's root file system."""
        return self("run", "--rm", *flags, "--rootfs", self.rootfs, *args, **options)

    def up(self, *args, flags=(), name="c"):
        """A container in the background; its engine's id."""
        return self("run", "-d", "--name", name, *flags, "--rootfs", self.rootfs,
                    *args).ok().out.strip()

    def clean(self):
        removed = self("rm", "-fa", "-t", "0")
        self._end_conmons()
        shutil.rmtree(self.base, ignore_errors=True)
        for parent in self.world.cgroup.glob("libpod*"):
            remove_cgroup(parent)
        if removed.status:
            raise Failure(repr(removed))

    def _end_conmons(self):
        """conmon calls Podman for a clean-up of its own after the end; waits for all of that."""
        wait_until(lambda: not [pid for pid, name in descendants().items()
                                if name in ("conmon", "podman") and stat_of(pid)],
                   seconds=20, what="the end of conmon")
