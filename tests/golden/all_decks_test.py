#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""Every deck of inputs/ passes `check` and `run`, with figures a job can have."""

import json

from workplace import GoldenTest, main


class Decks(GoldenTest):
    def test_every_deck_checks_and_runs(self):
        decks = sorted((self.work.folder / "inputs/decks").glob("*.toml"))
        self.assertGreaterEqual(len(decks), 10)
        for deck in decks:
            with self.subTest(deck.name):
                self.check_and_run(f"inputs/decks/{deck.name}")

    def check_and_run(self, deck):
        checked = self.work.succeed(f"prismllm check {deck}")
        self.assertIn("Stitching proof passed", checked.out)

        report = json.loads(self.work.succeed(f"prismllm run {deck} --json").out)

        self.assertGreater(report["iteration_time_s"], 0)
        self.assertGreater(report["mfu"], 0)
        self.assertLess(report["mfu"], 1)
        self.assertGreater(report["peak_memory_bytes"], 0)
        self.assertTrue(report["published"]["source"])
        shares = [report["provenance"][name]
                  for name in ("measured", "calibrated", "modelled", "assumed")]
        self.assertAlmostEqual(1, sum(shares), places=9)
        print(f"  {deck}: {report['iteration_time_s']:.4g} s", flush=True)


main()
