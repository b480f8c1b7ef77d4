# SPDX-License-Identifier: LGPL-2.1-or-later
"""Driving the runtime: Rung runs commands, Bundle is a config.json with its root file system."""
import itertools
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time
from array import array
from pathlib import Path

import pytest

from . import spec

NUMBERS = itertools.count(1)
ID_PREFIX = f"t{os.getpid()}-"


class Failure(AssertionError):
    pass


class Result:
    def __init__(self, argv, status, out, err, seconds):
        self.argv, self.status, self.out, self.err = argv, status, out, err
        self.seconds = seconds

    def __repr__(self):
        return (f"$ {' '.join(map(str, self.argv))}\nexit status {self.status}\n"
                f"stdout: {self.out}\nstderr: {self.err}")

    def ok(self):
        if self.status != 0:
            raise Failure(repr(self))
        return self

    def fails(self, *texts, status=1):
        """The command failed with @status and says each of @texts on stderr."""
        if self.status != status:
            raise Failure(f"expected exit status {status}\n{self!r}")
        for text in texts:
            if text not in self.err:
                raise Failure(f"expected {text!r} on stderr\n{self!r}")
        return self

    def json(self):
        return json.loads(self.ok().out)


class Rung:
    def __init__(self, world, program, state, user=None):
        self.world, self.program, self.state, self.user = world, program, Path(state), user
        self.bundles = []

    def argv(self, *args, root=True):
        return [self.program] + (["--root", str(self.state)] if root else []) + list(map(str, args))

    def __call__(self, *args, root=True, timeout=20, stdin=subprocess.DEVNULL, text=None,
                 **popen):
        """Runs to the end.  Output goes to files, for a container may keep pipes open."""
        argv = self.argv(*args, root=root)
        out, err = (open(self.world.base / f"std{n}.{next(NUMBERS)}", "w+b") for n in (1, 2))
        begin = time.monotonic()
        popen.setdefault("stdout", out)
        popen.setdefault("stderr", err)
        if text is not None:
            stdin = subprocess.PIPE
        process = subprocess.Popen(argv, stdin=stdin, **self._as_user(popen))
        try:
            process.communicate(text.encode() if text is not None else None, timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise Failure(f"$ {' '.join(argv)}\nstill running after {timeout} s") from None
        finally:
            seconds = time.monotonic() - begin
            texts = []
            for stream in (out, err):
                stream.seek(0)
                texts.append(stream.read().decode(errors="replace"))
                stream.close()
                os.unlink(stream.name)
        return Result(argv, process.returncode, *texts, seconds)

    def popen(self, *args, root=True, **popen):
        return subprocess.Popen(self.argv(*args, root=root), **self._as_user(popen))

    def _as_user(self, popen):
        if self.user is not None:
            popen.update(user=self.user, group=self.user, extra_groups=[])
        return popen

    def new_id(self):
        return f"{ID_PREFIX}{next(NUMBERS)}"

    def bundle(self, *args, **changes):
        made = Bundle(self, *args, **changes)
        self.bundles.append(made)
        return made

    def clean(self):
        """Deletes what the test has left to the fixture: containers and bundles."""
        for made in self.bundles:
            for used in made.used:
                if (self.state / used).exists():
                    self("delete", "--force", used)
            shutil.rmtree(made.path, ignore_errors=True)
        self.bundles.clear()


class Bundle:
    """@args: the program; @changes: top members of the configuration to replace."""

    def __init__(self, rung, *args, **changes):
        self.rung = rung
        self.used = []
        self.id = rung.new_id()
        self.path = rung.world.base / "bundles" / self.id
        self.path.mkdir()
        self.rootfs = rung.world.make_rootfs(self.path / "rootfs")
        self.spec = spec.default()
        self.spec.update(changes)
        self.linux, self.process = self.spec["linux"], self.spec["process"]
        self.linux["cgroupsPath"] = f"/{self.id}"
        if args:
            self.process["args"] = list(args)
        if rung.user is not None:
            self._for_user(rung.user)

    def _for_user(self, user):
        os.chown(self.path, user, user)
        for top, names, files in os.walk(self.rootfs):
            for name in ["."] + names + files:
                os.chown(os.path.join(top, name), user, user, follow_symlinks=False)
        self.userns(user, 1)
        del self.linux["cgroupsPath"]
        self.linux["resources"] = {}
        self.mount("/dev/pts")["options"].remove("gid=5")

    def sh(self, script):
        self.process["args"] = ["/bin/sh", "-c", script]
        return self

    def userns(self, host, size):
        self.linux["namespaces"].append({"type": "user"})
        for name in ("uidMappings", "gidMappings"):
            self.linux[name] = [{"containerID": 0, "hostID": host, "size": size}]
        return self

    def chown_rootfs(self, uid):
        for top, names, files in os.walk(self.rootfs):
            for name in ["."] + names + files:
                path = os.path.join(top, name)
                if not name.startswith(("busybox", "probe")):
                    os.chown(path, uid, uid, follow_symlinks=False)
        return self

    def mount(self, destination):
        return next(m for m in self.spec["mounts"] if m["destination"] == destination)

    def namespace(self, kind):
        return next((n for n in self.linux["namespaces"] if n["type"] == kind), None)

    def without_namespace(self, *kinds):
        self.linux["namespaces"] = [n for n in self.linux["namespaces"]
                                    if n["type"] not in kinds]
        return self

    def without_mount(self, *destinations):
        self.spec["mounts"] = [m for m in self.spec["mounts"]
                               if m["destination"] not in destinations]
        return self

    def add_mount(self, destination, fstype, source, *options):
        self.spec["mounts"].append(spec.entry(destination, fstype, str(source), *options))
        return self

    def bind(self, source, destination, *options):
        self.spec["mounts"].append(spec.bind(source, destination, *options))
        return self

    def caps(self, *names):
        self.process["capabilities"] = {kind: list(names) for kind in
                                        ("bounding", "effective", "permitted")}
        return self

    @property
    def cgroup(self):
        return self.rung.world.cgroup / self.linux["cgroupsPath"].lstrip("/")

    def write(self):
        text = self.spec if isinstance(self.spec, str) else json.dumps(self.spec)
        (self.path / "config.json").write_text(text)
        return self

    def new_id(self):
        self.id = self.rung.new_id()
        return self.id

    # Each command runs on the newest id.

    def _start(self, command, flags, popen):
        self.write()
        self.used.append(self.id)
        global_flags = popen.pop("global_flags", ())
        result = self.rung(*global_flags, command, "--bundle", self.path, *flags, self.id, **popen)
        skip_when_built_without(self.rung, result)
        return result

    def create(self, *flags, **popen):
        return self._start("create", flags, popen)

    def run(self, *flags, **popen):
        return self._start("run", flags, popen)

    def output(self, *flags, **popen):
        """What a successful run printed, stripped."""
        return self.run(*flags, **popen).ok().out.strip()

    def up(self, *flags, **popen):
        """Created and started, in the background."""
        self.create(*flags, **popen).ok()
        self.start().ok()
        return self

    def start(self, **popen):
        return self.rung("start", self.id, **popen)

    def state(self):
        return self.rung("state", self.id).json()

    def status(self):
        return self.state()["status"]

    def exec(self, *args, flags=(), **popen):
        return self.rung("exec", *flags, self.id, *args, **popen)

    def kill(self, *args):
        return self.rung("kill", self.id, *args)

    def delete(self, *flags):
        return self.rung("delete", *flags, self.id)

    def wait_for(self, status, seconds=5):
        end = time.monotonic() + seconds
        while (seen := self.status()) != status:
            if time.monotonic() > end:
                raise Failure(f"container is {seen}, not {status}, after {seconds} s")
            time.sleep(0.01)
        return self


def skip_when_built_without(rung, result):
    """Skips the test whose runtime refuses a library's feature that `features` denies, too."""
    refusal = re.search(r"linux\.seccomp: built without libseccomp", result.err)
    if not refusal:
        return
    if rung("features").json()["linux"]["seccomp"]["enabled"]:
        raise Failure(f"features has seccomp\n{result!r}")
    pytest.skip(refusal.group())


def wait_until(predicate, seconds=5, what="condition"):
    end = time.monotonic() + seconds
    while not (value := predicate()):
        if time.monotonic() > end:
            raise Failure(f"{what} not reached in {seconds} s")
        time.sleep(0.01)
    return value


class Receiver:
    """A listening socket that takes one message with descriptors: console, pidfd, seccomp."""

    def __init__(self, path):
        self.path = str(path)
        self.fds, self.data, self.error = [], b"", None
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(self.path)
        self.listener.listen(4)
        self.listener.settimeout(10)
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self):
        try:
            connection, _ = self.listener.accept()
            with connection:
                connection.settimeout(10)
                self.data, ancillary, _, _ = connection.recvmsg(65536, socket.CMSG_SPACE(64))
                for level, kind, payload in ancillary:
                    if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                        fds = array("i")
                        fds.frombytes(payload[:len(payload) - len(payload) % fds.itemsize])
                        self.fds += list(fds)
        except OSError as error:
            self.error = error

    def receive(self):
        self.thread.join(10)
        if self.error or not self.fds:
            raise Failure(f"no descriptor came: {self.error or self.data!r}")
        return self.fds[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()
        self.thread.join(10)
        for fd in self.fds:
            os.close(fd)
        os.unlink(self.path)


def read_all(fd, seconds=5):
    """All that comes out of a terminal until it hangs up."""
    import select
    data, end = b"", time.monotonic() + seconds
    while time.monotonic() < end:
        if not select.select([fd], [], [], 0.1)[0]:
            continue
        try:
            more = os.read(fd, 4096)
        except OSError:
            break
        if not more:
            break
        data += more
    return data.decode(errors="replace").replace("\r\n", "\n")


def window_size(fd):
    import fcntl
    import termios
    rows, columns, _, _ = struct.unpack("HHHH", fcntl.ioctl(fd, termios.TIOCGWINSZ, bytes(8)))
    return rows, columns


def kill_quietly(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass


def add_hook(bundle, kind, script, **members):
    """A shell hook; @script may use $OUT, a directory of the bundle's for what it sees."""
    out = bundle.path / "out"
    out.mkdir(exist_ok=True)
    out.chmod(0o777)
    hooks = bundle.spec.setdefault("hooks", {}).setdefault(kind, [])
    number = len(hooks)
    path = bundle.path / f"{kind}-{number}.sh"
    path.write_text(f"#!/bin/sh\nOUT={out}\n{script}\n")
    path.chmod(0o755)
    hooks.append({"path": str(path), **members})
    return out


def numbers(text):
    """The descriptors in what `probe fds` printed."""
    return [int(number) for number in re.findall(r"(?:^| )(\d+):", text)]
