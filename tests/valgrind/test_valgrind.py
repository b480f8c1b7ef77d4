# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commands under valgrind: the runtime's process loses no memory, leaves no descriptor open at its
end and reads nothing that was not written; init does so up to its execve.

The binary lies on a mount that needs no protected copy of it (host/selfexe.h), and system calls
that valgrind does not know go around it (tests/helpers/native-syscalls.c).
"""
import contextlib
import os
import platform
import re
import shutil
import socket
import subprocess
from pathlib import Path

import pytest
from support.runtime import Receiver, Rung, add_hook
from support.world import MS_BIND, mount, umount

MS_RDONLY, MS_NODEV, MS_REMOUNT, MS_NOSYMFOLLOW = 1, 4, 32, 256
SECCOMP = {"defaultAction": "SCMP_ACT_ALLOW", "architectures": ["SCMP_ARCH_X86_64"],
           "syscalls": [{"names": ["mkdir", "read"], "action": "SCMP_ACT_ERRNO", "args": [
               {"index": 0, "value": 77, "op": "SCMP_CMP_EQ"}]}]}
SLEEP = ("/bin/sleep", "100")


class Checked(Rung):
    """Rung, each command of which has to end clean."""

    def __init__(self, world, program, state, preload, logs):
        super().__init__(world, program, state)
        self.logs = logs
        self.environment = {"LD_PRELOAD": str(preload)}
        self.valgrind = ["valgrind", "--leak-check=full", "--show-leak-kinds=all",
                         "--errors-for-leak-kinds=all", "--track-fds=yes", "--num-callers=30", "--sim-hints=lax-ioctls",
                         f"--log-file={logs}/%p.log"]

    def argv(self, *args, root=True):
        return self.valgrind + super().argv(*args, root=root)

    def __call__(self, *args, env=None, **popen):
        popen.setdefault("timeout", 60)
        result = super().__call__(*args, env={**os.environ, **self.environment, **(env or {})},
                                  **popen)
        texts = [log.read_text() for log in self.logs.glob("*.log")]
        shutil.rmtree(self.logs)
        self.logs.mkdir()
        assert [text for text in texts if f"Parent PID: {os.getpid()}\n" in text
                and "ERROR SUMMARY:" in text], f"no summary\n{result!r}\n{texts}"
        for text in texts:
            assert not faults(text), f"{result!r}\n{text}"
        return result


HEADER = re.compile("Memcheck, a memory|Copyright|Using Valgrind|Command:|Parent PID:|$|FILE DESC"
                    "|HEAP SUMMARY:| +in use at exit: 0 bytes| +total heap|All heap blocks were"
                    "|For lists of detected|ERROR SUMMARY: 0 errors")


def faults(text):
    """What a log of valgrind's tells beside its frame; that of init ends with the execve."""
    lines = [line.partition("== ")[2] if line.startswith("==") else line
             for line in text.splitlines()]
    found = []
    for line, origin in zip(lines, lines[1:] + [""]):
        inherited = "<inherited from parent>" in origin and (
            re.match(r"Open file descriptor [012]\b", line) or line.endswith(".log"))
        if not (inherited or HEADER.match(line) or "<inherited from parent>" in line):
            found.append(line)
    return found


@pytest.fixture(scope="module")
def place(world):
    """The runtime's directory on the mount that it takes for its own; the preloaded library."""
    if platform.machine() != "x86_64":
        pytest.skip("tests/helpers/native-syscalls.c is for x86-64 alone")
    for needed in ("valgrind", "cc"):
        if not shutil.which(needed):
            pytest.fail(f"{needed} is not installed")
    directory = world.base / "protected"
    directory.mkdir()
    mount(str(Path(shutil.which(os.environ["RUNG"])).parent), directory, flags=MS_BIND)
    mount(None, directory, flags=MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NODEV | MS_NOSYMFOLLOW)
    library = world.base / "bin" / "native-syscalls.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-D_GNU_SOURCE", "-Wall", "-Werror",
                    "-fno-stack-protector", "-fcf-protection=none", "-o", library,
                    Path(__file__).parent.parent / "helpers/native-syscalls.c"], check=True)
    logs = world.base / "valgrind"
    logs.mkdir()
    yield directory, library, logs
    umount(directory)
    directory.rmdir()


@pytest.fixture
def checked(world, nothing_left, place):
    directory, library, logs = place
    name = Path(shutil.which(os.environ["RUNG"])).name
    made = Checked(world, str(directory / name), world.base / "state", library, logs)
    yield made
    made.clean()


def test_life_of_a_container(checked):
    bundle = checked.bundle(*SLEEP)
    bundle.create("--pid-file", bundle.path / "pid").ok()
    bundle.start().ok()
    assert bundle.status() == "running"
    bundle.exec("/bin/true").ok()
    bundle.exec("/bin/sleep", "100", flags=["-d"]).ok()
    checked("list").ok()
    checked("ps", bundle.id).ok()
    checked("pause", bundle.id).ok()
    checked("resume", bundle.id).ok()
    bundle.kill("KILL").ok()
    bundle.wait_for("stopped")
    bundle.delete().ok()


def everything(bundle):
    bundle.process.update(terminal=True, oomScoreAdj=100,
                          rlimits=[{"type": "RLIMIT_CORE", "soft": 0, "hard": 0}])
    bundle.linux.update(sysctl={"kernel.msgmax": "4096"}, seccomp=SECCOMP)
    bundle.add_mount("/data", "tmpfs", "tmpfs", "tmpcopyup", "size=64k")
    bundle.bind(bundle.path, "/bundle", "rbind", "rro", "rprivate")
    for kind in ("prestart", "createRuntime", "createContainer", "poststart", "poststop"):
        add_hook(bundle, kind, "cat >/dev/null")
    bundle.spec["hooks"]["startContainer"] = [{"path": "/bin/true"}]
    # for the log that valgrind opens in each child, else it ends that child
    (bundle.rootfs / str(bundle.rung.logs).lstrip("/")).mkdir(parents=True)
    return bundle


def test_terminal_hooks_seccomp_and_mounts(checked):
    bundle = everything(checked.bundle(*SLEEP))
    with Receiver(bundle.path / "console") as console:
        bundle.create("--console-socket", console.path).ok()
        console.receive()
        bundle.start().ok()
        with Receiver(bundle.path / "exec") as terminal:
            bundle.exec("/bin/true", flags=["-t", "-d", "--console-socket", terminal.path]).ok()
            terminal.receive()
        bundle.delete("--force").ok()


def test_user_namespace(checked):
    bundle = checked.bundle(*SLEEP).userns(100000, 65536).chown_rootfs(100000)
    bundle.create().ok()
    bundle.start().ok()
    bundle.exec("/bin/true", flags=["--user", "1000:1000"]).ok()
    bundle.delete("--force").ok()


def test_run_in_the_foreground(checked):
    assert checked.bundle("/bin/sh", "-c", "exit 3").run().status == 3


@pytest.mark.parametrize("args", [
    ("--version",), ("features",), ("list", "--format=json"), ("help",), ("create", "--help"),
    ("debug", "scores"), ("debug", "completion", "bash")])
def test_what_needs_no_container(checked, args):
    checked(*args).ok()


def test_spec_and_plan(checked, tmp_path):
    checked("spec", "--bundle", tmp_path).ok()
    (tmp_path / "rootfs").mkdir()
    checked("debug", "plan", "x", "--bundle", tmp_path).ok()


def test_refusals(checked):
    checked("start", "nosuch").fails("does not exist")
    checked("create").fails("requires")
    checked("--cgroup-manager=x", "list").fails("cgroup-manager")
    bundle = checked.bundle("/bin/nosuch")
    bundle.create().fails("nosuch")
    bundle = checked.bundle("/bin/true")
    bundle.linux["seccomp"] = {**SECCOMP, "architectures": ["SCMP_ARCH_Z80"]}
    bundle.create().fails("SCMP_ARCH_Z80")
    bundle.spec = '{"ociVersion": "1.3.0", "mounts": [{"destination": "/a"}, {"source": 5}]}'
    bundle.linux = {}
    bundle.create().fails("mounts[1].source")


def test_refused_exec(checked):
    bundle = checked.bundle(*SLEEP).up()
    bundle.create().fails("already exists")
    bundle.exec("/bin/nosuch").fails("nosuch", status=255)
    bundle.exec("x", flags=["--user", "a:b:c"]).fails("user", status=255)
    bundle.delete().fails("not stopped")
    bundle.delete("--force").ok()


CREATE = ("make-state record-intent create-cgroup open-mount-sources spawn-init set-oom-score "
          "mount-all send-console run-runtime-hooks pivot-root load-seccomp find-program save-state "
          "write-pid-file commit release-init").split()
EXEC = "open-cgroup spawn-init set-oom-score join-namespaces send-console commit release-init".split()


@contextlib.contextmanager
def listener(path):
    """Somebody to connect to who reads nothing."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as made:
        made.bind(str(path))
        made.listen(4)
        yield path
    path.unlink()


def test_rollback_of_create(checked):
    """What the rows before the failing one have opened and allocated."""
    rows = checked("debug", "scores").ok().out
    for step in CREATE:
        assert re.search(f"^create .* {step}$", rows, re.M)
        bundle = everything(checked.bundle(*SLEEP))
        bundle.process["noNewPrivileges"] = False  # the filter is loaded before commit
        with listener(bundle.path / "console") as console:
            bundle.create("--console-socket", console, "--pid-file", bundle.path / "pid",
                          env={"RUNG_FAULT": f"create/{step}"}).fails(step)


def test_rollback_of_exec(checked):
    bundle = everything(checked.bundle(*SLEEP))
    bundle.process["terminal"] = False
    bundle.create().ok()
    bundle.start().ok()
    with listener(bundle.path / "terminal") as terminal:
        for step in EXEC:
            bundle.exec("/bin/true", flags=["-t", "-d", "--console-socket", terminal],
                        env={"RUNG_FAULT": f"exec/{step}"}).fails(step, status=255)
    bundle.delete("--force").ok()
