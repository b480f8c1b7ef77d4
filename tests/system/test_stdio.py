# SPDX-License-Identifier: LGPL-2.1-or-later
"""Standard streams that are not the runtime's own keep their owner, mode and flags."""
import fcntl
import os
import pty
import socket

import pytest

KINDS = ["null", "zero", "full", "file", "pipe", "socketpair", "terminal"]


def open_stream(kind, bundle):
    """(descriptor for the container, others to close)"""
    if kind in ("null", "zero", "full"):
        return os.open(f"/dev/{kind}", os.O_RDWR), []
    if kind == "file":
        return os.open(bundle.path / "stream", os.O_RDWR | os.O_CREAT, 0o600), []
    if kind == "pipe":
        read_end, write_end = os.pipe()
        return write_end, [read_end]
    if kind == "socketpair":
        first, second = socket.socketpair()
        return first.detach(), [second.detach()]
    master, slave = pty.openpty()
    return slave, [master]


def facts(fd):
    info = os.fstat(fd)
    return (info.st_mode, info.st_uid, info.st_gid, info.st_rdev, fcntl.fcntl(fd, fcntl.F_GETFL))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("user", [0, 1000])
@pytest.mark.parametrize("how", ["run", "detached", "exec", "userns"])
def test_streams_keep_their_owner(rung, kind, user, how):
    bundle = rung.bundle("/bin/sleep", "100") if how == "exec" else rung.bundle("/bin/true")
    bundle.process["user"] = {"uid": user, "gid": user}
    if how == "userns":
        bundle.userns(100000, 65536).chown_rootfs(100000)
    stream, others = open_stream(kind, bundle)
    streams = {"stdin": stream, "stdout": stream, "stderr": stream}
    try:
        before = facts(stream)
        if how == "exec":
            bundle.up()
            status = bundle.exec("/bin/true", flags=["--user", str(user)], **streams).status
        elif how == "detached":
            status = bundle.create(**streams).status
            assert facts(stream) == before
            bundle.start().ok()
            bundle.wait_for("stopped")
        else:
            status = bundle.run(**streams).status
        assert status == 0
        assert facts(stream) == before
    finally:
        for fd in [stream, *others]:
            os.close(fd)


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
def test_closed_streams(rung, closed):
    """A runtime started without them neither crashes nor hands one of its own to the program."""
    import subprocess
    bundle = rung.bundle("/bin/sh", "-c", "exec 9>/tmp/fds; probe fds >&9").write()
    bundle.used.append(bundle.id)
    redirections = " ".join(f"{fd}{'<' if fd == 0 else '>'}&-" for fd in closed)
    argv = rung.argv("run", "--bundle", bundle.path, bundle.id)
    status = subprocess.run(["/bin/sh", "-c", f'exec "$@" {redirections}', "sh", *argv],
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, timeout=10, check=False).returncode
    if status == 0:
        text = (bundle.rootfs / "tmp/fds").read_text()
        assert str(rung.state) not in text and "memfd" not in text and "pidfd" not in text


def test_output_of_many_bytes(rung):
    bundle = rung.bundle("/bin/dd", "if=/dev/zero", "bs=65536", "count=320")
    assert len(bundle.run().ok().out) == 320 * 65536


def test_terminal_output_of_many_bytes(rung):
    bundle = rung.bundle("/bin/sh", "-c", "seq 1 50000")
    bundle.process["terminal"] = True
    lines = bundle.run().ok().out.split()
    assert lines == [str(n) for n in range(1, 50001)]


def test_input_is_handed_through(rung):
    assert rung.bundle("/bin/cat").run(text="words in\n").ok().out == "words in\n"
    bundle = rung.bundle("/bin/sleep", "100").up()
    assert bundle.exec("/bin/cat", text="words in\n").ok().out == "words in\n"
