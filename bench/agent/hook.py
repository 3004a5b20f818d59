"""Measures the search hook: runs `ken hook search` with events of clients and prints latencies.

    python3 bench/agent/hook.py KEN REPOSITORY NAME...

Each NAME is searched as Claude Code's Grep does it. Prints the median and the slowest of the runs
in milliseconds, the size of the answer, and how often the hook was silent. The time includes the
start of the process, which an agent waits for too.
"""

import json
import statistics
import subprocess
import sys
import time

RUNS = 20


def run(ken, repository, name):
    event = {
        "cwd": repository,
        "hook_event_name": "PostToolUse",
        "tool_name": "Grep",
        "tool_input": {"pattern": name},
    }
    start = time.perf_counter()
    done = subprocess.run(
        [ken, "hook", "search"], input=json.dumps(event).encode(), capture_output=True, check=True
    )
    return (time.perf_counter() - start) * 1000, done.stdout


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    ken, repository, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    run(ken, repository, names[0])
    everything = []
    print(f"{'name':32} {'median ms':>10} {'slowest ms':>10} {'bytes':>6}")
    for name in names:
        runs = [run(ken, repository, name) for _ in range(RUNS)]
        times = [elapsed for elapsed, _ in runs]
        everything += times
        size = len(runs[-1][1])
        print(f"{name:32} {statistics.median(times):10.1f} {max(times):10.1f} {size:6}")
    everything.sort()
    print(f"median {statistics.median(everything):.1f} ms, "
          f"95th percentile {everything[int(len(everything) * 0.95)]:.1f} ms, "
          f"{len(everything)} runs")


if __name__ == "__main__":
    main()
