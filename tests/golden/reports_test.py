#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""Machine-readable output: JSON, CSV and traces say what their reference pages promise."""

import csv
import io
import json

from workplace import GoldenTest, main

PERTURBED = "tests/golden/decks/perturbed_16.toml"
STABLE_KEYS = {
    "layout", "iteration_time_s", "tokens_per_s_per_gpu", "model_tflops_per_gpu", "mfu", "hfu", "world_size",
    "host_ranks", "rank_classes", "participant_ops", "slicing_wall_s", "engine_wall_s",
    "total_wall_s", "peak_memory_bytes", "provenance", "published", "result_file", "deck_sha256"}


class Json(GoldenTest):
    def test_is_one_object_with_the_stable_keys_on_three_processes(self):
        done = self.work.succeed(f"mpirun -np 3 prismllm run {PERTURBED} --json")

        report = json.loads(done.out)
        self.assertEqual(set(), STABLE_KEYS - report.keys())
        self.assertEqual("", done.err)
        self.assertEqual((16, 3, 2), (report["world_size"], report["host_ranks"],
                                      report["rank_classes"]))
        self.assertTrue(self.work.path(report["result_file"]).is_file())
        values = self.work.succeed(f"prismllm show {PERTURBED} --values | sha256sum").out
        self.assertEqual(values.split()[0], report["deck_sha256"])

    def test_of_a_stored_result_is_that_of_the_run(self):
        run = self.work.succeed(f"prismllm run {PERTURBED} --json -o r.h5").out

        stored = self.work.succeed("prismllm report r.h5 --json").out
        self.assertEqual(json.loads(run), json.loads(stored))

    def test_figures_agree_with_each_other(self):
        deck = "inputs/decks/gpt_22b_a100_8_selective.toml"

        report = json.loads(self.work.succeed(f"prismllm run {deck} --json").out)

        # 4 sequences of 2048 tokens on 8 ranks; 312 TFLOP/s is the datasheet peak of an A100.
        time_s = report["iteration_time_s"]
        self.assertAlmostEqual(4 * 2048 / 8 / time_s, report["tokens_per_s_per_gpu"], places=6)
        self.assertAlmostEqual(report["model_tflops_per_gpu"] / 312, report["mfu"], places=9)
        error = report["published"]["iteration_time_s"]
        self.assertAlmostEqual(time_s / 1.10 - 1, error["error"], places=9)

    def test_recomputed_layers_are_work_of_the_hardware_but_not_of_the_model(self):
        full = "inputs/decks/gpt_22b_a100_8_full.toml"
        none = f"{full} --set training.recompute=none"

        full, none = (json.loads(self.work.succeed(f"prismllm run {deck} --json").out)
                      for deck in (full, none))

        def work(report, share):
            return report[share] * report["iteration_time_s"]
        self.assertAlmostEqual(1, work(full, "mfu") / work(none, "mfu"), places=9)
        # Three passes become four for the layers; the head stays at three.
        self.assertAlmostEqual(4 / 3, work(full, "hfu") / work(none, "hfu"), delta=0.01)


class Replacing(GoldenTest):
    def test_an_older_result_or_graph_is_told_after_it_was_replaced(self):
        run = "prismllm run tests/golden/decks/single_rank.toml --graph g.h5"
        first = self.work.succeed(run)

        same = self.work.succeed(run)
        other = self.work.succeed(f"mpirun -np 2 {run} --set emulation.seed=3")

        self.assertEqual("", first.err)
        for name in ("./single_rank.result.h5", "g.h5"):
            self.assertRegex(same.err, rf"{name} replaces one of \S+Z of the same deck")
            self.assertRegex(other.err, rf"{name} replaces one of \S+Z of another deck or other settings")
        self.assertEqual(2, other.err.count("replaces"))  # one process speaks
        self.assertEqual("", self.work.succeed(run + " -q").err)


class Csv(GoldenTest):
    def test_stages_sum_to_the_iteration(self):
        done = self.work.succeed(f"prismllm run {PERTURBED} --json -o r.h5")
        iteration_ps = json.loads(done.out)["iteration_time_s"] * 1e12

        table = self.work.succeed("prismllm report r.h5 --csv").out

        rows = list(csv.DictReader(io.StringIO(table)))
        self.assertEqual([("0", "8"), ("1", "8")], [(r["stage"], r["ranks"]) for r in rows])
        for row in rows:
            spent = sum(int(value) for name, value in row.items() if name.endswith("_ps"))
            # Each of a dozen means was rounded to whole picoseconds.
            self.assertAlmostEqual(iteration_ps, spent, delta=20)


class Trace(GoldenTest):
    def setUp(self):
        super().setUp()
        self.work.succeed(f"mpirun -np 2 prismllm run {PERTURBED} -o r.h5 >out.txt")
        self.work.succeed("prismllm report r.h5 --trace trace.json")
        text = self.work.path("trace.json").read_text(encoding="utf-8")
        self.events = json.loads(text)["traceEvents"]

    def test_names_ranks_and_streams(self):
        names = {(e["name"], e["pid"], e["args"]["name"]) for e in self.events if e["ph"] == "M"}

        processes = {(pid, name) for kind, pid, name in names if kind == "process_name"}
        self.assertEqual({(0, "rank 0"), (5, "rank 5"), (15, "rank 15")}, processes)
        threads = {name for kind, _, name in names if kind == "thread_name"}
        self.assertIn("compute", threads)

    def test_may_go_through_a_pipe(self):
        piped = self.work.succeed("prismllm report r.h5 --trace /dev/stdout | cat").out

        self.assertEqual(self.events, json.loads(piped)["traceEvents"])

    def test_streams_do_one_thing_at_a_time(self):
        ends = {}
        for event in self.events:
            if event["ph"] != "X":
                continue
            self.assertTrue(event["name"])
            self.assertGreaterEqual(event["dur"], 0)
            stream = (event["pid"], event["tid"])
            # Microseconds as a double hold picoseconds up to rounding.
            self.assertGreaterEqual(event["ts"] + 1e-6, ends.get(stream, 0), event)
            ends[stream] = event["ts"] + event["dur"]
        self.assertEqual({0, 5, 15}, {pid for pid, _ in ends})

    def test_holds_every_iteration_of_every_kind_of_work(self):
        work = {(e["args"]["iteration"], e["name"]) for e in self.events if e["ph"] == "X"}

        for iteration in range(3):
            for name in ("gemm", "all_gather tp", "send pp", "recv pp_backward"):
                self.assertIn((iteration, name), work)


main()
