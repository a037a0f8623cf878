#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""Where output does not fit, the job says so, fails, and leaves nothing half-written."""

import unittest

from workplace import GoldenTest, main

DECK = "tests/golden/decks/perturbed_16.toml"
RESOURCES = 5
SYSTEM = 7


class FullDisk(GoldenTest):
    def left_over(self):
        return sorted(p.name for p in self.work.folder.iterdir() if ".h5" in p.name)

    def limited(self, command, kib=4):
        """No file of this command may grow beyond this size; writing is refused, not killed."""
        return f"ulimit -f {kib}; trap '' XFSZ; {command}"

    def test_for_a_graph(self):
        self.assert_fails(self.limited(f"prismllm slice {DECK} -o graph.h5"), RESOURCES,
                          "cannot write", "graph.h5")

        self.assertEqual([], self.left_over())

    def test_for_a_trace(self):
        self.work.succeed(f"prismllm run {DECK} -o result.h5")

        self.assert_fails(self.limited("prismllm report result.h5 --trace trace.json"),
                          RESOURCES, "cannot write", "trace.json")

        self.assertEqual([], list(self.work.folder.glob("trace.json*")))

    def test_for_standard_output(self):
        for command in ("--version", "--help", "run --help", "--build-info", "keys",
                        f"check {DECK}", f"run {DECK}", f"run {DECK} --json"):
            with self.subTest(command):
                self.assert_fails(f"prismllm {command} >/dev/full", SYSTEM,
                                  "standard output", "No space left on device")

    def test_for_a_pipe_that_was_closed(self):
        done = self.work.run(f"prismllm run {DECK} | true; exit ${{PIPESTATUS[0]}}")

        # Ended by SIGPIPE as any filter, or told that writing failed.
        self.assertIn(done.status, (0, SYSTEM, 128 + 13), done)
        self.assertTrue(self.work.path("perturbed_16.result.h5").is_file())
        self.work.succeed("prismllm report perturbed_16.result.h5")

    # Starting MPI takes room too, elsewhere: a limit on all files would end it before us. So
    # results are written to a small file system that holds nothing else.

    def on_small_disk(self, command):
        mount = "mount -t tmpfs -o size=32k none small"
        self.work.path("small").mkdir()
        if self.work.run(f"unshare -rm {mount}").status != 0:
            raise unittest.SkipTest("a small file system cannot be mounted here")
        self.work.write("job.sh", f"{mount} && {command}\ncode=$?\nls small\nexit $code\n")
        return self.work.run("unshare -rm bash job.sh")

    def test_for_a_result(self):
        done = self.on_small_disk(f"prismllm run {DECK} -o small/r.h5")

        self.assertEqual(RESOURCES, done.status, done)
        self.assertRegex(done.err, r"cannot write 'small/r.h5' \(No space left on device\)")
        self.assertEqual("", done.out)

    def test_for_a_result_that_processes_write_together(self):
        done = self.on_small_disk(f"mpirun -np 3 prismllm run {DECK} -o small/r.h5")

        self.assertEqual(RESOURCES, done.status, done)
        self.assertIn("cannot write 'small/r.h5'", done.err)
        self.assertEqual("", done.out)

    def test_keeps_the_result_that_was_there(self):
        done = self.on_small_disk(
            f"(: >small/r.h5; prismllm run {DECK} -o small/r.h5; "
            "code=$?; stat --format=%s small/r.h5; exit $code)")

        self.assertEqual(RESOURCES, done.status, done)
        self.assertEqual("0\nr.h5\n", done.out)


main()
