# SPDX-License-Identifier: LGPL-2.1-or-later
"""The forty behaviours that callers rely on and a toy misses, one test or more for each."""
import json
import os
import platform
import re
import socket
import stat
import subprocess
from datetime import datetime
from pathlib import Path

import pytest
from support.leftover import descendants, stat_of
from support.runtime import Receiver, add_hook, numbers, read_all, wait_until


def pid_file(path):
    return int(path.read_text())


def test_behaviour_01_pid_file_holds_digits_alone(rung):
    bundle = rung.bundle("/bin/sleep", "100")
    file = bundle.path / "pid"
    bundle.create("--pid-file", file).ok()
    assert re.fullmatch(rb"[1-9][0-9]*", file.read_bytes())
    assert pid_file(file) == bundle.state()["pid"]
    bundle.start().ok()
    bundle.exec("/bin/sleep", "100", flags=["--detach", "--pid-file", file]).ok()
    assert re.fullmatch(rb"[1-9][0-9]*", file.read_bytes())
    assert stat_of(pid_file(file))[2] == "sleep"


def test_behaviour_02_one_json_log_line_on_failure(rung):
    bundle = rung.bundle()
    log = bundle.path / "log"
    rung("--log", log, "--log-format", "json", "create", "--bundle", "/none", bundle.id).fails()
    lines = log.read_text().splitlines()
    assert len(lines) == 1
    entry = json.loads(lines[0])
    assert entry["level"] == "error" and entry["msg"]
    datetime.fromisoformat(entry["time"].replace("Z", "+00:00"))


def test_behaviour_03_error_also_on_stderr(rung):
    bundle = rung.bundle()
    log = bundle.path / "log"
    result = rung("--log", log, "create", "--bundle", "/none", bundle.id).fails()
    assert "/none" in result.err
    assert len(result.err.splitlines()) == 1
    assert "/none" in log.read_text()


@pytest.mark.parametrize("command", ["features", "--version", "list", "state", "ps"])
def test_behaviour_04_silent_stderr_on_success(rung, command):
    args = [command]
    if command in ("state", "ps"):
        args.append(rung.bundle("/bin/sleep", "100").up().id)
    result = rung(*args).ok()
    assert result.err == ""
    assert result.out


def test_behaviour_04_silent_life(rung):
    bundle = rung.bundle("/bin/true")
    assert bundle.create().ok().err == ""
    assert bundle.start().ok().err == ""
    bundle.wait_for("stopped")
    deleted = bundle.delete().ok()
    assert (deleted.out, deleted.err) == ("", "")


def test_behaviour_05_stopped_has_pid_0(rung):
    bundle = rung.bundle("/bin/true").up().wait_for("stopped")
    assert bundle.state()["pid"] == 0


def test_behaviour_06_delete_of_what_is_not_there(rung):
    missing = rung.new_id()
    forced = rung("delete", "--force", missing).ok()
    assert forced.err == ""
    rung("delete", missing).fails("does not exist")


def test_behaviour_07_delete_created(rung):
    bundle = rung.bundle("/bin/sleep", "100")
    bundle.create().ok()
    pid = bundle.state()["pid"]
    assert bundle.cgroup.is_dir()
    bundle.delete().ok()
    assert not bundle.cgroup.exists()
    assert stat_of(pid) is None or stat_of(pid)[1] == "Z"
    rung("state", bundle.id).fails("does not exist")


def test_behaviour_08_cgroup_manager_is_remembered(rung):
    bundle = rung.bundle("/bin/sleep", "100")
    del bundle.linux["cgroupsPath"]
    bundle.linux["resources"] = {}
    before = Path("/proc/self/cgroup").read_text()
    bundle.create(global_flags=["--cgroup-manager", "disabled"]).ok()
    pid = bundle.state()["pid"]
    assert Path(f"/proc/{pid}/cgroup").read_text().split(":")[-1] == before.split(":")[-1]
    bundle.start().ok()
    bundle.exec("/bin/true").ok()
    bundle.delete("--force").ok()


def test_behaviour_09_kill_takes_names_and_numbers(rung):
    for signal_word in ("9", "KILL", "SIGKILL", "sigkill", "kill"):
        bundle = rung.bundle("/bin/sleep", "100").up()
        bundle.kill(signal_word).ok()
        bundle.wait_for("stopped")
        bundle.kill("TERM").fails("container not running")
        bundle.delete().ok()


def test_behaviour_09_kill_default_is_term(rung):
    bundle = rung.bundle().sh("trap 'exit 7' TERM; touch /tmp/ready; while :; do sleep 0.05; done")
    bundle.up()
    wait_until((bundle.rootfs / "tmp/ready").exists)
    bundle.kill().ok()
    bundle.wait_for("stopped")


@pytest.mark.parametrize("word", ["NOSUCH", "999", "SIG", "", "9x", "0x9"])
def test_behaviour_09_kill_refuses_unknown_signals(rung, word):
    bundle = rung.bundle("/bin/sleep", "100").up()
    bundle.kill(word).fails()
    assert bundle.status() == "running"


def test_behaviour_10_sigkill_in_shared_pid_namespace_kills_all(rung):
    bundle = rung.bundle().sh("sleep 101 & sleep 102 & wait").without_namespace("pid")
    bundle.up()
    wait_until(lambda: len(bundle.cgroup.joinpath("cgroup.procs").read_text().split()) == 3)
    bundle.kill("KILL").ok()
    bundle.wait_for("stopped")
    wait_until(lambda: not {"sleep"} & set(descendants().values()))
    bundle.delete().ok()


def test_behaviour_11_container_is_a_child_of_the_caller(rung):
    bundle = rung.bundle("/bin/sleep", "100")
    file = bundle.path / "pid"
    bundle.create("--pid-file", file).ok()
    assert stat_of(pid_file(file))[0] == os.getpid()


def test_behaviour_12_create_misses_the_program_early(rung):
    bundle = rung.bundle("nosuch")
    bundle.create().fails('exec: "nosuch": executable file not found in $PATH')
    assert not (rung.state / bundle.id).exists()
    bundle.process["args"] = ["/bin/nosuch"]
    bundle.create().fails("no such file or directory")
    (bundle.rootfs / "bin/plain").write_text("")
    bundle.process["args"] = ["/bin/plain"]
    bundle.create().fails("permission denied")


def test_behaviour_13_exit_statuses(rung):
    rung("exec", rung.new_id(), "true").fails("does not exist", status=255)
    assert rung.bundle().sh("kill -9 $$").without_namespace("pid").run().status == 137
    assert rung.bundle().sh("exit 42").run().status == 42
    bundle = rung.bundle("/bin/sleep", "100").up()
    assert bundle.exec("/bin/sh", "-c", "exit 43").status == 43
    assert bundle.exec("/bin/sh", "-c", "kill -15 $$").status == 143
    bundle.exec("/bin/nosuch").fails("no such file or directory", status=255)
    bundle.exec("nosuch").fails("executable file not found in $PATH", status=255)


def test_behaviour_14_console_socket_gets_one_descriptor(rung):
    bundle = rung.bundle("/bin/tty")
    bundle.process["terminal"] = True
    with Receiver(bundle.path / "console") as receiver:
        bundle.create("--console-socket", receiver.path).ok()
        master = receiver.receive()
        assert len(receiver.fds) == 1
        assert 1 <= len(receiver.data) <= 256
        assert os.isatty(master)
        bundle.start().ok()
        assert read_all(master) == "/dev/pts/0\n"


def test_behaviour_14_terminal_needs_the_socket_and_the_reverse(rung):
    bundle = rung.bundle("/bin/true")
    bundle.process["terminal"] = True
    bundle.create().fails("console socket")
    bundle.run("--detach").fails("console socket")
    bundle.process["terminal"] = False
    with Receiver(bundle.path / "console") as receiver:
        bundle.create("--console-socket", receiver.path).fails("console socket")
        with socket.socket(socket.AF_UNIX) as poke:
            poke.connect(receiver.path)


def test_behaviour_15_console_is_the_controlling_terminal(rung):
    bundle = rung.bundle().sh("probe ctty; tty; stat -c '%u %t:%T' /dev/console; ls -l /dev/pts/0 | cut -c1; "
                              "stat -c '%u:%g' /dev/pts/0")
    bundle.process["terminal"] = True
    bundle.process["user"]["uid"] = 1000
    with Receiver(bundle.path / "console") as receiver:
        bundle.create("--console-socket", receiver.path).ok()
        master = receiver.receive()
        bundle.start().ok()
        assert read_all(master) == "0\n/dev/pts/0\n1000 88:0\nc\n1000:5\n"


def test_behaviour_15_exec_terminal(rung):
    bundle = rung.bundle("/bin/sleep", "100").up()
    with Receiver(bundle.path / "console") as receiver:
        bundle.exec("/bin/sh", "-c", "probe ctty; tty",
                    flags=["--tty", "--detach", "--console-socket", receiver.path]).ok()
        assert read_all(receiver.receive()) == "0\n/dev/pts/0\n"


@pytest.mark.controller("cpu")
def test_behaviour_16_update_keeps_what_is_not_given(rung):
    bundle = rung.bundle("/bin/sleep", "100")
    bundle.linux["resources"]["cpu"] = {"quota": 50000, "period": 200000}
    bundle.up()
    rung("update", "--resources", "-", bundle.id, text='{"cpu":{"period":100000}}').ok()
    assert (bundle.cgroup / "cpu.max").read_text() == "50000 100000\n"
    rung("update", "--cpu-quota", "30000", bundle.id).ok()
    assert (bundle.cgroup / "cpu.max").read_text() == "30000 100000\n"


MEGA = 1 << 20


@pytest.mark.controller("memory")
@pytest.mark.parametrize("limit, swap, expected", [
    (64 * MEGA, 96 * MEGA, str(32 * MEGA)), (64 * MEGA, 64 * MEGA, "0"), (64 * MEGA, -1, "max"),
    (-1, None, "max")])
def test_behaviour_17_swap_is_memory_and_swap(rung, limit, swap, expected):
    bundle = rung.bundle("/bin/sleep", "100")
    memory = bundle.linux["resources"]["memory"] = {"limit": limit}
    if swap is not None:
        memory["swap"] = swap
    bundle.create().ok()
    assert (bundle.cgroup / "memory.swap.max").read_text().strip() == expected


@pytest.mark.controller("cpu")
@pytest.mark.parametrize("shares, weight", [(1024, 100), (2, 1), (262144, 10000), (512, 59)])
def test_behaviour_18_cpu_shares_become_weight(rung, shares, weight):
    bundle = rung.bundle("/bin/sleep", "100")
    bundle.linux["resources"]["cpu"] = {"shares": shares}
    bundle.create().ok()
    assert (bundle.cgroup / "cpu.weight").read_text() == f"{weight}\n"


@pytest.mark.controller("pids")
@pytest.mark.parametrize("limit, expected", [(0, "1"), (-1, "max"), (77, "77")])
def test_behaviour_19_pids_limit(rung, limit, expected):
    bundle = rung.bundle("/bin/true")
    bundle.linux["resources"]["pids"] = {"limit": limit}
    bundle.create().ok()
    assert (bundle.cgroup / "pids.max").read_text().strip() == expected
    bundle.start().ok()


def test_behaviour_20_unified_refuses_bad_keys(rung):
    for key, text in {"cgroup/procs": "cgroup/procs", "nosuch.max": "nosuch",
                      "../cgroup.procs": "../cgroup.procs"}.items():
        bundle = rung.bundle("/bin/true")
        bundle.linux["resources"]["unified"] = {key: "1"}
        bundle.create().fails(text)


def test_behaviour_20_unified_is_written_verbatim(rung):
    bundle = rung.bundle("/bin/sleep", "100")
    bundle.linux["resources"]["unified"] = {"cgroup.max.depth": "3", "cgroup.max.descendants": "4"}
    bundle.create().ok()
    assert (bundle.cgroup / "cgroup.max.depth").read_text() == "3\n"
    assert (bundle.cgroup / "cgroup.max.descendants").read_text() == "4\n"


def test_behaviour_21_cgroup_in_use_is_refused(rung):
    bundle = rung.bundle("/bin/true")
    bundle.cgroup.mkdir()
    sleeper = subprocess.Popen(["sleep", "100"])
    (bundle.cgroup / "cgroup.procs").write_text(str(sleeper.pid))
    try:
        bundle.create().fails("container's cgroup is not empty: 1 process(es) found")
    finally:
        sleeper.kill()
        sleeper.wait()
        wait_until(lambda: "populated 0" in (bundle.cgroup / "cgroup.events").read_text())
    (bundle.cgroup / "cgroup.freeze").write_text("1")
    bundle.create().fails("container's cgroup unexpectedly frozen")
    assert bundle.cgroup.is_dir()
    bundle.cgroup.rmdir()


def submount(world, bundle):
    """A directory with a tmpfs below, to be bound recursively."""
    from support.world import mount
    top = bundle.path / "tree"
    (top / "sub").mkdir(parents=True)
    mount("none", top, "tmpfs")
    (top / "sub").mkdir()
    mount("none", top / "sub", "tmpfs")
    return top


def drop_submount(top):
    from support.world import umount
    umount(top / "sub")
    umount(top)


@pytest.mark.parametrize("options, inner", [(("rbind", "ro"), "ok"), (("rbind", "rro"), "EROFS"),
                                            (("rbind", "ro", "rro"), "EROFS"),
                                            (("rbind", "rw", "rro"), "EROFS")])
def test_behaviour_22_rro_is_recursive(rung, world, options, inner):
    bundle = rung.bundle().sh("touch /mnt/sub/x 2>/tmp/e && echo ok || echo EROFS; "
                              "touch /mnt/x 2>/dev/null && echo ok || echo EROFS")
    top = submount(world, bundle)
    try:
        bundle.bind(top, "/mnt", *options)
        assert bundle.output().split() == [inner, "EROFS"]
    finally:
        drop_submount(top)


def test_behaviour_23_locked_flags_are_kept_in_a_user_namespace(rung):
    from support.world import mount, umount
    bundle = rung.bundle().sh("grep ' /mnt ' /proc/self/mountinfo | cut -d' ' -f6")
    source = bundle.path / "locked"
    source.mkdir()
    mount("none", source, "tmpfs", 2 | 4 | 8)
    try:
        bundle.userns(100000, 65536).chown_rootfs(100000)
        bundle.bind(source, "/mnt", "bind", "ro")
        flags = bundle.output().split(",")
        assert {"ro", "nosuid", "nodev", "noexec"} <= set(flags)
    finally:
        umount(source)


def test_behaviour_24_tmpcopyup(rung):
    bundle = rung.bundle().sh("cat /etc/passwd | head -1; stat -c '%a %u' /etc/secret; "
                              "readlink /etc/link; touch /etc/new")
    (bundle.rootfs / "etc/secret").write_text("x")
    (bundle.rootfs / "etc/secret").chmod(0o640)
    os.chown(bundle.rootfs / "etc/secret", 1000, 1000)
    (bundle.rootfs / "etc/link").symlink_to("passwd")
    bundle.add_mount("/etc", "tmpfs", "tmpfs", "tmpcopyup")
    assert bundle.output().splitlines() == ["root:x:0:0:root:/root:/bin/sh", "640 1000", "passwd"]
    assert not (bundle.rootfs / "etc/new").exists()


def test_behaviour_25_idmapped_mount(rung):
    bundle = rung.bundle().sh("stat -c %u /mnt/file /mnt/other")
    source = bundle.path / "source"
    source.mkdir()
    for name, uid in (("file", 0), ("other", 1000)):
        (source / name).write_text("")
        os.chown(source / name, uid, uid)
    bundle.bind(source, "/mnt", "bind")
    bundle.spec["mounts"][-1].update(
        uidMappings=[{"containerID": 0, "hostID": 5000, "size": 65536}],
        gidMappings=[{"containerID": 0, "hostID": 5000, "size": 65536}])
    result = bundle.run()
    if "not support" in result.err:  # the file system, not the runtime
        pytest.skip("the file system of the test directory has no id-mapped mounts")
    assert result.ok().out.split() == ["5000", "6000"]


@pytest.mark.parametrize("where, text", [("proc", "/tmp"), ("proc", "tmp"), ("sys", "/tmp")])
def test_behaviour_26_proc_and_sys_must_be_directories(rung, where, text):
    bundle = rung.bundle("/bin/true")
    (bundle.rootfs / where).rmdir()
    (bundle.rootfs / where).symlink_to(text)
    bundle.create().fails("must be mounted on ordinary directory")


@pytest.mark.parametrize("text", ["/outside", "../../../../../../outside", "/tmp/../../outside"])
def test_behaviour_26_destinations_stay_inside(rung, canary, text):
    bundle = rung.bundle().sh("touch /mnt/file; ls /outside")
    (bundle.rootfs / "mnt").symlink_to(text)
    bundle.add_mount("/mnt", "tmpfs", "tmpfs")
    assert bundle.output() == "file"
    assert not Path("/outside").exists()
    assert (bundle.rootfs / "outside").is_dir()


def test_behaviour_27_masks(rung):
    bundle = rung.bundle().sh(
        "ls -A /hidden | wc -l; stat -c %h /hidden; touch /hidden/x 2>/dev/null || echo ro; "
        "cat /secret | wc -c; stat -c '%F %t:%T' /secret; cat /bare/secret | wc -c")
    (bundle.rootfs / "hidden").mkdir()
    (bundle.rootfs / "hidden/file").write_text("secret")
    (bundle.rootfs / "secret").write_text("secret")
    (bundle.rootfs / "bare").mkdir()
    (bundle.rootfs / "bare/secret").write_text("secret")
    bundle.linux["maskedPaths"] = ["/hidden", "/secret", "/secret", "/not/there", "/bare/secret"]
    assert bundle.output().splitlines() == ["0", "2", "ro", "0", "character special file 1:3", "0"]


@pytest.mark.parametrize("kind", ["file", "link", "zero", "absent"])
def test_behaviour_27_the_rootfs_null_device_is_not_trusted(rung, canary, kind):
    """CVE-2025-31133."""
    bundle = rung.bundle().sh("cat /secret | wc -c").without_mount("/dev", "/dev/pts", "/dev/shm",
                                                                   "/dev/mqueue")
    null = bundle.rootfs / "dev/null"
    if kind == "file":
        null.write_text("fake")
    elif kind == "link":
        null.symlink_to(canary / "file")
    elif kind == "zero":
        os.mknod(null, stat.S_IFCHR | 0o666, os.makedev(1, 5))
    (bundle.rootfs / "secret").write_text("secret")
    bundle.linux["maskedPaths"] = ["/secret"]
    result = bundle.run()
    if result.status == 0:
        assert result.out.strip() == "0"
    else:
        result.fails("/dev/null")


def test_behaviour_28_home_env_and_path(rung):
    bundle = rung.bundle("probe", "env")
    bundle.process["env"] = ["PATH=/usr/bin:/bin", "A=1", "B=x=y\nz", "A=2"]
    assert bundle.output() == "PATH=/usr/bin:/bin\nA=2\nB=x=y\nz\nHOME=/root"
    bundle.process["user"] = {"uid": 1000, "gid": 1000}
    bundle.new_id()
    assert bundle.output().splitlines()[-1] == "HOME=/home/user"
    bundle.process["user"] = {"uid": 4321, "gid": 0}
    bundle.new_id()
    assert bundle.output().splitlines()[-1] == "HOME=/"


def test_behaviour_29_cwd_is_made_when_absent(rung):
    bundle = rung.bundle().sh("pwd; stat -c '%a %u' .")
    bundle.process["cwd"] = "/new/work"
    bundle.spec["root"]["readonly"] = True
    assert bundle.output().splitlines() == ["/new/work", "755 0"]


@pytest.mark.parametrize("number", list(range(3, 16)) + [100])
@pytest.mark.parametrize("form", ["/proc/self/fd/{}", "/proc/thread-self/fd/{}", "/dev/fd/{}"])
def test_behaviour_29_cwd_through_a_descriptor_is_refused(rung, number, form):
    """CVE-2024-21626: refused, or the container's own root."""
    bundle = rung.bundle().sh("pwd; stat -c %d:%i . /")
    bundle.process["cwd"] = form.format(number)
    result = bundle.run()
    if result.status == 0:
        where, inode, root = result.out.split()
        assert where == "/" and inode == root
    else:
        result.fails("cwd")


def test_behaviour_30_no_leaked_descriptors(rung):
    bundle = rung.bundle("/bin/probe", "fds")
    fds = [os.open("/", os.O_RDONLY) for _ in range(20)]
    try:
        for fd in fds:
            os.set_inheritable(fd, True)
        out = bundle.output(close_fds=False)
        assert numbers(out) == [0, 1, 2]
        bundle = rung.bundle("/bin/sleep", "100").up()
        out = bundle.exec("/bin/probe", "fds", close_fds=False).ok().out
        assert numbers(out) == [0, 1, 2]
    finally:
        for fd in fds:
            os.close(fd)


def test_behaviour_31_umask(rung):
    bundle = rung.bundle().sh("umask")
    old = os.umask(0o077)
    try:
        assert bundle.output() == "0022"
        for umask in (0, 0o077, 0o002):
            bundle.process["user"]["umask"] = umask
            bundle.new_id()
            assert int(bundle.output(), 8) == umask
    finally:
        os.umask(old)


def docker_style(*denied):
    """Everything known by name is an error but these, as engines' profiles are."""
    names = ["accept", "access", "arch_prctl", "brk", "clone", "close", "dup2", "execve", "exit",
             "exit_group", "fcntl", "fstat", "futex", "getcwd", "getdents64", "getpid", "getuid",
             "ioctl", "lseek", "mmap", "mprotect", "munmap", "newfstatat", "open", "openat",
             "pipe", "pread64", "prctl", "prlimit64", "read", "readlink", "rseq", "rt_sigaction",
             "rt_sigprocmask", "set_robust_list", "set_tid_address", "stat", "uname", "wait4",
             "write", "writev", "getrandom", "geteuid", "getgid", "getegid", "getppid",
             "setuid", "setgid", "setgroups", "capset", "capget", "chdir", "exit", "getpgrp",
             "setsid", "setresuid", "setresgid", "pipe2", "dup", "dup3", "select", "poll", "sendmsg", "recvmsg", "openat2", "statx", "clock_gettime",
             "rt_sigreturn", "sysinfo", "fchdir", "umask", "close_range", "faccessat",
             "faccessat2", "kill", "tgkill", "getpgid"]
    return {"defaultAction": "SCMP_ACT_ERRNO", "defaultErrnoRet": 1,
            "architectures": ["SCMP_ARCH_X86_64"],
            "syscalls": [{"names": [n for n in names if n not in denied],
                          "action": "SCMP_ACT_ALLOW"}]}


def test_behaviour_32_new_system_calls_are_enosys(rung):
    bundle = rung.bundle().sh("probe syscall 1000; probe syscall 165")
    bundle.linux["seccomp"] = docker_style()
    assert bundle.output().split() == ["ENOSYS", "EPERM"]


X86_ALONE = pytest.mark.skipif(platform.machine() != "x86_64",
                               reason="x86 has three tables of system calls")


def three_tables():
    seccomp = docker_style()
    seccomp["architectures"] += ["SCMP_ARCH_X86", "SCMP_ARCH_X32"]
    seccomp["syscalls"].append({"names": ["getpid"], "action": "SCMP_ACT_ALLOW"})
    return seccomp


@X86_ALONE
def test_behaviour_32_new_system_calls_of_x32(rung):
    """The bit of x32 and 165, mount, 1000, nothing yet."""
    bundle = rung.bundle().sh("probe syscall 0x400000a5; probe syscall 0x400003e8")
    bundle.linux["seccomp"] = three_tables()
    assert bundle.output().split() == ["EPERM", "ENOSYS"]


@X86_ALONE
def test_behaviour_32_new_system_calls_of_32_bits(rung):
    """20 is getpid there, 48 signal."""
    bundle = rung.bundle().sh("probe int80 20; probe int80 48; probe int80 1000; true")
    bundle.linux["seccomp"] = three_tables()
    answers = bundle.output().split()
    if not answers:  # the gate is shut by a signal
        pytest.skip("this kernel takes no 32-bit system calls")
    assert int(answers[0]) > 0 and answers[1:] == ["EPERM", "ENOSYS"]


@pytest.mark.parametrize("nnp", [True, False])
def test_behaviour_33_seccomp_and_no_new_privileges(rung, nnp):
    """With it the filter comes last and may deny what setting up needs; without, earlier."""
    bundle = rung.bundle().sh("probe nnp; id -u; grep Seccomp: /proc/self/status | cut -f2")
    bundle.process.update(noNewPrivileges=nnp, user={"uid": 1000, "gid": 1000})
    bundle.linux["seccomp"] = docker_style(*(("setuid", "setgid", "setgroups", "capset")
                                             if nnp else ()))
    assert bundle.output().split() == ["1" if nnp else "0", "1000", "2"]


def test_behaviour_34_seccomp_notify(rung):
    bundle = rung.bundle().sh("echo started; mkdir /tmp/x || echo refused")
    with Receiver(bundle.path / "listener") as receiver:
        bundle.linux["seccomp"] = {
            "defaultAction": "SCMP_ACT_ALLOW", "listenerPath": receiver.path,
            "listenerMetadata": "some data",
            "flags": ["SECCOMP_FILTER_FLAG_TSYNC"],  # which the kernel refuses with a listener
            "syscalls": [{"names": ["mkdir", "mkdirat"], "action": "SCMP_ACT_NOTIFY"}]}
        bundle.create().ok()
        receiver.receive()
        assert len(receiver.fds) == 1
        message = json.loads(receiver.data)
        assert message["fds"] == ["seccompFd"]
        assert message["metadata"] == "some data"
        assert message["pid"] == bundle.state()["pid"]
        assert message["ociVersion"]
        state = message["state"]
        assert (state["id"], state["status"], state["bundle"]) == (bundle.id, "creating",
                                                                   str(bundle.path))


@pytest.mark.parametrize("flags, passed", [
    (None, 4), ([], 0), (["LOG"], 2), (["TSYNC", "LOG"], 2), (["TSYNC"], 0),
    (["WAIT_KILLABLE_RECV"], 0)])  # there is no listener to wait for
def test_behaviour_34_flags_of_the_filter(rung, flags, passed):
    bundle = rung.bundle("/bin/true")
    bundle.linux["seccomp"] = {"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
        {"names": ["mkdir"], "action": "SCMP_ACT_ERRNO"}]}
    if flags is not None:
        bundle.linux["seccomp"]["flags"] = [f"SECCOMP_FILTER_FLAG_{flag}" for flag in flags]
    result = bundle.run(global_flags=["--debug"]).ok()
    assert f'level=debug msg="seccomp filter flags: {passed}"' in result.err


def test_behaviour_34_exec_has_a_listener_of_its_own(rung):
    bundle = rung.bundle("/bin/sleep", "100")
    path = bundle.path / "listener"
    bundle.linux["seccomp"] = {
        "defaultAction": "SCMP_ACT_ALLOW", "listenerPath": str(path),
        "syscalls": [{"names": ["mkdir", "mkdirat"], "action": "SCMP_ACT_NOTIFY"}]}
    with Receiver(path) as receiver:
        bundle.up()
        receiver.receive()
    with Receiver(path) as receiver:
        bundle.exec("/bin/true").ok()
        receiver.receive()
        assert json.loads(receiver.data)["state"]["status"] == "running"


@pytest.mark.parametrize("setting, text", [
    ({"defaultAction": "SCMP_ACT_NOTIFY", "listenerPath": "/none"}, "SCMP_ACT_NOTIFY"),
    ({"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
        {"names": ["mkdir"], "action": "SCMP_ACT_NOTIFY"}]}, "listenerPath"),
    ({"defaultAction": "SCMP_ACT_ALLOW", "listenerMetadata": "x"}, "listenerMetadata"),
    ({"defaultAction": "SCMP_ACT_ALLOW", "listenerPath": "/none", "syscalls": [
        {"names": ["write"], "action": "SCMP_ACT_NOTIFY"}]}, "write"),
    ({"defaultAction": "SCMP_ACT_ALLOW", "listenerPath": "/none", "syscalls": [
        {"names": ["mkdir"], "action": "SCMP_ACT_NOTIFY"}]}, "/none")])
def test_behaviour_34_notify_refusals(rung, setting, text):
    bundle = rung.bundle("/bin/true")
    bundle.linux["seccomp"] = setting
    bundle.create().fails(text)


def test_behaviour_35_hook_state_directory_and_environment(rung):
    bundle = rung.bundle("/bin/sleep", "100")
    bundle.spec["annotations"] = {"org.test": "yes"}
    kinds = {"prestart": "creating", "createRuntime": "creating", "createContainer": "creating",
             "poststart": "running", "poststop": "stopped"}
    for kind in kinds:
        out = add_hook(bundle, kind, f"cat >$OUT/{kind}; pwd >$OUT/{kind}.cwd; env >$OUT/{kind}.env; "
                       f"echo $1 >$OUT/{kind}.arg", args=["other name", kind], env=["ONLY=this"])
    bundle.up()
    pid = bundle.state()["pid"]
    bundle.delete("--force").ok()
    for kind, status in kinds.items():
        state = json.loads((out / kind).read_text())
        assert (state["id"], state["status"], state["bundle"]) == (bundle.id, status,
                                                                   str(bundle.path)), kind
        assert state["annotations"] == {"org.test": "yes"}
        assert state["root"] == str(bundle.rootfs)
        if kind == "createContainer":
            assert state["pid"] == 1
        elif kind == "poststop":
            assert state.get("pid", 0) == 0
        else:
            assert state["pid"] == pid
        environment = dict(line.split("=", 1)
                           for line in (out / f"{kind}.env").read_text().splitlines())
        assert environment.pop("ONLY") == "this"
        assert not environment.keys() - {"PWD", "SHLVL", "_", "OLDPWD"}
        assert (out / f"{kind}.arg").read_text() == kind + "\n"
    for kind in ("prestart", "createRuntime"):
        assert (out / f"{kind}.cwd").read_text() == f"{bundle.path}\n"


def test_behaviour_35_hook_timeout(rung):
    bundle = rung.bundle("/bin/true")
    add_hook(bundle, "createRuntime", "sleep 100", timeout=1)
    result = bundle.create().fails("createRuntime")
    assert 0.9 < result.seconds < 5


def test_behaviour_35_no_environment_comes_from_the_caller(rung):
    bundle = rung.bundle("/bin/true")
    out = add_hook(bundle, "createRuntime", "env >$OUT/env")
    bundle.run(env={"MARKER": "leak", "PATH": os.environ["PATH"]}).ok()
    assert "MARKER" not in (out / "env").read_text()


def test_behaviour_36_failing_create_hook_removes_everything(rung):
    for kind in ("prestart", "createRuntime", "createContainer"):
        bundle = rung.bundle("/bin/true")
        add_hook(bundle, kind, "echo words of it >&2; exit 3")
        out = add_hook(bundle, kind, "touch $OUT/second")
        add_hook(bundle, "poststop", "touch $OUT/stopped")
        result = bundle.create().fails(kind, "words of it", f"{kind}-0.sh")
        assert len(result.err.splitlines()) == 1
        assert not (out / "second").exists()
        assert (out / "stopped").exists()
        assert not bundle.cgroup.exists()
        assert not (rung.state / bundle.id).exists()


def test_behaviour_36_failing_poststart_kills_the_container(rung):
    bundle = rung.bundle("/bin/sleep", "100")
    add_hook(bundle, "poststart", "exit 1")
    out = add_hook(bundle, "poststart", "touch $OUT/second")
    bundle.create().ok()
    bundle.start().fails("poststart")
    assert not (out / "second").exists()
    rung("state", bundle.id).fails("does not exist")
    assert not bundle.cgroup.exists()


def test_behaviour_37_pause_exec_kill(rung):
    bundle = rung.bundle("/bin/sleep", "100").up()
    rung("pause", bundle.id).ok()
    assert bundle.status() == "paused"
    bundle.exec("/bin/true").fails("cannot exec in a paused container", status=255)
    rung("pause", bundle.id).fails()
    rung("resume", bundle.id).ok()
    assert bundle.status() == "running"
    rung("resume", bundle.id).fails("container not paused")
    rung("pause", bundle.id).ok()
    bundle.kill("KILL").ok()
    bundle.wait_for("stopped")
    bundle.delete().ok()


def test_behaviour_38_preserve_fds(rung):
    bundle = rung.bundle("/bin/probe", "fds")
    read_end, write_end = os.pipe()
    try:
        os.dup2(read_end, 50)
        out = rung_with_fd3(bundle, write_end, "--preserve-fds", "1")
        assert numbers(out) == [0, 1, 2, 3]
    finally:
        for fd in (read_end, write_end, 50):
            os.close(fd)


def rung_with_fd3(bundle, fd, *flags):
    """Runs the bundle with @fd as 3 and nothing above."""
    bundle.write()
    bundle.used.append(bundle.id)
    argv = bundle.rung.argv("run", "--bundle", bundle.path, *flags, bundle.id)
    return subprocess.run(["/bin/bash", "-c", f'exec "$@" 3>&{fd} {fd}>&-', "bash", *argv],
                          pass_fds=[fd], check=True, stdout=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL).stdout


@pytest.mark.parametrize("count", ["1", "10", "1000"])
def test_behaviour_38_preserving_closed_descriptors_is_refused(rung, count):
    rung.bundle("/bin/true").run("--preserve-fds", count).fails("preserve-fds")


def test_behaviour_38_listen_fds(rung):
    bundle = rung.bundle().sh("echo $LISTEN_FDS $LISTEN_PID; probe fds")
    bundle.write()
    bundle.used.append(bundle.id)
    argv = rung.argv("run", "--bundle", bundle.path, bundle.id)
    script = 'export LISTEN_FDS=1 LISTEN_PID=$$; exec "$@" 3</'
    out = subprocess.run(["/bin/sh", "-c", script, "sh", *argv], check=True, text=True,
                         stdout=subprocess.PIPE, stdin=subprocess.DEVNULL).stdout.split("\n")
    assert out[0] == "1 1"
    assert numbers(out[1]) == [0, 1, 2, 3]


def test_behaviour_38_listen_fds_of_another_process_are_not_ours(rung):
    bundle = rung.bundle().sh("echo [$LISTEN_FDS]")
    out = bundle.output(env={"LISTEN_FDS": "1", "LISTEN_PID": "1", "PATH": os.environ["PATH"]})
    assert out == "[]"


def test_behaviour_40_features(rung):
    features = rung("features").json()
    assert features["ociVersionMin"] == "1.0.0"
    assert features["ociVersionMax"].startswith("1.3")
    assert {"rro", "idmap", "ridmap", "rnodev", "tmpcopyup"} <= set(features["mountOptions"])
    linux = features["linux"]
    assert linux["mountExtensions"]["idmap"]["enabled"] is True
    seccomp = linux["seccomp"]
    assert "SCMP_ARCH_X86_64" in seccomp.get("archs", []) or seccomp["enabled"] is False
    assert set(linux["namespaces"]) == {"cgroup", "ipc", "mount", "network", "pid", "time",
                                        "user", "uts"}
    assert linux["cgroup"]["v2"] is True and linux["cgroup"]["v1"] is False
    assert len(features["hooks"]) == 6


def test_behaviour_40_checkpoint_help_answers(rung):
    assert rung("checkpoint", "--help").status == 0
    result = rung("restore", "--lsm-mount-context")
    assert result.status != 0
    assert "requires an argument" in result.err
