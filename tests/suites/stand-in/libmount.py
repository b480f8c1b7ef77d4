# SPDX-License-Identifier: LGPL-2.1-or-later
"""What crun's test_mounts.py asks of libmount's Python binding, which few distributions package.

A Table reads a file in the format of /proc/self/mountinfo; run-crun-python puts this module
into the search path where there is no binding.
"""


def unescaped(text):
    for code in ("040", "011", "012", "134"):
        text = text.replace("\\" + code, chr(int(code, 8)))
    return text


class Entry:
    def __init__(self, line):
        mount, _, filesystem = line.partition(" - ")
        self.target, self.vfs_options = mount.split(" ")[4:6]
        self.target = unescaped(self.target)
        self.fs_options = filesystem.split(" ", 2)[2]


class Table:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.entries = [Entry(line.rstrip("\n")) for line in file if " - " in line]

    def find_target(self, target):
        """The mount on top, as libmount finds it; None when there is none."""
        return next((e for e in reversed(self.entries) if e.target == target), None)
