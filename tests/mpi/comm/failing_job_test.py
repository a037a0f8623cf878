# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
"""Run a job that fails; it must end in time and with the code given (or any but 0)."""

import subprocess
import sys
import time

# The promise is "seconds"; starting three processes on a loaded machine takes some of them.
LIMIT_S = 30


def main() -> int:
    expected, command = sys.argv[1], sys.argv[2:]
    begin = time.monotonic()
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        print(f"the job still runs after {LIMIT_S} s")
        return 1
    print(f"ended after {time.monotonic() - begin:.1f} s with {done.returncode}")
    print(done.stdout, done.stderr, sep="\n")
    if expected == "any":
        return 0 if done.returncode != 0 else 1
    return 0 if done.returncode == int(expected) else 1


sys.exit(main())
