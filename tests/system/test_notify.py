# SPDX-License-Identifier: LGPL-2.1-or-later
"""NOTIFY_SOCKET: what the container says of its readiness, and what the host is told of it."""
import os
import socket
import stat
import subprocess
import threading
import time
from array import array
from pathlib import Path

import pytest
from support.leftover import descendants
from support.runtime import wait_until

INSIDE = "/run/notify/notify.sock"


class Manager:
    """A service manager: keeps what it is told, closes the descriptors of barriers at once."""

    def __init__(self, address, barriers=True):
        self.address, self.barriers = str(address), barriers
        self.messages, self.kept = [], []
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.listener.bind(self.address.replace("@", "\0", 1))
        self.environment = {**os.environ, "NOTIFY_SOCKET": self.address}
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self):
        while True:
            data, ancillary, _, _ = self.listener.recvmsg(4096, socket.CMSG_SPACE(64))
            if not data:
                return
            fds = array("i")
            for _, _, payload in ancillary:
                fds.frombytes(payload)
            self.messages.append((data.decode(), len(fds)))
            self.kept += fds
            while self.barriers and self.kept:
                os.close(self.kept.pop())

    def wait(self, count):
        wait_until(lambda: len(self.messages) >= count)
        return self.messages

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
            end.sendto(b"", self.listener.getsockname())
        self.thread.join(10)
        self.listener.close()
        for fd in self.kept:
            os.close(fd)


@pytest.fixture
def manager(rung):
    with Manager(rung.world.base / f"manager-{rung.new_id()}") as made:
        yield made


def notifier(rung, *messages, then="sleep 100"):
    texts = " ".join(f"'{message}'" for message in messages)
    return rung.bundle().sh(f"probe notify {texts} >/tmp/sent; mv /tmp/sent /tmp/answers; {then}")


def told(pid):
    return f"READY=1\nMAINPID={pid}"


def test_detached_run_waits_for_readiness(rung, manager):
    bundle = notifier(rung, "STATUS=coming", then="while [ ! -e /tmp/go ]; do sleep 0.05; done; "
                                                  "probe notify READY=1; sleep 100")
    bundle.write()
    bundle.used.append(bundle.id)
    process = rung.popen("run", "--detach", "--bundle", bundle.path, bundle.id,
                         env=manager.environment, stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL)
    wait_until((bundle.rootfs / "tmp/answers").exists)
    time.sleep(0.2)
    assert process.poll() is None and manager.messages == []
    bundle.exec("/bin/true").ok()  # whoever waits holds no lock
    rung("pause", bundle.id).ok()
    rung("resume", bundle.id).ok()
    (bundle.rootfs / "tmp/go").touch()
    assert process.wait(10) == 0
    pid = bundle.state()["pid"]
    assert manager.messages == [(told(pid), 0), ("BARRIER=1", 1)]
    assert [name for name in descendants().values() if name == "rung"] == []


@pytest.mark.parametrize("kind", ["path", "abstract"])
def test_start_tells_the_host(rung, kind):
    address = f"@rung-{rung.new_id()}" if kind == "abstract" else rung.world.base / rung.new_id()
    with Manager(address) as manager:
        bundle = notifier(rung, "READY=1")
        bundle.create(env=manager.environment).ok()
        assert list((rung.state / bundle.id / "notify").iterdir()) == []
        assert manager.messages == []
        bundle.start(env=manager.environment).ok()
        pid = bundle.state()["pid"]
        assert manager.messages == [(told(pid), 0), ("BARRIER=1", 1)]
        proxy = Path(f"/proc/{pid}/root{INSIDE}")
        assert stat.S_ISSOCK(proxy.stat().st_mode) and proxy.stat().st_mode & 0o777 == 0o777
        environ = wait_until(Path(f"/proc/{pid}/environ").read_text)  # empty during an execve(2)
        assert f"NOTIFY_SOCKET={INSIDE}" in environ.split("\0")
        bundle.delete("--force").ok()
        assert not (rung.state / bundle.id).exists()


def test_long_paths_to_the_host_and_the_state(rung):
    directory = rung.world.base / rung.new_id() / ("x" * 120)
    directory.mkdir(parents=True)
    here = os.open(directory, os.O_PATH)  # bind(2) takes no path of that length
    try:
        with Manager(f"/proc/self/fd/{here}/s") as manager:
            environment = {**os.environ, "NOTIFY_SOCKET": str(directory / "s")}
            bundle = notifier(rung, "READY=1")
            bundle.id += "y" * 120
            bundle.run("--detach", env=environment).ok()
            assert manager.messages[0] == (told(bundle.state()["pid"]), 0)
    finally:
        os.close(here)


@pytest.mark.parametrize("message, passes", [
    ("READY=1", True), ("STATUS=up\nREADY=1", True), ("READY=1\nMAINPID=1\nSTOPPING=1", True),
    ("READY=0", False), ("READY=10", False), ("XREADY=1", False), ("MAINPID=1", False),
    ("STATUS=READY=1", False), ("BARRIER=1", False), ("FDSTORE=1", False)])
def test_only_the_line_of_readiness_counts(rung, manager, message, passes):
    bundle = notifier(rung, message, then="true")
    bundle.run("--detach", env=manager.environment).ok()
    bundle.wait_for("stopped")
    assert (bundle.rootfs / "tmp/answers").read_text() == "ok\n"
    if passes:
        sent, pid = manager.messages[0][0].split("\nMAINPID=")
        assert (sent, manager.messages[1:]) == ("READY=1", [("BARRIER=1", 1)])
        assert int(pid) > 1
    else:
        assert manager.messages == []


def test_foreground_run_stays_the_main_process(rung, manager):
    bundle = notifier(rung, "READY=1", *["WATCHDOG=1"] * 50, "READY=1", then="exit 3")
    bundle.write()
    bundle.used.append(bundle.id)
    process = rung.popen("run", "--bundle", bundle.path, bundle.id, env=manager.environment,
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    assert process.wait(10) == 3
    assert manager.messages == [(told(process.pid), 0)]
    assert (bundle.rootfs / "tmp/answers").read_text() == "ok\n" * 52


def test_a_program_that_notifies_and_ends_is_heard(rung, manager):
    bundle = rung.bundle("/bin/probe", "notify", "READY=1")
    bundle.run("--detach", env=manager.environment).ok()
    assert [text for text, _ in manager.messages][1:] == ["BARRIER=1"]
    bundle = rung.bundle("/bin/probe", "notify", "READY=1")
    bundle.run(env=manager.environment).ok()
    manager.wait(3)


def test_a_program_that_ends_without_a_word_ends_the_wait(rung, manager):
    result = rung.bundle("/bin/false").run("--detach", env=manager.environment).ok()
    assert result.seconds < 5
    assert manager.messages == []


def test_another_user_in_a_user_namespace_may_notify(rung, manager):
    bundle = notifier(rung, "READY=1").userns(100000, 65536).chown_rootfs(100000)
    bundle.process["user"] = {"uid": 1000, "gid": 1000}
    (bundle.rootfs / "tmp").chmod(0o1777)
    os.umask(0o077)
    try:
        bundle.run("--detach", env=manager.environment).ok()
    finally:
        os.umask(0o022)
    assert manager.messages[0] == (told(bundle.state()["pid"]), 0)


def test_the_directory_is_read_only_in_the_container(rung, manager):
    bundle = rung.bundle().sh("touch /run/notify/x 2>/dev/null || echo refused")
    assert bundle.output(env=manager.environment) == "refused"


@pytest.mark.parametrize("value, text", [
    ("relative", "neither an absolute path nor @NAME"), ("@", "neither"), ("/", "neither"),
    ("vsock:2:9", "neither"), ("@" + "x" * 108, "too long")])
def test_addresses_that_are_none_are_refused(rung, value, text):
    bundle = rung.bundle("/bin/true")
    bundle.create(env={**os.environ, "NOTIFY_SOCKET": value}).fails("NOTIFY_SOCKET", text)
    assert not (rung.state / bundle.id).exists()


def test_a_host_that_does_not_listen_keeps_the_container_from_starting(rung, manager):
    bundle = notifier(rung, "READY=1")
    absent = {**os.environ, "NOTIFY_SOCKET": str(rung.world.base / "nobody")}
    bundle.create(env=absent).ok()
    bundle.start(env=absent).fails("NOTIFY_SOCKET", "nobody: no such file")
    assert bundle.status() == "created"
    bundle.start(env=manager.environment).ok()
    assert manager.messages[0] == (told(bundle.state()["pid"]), 0)


def test_both_create_and_start_decide(rung, manager):
    without = {name: value for name, value in os.environ.items() if name != "NOTIFY_SOCKET"}
    bundle = rung.bundle().sh("echo [$NOTIFY_SOCKET] >/tmp/x; touch /tmp/done; sleep 100")
    bundle.create(env=without).ok()
    assert bundle.start(env=manager.environment).ok().seconds < 5
    wait_until((bundle.rootfs / "tmp/done").exists)
    assert (bundle.rootfs / "tmp/x").read_text() == "[]\n"
    bundle = notifier(rung, "READY=1")
    bundle.create(env=manager.environment).ok()
    assert bundle.start(env=without).ok().seconds < 5
    wait_until((bundle.rootfs / "tmp/answers").exists)
    assert (bundle.rootfs / "tmp/answers").read_text() == "ENOENT\n"
    assert manager.messages == []


def test_without_a_mount_namespace_nothing_is_promised(rung, manager):
    bundle = rung.bundle().sh("echo [$NOTIFY_SOCKET]").without_namespace("mount")
    bundle.spec["mounts"] = []
    bundle.linux.update(maskedPaths=[], readonlyPaths=[])
    assert bundle.output(env=manager.environment) == "[]"


def listening(rung, bundle):
    bundle.write()
    bundle.used.append(bundle.id)
    argv = rung.argv("run", "--bundle", bundle.path, bundle.id)
    script = 'export LISTEN_FDS=1 LISTEN_PID=$$; exec "$@" 3</'
    return subprocess.run(["/bin/sh", "-c", script, "sh", *argv], check=True, text=True,
                          stdout=subprocess.PIPE, stdin=subprocess.DEVNULL).stdout.split()


@pytest.mark.parametrize("kind", ["new", "host", "joined"])
def test_listen_pid_is_the_program(rung, kind):
    bundle = rung.bundle().sh("echo $LISTEN_FDS $LISTEN_PID $$")
    if kind == "host":
        bundle.without_namespace("pid")
    elif kind == "joined":
        bundle.namespace("pid")["path"] = "/proc/self/ns/pid"
    count, listen_pid, pid = listening(rung, bundle)
    assert (count, listen_pid) == ("1", pid)
    assert (pid == "1") == (kind == "new")
