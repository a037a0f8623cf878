#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""What pages tell the reader to type works as it stands, in the order of the page."""

import importlib.util
import re
import sys
import unittest

from workplace import GoldenTest, main, same_everywhere


def blocks_of(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.M | re.S)


def commands_of(page):
    """What follows `$ ` in blocks marked `console`, and indented lines that run a deck."""
    yield from re.findall(
        r"^    ((?:jobscripts/local/run\.sh|prismllm|mpirun)\b(?:.*\\\n)*.*)$", page, re.M)
    for block in blocks_of(page, "console"):
        for command in re.findall(r"^\$ ((?:.*\\\n)*.*)$", block, re.M):
            yield command


class Tutorials(GoldenTest):
    """The script that installs and builds runs too, with nothing left to install and to build."""

    def setUp(self):
        super().setUp()
        work = self.work
        (work.folder / "jobscripts").symlink_to(work.settings.source / "jobscripts")
        build = work.path("build")
        build.mkdir(exist_ok=True)
        (build / "build.ninja").touch()
        for folder in [build / "src/cli", build / "release/src/cli"]:
            folder.mkdir(parents=True)
            (folder / "prismllm").symlink_to(work.settings.prismllm)
        work.add_tool("cmake", "exit 0\n")
        # Every package is there.
        work.add_tool("dpkg-query", """for package in "${@:3}"; do
    printf '%s installed\\n' "$package"
done
""")
        work.environment["PRISMLLM_BUILD_DIR"] = str(build)

    def test_every_command_runs(self):
        source = self.work.settings.source
        tutorials = sorted((source / "docs/tutorials").glob("*.md"))
        self.assertTrue(tutorials)
        for page in [source / "README.md", *tutorials]:
            commands = list(commands_of(page.read_text(encoding="utf-8")))
            self.assertTrue(commands, page)
            for command in commands:
                print(f"  {command}", flush=True)
                self.work.succeed(command)


def sessions_of(page):
    """Commands of blocks marked `console` with the lines shown below each; `...` stands for any."""
    for block in blocks_of(page, "console"):
        for command, shown in re.findall(r"^\$ ((?:.*\\\n)*.*)\n?((?:(?!\$ ).*\n)*)", block, re.M):
            yield command, [line for line in shown.splitlines() if line != "..."]


class HowTos(GoldenTest):
    """Pages that show a deck or script, commands, and lines of what they print."""

    def play(self, name):
        page = (self.work.settings.source / "docs/howto" / name).read_text(encoding="utf-8")
        for block in re.findall(r"^```\w+\n(# (\S+\.\w+)\n.*?)^```", page, re.M | re.S):
            self.work.write(block[1], block[0])
        shown = 0
        for command, lines in sessions_of(page):
            print(f"  {command}", flush=True)
            printed = self.work.succeed(command).out.splitlines()
            for line in lines:
                self.assertIn(line, printed, command)
            shown += len(lines)
        return shown

    def test_own_deck(self):
        self.assertGreater(self.play("own_deck.md"), 8)

    def test_compare_layouts(self):
        self.assertEqual(6, self.play("compare_layouts.md"))

    def test_read_report(self):
        self.assertGreater(self.play("read_report.md"), 20)


class ReadMe(GoldenTest):
    def test_shows_what_a_run_prints(self):
        page = (self.work.settings.source / "README.md").read_text(encoding="utf-8")
        (sample,) = blocks_of(page, "text")

        out = self.work.succeed("mpirun -np 3 prismllm run "
                                "inputs/decks/llama3.1_405b_h100_8192.toml").out

        printed = same_everywhere(out, self.work.folder).splitlines()
        for line in same_everywhere(sample, self.work.folder).splitlines():
            if line.strip() != "...":
                self.assertIn(line, printed)


class PythonPage(GoldenTest):
    def test_every_block_runs_on_our_files(self):
        blocks = blocks_of((self.work.settings.source / "docs/howto/python.md").read_text(
            encoding="utf-8"), "python")
        self.assertGreaterEqual(len(blocks), 3)
        at_hand = []
        for block in blocks:
            missing = [name for name in re.findall(r"^import (\w+)", block, re.M)
                       if importlib.util.find_spec(name) is None]
            if "h5py" in missing:
                raise unittest.SkipTest("h5py is missing (package python3-h5py)")
            if missing:
                print(f"  left out, {', '.join(missing)} missing: {block.splitlines()[0]}")
            else:
                at_hand.append(block)
        self.work.write("page.py", "\n".join(at_hand))
        self.work.succeed("prismllm run tests/golden/decks/perturbed_16.toml -o result.h5 "
                          "--graph graph.h5")

        done = self.work.succeed(f"{sys.executable} page.py")

        self.assertIn("stage 1", done.out)
        if any("argmax" in block for block in at_hand):
            # Rank 14 of the heavier stage computes longest, rank 5 is slowed down most.
            self.assertIn("most compute time: rank 14\n", done.out)
            self.assertIn("slowest for its stage: rank 5, 1.5 times its median\n", done.out)


main()
