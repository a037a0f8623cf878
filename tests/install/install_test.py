#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""Install the build, move the installed tree, and use it from there as a stranger would.

    install_test.py --cmake CMAKE --build DIR --version X.Y.Z [--compiler CXX] [--flags FLAGS]
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SETTINGS = None  # the command line, filled by main


def run(*command, environment=None, status=0, folder=None):
    """Output of a command, stdout and stderr together. Any other exit status fails the test."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, env=environment, cwd=folder)
    if (done.returncode == 0) != (status == 0):
        raise AssertionError(f"{' '.join(map(str, command))} ended with {done.returncode}:\n"
                             f"{done.stdout}")
    return done.stdout


class InstalledTree(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="prismllm-install-")
        cls.addClassCleanup(cls.folder.cleanup)
        top = pathlib.Path(cls.folder.name)
        run(SETTINGS.cmake, "--install", SETTINGS.build, "--prefix", top / "first")
        (top / "elsewhere").mkdir()
        cls.prefix = (top / "first").rename(top / "elsewhere" / "second")
        cls.work = top

    def configure(self, name, version, components):
        return ["-S", HERE / "consumer", "-B", self.work / name, "-DCMAKE_BUILD_TYPE=Release",
                f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_COMPILER={SETTINGS.compiler}",
                f"-DCMAKE_CXX_FLAGS={SETTINGS.flags}", f"-DWANTED_VERSION={version}",
                f"-DWANTED_COMPONENTS={components}"]

    def test_the_program_runs_from_where_it_was_moved(self):
        environment = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}

        output = run(self.prefix / "bin/prismllm", "--version", environment=environment)

        self.assertIn(SETTINGS.version, output)

    def test_examples_of_help_texts_find_the_installed_decks(self):
        program = self.prefix / "bin/prismllm"
        empty = self.work / "empty"
        empty.mkdir()
        examples = re.findall(r"^  prismllm (check .*)$", run(program, "check", "--help"), re.M)
        self.assertTrue(examples)

        checked = run(program, *examples[0].split(), folder=empty)
        trained = run(program, *"native inputs/decks/tiny/gpt.toml --set native.steps=2".split(),
                      folder=empty)
        refused = run(program, "check", "inputs/decks/missing.toml", folder=empty, status=1)

        # A deck whose pieces lie beside it, and a text that one names; where each is is told.
        self.assertIn("Stitching proof passed", checked)
        self.assertIn(f"{self.prefix}/share/prismllm/inputs/decks/", checked)
        self.assertIn("2 steps", trained)
        self.assertIn("cannot read deck file inputs/decks/missing.toml", refused)
        self.assertEqual([], list(empty.iterdir()))

    def test_a_deck_of_that_name_at_hand_comes_first(self):
        program = self.prefix / "bin/prismllm"
        own = self.work / "own/inputs/decks"
        own.mkdir(parents=True)
        (own / "llama3.1_405b_h100_8192.toml").write_text("schema_version = 7\n")

        refused = run(program, "check", "inputs/decks/llama3.1_405b_h100_8192.toml",
                      folder=self.work / "own", status=1)

        self.assertIn("schema_version 7 is unknown", refused)

    def test_a_consumer_finds_links_and_runs_two_rooms(self):
        run(SETTINGS.cmake, *self.configure("consumer", SETTINGS.version, "graph;target"))
        run(SETTINGS.cmake, "--build", self.work / "consumer")

        output = run(self.work / "consumer/consumer")

        self.assertEqual(output, "cp 16-31\n")

    def test_a_component_that_is_not_there_is_named(self):
        output = run(SETTINGS.cmake, *self.configure("component", SETTINGS.version, "attic"),
                     status=1)

        self.assertIn("PrismLLM has no component attic", " ".join(output.split()))

    def test_another_minor_version_is_refused(self):
        major, minor, _ = SETTINGS.version.split(".")
        wanted = f"{major}.{int(minor) + 1}"

        output = run(SETTINGS.cmake, *self.configure("version", wanted, "graph"), status=1)

        self.assertIn(f'compatible with requested version "{wanted}"', " ".join(output.split()))

    def test_everything_a_site_needs_is_in_its_place(self):
        source = HERE.parents[1]
        share = self.prefix / "share"
        expected = [share / "prismllm" / deck.relative_to(source)
                    for deck in (source / "inputs").rglob("*.toml")]
        expected += [share / "modulefiles/prismllm" / SETTINGS.version]
        expected += [self.prefix / header.relative_to(source)
                     for header in (source / "include").rglob("*.hpp")]

        missing = [str(path) for path in expected if not path.is_file()]

        self.assertEqual(missing, [])

    def test_no_installed_file_names_the_build_or_the_first_prefix(self):
        texts = [p for p in self.prefix.rglob("*")
                 if p.suffix in (".cmake", ".sh", ".sbatch") or "modulefiles" in p.parts]
        programs = [self.prefix / "bin/prismllm", *self.prefix.glob("lib*/**/*.so")]
        forbidden = (str(SETTINGS.build), str(self.work / "first"))

        naming = [str(p) for p in texts if p.is_file()
                  and any(word in p.read_text() for word in forbidden)]
        naming += [str(p) for p in programs
                   if any(word in self.run_path(p) for word in forbidden)]

        self.assertEqual(naming, [])

    def run_path(self, program):
        readelf = shutil.which("readelf")
        if not readelf:
            self.skipTest("readelf (binutils) is needed to see a run path")
        return "".join(re.findall(r"R(?:UN)?PATH.*", run(readelf, "-d", program)))

    def test_the_module_file_points_at_the_moved_tree(self):
        tclsh = shutil.which("tclsh")
        if not tclsh:
            self.skipTest("tclsh is needed to read a module file")
        module = self.prefix / "share/modulefiles/prismllm" / SETTINGS.version
        reader = self.work / "reader.tcl"
        reader.write_text("proc module-whatis args {}\nproc conflict args {}\n"
                          "proc setenv {name value} {puts \"$name=$value\"}\n"
                          "proc prepend-path {name value} {puts \"$name+=$value\"}\n"
                          f"set ModulesCurrentModulefile {module}\nsource {module}\n"
                          "ModulesHelp\n")

        output = run(tclsh, reader).splitlines()

        self.assertIn(f"PRISMLLM_ROOT={self.prefix}", output)
        self.assertIn(f"PATH+={self.prefix}/bin", output)
        self.assertTrue(any(SETTINGS.version in line for line in output))


def main():
    global SETTINGS
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--flags", default="", help="C++ flags the consumer needs too")
    SETTINGS = parser.parse_args()
    return 0 if unittest.main(argv=sys.argv[:1], exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
