# SPDX-License-Identifier: LGPL-2.1-or-later
"""A test for each known class of escape, named by the advisory whose layout it rebuilds."""
import errno
import json
import os
import stat
import subprocess
import threading
import time
from pathlib import Path

import pytest
from support.leftover import descendants
from support.runtime import Rung, numbers, wait_until
from support.world import MS_BIND, mount, umount
from test_behaviours import docker_style

MS_RDONLY, MS_REMOUNT = 1, 32
FOREVER = ("/bin/sleep", "100")
LINKS = {"relative": "vol/x", "absolute": "/vol/x", "two-hops": "hop", "itself": None}


def harmless_or_refused(result):
    assert result.status in (0, 1), result
    assert result.seconds < 2


# --- path resolution in the root file system

@pytest.mark.parametrize("where", ["proc", "sys"])
@pytest.mark.parametrize("kind", ["relative", "absolute", "two-hops", "itself", "fifo", "file",
                                  "outside"])
def test_cve_2019_19921_2023_27561_2023_28642_proc_is_no_link(rung, canary, where, kind):
    bundle = rung.bundle("/bin/true")
    place = bundle.rootfs / where
    place.rmdir()
    (bundle.rootfs / "vol/x").mkdir(parents=True)
    (bundle.rootfs / "hop").symlink_to("vol/x")
    if kind == "fifo":
        os.mkfifo(place)
    elif kind == "file":
        place.write_text("")
    elif kind == "outside":
        place.symlink_to(canary / "dir")
    elif kind == "itself":
        place.symlink_to(where)
    else:
        place.symlink_to(LINKS[kind])
    result = bundle.run().fails(f"/{where}")
    assert len(result.err.splitlines()) == 1


@pytest.mark.parametrize("destination", ["//proc", "/./proc", "/foo/../proc", "/proc/", "proc"])
def test_cve_2023_27561_spellings_of_proc(rung, destination):
    bundle = rung.bundle().sh("test -d /proc/self && echo ok")
    (bundle.rootfs / "proc").rmdir()
    bundle.mount("/proc")["destination"] = destination
    result = bundle.run()
    if result.status == 0:
        assert result.out == "ok\n"
    (bundle.rootfs / "proc").rmdir()
    (bundle.rootfs / "proc").symlink_to("/tmp")
    bundle.new_id()
    bundle.run().fails()


@pytest.mark.parametrize("destination", ["/proc/sys", "/proc/self", "/proc/1/attr", "/proc/self/attr",
                                         "/proc/thread-self", "/proc/sysrq-trigger"])
@pytest.mark.parametrize("fstype", ["tmpfs", "bind"])
def test_cve_2019_16884_nothing_over_proc(rung, canary, destination, fstype):
    bundle = rung.bundle("/bin/true")
    if fstype == "bind":
        bundle.bind(canary / "dir", destination, "bind")
    else:
        bundle.add_mount(destination, "tmpfs", "tmpfs")
    bundle.run().fails("/proc")


def test_cve_2019_16884_allowed_files_below_proc(rung):
    bundle = rung.bundle("/bin/cat", "/proc/uptime", "/proc/cpuinfo")
    for name in ("uptime", "cpuinfo"):
        (bundle.path / name).write_text(f"fake {name}\n")
        bundle.bind(bundle.path / name, f"/proc/{name}", "bind")
    assert bundle.output() == "fake uptime\nfake cpuinfo"


def test_cve_2019_16884_a_volume_instead_of_proc(rung, canary):
    bundle = rung.bundle("/bin/true")
    bundle.mount("/proc").update(type="bind", source=str(canary), options=["bind"])
    bundle.run().fails("/proc")


class Swapper:
    """Exchanges a directory and a link to the canary, as another container of a volume could."""

    def __init__(self, directory, name, target):
        self.first, self.second = directory / name, directory / f".{name}-link"
        self.first.mkdir(exist_ok=True)
        self.second.symlink_to(target)
        self.stop, self.flips = False, 0
        self.thread = threading.Thread(target=self._loop, daemon=True)

    def _loop(self):
        import ctypes
        rename = ctypes.CDLL(None, use_errno=True).renameat2
        first, second = os.fsencode(self.first), os.fsencode(self.second)
        while not self.stop:
            rename(-100, first, -100, second, 2)
            self.flips += 1
            if self.flips % 64 == 0:
                time.sleep(0)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop = True
        self.thread.join()


@pytest.mark.parametrize("destination", ["/vol/swap", "/vol/swap/a/b/c", "/vol/swap/file"])
def test_cve_2021_30465_2024_45310_exchanged_directories(rung, canary, destination):
    bundle = rung.bundle("/bin/true")
    volume = bundle.path / "volume"
    volume.mkdir()
    bundle.bind(volume, "/vol", "bind")
    if destination.endswith("file"):
        (bundle.path / "source").write_text("")
        bundle.bind(bundle.path / "source", destination, "bind")
    else:
        bundle.add_mount(destination, "tmpfs", "tmpfs")
    with Swapper(volume, "swap", canary / "dir") as swapper:
        for _ in range(30):
            bundle.new_id()
            harmless_or_refused(bundle.run())
    assert swapper.flips > 1000


@pytest.mark.parametrize("depth", range(1, 8))
def test_cve_2024_45310_links_at_each_depth(rung, canary, depth):
    bundle = rung.bundle("/bin/true")
    parts = [f"d{n}" for n in range(8)]
    place = bundle.rootfs.joinpath(*parts[:depth])
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(canary / "dir")
    bundle.add_mount("/" + "/".join(parts), "tmpfs", "tmpfs")
    harmless_or_refused(bundle.run())


@pytest.mark.parametrize("name", ["pts", "shm", "mqueue", "ptmx", "console", "null", "tty", "fd"])
@pytest.mark.parametrize("tmpfs", [True, False])
def test_cve_2025_52565_links_in_dev(rung, canary, name, tmpfs):
    bundle = rung.bundle().sh("true")
    if not tmpfs:
        bundle.without_mount("/dev")
    target = canary / ("dir" if name in ("pts", "shm", "mqueue") else "file")
    (bundle.rootfs / "dev" / name).symlink_to(target)
    bundle.process["terminal"] = True
    harmless_or_refused(bundle.run())


@pytest.mark.parametrize("member", ["maskedPaths", "readonlyPaths"])
def test_masked_path_that_is_a_link_outside(rung, canary, member):
    bundle = rung.bundle("/bin/true")
    (bundle.rootfs / "secret").symlink_to(canary / "file")
    (bundle.rootfs / "hidden").symlink_to(canary / "dir")
    bundle.linux[member] = ["/secret", "/hidden"]
    harmless_or_refused(bundle.run())


def test_device_below_a_link(rung, canary):
    bundle = rung.bundle("/bin/true")
    (bundle.rootfs / "opt").symlink_to(canary / "dir")
    bundle.linux["devices"] = [{"type": "c", "path": "/opt/node", "major": 1, "minor": 3},
                               {"type": "p", "path": "/opt/fifo"}]
    harmless_or_refused(bundle.run())


@pytest.mark.parametrize("cwd", ["/link", "/link/new", "/../../../../link/new"])
def test_cwd_below_a_link(rung, canary, cwd):
    bundle = rung.bundle("/bin/true")
    (bundle.rootfs / "link").symlink_to(canary / "dir")
    bundle.process["cwd"] = cwd
    harmless_or_refused(bundle.run())


def test_tmpcopyup_of_a_link_outside(rung, canary):
    bundle = rung.bundle().sh("ls /top 2>/dev/null")
    (bundle.rootfs / "top").symlink_to(canary / "dir")
    bundle.add_mount("/top", "tmpfs", "tmpfs", "tmpcopyup")
    result = bundle.run()
    harmless_or_refused(result)
    assert "inside" not in result.out


# --- procfs, labels, sysctls

@pytest.mark.parametrize("key", [
    "kernel.core_pattern", "kernel/core_pattern", "kernel.modprobe", "vm.overcommit_memory",
    "fs.file-max", "net.ipv4/../../kernel.core_pattern", "net.ipv4.ip_forward/..", "kernel.panic",
    "../kernel/panic", "/kernel/panic", "kernel.shm_rmid_forced.x", "net", "net.", ".net", "",
    "kernel.msgmax\n", "kernel.msgmax\0", "kernel.msgmax=1", "net." + "x" * 4096, "user.x",
    "dev.cdrom.info", "kernel.yama.ptrace_scope", "fs.mqueue", "kernel.sem.x",
    "net.ipv4.neigh.default..gc_thresh1"])
def test_cve_2022_0811_sysctl_names(rung, key):
    before = Path("/proc/sys/kernel/core_pattern").read_text()
    bundle = rung.bundle("/bin/true")
    bundle.linux["sysctl"] = {key: "1"}
    bundle.run().fails("sysctl")
    assert Path("/proc/sys/kernel/core_pattern").read_text() == before


@pytest.mark.parametrize("kind, file, key", [
    ("ipc", "ipc", "kernel.msgmax"), ("network", "net", "net.ipv4.ip_forward"),
    ("uts", "uts", "kernel.domainname")])
def test_cve_2022_0811_the_hosts_namespace_joined_by_path(rung, kind, file, key):
    before = Path("/proc/sys", *key.split(".")).read_text()
    bundle = rung.bundle("/bin/true")
    del bundle.spec["hostname"]
    bundle.namespace(kind)["path"] = f"/proc/self/ns/{file}"
    bundle.linux["sysctl"] = {key: "1"}
    bundle.run().fails(key)
    assert Path("/proc/sys", *key.split(".")).read_text() == before


# --- the runtime's binary, descriptors, working directory, ptrace

def write_later(rung, remount=None):
    """What a container's process finds that keeps init's exe link until the image is no longer run:
    the reason why it cannot be opened for writing."""
    bundle = rung.bundle(*FOREVER)
    bundle.create().ok()
    held = os.open(f"/proc/{bundle.state()['pid']}/exe", os.O_PATH)
    try:
        bundle.delete("--force").ok()
        if remount:
            remount()
        with pytest.raises(OSError) as refusal:
            os.close(os.open(f"/proc/self/fd/{held}", os.O_WRONLY))
        return refusal.value.errno
    finally:
        os.close(held)


def test_cve_2019_5736_the_binary_cannot_be_written(rung):
    before = Path(rung.program).stat()
    assert write_later(rung) in (errno.EROFS, errno.EPERM)
    after = Path(rung.program).stat()
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)


def test_cve_2019_5736_on_a_read_only_mount_that_becomes_writable(rung):
    """A host with a read-only /usr, whose administrator remounts it for an upgrade."""
    place = rung.world.base / "usr"
    place.mkdir()
    mount(str(Path(rung.program).parent), place, flags=MS_BIND)
    mount(None, place, flags=MS_BIND | MS_REMOUNT | MS_RDONLY)
    inner = Rung(rung.world, str(place / Path(rung.program).name), rung.state)
    try:
        assert write_later(inner, lambda: mount(None, place, flags=MS_BIND | MS_REMOUNT)) in (
            errno.EROFS, errno.EPERM)
    finally:
        inner.clean()
        umount(place)
        place.rmdir()


def test_cve_2019_5736_exec_of_proc_self_exe(rung):
    """A program that is a link to the joiner's own image runs no host file."""
    bundle = rung.bundle(*FOREVER).up()
    (bundle.rootfs / "bin/evil").symlink_to("/proc/self/exe")
    result = bundle.exec("/bin/evil", "--version", timeout=10)
    assert result.status in (0, 1, 126, 127, 255)


def test_cve_2016_9962_joiners_cannot_be_read(rung):
    """A process with CAP_SYS_PTRACE watches for processes that join."""
    bundle = rung.bundle().sh(
        "cd /proc; while :; do for p in [0-9]*; do [ $p = 1 ] || [ $p = $$ ] || "
        "ls -l $p/fd $p/cwd $p/root 2>/dev/null | grep -v -e pipe: -e /dev/null -e total; "
        f"done; done | grep -e {rung.state} -e memfd: -e cgroup -e pidfd >/tmp/seen").caps("CAP_SYS_PTRACE", "CAP_KILL")
    bundle.up()
    for _ in range(100):
        bundle.exec("/bin/true").ok()
    assert (bundle.rootfs / "tmp/seen").read_text() == ""


@pytest.mark.parametrize("count", ["0", "1", "10", "40", "1000"])
def test_preserve_fds_hands_over_nothing_of_the_runtime(rung, count):
    bundle = rung.bundle("/bin/probe", "fds")
    result = bundle.run("--preserve-fds", count)
    if result.status == 0:
        assert numbers(result.out) == [0, 1, 2]
    else:
        result.fails("preserve-fds")


@pytest.mark.parametrize("count", ["-1", "2147483647", "x", "", "1.5", "4294967297"])
def test_preserve_fds_refusals(rung, count):
    rung.bundle("/bin/true").run("--preserve-fds", count).fails("preserve-fds")


def test_cve_2024_21626_exec_cwd(rung):
    bundle = rung.bundle(*FOREVER).up()
    (bundle.rootfs / "link").symlink_to("/proc/self/fd/8")
    for cwd in [f"/proc/self/fd/{n}" for n in range(3, 20)] + ["/link"]:
        result = bundle.exec("/bin/sh", "-c", "stat -c %d:%i . /", flags=["--cwd", cwd])
        if result.status == 0:
            inode, root = result.out.split()
            assert inode == root


@pytest.mark.parametrize("log", [False, True])
def test_init_keeps_nothing_of_the_caller(rung, log):
    """Neither while it waits for start nor later; its log is no file of the caller's."""
    bundle = rung.bundle(*FOREVER)
    held = os.open("/", os.O_PATH | os.O_DIRECTORY)
    try:
        for number in range(60, 64):
            os.dup2(held, number)
        flags = ["--log", bundle.path / "log", "--debug"] if log else []
        bundle.create(pass_fds=range(60, 64), global_flags=flags).ok()
    finally:
        for number in [held, *range(60, 64)]:
            os.close(number)
    names = Path("/proc", str(bundle.state()["pid"]), "fd")
    seen = {int(name): os.readlink(names / name) for name in os.listdir(names)}
    beyond = sorted(os.path.basename(file) for number, file in seen.items() if number > 2)
    assert beyond == (["log"] if log else []) + ["result", "start"]
    bundle.start().ok()
    assert set(map(int, os.listdir(names))) == {0, 1, 2}


def test_no_abstract_sockets(rung):
    before = Path("/proc/net/unix").read_text().count(" @")
    bundle = rung.bundle(*FOREVER).up()
    assert Path("/proc/net/unix").read_text().count(" @") <= before
    bundle.delete("--force").ok()


def test_no_controlling_terminal_without_a_terminal(rung):
    """CVE-2017-5226: TIOCSTI needs one."""
    assert rung.bundle("/bin/probe", "ctty").output() in ("ENXIO", "EIO", "EPERM")


# --- credentials, capabilities, environment

def test_cve_2016_3697_passwd_decides_nothing(rung):
    bundle = rung.bundle("/bin/id", "-u")
    (bundle.rootfs / "etc/passwd").write_text("1000:x:0:0::/root:/bin/sh\nroot:x:1000:0::/:/bin/sh\n")
    bundle.process["user"] = {"uid": 1000, "gid": 1000}
    assert bundle.output() == "1000"


USERS = {"0": (0, 0), "1": (1, 0), "1:2": (1, 2), "1000:1000": (1000, 1000),
         "4294967294": (4294967294, 0)}
BAD_USERS = ["", ":", "1:", ":2", "-1", "+1", " 1", "1 ", "0x1", "1e3", "1:2:3", "a", "root", "1:a",
             "4294967295", "4294967296", "18446744073709551616", "١", "1,2", "1.0", "--1", "1:-1",
             "1:4294967296", "\t1", "1\n", "1;id", "1/2", "0b1", "1_0", "NaN"]


@pytest.mark.parametrize("text", list(USERS) + BAD_USERS)
def test_cve_2026_30892_exec_user(rung, text):
    bundle = rung.bundle(*FOREVER).up()
    result = bundle.exec("/bin/sh", "-c", "id -u; id -g", flags=["--user", text])
    if text in USERS:
        assert tuple(map(int, result.ok().out.split())) == USERS[text]
    else:
        assert result.status == 255, result


@pytest.mark.parametrize("flags", [(), ("--cap", "CAP_KILL"), ("-u", "1000")])
def test_cve_2022_29162_inheritable_is_empty(rung, flags):
    bundle = rung.bundle(*FOREVER).up()
    out = bundle.exec("/bin/grep", "CapInh", "/proc/self/status", flags=flags).ok().out
    assert int(out.split()[1], 16) == 0


def test_cve_2018_groups(rung):
    """CVE-2023-25173: a group that may not read stays so."""
    bundle = rung.bundle("/bin/cat", "/denied").caps()
    (bundle.rootfs / "denied").write_text("x")
    (bundle.rootfs / "denied").chmod(0o604)
    os.chown(bundle.rootfs / "denied", 0, 1234)
    bundle.process["user"] = {"uid": 1000, "gid": 1000, "additionalGids": [1234]}
    assert bundle.run().status == 1


def test_no_environment_of_the_runtime(rung):
    bundle = rung.bundle("probe", "env")
    out = bundle.output(env={"MARKER": "leak", "LD_PRELOAD": "/nothing.so", "HOME": "/host",
                             "PATH": os.environ["PATH"]})
    assert out == "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\nHOME=/root"


def test_cve_2025_23266_container_environment_reaches_no_host_hook(rung):
    from support.runtime import add_hook
    bundle = rung.bundle("/bin/true")
    bundle.process["env"] += ["LD_PRELOAD=/evil.so", "LD_LIBRARY_PATH=/evil", "BASH_ENV=/evil"]
    for kind in ("prestart", "createRuntime", "createContainer", "poststart", "poststop"):
        out = add_hook(bundle, kind, f"env >$OUT/{kind}")
    bundle.run().ok()
    for file in out.iterdir():
        assert "evil" not in file.read_text()


@pytest.mark.parametrize("kind", ["fifo", "zero", "sparse", "long-line", "outside", "directory",
                                  "socket", "binary"])
def test_hostile_passwd(rung, canary, kind):
    """CVE-2026-47262: the look-up of HOME neither hangs nor eats memory."""
    import socket
    bundle = rung.bundle("probe", "env")
    passwd = bundle.rootfs / "etc/passwd"
    passwd.unlink()
    sock = None
    if kind == "fifo":
        os.mkfifo(passwd)
    elif kind == "zero":
        os.mknod(passwd, stat.S_IFCHR | 0o666, os.makedev(1, 5))
    elif kind == "sparse":
        with open(passwd, "wb") as file:
            file.truncate(1 << 30)
    elif kind == "long-line":
        passwd.write_text("x" * (32 << 20))
    elif kind == "outside":
        passwd.symlink_to(canary / "passwd")
    elif kind == "directory":
        passwd.mkdir()
    elif kind == "socket":
        sock = socket.socket(socket.AF_UNIX)
        sock.bind(str(passwd))
    else:
        passwd.write_bytes(bytes(range(256)) * 100)
    result = bundle.run()
    if sock:
        sock.close()
    assert result.seconds < 1
    if result.status == 0:
        assert "HOME=/\n" in result.out


# --- cgroups

@pytest.mark.parametrize("key", ["../x", "/etc/passwd", "a/b", "cgroup.procs", "cgroup.subtree_control",
                                 "cgroup.threads", "", ".", "..", "x" * 300, "a\nb",
                                 "memory.max\0", "cgroup.kill", "cgroup.freeze", "cgroup.type"])
def test_ghsa_5g49_unified_keys(rung, key):
    bundle = rung.bundle("/bin/true")
    bundle.linux["resources"]["unified"] = {key: "1"}
    bundle.run().fails("unified")


@pytest.mark.parametrize("path", ["/../../x", "../../../x", "/a//b/../../..", "/x/./y", "//x"])
def test_cgroups_path_stays_inside(rung, world, path):
    bundle = rung.bundle(*FOREVER)
    bundle.linux["cgroupsPath"] = path
    result = bundle.create()
    if result.status == 0:
        text = Path(f"/proc/{bundle.state()['pid']}/cgroup").read_text().splitlines()[-1]
        assert ".." not in text
        bundle.delete("--force").ok()
        for name in ("x/y", "x", "a/b", "a", "harness/x"):
            if (world.cgroup / name).is_dir():
                (world.cgroup / name).rmdir()
    else:
        result.fails("cgroup")


def test_no_rules_means_no_devices(rung):
    """GHSA-g54h-m393-cpwq."""
    for rules in (None, []):
        bundle = rung.bundle("/bin/probe", "open", "/dev/fuse", "R")
        bundle.linux["devices"] = [{"type": "c", "path": "/dev/fuse", "major": 10, "minor": 229}]
        bundle.linux["resources"] = {} if rules is None else {"devices": rules}
        assert bundle.output() in ("EPERM", "EACCES")


def test_cgroup_is_readonly_without_its_namespace(rung, world):
    """CVE-2023-25809."""
    bundle = rung.bundle().sh("for d in /sys/fs/cgroup /sys/fs/cgroup/harness; do "
                              "mkdir $d/x 2>/dev/null && echo made; done; true")
    bundle.without_namespace("cgroup").without_mount("/sys/fs/cgroup")
    bundle.userns(100000, 65536).chown_rootfs(100000)
    bundle.namespace("network")
    assert bundle.output() == ""


# --- protocols and parsers

@pytest.mark.parametrize("size", [65535, 65536, 65537, 1 << 20])
def test_cve_2021_43784_long_strings(rung, size):
    bundle = rung.bundle("/bin/sh", "-c", "echo ${#LONG}")
    bundle.process["env"].append("LONG=" + "x" * (size - 100 if size > 100000 else size))
    bundle.spec["annotations"] = {"long": "y" * size}
    bundle.add_mount("/mnt", "tmpfs", "tmpfs")
    result = bundle.run()
    if size < 100000:
        assert result.ok().out == f"{size}\n"
    else:  # the kernel takes no string of the environment that long
        result.fails("process.env[1]")


@pytest.mark.parametrize("count", [1, 1000, 10000])
def test_many_mount_options(rung, count):
    bundle = rung.bundle("/bin/true")
    bundle.add_mount("/mnt", "tmpfs", "tmpfs", *["nosuid"] * count)
    bundle.run().ok()


def test_damaged_state_never_means_no_container(rung):
    bundle = rung.bundle(*FOREVER).up()
    directory = rung.state / bundle.id
    files = [p for p in directory.iterdir() if p.is_file() and p.stat().st_size]
    saved = {p: p.read_bytes() for p in files}
    for damage in (b"", b"{", b"\0" * 100, b"x" * 100000, b"null", b"[]"):
        for path in files:
            path.write_bytes(damage)
        for command in (["state"], ["start"], ["kill"], ["pause"], ["exec"]):
            args = [*command, bundle.id] + (["/bin/true"] if command == ["exec"] else [])
            result = rung(*args)
            assert result.status in (1, 255)
            assert "does not exist" not in result.err, (command, damage)
        rung("list").ok()
        bundle.create().fails("already exists")
    for path, data in saved.items():
        path.write_bytes(data)
    assert bundle.status() == "running"


def test_delete_force_of_a_damaged_state(rung):
    bundle = rung.bundle(*FOREVER).up()
    pid = bundle.state()["pid"]
    for path in (rung.state / bundle.id).iterdir():
        if path.is_file() and path.stat().st_size:
            path.write_text("{")
    bundle.delete("--force")
    rung("delete", "--force", bundle.id).ok()
    assert not (rung.state / bundle.id).exists()
    if pid in descendants():  # nothing said where it was any more
        os.kill(pid, 9)
        wait_until(lambda: pid not in descendants())
        wait_until(lambda: "populated 0" in (bundle.cgroup / "cgroup.events").read_text())
        bundle.cgroup.rmdir()


def test_state_root_modes(rung):
    bundle = rung.bundle(*FOREVER)
    bundle.create().ok()
    assert (rung.state / bundle.id).stat().st_mode & 0o066 == 0


def test_pid_of_another_process_is_not_killed(rung):
    """The state names a process that is not the container's: its start time differs."""
    bundle = rung.bundle("/bin/true").up().wait_for("stopped")
    other = subprocess.Popen(["sleep", "100"])
    try:
        for path in (rung.state / bundle.id).iterdir():
            if not path.is_file():
                continue
            try:
                state = json.loads(path.read_text())
            except (ValueError, OSError):
                continue
            replaced = replace_pids(state, other.pid)
            path.write_text(json.dumps(replaced))
        result = bundle.kill("KILL")
        assert result.status == 1
        assert other.poll() is None
        assert bundle.delete("--force").status in (0, 1)
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def replace_pids(value, pid):
    if isinstance(value, dict):
        return {k: pid if k.lower() in ("pid", "initpid", "init_pid") else replace_pids(v, pid)
                for k, v in value.items()}
    return value


def test_filter_of_32_bit_calls(rung):
    """A profile for one architecture kills or refuses the others."""
    bundle = rung.bundle("/bin/probe", "syscall", str(0x40000000 | 39))
    bundle.linux["seccomp"] = docker_style()
    result = bundle.run()
    assert result.status in (0, 159, 137)
    assert not result.out.strip().isdigit()
