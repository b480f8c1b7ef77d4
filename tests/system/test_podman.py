# SPDX-License-Identifier: LGPL-2.1-or-later
"""Podman with --runtime: what its users do, and nothing left after each."""
import json
import os
import pty
import shutil
import subprocess

import pytest
from support.podman import Podman
from support.runtime import wait_until
from support.world import mount, umount

pytestmark = pytest.mark.skipif(not shutil.which("podman"), reason="podman is not installed")


@pytest.fixture(name="podman")
def fixture_podman(world, rung):
    made = Podman(world, rung.program)
    yield made
    made.clean()


CASES = {  # by theme: name, flags, program, what it prints
    "identity": [
        ("echo", [], ["echo", "ok"], "ok"),
        ("hostname", ["--hostname", "box"], ["hostname"], "box"),
        ("user", ["--user", "1000:1000"], ["id", "-u"], "1000"),
        ("groups", ["--user", "1000", "--group-add", "1234"], ["id", "-G"], "1000 1234"),
        ("workdir", ["--workdir", "/tmp"], ["pwd"], "/tmp"),
        ("env", ["--env", "A=b c"], ["sh", "-c", "echo $A"], "b c"),
        ("umask", ["--umask", "0077"], ["sh", "-c", "umask"], "0077"),
        ("stdin-is-empty", [], ["sh", "-c", "cat; echo done"], "done"),
    ],
    "security": [
        ("cap-drop", ["--cap-drop", "all"], ["grep", "CapEff", "/proc/self/status"],
         "CapEff:\t0000000000000000"),
        ("cap-add", ["--cap-drop", "all", "--cap-add", "net_raw"],
         ["grep", "CapEff", "/proc/self/status"], "CapEff:\t0000000000002000"),
        ("no-new-privileges", ["--security-opt", "no-new-privileges"],
         ["grep", "NoNewPrivs", "/proc/self/status"], "NoNewPrivs:\t1"),
        ("seccomp-default", [], ["grep", "Seccomp:", "/proc/self/status"], "Seccomp:\t2"),
        ("seccomp-unconfined", ["--security-opt", "seccomp=unconfined"],
         ["grep", "Seccomp:", "/proc/self/status"], "Seccomp:\t0"),
        ("mask", ["--security-opt", "mask=/etc/passwd"], ["wc", "-c", "/etc/passwd"],
         "0 /etc/passwd"),
        ("masked", [], ["head", "-c", "5", "/proc/timer_list"], ""),
        ("unmask", ["--security-opt", "unmask=ALL"], ["head", "-c", "5", "/proc/timer_list"],
         "Timer"),
        ("privileged", ["--privileged"], ["ls", "/dev/fuse"], "/dev/fuse"),
    ],
    "files": [
        ("read-only", ["--read-only"], ["sh", "-c", "touch /x 2>/dev/null || echo refused"],
         "refused"),
        ("tmpfs", ["--tmpfs", "/mnt:size=1m,mode=700"], ["stat", "-c", "%a", "/mnt"], "700"),
        ("device", ["--device", "/dev/fuse"], ["stat", "-c", "%t:%T", "/dev/fuse"], "a:e5"),
        ("device-renamed", ["--device", "/dev/null:/dev/nothing:r"],
         ["sh", "-c", "cat /dev/nothing && echo read"], "read"),
        ("shm-size", ["--shm-size", "1m"],
         ["sh", "-c", "df -k /dev/shm | tail -1 | awk '{print $2}'"], "1024"),
    ],
    "namespaces and limits": [
        ("network-none", ["--network", "none"], ["ls", "/sys/class/net"], "lo"),
        ("host-pid", ["--pid", "host"], ["sh", "-c", "test $$ -gt 1 && echo seen"], "seen"),
        ("host-ipc-uts", ["--ipc", "host", "--uts", "host"], ["hostname"], os.uname().nodename),
        ("sysctl", ["--sysctl", "kernel.msgmax=65536"], ["cat", "/proc/sys/kernel/msgmax"],
         "65536"),
        ("oom-score", ["--oom-score-adj", "500"], ["cat", "/proc/self/oom_score_adj"], "500"),
        ("ulimit", ["--ulimit", "nofile=100:200", "--ulimit", "nproc=500:500"],
         ["sh", "-c", "ulimit -Sn; ulimit -Hn"], "100\n200"),
    ],
}


@pytest.mark.parametrize("theme", CASES)
def test_run(podman, theme):
    for name, flags, program, expected in CASES[theme]:
        result = podman.run(*program, flags=flags)
        seen = (name, result.status, result.out.strip(), result.err)
        assert seen == (name, 0, expected, "")


def test_uidmap(podman):
    for top, names, files in os.walk(podman.rootfs):
        for name in [".", *names, *[f for f in files if f not in ("busybox", "probe")]]:
            os.chown(os.path.join(top, name), 100000, 100000, follow_symlinks=False)
    result = podman.run("cat", "/proc/self/uid_map",
                        flags=["--uidmap", "0:100000:65536", "--gidmap", "0:100000:65536"]).ok()
    assert result.out.split() == ["0", "100000", "65536"]


def test_exit_status(podman):
    for program, status, text in (
            (["sh", "-c", "exit 7"], 7, ""),
            (["no-such-program"], 127, "executable file not found in $path"),
            (["/etc/passwd"], 126, "permission denied"),
            (["/no/such/program"], 127, "no such file or directory")):
        result = podman.run(*program)
        assert (program, result.status) == (program, status)
        assert text in result.err.lower().replace("`no-such-program` ", "")


def test_volume(podman):
    source = podman.base / "volume"
    source.mkdir()
    for option, expected in (("ro", "refused"), ("rw", "written"), ("U", "written"),
                             ("rw,nosuid,nodev,noexec", "written")):
        out = podman.run("sh", "-c", "echo x 2>/dev/null >/mnt/file && echo written || echo refused",
                         flags=["-v", f"{source}:/mnt:{option}"]).ok().out
        assert out.strip() == expected
        assert (source / "file").exists() == (expected == "written")


def test_shared_volume_sees_later_mounts(podman):
    source = podman.base / "volume"
    (source / "sub").mkdir(parents=True)
    mount("none", source, "tmpfs")
    try:
        mount(None, source, flags=1 << 20)  # shared
        (source / "sub").mkdir()
        podman.up("sleep", "100", flags=["-v", f"{source}:/mnt:rslave"])
        mount("none", source / "sub", "tmpfs")
        (source / "sub" / "file").write_text("later")
        assert podman("exec", "c", "cat", "/mnt/sub/file").ok().out == "later"
        umount(source / "sub")
        podman("rm", "-f", "-t", "0", "c").ok()
    finally:
        umount(source)


def test_named_volume_keeps_what_is_written(podman):
    flags = ["-v", "data:/mnt"]
    podman.run("sh", "-c", "echo kept >/mnt/file", flags=flags).ok()
    assert podman.run("cat", "/mnt/file", flags=flags).ok().out == "kept\n"
    podman("volume", "rm", "data").ok()


def test_seccomp_profile_of_the_user(podman):
    profile = podman.base / "profile.json"
    profile.write_text(json.dumps({"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
        {"names": ["mkdir", "mkdirat"], "action": "SCMP_ACT_ERRNO", "errnoRet": 95}]}))
    result = podman.run("mkdir", "/tmp/x", flags=["--security-opt", f"seccomp={profile}"])
    assert result.status == 1 and "not supported" in result.err


def test_life_of_a_container(podman, rung):
    identity = podman.up("sh", "-c", "trap 'exit 3' TERM; while :; do sleep 0.1; done")
    assert podman("inspect", "-f", "{{.State.Status}} {{.OCIRuntime}}", "c").ok().out.split() == [
        "running", rung.program]
    for flags, args, expected in (
            ([], ["echo", "inside"], "inside"),
            (["-u", "1000"], ["id", "-u"], "1000"),
            (["-w", "/tmp"], ["pwd"], "/tmp"),
            (["-e", "A=b"], ["sh", "-c", "echo $A"], "b"),
            (["--privileged"], ["sh", "-c", "grep -c 'CapEff.*00000000000$' /proc/self/status; true"],
             "0")):
        assert podman("exec", *flags, "c", *args).ok().out.strip() == expected
    assert podman("exec", "c", "sh", "-c", "exit 9").status == 9
    assert podman("exec", "c", "no-such-program").status == 127
    assert podman("exec", "c", "/etc/passwd").status == 126
    top = podman("top", "c", "pid", "comm").ok().out
    assert "sh" in top
    podman("pause", "c").ok()
    assert podman("inspect", "-f", "{{.State.Status}}", "c").ok().out.strip() == "paused"
    podman("unpause", "c").ok()
    podman("stop", "-t", "5", "c").ok()
    assert podman("wait", "c").ok().out.strip() == "3"
    podman("start", "c").ok()
    podman("restart", "-t", "0", "c").ok()
    podman("kill", "-s", "KILL", "c").ok()
    assert podman("wait", "c").ok().out.strip() == "137"
    podman("rm", "c").ok()
    assert not [p for p in podman.world.cgroup.rglob(f"*{identity}*") if "conmon" not in p.name]


def test_logs_and_attach_by_stdin(podman):
    podman.up("sh", "-c", "echo one; echo two >&2")
    podman("wait", "c").ok()
    result = podman("logs", "c").ok()
    assert result.out == "one\n" and result.err == "two\n"
    done = subprocess.run([str(a) for a in (*podman.command, "run", "-i", "--rm", "--rootfs",
                                            podman.rootfs, "wc", "-c")],
                          input=b"x" * 300000, capture_output=True, env=podman.environment,
                          timeout=60, check=False)
    assert done.stdout.strip() == b"300000"


@pytest.mark.parametrize("how", ["run", "exec"])
def test_terminal(podman, how):
    args = ["-t", "--rootfs", str(podman.rootfs), "tty"] if how == "run" else ["-t", "c", "tty"]
    if how == "exec":
        podman.up("sleep", "100")
    master, slave = pty.openpty()
    try:
        argv = [str(a) for a in (*podman.command, how, *(["--rm"] if how == "run" else []), *args)]
        done = subprocess.run(argv, stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=podman.environment, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip().startswith(b"/dev/pts/")
    finally:
        os.close(master)
        os.close(slave)


def test_pod_shares_namespaces(podman):
    first = podman.up("sleep", "100", name="first")
    assert first
    out = podman.run("hostname", flags=["--uts", "container:first", "--ipc", "container:first",
                                        "--pid", "container:first"]).ok().out.strip()
    assert podman("exec", "first", "hostname").ok().out.strip() == out


def test_copy_into_and_out_of(podman):
    podman.up("sleep", "100")
    (podman.base / "file").write_text("copied")
    podman("cp", podman.base / "file", "c:/tmp/file").ok()
    assert podman("exec", "c", "cat", "/tmp/file").ok().out == "copied"
    podman("cp", "c:/tmp/file", podman.base / "back").ok()
    assert (podman.base / "back").read_text() == "copied"


def test_health_check(podman):
    podman.up("sleep", "100", flags=["--health-cmd", "test -e /tmp/well", "--health-interval",
                                     "disable"])
    assert podman("healthcheck", "run", "c").status == 1
    podman("exec", "c", "touch", "/tmp/well").ok()
    podman("healthcheck", "run", "c").ok()


def test_runtime_that_fails_leaves_nothing(podman):
    result = podman.run("true", flags=["-v", "/no/such/source:/mnt"])
    assert result.status in (125, 126, 127)
    result = podman.run("true", flags=["--memory", "1g"])  # natively there is no such controller
    if result.status:
        assert "memory" in result.err
    wait_until(lambda: podman("ps", "-aq").ok().out == "", seconds=10, what="no container")
