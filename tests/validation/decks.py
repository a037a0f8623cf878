#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""Predicted against published iteration time, for every deck of inputs/decks.

    decks.py PRISMLLM [--limit PERCENT] [DECK...]

Nothing is fitted here: a deck holds what its source says of the job, the device and cluster
files hold what was measured on kernels and collectives. Exit code 1 when a deck fails to run.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile


def run(program, deck, folder):
    done = subprocess.run(
        [program, "run", str(deck), "--json", "--run-dir", folder],
        capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"{deck.stem}: exit code {done.returncode}\n{done.stderr}")
        return None
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("decks", nargs="*", type=pathlib.Path)
    parser.add_argument("--limit", type=float, default=25.0, help="percent, marks rows beyond")
    options = parser.parse_args()
    top = pathlib.Path(__file__).resolve().parents[2]
    decks = options.decks or sorted((top / "inputs" / "decks").glob("*.toml"))
    errors, failed = [], 0
    print(f"{'deck':36s} {'GPUs':>6s} {'predicted s':>12s} {'published s':>12s} {'error':>8s}")
    with tempfile.TemporaryDirectory() as folder:
        for deck in decks:
            report = run(options.program, deck, folder)
            if report is None:
                failed += 1
                continue
            row = report["published"].get("iteration_time_s")
            if row is None:
                print(f"{deck.stem:36s} {report['world_size']:6d} "
                      f"{report['iteration_time_s']:12.3f} {'-':>12s} {'-':>8s}")
                continue
            error = 100 * row["error"]
            errors.append(abs(error))
            mark = "  beyond the limit" if abs(error) > options.limit else ""
            origin = "  from its FLOP rate" if row["derived"] else ""
            print(f"{deck.stem:36s} {report['world_size']:6d} {row['predicted']:12.3f} "
                  f"{row['published']:12.3f} {error:+7.1f}%{origin}{mark}")
    if errors:
        within = sum(e <= options.limit for e in errors)
        print(f"{len(errors)} compared: mean {statistics.mean(errors):.1f} %, median "
              f"{statistics.median(errors):.1f} %, max {max(errors):.1f} %; "
              f"{within} within {options.limit:.0f} %")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
