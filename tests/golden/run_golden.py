#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""Play recorded sessions of the command line and compare.

    run_golden.py --prismllm PROGRAM --mpiexec MPIEXEC [--generate] [CASE...]

A case is a text file of cases/. Its lines begin with
    #   a comment
    $   a command, run by bash in the case's own workplace (see workplace.py)
    >   a line that the command writes to stdout
    !   a line that the command writes to stderr
    =   its exit status, where it is not 0
`--generate` writes what the program does now into the files; read the difference before you
commit it.
"""

import argparse
import difflib
import sys

from workplace import HERE, add_arguments, same_everywhere, workplace

CASES = HERE / "cases"


def marked(mark, text):
    """Lines of a text with the mark in front, the missing newline at its end made visible."""
    if text and not text.endswith("\n"):
        text += "[no newline]\n"
    return [f"{mark} {line}".rstrip() for line in text.splitlines()]


def played(path, settings):
    """The case as it runs now."""
    lines = []
    with workplace(settings) as place:
        for line in path.read_text(encoding="utf-8").splitlines():
            if line[:1] in (">", "!", "="):
                continue
            lines.append(line)
            if line.startswith("$ "):
                done = place.run(line[2:])
                lines += marked(">", same_everywhere(done.out, place.folder))
                lines += marked("!", same_everywhere(done.err, place.folder))
                if done.status != 0:
                    lines.append(f"= {done.status}")
    return "\n".join(lines) + "\n"


def check(path, settings):
    """Whether the case runs as recorded; prints the difference."""
    recorded = path.read_text(encoding="utf-8")
    now = played(path, settings)
    if now == recorded:
        print(f"{path.stem}: as recorded")
        return True
    sys.stdout.writelines(difflib.unified_diff(
        recorded.splitlines(keepends=True), now.splitlines(keepends=True),
        f"{path.name} (recorded)", f"{path.name} (now)"))
    print(f"{path.stem}: differs. Where this is intended: run_golden.py --generate {path.stem}")
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_arguments(parser)
    parser.add_argument("--generate", action="store_true", help="renew the recorded output")
    parser.add_argument("case", nargs="*", help="names without .case (default: all)")
    settings = parser.parse_args()
    paths = [CASES / f"{name}.case" for name in settings.case] or sorted(CASES.glob("*.case"))
    if settings.generate:
        for path in paths:
            path.write_text(played(path, settings), encoding="utf-8")
        return 0
    return 0 if all([check(path, settings) for path in paths]) else 1


sys.exit(main())
