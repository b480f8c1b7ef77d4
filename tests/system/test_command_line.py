# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command line through the binary: usage, exit statuses, what each command prints."""
import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from support.runtime import wait_until

COMMANDS = ("create start run state kill delete exec list ps pause resume update spec features "
            "checkpoint restore events mounts version help").split()
LATER = ("checkpoint", "restore", "events", "mounts")


def test_version_is_what_docker_and_crun_s_callers_read(rung):
    for word in ("--version", "-v", "-V", "version"):
        result = rung(word, root=False).ok()
        lines = result.out.splitlines()
        assert re.fullmatch(r"rung version \d+\.\d+\.\d+", lines[0])
        assert re.fullmatch(r"commit: ([0-9a-f]{40}(-dirty)?|unknown)", lines[1])
        assert lines[2] == "spec: 1.3.0"
        assert not any("version" in line for line in lines[1:])
        assert "+CAP" in lines[-1].split() and result.err == ""


def test_commit_comes_from_git_or_from_the_archive(tmp_path):
    def commit(*args):
        return subprocess.run([tmp_path / "build-aux/commit", tmp_path, *args], check=True,
                              text=True, capture_output=True, cwd=tmp_path).stdout.strip()

    def git(*args):
        return subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@t", *args],
                              check=True, text=True, capture_output=True, cwd=tmp_path).stdout

    top = Path(__file__).resolve().parents[2] / "build-aux"
    (tmp_path / "build-aux").mkdir()
    for name in ("commit", "commit-id"):
        shutil.copy(top / name, tmp_path / "build-aux" / name)
    archived = tmp_path / "build-aux/commit-id"
    archived.write_text("$Format:%H$\n")
    assert commit() == "unknown"
    archived.write_text("0123456789" * 4 + "\n")
    assert commit() == "0123456789" * 4

    git("init", "-q")
    assert commit() == "unknown"
    git("add", ".")
    git("commit", "-qm", "one")
    head = git("rev-parse", "HEAD").strip()
    assert commit() == head
    archived.write_text("changed\n")
    assert commit() == f"{head}-dirty"

    header = tmp_path / "commit-id.h"
    assert commit(header) == ""
    assert header.read_text() == f'#define RUNG_COMMIT "{head}-dirty"\n'
    os.utime(header, (1, 1))
    commit(header)
    assert header.stat().st_mtime == 1  # the same: nothing is built again
    (tmp_path / ".git/HEAD").unlink()   # as where git refuses to answer
    commit(header)
    assert header.stat().st_mtime == 1


def test_version_features_and_create_agree_about_seccomp(rung):
    lines = rung("--version").ok().out.splitlines()
    features = rung("features").json()
    assert lines[1] == "commit: " + features["annotations"]["dev.rung.commit"]
    enabled = features["linux"]["seccomp"]["enabled"]
    assert ("+SECCOMP" in lines[-1].split()) == enabled
    assert any(line.startswith("libseccomp: ") for line in lines) == enabled
    assert ("io.github.seccomp.libseccomp.version" in features["annotations"]) == enabled
    bundle = rung.bundle("true")
    bundle.linux["seccomp"] = {"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
        {"names": ["mkdir"], "action": "SCMP_ACT_ERRNO"}]}
    bundle.write()
    result = rung("run", "--bundle", bundle.path, bundle.id)
    if enabled:
        result.ok()
    else:
        result.fails("linux.seccomp: built without libseccomp")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command(rung, command):
    for args in ((command, "--help"), (command, "-h"), ("help", command)):
        result = rung(*args).ok()
        assert result.out.startswith(f"NAME:\n   rung {command} - ") and result.err == ""


def test_help_lists_the_commands(rung):
    for args in (("--help",), ("-h",), ("help",)):
        names = re.findall(r"^   ([a-z]+) ", rung(*args, root=False).ok().out, re.M)
        assert [name for name in names if name != "rung"] == COMMANDS


@pytest.mark.parametrize("args, status, text", [
    (("creat", "x"), 1, "No help topic for 'creat'"),
    (("help", "creat"), 1, "No help topic for 'creat'"),
    (("--foo", "list"), 1, "unknown option --foo"),
    (("create",), 1, "create: requires 1 argument: ID"),
    (("create", "a", "b"), 1, "create: takes at most 1 argument: ID"),
    (("create", "--foo", "a"), 1, "create: unknown option --foo"),
    (("start", "-x", "a"), 1, "start: unknown option -x"),
    (("exec",), 255, "exec: requires at least 1 argument"),
    (("exec", "--foo", "a"), 255, "exec: unknown option --foo"),
    (("exec", "--cap", "CAP_FOO", "a", "ls"), 255, "exec: --cap: unknown capability \"CAP_FOO\""),
    (("exec", "a", "ls"), 255, "container does not exist"),
    (("list", "--format", "xml"), 1, "--format: unknown value \"xml\"; known: table, json"),
    (("update", "--memory", "much", "a"), 1, "update: --memory: \"much\" is no number of bytes"),
    (("update", "--l3-cache-schema", "L3:0=f", "a"), 1, "not supported yet: Intel RDT"),
    (("kill", "--regex", "(", "TERM"), 1, "--regex: \"(\" is no extended regular expression"),
    (("restore", "--lsm-mount-context"), 1, "flag needs an argument"),
    (("restore", "--lsm-mount-context"), 1, "requires an argument"),
    (("--log-format", "xml", "list"), 1, "--log-format: unknown value \"xml\""),
    (("--log-level", "loud", "list"), 1, "--log-level: unknown value \"loud\""),
    (("--cgroup-manager", "x", "state", "a"), 1, "--cgroup-manager: unknown value \"x\""),
    (("--root", "/", "list"), 1, "--root: / is no place for it"),
    (("--root", "/.//", "list"), 1, "--root: / is no place for it"),
])
def test_usage_errors(rung, args, status, text):
    result = rung(*args).fails(text, status=status)
    assert result.err.startswith("rung: ") and result.err.count("\n") == 1 and result.out == ""


@pytest.mark.parametrize("command", LATER)
def test_later_commands_say_so(rung, command):
    rung(command, "x").fails(f"not supported yet: {command}")


def test_no_command_prints_the_help_and_fails(rung):
    result = rung(root=False)
    assert result.status == 1 and result.out.startswith("NAME:")


@pytest.mark.parametrize("args", [("features",), ("version",), ("--help",)])
def test_output_that_is_lost_is_an_error(rung, args):
    with open("/dev/full", "wb") as full:
        rung(*args, root=False, stdout=full).fails("write to standard output: no space left")


def test_output_nobody_reads_does_not_kill(rung):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        rung("features", stdout=pipe).fails("write to standard output: broken pipe")


def test_an_error_is_one_record_in_the_log_and_one_line(rung, world):
    log = world.base / "error.log"
    for style, check in (("json", lambda line: json.loads(line)["level"] == "error"),
                         ("text", lambda line: "level=error" in line)):
        log.unlink(missing_ok=True)
        result = rung("--log", log, "--log-format", style, "state", "nobody")
        result.fails("rung: container does not exist: nobody\n")
        lines = log.read_text().splitlines()
        assert len(lines) == 1 and check(lines[0]) and "does not exist: nobody" in lines[0]


def test_spec_does_not_replace(rung, world):
    where = world.base / "spec-target"
    where.mkdir()
    rung("spec", "--bundle", where, root=False).ok()
    first = (where / "config.json").read_text()
    rung("spec", "-b", where, "--rootless", root=False).fails("config.json exists")
    assert (where / "config.json").read_text() == first
    rung("spec", "-b", where, "-f", "other.json", root=False).ok()
    rung("spec", "-b", where, "-f", "other.json", "--rootless", root=False).ok()
    rootless = json.loads((where / "other.json").read_text())
    assert {"type": "user"} in rootless["linux"]["namespaces"]
    assert "resources" not in rootless["linux"]


def test_spec_runs_as_it_is(rung):
    bundle = rung.bundle()
    rung("spec", "-f", bundle.path / "generated.json", root=False).ok()
    bundle.spec = json.loads((bundle.path / "generated.json").read_text())
    bundle.spec["process"].update(terminal=False, args=["/bin/sh", "-c", "echo $$; hostname"])
    assert bundle.output() == "1\nrung"


def test_list_and_ps(rung):
    empty = rung("list", "--format", "json")
    assert empty.status == 1 or empty.out == "null\n"  # no root yet, or one without containers
    one, two = (rung.bundle("/bin/sleep", "100").up() for _ in range(2))
    table = rung("list").ok().out.splitlines()
    assert table[0].split() == ["ID", "PID", "STATUS", "BUNDLE", "CREATED", "OWNER"]
    assert [line.split()[0] for line in table[1:]] == sorted([one.id, two.id])
    listed = json.loads(rung("list", "-f", "json").ok().out)
    assert [(c["id"], c["status"], c["owner"]) for c in listed] == \
        [(id, "running", "root") for id in sorted([one.id, two.id])]
    assert rung("list", "-q").ok().out.split() == sorted([one.id, two.id])
    pid = one.state()["pid"]
    assert rung("ps", "--format=json", one.id).ok().out == f"[{pid}]\n"
    rows = rung("ps", one.id, "-o", "pid,args").ok().out.splitlines()
    assert rows[0].split() == ["PID", "COMMAND"]
    assert rows[1].split() == [str(pid), "/bin/sleep", "100"] and len(rows) == 2
    rung("ps", one.id, "-o", "args").fails("ps printed no column \"PID\"")
    one.delete("--force").ok()
    two.delete("--force").ok()


def test_regex_reaches_all_that_match(rung):
    bundles = [rung.bundle("/bin/sleep", "100").up() for _ in range(3)]
    two = f"^({bundles[0].id}|{bundles[1].id})$"
    rung("kill", "--regex", two, "KILL").ok()
    for bundle in bundles[:2]:
        bundle.wait_for("stopped")
    assert bundles[2].status() == "running"
    rung("kill", "-r", two, "KILL").fails(f"{bundles[0].id}: container not running")
    rung("delete", "-r", two).ok()
    assert rung("list", "-q").ok().out.split() == [bundles[2].id]
    rung("delete", "--force", "--regex", f"^{bundles[2].id}$").ok()
    rung("delete", "--regex", "matches-nothing").ok()


def test_signal_0_asks_whether_it_runs(rung):
    bundle = rung.bundle("/bin/sleep", "100").up()
    bundle.kill("0").ok()
    assert bundle.status() == "running"
    bundle.kill("KILL").ok()
    bundle.wait_for("stopped")
    bundle.kill("0").fails("container not running")
    bundle.delete().ok()


def test_relative_root_is_relative_to_the_caller(rung, world):
    bundle = rung.bundle("/bin/true").write()
    directory = world.base / "relative"
    directory.mkdir()
    create = ("--root", "sub/../state", "create", "--bundle", bundle.path, bundle.id)
    rung(*create, root=False, cwd=directory).ok()
    assert (directory / "state" / bundle.id).is_dir()
    rung("--root", directory / "state", "delete", "--force", bundle.id, root=False).ok()


def test_debug_scores_and_plan(rung):
    rows = [line.split() for line in rung("debug", "scores").ok().out.splitlines()]
    assert {row[0] for row in rows} == {"create", "exec"}
    assert {row[1] for row in rows} == {"RUNTIME", "INIT"}
    assert len({(row[0], row[2]) for row in rows}) == len(rows)
    bundle = rung.bundle("/bin/true").write()
    plan = rung("debug", "plan", "-b", bundle.path, "x").ok().out
    assert f"rootfs.path {bundle.rootfs}\n" in plan and "process.argv[0] /bin/true\n" in plan


def test_sigkill_reaches_those_who_outlived_init(rung):
    bundle = rung.bundle().without_namespace("pid").sh("sleep 100 & exec sleep 101")
    bundle.up()
    wait_until(lambda: len(json.loads(rung("ps", "-f", "json", bundle.id).ok().out)) == 2)
    os.kill(bundle.state()["pid"], signal.SIGKILL)
    bundle.wait_for("stopped")
    bundle.kill("TERM").fails("container not running")
    bundle.kill("KILL").ok()
    wait_until(lambda: rung("ps", "-f", "json", bundle.id).ok().out == "[]\n")
    bundle.kill("KILL").fails("container not running")
    bundle.delete().ok()
