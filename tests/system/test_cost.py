# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a container costs: numbers that do not depend on the machine's speed."""
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from support.runtime import wait_until


@pytest.fixture(autouse=True)
def not_with_sanitizers(rung):
    """They cost memory and calls of their own, and one does not work under ptrace(2)."""
    if b"__asan_init" in Path(rung.program).read_bytes():
        pytest.skip("built with sanitizers")


@pytest.fixture(name="plain")
def fixture_plain(rung):
    """What `rung spec` writes, with a program that ends at once."""
    bundle = rung.bundle("/bin/true")
    rung("spec", "--bundle", bundle.path).ok()
    config = json.loads((bundle.path / "config.json").read_text())
    config["process"].update(terminal=False, args=["/bin/true"])
    (bundle.path / "config.json").write_text(json.dumps(config))
    bundle.used.append(bundle.id)
    return bundle


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
def test_system_calls_of_a_run(rung, plain):
    counts = plain.path / "counts"
    argv = rung.argv("run", "--bundle", plain.path, plain.id)
    subprocess.run(["strace", "-f", "-c", "-o", counts, *argv], check=True,
                   stdin=subprocess.DEVNULL)
    total = next(line for line in counts.read_text().splitlines() if line.endswith("total"))
    assert int(total.split()[3]) <= 510  # 500 with the program's own, and some for long paths


def peak_kib(pid):
    """Of the program that runs there now: an execve(2) begins anew."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1))


def test_memory_of_the_runtime_and_of_init(rung):
    bundle = rung.bundle("/bin/sleep", "100")
    bundle.create().ok()
    assert peak_kib(bundle.state()["pid"]) <= 2560
    bundle.delete().ok()
    bundle.new_id()
    bundle.write()
    bundle.used.append(bundle.id)
    running = subprocess.Popen([str(a) for a in rung.argv("run", "--bundle", bundle.path,
                                                          bundle.id)], stdin=subprocess.DEVNULL)
    wait_until(lambda: (rung.state / bundle.id / "state.json").exists() and
               bundle.status() == "running", what="the container")
    assert peak_kib(running.pid) <= 2560
    bundle.kill("KILL").ok()
    assert running.wait(10) == 137
