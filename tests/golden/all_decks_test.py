#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""Every deck of inputs/ passes `check` and `run`, with figures a job can have."""

import json

from workplace import GoldenTest, main


class Decks(GoldenTest):
    def test_every_deck_checks_and_runs(self):
        folder = self.work.folder / "inputs/decks"
        decks = sorted(folder.glob("**/*.toml"))
        self.assertGreaterEqual(len(decks), 27)
        for deck in decks:
            with self.subTest(deck.name):
                self.check_and_run(f"inputs/decks/{deck.relative_to(folder)}")

    def check_and_run(self, deck):
        checked = self.work.succeed(f"prismllm check {deck}")
        self.assertIn("Stitching proof passed", checked.out)

        report = json.loads(self.work.succeed(f"prismllm run {deck} --json").out)

        self.assertGreater(report["iteration_time_s"], 0)
        self.assertGreater(report["mfu"], 0)
        self.assertLess(report["mfu"], 1)
        self.assertGreater(report["peak_memory_bytes"], 0)
        if "tiny" not in deck:  # they train for real, and nobody published them
            self.assertTrue(report["published"]["source"])
        shares = [report["provenance"][name]
                  for name in ("measured", "calibrated", "modelled", "assumed")]
        self.assertAlmostEqual(1, sum(shares), places=9)
        print(f"  {deck}: {report['iteration_time_s']:.4g} s", flush=True)


main()
