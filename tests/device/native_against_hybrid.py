#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""A rank trains natively on a device and then as the real rank of an emulation: iteration time and
peak memory must agree.

    native_against_hybrid.py PRISMLLM [--device cuda] [--deck DECK] [--tolerance 0.1]

Exit status 1 if they do not. Durations of the emulation are those that the kernels take while it
runs, so what a native iteration takes beside its kernels shows as a difference.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def call(arguments, settings):
    command = ["mpirun", "-np", "1", *arguments]
    for setting in settings:
        command += ["--set", setting]
    environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1",
                                "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nexit code {done.returncode}\n{done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("prismllm")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--deck", default=str(HERE / "one_gpu.toml"))
    parser.add_argument("--tolerance", type=float, default=0.1)
    options = parser.parse_args()
    settings = [f"native.device={options.device}", "native.steps=8"]
    with tempfile.TemporaryDirectory() as folder:
        costs = f"{folder}/costs.h5"
        program = [options.prismllm, "-q"]
        native = json.loads(call([*program, "native", options.deck, "--json"], settings))
        call([*program, "slice", options.deck, "--measure", "-o", costs], settings)
        hybrid = json.loads(call(
            [*program, "run", options.deck, "--json", "--costs", costs, "-o", f"{folder}/r.h5"],
            [*settings, "emulation.real_ranks=[0]", "emulation.real_durations=measured",
             "emulation.iterations=8"]))
        slices = json.loads(call([*program, "run", options.deck, "--json", "--costs", costs,
                                  "-o", f"{folder}/v.h5"], settings))
    seconds = statistics.median(native["step_wall_s"][1:])
    rows = [("native", seconds, native["peak_memory_bytes"][0]),
            ("real rank, measured while it runs", hybrid["iteration_time_median_s"],
             hybrid["real_ranks"][0]["peak_allocated_bytes"]),
            ("virtual rank, medians of its kernels", slices["iteration_time_median_s"],
             slices["peak_memory_bytes"])]
    print(f"{'':38}{'iteration':>12}{'against native':>16}{'peak memory':>16}")
    for name, time, peak in rows:
        print(f"{name:38}{time * 1e3:9.3f} ms{100 * (time / seconds - 1):+14.1f} %{peak:14,} B")
    print("longest kernels of the virtual rank (time a step, calls):")
    kernels = [row for row in slices["provenance"]["coverage"] if not row["communication"]]
    for row in sorted(kernels, key=lambda row: -row["time_s_per_rank"])[:12]:
        print(f"  {row['name']:28}{row['time_s_per_rank'] * 1e3:10.3f} ms"
              f"{row['calls_per_rank']:8.0f}")
    apart = max(abs(a - b) for a, b in zip(native["losses"], hybrid["losses"]))
    print(f"losses apart by at most {apart:.2e}")
    ok = (len({peak for _, _, peak in rows}) == 1 and apart < 1e-2 and
          all(abs(time / seconds - 1) <= options.tolerance for _, time, _ in rows))
    print("they agree" if ok else f"they DIFFER (allowed: {options.tolerance:.0%} in time)")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
