#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""Foreign and damaged files are refused, and graphs of jobs that cannot end are explained.

What needs no hand-made file is in cases/bad_files.case.
"""

import os
import unittest

import h5_content  # noqa: F401  (skips this file where h5py is missing)
import h5py
import numpy

from workplace import GoldenTest, main

DECK = "tests/golden/decks/interleaved_16.toml"
BAD_INPUT = 4
JOB_FAILED = 8


class Foreign(GoldenTest):
    def test_hdf5_of_another_program(self):
        with h5py.File(self.work.path("foreign.h5"), "w") as file:
            file["temperature"] = [1.0, 2.0]

        for command in ("emulate", "report", "show"):
            self.assert_fails(f"prismllm {command} foreign.h5", BAD_INPUT, "foreign.h5",
                              "format")

    def test_graph_of_a_newer_schema(self):
        self.work.succeed(f"prismllm slice {DECK} -o graph.h5")
        with h5py.File(self.work.path("graph.h5"), "r+") as file:
            file.attrs["schema_version"] = numpy.bytes_("2.0.0")

        self.assert_fails("prismllm emulate graph.h5", BAD_INPUT, "graph.h5", "2.0.0")

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_deck_that_may_not_be_read(self):
        self.work.write("secret.toml", "schema_version = 1\n")
        self.work.path("secret.toml").chmod(0)

        self.assert_fails("prismllm check secret.toml", 3, "secret.toml", "permission denied")


class Damaged(GoldenTest):
    def test_file_that_ends_early(self):
        self.work.succeed(f"prismllm slice {DECK} -o graph.h5")
        self.work.succeed(f"prismllm run {DECK} -o result.h5")
        for name, command in (("graph", "emulate"), ("result", "report")):
            whole = self.work.path(f"{name}.h5").read_bytes()
            for length in (1, 8, 96, 2048, len(whole) // 2, len(whole) - 1):
                with self.subTest(file=name, length=length):
                    self.work.path("cut.h5").write_bytes(whole[:length])

                    self.assert_fails(f"prismllm {command} cut.h5", BAD_INPUT, "cut.h5")

    def test_changed_bytes_never_crash_a_reader(self):
        self.work.succeed(f"prismllm slice {DECK} -o graph.h5")
        whole = self.work.path("graph.h5").read_bytes()
        step = len(whole) // 40
        for place in range(0, len(whole), step):
            with self.subTest(place=place):
                damaged = bytearray(whole)
                damaged[place] ^= 0x5A
                self.work.path("damaged.h5").write_bytes(damaged)

                outcome = self.work.run("prismllm show damaged.h5")

                self.assertIn(outcome.status, (0, BAD_INPUT), outcome)


class JobThatCannotEnd(GoldenTest):
    """Classes of one graph that do not fit each other, as two versions of a program would."""

    def setUp(self):
        super().setUp()
        self.work.succeed(f"prismllm slice {DECK} -o graph.h5")

    def edit(self, change):
        with h5py.File(self.work.path("graph.h5"), "r+") as file:
            change(file)

    @staticmethod
    def calls(file, stage, kind, family):
        """Rows of /ops in which a stage's class issues this kind of call in this family."""
        table = file["communications"]
        kinds = table["kind"].attrs["flag_meanings"].decode().split()
        texts, offsets = bytes(file["families/name_bytes"][:]), file["families/name_offsets"][:]
        families = [texts[a:b].decode() for a, b in zip(offsets, offsets[1:])]
        wanted = {row for row in range(table["kind"].shape[0])
                  if kinds[table["kind"][row]] == kind and families[table["family"][row]] == family}
        communicate = file["ops/kind"].attrs["flag_meanings"].decode().split().index("communicate")
        first, last = file["classes/op_offsets"][stage:stage + 2]
        return [op for op in range(first, last)
                if file["ops/kind"][op] == communicate and file["ops/index"][op] in wanted]

    def test_collective_that_one_stage_leaves_out(self):
        def change(file):
            # Stage 1 gives up an all-reduce of the world for one of its tensor group.
            (mine,) = self.calls(file, 1, "all_reduce", "world")
            other = self.calls(file, 1, "all_reduce", "tp")[0]
            file["ops/index"][mine] = file["ops/index"][other]

        self.edit(change)

        for command in ("prismllm emulate", "mpirun -np 2 prismllm emulate"):
            done = self.assert_fails(f"{command} graph.h5", JOB_FAILED, "world[0]", "all_reduce",
                                     "never")
            # Ranks 8 to 15 are the second stage.
            self.assertRegex(done.err, r"ranks 8, 9, 10, 11 and 4 more never")
            self.assertFalse(self.work.path("graph.result.h5").exists())

    def test_collective_with_other_counts(self):
        def change(file):
            # The loss of the last stage is reduced over the world, not over its tensor group.
            (mine,) = self.calls(file, 1, "all_reduce", "world")
            row = file["ops/index"][self.calls(file, 1, "all_reduce", "tp")[0]]
            file["communications/family"][row] = file["communications/family"][
                file["ops/index"][mine]]

        self.edit(change)

        self.assert_fails("prismllm emulate graph.h5", JOB_FAILED, "world[0]", "all_reduce",
                          "number 0")

    def test_send_that_nobody_receives(self):
        def change(file):
            # Stage 1 waits for a gradient where an activation comes.
            receive = self.calls(file, 1, "recv", "pp")[0]
            other = self.calls(file, 1, "recv", "pp_backward")[0]
            file["ops/index"][receive] = file["ops/index"][other]

        self.edit(change)

        done = self.assert_fails("prismllm emulate graph.h5", JOB_FAILED, "pp[0]")
        self.assertRegex(done.err, r"send|recv")

    def test_stages_that_wait_for_each_other(self):
        # Without chunks all messages of a stage take turns in one stream.
        self.work.succeed(f"prismllm slice {DECK} --set parallel.virtual_pipeline=1 -o graph.h5")

        def change(file):
            # Stage 1 wants to send before it has received what the send is computed from.
            receive = self.calls(file, 1, "recv", "pp")[0]
            send = self.calls(file, 1, "send", "pp")[0]
            index = file["ops/index"]
            index[receive], index[send] = index[send], index[receive]

        self.edit(change)

        self.assert_fails("prismllm emulate graph.h5", JOB_FAILED, "wait")


main()
