# SPDX-License-Identifier: LGPL-2.1-or-later
"""Broken configurations and bundles: one line that names what is wrong, soon, and nothing left."""
import copy
import json
import os
import re

import pytest
from support import spec
from support.runtime import skip_when_built_without

U64 = 1 << 64


def put(path, value):
    """The change that sets @path, "process.user.uid", to @value; a list's index is a number."""
    def change(config):
        at = config
        *parents, last = [int(p) if p.isdigit() else p for p in path.split(".")]
        for step in parents:
            at = at[step] if isinstance(step, int) else at.setdefault(step, {})
        if last == "+":
            at.append(value)
        else:
            at[last] = value
    return change


def drop(path):
    def change(config):
        at = config
        *parents, last = path.split(".")
        for step in parents:
            at = at[step]
        del at[last]
    return change


def add(path, value):
    def change(config):
        at = config
        *parents, last = path.split(".")
        for step in parents:
            at = at.setdefault(step, {})
        at.setdefault(last, []).append(value)
    return change


def both(*changes):
    def change(config):
        for one in changes:
            one(config)
    return change


def mount_with(**members):
    return add("mounts", {"destination": "/mnt", "type": "tmpfs", "source": "tmpfs", **members})


def device(**members):
    return add("linux.devices", {"type": "c", "path": "/dev/x", "major": 1, "minor": 3, **members})


def rule(**members):
    return add("linux.resources.devices", {"allow": True, "access": "rwm", **members})


def rlimit(kind, soft, hard):
    return add("process.rlimits", {"type": kind, "soft": soft, "hard": hard})


def seccomp(**members):
    return put("linux.seccomp", {"defaultAction": "SCMP_ACT_ALLOW", **members})


def call(**members):
    return seccomp(syscalls=[{"names": ["mkdir"], "action": "SCMP_ACT_ERRNO", **members}])


def argument(**members):
    return call(args=[{"index": 0, "value": 1, "op": "SCMP_CMP_EQ", **members}])


def hook(**members):
    return put("hooks", {"createRuntime": [{"path": "/bin/true", **members}]})


def namespace(kind, **members):
    return add("linux.namespaces", {"type": kind, **members})


USER = both(namespace("user"), put("linux.uidMappings", [{"containerID": 0, "hostID": 100000,
                                                          "size": 1000}]),
            put("linux.gidMappings", [{"containerID": 0, "hostID": 100000, "size": 1000}]))


def maps(**members):
    return both(USER, put("linux.uidMappings", [{"containerID": 0, "hostID": 100000, "size": 1000,
                                                 **members}]))


def scheduler(**members):
    return put("process.scheduler", {"policy": "SCHED_OTHER", **members})


def memory_policy(**members):
    return put("linux.memoryPolicy", members)


# (name, change, what the message has to contain as a regular expression)
CASES = [
    # the document
    ("version-absent", drop("ociVersion"), "ociVersion"),
    ("version-empty", put("ociVersion", ""), "ociVersion"),
    ("version-number", put("ociVersion", 1), "ociVersion.*string"),
    ("version-text", put("ociVersion", "one"), "ociVersion"),
    ("version-2", put("ociVersion", "2.0.0"), "ociVersion"),
    ("version-0", put("ociVersion", "0.9.0"), "ociVersion"),
    ("version-short", put("ociVersion", "1.0"), "ociVersion"),
    ("root-absent", drop("root"), "root"),
    ("root-string", put("root", "rootfs"), "root.*object"),
    ("root-path-absent", drop("root.path"), "root.path"),
    ("root-path-empty", put("root.path", ""), "root.path"),
    ("root-path-missing", put("root.path", "nowhere"), "nowhere"),
    ("root-path-file", put("root.path", "config.json"), "config.json.*[Nn]ot a directory"),
    ("root-path-null-byte", put("root.path", "a\0b"), "root.path"),
    ("root-readonly-string", put("root.readonly", "yes"), "root.readonly.*boolean"),
    ("process-absent", drop("process"), "process"),
    ("control-characters", put("process.cwd", "a\nrung: b\x1b[2J\x7f\u009b\u00e9"),
     r'"a\\x0arung: b\\x1b\[2J\\x7f\\xc2\\x9b\u00e9"'),
    ("process-list", put("process", []), "process.*object"),
    ("linux-string", put("linux", "x"), "linux.*object"),
    ("hostname-number", put("hostname", 5), "hostname.*string"),
    ("annotation-number", put("annotations", {"a": 1}), "annotations.*string"),
    ("annotation-empty-key", put("annotations", {"": "x"}), "annotations"),
    ("annotations-list", put("annotations", ["a"]), "annotations.*object"),
    # process
    ("cwd-absent", drop("process.cwd"), "process.cwd"),
    ("cwd-relative", put("process.cwd", "tmp"), "process.cwd"),
    ("cwd-empty", put("process.cwd", ""), "process.cwd"),
    ("cwd-file", put("process.cwd", "/etc/passwd"), "/etc/passwd"),
    ("args-absent", drop("process.args"), "process.args"),
    ("args-empty", put("process.args", []), "process.args"),
    ("args-string", put("process.args", "/bin/true"), "process.args.*array"),
    ("args-number", put("process.args", [1]), r"process.args\[0\].*string"),
    ("args-null-byte", put("process.args", ["/bin/true", "a\0b"]), "process.args"),
    ("args-missing", put("process.args", ["/no/such"]), "no such file or directory"),
    ("args-directory", put("process.args", ["/etc"]), "is a directory|permission denied"),
    ("args-not-in-path", put("process.args", ["nosuch"]), "executable file not found in"),
    ("env-without-value", put("process.env", ["NAME"]), r"process.env\[0\]"),
    ("env-without-name", put("process.env", ["=x"]), r"process.env\[0\]"),
    ("env-null-byte", put("process.env", ["A\0B=1"]), "process.env"),
    ("env-number", put("process.env", [7]), r"process.env\[0\].*string"),
    ("uid-absent", drop("process.user.uid"), "process.user.uid"),
    ("uid-string", put("process.user.uid", "0"), "process.user.uid.*integer"),
    ("uid-negative", put("process.user.uid", -1), "process.user.uid"),
    ("uid-fraction", put("process.user.uid", 1.5), "process.user.uid"),
    ("uid-2-32", put("process.user.uid", 1 << 32), "process.user.uid"),
    ("uid-2-64", put("process.user.uid", U64), "process.user.uid"),
    ("uid-all-ones", put("process.user.uid", (1 << 32) - 1), "process.user.uid"),
    ("gid-all-ones", put("process.user.gid", (1 << 32) - 1), "process.user.gid"),
    ("group-all-ones", put("process.user.additionalGids", [(1 << 32) - 1]),
     "process.user.additionalGids"),
    ("group-string", put("process.user.additionalGids", ["5"]), "process.user.additionalGids"),
    ("uid-unmapped", both(USER, put("process.user.uid", 5000)), "process.user.uid"),
    ("terminal-string", put("process.terminal", "no"), "process.terminal.*boolean"),
    ("terminal-without-socket", put("process.terminal", True), "console socket"),
    ("oom-low", put("process.oomScoreAdj", -1001), "process.oomScoreAdj"),
    ("oom-high", put("process.oomScoreAdj", 1001), "process.oomScoreAdj"),
    ("rlimit-unknown", rlimit("RLIMIT_NONE", 1, 1), "RLIMIT_NONE"),
    ("rlimit-lower-case", rlimit("nofile", 1, 1), "nofile"),
    ("rlimit-twice", both(rlimit("RLIMIT_CORE", 0, 0), rlimit("RLIMIT_CORE", 0, 0)), "RLIMIT_CORE"),
    ("rlimit-soft-above", rlimit("RLIMIT_CORE", 2, 1), r"rlimits\[0\]"),
    ("rlimit-negative", rlimit("RLIMIT_CORE", -1, 1), r"process.rlimits\[0\].soft"),
    ("rlimit-2-64", rlimit("RLIMIT_CORE", 1, U64), r"process.rlimits\[0\].hard"),
    ("rlimit-no-hard", add("process.rlimits", {"type": "RLIMIT_CORE", "soft": 1}), "hard"),
    ("apparmor", put("process.apparmorProfile", "no-such-profile"), "process.apparmorProfile"),
    ("selinux", put("process.selinuxLabel", "a:b:c:d"), "process.selinuxLabel"),
    ("scheduler-unknown", scheduler(policy="SCHED_BEST"), "SCHED_BEST"),
    ("scheduler-none", put("process.scheduler", {"nice": 1}), "process.scheduler.policy"),
    ("scheduler-nice", scheduler(nice=20), "process.scheduler.nice"),
    ("scheduler-priority", scheduler(priority=1), "process.scheduler.priority"),
    ("scheduler-deadline", scheduler(deadline=1), "process.scheduler"),
    ("scheduler-flag", scheduler(flags=["SCHED_FLAG_NONE"]), "SCHED_FLAG_NONE"),
    ("scheduler-deadline-order", scheduler(policy="SCHED_DEADLINE", runtime=30000000,
                                           deadline=20000000, period=10000000), "scheduler"),
    ("ioprio-class", put("process.ioPriority", {"class": "IOPRIO_CLASS_NONE", "priority": 1}),
     "IOPRIO_CLASS_NONE"),
    ("ioprio-range", put("process.ioPriority", {"class": "IOPRIO_CLASS_BE", "priority": 8}),
     "process.ioPriority.priority"),
    ("affinity-text", put("process.execCPUAffinity", {"initial": "a-b"}),
     "process.execCPUAffinity.initial"),
    ("affinity-order", put("process.execCPUAffinity", {"final": "3-1"}),
     "process.execCPUAffinity.final"),
    ("console-size", put("process.consoleSize", {"height": -1, "width": 3}), "consoleSize.height"),
    ("caps-string", put("process.capabilities.bounding", "CAP_KILL"), "capabilities.bounding.*array"),
    # mounts
    ("mount-no-destination", add("mounts", {"type": "tmpfs"}), r"mounts\[7\].*destination"),
    ("mount-empty-destination", mount_with(destination=""), r"mounts\[7\]"),
    ("mount-unknown-type", mount_with(type="nosuchfs"), r"mounts\[7\].*nosuchfs|nosuchfs"),
    ("mount-bad-data", mount_with(options=["nosuchoption=1"]), "nosuchoption|/mnt"),
    ("mount-options-string", mount_with(options="ro"), r"mounts\[7\].options.*array"),
    ("mount-bind-missing", mount_with(type="bind", source="/no/such", options=["bind"]),
     "/no/such"),
    ("mount-bind-no-source", add("mounts", {"destination": "/mnt", "options": ["bind"]}),
     r"mounts\[7\].*source"),
    ("mount-over-proc-file", mount_with(destination="/proc/sys"), "/proc"),
    ("mount-over-proc-self", mount_with(destination="/proc/self/attr"), "/proc"),
    ("mount-non-proc-on-proc", put("mounts.0", {"destination": "/proc", "type": "tmpfs",
                                                "source": "tmpfs"}), "/proc"),
    ("mount-idmap-without-bind", mount_with(options=["idmap"]), r"mounts\[7\].*id-?map"),
    ("mount-maps-one-sided", mount_with(
        type="bind", source="/", options=["bind"],
        uidMappings=[{"containerID": 0, "hostID": 0, "size": 1}]), "gidMappings"),
    ("mount-maps-size", mount_with(
        type="bind", source="/", options=["bind"],
        uidMappings=[{"containerID": 0, "hostID": 0}],
        gidMappings=[{"containerID": 0, "hostID": 0, "size": 1}]), "size"),
    ("mount-through-file", mount_with(destination="/etc/passwd/x"), "/etc/passwd"),
    ("mount-null-byte", mount_with(destination="/a\0b"), r"mounts\[7\].destination"),
    ("mount-device-missing", mount_with(type="ext4", source="/no/such/device"), "/no/such/device|/mnt"),
    ("mount-huge-options", mount_with(options=["x" * 5000]), r"mounts\[7\]|/mnt"),
    # namespaces
    ("ns-unknown", namespace("net"), r"linux.namespaces\[6\].type"),
    ("ns-twice", namespace("pid"), "pid"),
    ("ns-no-type", add("linux.namespaces", {"path": "/proc/self/ns/net"}), "type"),
    ("ns-path-relative", put("linux.namespaces.1.path", "proc/self/ns/net"), r"namespaces\[1\].path"),
    ("ns-path-missing", put("linux.namespaces.1.path", "/no/such"), "/no/such"),
    ("ns-path-no-ns", put("linux.namespaces.1.path", "/etc/passwd"), "/etc/passwd"),
    ("ns-path-directory", put("linux.namespaces.1.path", "/"), "/"),
    ("ns-user-without-maps", namespace("user"), "Mappings|user"),
    ("maps-without-user", put("linux.uidMappings", [{"containerID": 0, "hostID": 0, "size": 1}]),
     "uidMappings|user"),
    ("maps-size-0", maps(size=0), "uidMappings|size|uid_map|not mapped"),
    ("maps-negative", maps(hostID=-1), "hostID"),
    ("maps-overflow", maps(containerID=4294967295, size=10), "uidMappings|uid_map|not mapped"),
    ("maps-overlap", both(USER, add("linux.uidMappings", {"containerID": 5, "hostID": 5,
                                                          "size": 5})), "uidMappings|uid_map"),
    ("maps-too-many", both(USER, put("linux.uidMappings", [
        {"containerID": n, "hostID": 1000 + n, "size": 1} for n in range(400)])),
     "uidMappings|uid_map"),
    ("time-without-ns", put("linux.timeOffsets", {"monotonic": {"secs": 1}}), "timeOffsets"),
    ("time-unknown-clock", both(namespace("time"), put("linux.timeOffsets", {"realtime": {
        "secs": 1}})), "timeOffsets.*realtime|realtime"),
    ("time-nanosecs", both(namespace("time"), put("linux.timeOffsets", {"monotonic": {
        "nanosecs": 1 << 32}})), "nanosecs"),
    # devices
    ("device-type", device(type="x"), r"linux.devices\[0\].type"),
    ("device-no-path", add("linux.devices", {"type": "c", "major": 1, "minor": 3}), "path"),
    ("device-relative", device(path="dev/x"), r"linux.devices\[0\].path"),
    ("device-no-major", add("linux.devices", {"type": "c", "path": "/dev/x", "minor": 3}), "major"),
    ("device-negative", device(major=-5), "major|-5"),
    ("device-mode", device(fileMode=-1), "fileMode"),
    ("device-uid-unmapped", both(USER, device(uid=60000)), "uid"),
    ("rule-access", rule(access="x"), r"linux.resources.devices\[1\].access"),
    ("rule-type", rule(type="q"), r"linux.resources.devices\[1\].type"),
    ("rule-no-allow", add("linux.resources.devices", {"access": "r"}), "allow"),
    # resources
    ("memory-string", put("linux.resources.memory", {"limit": "1G"}),
     r"config\.json:\d+:\d+: linux\.resources\.memory\.limit: expected an integer"),
    ("memory-minus-2", put("linux.resources.memory", {"limit": -2}), "memory.limit"),
    ("memory-swap-alone", put("linux.resources.memory", {"swap": 1 << 20}), "memory.swap"),
    ("memory-swap-less", put("linux.resources.memory", {"limit": 1 << 20, "swap": 1}), "memory.swap"),
    ("cpu-negative", put("linux.resources.cpu", {"shares": -1}), "cpu.shares"),
    ("cpu-burst", put("linux.resources.cpu", {"quota": 10, "period": 100000, "burst": -1}), "burst"),
    ("blkio-weight", put("linux.resources.blockIO", {"weight": 5}), "blockIO.weight"),
    ("blkio-weight-high", put("linux.resources.blockIO", {"weight": 1001}), "blockIO.weight"),
    ("hugepage-size", put("linux.resources.hugepageLimits", [{"pageSize": "2XB", "limit": 1}]),
     "pageSize"),
    ("hugepage-slash", put("linux.resources.hugepageLimits", [{"pageSize": "../2MB", "limit": 1}]),
     "pageSize"),
    ("unified-slash", put("linux.resources.unified", {"a/b": "1"}), "a/b"),
    ("unified-dots", put("linux.resources.unified", {"..": "1"}), r"unified.*\.\."),
    ("unified-empty", put("linux.resources.unified", {"": "1"}), "unified"),
    ("unified-procs", put("linux.resources.unified", {"cgroup.procs": "0"}), "cgroup.procs"),
    ("unified-subtree", put("linux.resources.unified", {"cgroup.subtree_control": "+cpu"}),
     "cgroup.subtree_control"),
    ("unified-unknown", put("linux.resources.unified", {"nosuch.max": "1"}), "nosuch"),
    ("unified-number", put("linux.resources.unified", {"cgroup.max.depth": 1}), "unified.*string"),
    ("rdma-absent", put("linux.resources.rdma", {"mlx5_9": {"hcaHandles": 1}}), "rdma"),
    ("cgroup-path-number", put("linux.cgroupsPath", 5), "cgroupsPath.*string"),
    ("cgroup-path-null-byte", put("linux.cgroupsPath", "/a\0b"), "cgroupsPath"),
    # seccomp
    ("seccomp-default", seccomp(defaultAction="SCMP_ACT_MAYBE"), "SCMP_ACT_MAYBE"),
    ("seccomp-arch", seccomp(architectures=["SCMP_ARCH_Z80"]),
     r"linux.seccomp.architectures\[0\]: unknown value .*Z80.*; known: SCMP_ARCH_X86, "),
    ("seccomp-flag", seccomp(flags=["SECCOMP_FILTER_FLAG_X"]),
     r"linux.seccomp.flags\[0\]: unknown value .*FLAG_X.*; known: SECCOMP_FILTER_FLAG_TSYNC, "),
    ("seccomp-errno", seccomp(defaultErrnoRet=5), "[eE]rrnoRet"),
    ("seccomp-action", call(action="SCMP_ACT_NO"), "SCMP_ACT_NO"),
    ("seccomp-no-action", seccomp(syscalls=[{"names": ["mkdir"]}]), "action"),
    ("seccomp-no-names", seccomp(syscalls=[{"action": "SCMP_ACT_ERRNO"}]), "names"),
    ("seccomp-empty-names", call(names=[]), "names"),
    ("seccomp-errno-of-allow", call(action="SCMP_ACT_KILL", errnoRet=1), "errnoRet"),
    ("seccomp-operator", argument(op="SCMP_CMP_XX"), "SCMP_CMP_XX"),
    ("seccomp-index", argument(index=6), "index"),
    ("seccomp-value", argument(value=U64), "value"),
    ("seccomp-value-negative", argument(value=-1), "value"),
    ("seccomp-metadata", seccomp(listenerMetadata="x"), "listenerMetadata"),
    ("seccomp-notify-default", seccomp(defaultAction="SCMP_ACT_NOTIFY", listenerPath="/x"), "NOTIFY"),
    ("seccomp-listener-missing", both(seccomp(
        listenerPath="/no/such", syscalls=[{"names": ["mkdir"], "action": "SCMP_ACT_NOTIFY"}])),
     "/no/such"),
    # hooks
    ("hook-relative", hook(path="bin/true"), r"hooks.createRuntime\[0\].*path"),
    ("hook-no-path", put("hooks", {"createRuntime": [{}]}), "path"),
    ("hook-timeout-0", hook(timeout=0), "timeout"),
    ("hook-timeout-negative", hook(timeout=-1), "timeout"),
    ("hook-missing", hook(path="/no/such"), "/no/such"),
    ("hook-fails", hook(path="/bin/false"), r"createRuntime hook #0: /bin/false: exit status 1"),
    ("hook-not-list", put("hooks", {"prestart": {}}), "hooks.prestart.*array"),
    # others
    ("sysctl-kernel", put("linux.sysctl", {"kernel.core_pattern": "x"}), "kernel.core_pattern"),
    ("sysctl-slash", put("linux.sysctl", {"kernel/core_pattern": "x"}), "core_pattern"),
    ("sysctl-dots", put("linux.sysctl", {"net.ipv4/../../kernel.core_pattern": "x"}), "core_pattern"),
    ("sysctl-up", put("linux.sysctl", {"net/../kernel/core_pattern": "x"}), "core_pattern"),
    ("sysctl-missing", put("linux.sysctl", {"net.nothing.here": "1"}), "net.nothing.here"),
    ("sysctl-value", put("linux.sysctl", {"kernel.msgmax": "many"}), "kernel.msgmax"),
    ("sysctl-without-ipc", both(put("linux.namespaces", [{"type": "mount"}, {"type": "pid"},
                                                         {"type": "uts"}]),
                                drop("mounts"), put("linux.sysctl", {"kernel.msgmax": "1"})),
     "kernel.msgmax"),
    ("propagation", put("linux.rootfsPropagation", "public"), "rootfsPropagation"),
    ("masked-relative", put("linux.maskedPaths", ["proc/keys"]), r"maskedPaths\[0\]"),
    ("readonly-relative", put("linux.readonlyPaths", ["proc/sys"]), r"readonlyPaths\[0\]"),
    ("personality", put("linux.personality", {"domain": "LINUX64"}), "personality.domain"),
    ("personality-flag", put("linux.personality", {"domain": "LINUX", "flags": ["X"]}),
     r"linux.personality.flags\[0\]: unknown value .*X.*; known: none"),
    ("personality-none", put("linux.personality", {}), "domain"),
    ("mempolicy-none", memory_policy(), "memoryPolicy.*mode"),
    ("mempolicy-mode", memory_policy(mode="MPOL_BEST"), "MPOL_BEST"),
    ("mempolicy-nodes", memory_policy(mode="MPOL_BIND", nodes="a"), "memoryPolicy.nodes"),
    ("mempolicy-no-nodes", memory_policy(mode="MPOL_BIND"), "memoryPolicy"),
    ("mempolicy-default-nodes", memory_policy(mode="MPOL_DEFAULT", nodes="0"), "memoryPolicy"),
    ("mempolicy-far", memory_policy(mode="MPOL_BIND", nodes="999999999"), "memoryPolicy.nodes"),
    ("mempolicy-flag", memory_policy(mode="MPOL_BIND", nodes="0", flags=["X"]), "memoryPolicy.flags"),
    ("rdt-dots", put("linux.intelRdt", {"closID": ".."}), "intelRdt"),
    ("rdt-schema", put("linux.intelRdt", {"memBwSchema": "L3:0=f"}), "intelRdt"),
    ("domainname-long", put("domainname", "x" * 65), "domainname"),
    ("hostname-long", put("hostname", "x" * 65), "hostname"),
]

DOCUMENTS = [
    ("empty", "", ""), ("blank", "  \n", ""), ("word", "hello", ""), ("number", "5", "object"),
    ("list", "[]", "object"), ("null", "null", ""), ("string", '"x"', "object"),
    ("cut", '{"ociVersion": "1.3.0", ', ""), ("two", "{} {}", ""),
    ("comma", '{"ociVersion": "1.3.0",}', ""), ("comment", '{/* */}', ""),
    ("single-quotes", "{'ociVersion': '1.3.0'}", ""), ("nul", '{"ociVersion": "1\0"}', ""),
    ("deep", "[" * 20000, ""), ("deep-object", '{"a":' * 20000, ""),
    ("deep-unknown", '{"x": ' + "[" * 5000 + "]" * 5000 + "}", ""),
    ("bad-escape", '{"ociVersion": "\\x"}', ""), ("bad-utf8", b'{"ociVersion": "\xff"}', ""),
    ("exponent", '{"ociVersion": "1.3.0", "process": {"user": {"uid": 1e400, "gid": 0}}}', "uid"),
]


def refused(result, bundle, pattern):
    result.fails()
    lines = result.err.splitlines()
    assert len(lines) == 1, result.err
    assert lines[0].startswith("rung: ")
    skip_when_built_without(bundle.rung, result)
    assert re.search(pattern, lines[0]), (pattern, lines[0])
    assert result.seconds <= 1
    assert not (bundle.rung.state / bundle.id).exists()


def test_there_are_enough():
    assert len(CASES) + len(DOCUMENTS) >= 150
    assert len({name for name, _, _ in CASES}) == len(CASES)


@pytest.mark.parametrize("change, pattern", [pytest.param(*case[1:], id=case[0]) for case in CASES])
def test_broken_config(rung, change, pattern):
    bundle = rung.bundle("/bin/true")
    bundle.spec = copy.deepcopy(bundle.spec)
    change(bundle.spec)
    bundle.write()
    bundle.used.append(bundle.id)
    refused(rung("create", "--bundle", bundle.path, bundle.id), bundle, pattern)


@pytest.mark.parametrize("text, pattern", [pytest.param(*case[1:], id=case[0]) for case in DOCUMENTS])
def test_broken_document(rung, text, pattern):
    bundle = rung.bundle()
    data = text if isinstance(text, bytes) else text.encode()
    (bundle.path / "config.json").write_bytes(data)
    refused(rung("create", "--bundle", bundle.path, bundle.id), bundle,
            r"config\.json" + (f".*{pattern}" if pattern else ""))


@pytest.mark.parametrize("kind", ["absent", "directory", "fifo", "unreadable-link", "zero", "huge"])
def test_broken_bundle(rung, kind):
    bundle = rung.bundle()
    config = bundle.path / "config.json"
    if kind == "directory":
        config.mkdir()
    elif kind == "fifo":
        os.mkfifo(config)
    elif kind == "unreadable-link":
        config.symlink_to("config.json")
    elif kind == "zero":
        config.symlink_to("/dev/zero")
    elif kind == "huge":
        with open(config, "wb") as file:
            file.truncate(1 << 30)
    refused(rung("create", "--bundle", bundle.path, bundle.id), bundle, r"config\.json")


@pytest.mark.parametrize("path", ["/no/such", "/etc/passwd", ""])
def test_broken_bundle_path(rung, path):
    bundle = rung.bundle()
    result = rung("create", "--bundle", path, bundle.id)
    refused(result, bundle, re.escape(path) or "bundle|config")


def test_a_large_document_is_read(rung):
    """Close to the limits, and fine."""
    bundle = rung.bundle("/bin/true")
    bundle.process["env"] += [f"NAME{n}={'x' * 100}" for n in range(2000)]
    bundle.spec["unknown"] = {"deep": json.loads("[" * 50 + "]" * 50)}
    bundle.run().ok()


def test_the_default_is_not_broken(rung):
    """What the cases change is fine before."""
    bundle = rung.bundle("/bin/true")
    assert bundle.spec["mounts"] == spec.DEFAULT["mounts"]
    bundle.run().ok()
