#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""Results are the same bits, whoever computes them and in however many steps."""

from h5_content import content, differences
from workplace import GoldenTest, main

PERTURBED = "tests/golden/decks/perturbed_16.toml"
LARGE = "inputs/decks/llama3.1_405b_h100_8192.toml"


class SameBits(GoldenTest):
    def result_of(self, name, command):
        self.work.succeed(f"{command} -q -o {name}.h5 >{name}.txt")
        return content(self.work.path(f"{name}.h5"))

    def test_for_any_number_of_processes(self):
        alone = self.result_of("alone", f"prismllm run {PERTURBED}")
        # 16 ranks in 3 iterations, and timelines of 3 of them: the comparison is not of nothing.
        self.assertEqual((3, 16), alone["results/ranks/end_ps"][1])
        self.assertGreater(alone["trace/ops/start_ps"][1][0], 3000)
        for name, processes in {"again": 1, "two": 2, "three": 3, "four": 4, "eight": 8}.items():
            with self.subTest(processes=processes):
                other = self.result_of(name, f"mpirun -np {processes} prismllm run {PERTURBED}")

                self.assertEqual([], differences(alone, other))

    def test_twice_with_the_same_processes(self):
        command = f"mpirun -np 3 prismllm run {PERTURBED}"

        first = self.result_of("first", command)
        second = self.result_of("second", command)

        self.assertEqual([], differences(first, second))

    def test_in_two_steps(self):
        self.work.succeed(f"prismllm slice {PERTURBED} -o graph.h5")

        steps = self.result_of("steps", "mpirun -np 2 prismllm emulate graph.h5")
        at_once = self.result_of("at_once", f"prismllm run {PERTURBED} --graph kept.h5")

        self.assertEqual([], differences(at_once, steps))
        self.assertEqual([], differences(content(self.work.path("graph.h5")),
                                         content(self.work.path("kept.h5"))))

    def test_for_more_processes_than_ranks(self):
        deck = "tests/golden/decks/single_rank.toml"

        alone = self.result_of("alone", f"prismllm run {deck}")
        crowd = self.result_of("crowd", f"mpirun -np 3 prismllm run {deck}")

        self.assertEqual([], differences(alone, crowd))

    def test_for_jobs_with_one_output(self):
        alone = self.result_of("alone", f"prismllm run {PERTURBED}")

        self.work.succeed("for job in 1 2 3 4; do prismllm run " + PERTURBED +
                          " -o same.h5 >/dev/null & jobs+=($!); done; "
                          "for job in ${jobs[@]}; do wait $job || exit; done")

        self.assertEqual([], differences(alone, content(self.work.path("same.h5"))))
        self.assertEqual([], list(self.work.folder.glob("*.tmp")))

    def test_for_a_large_job(self):
        alone = self.result_of("alone", f"prismllm run {LARGE}")
        three = self.result_of("three", f"mpirun -np 3 prismllm run {LARGE}")

        self.assertEqual((1, 8192), alone["results/ranks/end_ps"][1])
        self.assertEqual([], differences(alone, three))

    def test_and_another_seed_is_another_result(self):
        # The comparison sees a difference where there is one.
        one = self.result_of("one", f"prismllm run {PERTURBED} --set emulation.seed=1")
        two = self.result_of("two", f"prismllm run {PERTURBED} --set emulation.seed=2")

        self.assertIn("results/ranks/end_ps", differences(one, two))
        self.assertNotIn("results/ranks/stage", differences(one, two))


main()
