# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""Rules on the text of single files: license lines, blanks, lengths, names, words."""

import os
import re
import shutil
import subprocess

from source_tree import Finding, Skipped

COPYRIGHT = re.compile(r"^(//|#) SPDX-FileCopyrightText: \d{4} The PrismLLM authors$")
LICENSE = re.compile(r"^(//|#) SPDX-License-Identifier: Apache-2\.0$")
MAX_COLUMNS = 100
MAX_LINES = 500
FORBIDDEN_NAMES = {"util", "utils", "helper", "helpers", "misc", "common"}
# Put together from pieces, so that this file does not break its own rule.
FORBIDDEN_WORDS = ("FIX" + "ME", "X" * 3, "HA" + "CK")
UNNUMBERED_TODO = re.compile(r"\b" + "TO" + r"DO\b(?!\(#\d+\))")
FORBIDDEN_WORD = re.compile(r"\b(" + "|".join(FORBIDDEN_WORDS) + r")\b")
SHELL_LINE = re.compile(r"^#!.*\b(ba)?sh\b")
CLANG_FORMAT_MAJOR = "14"


def check_spdx(tree):
    """The first two lines (after a #! or #% line) name the copyright holders and the license."""
    findings = []
    for path in tree.sources():
        lines = tree.lines(path)
        start = 1 if lines[0].startswith(("#!", "#%")) else 0
        head = lines[start:start + 2]
        if len(head) < 2 or not COPYRIGHT.match(head[0]) or not LICENSE.match(head[1]):
            findings.append(Finding(path, start + 1, "the two SPDX lines are missing here"))
    return findings


def check_blanks(tree):
    """No tabs, no trailing blanks, one newline at the end, ASCII only."""
    findings = []
    for path in tree.sources():
        lines = tree.lines(path)
        for number, line in enumerate(lines, 1):
            if "\t" in line:
                findings.append(Finding(path, number, "tab"))
            if line != line.rstrip():
                findings.append(Finding(path, number, "trailing blank"))
            if not line.isascii():
                findings.append(Finding(path, number, "character outside ASCII"))
        if lines[-1] != "" or (len(lines) > 1 and lines[-2] == ""):
            findings.append(Finding(path, len(lines), "file must end in exactly one newline"))
    return findings


def check_lengths(tree):
    """Lines of C++ and CMake fit 100 columns; files of src and include fit 500 lines."""
    findings = []
    for path in tree.cpp() + tree.cmake():
        for number, line in enumerate(tree.lines(path), 1):
            if len(line) > MAX_COLUMNS:
                findings.append(Finding(path, number,
                                        f"{len(line)} columns, {MAX_COLUMNS} allowed"))
    for path in tree.paths:
        if path.startswith(("src/", "include/")):
            count = len(tree.lines(path)) - 1
            if count > MAX_LINES:
                findings.append(Finding(path, 0, f"{count} lines, {MAX_LINES} allowed. Split it"))
    return findings


def check_words(tree):
    """No unfinished business: a to-do names its issue."""
    findings = []
    for path in tree.sources() + tree.pages():
        for number, line in enumerate(tree.lines(path), 1):
            match = FORBIDDEN_WORD.search(line) or UNNUMBERED_TODO.search(line)
            if match:
                findings.append(Finding(path, number, f"{match.group(0)} (finish it, or name an "
                                        "issue in the form " + "TO" + "DO(#12))"))
    return findings


def check_names(tree):
    """Files and folders say what they hold."""
    findings = []
    for path in tree.sources():
        for part in path.split("/"):
            if part.split(".")[0] in FORBIDDEN_NAMES:
                findings.append(Finding(path, 0, f"the name {part} says nothing of its content"))
    for path in tree.cpp():
        name = os.path.basename(path)
        if not re.fullmatch(r"[a-z0-9_]+\.(hpp|cpp|cu|cuh|inl)", name):
            findings.append(Finding(path, 0, "file names are snake_case with .hpp, .cpp or .cu"))
    return findings


def check_shell(tree):
    """Shell scripts parse, and pass shellcheck where it is installed."""
    shellcheck = shutil.which("shellcheck")
    findings = []
    for path in tree.scripts():
        if not SHELL_LINE.match(tree.first_line(path)):
            continue
        commands = [["bash", "-n", path]]
        if shellcheck:
            commands.append([shellcheck, "--format=gcc", "--severity=warning", path])
        for command in commands:
            done = subprocess.run(command, cwd=tree.root, capture_output=True, text=True)
            if done.returncode:
                text = (done.stdout + done.stderr).strip().splitlines()[0]
                findings.append(Finding(path, 0, text))
    return findings


def find_clang_format():
    """Path of clang-format 14; raises Skipped, saying what was found instead."""
    seen = []
    for name in (f"clang-format-{CLANG_FORMAT_MAJOR}", "clang-format"):
        program = shutil.which(name)
        if not program:
            continue
        version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
        match = re.search(r"version (\d+)", version)
        if match and match.group(1) == CLANG_FORMAT_MAJOR:
            return program
        seen.append(f"{program} is {version.strip()}")
    raise Skipped(f"clang-format {CLANG_FORMAT_MAJOR} is needed, other versions format "
                  f"differently ({'; '.join(seen) or 'none found'})")


def check_format(tree):
    """clang-format 14 would change nothing."""
    program = find_clang_format()
    paths = [p for p in tree.cpp() if not tree.is_fixture(p)]
    if not paths:
        return []
    done = subprocess.run([program, "--dry-run", "-Werror", "--style=file", *paths],
                          cwd=tree.root, capture_output=True, text=True)
    first_lines = {}
    for line in done.stderr.splitlines():
        match = re.match(r"^([^:\s]+):(\d+):\d+: error: ", line)
        if match:
            first_lines.setdefault(match.group(1), int(match.group(2)))
    findings = [Finding(path, number, f"not formatted from here on. Run {program} -i {path}")
                for path, number in first_lines.items()]
    if done.returncode and not findings:
        findings.append(Finding(".clang-format", 0, done.stderr.strip()))
    return findings
