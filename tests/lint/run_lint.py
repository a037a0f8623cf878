#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""Check one rule of the house, or all of them, on a source tree.

    run_lint.py [--root DIR] [RULE...]     exit 0 clean, 1 findings, 77 cannot be checked here
"""

import argparse
import pathlib
import sys

import definition_rules
import layer_rules
import page_rules
import spack_rules
import text_rules
from source_tree import SKIPPED_REASON_RC, Skipped, SourceTree, finish

RULES = {
    "layers": layer_rules.check_layers,
    "fences": layer_rules.check_fences,
    "links": layer_rules.check_links,
    "definitions": definition_rules.check_definitions,
    "spdx": text_rules.check_spdx,
    "blanks": text_rules.check_blanks,
    "lengths": text_rules.check_lengths,
    "words": text_rules.check_words,
    "names": text_rules.check_names,
    "shell": text_rules.check_shell,
    "format": text_rules.check_format,
    "page_links": page_rules.check_links,
    "reachable": page_rules.check_reachable,
    "pages": page_rules.check_pages,
    "decks": page_rules.check_decks,
    "fixtures": page_rules.check_fixtures,
    "spack": spack_rules.check_recipe,
    "versions": spack_rules.check_versions,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("rules", nargs="*", metavar="RULE", help=", ".join(RULES))
    arguments = parser.parse_args()
    unknown = set(arguments.rules) - set(RULES)
    if unknown:
        parser.error(f"unknown rule {', '.join(sorted(unknown))}. Known: {', '.join(RULES)}")
    tree = SourceTree(arguments.root)
    status = 0
    for name in arguments.rules or RULES:
        try:
            status = max(status, finish(RULES[name](tree), name))
        except Skipped as reason:
            print(f"{name}: skipped, {reason}")
            if len(arguments.rules) == 1:
                return SKIPPED_REASON_RC
    return status


if __name__ == "__main__":
    sys.exit(main())
