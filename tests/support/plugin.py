# SPDX-License-Identifier: LGPL-2.1-or-later
"""The fixtures of all black-box tests.  The runtime is the program that $RUNG names."""
import os
import shutil
import signal

import pytest

from . import leftover, runtime
from .world import World

WORLD = World()


def pytest_configure(config):
    config.addinivalue_line("markers", "controller(name): needs that cgroup v2 controller")
    if config.option.collectonly:
        return
    program = os.environ.get("RUNG")
    if not program or not shutil.which(program):
        pytest.exit("set RUNG to the runtime to test", 2)
    if os.geteuid() != 0:
        pytest.exit("these tests need root: they build a private world first", 2)
    for needed in ("busybox", "cc"):
        if not shutil.which(needed):
            pytest.exit(f"{needed} is not installed", 2)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # leave the world before ending
    WORLD.enter()
    leftover.Children()


def pytest_unconfigure(config):
    if WORLD.base:
        WORLD.leave()


@pytest.fixture(scope="session")
def world():
    return WORLD


@pytest.fixture(autouse=True)
def nothing_left(request, world):
    """Fails the test that leaves a mount, cgroup, process, key, descriptor or state behind."""
    missing = [m.args[0] for m in request.node.iter_markers("controller")
               if m.args[0] not in (world.cgroup / "cgroup.controllers").read_text().split()]
    if missing:
        pytest.skip(f"cgroup v2 has no {missing[0]} controller here")
    state = world.base / "state"
    shutil.rmtree(state)
    state.mkdir()
    snapshot = leftover.Snapshot(world, state, runtime.ID_PREFIX)
    yield snapshot
    changed = snapshot.changes()
    if changed:
        snapshot.clean()
        pytest.fail(f"left behind: {changed}", pytrace=False)


@pytest.fixture
def rung(world, nothing_left):
    """The runtime as root."""
    made = runtime.Rung(world, shutil.which(os.environ["RUNG"]), world.base / "state")
    yield made
    made.clean()


@pytest.fixture
def rootless(world, nothing_left):
    """The runtime as an unprivileged user with a state directory of its own."""
    state = world.base / "state" / "user"
    state.mkdir()
    os.chown(state, world.user, world.user)
    made = runtime.Rung(world, shutil.which(os.environ["RUNG"]), state, user=world.user)
    yield made
    made.clean()
    shutil.rmtree(state)


@pytest.fixture
def canary(world):
    """A host tree that no container may touch; checked at the end."""
    top = world.base / "canary"
    (top / "dir").mkdir(parents=True)
    for name in ("file", "ptmx", "null", "passwd", "dir/inside"):
        (top / name).write_text(f"canary {name}\n")
    before = picture(top)
    yield top
    after = picture(top)
    shutil.rmtree(top)
    assert after == before


def picture(top):
    found = {}
    for directory, names, files in os.walk(top):
        for name in ["."] + names + files:
            path = os.path.join(directory, name)
            info = os.lstat(path)
            found[path] = (info.st_dev, info.st_ino, info.st_mode, info.st_uid, info.st_gid,
                           info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_nlink)
    return found
