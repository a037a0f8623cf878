#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""The lint rules themselves are tested: a small good tree passes, and each bad sample is caught."""

import pathlib
import shutil
import tempfile
import unittest

import spack_rules
import text_rules
from run_lint import RULES
from source_tree import Finding, Skipped, SourceTree

HERE = pathlib.Path(__file__).resolve().parent
SPDX = ("SPDX-FileCopyrightText: 2026 The PrismLLM authors", "SPDX-License-Identifier: Apache-2.0")
CPP_HEAD = "".join(f"// {line}\n" for line in SPDX)
HASH_HEAD = "".join(f"# {line}\n" for line in SPDX)
LATER, NEVER = "TO" + "DO", "FIX" + "ME"  # in pieces, for the rule reads this file too

GOOD_TREE = {
    "CMakeLists.txt": HASH_HEAD + "cmake_minimum_required(VERSION 3.22)\n"
                      "project(PrismLLM VERSION 0.1.0)\noption(BUILD_SHARED_LIBS \"Shared\" ON)\n",
    "CITATION.cff": "version: 0.1.0\n",
    "README.md": "# House\n\nSee [the page](docs/page.md#two-words) and `[no](link.md)`.\n"
                 "Run inputs/decks/a.toml.\n",
    "tests/data/SOURCES.md": "- `tiny.csv`: written by hand\n- `old/`: by version 0.1.0\n",
    "tests/data/tiny.csv": "1\n",
    "tests/data/old/graph.h5": "1\n",
    "docs/index.md": "[page](page.md), [all of the reference](reference)\n",
    "docs/page.md": "# Two words\n\n```sh\n[not](a_link.md)\n```\n\n[home](../README.md)\n",
    "docs/reference/changelog.md": "# Changelog\n\n## 0.1.0 (unreleased)\n",
    "inputs/decks/a.toml": HASH_HEAD + "include = [\n  \"../models/m.toml\",\n]\n",
    "inputs/models/m.toml": HASH_HEAD,
    "src/cmake/layers.txt": "base\ntarget base\nstore base\ncli base target\n"
                            "<fmt/*.h> src include\n<hdf5*.h> src/store\n"
                            "<mpi.h> src/store/parallel_file.cpp\n",
    "src/cmake/PrismllmDependencies.cmake": HASH_HEAD + "find_package(MPI 3.0 REQUIRED)\n"
        "pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc>=2.7)\n"
        "if(BUILD_TESTING)\n    find_package(GTest REQUIRED)\nendif()\n",
    "src/base/CMakeLists.txt": HASH_HEAD + "prismllm_room(base SOURCES a.cpp ROOMS)\n",
    "src/target/CMakeLists.txt": HASH_HEAD + "prismllm_room(target SOURCES t.cpp ROOMS base)\n",
    "src/store/CMakeLists.txt": HASH_HEAD + "prismllm_room(store SOURCES s.cpp ROOMS base)\n",
    "src/cli/CMakeLists.txt": HASH_HEAD + "add_executable(prismllm main.cpp)\n",
    "include/prismllm/base/a.hpp": CPP_HEAD + "#pragma once\n\n#include <fmt/format.h>\n",
    "include/prismllm/target/t.hpp": CPP_HEAD + "#pragma once\n\n"
                                     "#include \"prismllm/base/a.hpp\"\n",
    "src/target/part.hpp": CPP_HEAD + "#pragma once\n",
    "src/target/t.cpp": CPP_HEAD + "#include \"prismllm/target/t.hpp\"\n\n#include <vector>\n\n"
                        "#include \"part.hpp\"\n",
    "src/store/parallel_file.cpp": CPP_HEAD + "#include <hdf5.h>\n#include <mpi.h>\n",
    "spack/envs/cpu/spack.yaml": HASH_HEAD + "repos: $env/../../spack_repo/prismllm\n",
    "spack/spack_repo/prismllm/repo.yaml": HASH_HEAD,
    spack_rules.RECIPE: HASH_HEAD + """\
from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Prismllm(CMakePackage):
    license("Apache-2.0")
    version("main")
    version("0.1.0")
    variant("shared", default=True)
    depends_on("cmake@3.22:", type="build")
    depends_on("mpi@3.0:")
    depends_on("hwloc@2.7:")
    depends_on("googletest", type="test")

    def cmake_args(self):
        return [self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
                self.define("BUILD_TESTING", self.run_tests)]
""",
}


def recipe_with(old, new):
    text = GOOD_TREE[spack_rules.RECIPE]
    assert old in text
    return {spack_rules.RECIPE: text.replace(old, new)}


def source(text):
    return {"src/target/t.cpp": CPP_HEAD + text}


# (rule, what is wrong, files over the good tree, words of the finding)
SAMPLES = [
    ("layers", "a room includes one above it",
     {"src/base/a.cpp": CPP_HEAD + "#include \"prismllm/target/t.hpp\"\n"},
     "base may not include room target"),
    ("layers", "a public header includes a room beside it",
     {"include/prismllm/store/s.hpp": CPP_HEAD + "  #  include \"prismllm/target/t.hpp\"\n"},
     "store may not include room target"),
    ("layers", "a header that does not exist", source("#include \"prismllm/base/gone.hpp\"\n"),
     "does not exist"),
    ("layers", "a private header of another room",
     {"src/cli/main.cpp": CPP_HEAD + "#include \"../target/part.hpp\"\n"}, "another place"),
    ("layers", "a public header with a private one",
     {"include/prismllm/target/t.hpp": CPP_HEAD + "#include \"part.hpp\"\n"}, "public header"),
    ("layers", "our header in angle brackets", source("#include <prismllm/base/a.hpp>\n"),
     "in quotes"),
    ("layers", "a room without a row", {"src/attic/a.cpp": CPP_HEAD}, "has no row"),
    ("layers", "a table with a cycle",
     {"src/cmake/layers.txt": "base target\ntarget base\nstore base\ncli base target\n"},
     "not a row above it"),
    ("fences", "hdf5.h outside store", source("#include <hdf5_hl.h>\n"), "by src/store only"),
    ("fences", "mpi.h in another file of store",
     {"src/store/other.cpp": CPP_HEAD + "#include <mpi.h>\n"}, "parallel_file.cpp only"),
    ("fences", "an external header nobody named", source("#include <boost/any.hpp>\n"),
     "has no row"),
    ("links", "a link against the table",
     {"src/base/CMakeLists.txt": HASH_HEAD + "prismllm_room(base SOURCES a.cpp ROOMS target)\n"},
     "base links target"),
    ("links", "an include without a link",
     {"src/target/CMakeLists.txt": HASH_HEAD + "prismllm_room(target SOURCES t.cpp ROOMS)\n"},
     "does not link"),
    ("definitions", "two types of one name",
     {"src/target/t.cpp": CPP_HEAD + "namespace a::b {\nstruct Row final {\n};\n"
      "}  // namespace a::b\n",
      "src/target/part.hpp": CPP_HEAD + "namespace a::b {\nnamespace {\nclass Own {\n};\n"
      "}  // namespace\nclass Row : public Base {\n};\n}  // namespace a::b\n"},
     "a::b::Row is defined in src/target/part.hpp:8 too"),
    ("spdx", "no license line", {"src/base/a.cpp": CPP_HEAD.split("\n")[0] + "\n\n"}, "SPDX"),
    ("spdx", "a script with a #! line and nothing after", {"tests/run.sh": "#!/bin/sh\necho\n"},
     "SPDX"),
    ("blanks", "a tab", source("int\ta;\n"), "tab"),
    ("blanks", "a blank at the end of a line", source("int a; \n"), "trailing"),
    ("blanks", "a letter outside ASCII", source("// caf\u00e9\n"), "ASCII"),
    ("blanks", "no newline at the end", source("int a;"), "newline"),
    ("blanks", "an empty line at the end", source("int a;\n\n"), "newline"),
    ("lengths", "a line of 101 columns", source("/" * 101 + "\n"), "101 columns"),
    ("lengths", "a file of 501 lines", source("//\n" * 499), "501 lines"),
    ("words", "a to-do of nobody", source(f"// {LATER}: later\n"), LATER),
    ("words", "unfinished business in a page", {"docs/page.md": f"# Two words\n{NEVER}\n"}, NEVER),
    ("names", "a file that says nothing", {"src/base/utils.hpp": CPP_HEAD}, "utils"),
    ("names", "a folder that says nothing", {"src/common/a.hpp": CPP_HEAD}, "common"),
    ("names", "a file name in capitals", {"src/base/Log.cpp": CPP_HEAD}, "snake_case"),
    ("page_links", "a link to nothing", {"docs/page.md": "# Two words\n[a](gone.md)\n"},
     "leads nowhere"),
    ("page_links", "a link to a heading that is not there",
     {"docs/page.md": "# Two words\n[a](../README.md#gone)\n"}, "no heading"),
    ("page_links", "an absolute link", {"docs/page.md": "# Two words\n[a](/README.md)\n"},
     "absolute"),
    ("page_links", "a link out of the tree", {"README.md": "[a](../outside.md)\n"}, "leaves"),
    ("reachable", "a page nobody links to", {"docs/lost.md": "# Lost\n"}, "lost.md: cannot be"),
    ("shell", "a script that does not parse",
     {"tests/run.sh": "#!/bin/sh\n" + HASH_HEAD + "if true; then\n"}, "syntax error"),
    ("pages", "a source that names a page that is not there",
     source("// see docs/explanation/gone.md\n"), "gone.md does not exist"),
    ("decks", "a page that names a deck that is not there",
     {"docs/page.md": "# Two words\ninputs/decks/gone.toml\n"}, "gone.toml does not exist"),
    ("decks", "a deck with a piece that is not there",
     {"inputs/decks/a.toml": HASH_HEAD + "include = [\"../models/gone.toml\"]\n"}, "gone.toml"),
    ("fixtures", "a fixture of unknown origin", {"tests/data/graph.h5": "x"}, "how it was made"),
    ("fixtures", "a large fixture", {"tests/data/big.csv": "x" * (256 * 1024 + 1)}, "262145 bytes"),
    ("spack", "a recipe that is not Python", recipe_with("class", "klass"), "does not run"),
    ("spack", "an unknown directive", recipe_with("license(", "licence("), "does not run"),
    ("spack", "an option CMake does not have", recipe_with("BUILD_SHARED", "BUILD_CHAIRED"),
     "no option of CMake"),
    ("spack", "a variant that is not declared", recipe_with('S", "shared"', 'S", "static"'),
     "not declared"),
    ("spack", "a new option the recipe does not set",
     {"CMakeLists.txt": GOOD_TREE["CMakeLists.txt"] + "option(PRISMLLM_NEW \"New\" ON)\n"},
     "PRISMLLM_NEW of CMake is not set"),
    ("spack", "a dependency left out", recipe_with('    depends_on("mpi@3.0:")\n', ""),
     "\"mpi\") is missing"),
    ("spack", "an older version than CMake takes", recipe_with("hwloc@2.7:", "hwloc@2.1:"),
     "does not ask for the 2.7"),
    ("spack", "a dependency nothing looks for", recipe_with("hwloc@2.7:", "hwloc@2.7:\")\n"
     "    depends_on(\"boost"), "no such package"),
    ("spack", "a test dependency for everyone", recipe_with('"googletest", type="test"',
     '"googletest"'), "needed by tests only"),
    ("spack", "an environment that finds no recipe",
     {"spack/envs/cpu/spack.yaml": HASH_HEAD + "repos: $env/../spack_repo\n"},
     "no package repository"),
    ("versions", "a citation left behind", {"CITATION.cff": "version: 0.0.9\n"}, "is at 0.0.9"),
    ("versions", "a changelog without a version",
     {"docs/reference/changelog.md": "# Changelog\n"}, "names no version"),
]


def write_tree(root, files):
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


class Rules(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="prismllm-lint-")
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        write_tree(self.root, GOOD_TREE)

    def findings(self, rule):
        return [str(f) for f in RULES[rule](SourceTree(self.root))]

    def test_the_good_tree_passes_every_rule_but_format(self):
        for rule in sorted(set(RULES) - {"format"}):
            with self.subTest(rule=rule):
                self.assertEqual(self.findings(rule), [])

    def test_each_bad_sample_is_caught_by_its_rule(self):
        for rule, wrong, files, words in SAMPLES:
            with self.subTest(rule=rule, wrong=wrong):
                write_tree(self.root, files)
                found = self.findings(rule)
                self.assertTrue(any(words in text for text in found), found)
                for path in files:
                    (self.root / path).unlink()
                write_tree(self.root, GOOD_TREE)

    def test_every_rule_has_a_sample(self):
        sampled = {rule for rule, *_ in SAMPLES} | {"format"}
        self.assertEqual(sampled, set(RULES))

    def test_unformatted_code_is_caught_where_clang_format_14_is(self):
        try:
            text_rules.find_clang_format()
        except Skipped as reason:
            self.skipTest(str(reason))
        shutil.copy(HERE.parents[1] / ".clang-format", self.root)

        self.assertEqual(self.findings("format"), [])
        write_tree(self.root, source("int  a  ;\n"))
        self.assertIn("src/target/t.cpp:3: not formatted", self.findings("format")[0])

    def test_a_numbered_to_do_passes(self):
        write_tree(self.root, source(f"// {LATER}(#12): later\n"))
        self.assertEqual(self.findings("words"), [])

    def test_a_finding_says_its_place(self):
        self.assertEqual(str(Finding("a.cpp", 3, "tab")), "a.cpp:3: tab")
        self.assertEqual(str(Finding("a.cpp", 0, "gone")), "a.cpp: gone")


if __name__ == "__main__":
    unittest.main()
