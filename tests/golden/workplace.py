# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""A temporary folder in which the program is run as a user would type it.

The folder shows the checkout's `inputs` and `tests` and has `prismllm` and `mpirun` on its PATH,
so that command lines of help texts and pages work in it unchanged.
"""

import argparse
import contextlib
import os
import pathlib
import re
import shlex
import signal
import subprocess
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77  # exit status that ctest shows as skipped

# For a machine that does ten other things; a job that hangs must not wait much longer.
LIMIT_S = 240

# What differs from machine to machine and from run to run. Results are not among it.
VARIABLE_TEXT = (
    (re.compile(r"prismllm \d+\.\d+\.\d+"), "prismllm VERSION"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "DATE"),
    (re.compile(r"slicing [\d.]+ s, engine [\d.]+ s, total [\d.]+ s"),
     "slicing WALL s, engine WALL s, total WALL s"),
    (re.compile(r'"((?:slicing|engine|total)_wall_s|state_bytes_per_participant)": [\d.e+-]+'),
     r'"\1": WALL'),
    (re.compile(r"^((?:version|git|compiler|build_type|sanitizers|checks|mpi|hdf5|hwloc|cuda) +)"
                r"\S.*$", re.M), r"\1BUILD"),
)
# Open MPI tells in such blocks that a process failed, and how to quiet it.
LAUNCHER_TEXT = re.compile(r"^-{70,}\n(?:.*\n)*?-{70,}\n", re.M)


class Outcome:
    """What a command left: exit status, stdout, stderr without the launcher's own words."""

    def __init__(self, status, out, err, seconds):
        self.status = status
        self.out = out
        self.err = LAUNCHER_TEXT.sub("", err)
        self.seconds = seconds

    def __str__(self):
        return (f"status {self.status} after {self.seconds:.1f} s\n"
                f"--- stdout\n{self.out[-3000:]}\n--- stderr\n{self.err[-3000:]}")


def same_everywhere(text, folder):
    """The text without paths, versions and wall times."""
    text = text.replace(str(folder), "WORK")
    for pattern, replacement in VARIABLE_TEXT:
        text = pattern.sub(replacement, text)
    return text


class Workplace:
    """The temporary folder; see above."""

    def __init__(self, folder, settings):
        self.folder = pathlib.Path(folder)
        self.settings = settings
        (self.folder / "inputs").symlink_to(settings.source / "inputs")
        (self.folder / "tests").symlink_to(settings.source / "tests")
        tools = self.folder / "bin"
        tools.mkdir()
        (tools / "prismllm").symlink_to(settings.prismllm.resolve())
        launch = shlex.join([str(settings.mpiexec), *settings.mpiexec_flags])
        self.add_tool("mpirun", f'exec {launch} "$@"\n')
        self.environment = {
            k: v for k, v in os.environ.items() if not k.startswith(("PRISMLLM_", "OMPI_COMM"))}
        self.environment.update(
            PATH=f"{tools}:{os.environ['PATH']}", PRISMLLM_BIND="none", LC_ALL="C")

    def add_tool(self, name, script):
        tool = self.folder / "bin" / name
        tool.write_text("#!/bin/bash\n" + script, encoding="utf-8")
        tool.chmod(0o755)

    def path(self, name):
        return self.folder / name

    def write(self, name, text):
        self.path(name).write_text(text, encoding="utf-8")
        return name

    def start(self, command, **options):
        """A command of bash, in a session of its own so that all of it can be ended."""
        return subprocess.Popen(
            ["bash", "-c", command], cwd=self.folder, env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True, **options)

    def finish(self, process, begin, limit_s=LIMIT_S):
        """Wait for a started command; one that does not end is ended and fails the test."""
        try:
            out, err = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise AssertionError(f"{process.args[-1]}\nstill runs after {limit_s} s") from None
        return Outcome(process.returncode, out.decode("utf-8", "replace"),
                       err.decode("utf-8", "replace"), time.monotonic() - begin)

    def run(self, command, limit_s=LIMIT_S):
        begin = time.monotonic()
        return self.finish(self.start(command), begin, limit_s)

    def succeed(self, command, limit_s=LIMIT_S):
        """Outcome of a command that has to end with status 0."""
        outcome = self.run(command, limit_s)
        if outcome.status != 0:
            raise AssertionError(f"{command}\n{outcome}")
        return outcome


@contextlib.contextmanager
def workplace(settings):
    # A short name: Open MPI puts sockets below TMPDIR, and their paths have a limit.
    with tempfile.TemporaryDirectory(prefix="pg-") as folder:
        yield Workplace(os.path.realpath(folder), settings)


def add_arguments(parser):
    parser.add_argument("--prismllm", required=True, type=pathlib.Path, help="the program")
    parser.add_argument("--mpiexec", required=True, help="launcher of MPI jobs")
    parser.add_argument("--mpiexec-flags", default="", type=lambda text: text.split(),
                        help="its flags, separated by blanks")
    parser.add_argument("--source", default=HERE.parent.parent, type=pathlib.Path,
                        help="checkout (default: of this file)")


class GoldenTest(unittest.TestCase):
    """A test that has a workplace; `main` fills the settings."""

    settings = None

    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.work = stack.enter_context(workplace(self.settings))

    def assert_fails(self, command, status, *words):
        """The command ends with this status and one error that has all these words."""
        outcome = self.work.run(command)
        self.assertEqual(status, outcome.status, f"{command}\n{outcome}")
        for word in words:
            self.assertIn(word, outcome.err, command)
        return outcome


def main():
    """Run the tests of the calling file with the settings of the command line."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    GoldenTest.settings, rest = parser.parse_known_args()
    unittest.main(argv=["golden", *rest], verbosity=2)
