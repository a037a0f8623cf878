#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""Real ranks among virtual ones: how far from native runs, and at what price.

    hybrid.py PRISMLLM [virtual] [scale] [wall]      (default: all three)

First, tiny jobs cut in many ways: a native run of all ranks, then an emulation for every choice of
one or two real ranks, compared with `prismllm compare`. With modelled durations, and with measured
ones that both take from one graph. Then one real rank of 8,192: memory of its process against a
native run, time until the first step, and what a call costs beside its kernels. Last, the clock of
the wall: two ranks natively against one of them beside a virtual one that replays what a native run
took, in turn, with another native run for the noise. Exit code 1 when anything differs on the
virtual clock.
"""
import itertools
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
TINY = TOP / "inputs/decks/tiny"
# deck, tensor, pipeline, data, other settings
CUTS = [
    ("gpt", 2, 1, 1, []),
    ("gpt", 2, 1, 1, ["parallel.sequence_parallel=true"]),
    ("llama", 1, 2, 1, []),
    ("gpt", 1, 2, 1, ["parallel.virtual_pipeline=2"]),
    ("gpt", 1, 1, 2, []),
    ("llama", 1, 1, 2, ["parallel.zero_stage=1", "parallel.overlap_grad_reduce=true",
                        "parallel.overlap_param_gather=true"]),
    ("gpt", 2, 2, 1, ["parallel.sequence_parallel=true", "training.recompute=full"]),
    ("llama", 2, 1, 2, ["parallel.zero_stage=1"]),
    ("gpt", 1, 2, 2, ["training.hidden_dropout=0.1"]),
    ("gpt", 1, 4, 1, []),
    ("llama", 1, 2, 2, ["training.precision=bf16"]),
    ("gpt", 2, 2, 2, ["parallel.virtual_pipeline=2", "parallel.zero_stage=1"]),
    ("llama", 2, 2, 2, ["parallel.sequence_parallel=true"]),
]
# Two ranks each; what they take is the wall's to say.
WALL_CUTS = [
    ("gpt", ["parallel.tensor_parallel=2"]),
    ("gpt", ["parallel.pipeline_parallel=2"]),
    ("gpt", []),
    ("llama", ["parallel.tensor_parallel=2", "parallel.sequence_parallel=true"]),
    ("llama", ["parallel.pipeline_parallel=2", "parallel.virtual_pipeline=2"]),
    ("llama", ["parallel.zero_stage=1"]),
]
ENVIRONMENT = os.environ | {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_btl": "self,vader", "OMPI_MCA_pml": "ob1", "OMPI_MCA_mpi_yield_when_idle": "1",
}


class Bench:
    def __init__(self, program, folder):
        self.program = program
        self.folder = pathlib.Path(folder)

    def call(self, arguments, processes=1, settings=(), wrapper=()):
        command = ["mpirun", "-np", str(processes)] if processes > 1 else []
        command += [*wrapper, self.program, "-q", *arguments]
        for setting in settings:
            command += ["--set", setting]
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              cwd=self.folder, env=ENVIRONMENT)
        if done.returncode not in (0, 6):
            sys.exit(f"{' '.join(command)}\nexit code {done.returncode}\n{done.stderr}")
        return done

    def difference(self):
        """Largest absolute differences in time (ps) and memory (bytes), and how many places."""
        compared = json.loads(self.call(["compare", "native.h5", "emulated.h5", "--json"]).stdout)
        rows = compared["differences"]
        largest = {unit: max([r["largest"] for r in rows if r["unit"] == unit], default=0)
                   for unit in ("ps", "byte")}
        return largest["ps"], largest["byte"], sum(r["places"] for r in rows)

    def fidelity(self, deck, tensor, pipeline, data, others, measured):
        world = tensor * pipeline * data
        deck = str(TINY / f"{deck}.toml")
        settings = [f"parallel.world_size={world}", f"parallel.tensor_parallel={tensor}",
                    f"parallel.pipeline_parallel={pipeline}", "native.steps=2",
                    "emulation.iterations=2", *others]
        costs = []
        if measured:
            self.call(["slice", deck, "--measure", "-o", "costs.h5"], 1, settings)
            costs = ["--costs", "costs.h5"]
        everybody = list(range(world))
        self.call(["native", deck, "-o", "native.h5", *costs], world,
                  [*settings, f"emulation.timeline_ranks={everybody}"])
        ps, size, places, choices = 0, 0, 0, 0
        for real in [*itertools.combinations(everybody, 1), *itertools.combinations(everybody, 2)]:
            proxies = 1 if len(real) < world else 0
            self.call(["run", deck, "-o", "emulated.h5", *costs], len(real) + proxies,
                      [*settings, f"emulation.real_ranks={list(real)}"])
            found = self.difference()
            ps, size = max(ps, found[0]), max(size, found[1])
            places, choices = places + found[2], choices + 1
        return world, choices, places, ps, size

    def fidelity_table(self):
        """True if anything differs."""
        differing = False
        print(f"{'job':44s} {'ranks':>5s} {'choices':>7s} {'places':>8s} {'most ps':>8s} "
              f"{'most bytes':>10s}")
        for measured in (False, True):
            for deck, tensor, pipeline, data, others in CUTS:
                if measured and tensor * pipeline * data > 4:
                    continue
                world, choices, places, ps, size = self.fidelity(
                    deck, tensor, pipeline, data, others, measured)
                short = [setting.split(".")[1].replace("parallel", "p") for setting in others]
                name = " ".join([deck, f"tp{tensor} pp{pipeline} dp{data}", *short])
                print(f"{'measured ' if measured else ''}{name}"[:44].ljust(44),
                      f"{world:5d} {choices:7d} {places:8d} {ps:8d} {size:10d}", flush=True)
                differing |= ps > 0 or size > 0
        return differing

    def peaks(self, arguments, settings):
        """Largest resident set of the last of two processes, KiB."""
        script = self.folder / "peak"
        script.write_text('#!/bin/sh\nexec /usr/bin/env python3 -c "import resource,subprocess,'
                          'sys,os;c=subprocess.call(sys.argv[1:]);open(\'peak.\'+os.environ['
                          "'OMPI_COMM_WORLD_RANK'],'w').write(str(resource.getrusage("
                          'resource.RUSAGE_CHILDREN).ru_maxrss));sys.exit(c)" "$@"\n')
        script.chmod(0o755)
        out = self.call(arguments, 2, settings, [str(script)]).stdout
        return int((self.folder / "peak.1").read_text()), out

    def scale(self):
        deck = str(TINY / "gpt.toml")
        one = ["parallel.tensor_parallel=2", "training.micro_batch_size=1"]
        big = [*one, "parallel.world_size=8192", "training.global_batch_size=16384",
               "emulation.real_ranks=[5]"]
        native, _ = self.peaks(["native", deck], [*one, "parallel.world_size=2",
                                                  "training.global_batch_size=4",
                                                  "native.steps=5"])
        hybrid, text = self.peaks(["run", deck, "--json"], [*big, "emulation.iterations=5"])
        print(f"process of one real rank: {hybrid} KiB among 8,191 virtual ones, {native} KiB "
              f"natively with one peer: {hybrid / native:.2f} times")
        runs = {}
        for steps in (1, 41):
            text = self.call(["run", deck, "--json", "-o", "emulated.h5"], 2,
                             [*big, f"emulation.iterations={steps}",
                              "emulation.real_durations=measured"]).stdout
            runs[steps] = json.loads(text)
        first, last = runs[1], runs[41]
        print(f"bootstrap and first step: {first['total_wall_s']:.2f} s")
        step = (last["engine_wall_s"] - first["engine_wall_s"]) / 40
        (rank,) = [r for r in last["slowest_ranks"] if r["rank"] == 5]
        clock = last["real_clock"]
        calls = sum(row["calls_per_rank"] for row in last["provenance"]["coverage"]
                    if row["communication"])
        print(f"a step: {1e3 * step:.2f} ms of wall time, {1e3 * rank['compute_s']:.2f} ms of it in "
              f"kernels; {calls:.0f} calls, so at most "
              f"{1e6 * (step - rank['compute_s']) / calls:.1f} us a call with all else")
        print(f"handing a call over to the proxies: "
              f"{1e6 * clock['handing_over_s'] / clock['handed_over']:.1f} us (mean of "
              f"{clock['handed_over']})")

    def wall(self, deck, others, rounds=6, steps=11):
        """Median iteration times in ms of each round: natively, natively again, emulated; what was
        late."""
        deck = str(TINY / f"{deck}.toml")
        settings = ["parallel.world_size=2", f"native.steps={steps}",
                    f"emulation.iterations={steps}", *others]
        native, again, emulated, clocks, factor = [], [], [], [], 1
        for _ in range(rounds):
            for times, more in ((native, ["--record", "costs.h5"]), (again, [])):
                run = json.loads(self.call(["native", deck, "--json", *more], 2, settings).stdout)
                factor = run.get("rank_factors", [1, factor])[1]
                times.append(1e3 * statistics.median(run["step_wall_s"]))
            # Cores are not equally fast: rank 1 is as slow as it was.
            slow = "emulation.slow_ranks=[{rank=1,factor=%.4f}]" % factor
            run = json.loads(self.call(
                ["run", deck, "--json", "-o", "emulated.h5", "--costs", "costs.h5"], 2,
                [*settings, "emulation.real_ranks=[0]", "emulation.clock=wall",
                 "emulation.real_durations=measured", slow]).stdout)
            emulated.append(1e3 * run["iteration_time_median_s"])
            clocks.append(run["real_clock"])
        return native, again, emulated, clocks

    def wall_table(self):
        print(f"{'two ranks, clock of the wall':34s} {'native ms':>9s} {'again':>8s} "
              f"{'emulated':>8s} {'late':>14s}")
        errors, noise = [], []
        for deck, others in WALL_CUTS:
            native, again, emulated, clocks = self.wall(deck, others)
            # The machine's speed drifts: what ran one after the other is compared.
            noise.append(100 * (statistics.median(b / a for a, b in zip(native, again)) - 1))
            errors.append(100 * (statistics.median(
                2 * c / (a + b) for a, b, c in zip(native, again, emulated)) - 1))
            middle = statistics.median(native + again)
            late, awaited = (sum(c[k] for c in clocks) for k in ("answers_late", "answers_awaited"))
            name = " ".join([deck, *[s.split(".")[1].replace("parallel", "p") for s in others]])
            print(f"{name[:34]:34s} {middle:9.3f} {noise[-1]:+7.2f}% {errors[-1]:+7.2f}% "
                  f"{late:6d} of {awaited:5d}", flush=True)
        for name, values in (("emulated against native", errors), ("native against native", noise)):
            sizes = sorted(abs(v) for v in values)
            print(f"{name}: mean {statistics.mean(sizes):.2f} %, largest {sizes[-1]:.2f} % of the "
                  f"median iteration time, {len(sizes)} jobs")


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    parts = sys.argv[2:] or ["virtual", "scale", "wall"]
    differing = False
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(program, folder)
        if "virtual" in parts:
            differing = bench.fidelity_table()
        if "scale" in parts:
            bench.scale()
        if "wall" in parts:
            bench.wall_table()
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
