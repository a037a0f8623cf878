#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""A job that is killed or told to stop ends as a whole, soon, and leaves no half result."""

import os
import pathlib
import signal
import sys
import time

from workplace import SKIPPED, GoldenTest, main

# More iterations than any machine emulates within the limits below.
ENDLESS = ("prismllm run tests/golden/decks/perturbed_16.toml -o result.h5 "
           "--set emulation.timeline_ranks=[] --set emulation.iterations=1048576")
ENDS_WITHIN_S = 15
INTERRUPTED = 75
JOB_FAILED = 8

if not pathlib.Path("/proc/self/stat").exists():
    print("skipped: processes are looked up in /proc")
    sys.exit(SKIPPED)


def processes_of(session, name):
    """Ids of the processes of a session that run this program, with their CPU time in ticks."""
    found = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            text = entry.read_text(encoding="ascii", errors="replace")
        except OSError:
            continue  # ended meanwhile
        program = text[text.index("(") + 1:text.rindex(")")]
        fields = text[text.rindex(")") + 2:].split()
        if program == name and int(fields[3]) == session and fields[0] != "Z":
            found[int(entry.parent.name)] = int(fields[11]) + int(fields[12])
    return found


class EndOfAJob(GoldenTest):
    def start(self, command, count):
        """The started job once all of its processes emulate."""
        job = self.work.start(command)
        deadline = time.monotonic() + 120
        busy = 0.3 * os.sysconf("SC_CLK_TCK")
        while time.monotonic() < deadline:
            if job.poll() is not None:
                self.fail(self.work.finish(job, deadline))
            ticks = processes_of(job.pid, "prismllm")
            if len(ticks) == count and min(ticks.values()) > busy:
                return job, sorted(ticks)
            time.sleep(0.1)
        os.killpg(job.pid, signal.SIGKILL)
        self.fail("the processes did not start within two minutes")

    def end_of(self, job):
        """The job's outcome, after the checks that hold for every end."""
        outcome = self.work.finish(job, time.monotonic(), ENDS_WITHIN_S)
        self.assertNotEqual(0, outcome.status, outcome)
        deadline = time.monotonic() + ENDS_WITHIN_S
        while processes_of(job.pid, "prismllm") and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual({}, processes_of(job.pid, "prismllm"), "left over")
        self.assertFalse(self.work.path("result.h5").exists())
        print(f"  ended after {outcome.seconds:.1f} s with {outcome.status}", flush=True)
        return outcome

    def test_one_process_of_three_is_killed(self):
        job, processes = self.start(f"exec mpirun -np 3 {ENDLESS}", 3)

        os.kill(processes[-1], signal.SIGKILL)

        self.end_of(job)

    def test_a_real_rank_is_stopped(self):
        job, processes = self.start(
            "exec mpirun -np 2 prismllm run inputs/decks/tiny/gpt.toml -o result.h5 "
            "--set parallel.world_size=2 --set parallel.tensor_parallel=2 "
            "--set 'emulation.real_ranks=[1]' --set emulation.iterations=15000 "
            "--set 'emulation.watchdog=\"0.5 s\"'", 2)

        os.kill(processes[-1], signal.SIGSTOP)

        outcome = self.end_of(job)
        self.assertEqual(JOB_FAILED, outcome.status, outcome)
        self.assertIn("Real ranks are rank 1 on host rank 1", outcome.err)

    def test_the_launcher_is_told_to_stop(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number.name):
                job, _ = self.start(f"exec mpirun -np 3 {ENDLESS}", 3)

                os.kill(job.pid, number)

                self.end_of(job)

    def test_a_warning_before_the_end_of_a_jobs_time(self):
        # Schedulers send it to the launcher, which passes it on, or to processes of a step.
        for to_launcher in (True, False):
            with self.subTest(to_launcher=to_launcher):
                job, processes = self.start(f"exec mpirun -np 3 {ENDLESS}", 3)

                os.kill(job.pid if to_launcher else processes[1], signal.SIGUSR1)

                outcome = self.end_of(job)
                self.assertEqual(INTERRUPTED, outcome.status, outcome)
                self.assert_told_once(outcome)

    def test_a_real_rank_that_waits_for_the_wall(self):
        # Rank 0 pauses for longer than this test takes; rank 1, which is real, waits for it.
        command = ("exec mpirun -np 2 prismllm run inputs/decks/tiny/gpt.toml -o result.h5 "
                   "--set parallel.world_size=2 --set parallel.tensor_parallel=2 "
                   "--set 'emulation.real_ranks=[1]' --set emulation.clock=wall "
                   "--set emulation.iterations=4 "
                   "--set 'emulation.pauses=[{rank=0,iteration=2,time=\"500 s\"}]'")
        for which in ("launcher", "real rank", "proxy"):
            with self.subTest(which):
                job = self.work.start(command)
                time.sleep(4)
                processes = sorted(processes_of(job.pid, "prismllm"))
                self.assertEqual(2, len(processes))

                os.kill({"launcher": job.pid, "proxy": processes[0],
                         "real rank": processes[1]}[which], signal.SIGUSR1)

                outcome = self.end_of(job)
                self.assertEqual(INTERRUPTED, outcome.status, outcome)
                self.assert_told_once(outcome)

    def assert_told_once(self, outcome):
        """All processes end for one reason: it stands once, and no process claims it."""
        self.assertEqual(1, outcome.err.count(" was interrupted"), outcome)
        self.assertRegex(outcome.err, r"(?m)^E prismllm  iteration \d+ was interrupted")

    def test_a_process_alone_is_told_to_stop(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP):
            with self.subTest(number.name):
                job, processes = self.start(f"exec {ENDLESS}", 1)

                os.kill(processes[0], number)

                outcome = self.end_of(job)
                self.assertEqual(INTERRUPTED, outcome.status, outcome)
                self.assert_told_once(outcome)


main()
