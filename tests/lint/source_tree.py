# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""Which files the lint rules look at, and how a finding is told.

The tree is walked instead of asking git, so that a release archive can be checked too.
"""

import dataclasses
import os
import pathlib
import sys

FOLDERS = ("src", "include", "inputs", "tests", "jobscripts", "docs", "spack", ".ci")
CPP_SUFFIXES = {".hpp", ".cpp", ".cu", ".cuh", ".h", ".inl"}
CMAKE_SUFFIXES = {".cmake"}
SCRIPT_SUFFIXES = {".py", ".sh", ".sbatch", ".bash", ".tcl", ".gp"}
COMMENTED_DATA_SUFFIXES = {".toml", ".yaml", ".yml"}
SKIPPED_REASON_RC = 77


@dataclasses.dataclass(frozen=True, order=True)
class Finding:
    """One broken rule. `path` is relative to the root, line 0 means the whole file."""

    path: str
    line: int
    text: str

    def __str__(self):
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.text}"


class Skipped(Exception):
    """A rule that cannot be checked on this machine; the message says why."""


class SourceTree:
    """The files of a checkout, read once each."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        self._lines = {}
        self.paths = sorted(self._walk())

    def _walk(self):
        for entry in self.root.iterdir():
            if entry.is_file():
                yield entry.name
        for folder in FOLDERS:
            for where, names, files in os.walk(self.root / folder):
                names[:] = [n for n in names if n != "__pycache__"]
                for name in files:
                    if not name.endswith(".pyc"):
                        yield str((pathlib.Path(where) / name).relative_to(self.root))

    def exists(self, path):
        return (self.root / path).exists()

    def text(self, path):
        return "\n".join(self.lines(path))

    def lines(self, path):
        if path not in self._lines:
            raw = (self.root / path).read_bytes()
            self._lines[path] = raw.decode("utf-8", errors="surrogateescape").split("\n")
        return self._lines[path]

    def first_line(self, path):
        return self.lines(path)[0]

    def is_fixture(self, path):
        return path.startswith("tests/data/")

    def cpp(self):
        return [p for p in self.paths if suffix(p) in CPP_SUFFIXES]

    def cmake(self):
        return [p for p in self.paths
                if suffix(p) in CMAKE_SUFFIXES or os.path.basename(p) == "CMakeLists.txt"
                or p.endswith(".cmake.in")]

    def scripts(self):
        return [p for p in self.paths
                if not self.is_fixture(p) and suffix(p) != ".md"
                and (suffix(p) in SCRIPT_SUFFIXES or self.first_line(p).startswith("#!"))]

    def commented_data(self):
        templates = [p for p in self.paths if p.endswith(".in") and not p.endswith(".cmake.in")]
        data = [p for p in self.paths
                if suffix(p) in COMMENTED_DATA_SUFFIXES and not self.is_fixture(p)]
        return data + templates

    def sources(self):
        """Everything a person wrote in a programming or deck language."""
        return sorted(set(self.cpp() + self.cmake() + self.scripts() + self.commented_data()))

    def pages(self):
        return [p for p in self.paths if suffix(p) == ".md" and not self.is_fixture(p)]


def suffix(path):
    return os.path.splitext(path)[1]


def finish(findings, rule):
    """Print findings sorted by place; returns the exit status."""
    for finding in sorted(findings):
        print(f"{finding} [{rule}]")
    if findings:
        print(f"{rule}: {len(findings)} finding(s)", file=sys.stderr)
    return 1 if findings else 0
