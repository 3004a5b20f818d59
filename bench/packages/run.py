#!/usr/bin/env python3
"""Measures the package index on trees and prints Markdown: builds against the plain walk of
`rg --files`, peak memory, and the latency of every package tool over one stdio connection.

    run.py --ken target/release/ken --shire target/release/shire --tree DIR [--tree DIR]

The databases go to a temporary folder. One manifest of the tree is changed for the one-change build
and put back as it was. Builds and walks take turns, so that a busy minute hits all of them."""

import argparse
import contextlib
import json
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from client import Server  # noqa: E402

MANIFESTS = ("package.json", "Cargo.toml", "pyproject.toml")
VERSION = re.compile(r'("?version"?\s*[:=]\s*")([^"]*)(")')
# A build reads again what changed within the last two seconds before it; not what is older.
SETTLED = 3.0
WALK = "walk: `rg --files`"


def seconds(argv, cwd, environment):
    """How long a process takes from start to end. It must succeed."""
    started = time.perf_counter()
    process = subprocess.run(argv, cwd=cwd, env=environment, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    taken = time.perf_counter() - started
    if process.returncode != 0:
        sys.exit(f"{' '.join(argv)}: status {process.returncode}")
    return taken


def peak_mebibytes(argv, cwd, environment):
    """By way of `time`, which is small: the system counts what a process was before it became
    another program, and this one here is larger than what is measured."""
    with tempfile.NamedTemporaryFile() as file:
        seconds(["/usr/bin/time", "-f", "%M", "-o", file.name, *argv], cwd, environment)
        return int(file.read().split()[-1]) / 1024


class OneChange:
    """A manifest with a version, which is another one on every call."""

    def __init__(self, tree):
        self.path = next(path for path in manifests(tree) if VERSION.search(path.read_text()))
        self.text, self.stat = self.path.read_text(), self.path.stat()
        self.count = 0

    def __call__(self):
        self.count += 1
        self.path.write_text(VERSION.sub(rf"\g<1>0.0.{self.count}\g<3>", self.text, count=1))
        # In the past: the next build need not doubt it.
        modified = self.stat.st_mtime_ns + self.count * 10**9
        os.utime(self.path, ns=(modified, modified))

    def undo(self):
        self.path.write_text(self.text)
        os.utime(self.path, ns=(self.stat.st_atime_ns, self.stat.st_mtime_ns))


def manifests(tree):
    for directory, folders, files in os.walk(tree):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "node_modules")
        # Not the root's: it says too little to be typical.
        if pathlib.Path(directory) != tree:
            yield from (pathlib.Path(directory, name) for name in MANIFESTS if name in files)


def builds(options, tree, home, environment):
    """Label → seconds of every run, and label → peak memory. All take turns."""
    shire = [options.shire, "build", "--root", str(tree), "--db", str(home / "packages.db")]
    ken = [options.ken, "index", str(tree)]
    change = OneChange(tree)
    steps = [
        (WALK, None, [options.rg, "--files"]),
        ("full: `shire build --force`", None, [*shire, "--force"]),
        ("no change: `shire build`", None, shire),
        ("one change: `shire build`", change, shire),
        ("full: `ken index --force`", None, [*ken, "--force"]),
        ("no change: `ken index`", None, ken),
        ("one change: `ken index`", change, ken),
    ]
    taken, peaks = {label: [] for label, _, _ in steps}, {}
    with contextlib.ExitStack() as stack:
        stack.callback(change.undo)
        # The first round warms the caches, and nobody minds that it goes by way of `time`.
        for turn in range(options.runs + 1):
            for label, prepare, argv in steps:
                if prepare:
                    prepare()
                if turn == 0:
                    peaks[label] = peak_mebibytes(argv, tree, environment)
                else:
                    taken[label].append(seconds(argv, tree, environment))
    # The servers are to see the tree as it was.
    check_reads(shire, tree, environment, 1)
    check_reads(shire, tree, environment, 0)
    seconds(ken, tree, environment)
    return taken, peaks


def check_reads(shire, tree, environment, expected):
    """A build that reads more than it should is not the one that is meant."""
    answer = subprocess.run([*shire, "--json"], cwd=tree, env=environment, capture_output=True, check=True)
    read = json.loads(answer.stdout)["manifests_read"]
    if read != expected:
        sys.exit(f"{read} manifests were read, not {expected}")


def latencies(options, server, tools):
    """Tool → seconds of every call, the tools taking turns."""
    samples = {tool: [] for tool in tools}
    for turn in range(options.calls + 20):
        for tool, arguments in tools.items():
            _, taken = server.call(tool, arguments[turn % len(arguments)])
            if turn >= 20:
                samples[tool].append(taken)
    return samples


def contract_tools(packages):
    """The seven tools that `shire` has, with arguments that change from call to call."""
    spread = packages[:: max(1, len(packages) // 97)]
    named = [{"name": package["name"], "kind": package["kind"]} for package in spread]
    words = sorted({word for package in spread for word in re.findall(r"[a-z]{3,}", package["name"])})
    return {
        "search_packages": [{"query": word} for word in words],
        "get_package": named,
        "package_dependencies": named,
        "package_dependents": named,
        "dependency_graph": [{**arguments, "depth": 3} for arguments in named],
        "list_packages": [{}],
        "index_status": [{}],
    }


def own_tools(packages):
    """What `ken` has on top, as far as it answers with facts and not with a picture."""
    names = [{"name": package["name"], "kind": package["kind"]} for package in packages[:: max(1, len(packages) // 97)]]
    pairs = zip(names, reversed(names))
    return {
        "package_path": [{"from": a["name"], "to": b["name"]} for a, b in pairs if a["kind"] == b["kind"] and a != b],
        "package_impact": names,
        "package_cycles": [{}],
        "package_health": [{}],
    }


def measure(options, tree):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("KEN_")}
    environment["XDG_CONFIG_HOME"] = "/nonexistent"
    with tempfile.TemporaryDirectory() as home:
        home = pathlib.Path(home)
        environment["KEN_HOME"] = str(home / "ken")
        settle(tree)
        taken, peaks = builds(options, tree, home, environment)
        server = Server([options.shire, "serve", "--root", str(tree), "--db", str(home / "packages.db")], tree, environment)
        packages = json.loads(server.call("list_packages", {})[0])
        samples = latencies(options, server, contract_tools(packages))
        memory = server.peak_mebibytes()
        server.close()
        server = Server([options.ken, "serve"], tree, environment)
        samples.update(latencies(options, server, {tool: calls for tool, calls in own_tools(packages).items() if calls}))
        server.close()
    report(options, tree, len(packages), taken, peaks, samples, memory)


def settle(tree):
    newest = max((path.stat().st_mtime for path in manifests(tree)), default=0)
    time.sleep(max(0.0, min(SETTLED, newest + SETTLED - time.time())))


def report(options, tree, packages, taken, peaks, samples, memory):
    files = subprocess.run([options.rg, "--files"], cwd=tree, capture_output=True, text=True).stdout.count("\n")
    print(f"\n### {tree.name}: {packages} packages, {files:,} files\n")
    print(f"| median of {options.runs} | ms | fastest–slowest | × walk | peak MiB |\n|---|--:|--:|--:|--:|")
    walk = statistics.median(taken[WALK])
    for label, runs in taken.items():
        median = statistics.median(runs)
        print(f"| {label} | {median * 1e3:.0f} | {min(runs) * 1e3:.0f}–{max(runs) * 1e3:.0f} "
              f"| {median / walk:.2f} | {peaks[label]:.0f} |")
    print(f"\n| tool, {options.calls} calls | p50 ms | p95 ms |\n|---|--:|--:|")
    for tool, calls in samples.items():
        cuts = statistics.quantiles(calls, n=20)
        print(f"| `{tool}` | {cuts[9] * 1e3:.2f} | {cuts[18] * 1e3:.2f} |")
    print(f"\nPeak memory of `shire serve` after all calls: {memory:.0f} MiB.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--ken", required=True, type=os.path.abspath)
    parser.add_argument("--shire", required=True, type=os.path.abspath)
    parser.add_argument("--tree", required=True, action="append", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--runs", type=int, default=11, help="of each build and of the walk (default: 11)")
    parser.add_argument("--calls", type=int, default=500, help="of each tool (default: 500)")
    options = parser.parse_args()
    options.rg = shutil.which("rg") or sys.exit("the yardstick is missing: install ripgrep (`rg`)")
    version = subprocess.run([options.rg, "--version"], capture_output=True, text=True).stdout.split("\n")[0]
    print(f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, {version} ({options.rg})")
    for tree in options.tree:
        measure(options, tree)


if __name__ == "__main__":
    main()
