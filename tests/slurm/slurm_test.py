#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""The job script for Slurm, submitted to a Slurm that lives as long as this test.

    slurm_test.py --prismllm PROGRAM --mpiexec MPIEXEC [--mpiexec-flags FLAGS] [unittest option...]
"""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "golden"))

# Found by the line above.
from h5_content import content, differences
from workplace import GoldenTest, main

THROWAWAY = HERE / "throwaway_slurm.sh"
SCRIPT = HERE.parent.parent / "jobscripts/slurm/run.sbatch"
DECK = "inputs/decks/gpt_22b_a100_8_selective.toml"
RESULT = "gpt_22b_a100_8_selective.result.h5"
# More iterations than any machine emulates within the limits below.
PERTURBED_DECK = "tests/golden/decks/perturbed_16.toml"
ENDLESS = "--set emulation.timeline_ranks=[] --set emulation.iterations=1048576"

# ctest ends the test after 120 s, and then daemons would be left.
TEST_LIMIT_S = 100
ENDINGS = (signal.SIGALRM, signal.SIGTERM, signal.SIGINT)
COMMAND_LIMIT_S = 30
JOB_LIMIT_S = 45
# The states that last. Others pass, and there are more than one thinks of: a running job that is
# being sent a signal is SIGNALING for a moment.
ENDED = ("BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY",
         "PREEMPTED", "TIMEOUT")
BAD_DECK = 3
SYSTEM = 7
INTERRUPTED = 75


class Job:
    """A submitted batch job of a workplace."""

    def __init__(self, work, name, deck, options="", run_options=""):
        self.work = work
        self.name = name
        self.run_dir = work.path(name)
        done = work.succeed(
            f"DECK={deck} RUN_DIR={name} timeout {COMMAND_LIMIT_S} sbatch --parsable "
            f"--output={name}.out --error={name}.err {options} {SCRIPT} {run_options}")
        self.number = int(done.out)

    def state(self):
        """(state, exit status, signal) as Slurm tells them."""
        told = self.work.succeed(f"timeout {COMMAND_LIMIT_S} scontrol show job {self.number}").out
        state = re.search(r"JobState=(\S+)", told).group(1)
        return (state, *map(int, re.search(r" ExitCode=(\d+):(\d+)", told).groups()))

    def wait(self):
        """State of the job, which has to end soon."""
        deadline = time.monotonic() + JOB_LIMIT_S
        while time.monotonic() < deadline:
            queue = self.work.succeed(f"timeout {COMMAND_LIMIT_S} squeue --noheader "
                                      f"--format=%i --states=all --jobs={self.number}")
            if queue.out.strip():
                state = self.state()
                if state[0] in ENDED:
                    return state
            time.sleep(0.2)
        raise AssertionError(f"job {self.number} does not end: {self.state()}\n{self.err()}")

    def wait_until_emulating(self, processes):
        """Until all processes of the step have run for a while."""
        deadline = time.monotonic() + JOB_LIMIT_S
        while time.monotonic() < deadline:
            ticks = cpu_ticks(self.number)
            if len(ticks) == processes and min(ticks) > 0.3 * os.sysconf("SC_CLK_TCK"):
                return
            time.sleep(0.1)
        raise AssertionError(f"job {self.number} does not start: {self.state()}\n{self.err()}")

    def out(self):
        return self.work.path(f"{self.name}.out").read_text(encoding="utf-8")

    def err(self):
        path = self.work.path(f"{self.name}.err")
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def files(self):
        return sorted(p.name for p in self.run_dir.iterdir())


def cpu_ticks(job):
    """CPU time, in clock ticks, of each process of a job step that runs the program."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            text = (folder / "stat").read_text(encoding="ascii", errors="replace")
            if "(prismllm)" not in text:
                continue
            variables = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue  # ended meanwhile
        if {b"SLURM_JOB_ID=%d" % job, b"SLURM_STEP_ID=0"} <= set(variables):
            fields = text[text.rindex(")") + 2:].split()
            found.append(int(fields[11]) + int(fields[12]))
    return found


def processes_below(folder):
    """Command lines that name the folder, of daemons and of jobs."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes()
            variables = (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue  # ended meanwhile
        below = b"SLURM_CONF=" + os.fsencode(folder / "slurm.conf")
        if command and (below in variables or os.fsencode(folder) in command):
            found.append(command.replace(b"\0", b" ").decode())
    return found


@contextlib.contextmanager
def throwaway_slurm():
    """Folder of a Slurm that ends with the block. Exits where this machine cannot have one."""
    # A short name: paths of sockets have a limit.
    with tempfile.TemporaryDirectory(prefix="ps-") as name:
        folder = pathlib.Path(os.path.realpath(name))
        begin = time.monotonic()
        try:
            started = subprocess.run([THROWAWAY, "start", folder], stdin=subprocess.DEVNULL)
            if started.returncode != 0:
                sys.exit(started.returncode)
            print(f"Slurm started in {time.monotonic() - begin:.1f} s", flush=True)
            yield folder
        finally:
            subprocess.run([THROWAWAY, "stop", folder], stdin=subprocess.DEVNULL)
            left = processes_below(folder)
            if left:
                sys.exit("left running: " + "; ".join(left))


class RunInSlurm(GoldenTest):
    folder = None  # of the throw-away Slurm

    def setUp(self):
        super().setUp()
        # Of the surroundings nothing that Slurm reads.
        self.work.environment = {k: v for k, v in self.work.environment.items()
                                 if not k.startswith(("SLURM", "SBATCH", "SRUN", "PMI"))}
        self.work.environment["SLURM_CONF"] = str(self.folder / "slurm.conf")

    def test_a_deck_gives_a_report_and_a_result_file(self):
        job = Job(self.work, "run", DECK, "--ntasks-per-node=3")

        self.assertEqual(("COMPLETED", 0, 0), job.wait(), job.err())
        self.assertEqual([RESULT], job.files())
        self.assertTrue(job.out().startswith("GPT 22B on 8 A100"), job.out())
        self.assertIn("on 3 processes", job.out())
        self.assertIn("Stitching proof passed", job.err())

    def test_options_reach_the_program_and_standard_output_is_one_json_object(self):
        job = Job(self.work, "run", DECK, "--ntasks-per-node=2",
                  "--json --set emulation.iterations=2")

        self.assertEqual(("COMPLETED", 0, 0), job.wait(), job.err())
        report = json.loads(job.out())
        self.assertEqual(2, report["iterations"])
        self.assertEqual(2, report["host_ranks"])

    def test_four_tasks_of_srun_give_the_bits_of_a_run_alone(self):
        self.work.succeed(f"prismllm run {PERTURBED_DECK} -o alone.h5")
        self.work.succeed(f"timeout {COMMAND_LIMIT_S} srun --mpi=pmix -n 4 "
                          f"prismllm run {PERTURBED_DECK} -o four.h5")

        alone, four = content(self.work.path("alone.h5")), content(self.work.path("four.h5"))
        self.assertEqual([], differences(alone, four))
        self.assertGreater(len(alone), 20)

    def test_a_bad_deck_ends_the_job_before_srun(self):
        job = Job(self.work, "run", self.work.write("bad.toml", "schema_version = 1\n[oops]\n"))

        self.assertEqual(("FAILED", BAD_DECK, 0), job.wait(), job.err())
        self.assertIn("oops", job.err())
        self.assertNotIn("srun", job.err())
        self.assertEqual([], job.files())

    def test_a_value_that_only_the_run_refuses_keeps_its_exit_code(self):
        job = Job(self.work, "run", DECK, "--ntasks-per-node=2", "--set emulation.iterations=-1")

        self.assertEqual(("FAILED", BAD_DECK, 0), job.wait(), job.err())
        self.assertEqual([], job.files())

    def test_a_job_without_a_deck_says_how_to_name_one(self):
        job = Job(self.work, "run", "")

        self.assertEqual(("FAILED", 2, 0), job.wait(), job.err())
        self.assertIn("DECK=my.toml sbatch", job.err())

    def test_a_srun_that_launches_nothing_and_ends_with_0_fails_the_job(self):
        # Slurm does so where the socket of a job's first life is still there in its second; a
        # stand-in does so always.
        self.work.add_tool("srun", "echo stand-in >&2\n")
        job = Job(self.work, "run", DECK, "--ntasks-per-node=2")

        self.assertEqual(("FAILED", SYSTEM, 0), job.wait(), job.err())
        self.assertIn("stand-in", job.err())
        self.assertIn("no task was launched", job.err())

    def test_the_warning_before_the_end_of_the_time_interrupts_the_job(self):
        # The script asks for USR1 60 s before the end: with a minute of time, at Slurm's next
        # look at running jobs, which it takes every 30 s.
        job = Job(self.work, "run", PERTURBED_DECK, "--ntasks-per-node=1 --time=1", ENDLESS)

        self.assertEqual(("FAILED", INTERRUPTED, 0), job.wait(), job.err())
        self.assertIn("interrupted", job.err())
        self.assertIn("ask for more time", job.err())
        self.assertEqual([], job.files())

    def test_a_signal_to_the_tasks_interrupts_the_job(self):
        job = Job(self.work, "run", PERTURBED_DECK, "--ntasks-per-node=3", ENDLESS)
        job.wait_until_emulating(3)

        self.work.succeed(f"timeout {COMMAND_LIMIT_S} scancel --signal=USR1 {job.number}")

        self.assertEqual(("FAILED", INTERRUPTED, 0), job.wait(), job.err())
        self.assertIn("interrupted", job.err())
        self.assertEqual([], job.files())

    def test_a_canceled_job_ends_as_a_whole_and_leaves_no_file(self):
        job = Job(self.work, "run", PERTURBED_DECK, "--ntasks-per-node=3", ENDLESS)
        job.wait_until_emulating(3)

        self.work.succeed(f"timeout {COMMAND_LIMIT_S} scancel {job.number}")

        self.assertEqual("CANCELLED", job.wait()[0], job.err())
        deadline = time.monotonic() + JOB_LIMIT_S
        while cpu_ticks(job.number) and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual([], cpu_ticks(job.number))
        self.assertEqual([], job.files())


def end_early(number, _frame):
    for ending in ENDINGS:
        signal.signal(ending, signal.SIG_IGN)
    print(f"ended by signal {number} (the test's own limit is {TEST_LIMIT_S} s)", flush=True)
    raise KeyboardInterrupt  # the one exception that unittest passes on


if __name__ == "__main__":
    for ending_signal in ENDINGS:
        signal.signal(ending_signal, end_early)
    signal.alarm(TEST_LIMIT_S)
    with throwaway_slurm() as slurm_folder:
        RunInSlurm.folder = slurm_folder
        main()
