#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""The examples that the help texts show run as they stand."""

import re

from workplace import GoldenTest, main

# In the order of the work: a file that one example reads was written by an example before it.
COMMANDS = ["run", "check", "slice", "emulate", "show", "report", "keys", "native", "compare", "plan"]


class HelpTexts(GoldenTest):
    def test_every_command_is_in_this_test(self):
        # CLI11 writes the heading in capitals since 2.5.
        (listed,) = re.findall(r"^subcommands:\n(.*?)^\S", self.work.succeed("prismllm --help").out,
                               re.M | re.S | re.I)

        self.assertEqual(sorted(COMMANDS), sorted(re.findall(r"^  (\w+) ", listed, re.M)))

    def test_every_example_runs(self):
        done = set()
        for command in COMMANDS:
            shown = self.work.succeed(f"prismllm {command} --help").out
            examples = re.findall(r"^  (\S.*)$", shown.split("Examples:\n")[1], re.M)
            self.assertGreaterEqual(len(examples), 2, command)
            for example in examples:
                if example not in done:
                    print(f"  {example}", flush=True)
                    self.work.succeed(example)
                    done.add(example)


main()
