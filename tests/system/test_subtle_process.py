# SPDX-License-Identifier: LGPL-2.1-or-later
"""Subtle points of the specification that concern the program: ids, limits, environment, stdio."""
import json
import os
import resource
import socket
import subprocess
from pathlib import Path

import pytest
from support.runtime import Receiver, add_hook, numbers, read_all, wait_until, window_size
from support.world import mount, umount


def test_subtle_02_member_names_ignore_case(rung):
    bundle = rung.bundle().sh("umask")
    bundle.process["user"] = {"UID": 0, "Gid": 0, "Umask": 7}
    assert int(bundle.output(), 8) == 7


def test_subtle_03_null_is_absent(rung):
    bundle = rung.bundle("/bin/true")
    bundle.linux.update(timeOffsets=None, devices=None, sysctl=None, seccomp=None, intelRdt=None,
                        uidMappings=None, maskedPaths=None, rootfsPropagation=None)
    bundle.process.update(rlimits=None, oomScoreAdj=None, selinuxLabel=None, scheduler=None)
    bundle.spec.update(hooks=None, annotations=None, domainname=None)
    bundle.run().ok()


def test_subtle_04_cwd_is_made_below_a_readonly_root(rung):
    bundle = rung.bundle().sh("pwd; touch x 2>/dev/null || echo ro")
    bundle.process["cwd"] = "/var/new/dir"
    bundle.spec["root"]["readonly"] = True
    assert bundle.output() == "/var/new/dir\nro"


def test_subtle_05_cwd_that_only_the_user_may_enter(rung):
    bundle = rung.bundle().sh("pwd").caps()
    private = bundle.rootfs / "private"
    private.mkdir(mode=0o700)
    os.chown(private, 1000, 1000)
    bundle.process.update(user={"uid": 1000, "gid": 1000}, cwd="/private")
    assert bundle.output() == "/private"


def test_subtle_05_cwd_that_only_the_runtime_may_enter(rung):
    bundle = rung.bundle("/bin/true").caps()
    private = bundle.rootfs / "private"
    private.mkdir(mode=0o700)
    bundle.process.update(user={"uid": 1000, "gid": 1000}, cwd="/private")
    bundle.run().ok()


@pytest.mark.parametrize("entries", [["HOME="], ["HOME=", "HOME="], ["HOME=/x", "HOME="]])
def test_subtle_06_empty_home_is_replaced(rung, entries):
    bundle = rung.bundle("probe", "env")
    bundle.process["env"] += entries
    homes = [line for line in bundle.output().splitlines() if line.startswith("HOME")]
    assert homes == ["HOME=/root"]


def test_subtle_06_repeated_home_is_the_last(rung):
    bundle = rung.bundle("probe", "env")
    bundle.process["env"] += ["HOME=/a", "HOME=/b"]
    homes = [line for line in bundle.output().splitlines() if line.startswith("HOME")]
    assert homes == ["HOME=/b"]


def test_subtle_06_exec_has_the_home_of_its_user(rung):
    bundle = rung.bundle("/bin/sleep", "100").up()
    assert "HOME=/home/user" in bundle.exec("probe", "env", flags=["-u", "1000"]).ok().out
    document = bundle.path / "process.json"
    document.write_text(json.dumps({"args": ["/bin/probe", "env"], "cwd": "/",
                                    "user": {"uid": 1000, "gid": 0}}))
    result = rung("exec", "--process", document, bundle.id).ok()
    assert "HOME=/home/user\n" in result.out


def test_subtle_07_passwd_may_be_a_link_without_a_newline(rung):
    bundle = rung.bundle("probe", "env")
    (bundle.rootfs / "etc/passwd").unlink()
    (bundle.rootfs / "usr/users").write_text("a:x:1:1::/a:/bin/sh\nlast:x:77:7::/last:/bin/sh")
    (bundle.rootfs / "etc/passwd").symlink_to("/usr/users")
    bundle.process["user"]["uid"] = 77
    assert "HOME=/last" in bundle.output().splitlines()


def test_subtle_08_unknown_user_has_the_root_as_home(rung):
    bundle = rung.bundle("probe", "env")
    bundle.process["user"]["uid"] = 4000000
    assert "HOME=/" in bundle.output().splitlines()
    (bundle.rootfs / "etc/passwd").unlink()
    bundle.new_id()
    assert "HOME=/" in bundle.output().splitlines()


def test_subtle_09_exec_inherits_the_umask(rung):
    bundle = rung.bundle("/bin/sleep", "100")
    bundle.process["user"]["umask"] = 0o027
    bundle.up()
    assert bundle.exec("/bin/sh", "-c", "umask").ok().out == "0027\n"


def test_subtle_10_groups_are_exactly_the_list(rung):
    bundle = rung.bundle("probe", "groups")
    inherit = {"extra_groups": [11, 12]}
    assert bundle.output(**inherit) == ""
    bundle.process["user"]["additionalGids"] = [1000, 100, 65534]
    bundle.new_id()
    assert sorted(bundle.output(**inherit).split(), key=int) == ["100", "1000", "65534"]
    bundle.process["args"] = ["/bin/sleep", "100"]
    bundle.new_id()
    bundle.up()
    out = bundle.exec("probe", "groups", flags=["-g", "5", "-g", "7"]).ok().out
    assert {"5", "7"} <= set(out.split())


def test_subtle_11_devnull_as_stdio_keeps_its_owner(rung):
    bundle = rung.bundle("/bin/true")
    bundle.process["user"] = {"uid": 1000, "gid": 1000}
    with open("/dev/null", "r+b", buffering=0) as null:
        before = os.fstat(null.fileno())
        bundle.run(stdin=null, stdout=null, stderr=null).ok()
        after = os.fstat(null.fileno())
    assert (before.st_uid, before.st_gid, before.st_mode) == (after.st_uid, after.st_gid,
                                                              after.st_mode)


def test_subtle_12_affinity_of_the_caller_does_not_leak(rung):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs two CPUs")
    bundle = rung.bundle().sh("grep Cpus_allowed_list /proc/self/status | cut -f2; sleep 100")
    all_cpus = Path("/proc/1/status").read_text().split("Cpus_allowed_list:\t")[1].split("\n")[0]
    old = os.sched_getaffinity(0)
    read_end, write_end = os.pipe()
    try:
        os.sched_setaffinity(0, {min(old)})
        bundle.create(stdout=write_end).ok()
        bundle.start().ok()
        assert os.read(read_end, 100).decode().strip() == all_cpus
        out = bundle.exec("/bin/grep", "Cpus_allowed_list", "/proc/self/status").ok().out
        assert out.split()[1] == all_cpus
    finally:
        os.sched_setaffinity(0, old)
        os.close(read_end)
        os.close(write_end)


def test_subtle_14_exec_ignoring_paused_waits(rung):
    bundle = rung.bundle("/bin/sleep", "100").up()
    rung("pause", bundle.id).ok()
    process = rung.popen("exec", "--ignore-paused", bundle.id, "/bin/true",
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL)
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
    finally:
        rung("resume", bundle.id).ok()
    assert process.wait(5) == 0


@pytest.mark.parametrize("code", [0, 1, 2, 126, 127, 254, 255])
def test_subtle_15_exec_exits_as_the_program(rung, code):
    bundle = rung.bundle("/bin/sleep", "100").up()
    assert bundle.exec("/bin/sh", "-c", f"exit {code}").status == code


def test_subtle_16_rlimits_of_init_and_exec(rung):
    bundle = rung.bundle().sh("ulimit -n; ulimit -Hn; ulimit -c; sleep 100")
    bundle.process["rlimits"] = [{"type": "RLIMIT_NOFILE", "soft": 700, "hard": 800},
                                 {"type": "RLIMIT_CORE", "soft": 0, "hard": 0}]
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with open(bundle.path / "out", "w+", encoding="ascii") as out:
        bundle.create(stdout=out).ok()
        bundle.start().ok()
        wait_until(lambda: len((bundle.path / "out").read_text().split()) == 3)
        assert (bundle.path / "out").read_text().split() == ["700", "800", "0"]
    assert bundle.exec("/bin/sh", "-c", "ulimit -n; ulimit -Hn").ok().out.split() == ["700", "800"]
    assert (soft, hard) == resource.getrlimit(resource.RLIMIT_NOFILE)


def test_subtle_16_infinity(rung):
    bundle = rung.bundle().sh("ulimit -f")
    bundle.process["rlimits"] = [{"type": "RLIMIT_FSIZE", "soft": 18446744073709551615,
                                  "hard": 18446744073709551615}]
    assert bundle.output() == "unlimited"


def test_subtle_17_few_descriptors_do_not_break_setting_up(rung):
    bundle = rung.bundle().sh("ulimit -n")
    for number in range(20):
        (bundle.path / f"source{number}").mkdir()
        bundle.bind(bundle.path / f"source{number}", f"/mnt/{number}", "bind")
    bundle.process["rlimits"] = [{"type": "RLIMIT_NOFILE", "soft": 4, "hard": 4}]
    assert bundle.output() == "4"


def test_subtle_55_argv0_of_a_hook_is_its_own(rung):
    bundle = rung.bundle("/bin/true")
    out = add_hook(bundle, "createRuntime", "")
    hook = bundle.spec["hooks"]["createRuntime"][0]
    hook["path"] = "/bin/sh"
    hook["args"] = ["a name", "-c", f"echo $0 >{out}/name; tr '\\0' '|' </proc/$$/cmdline >{out}/line"]
    bundle.run().ok()
    assert (out / "line").read_text().startswith("a name|-c|")


def test_subtle_55_start_container_hook_has_the_environment_of_the_process(rung):
    bundle = rung.bundle("/bin/true")
    bundle.process["env"].append("FROM=process")
    (bundle.rootfs / "hook").write_text("#!/bin/sh\nenv >/tmp/env\n")
    (bundle.rootfs / "hook").chmod(0o755)
    bundle.spec["hooks"] = {"startContainer": [{"path": "/hook"}]}
    bundle.run().ok()
    assert "FROM=process" in (bundle.rootfs / "tmp/env").read_text().splitlines()


@pytest.mark.parametrize("present", [True, False])
def test_subtle_59_the_enosys_stub_and_same_rules(rung, present):
    """A rule equal to the default is no error; the same index twice means one or the other."""
    from test_behaviours import docker_style
    bundle = rung.bundle().sh("probe syscall 1001; probe syscall 135 1; probe syscall 135 2; "
                              "probe syscall 135 3")
    seccomp = bundle.linux["seccomp"] = docker_style()
    seccomp["syscalls"] += [
        {"names": ["mount"], "action": "SCMP_ACT_ERRNO", "errnoRet": 1},
        {"names": ["no_such_call_at_all", "mount"], "action": "SCMP_ACT_ERRNO", "errnoRet": 1}]
    if present:
        seccomp["syscalls"].append(
            {"names": ["personality"], "action": "SCMP_ACT_ERRNO", "errnoRet": 77,
             "args": [{"index": 0, "value": 1, "op": "SCMP_CMP_EQ"},
                      {"index": 0, "value": 2, "op": "SCMP_CMP_EQ"}]})
    expected = ["EBADFD", "EBADFD", "EPERM"] if present else ["EPERM"] * 3
    assert bundle.output().split() == ["ENOSYS", *expected]


@pytest.mark.parametrize("value", ["1", "0"])
def test_unknown_system_calls_are_refused_on_request(rung, value):
    bundle = rung.bundle("/bin/true")
    bundle.linux["seccomp"] = {"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
        {"names": ["mkdir", "no_such_call_at_all"], "action": "SCMP_ACT_ERRNO"}]}
    bundle.run().ok()
    bundle.spec["annotations"] = {"run.oci.seccomp_fail_unknown_syscall": value}
    result = bundle.run()
    if value == "1":
        result.fails("linux.seccomp.syscalls[0].names[1]", "no_such_call_at_all")
    else:
        result.ok()


def test_subtle_60_notify_on_calls_of_the_setup_does_not_deadlock(rung):
    bundle = rung.bundle("/bin/sleep", "100")
    bundle.process["noNewPrivileges"] = False
    with Receiver(bundle.path / "listener") as receiver:
        bundle.linux["seccomp"] = {
            "defaultAction": "SCMP_ACT_ALLOW", "listenerPath": receiver.path,
            "syscalls": [{"names": ["mkdir", "mount", "unshare", "sethostname"],
                          "action": "SCMP_ACT_NOTIFY"}]}
        bundle.create().ok()
        receiver.receive()


def test_subtle_60_listener_path_without_notify_is_ignored(rung):
    bundle = rung.bundle("/bin/true")
    bundle.linux["seccomp"] = {"defaultAction": "SCMP_ACT_ALLOW", "listenerPath": "/no/such/socket"}
    bundle.run().ok()


def test_subtle_61_personality_comes_before_seccomp(rung):
    bundle = rung.bundle("/bin/sleep", "100")
    bundle.linux["personality"] = {"domain": "LINUX32"}
    bundle.linux["seccomp"] = {
        "defaultAction": "SCMP_ACT_ALLOW",
        "syscalls": [{"names": ["personality"], "action": "SCMP_ACT_ERRNO"}]}
    bundle.up()
    assert bundle.exec("/bin/uname", "-m").ok().out in ("i686\n", "armv8l\n")


def caps(bundle, *flags):
    out = bundle.exec("/bin/grep", "^Cap", "/proc/self/status", flags=flags).ok().out
    return {name[3:6].lower(): int(value, 16) for name, value in
            (line.replace(":", "").split() for line in out.splitlines())}


CHOWN, NET_RAW, KILL = 1 << 0, 1 << 13, 1 << 5


def test_subtle_62_missing_sets_are_empty(rung):
    bundle = rung.bundle("/bin/grep", "^Cap", "/proc/self/status")
    bundle.process["capabilities"] = {"bounding": ["CAP_CHOWN", "CAP_KILL"]}
    values = dict(line.split() for line in bundle.output().splitlines())
    assert int(values["CapBnd:"], 16) == CHOWN | KILL
    for name in ("CapInh:", "CapPrm:", "CapEff:", "CapAmb:"):
        assert int(values[name], 16) == 0
    del bundle.process["capabilities"]
    bundle.new_id()
    values = dict(line.split() for line in bundle.output().splitlines())
    assert {int(value, 16) for value in values.values()} == {0}


def test_subtle_62_non_root_has_exactly_the_listed(rung):
    bundle = rung.bundle("/bin/grep", "^Cap", "/proc/self/status").caps("CAP_CHOWN", "CAP_KILL")
    bundle.process["user"] = {"uid": 1000, "gid": 1000}
    bundle.process["capabilities"].update(inheritable=["CAP_KILL"], ambient=["CAP_KILL"])
    values = {k: int(v, 16) for k, v in (line.split() for line in bundle.output().splitlines())}
    assert values == {"CapInh:": KILL, "CapPrm:": KILL, "CapEff:": KILL, "CapBnd:": CHOWN | KILL,
                      "CapAmb:": KILL}


def test_subtle_62_ambient_needs_inheritable(rung):
    bundle = rung.bundle("/bin/grep", "^CapAmb", "/proc/self/status").caps("CAP_KILL")
    bundle.process["capabilities"]["ambient"] = ["CAP_KILL"]
    assert int(bundle.output().split()[1], 16) == 0


def test_subtle_62_exec_cap(rung):
    bundle = rung.bundle("/bin/sleep", "100").caps("CAP_CHOWN", "CAP_NET_RAW").up()
    plain = caps(bundle)
    assert plain == {"inh": 0, "prm": CHOWN | NET_RAW, "eff": CHOWN | NET_RAW,
                     "bnd": CHOWN | NET_RAW, "amb": 0}
    more = caps(bundle, "--cap", "CAP_KILL")
    assert more["bnd"] == more["prm"] == more["eff"] == CHOWN | NET_RAW | KILL
    assert more["inh"] == more["amb"] == 0


def test_subtle_62_unknown_capabilities_are_ignored(rung):
    bundle = rung.bundle("/bin/grep", "^CapEff", "/proc/self/status").caps("CAP_CHOWN",
                                                                          "CAP_NOT_THERE", "chown")
    assert int(bundle.output().split()[1], 16) == CHOWN


def test_subtle_63_filter_for_a_user_without_nnp(rung):
    bundle = rung.bundle().sh("id -u; probe nnp; grep Seccomp: /proc/self/status | cut -f2").caps()
    bundle.process.update(user={"uid": 1000, "gid": 1000}, noNewPrivileges=False)
    bundle.linux["seccomp"] = {"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
        {"names": ["mkdir"], "action": "SCMP_ACT_ERRNO"}]}
    assert bundle.output().split() == ["1000", "0", "2"]


def test_subtle_64_console_size_on_exec(rung):
    bundle = rung.bundle("/bin/sleep", "100").up()
    document = bundle.path / "process.json"
    document.write_text(json.dumps({
        "args": ["/bin/stty", "size"], "cwd": "/", "terminal": True, "user": {"uid": 0, "gid": 0},
        "consoleSize": {"height": 10, "width": 110}, "env": bundle.process["env"]}))
    with Receiver(bundle.path / "console") as receiver:
        rung("exec", "--process", document, "--detach", "--console-socket", receiver.path,
             bundle.id).ok()
        master = receiver.receive()
        assert window_size(master) == (10, 110)
        assert read_all(master) == "10 110\n"


def test_subtle_64_foreground_terminal_without_a_terminal(rung):
    bundle = rung.bundle().sh("tty; echo words; exit 5")
    bundle.process["terminal"] = True
    result = bundle.run()
    assert result.status == 5
    assert result.out == "/dev/pts/0\nwords\n"  # and no "\r": a pipe is no terminal


def test_subtle_65_console_socket_and_terminal_of_exec(rung):
    bundle = rung.bundle("/bin/sleep", "100").up()
    bundle.exec("/bin/true", flags=["--tty", "--detach"]).fails("console socket", status=255)
    with Receiver(bundle.path / "console") as receiver:
        bundle.exec("/bin/true", flags=["--detach", "--console-socket", receiver.path]).fails(
            "console socket", status=255)
        with socket.socket(socket.AF_UNIX) as poke:
            poke.connect(receiver.path)


def test_subtle_66_terminal_below_a_readonly_root_without_dev(rung):
    bundle = rung.bundle().sh("test -t 0 && echo terminal").without_mount("/dev")
    bundle.spec["root"]["readonly"] = True
    bundle.process["terminal"] = True
    with Receiver(bundle.path / "console") as receiver:
        bundle.create("--console-socket", receiver.path).ok()
        master = receiver.receive()
        bundle.start().ok()
        assert read_all(master) == "terminal\n"


def test_subtle_71_descriptors_and_listen_pid_with_preserved(rung):
    bundle = rung.bundle().sh("echo $LISTEN_FDS $LISTEN_PID; probe fds").write()
    bundle.used.append(bundle.id)
    argv = rung.argv("run", "--preserve-fds", "1", "--bundle", bundle.path, bundle.id)
    script = 'export LISTEN_FDS=1 LISTEN_PID=$$; exec "$@" 3</ 4</ 5</'
    out = subprocess.run(["/bin/bash", "-c", script, "bash", *argv], check=True, text=True,
                         stdout=subprocess.PIPE, stdin=subprocess.DEVNULL).stdout.split("\n")
    assert out[0] == "1 1"
    assert numbers(out[1]) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("caps, works", [((), False), (("CAP_DAC_OVERRIDE",), True)])
def test_subtle_72_execute_permission_counts_capabilities(rung, caps, works):
    bundle = rung.bundle("/bin/private").caps(*caps)
    (bundle.rootfs / "bin/private").write_text("#!/bin/sh\nexit 0\n")
    (bundle.rootfs / "bin/private").chmod(0o744)
    bundle.process["user"] = {"uid": 1000, "gid": 1000}
    for kind in ("inheritable", "ambient"):
        bundle.process["capabilities"][kind] = list(caps)
    result = bundle.run()
    if works:
        result.ok()
    else:
        result.fails("permission denied")


def test_subtle_76_session_keyring(rung):
    bundle = rung.bundle("/bin/sleep", "100").up()
    assert bundle.exec("probe", "keyring").ok().out.strip().split(";")[-1] == f"_ses.{bundle.id}"
    other = rung.bundle("probe", "keyring")
    own = subprocess.run([rung.world.probe, "keyring"], check=False, text=True,
                         stdout=subprocess.PIPE).stdout
    assert other.output("--no-new-keyring") == own.strip()


def test_subtle_77_time_offsets(rung):
    bundle = rung.bundle().sh("cat /proc/self/timens_offsets; sleep 100")
    bundle.linux["namespaces"].append({"type": "time"})
    bundle.linux["timeOffsets"] = {"monotonic": {"secs": 7881, "nanosecs": 2718281},
                                   "boottime": {"secs": 1337}}
    bundle.up()
    for command in (["/bin/cat", "/proc/1/timens_offsets"],
                    ["/bin/cat", "/proc/self/timens_offsets"]):
        lines = [line.split() for line in bundle.exec(*command).ok().out.splitlines()]
        assert lines == [["monotonic", "7881", "2718281"], ["boottime", "1337", "0"]]


def test_subtle_79_io_priority(rung):
    bundle = rung.bundle("/bin/sleep", "100")
    bundle.process["ioPriority"] = {"class": "IOPRIO_CLASS_BE", "priority": 4}
    bundle.up()
    assert bundle.exec("probe", "ioprio").ok().out == f"{2 << 13 | 4}\n"


@pytest.mark.parametrize("scheduler, expected", [
    ({"policy": "SCHED_BATCH", "nice": 7}, "policy=3 flags=0 nice=7 priority=0"),
    ({"policy": "SCHED_IDLE"}, "policy=5 flags=0 nice=0 priority=0"),
    ({"policy": "SCHED_FIFO", "priority": 5, "flags": ["SCHED_FLAG_RESET_ON_FORK"]},
     "policy=1 flags=1 nice=0 priority=5"),
    ({"policy": "SCHED_DEADLINE", "runtime": 10000000, "deadline": 20000000, "period": 30000000,
      "flags": ["SCHED_FLAG_RESET_ON_FORK"]},
     "runtime=10000000 deadline=20000000 period=30000000")])
def test_subtle_80_scheduler_of_init_and_exec(rung, scheduler, expected):
    bundle = rung.bundle("probe", "sched")
    bundle.process["scheduler"] = scheduler
    assert expected in bundle.output()
    bundle.new_id()
    bundle.process["args"] = ["/bin/sleep", "100"]
    bundle.up()
    assert expected in bundle.exec("probe", "sched").ok().out


@pytest.mark.parametrize("value", [0, 500, 1000])
def test_subtle_81_oom_score_is_written_even_when_zero(rung, value):
    bundle = rung.bundle("/bin/cat", "/proc/self/oom_score_adj")
    bundle.process["oomScoreAdj"] = value
    own = Path("/proc/self/oom_score_adj")
    try:
        assert bundle.output() == str(value)
    finally:
        assert own.read_text().strip() == "0"


def test_subtle_81_absent_oom_score_is_inherited(rung):
    bundle = rung.bundle("/bin/cat", "/proc/self/oom_score_adj")
    own = Path("/proc/self/oom_score_adj")
    own.write_text("300")
    try:
        assert bundle.output() == "300"
    finally:
        own.write_text("0")


@pytest.mark.parametrize("policy, expected", [
    ({"mode": "MPOL_INTERLEAVE", "nodes": "0"}, "mode=3 nodes=1"),
    ({"mode": "MPOL_BIND", "nodes": "0", "flags": ["MPOL_F_STATIC_NODES"]}, "mode=32770 nodes=1"),
    ({"mode": "MPOL_DEFAULT"}, "mode=0 nodes=0"), ({"mode": "MPOL_LOCAL"}, "mode=4 nodes=0")])
def test_memory_policy(rung, policy, expected):
    bundle = rung.bundle("probe", "mempolicy")
    bundle.linux["memoryPolicy"] = policy
    assert bundle.output() == expected


def test_exec_cpu_affinity(rung):
    bundle = rung.bundle("/bin/sleep", "100")
    bundle.process["execCPUAffinity"] = {"initial": "0", "final": "0"}
    bundle.up()
    out = bundle.exec("/bin/grep", "Cpus_allowed_list", "/proc/self/status").ok().out
    assert out.split()[1] == "0"


def test_rootless_ids_and_groups(rootless):
    bundle = rootless.bundle().sh("id -u; id -g; cat /proc/self/setgroups")
    assert bundle.output().split() == ["0", "0", "deny"]


def test_rootless_with_subordinate_ids(rootless, world):
    bundle = rootless.bundle().sh("id -u; cat /proc/self/uid_map")
    for name in ("uidMappings", "gidMappings"):
        bundle.linux[name] = [{"containerID": 0, "hostID": world.user, "size": 1},
                              {"containerID": 1, "hostID": world.sub, "size": 65536}]
    bundle.process["user"] = {"uid": 1000, "gid": 1000}
    out = bundle.output().split()
    assert out == ["1000", "0", str(world.user), "1", "1", str(world.sub), "65536"]


def test_rootless_life(rootless):
    bundle = rootless.bundle("/bin/sleep", "100").up()
    assert bundle.status() == "running"
    assert bundle.exec("/bin/id", "-u").ok().out == "0\n"
    bundle.kill("KILL").ok()
    bundle.wait_for("stopped")
    bundle.delete().ok()


def test_user_namespace_maps(rung):
    bundle = rung.bundle().sh("id -u; cat /proc/self/uid_map /proc/self/gid_map; touch /tmp/mine")
    bundle.userns(100000, 65536).chown_rootfs(100000)
    assert bundle.output().split() == ["0"] + ["0", "100000", "65536"] * 2
    assert (bundle.rootfs / "tmp/mine").stat().st_uid == 100000


def test_exec_into_a_user_namespace(rung):
    bundle = rung.bundle(*("/bin/sleep", "100")).userns(100000, 65536).chown_rootfs(100000).up()
    assert bundle.exec("/bin/sh", "-c", "id -u; id -g").ok().out == "0\n0\n"
    assert bundle.exec("/bin/id", "-u", flags=["-u", "1000"]).ok().out == "1000\n"


def test_detached_exec_reports_a_failing_program(rung):
    bundle = rung.bundle("/bin/sleep", "100").up()
    (bundle.rootfs / "bin/bad").write_text("#!/no/such/interpreter\n")
    (bundle.rootfs / "bin/bad").chmod(0o755)
    for flags in ((), ("--detach",)):
        result = bundle.exec("/bin/bad", flags=flags)
        result.fails("/bin/bad", status=255)
        assert len(result.err.splitlines()) == 1


def test_subtle_38_inaccessible_bind_source_with_a_user_namespace(rung):
    bundle = rung.bundle("/bin/cat", "/mnt/file")
    private = bundle.path / "private"
    (private / "source").mkdir(parents=True)
    (private / "source/file").write_text("inside")
    private.chmod(0o700)
    bundle.userns(100000, 65536).chown_rootfs(100000).bind(private / "source", "/mnt", "rbind")
    assert bundle.output() == "inside"


def test_mount_helpers_are_symmetric(world):
    """The harness' own mounts come and go: what it finds is the runtime's."""
    mount("none", world.base / "bin", "tmpfs")
    umount(world.base / "bin")
