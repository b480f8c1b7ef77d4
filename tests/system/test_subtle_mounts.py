# SPDX-License-Identifier: LGPL-2.1-or-later
"""Subtle points of the specification that concern mounts, devices and paths."""
import os
import stat
from pathlib import Path

import pytest
from support.world import MS_BIND, mount, umount
from test_behaviours import drop_submount, submount

OPTIONS = "awk '$5==\"{}\" {{print $6}}' /proc/self/mountinfo"


def mount_options(bundle, destination):
    return set(bundle.sh(OPTIONS.format(destination)).output().split(","))


def test_subtle_01_ptmx_is_a_link_with_exact_text(rung):
    bundle = rung.bundle("/bin/readlink", "/dev/ptmx")
    assert bundle.output() == "pts/ptmx"
    bundle.linux["devices"] = [{"type": "c", "path": "/dev/ptmx", "major": 5, "minor": 2}]
    bundle.new_id()
    assert bundle.output() == "pts/ptmx"


def test_subtle_01_ptmx_replaces_a_node(rung):
    bundle = rung.bundle("/bin/readlink", "/dev/ptmx").without_mount("/dev")
    (bundle.rootfs / "dev/ptmx").write_text("")
    (bundle.rootfs / "dev/pts").mkdir()
    assert bundle.output() == "pts/ptmx"


@pytest.mark.parametrize("where, fstype", [("/proc", "proc"), ("/sys", "sysfs")])
def test_subtle_37_a_link_made_by_an_earlier_mount(rung, where, fstype):
    """The directory is replaced by a mount of the configuration itself."""
    bundle = rung.bundle("/bin/true").without_mount("/proc", "/sys", "/sys/fs/cgroup")
    bundle.linux.update(maskedPaths=[], readonlyPaths=[])
    rung.world.make_rootfs(bundle.path / "other")
    (bundle.path / "other" / where[1:]).rmdir()
    (bundle.path / "other" / where[1:]).symlink_to("tmp")
    bundle.spec["mounts"].insert(0, {"destination": "/", "type": "bind", "options": ["rbind"],
                                     "source": str(bundle.path / "other")})
    bundle.add_mount(where, fstype, fstype)
    bundle.create().fails("must be mounted on ordinary directory")


@pytest.mark.parametrize("options, expected", [((), "2750"), (("mode=1700",), "1700")])
def test_subtle_32_tmpfs_has_the_mode_of_its_mountpoint(rung, options, expected):
    bundle = rung.bundle("/bin/stat", "-c", "%a", "/place")
    (bundle.rootfs / "place").mkdir()
    (bundle.rootfs / "place").chmod(0o2750)
    bundle.add_mount("/place", "tmpfs", "tmpfs", *options)
    assert bundle.output() == expected


def test_subtle_32_made_mountpoints(rung):
    bundle = rung.bundle("/bin/stat", "-c", "%a", "/new", "/new/deep", "/new/deep/place")
    bundle.add_mount("/new/deep/place", "tmpfs", "tmpfs")
    old = os.umask(0o077)
    try:
        assert bundle.output().split() == ["755", "755", "1777"]
    finally:
        os.umask(old)


@pytest.mark.parametrize("mode", [0o444, 0o710, 0o7777, 0o1755])
def test_subtle_33_special_modes_survive(rung, mode):
    bundle = rung.bundle("/bin/stat", "-c", "%a", "/place")
    (bundle.rootfs / "place").mkdir()
    (bundle.rootfs / "place").chmod(mode)
    bundle.add_mount("/place", "tmpfs", "tmpfs")
    assert int(bundle.output(), 8) == mode


def test_subtle_34_proc_keeps_its_mode(rung):
    assert rung.bundle("/bin/stat", "-c", "%a", "/proc").output() == "555"


def test_subtle_35_readonly_tmpfs_is_filled_first(rung):
    bundle = rung.bundle().sh("ls /top; touch /top/x 2>/dev/null || echo ro; "
                              "touch /dev/x 2>/dev/null || echo ro; test -c /dev/null && echo node")
    bundle.mount("/dev")["options"].append("ro")
    (bundle.path / "source").mkdir()
    bundle.add_mount("/top", "tmpfs", "tmpfs", "ro")
    bundle.bind(bundle.path / "source", "/top/inner", "bind")
    assert bundle.output().split() == ["inner", "ro", "ro", "node"]


@pytest.mark.parametrize("text", ["/target/dir", "target/dir", "../../target/dir"])
def test_subtle_36_dangling_links_are_made_inside(rung, text):
    bundle = rung.bundle("/bin/cat", "/target/dir/deep/file")
    (bundle.rootfs / "link").symlink_to(text)
    (bundle.path / "file").write_text("content")
    bundle.bind(bundle.path / "file", "/link/deep/file", "bind")
    assert bundle.output() == "content"
    assert (bundle.rootfs / "target/dir").is_dir()


def test_subtle_39_bind_source_inside_the_rootfs_sees_earlier_mounts(rung):
    bundle = rung.bundle().sh("cat /second/file")
    (bundle.path / "source").mkdir()
    (bundle.path / "source/file").write_text("content")
    (bundle.rootfs / "first").mkdir()
    bundle.bind(bundle.path / "source", "/first", "bind")
    bundle.bind(bundle.rootfs / "first", "/second", "bind")
    assert bundle.output() == "content"


@pytest.mark.parametrize("userns", [False, True])
def test_bind_source_inside_the_rootfs_that_an_earlier_mount_brings(rung, userns):
    """It isn't there before, and the way to what is mounted is closed to the user namespace's root."""
    bundle = rung.bundle().sh("cat /second/file; ls -l /linked/ | wc -l")
    (bundle.path / "closed/source/below").mkdir(parents=True)
    (bundle.path / "closed/source/below/file").write_text("content\n")
    (bundle.path / "closed/source/link").symlink_to("/etc")
    bundle.bind(bundle.path / "closed/source", "/first", "bind")
    bundle.bind(bundle.rootfs / "first/below", "/second", "bind")
    bundle.bind(bundle.rootfs / "first/link", "/linked", "bind")  # the container's /etc
    if userns:
        bundle.userns(100000, 65536).chown_rootfs(100000)
        (bundle.path / "closed").chmod(0o700)
    inside = len(list((bundle.rootfs / "etc").iterdir()))
    assert bundle.output().split() == ["content", str(inside + 1)]


def test_id_mapped_source_inside_the_rootfs_that_an_earlier_mount_brings(rung):
    bundle = rung.bundle().sh("stat -c %u /second/file /third/file")
    (bundle.path / "source/below").mkdir(parents=True)
    (bundle.path / "source/below/file").write_text("content")
    bundle.bind(bundle.path / "source", "/first", "bind")
    bundle.bind(bundle.rootfs / "first/below", "/second", "bind")
    bundle.bind(bundle.rootfs / "first/below", "/third", "bind")
    for kind in "uidMappings", "gidMappings":
        bundle.spec["mounts"][-1][kind] = [{"containerID": 0, "hostID": 4321, "size": 1}]
    assert bundle.output().split() == ["0", "4321"]


def test_dangling_link_to_a_file_in_directories_that_are_missing(rung):
    bundle = rung.bundle("/bin/cat", "/target/a/b/file")
    (bundle.rootfs / "jump").symlink_to("/target/a")
    (bundle.rootfs / "name").symlink_to("jump/b/file")
    (bundle.path / "file").write_text("content")
    bundle.bind(bundle.path / "file", "/name", "bind")
    assert bundle.output() == "content"


def test_links_that_lead_in_a_circle_end_in_an_error(rung):
    bundle = rung.bundle("/bin/true")
    (bundle.rootfs / "one").symlink_to("two")
    (bundle.rootfs / "two").symlink_to("one")
    (bundle.path / "file").write_text("content")
    bundle.bind(bundle.path / "file", "/one", "bind")
    bundle.run().fails("mounts[", "destination: /one: too many levels of symbolic links")


def test_destination_that_names_the_rootfs_itself_is_taken_below_it(rung):
    bundle = rung.bundle("/bin/cat", "/place")
    (bundle.path / "file").write_text("content")
    bundle.bind(bundle.path / "file", str(bundle.rootfs / "place"), "bind")
    assert bundle.output() == "content"


@pytest.mark.parametrize("options", [("bind", "rbind"), ("rbind", "bind"), ("rbind",)])
def test_subtle_40_rbind_wins(rung, world, options):
    bundle = rung.bundle().sh("awk '{print $5}' /proc/self/mountinfo | grep ^/mnt")
    top = submount(world, bundle)
    try:
        bundle.bind(top, "/mnt", *options)
        assert bundle.output().split() == ["/mnt", "/mnt/sub"]
    finally:
        drop_submount(top)


@pytest.mark.parametrize("option, present", [
    ("rnosuid", "nosuid"), ("rnodev", "nodev"), ("rnoexec", "noexec"), ("rnoatime", "noatime"),
    ("rnodiratime", "nodiratime"), ("rro", "ro"), ("rnosymfollow", "nosymfollow")])
def test_subtle_41_recursive_options_reach_submounts(rung, world, option, present):
    bundle = rung.bundle().sh(OPTIONS.format("/mnt/sub"))
    top = submount(world, bundle)
    try:
        bundle.bind(top, "/mnt", "rbind", option)
        assert present in bundle.output().split(",")
    finally:
        drop_submount(top)


@pytest.mark.parametrize("option, absent", [("rexec", "noexec"), ("rsuid", "nosuid"),
                                            ("rdev", "nodev"), ("rrw", "ro")])
def test_subtle_41_recursive_clearing(rung, world, option, absent):
    bundle = rung.bundle().sh(OPTIONS.format("/mnt"))
    source = bundle.path / "flags"
    source.mkdir()
    mount("none", source, "tmpfs", 1 | 2 | 4 | 8)
    try:
        bundle.bind(source, "/mnt", "rbind", option)
        assert absent not in bundle.output().split(",")
    finally:
        umount(source)


def test_subtle_42_bind_without_flags_keeps_those_of_the_source(rung):
    bundle = rung.bundle()
    source = bundle.path / "flags"
    source.mkdir()
    mount("none", source, "tmpfs", 2 | 4 | 8)
    try:
        bundle.bind(source, "/mnt", "bind")
        assert {"nosuid", "nodev", "noexec", "rw"} <= mount_options(bundle, "/mnt")
        for given, expected in ((["rprivate"], {"nosuid", "nodev", "noexec", "rw"}),
                                (["suid", "exec"], {"rw"}),  # as mount(8) remounts a bind
                                (["ro"], {"ro"}),
                                (["nodev", "rw"], {"rw", "nodev"})):
            bundle.spec["mounts"][-1]["options"] = ["bind", *given]
            bundle.new_id()
            seen = mount_options(bundle, "/mnt")
            assert seen & {"nosuid", "nodev", "noexec", "rw", "ro"} == expected
    finally:
        umount(source)


@pytest.mark.parametrize("source_flags, given, expected", [
    ("noatime", [], "noatime"),
    ("noatime", ["nodev"], "noatime"),
    ("noatime", ["atime"], "noatime"),  # taken back is not chosen, as with mount(8)
    ("noatime", ["relatime"], "relatime"),
    ("noatime", ["nodiratime"], "nodiratime relatime"),
    ("noatime", ["nodiratime", "strictatime"], "nodiratime"),
    ("noatime", ["nodiratime", "norelatime"], "nodiratime relatime"),
    ("noatime", ["nodiratime", "diratime"], "noatime"),
    ("nodiratime", ["strictatime"], ""),
])
def test_bind_keeps_the_way_of_access_times_until_another_is_chosen(rung, source_flags, given,
                                                                    expected):
    bundle = rung.bundle()
    source = bundle.path / "flags"
    source.mkdir()
    mount("none", source, "tmpfs", {"noatime": 1024, "nodiratime": 2048}[source_flags])
    try:
        bundle.bind(source, "/mnt", "bind", *given)
        seen = mount_options(bundle, "/mnt") & {"noatime", "nodiratime", "relatime"}
        assert seen == set(expected.split())
    finally:
        umount(source)


@pytest.mark.parametrize("who", ["rung", "rootless"])
def test_subtle_42_clearing_a_locked_flag(request, who):
    """In a user namespace the source's flags stay, and asking in words for less is an error."""
    bundle = request.getfixturevalue(who).bundle().sh(OPTIONS.format("/mnt"))
    source = bundle.path / "flags"
    source.mkdir()
    mount("none", source, "tmpfs", 2 | 4 | 8)
    try:
        if who == "rung":
            bundle.userns(100000, 65536).chown_rootfs(100000)
        bundle.bind(source, "/mnt", "bind", "exec", "ro")
        bundle.run().fails("/mnt", "operation not permitted")
        bundle.spec["mounts"][-1]["options"] = ["bind", "ro"]
        bundle.new_id()
        assert {"ro", "nosuid", "nodev", "noexec"} <= set(bundle.output().split(","))
    finally:
        umount(source)


@pytest.mark.parametrize("pair, last", [(("ro", "rw"), "rw"), (("rw", "ro"), "ro")])
def test_later_options_win(rung, pair, last):
    bundle = rung.bundle().add_mount("/mnt", "tmpfs", "tmpfs", *pair)
    assert last in mount_options(bundle, "/mnt")


def test_subtle_43_idmap_twice_of_one_source(rung):
    bundle = rung.bundle("/bin/stat", "-c", "%u", "/one/file", "/two/file")
    source = bundle.path / "source"
    source.mkdir()
    (source / "file").write_text("")
    for place, host in (("/one", 3000), ("/two", 4000)):
        bundle.bind(source, place, "bind")
        bundle.spec["mounts"][-1].update(
            {name: [{"containerID": 0, "hostID": host, "size": 1000}]
             for name in ("uidMappings", "gidMappings")})
    assert bundle.output().split() == ["3000", "4000"]


def test_subtle_43_idmap_of_the_user_namespace(rung):
    bundle = rung.bundle("/bin/stat", "-c", "%u:%g", "/mnt/file")
    source = bundle.path / "source"
    source.mkdir()
    (source / "file").write_text("")
    os.chown(source / "file", 7, 8)
    bundle.userns(100000, 65536).chown_rootfs(100000).bind(source, "/mnt", "bind", "idmap")
    assert bundle.output() == "7:8"


@pytest.mark.parametrize("option, inner", [("idmap", "0"), ("ridmap", "3000")])
def test_subtle_43_ridmap_is_recursive(rung, world, option, inner):
    bundle = rung.bundle("/bin/stat", "-c", "%u", "/mnt", "/mnt/sub")
    top = submount(world, bundle)
    try:
        bundle.bind(top, "/mnt", "rbind", option)
        bundle.spec["mounts"][-1].update(
            {name: [{"containerID": 0, "hostID": 3000, "size": 1000}]
             for name in ("uidMappings", "gidMappings")})
        assert bundle.output().split() == ["3000", inner]
    finally:
        drop_submount(top)


def test_subtle_43_idmap_without_maps_is_refused(rung):
    bundle = rung.bundle("/bin/true")
    bundle.bind(bundle.path, "/mnt", "bind", "idmap")
    bundle.create().fails("idmap")


def test_subtle_44_masks_show_no_name_of_the_runtime(rung):
    bundle = rung.bundle("/bin/cat", "/proc/self/mountinfo")
    assert "rung" not in bundle.output().replace(str(bundle.path.parent.parent), "")


def test_subtle_45_readonly_paths_keep_flags(rung):
    bundle = rung.bundle()
    bundle.add_mount("/place", "tmpfs", "tmpfs", "nosuid", "nodev", "noexec", "noatime")
    bundle.linux["readonlyPaths"] = ["/place", "/not/there"]
    seen = bundle.sh(OPTIONS.format("/place") + " | tail -1").output().split(",")
    assert {"ro", "nosuid", "nodev", "noexec", "noatime"} <= set(seen)


@pytest.mark.parametrize("with_tmpfs", [True, False])
@pytest.mark.parametrize("form", ["absolute", "relative", "upwards"])
def test_subtle_46_dev_as_a_link_makes_nothing_outside(rung, canary, form, with_tmpfs):
    """CVE-2026-41579, CVE-2026-47766."""
    bundle = rung.bundle("/bin/true")
    (bundle.rootfs / "dev").rmdir()
    (bundle.rootfs / "dev").symlink_to({
        "absolute": canary, "relative": os.path.relpath(canary, bundle.rootfs),
        "upwards": "../" * 20 + str(canary).lstrip("/")}[form])
    if not with_tmpfs:
        bundle.without_mount("/dev", "/dev/pts", "/dev/shm", "/dev/mqueue")
    result = bundle.run()
    assert result.status in (0, 1)
    assert not any((canary / name).is_symlink() for name in ("ptmx", "fd", "stdin", "core"))


@pytest.mark.parametrize("device, expected", [
    ({"type": "c", "path": "/dev/mine", "major": 1, "minor": 3, "fileMode": 0o1640 & 0o777,
      "uid": 7, "gid": 8}, "640 7 8 character special file 1:3"),
    ({"type": "u", "path": "/dev/plain", "major": 1, "minor": 5}, "666 0 0 character special file 1:5"),
    ({"type": "c", "path": "/opt/deep/node/", "major": 1, "minor": 3},
     "666 0 0 character special file 1:3"),
    ({"type": "p", "path": "/dev/pipe", "fileMode": 0o600}, "600 0 0 fifo 0:0"),
    ({"type": "b", "path": "/dev/block", "major": 7, "minor": 200, "fileMode": 0o60660},
     "660 0 0 block special file 7:c8")])
def test_subtle_47_device_nodes(rung, device, expected):
    bundle = rung.bundle("/bin/stat", "-c", "%a %u %g %F %t:%T", device["path"].rstrip("/"))
    bundle.linux["devices"] = [device]
    old = os.umask(0o077)
    try:
        assert bundle.output() == expected
    finally:
        os.umask(old)


def test_subtle_48_existing_nodes(rung):
    bundle = rung.bundle("/bin/true")
    bundle.linux["devices"] = [{"type": "c", "path": "/dev/tty", "major": 5, "minor": 0}]
    bundle.run().ok()
    bundle.without_mount("/dev", "/dev/pts", "/dev/shm", "/dev/mqueue")
    (bundle.rootfs / "dev/fuse").write_text("other")
    bundle.linux["devices"] = [{"type": "c", "path": "/dev/fuse", "major": 10, "minor": 229}]
    bundle.new_id()
    bundle.create().fails("/dev/fuse")


def test_default_nodes_and_links(rung):
    bundle = rung.bundle().sh(
        "cd /dev; stat -c '%n %a %u %g %t:%T' null zero full random urandom tty; "
        "for i in fd stdin stdout stderr; do readlink $i; done")
    assert bundle.output().splitlines() == [
        "null 666 0 0 1:3", "zero 666 0 0 1:5", "full 666 0 0 1:7", "random 666 0 0 1:8",
        "urandom 666 0 0 1:9", "tty 666 0 0 5:0", "/proc/self/fd", "/proc/self/fd/0",
        "/proc/self/fd/1", "/proc/self/fd/2"]


def test_bound_dev_is_left_alone(rung):
    bundle = rung.bundle("/bin/ls", "/dev").without_mount("/dev", "/dev/pts", "/dev/shm",
                                                          "/dev/mqueue")
    source = bundle.path / "devices"
    source.mkdir()
    (source / "only").write_text("")
    bundle.bind(source, "/dev", "rbind")
    assert bundle.output() == "only"
    assert [p.name for p in source.iterdir()] == ["only"]


def test_subtle_49_devices_in_a_user_namespace(rung):
    bundle = rung.bundle().userns(100000, 65536).chown_rootfs(100000)
    bundle.linux["devices"] = [{"type": "c", "path": "/dev/fuse", "major": 10, "minor": 229}]
    bundle.sh("stat -c '%F %t:%T' /dev/null /dev/fuse; " + OPTIONS.format("/dev/fuse"))
    lines = bundle.output().splitlines()
    assert lines[:2] == ["character special file 1:3", "character special file a:e5"]
    assert {"nosuid", "noexec"} <= set(lines[2].split(","))


@pytest.mark.parametrize("propagation", [None, "private", "slave", "shared", "unbindable",
                                         "rprivate", "rslave", "rshared"])
def test_subtle_50_root_propagation(rung, propagation):
    bundle = rung.bundle().sh("awk '$5==\"/\" {print $7, $8}' /proc/self/mountinfo; "
                              "mkdir -p /m; /bin/mount -t tmpfs none /m 2>/dev/null").caps("CAP_SYS_ADMIN")
    if propagation:
        bundle.linux["rootfsPropagation"] = propagation
    mount(None, bundle.path.parent.parent, flags=1 << 20)  # shared: what leaks would be seen
    try:
        out = bundle.run().out.split("\n")[0]
    finally:
        mount(None, bundle.path.parent.parent, flags=1 << 18)
    kind = (propagation or "slave").lstrip("r")
    if kind == "shared":
        assert out.startswith("shared:")
    elif kind == "unbindable":
        assert out.startswith("unbindable")
    else:
        assert "shared:" not in out


@pytest.mark.parametrize("options, expected", [
    (("rprivate",), ""), (("rslave", "shared"), "shared"), (("shared",), "shared"),
    (("unbindable",), "unbindable")])
def test_subtle_51_several_propagation_options(rung, options, expected):
    bundle = rung.bundle().sh("awk '$5==\"/mnt\" {print $7}' /proc/self/mountinfo")
    bundle.add_mount("/mnt", "tmpfs", "tmpfs", *options)
    assert bundle.output().split(":")[0].rstrip("-").strip() == expected


def test_subtle_68_cgroup_mount_is_readonly_and_private(rung):
    bundle = rung.bundle().sh("cat /proc/self/cgroup | tail -1; " + OPTIONS.format("/sys/fs/cgroup") +
                              "; mkdir /sys/fs/cgroup/x 2>/dev/null || echo ro")
    lines = bundle.output().splitlines()
    assert lines[0] == "0::/"
    assert "ro" in lines[1].split(",")
    assert lines[2] == "ro"


def test_subtle_68_bad_cgroup_option_is_not_hidden(rung):
    bundle = rung.bundle("/bin/true")
    bundle.mount("/sys/fs/cgroup")["options"].append("nosuchoption")
    bundle.create().fails("/sys/fs/cgroup")


def test_subtle_68_without_a_cgroup_namespace_the_view_is_bound(rung):
    bundle = rung.bundle().sh("ls /sys/fs/cgroup | grep -c cgroup.procs; "
                              "mkdir /sys/fs/cgroup/x 2>/dev/null || echo ro")
    bundle.without_namespace("cgroup")
    assert bundle.output().splitlines()[-1] == "ro"


@pytest.mark.parametrize("gone", [("/proc",), ("/sys", "/sys/fs/cgroup"), ("/sys/fs/cgroup",),
                                  ("/proc", "/sys", "/sys/fs/cgroup"),
                                  ("/proc", "/sys", "/sys/fs/cgroup", "/dev", "/dev/pts", "/dev/shm",
                                   "/dev/mqueue")])
def test_subtle_69_missing_mounts_are_fine(rung, gone):
    bundle = rung.bundle("/bin/echo", "ok").without_mount(*gone)
    assert bundle.output() == "ok"


def test_subtle_69_no_mounts_member(rung):
    bundle = rung.bundle("/bin/echo", "ok")
    del bundle.spec["mounts"]
    assert bundle.output() == "ok"


def test_subtle_75_no_pivot_shows_no_other_proc(rung):
    bundle = rung.bundle().sh("awk '{print $5}' /proc/self/mountinfo | grep -c '/proc$'; "
                              "cat /proc/keys | wc -c; ls / | grep -c template; true")
    assert bundle.output("--no-pivot").split() == ["1", "0", "0"]


def test_no_pivot_leaves_no_bare_proc_that_would_allow_another(rung):
    bundle = rung.bundle().sh("unshare -Urpf sh -c 'mount -t proc none /proc && echo mounted'; true")
    assert bundle.output("--no-pivot") == ""


def test_subtle_82_host_mount_namespace(rung):
    from support.runtime import add_hook
    bundle = rung.bundle("/bin/echo", "ok").without_namespace("mount")
    bundle.spec["mounts"] = []
    bundle.linux.update(maskedPaths=[], readonlyPaths=[])
    out = add_hook(bundle, "createRuntime", "echo once >>$OUT/runs")
    assert bundle.output() == "ok"
    assert (out / "runs").read_text() == "once\n"


@pytest.mark.parametrize("member", ["maskedPaths", "readonlyPaths"])
def test_masks_need_a_mount_namespace(rung, member):
    bundle = rung.bundle("/bin/true").without_namespace("mount")
    bundle.spec["mounts"] = []
    bundle.linux.update(maskedPaths=[], readonlyPaths=[])
    bundle.linux[member] = ["/proc/kcore"]
    bundle.create().fails(member)


def test_mount_destinations_with_many_slashes(rung):
    bundle = rung.bundle().add_mount("//tmp///deep//", "tmpfs", "tmpfs", "ro")
    assert "ro" in mount_options(bundle, "/tmp/deep")


def test_relative_destination_is_below_the_root(rung):
    bundle = rung.bundle().add_mount("tmp/rel", "tmpfs", "tmpfs", "ro")
    assert "ro" in mount_options(bundle, "/tmp/rel")


def test_relative_bind_source_is_in_the_bundle(rung):
    bundle = rung.bundle("/bin/cat", "/mnt/file")
    (bundle.path / "source").mkdir()
    (bundle.path / "source/file").write_text("content")
    bundle.bind("source", "/mnt", "bind")
    assert bundle.output() == "content"


@pytest.mark.parametrize("kind", ["file", "fifo", "socket", "node", "link"])
def test_bind_of_anything(rung, kind):
    import socket
    bundle = rung.bundle("/bin/stat", "-c", "%F", "/mnt/it")
    source = bundle.path / "it"
    sock = None
    if kind == "file":
        source.write_text("x")
    elif kind == "fifo":
        os.mkfifo(source)
    elif kind == "socket":
        sock = socket.socket(socket.AF_UNIX)
        sock.bind(str(source))
    elif kind == "node":
        os.mknod(source, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    else:
        (bundle.path / "real").write_text("x")
        source.symlink_to("real")
    try:
        bundle.bind(source, "/mnt/it", "bind")
        assert bundle.output() == {"file": "regular file", "fifo": "fifo", "socket": "socket",
                                   "node": "character special file", "link": "regular file"}[kind]
    finally:
        if sock:
            sock.close()


@pytest.mark.parametrize("fstype", ["bind", "tmpfs"])
def test_mount_over_the_root(rung, fstype):
    """R52: the new mount replaces the root file system that follows."""
    bundle = rung.bundle("/bin/cat", "/marker")
    if fstype == "bind":
        rung.world.make_rootfs(bundle.path / "other")
        (bundle.path / "other/marker").write_text("other")
        bundle.spec["mounts"].insert(0, {"destination": "/", "type": "bind", "source": "other",
                                         "options": ["rbind"]})
        assert bundle.output() == "other"
    else:
        bundle.spec["mounts"].insert(0, {"destination": "/", "type": "tmpfs", "source": "tmpfs",
                                         "options": ["size=8m", "tmpcopyup"]})
        (bundle.rootfs / "marker").write_text("copied")
        assert bundle.output() == "copied"


def test_overlay(rung):
    bundle = rung.bundle().sh("cat /mnt/low; echo new >/mnt/new")
    for name in ("lower", "upper", "work"):
        (bundle.path / name).mkdir()
    (bundle.path / "lower/low").write_text("low")
    bundle.add_mount("/mnt", "overlay", "overlay",
                     *(f"{key}dir={bundle.path / key}" for key in ("lower", "upper", "work")))
    assert bundle.output() == "low"
    assert (bundle.path / "upper/new").read_text() == "new\n"


def test_readonly_root_keeps_mounts_writable(rung):
    bundle = rung.bundle().sh("touch /x 2>/dev/null || echo ro; touch /tmp/x && echo rw")
    bundle.spec["root"]["readonly"] = True
    bundle.add_mount("/tmp", "tmpfs", "tmpfs")
    assert bundle.output().split() == ["ro", "rw"]


def test_root_path_may_be_the_bundle(rung):
    bundle = rung.bundle("/bin/echo", "ok")
    for child in list(bundle.rootfs.iterdir()):
        child.rename(bundle.path / child.name)
    bundle.spec["root"]["path"] = "."
    assert bundle.output() == "ok"


def test_root_path_may_be_a_link(rung):
    bundle = rung.bundle("/bin/echo", "ok")
    (bundle.path / "link").symlink_to("rootfs")
    bundle.spec["root"]["path"] = "link"
    assert bundle.output() == "ok"


def test_bind_type_without_the_option(rung):
    """Old producers write it so: a bind, with a warning."""
    bundle = rung.bundle("/bin/cat", "/mnt/file")
    (bundle.path / "source").mkdir()
    (bundle.path / "source/file").write_text("content")
    bundle.bind(bundle.path / "source", "/mnt", "ro")
    assert bundle.output() == "content"


def test_data_of_a_bind_is_ignored(rung):
    bundle = rung.bundle("/bin/echo", "ok")
    bundle.bind(bundle.path, "/mnt", "bind", "mode=700", "size=5")
    assert bundle.output() == "ok"


def test_no_mount_reaches_the_host(rung, world):
    """R55: even where the host's root is shared."""
    mount(None, "/", flags=1 << 20)
    before = Path("/proc/self/mountinfo").read_text().count("\n")
    try:
        bundle = rung.bundle("/bin/sleep", "100").up()
        assert Path("/proc/self/mountinfo").read_text().count("\n") == before
        bundle.delete("--force").ok()
    finally:
        mount(None, "/", flags=1 << 18)


def test_shared_volume_receives_mounts(rung):
    bundle = rung.bundle("/bin/sleep", "100")
    source = bundle.path / "volume"
    (source / "sub").mkdir(parents=True)
    mount(source, source, flags=MS_BIND)
    mount(None, source, flags=1 << 20)
    try:
        bundle.bind(source, "/mnt", "rbind", "rslave").up()
        mount("none", source / "sub", "tmpfs")
        assert bundle.exec("/bin/grep", "-c", " /mnt/sub ", "/proc/self/mountinfo").ok().out == "1\n"
        umount(source / "sub")
        bundle.delete("--force").ok()
    finally:
        umount(source)


def test_dest_nofollow_covers_the_link_itself(rung):
    bundle = rung.bundle().sh("cat /opt/link; test -e /tmp/target || echo untouched")
    source = bundle.path / "file"
    source.write_text("mounted\n")
    (bundle.rootfs / "opt").mkdir(exist_ok=True)
    (bundle.rootfs / "opt/link").symlink_to("/tmp/target")
    bundle.bind(source, "/opt/link", "bind", "dest-nofollow")
    assert bundle.output() == "mounted\nuntouched"
