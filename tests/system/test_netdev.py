# SPDX-License-Identifier: LGPL-2.1-or-later
"""linux.netDevices, in a network namespace of the test's own that stands for the host's."""
import os
import subprocess

import pytest
from support.runtime import Rung, wait_until

MAC = "02:00:00:00:00:07"


def new_namespace():
    """A process that keeps a network namespace until it is killed."""
    holder = subprocess.Popen(["unshare", "--net", "sleep", "600"])
    wait_until(lambda: os.readlink(f"/proc/{holder.pid}/ns/net") !=
               os.readlink("/proc/self/ns/net"), what="the network namespace")
    return holder


class Host:
    """A network namespace with a pair of devices, "card" and its peer."""

    def __init__(self, rung):
        self.holder = new_namespace()
        self.enter = ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net"]
        wrapper = rung.world.base / "bin" / "rung-of-host"
        wrapper.write_text(f'#!/bin/sh\nexec {" ".join(self.enter)} {rung.program} "$@"\n')
        wrapper.chmod(0o755)
        self.rung = Rung(rung.world, str(wrapper), rung.state)
        self.ip("link", "add", "card", "mtu", "1400", "address", MAC, "type", "veth",
                "peer", "name", "peer")
        self.ip("addr", "add", "10.77.0.5/24", "dev", "card")
        self.ip("addr", "add", "10.77.0.6/24", "brd", "+", "dev", "card")
        self.ip("addr", "add", "2001:db8::5/64", "dev", "card", "nodad")
        self.ip("addr", "add", "169.254.7.7/16", "scope", "link", "dev", "card")

    def ip(self, *args, check=True):
        return subprocess.run([*self.enter, "ip", *args], check=check, text=True,
                              capture_output=True).stdout

    def end(self):
        self.rung.clean()
        self.holder.kill()
        self.holder.wait()


@pytest.fixture(name="host")
def fixture_host(rung):
    made = Host(rung)
    yield made
    made.end()


def addresses(text):
    words = text.split()
    return sorted(words[i + 1] for i, word in enumerate(words) if word in ("inet", "inet6")
                  and not words[i + 1].startswith("fe80"))


GLOBAL = ["10.77.0.5/24", "10.77.0.6/24", "2001:db8::5/64"]


def test_subtle_78_a_device_moves_with_name_addresses_and_state(host):
    bundle = host.rung.bundle("/bin/ip", "addr", "show", "dev", "renamed")
    bundle.linux["netDevices"] = {"card": {"name": "renamed"}}
    out = bundle.output()
    assert "mtu 1400" in out and MAC in out and "UP" in out
    assert addresses(out) == GLOBAL


def test_a_device_without_a_new_name_keeps_its_own(host):
    bundle = host.rung.bundle("/bin/ip", "link", "show", "dev", "card")
    bundle.linux["netDevices"] = {"card": {}}
    assert "card" in bundle.output()


def test_several_devices_and_a_name_for_the_kernel_to_complete(host):
    bundle = host.rung.bundle("/bin/ls", "/sys/class/net")
    bundle.linux["netDevices"] = {"card": {"name": "net%d"}, "peer": {"name": "net%d"}}
    assert bundle.output().split() == ["lo", "net0", "net1"]


def test_devices_that_change_names_with_each_other(host):
    bundle = host.rung.bundle("/bin/sh", "-c", "ip link show dev peer")
    bundle.linux["netDevices"] = {"card": {"name": "peer"}, "peer": {"name": "card"}}
    assert MAC in bundle.output()


def test_a_device_moves_into_a_namespace_that_is_joined(host):
    holder = new_namespace()
    try:
        bundle = host.rung.bundle("/bin/ip", "addr", "show", "dev", "card")
        bundle.namespace("network")["path"] = f"/proc/{holder.pid}/ns/net"
        bundle.linux["netDevices"] = {"card": {}}
        assert addresses(bundle.output()) == GLOBAL
        bundle.new_id()  # it stays in a namespace that outlives the container
        bundle.run().fails("linux.netDevices.card: find network device card: no such device")
    finally:
        holder.kill()
        holder.wait()


def test_a_device_moves_into_a_user_namespace(host):
    bundle = host.rung.bundle("/bin/ip", "addr", "show", "dev", "card")
    bundle.userns(100000, 65536).chown_rootfs(100000)
    bundle.linux["netDevices"] = {"card": {}}
    assert addresses(bundle.output()) == GLOBAL


@pytest.mark.parametrize("up", [True, False])
def test_a_create_that_fails_returns_the_device(host, up):
    if up:
        host.ip("link", "set", "card", "up")
    bundle = host.rung.bundle("/no/such/program")
    bundle.linux["netDevices"] = {"card": {"name": "renamed"}}
    bundle.create().fails("no such file or directory")
    out = host.ip("addr", "show", "dev", "card")
    assert ("UP" in out.split("mtu")[0]) == up
    assert MAC in out and [a for a in addresses(out) if not a.startswith("169")] == GLOBAL


def test_the_second_device_fails_and_the_first_returns(host):
    bundle = host.rung.bundle("/bin/true")
    bundle.linux["netDevices"] = {"card": {}, "none": {}}
    bundle.create().fails("linux.netDevices.none: find network device none: no such device")
    assert "card" in host.ip("link", "show", "dev", "card")


def test_a_name_that_is_in_the_container_already(host):
    bundle = host.rung.bundle("/bin/true")
    bundle.linux["netDevices"] = {"card": {"name": "lo"}}
    bundle.create().fails("linux.netDevices.card: a network device lo is in the container already")
    assert "card" in host.ip("link", "show", "dev", "card")


def test_no_network_namespace_of_its_own(host):
    bundle = host.rung.bundle("/bin/true").without_namespace("network")
    bundle.linux["netDevices"] = {"card": {}}
    bundle.create().fails("linux.netDevices: unable to move network devices without a private NET")
    bundle.linux["namespaces"].append({"type": "network",
                                       "path": f"/proc/{host.holder.pid}/ns/net"})
    bundle.new_id()
    bundle.create().fails("the container's is the runtime's own")


def test_names_that_two_devices_want(host):
    bundle = host.rung.bundle("/bin/true")
    bundle.linux["netDevices"] = {"card": {"name": "x"}, "peer": {"name": "x"}}
    bundle.create().fails('linux.netDevices.peer.name: "x" is the name of another device')


def test_a_delete_ends_the_device_with_the_namespace(host):
    bundle = host.rung.bundle("/bin/sleep", "100")
    bundle.linux["netDevices"] = {"card": {}}
    bundle.up()
    bundle.delete("--force").ok()
    wait_until(lambda: "card" not in host.ip("link", "show"), what="the end of the pair")
