# SPDX-License-Identifier: LGPL-2.1-or-later
"""Subtle points of the specification that concern life cycle, cgroups, namespaces and hooks."""
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.leftover import descendants, stat_of
from support.runtime import Receiver, Rung, add_hook, kill_quietly, numbers, wait_until

FOREVER = ("/bin/sleep", "100")


def procs(directory):
    return (directory / "cgroup.procs").read_text().split()


def cgroup_of_exec(bundle):
    return bundle.exec("/bin/tail", "-1", "/proc/self/cgroup").ok().out.strip()


def test_subtle_13_exec_follows_init_to_another_cgroup(rung):
    bundle = rung.bundle(*FOREVER).up()
    child = bundle.cgroup / "child"
    child.mkdir()
    (child / "cgroup.procs").write_text(str(bundle.state()["pid"]))
    assert procs(bundle.cgroup) == []
    assert cgroup_of_exec(bundle) == "0::/"
    controllers = (bundle.cgroup / "cgroup.controllers").read_text().split()
    if controllers:  # enabled for what is below, a cgroup may have no processes of its own
        (bundle.cgroup / "cgroup.subtree_control").write_text("+" + controllers[0])
        assert cgroup_of_exec(bundle) == "0::/child"
    bundle.delete("--force").ok()


def test_exec_follows_init_out_of_a_cgroup_that_is_gone(rung, world):
    bundle = rung.bundle(*FOREVER).up()
    other = world.cgroup / f"{bundle.id}-other"
    other.mkdir()
    pid = bundle.state()["pid"]
    (other / "cgroup.procs").write_text(str(pid))
    bundle.cgroup.rmdir()
    assert cgroup_of_exec(bundle).endswith(other.name)
    bundle.delete("--force").ok()
    wait_until(lambda: not procs(other), what="the end of the container")
    other.rmdir()


@pytest.mark.parametrize("signal_name", ["TERM", "INT", "QUIT"])
def test_created_container_ends_by_a_signal_that_asks_it_to(rung, signal_name):
    bundle = rung.bundle(*FOREVER)
    bundle.create().ok()
    bundle.kill(signal_name).ok()
    bundle.wait_for("stopped")
    bundle.start().fails("cannot start a container that has stopped")
    bundle.delete().ok()


def test_subtle_13_exec_cgroup(rung):
    bundle = rung.bundle(*FOREVER).up()
    (bundle.cgroup / "sub").mkdir()
    out = bundle.exec("/bin/tail", "-1", "/proc/self/cgroup", flags=["--cgroup", "sub"]).ok().out
    assert out == "0::/sub\n"
    for bad in ("../harness", "/../harness", "sub/../../harness", "cpu:.."):
        bundle.exec("/bin/true", flags=["--cgroup", bad]).fails("bad sub cgroup path", status=255)
    bundle.exec("/bin/true", flags=["--cgroup", "no-such"]).fails(
        "cgroup", "/no-such: no such file or directory", status=255)


@pytest.mark.parametrize("values, place", [
    (["/"], "/"), ([""], "/"), (["sub"], "/sub"), (["/sub/"], "/sub"), (["a..b"], "/a..b"),
    (["sub/../a..b"], "/a..b"), (["cpu:/"], "/"), (["memory:sub", "cpu,cpuacct:/sub"], "/sub")])
def test_exec_cgroup_forms(rung, values, place):
    bundle = rung.bundle(*FOREVER).up()
    for name in ("sub", "a..b"):
        (bundle.cgroup / name).mkdir()
    flags = [word for value in values for word in ("--cgroup", value)]
    out = bundle.exec("/bin/tail", "-1", "/proc/self/cgroup", flags=flags).ok().out
    assert out == f"0::{place}\n"


def test_exec_cgroup_of_a_container_without_one(rung):
    bundle = rung.bundle(*FOREVER)
    bundle.linux["resources"] = {}
    del bundle.linux["cgroupsPath"]
    bundle.create(global_flags=["--cgroup-manager", "disabled"]).ok()
    bundle.start().ok()
    bundle.exec("/bin/true").ok()
    bundle.exec("/bin/true", flags=["--cgroup", "/"]).fails("has no cgroup", status=255)


def test_subtle_18_exec_with_a_second_process_in_the_cgroup(rung):
    bundle = rung.bundle(*FOREVER).up()
    bundle.exec(*FOREVER, flags=["--detach"]).ok()
    assert len(procs(bundle.cgroup)) == 2
    bundle.exec("/bin/true").ok()


def test_subtle_18_empty_existing_cgroup_is_used_and_removed(rung):
    bundle = rung.bundle("/bin/true")
    bundle.cgroup.mkdir()
    bundle.run().ok()
    assert not bundle.cgroup.exists()


def test_subtle_19_run_keep(rung):
    bundle = rung.bundle("/bin/true")
    bundle.run("--keep").ok()
    assert bundle.status() == "stopped"
    assert bundle.cgroup.is_dir()
    bundle.delete().ok()
    assert not bundle.cgroup.exists()


@pytest.mark.parametrize("threaded", [False, True])
def test_subtle_19_sub_cgroups_are_removed(rung, threaded):
    bundle = rung.bundle(*FOREVER).up()
    for path in ("a/b/c", "d", "a/e"):
        (bundle.cgroup / path).mkdir(parents=True)
    if threaded:
        (bundle.cgroup / "d/cgroup.type").write_text("threaded")
    bundle.delete("--force").ok()
    assert not bundle.cgroup.exists()


def test_subtle_20_delete_kills_leftovers_of_a_shared_pid_namespace(rung):
    bundle = rung.bundle().sh("sleep 100 & sleep 101 &").without_namespace("pid")
    bundle.up()
    bundle.wait_for("stopped")
    wait_until(lambda: len(procs(bundle.cgroup)) == 2)
    bundle.delete("--force").ok()
    assert not {"sleep"} & set(descendants().values())


def test_subtle_21_sigkill_reaches_sub_cgroups(rung):
    bundle = rung.bundle().sh("sleep 100 & sleep 101 & wait").without_namespace("pid").up()
    wait_until(lambda: len(procs(bundle.cgroup)) == 3)
    (bundle.cgroup / "sub/deep").mkdir(parents=True)
    (bundle.cgroup / "sub/deep/cgroup.procs").write_text(max(procs(bundle.cgroup), key=int))
    bundle.kill("KILL").ok()
    wait_until(lambda: "populated 0" in (bundle.cgroup / "cgroup.events").read_text())
    bundle.wait_for("stopped")
    bundle.delete().ok()


@pytest.mark.controller("memory")
def test_subtle_26_no_swap_is_written_as_0(rung):
    bundle = rung.bundle(*FOREVER)
    bundle.linux["resources"]["memory"] = {"limit": 64 << 20, "swap": 96 << 20}
    bundle.create().ok()
    rung("update", "--memory", str(80 << 20), "--memory-swap", str(80 << 20), bundle.id).ok()
    assert (bundle.cgroup / "memory.max").read_text() == f"{80 << 20}\n"
    assert (bundle.cgroup / "memory.swap.max").read_text() == "0\n"


@pytest.mark.controller("cpu")
@pytest.mark.parametrize("shares, weight", [(3, 2), (100, 17), (1023, 100), (1025, 101), (65536, 3023)])
def test_subtle_27_update_of_shares(rung, shares, weight):
    bundle = rung.bundle(*FOREVER)
    bundle.create().ok()
    rung("update", "--cpu-share", str(shares), bundle.id).ok()
    assert (bundle.cgroup / "cpu.weight").read_text() == f"{weight}\n"


@pytest.mark.controller("pids")
def test_subtle_30_nothing_forks_after_the_limit(rung):
    bundle = rung.bundle("/bin/true")
    bundle.linux["resources"]["pids"] = {"limit": 1}
    bundle.run().ok()
    bundle.userns(100000, 65536).chown_rootfs(100000)
    bundle.new_id()
    bundle.run().ok()


def test_subtle_22_kill_checks_the_start_time(rung):
    """Pid reuse: the state says the pid of another process."""
    bundle = rung.bundle("/bin/true").up().wait_for("stopped")
    bundle.kill("KILL").fails("container not running")
    rung("kill", "--all", bundle.id, "KILL").ok()


@pytest.mark.controller("cpu")
def test_subtle_23_update_of_burst_keeps_quota(rung):
    bundle = rung.bundle(*FOREVER)
    bundle.linux["resources"]["cpu"] = {"quota": 50000, "period": 100000, "burst": 10000}
    bundle.create().ok()
    rung("update", "--cpu-share", "512", bundle.id).ok()
    assert (bundle.cgroup / "cpu.max").read_text() == "50000 100000\n"
    assert (bundle.cgroup / "cpu.max.burst").read_text() == "10000\n"
    assert (bundle.cgroup / "cpu.weight").read_text() == "59\n"


def open_null(bundle, path="/dev/null"):
    return bundle.exec("/bin/probe", "open", path, "R").ok().out.strip()


def test_subtle_24_update_leaves_the_device_filter(rung):
    bundle = rung.bundle(*FOREVER)
    bundle.linux["devices"] = [{"type": "c", "path": "/dev/fuse", "major": 10, "minor": 229}]
    bundle.up()
    before = open_null(bundle), open_null(bundle, "/dev/fuse")
    assert before[0] == "ok" and before[1] in ("EPERM", "EACCES")
    rung("update", "--resources", "-", bundle.id, text="{}").ok()
    assert (open_null(bundle), open_null(bundle, "/dev/fuse")) == before


@pytest.mark.parametrize("rules, expected", [
    ([], "EPERM"),
    ([{"allow": False, "access": "rwm"}], "EPERM"),
    ([{"allow": True, "access": "rwm"}], "ok"),
    ([{"allow": False, "access": "rwm"},
      {"allow": True, "type": "c", "major": 10, "minor": 229, "access": "r"}], "ok"),
    ([{"allow": False, "access": "rwm"},
      {"allow": True, "type": "c", "major": 10, "minor": 229, "access": "w"}], "EPERM"),
    ([{"allow": False, "access": "rwm"},
      {"allow": True, "type": "c", "major": 10, "access": "rw"}], "ok"),
    ([{"allow": True, "type": "a", "access": "rwm"},
      {"allow": False, "type": "c", "major": 10, "minor": 229, "access": "r"}], "EPERM"),
    ([{"allow": True, "type": "b", "major": 10, "minor": 229, "access": "rwm"}], "EPERM")])
def test_device_rules(rung, rules, expected):
    bundle = rung.bundle("/bin/probe", "open", "/dev/fuse", "R")
    bundle.linux["devices"] = [{"type": "c", "path": "/dev/fuse", "major": 10, "minor": 229}]
    bundle.linux["resources"]["devices"] = rules
    assert bundle.output() == expected


def test_default_devices_cannot_be_denied(rung):
    bundle = rung.bundle().sh("for i in null zero full random urandom; do probe open /dev/$i R; done")
    bundle.linux["resources"]["devices"] = [
        {"allow": True, "access": "rwm"},
        {"allow": False, "type": "c", "major": 1, "access": "rwm"}]
    assert bundle.output().split() == ["ok"] * 5


@pytest.mark.controller("memory")
def test_subtle_25_unlimited_memory_lifts_swap(rung):
    bundle = rung.bundle(*FOREVER)
    bundle.linux["resources"]["memory"] = {"limit": 64 << 20, "swap": 96 << 20}
    bundle.create().ok()
    rung("update", "--memory", "-1", bundle.id).ok()
    assert (bundle.cgroup / "memory.max").read_text() == "max\n"
    assert (bundle.cgroup / "memory.swap.max").read_text() == "max\n"


@pytest.mark.controller("hugetlb")
def test_subtle_31_hugetlb_writes_both_limits(rung):
    bundle = rung.bundle(*FOREVER)
    bundle.linux["resources"]["hugepageLimits"] = [{"pageSize": "2MB", "limit": 4 << 20}]
    bundle.create().ok()
    for file in ("hugetlb.2MB.max", "hugetlb.2MB.rsvd.max"):
        assert (bundle.cgroup / file).read_text() == f"{4 << 20}\n"


@pytest.mark.controller("hugetlb")
def test_subtle_28_unified_overrides_typed_values(rung):
    bundle = rung.bundle(*FOREVER)
    bundle.linux["resources"].update(
        hugepageLimits=[{"pageSize": "2MB", "limit": 4 << 20}],
        unified={"hugetlb.2MB.max": str(8 << 20)})
    bundle.create().ok()
    assert (bundle.cgroup / "hugetlb.2MB.max").read_text() == f"{8 << 20}\n"


@pytest.mark.parametrize("resources, text", [
    ({"hugepageLimits": [{"pageSize": "3MB", "limit": 1}]}, "3MB"),
    ({"hugepageLimits": [{"pageSize": "../x", "limit": 1}]}, "pageSize"),
    ({"unified": {"nosuch.max": "1"}}, "nosuch"), ({"unified": {"hugetlb.2MB.max": "x"}}, "hugetlb.2MB.max")])
def test_subtle_29_resources_that_are_refused(rung, resources, text):
    bundle = rung.bundle("/bin/true")
    bundle.linux["resources"].update(resources)
    bundle.create().fails(text)


MISSING = [("memory", {"memory": {"limit": 64 << 20}}), ("pids", {"pids": {"limit": 10}}),
           ("cpu", {"cpu": {"shares": 512}}), ("cpuset", {"cpu": {"cpus": "0"}}),
           ("io", {"blockIO": {"weight": 100}})]


@pytest.mark.parametrize("controller, resources", MISSING)
def test_a_missing_controller_is_named(rung, world, controller, resources):
    if controller in (world.cgroup / "cgroup.controllers").read_text().split():
        pytest.skip(f"cgroup v2 has the {controller} controller here")
    bundle = rung.bundle("/bin/true")
    bundle.linux["resources"].update(resources)
    bundle.create().fails(controller)


def test_cgroup_paths_stay_below_the_mount(rung):
    bundle = rung.bundle(*FOREVER)
    name = bundle.id
    bundle.linux["cgroupsPath"] = f"/../../{name}/../{name}/./x/.."
    result = bundle.create()
    if result.status == 0:
        assert procs(rung.world.cgroup / name)
        bundle.delete().ok()
    else:
        result.fails("cgroupsPath")


def test_relative_and_absent_cgroup_paths(rung, world):
    bundle = rung.bundle(*FOREVER)
    bundle.linux["cgroupsPath"] = f"rel-{bundle.id}"
    bundle.create().ok()
    first = Path(f"/proc/{bundle.state()['pid']}/cgroup").read_text().splitlines()[-1]
    assert first.endswith(f"/rel-{bundle.id}")
    bundle.delete().ok()
    del bundle.linux["cgroupsPath"]
    bundle.create().ok()
    line = Path(f"/proc/{bundle.state()['pid']}/cgroup").read_text().splitlines()[-1]
    assert line.endswith(bundle.id)
    bundle.delete().ok()


def test_cgroup_delegation(rung):
    bundle = rung.bundle(*FOREVER)
    bundle.process["user"] = {"uid": 1000, "gid": 1000}
    bundle.mount("/sys/fs/cgroup")["options"].remove("ro")
    bundle.create().ok()
    assert bundle.cgroup.stat().st_uid == 1000
    assert (bundle.cgroup / "cgroup.procs").stat().st_uid == 1000
    assert (bundle.cgroup / "cgroup.freeze").stat().st_uid == 0
    bundle.delete().ok()
    bundle.mount("/sys/fs/cgroup")["options"].append("ro")
    bundle.create().ok()
    assert bundle.cgroup.stat().st_uid == 0


def test_subtle_52_net_sysctl_with_the_hosts_namespace_is_refused(rung):
    bundle = rung.bundle("/bin/true")
    bundle.linux["sysctl"] = {"net.ipv4.ip_forward": "1"}
    bundle.namespace("network")["path"] = "/proc/self/ns/net"
    before = Path("/proc/sys/net/ipv4/ip_forward").read_text()
    bundle.create().fails("net.ipv4.ip_forward")
    bundle.without_namespace("network")
    bundle.create().fails("net.ipv4.ip_forward")
    assert Path("/proc/sys/net/ipv4/ip_forward").read_text() == before


@pytest.mark.parametrize("key, value, file", [
    ("net.ipv4.ip_forward", "1", "net/ipv4/ip_forward"),
    ("net/ipv4/ip_forward", "1", "net/ipv4/ip_forward"),
    ("kernel.msgmax", "4096", "kernel/msgmax"), ("kernel.shmmni", "77", "kernel/shmmni"),
    ("fs.mqueue.msg_max", "7", "fs/mqueue/msg_max"),
    ("kernel.domainname", "example", "kernel/domainname")])
def test_subtle_53_namespaced_sysctls(rung, key, value, file):
    bundle = rung.bundle("/bin/cat", f"/proc/sys/{file}")
    bundle.linux["sysctl"] = {key: value}
    host = Path(f"/proc/sys/{file}").read_text()
    assert bundle.output() == value
    assert Path(f"/proc/sys/{file}").read_text() == host


def test_subtle_53_user_sysctl(rung):
    bundle = rung.bundle("/bin/cat", "/proc/sys/user/max_pid_namespaces")
    bundle.linux["sysctl"] = {"user.max_pid_namespaces": "17"}
    bundle.create().fails("user.max_pid_namespaces")
    bundle.userns(100000, 65536).chown_rootfs(100000)
    assert bundle.output() == "17"


def test_subtle_54_domainname_and_sysctl(rung):
    bundle = rung.bundle().sh("cat /proc/sys/kernel/domainname /proc/sys/kernel/hostname")
    bundle.spec.update(domainname="one.example", hostname="named")
    assert bundle.output().split() == ["one.example", "named"]
    bundle.linux["sysctl"] = {"kernel.domainname": "one.example"}
    bundle.run().ok()
    bundle.linux["sysctl"] = {"kernel.domainname": "other"}
    bundle.create().fails("domainname")


@pytest.mark.parametrize("member", ["hostname", "domainname"])
def test_names_need_a_uts_namespace(rung, member):
    bundle = rung.bundle("/bin/true").without_namespace("uts")
    del bundle.spec["hostname"]
    bundle.run().ok()
    bundle.spec[member] = "x"
    bundle.create().fails(member)
    bundle.spec[member] = "x" * 65
    bundle.linux["namespaces"].append({"type": "uts"})
    bundle.create().fails(member)


def test_subtle_56_create_container_hook(rung):
    bundle = rung.bundle("/bin/cat", "/mnt/hook/file")
    (bundle.rootfs / "mnt/hook").mkdir(parents=True)
    out = add_hook(bundle, "createContainer",
                   f"pwd >$OUT/pwd; cat >$OUT/state\ngrep -c {bundle.rootfs}/proc /proc/self/mountinfo >$OUT/mounts\n"
                   f"echo content >$OUT/file; mount --bind $OUT {bundle.rootfs}/mnt/hook")
    assert bundle.output() == "content"
    assert (out / "pwd").read_text() == f"{bundle.rootfs}\n"
    assert int((out / "mounts").read_text()) >= 1
    assert json.loads((out / "state").read_text())["bundle"] == str(bundle.path)


def test_subtle_57_poststop_failure_only_warns(rung):
    bundle = rung.bundle(*FOREVER).up()
    bundle.delete("--force").ok()
    bundle = rung.bundle(*FOREVER)
    add_hook(bundle, "poststop", "exit 1")
    out = add_hook(bundle, "poststop", "touch $OUT/second")
    bundle.up()
    assert "poststop hook #0" in bundle.delete("--force").ok().err
    assert (out / "second").exists()
    rung("state", bundle.id).fails("does not exist")
    bundle.process["args"] = ["/bin/true"]
    assert "poststop hook #0" in bundle.run().ok().err


def test_subtle_57_failing_start_container_hook(rung):
    bundle = rung.bundle(*FOREVER)
    bundle.spec["hooks"] = {"startContainer": [{"path": "/bin/false"}, {"path": "/bin/touch",
                            "args": ["touch", "/tmp/second"]}]}
    out = add_hook(bundle, "poststop", "touch $OUT/stopped")
    bundle.create().ok()
    bundle.start().fails("startContainer")
    assert not (bundle.rootfs / "tmp/second").exists()
    assert (out / "stopped").exists()
    rung("state", bundle.id).fails("does not exist")


def test_subtle_57_hooks_in_order(rung):
    bundle = rung.bundle("/bin/sh", "-c", "echo program >>/out/order")
    kinds = ("prestart", "createRuntime", "createContainer", "poststart", "poststop")
    for kind in kinds:
        for number in (0, 1):
            out = add_hook(bundle, kind, f"echo {kind}-{number} >>$OUT/order")
    bundle.bind(out, "/out", "bind")
    bundle.spec["hooks"]["startContainer"] = [
        {"path": "/bin/sh", "args": ["sh", "-c", "echo startContainer >>/out/order"]}]
    bundle.run().ok()
    order = (out / "order").read_text().split()
    order.remove("program")
    assert order == [f"{kind}-{n}" for kind in kinds[:3] for n in (0, 1)] + ["startContainer"] + \
        [f"{kind}-{n}" for kind in kinds[3:] for n in (0, 1)]


def test_subtle_58_hook_timeout_kills_its_children(rung):
    bundle = rung.bundle("/bin/true")
    add_hook(bundle, "prestart", "sleep 99 & sleep 99", timeout=1)
    bundle.create().fails("prestart")
    assert "sleep" not in descendants().values()


def test_hooks_have_no_descriptors_of_the_runtime(rung):
    bundle = rung.bundle("/bin/true")
    out = add_hook(bundle, "createRuntime", f"{rung.world.probe} fds >$OUT/fds")
    bundle.run().ok()
    # 10 and up are the shell's own copies of the script it reads
    assert set(numbers((out / "fds").read_text())) <= {0, 1, 2, 10}


def test_hook_that_does_not_read_its_input(rung):
    bundle = rung.bundle("/bin/true")
    bundle.spec["annotations"] = {f"key{n}": "x" * 1000 for n in range(300)}
    add_hook(bundle, "createRuntime", "exec <&-; sleep 0.1")
    bundle.run().ok()


def ns_of(pid, kind):
    return os.readlink(f"/proc/{pid}/ns/{kind}")


def test_subtle_67_joining_namespaces_by_path(rung):
    first = rung.bundle(*FOREVER).up()
    pid = first.state()["pid"]
    second = rung.bundle(*FOREVER)
    for kind, file in (("network", "net"), ("ipc", "ipc"), ("uts", "uts"), ("pid", "pid")):
        second.namespace(kind)["path"] = f"/proc/{pid}/ns/{file}"
    del second.spec["hostname"]
    second.up()
    other = second.state()["pid"]
    for file in ("net", "ipc", "uts", "pid"):
        assert ns_of(pid, file) == ns_of(other, file)
    assert ns_of(pid, "mnt") != ns_of(other, "mnt")
    second.delete("--force").ok()
    assert first.status() == "running"


def test_subtle_67_joining_a_user_namespace_without_maps(rung):
    first = rung.bundle(*FOREVER).userns(100000, 65536).chown_rootfs(100000).up()
    pid = first.state()["pid"]
    second = rung.bundle(*FOREVER).chown_rootfs(100000)
    second.linux["namespaces"].append({"type": "user", "path": f"/proc/{pid}/ns/user"})
    second.up()
    assert ns_of(pid, "user") == ns_of(second.state()["pid"], "user")


def test_subtle_67_network_owned_by_another_user_namespace(rung):
    first = rung.bundle(*FOREVER).up()
    second = rung.bundle(*FOREVER).userns(100000, 65536).chown_rootfs(100000)
    second.without_mount("/sys", "/sys/fs/cgroup")
    second.namespace("network")["path"] = f"/proc/{first.state()['pid']}/ns/net"
    second.linux["readonlyPaths"], second.linux["maskedPaths"] = [], []
    second.up()
    assert ns_of(first.state()["pid"], "net") == ns_of(second.state()["pid"], "net")


@pytest.mark.parametrize("kind, file", [("network", "ipc"), ("pid", "net"), ("mount", "uts"),
                                        ("user", "mnt"), ("cgroup", "pid")])
def test_namespace_of_the_wrong_type(rung, kind, file):
    bundle = rung.bundle("/bin/true").without_namespace(kind)
    bundle.linux["namespaces"].append({"type": kind, "path": f"/proc/self/ns/{file}"})
    bundle.create().fails("namespace")


def test_namespaces_not_listed_are_the_callers(rung):
    bundle = rung.bundle(*FOREVER).without_namespace("network", "ipc", "uts", "cgroup")
    del bundle.spec["hostname"]
    bundle.without_mount("/dev/mqueue")
    bundle.up()
    pid = bundle.state()["pid"]
    for file in ("net", "ipc", "uts", "cgroup", "user", "time"):
        assert ns_of(pid, file) == ns_of("self", file)


def test_loopback_is_up(rung):
    assert "127.0.0.1" in rung.bundle("/bin/ifconfig", "lo").output()
    assert "UP" in rung.bundle("/bin/ifconfig", "lo").output()


def test_program_is_pid_1_without_a_parent(rung):
    assert rung.bundle().sh("echo $$ $PPID").output() == "1 0"


def test_subtle_70_pid_file_is_relative_to_the_caller(rung):
    bundle = rung.bundle(*FOREVER)
    cwd = bundle.path / "elsewhere"
    cwd.mkdir()
    bundle.create("--pid-file", "pid", cwd=cwd).ok()
    assert (cwd / "pid").read_text() == str(bundle.state()["pid"])
    assert os.listdir(cwd) == ["pid"]


def test_bundle_defaults_to_the_working_directory(rung):
    bundle = rung.bundle("/bin/true").write()
    bundle.used.append(bundle.id)
    rung("run", bundle.id, cwd=bundle.path).ok()


def test_bundle_option_after_the_id(rung):
    bundle = rung.bundle("/bin/true").write()
    bundle.used.append(bundle.id)
    rung("run", bundle.id, "--bundle", bundle.path).ok()


BAD_IDS = ["", ".", "..", "a/b", "../x", "a b", "a\nb", "é", "a:b", "*", "a\\b", "/", "a\tb", "~",
           "x" * 1100]


@pytest.mark.parametrize("bad", BAD_IDS)
def test_subtle_73_bad_ids(rung, bad):
    bundle = rung.bundle("/bin/true").write()
    rung("create", "--bundle", bundle.path, bad).fails()
    assert os.listdir(rung.state) == []


@pytest.mark.parametrize("suffix", ["A.b_c+d-e", "0", "-x.", "+"])
def test_subtle_73_good_ids_and_reuse(rung, suffix):
    bundle = rung.bundle("/bin/true")
    bundle.id += suffix
    bundle.run().ok()
    bundle.run().ok()


def test_subtle_73_an_id_in_use(rung):
    bundle = rung.bundle(*FOREVER).up()
    before = bundle.state()
    bundle.create().fails("container with given ID already exists")
    assert bundle.state() == before


def test_subtle_74_start_of_a_dead_container(rung):
    bundle = rung.bundle(*FOREVER)
    bundle.create().ok()
    os.kill(bundle.state()["pid"], signal.SIGKILL)
    bundle.wait_for("stopped")
    bundle.start().fails("cannot start a container that has stopped")


def test_starting_twice(rung):
    bundle = rung.bundle(*FOREVER).up()
    bundle.start().fails("cannot start an already running container")
    assert bundle.status() == "running"


def test_delete_of_a_running_container(rung):
    bundle = rung.bundle(*FOREVER).up()
    bundle.delete().fails(f"cannot delete container {bundle.id} that is not stopped: running")
    assert bundle.status() == "running"


def test_exec_into_created_and_stopped(rung):
    bundle = rung.bundle(*FOREVER)
    bundle.create().ok()
    assert bundle.exec("/bin/echo", "ok").ok().out == "ok\n"
    bundle.start().ok()
    bundle.kill("KILL").ok()
    bundle.wait_for("stopped")
    bundle.exec("/bin/true").fails("cannot exec in a stopped container", status=255)


def test_pause_of_a_created_container(rung):
    bundle = rung.bundle(*FOREVER)
    bundle.create().ok()
    rung("pause", bundle.id).ok()
    assert bundle.status() == "paused"
    rung("resume", bundle.id).ok()
    assert bundle.status() == "created"


def test_delete_force_of_a_paused_container(rung):
    bundle = rung.bundle(*FOREVER).up()
    rung("pause", bundle.id).ok()
    bundle.delete("--force").ok()


@pytest.mark.parametrize("devices", [{"nosuchdevice": {}}, {"lo": {"name": "a/b"}},
                                     {"lo": {"name": "x" * 16}}, {"": {}}, {"lo": {"name": ".."}}])
def test_net_device_refusals(rung, devices):
    bundle = rung.bundle("/bin/true")
    bundle.linux["netDevices"] = devices
    bundle.create().fails("netDevices")


def test_subtle_83_warnings_do_not_reach_stderr(rung):
    bundle = rung.bundle("/bin/true").caps("CAP_NOT_THERE")
    result = bundle.run().ok()
    assert result.err == ""


def test_subtle_84_ps_lists_sub_cgroups(rung):
    bundle = rung.bundle().sh("sleep 100 & wait").up()
    wait_until(lambda: len(procs(bundle.cgroup)) == 2)
    before = rung("ps", "--format", "json", bundle.id).json()
    assert len(before) == 2 and all(isinstance(pid, int) for pid in before)
    (bundle.cgroup / "child").mkdir()
    (bundle.cgroup / "child/cgroup.procs").write_text(str(max(before)))
    assert sorted(rung("ps", "-f", "json", bundle.id).json()) == sorted(before)
    table = rung("ps", bundle.id).ok().out.splitlines()
    assert "PID" in table[0] and len(table) == 3


def test_list(rung):
    assert rung("list", "--quiet").ok().out == ""
    assert rung("list", "--format", "json").ok().out.strip() in ("null", "[]")
    bundles = [rung.bundle(*FOREVER) for _ in range(3)]
    for bundle in bundles:
        bundle.create().ok()
    ids = sorted(b.id for b in bundles)
    assert sorted(rung("list", "-q").ok().out.split()) == ids
    listed = rung("list", "-f", "json").json()
    assert sorted(c["id"] for c in listed) == ids
    assert {c["status"] for c in listed} == {"created"}
    table = rung("list").ok().out.splitlines()
    assert table[0].split() == ["ID", "PID", "STATUS", "BUNDLE", "CREATED", "OWNER"]
    assert len(table) == 4


def test_state_shape(rung):
    bundle = rung.bundle(*FOREVER)
    bundle.spec["annotations"] = {"a.b": "c", "empty": ""}
    bundle.up()
    out = rung("state", bundle.id).ok().out
    assert f'"id": "{bundle.id}"' in out and '"status": "running"' in out
    state = json.loads(out)
    assert state["bundle"] == str(bundle.path)
    assert state["rootfs"] == str(bundle.rootfs)
    assert state["annotations"] == {"a.b": "c", "empty": ""}
    assert state["owner"] == ""
    assert state["created"].endswith("Z")
    assert {"ociVersion", "pid"} <= state.keys()


def test_config_changes_after_create_have_no_effect(rung):
    bundle = rung.bundle(*FOREVER)
    bundle.process["env"].append("WHICH=first")
    bundle.create().ok()
    bundle.process["env"][-1] = "WHICH=second"
    bundle.spec["annotations"] = {"late": "yes"}
    bundle.write()
    bundle.start().ok()
    assert "WHICH=first" in bundle.exec("probe", "env").ok().out
    assert not bundle.state().get("annotations")
    (bundle.path / "config.json").unlink()
    assert bundle.status() == "running"
    bundle.delete("--force").ok()


def test_zombie_init_is_stopped(rung):
    """R204: its parent does not reap it."""
    bundle = rung.bundle("/bin/true").write()
    bundle.used.append(bundle.id)
    script = ("import ctypes, subprocess, sys, time\n"
              "ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)\n"
              "rung, bundle, name = sys.argv[1:4], sys.argv[4], sys.argv[5]\n"
              "for args in (['create', '--bundle', bundle, name], ['start', name]):\n"
              "    subprocess.run(rung + args, check=True)\n"
              "time.sleep(0.3)\n"
              "sys.stdout.write(subprocess.run(rung + ['state', name], check=True,\n"
              "                                stdout=subprocess.PIPE, text=True).stdout)\n"
              "subprocess.run(rung + ['delete', name], check=True)\n")
    result = subprocess.run([sys.executable, "-c", script, *rung.argv(), str(bundle.path), bundle.id],
                            check=True, stdout=subprocess.PIPE, text=True,
                            stdin=subprocess.DEVNULL)
    assert json.loads(result.stdout)["status"] == "stopped"


def test_no_process_of_the_runtime_stays(rung):
    bundle = rung.bundle(*FOREVER)
    bundle.run("--detach").ok()
    assert list(descendants().values()) == ["sleep"]


def test_foreground_run_forwards_signals(rung):
    bundle = rung.bundle().sh("trap 'exit 17' USR1; touch /tmp/ready; while :; do sleep 0.05; done")
    bundle.write()
    bundle.used.append(bundle.id)
    process = rung.popen("run", "--bundle", bundle.path, bundle.id, stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until((bundle.rootfs / "tmp/ready").exists)
        process.send_signal(signal.SIGUSR1)
        assert process.wait(5) == 17
    finally:
        process.kill()
        process.wait()


def test_create_that_is_killed_leaves_what_delete_removes(rung):
    bundle = rung.bundle(*FOREVER)
    add_hook(bundle, "createRuntime", "touch $OUT/here; sleep 100")
    bundle.write()
    bundle.used.append(bundle.id)
    process = rung.popen("create", "--bundle", bundle.path, bundle.id, stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until((bundle.path / "out/here").exists)
    process.kill()
    process.wait()
    bundle.delete("--force").ok()
    for pid, name in descendants().items():
        if name == "sleep" or name.startswith("createRuntime"):
            kill_quietly(pid)  # the hook belongs to nobody now


@pytest.mark.parametrize("args, text", [
    (["--cap-x"], "cap-x"), (["nosuchcommand"], "nosuchcommand"), (["create"], "ID"),
    (["start"], "ID"), (["state"], "ID"), (["kill"], "ID"), (["delete"], "ID"), (["pause"], "ID"),
    (["resume"], "ID"), (["exec"], "ID"), (["update"], "ID"), (["ps"], "ID"),
    (["state", "a", "b"], "argument"), (["list", "--format", "xml"], "xml"),
    (["--log-format", "xml", "list"], "xml"), (["create", "--bundle"], "bundle")])
def test_usage_errors(rung, args, text):
    result = rung(*args)
    assert result.status != 0
    assert text.lower() in (result.err + result.out).lower()


def test_systemd_cgroup_manager_is_refused(rung):
    bundle = rung.bundle("/bin/true")
    bundle.linux["cgroupsPath"] = "system.slice:rung:test"
    bundle.create(global_flags=["--systemd-cgroup"]).fails(
        "not supported yet: the systemd cgroup manager")


def test_intel_rdt_without_resctrl_is_refused(rung):
    if Path("/sys/fs/resctrl/schemata").exists():
        pytest.skip("resctrl is mounted here")
    bundle = rung.bundle("/bin/true")
    bundle.linux["intelRdt"] = {"closID": "x", "l3CacheSchema": "L3:0=f"}
    bundle.create().fails("intelRdt")


def test_pidfd_socket(rung):
    bundle = rung.bundle(*FOREVER)
    with Receiver(bundle.path / "pidfd") as receiver:
        bundle.create("--pidfd-socket", receiver.path).ok()
        fd = receiver.receive()
        info = Path(f"/proc/self/fdinfo/{fd}").read_text()
        assert f"Pid:\t{bundle.state()['pid']}\n" in info
        signal.pidfd_send_signal(fd, signal.SIGKILL)
    bundle.wait_for("stopped")


def test_spec_makes_a_bundle_that_runs(rung):
    bundle = rung.bundle("/bin/true")
    (bundle.path / "config.json").unlink(missing_ok=True)
    rung("spec", "--bundle", bundle.path, root=False).ok()
    text = (bundle.path / "config.json").read_text()
    rung("spec", "--bundle", bundle.path, root=False).fails("config.json")
    made = json.loads(text)
    made["process"].update(terminal=False, args=["/bin/echo", "ok"])
    bundle.spec = made
    assert bundle.output() == "ok"


def test_root_option_that_is_missing(rung, world):
    other = Rung(world, rung.program, world.base / "nowhere")
    other("list").fails("nowhere")
    other("state", "x").fails("does not exist")
    assert not (world.base / "nowhere").exists()


def test_many_containers_at_once(rung):
    bundle = rung.bundle("/bin/true").write()
    ids = [rung.new_id() for _ in range(8)]
    del bundle.linux["cgroupsPath"]
    bundle.write()
    bundle.used += ids
    processes = [rung.popen("run", "--bundle", bundle.path, name, stdin=subprocess.DEVNULL)
                 for name in ids]
    assert [p.wait(20) for p in processes] == [0] * 8


def test_racing_creates_of_one_id(rung):
    bundle = rung.bundle(*FOREVER).write()
    bundle.used.append(bundle.id)
    processes = [rung.popen("create", "--bundle", bundle.path, bundle.id, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                 for _ in range(6)]
    assert sorted(p.wait(20) for p in processes) == [0] + [1] * 5
    assert bundle.status() == "created"
