# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every row of every score fails once, and its process is killed there once: nothing may be left.

Which rows play depends on the configuration, so each has variants; a row that no variant
plays fails its test.
"""
import functools
import json
import os
import resource
import signal
import subprocess
import time
from datetime import datetime
from pathlib import Path

import pytest
from support.leftover import descendants
from support.runtime import Receiver, add_hook
from support.world import unshare

CLONE_NEWNET = 0x40000000

ALLOW = {"defaultAction": "SCMP_ACT_ALLOW",
         "syscalls": [{"names": ["mkdir"], "action": "SCMP_ACT_ERRNO"}]}


@functools.lru_cache
def rows():
    out = subprocess.run([os.environ["RUNG"], "debug", "scores"], check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    return [tuple(line.split()) for line in out.splitlines()]


def needs_labels(flow, step):
    """Rows that only a label plays, which a host without a security module refuses before."""
    if step == "set-labels" or (flow, step) == ("exec", "open-proc"):
        if not Path("/sys/module/apparmor/parameters/enabled").exists():
            pytest.skip("this host has no AppArmor to play this row with")


def pytest_generate_tests(metafunc):
    if "step" in metafunc.fixturenames:
        flow = metafunc.function.__name__.split("_")[1]
        metafunc.parametrize("step", [step for name, _, step in rows() if name == flow])


def plain(bundle):
    return bundle


def rich(bundle):
    bundle.process.update(oomScoreAdj=100, terminal=True,
                          rlimits=[{"type": "RLIMIT_NOFILE", "soft": 100, "hard": 200}])
    bundle.linux.update(sysctl={"kernel.msgmax": "4096"}, seccomp=ALLOW)
    for kind in ("prestart", "createRuntime", "createContainer", "poststart", "poststop"):
        add_hook(bundle, kind, "true")
    bundle.spec["hooks"]["startContainer"] = [{"path": "/bin/true"}]
    return bundle


def without_nnp(bundle):
    bundle.process["noNewPrivileges"] = False
    bundle.linux["seccomp"] = ALLOW
    return bundle


def notify(bundle):
    bundle.linux["seccomp"] = {
        "defaultAction": "SCMP_ACT_ALLOW", "listenerPath": str(bundle.path / "listener"),
        "syscalls": [{"names": ["mkdir"], "action": "SCMP_ACT_NOTIFY"}]}
    return bundle


def notify_without_nnp(bundle):
    bundle.process["noNewPrivileges"] = False
    return notify(bundle)


def raising(bundle):
    """More than the runtime itself has: refused at the row where it lacks the privilege."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if not bundle.namespace("user"):
        new_user(bundle)
    bundle.process["rlimits"] = [{"type": "RLIMIT_NOFILE", "soft": 100, "hard": hard + 1}]
    return bundle


def labelled(bundle):
    """Refused at the row that sets it where the host has no AppArmor."""
    bundle.process["apparmorProfile"] = "unconfined"
    return bundle


def new_user(bundle):
    return bundle.userns(100000, 65536).chown_rootfs(100000)


def staged(bundle):
    """A network namespace of the host's user namespace: joined before the new one is entered."""
    bundle.without_mount("/sys", "/sys/fs/cgroup")
    bundle.linux.update(readonlyPaths=[], maskedPaths=[])
    bundle.namespace("network")["path"] = "/proc/self/ns/net"
    return new_user(bundle)


def joined_pid(bundle):
    bundle.namespace("pid")["path"] = "/proc/self/ns/pid"
    bundle.namespace("network")["path"] = "/proc/self/ns/net"
    return bundle


def timed(bundle):
    bundle.linux["namespaces"].append({"type": "time"})
    bundle.linux["timeOffsets"] = {"monotonic": {"secs": 5}}
    return bundle


@pytest.fixture(scope="session", autouse=True)
def fixture_network():
    """Devices are taken from a network namespace that stands for the host's."""
    unshare(CLONE_NEWNET)


def with_device(bundle):
    if subprocess.run(["ip", "link", "show", "card"], capture_output=True, check=False).returncode:
        subprocess.run(["ip", "link", "add", "card", "type", "veth", "peer", "name", "peer"],
                       check=True)  # it ends with the namespace of a container that was killed
    bundle.linux["netDevices"] = {"card": {"name": "inside"}}
    return bundle


CREATE = [rich, plain, without_nnp, notify, notify_without_nnp, new_user, staged, joined_pid, timed,
          with_device, raising, labelled]


class Sockets:
    """What a variant needs beside its bundle: receivers, descriptors, a pid file."""

    def __init__(self, bundle, names):
        self.bundle, self.names = bundle, names

    def __enter__(self):
        self.receivers = {name: Receiver(self.bundle.path / name) for name in self.names}
        return self

    def __exit__(self, *_):
        for receiver in self.receivers.values():
            receiver.listener.shutdown(2)  # nobody may come any more
            receiver.__exit__()


def create(bundle, fault):
    """(result, the pid file is there) of a create with all options that play rows of their own."""
    names = ["pidfd"] + (["console"] if bundle.process.get("terminal") else []) + \
        (["listener"] if "listenerPath" in bundle.linux.get("seccomp", {}) else [])
    flags = ["--pid-file", bundle.path / "pid", "--preserve-fds", "1",
             "--pidfd-socket", bundle.path / "pidfd"]
    if "console" in names:
        flags += ["--console-socket", bundle.path / "console"]
    read_end, write_end = os.pipe()
    environment = {**os.environ, **({"RUNG_FAULT": fault} if fault else {})}
    bundle.write()
    bundle.used.append(bundle.id)
    try:
        with Sockets(bundle, names):
            argv = bundle.rung.argv("create", "--bundle", bundle.path, *flags, bundle.id)
            with open(bundle.path / "err", "w+b") as err:
                status = subprocess.run(
                    ["/bin/bash", "-c", f'exec "$@" 3<&{read_end} {read_end}<&-', "bash", *argv],
                    env=environment, pass_fds=[read_end], stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL, stderr=err, timeout=30, check=False).returncode
                err.seek(0)
                return status, err.read().decode()
    finally:
        os.close(read_end)
        os.close(write_end)


def gone(bundle):
    assert not bundle.cgroup.exists()
    assert not (bundle.rung.state / bundle.id).exists()
    assert not [name for name in descendants().values() if name in ("sleep", "rung")]
    assert not (bundle.path / "pid").exists()


def test_create_fault(rung, step):
    needs_labels("create", step)
    for variant in CREATE:
        bundle = variant(rung.bundle("/bin/sleep", "100"))
        status, err = create(bundle, f"create/{step}")
        if status:
            assert f"{step}: injected fault" in err
            assert len(err.splitlines()) == 1
            gone(bundle)
            return
        started = bundle.start()
        if started.status:  # the row belongs to `start`
            assert f"{step}: injected fault" in started.err
            assert len(started.err.splitlines()) == 1
            bundle.delete("--force").ok()
            (bundle.path / "pid").unlink()
            gone(bundle)
            return
        bundle.delete("--force").ok()
    pytest.fail(f"no variant plays {step}")


def test_create_kill(rung, step):
    needs_labels("create", step)
    for variant in CREATE:
        bundle = variant(rung.bundle("/bin/sleep", "100"))
        status, err = create(bundle, f"create/{step}:kill")
        failed = status != 0
        if not failed:
            failed = bundle.start().status != 0 or bundle.status() == "stopped"
        elif status == 1:  # it was INIT that died
            assert len(err.splitlines()) == 1
        else:
            assert status == -signal.SIGKILL
        bundle.delete("--force").ok()
        (bundle.path / "pid").unlink(missing_ok=True)
        gone(bundle)
        if failed:
            return
    pytest.fail(f"no variant plays {step}")


def detached(bundle, paths):
    return ["--detach", "--pid-file", bundle.path / "exec-pid", "--pidfd-socket", paths["pidfd"]] + \
        (["--tty", "--console-socket", paths["console"]] if bundle.process.get("terminal") else [])


def foreground(_bundle, _paths):
    return []


def with_descriptor(_bundle, _paths):
    return ["--preserve-fds", "1"]


def with_profile(_bundle, _paths):
    return ["--apparmor", "unconfined"]


def with_more_files(bundle, _paths):
    document = bundle.path / "process.json"
    document.write_text(json.dumps({**raising(bundle).process, "terminal": False}))
    return ["--process", document]


def affinity(bundle):
    bundle.process["execCPUAffinity"] = {"initial": "0", "final": "0"}
    return rich(bundle)


EXEC = [(variant, detached) for variant in (affinity, plain, without_nnp, notify,
                                            notify_without_nnp, new_user, staged, joined_pid, timed)]
EXEC += [(plain, with_descriptor), (plain, with_profile), (new_user, with_more_files)]
EXEC += [(without_nnp, foreground), (rich, foreground)]
STAGED = ("fork-init", "adopt-init")  # exec needs two processes where it may not join at once


def run_exec(bundle, flags, fault):
    names = ["pidfd", "console"]
    if "listenerPath" in bundle.linux.get("seccomp", {}):
        names.append("listener")
    read_end, write_end = os.pipe()
    try:
        with Sockets(bundle, names) as sockets:
            paths = {name: receiver.path for name, receiver in sockets.receivers.items()}
            args = flags(bundle, paths)
            program = [] if "--process" in args else \
                ["/bin/sleep", "100"] if "--detach" in args else ["/bin/true"]
            argv = bundle.rung.argv("exec", *args, bundle.id, *program)
            with open(bundle.path / "err", "w+b") as err:
                status = subprocess.run(
                    ["/bin/bash", "-c", f'exec "$@" 3<&{read_end} {read_end}<&-', "bash", *argv],
                    env={**os.environ, "RUNG_FAULT": fault}, pass_fds=[read_end],
                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err, timeout=30,
                    check=False).returncode
                err.seek(0)
                return status, err.read().decode()
    finally:
        os.close(read_end)
        os.close(write_end)


def up(rung, variant):
    bundle = variant(rung.bundle("/bin/sleep", "100"))
    assert create(bundle, None) == (0, "")
    bundle.start().ok()
    return bundle


def rootless_exec(bundle, fault):
    bundle.up()
    before = sorted(descendants())
    result = bundle.exec("/bin/true", env={**os.environ, "RUNG_FAULT": fault})
    assert bundle.status() == "running"
    assert sorted(descendants()) == before
    return result


def test_exec_fault(rung, rootless, step):
    needs_labels("exec", step)
    if step in STAGED:
        rootless_exec(rootless.bundle("/bin/sleep", "100"), f"exec/{step}").fails(
            f"{step}: injected fault", status=255)
        return
    for variant, flags in EXEC:
        bundle = up(rung, variant)
        before = sorted(descendants())
        status, err = run_exec(bundle, flags, f"exec/{step}")
        played = "injected fault" in err
        if played:
            assert status == 255
            assert f"{step}: injected fault" in err
            assert len(err.splitlines()) == 1
            assert bundle.status() == "running"
            assert sorted(descendants()) == before
            assert not (bundle.path / "exec-pid").exists()
        bundle.delete("--force").ok()
        if played:
            return
    pytest.fail(f"no variant plays {step}")


def test_exec_kill(rung, rootless, step):
    needs_labels("exec", step)
    if step in STAGED:
        assert rootless_exec(rootless.bundle("/bin/sleep", "100"), f"exec/{step}:kill").status != 0
        return
    for variant, flags in EXEC:
        bundle = up(rung, variant)
        status, err = run_exec(bundle, flags, f"exec/{step}:kill")
        played = status in (-signal.SIGKILL, 128 + signal.SIGKILL) or "ended" in err
        assert bundle.status() == "running"
        bundle.delete("--force").ok()
        if played:
            return
    pytest.fail(f"no variant plays {step}")


def test_foreign_cgroup_survives_an_interrupted_create(rung):
    """Killed before it saw that its cgroup is another's, a create leaves no claim to it."""
    bundle = rung.bundle("/bin/true")
    bundle.cgroup.mkdir(parents=True)
    other = subprocess.Popen(["sleep", "100"])
    try:
        (bundle.cgroup / "cgroup.procs").write_text(str(other.pid))
        killed = bundle.create(env={**os.environ, "RUNG_FAULT": "create/create-cgroup:kill"})
        assert killed.status == -signal.SIGKILL
        bundle.delete("--force").ok()
        assert other.poll() is None
        assert not (rung.state / bundle.id).exists()
    finally:
        other.kill()
        other.wait()
        bundle.cgroup.rmdir()


def listed(bundle):
    found = [entry for entry in bundle.rung("list", "--format", "json").json() or []
             if entry["id"] == bundle.id]
    return found[0]["status"] if found else None


def test_a_container_before_its_first_record_is_being_created(rung):
    bundle = rung.bundle("/bin/sleep", "100").write()
    bundle.used.append(bundle.id)
    creator = rung.popen("create", "--bundle", bundle.path, bundle.id, stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL,
                         env={**os.environ, "RUNG_FAULT": "create/record-intent:stop"})
    try:
        _, status = os.waitpid(creator.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        assert not (rung.state / bundle.id / "state.json").exists()
        state = bundle.state()
        assert {name: state[name] for name in ("id", "status", "pid", "ociVersion")} == \
            {"id": bundle.id, "status": "creating", "pid": 0, "ociVersion": "1.3.0"}
        assert abs(datetime.fromisoformat(state["created"][:19] + "+00:00").timestamp() -
                   time.time()) < 30
        assert listed(bundle) == "creating"
        assert "creating" in rung("list").ok().out
        bundle.exec("/bin/true").fails("being created", status=255)
        bundle.kill("KILL").fails("container not running")
        assert rung("ps", "--format", "json", bundle.id).json() == []
    finally:
        creator.send_signal(signal.SIGCONT)
    assert creator.wait(20) == 0
    assert (bundle.status(), listed(bundle)) == ("created", "created")


def test_a_container_whose_creator_was_killed_before_its_first_record_is_stopped(rung):
    bundle = rung.bundle("/bin/sleep", "100")
    killed = bundle.create(env={**os.environ, "RUNG_FAULT": "create/record-intent:kill"})
    assert killed.status == -signal.SIGKILL
    assert not (rung.state / bundle.id / "state.json").exists()
    assert (bundle.status(), listed(bundle)) == ("stopped", "stopped")
    bundle.start().fails("cannot start a container that has stopped")
    bundle.exec("/bin/true").fails("cannot exec in a stopped container", status=255)
    bundle.create().fails("already exists")
    bundle.delete().ok()
    gone(bundle)
    assert listed(bundle) is None


def test_a_directory_that_delete_had_nearly_removed_is_stopped(rung):
    """Killed with nothing left but the lock, which the next one takes up."""
    bundle = rung.bundle("/bin/sleep", "100")
    (rung.state / bundle.id).mkdir(parents=True, mode=0o700)
    bundle.used.append(bundle.id)
    rung("state", bundle.id).fails("container does not exist")
    (rung.state / bundle.id / "lock").touch()
    assert (bundle.status(), listed(bundle)) == ("stopped", "stopped")
    bundle.delete().ok()
    assert not (rung.state / bundle.id).exists()
