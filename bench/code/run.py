#!/usr/bin/env python3
"""Measures the code index on trees and prints Markdown: indexing beside what other programs take
to walk, read, tag and index the same files, and searching over one stdio connection and in process.

    run.py --ken target/release/ken --search target/release/deps/code-… \\
        --questions FILE --tree DIR [--tree DIR] [--shire PROGRAM] [--semble PROGRAM]

`--search` is the program that `cargo bench --bench code --no-run` makes. QUESTIONS has one question a
line. `--shire` and `--semble` are the programs of those names: they index the same trees in the same run, and are
asked over stdio too (semble with its `mcp` extra installed). semble takes its model from SEMBLE_MODEL_NAME if that is
set; `stand_in_model.py` makes one of the same shape where the real one cannot be had. Indexes go to a temporary folder. One file of the tree is changed for the one-change run and put
back. Short things take turns, so that a busy minute hits all of them; programs that are not installed
are left out."""

import argparse
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

# A file that changed within two seconds before a run looked at it is read again by the next.
SETTLED = 2.5
RARE = "zyzzogeton"


def timed(argv, cwd, environment=None, output=os.devnull):
    """Wall seconds, processor seconds and peak MiB of a process (of the largest, if it starts others), and whether it
    failed."""
    started = time.perf_counter()
    with open(output, "wb") as stdout:
        process = subprocess.Popen(argv, cwd=cwd, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=stdout, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, status != 0


class OneChange:
    """A source file that says something else on every call: in a comment, or with one more function."""

    FUNCTIONS = {".rs": "fn changed_%d() {}", ".go": "func changed%d() {}", ".swift": "func changed%d() {}",
                 ".py": "def changed_%d(): pass"}

    def __init__(self, tree):
        names = subprocess.run(["rg", "--files"], cwd=tree, capture_output=True, text=True, check=True).stdout
        source = (".rs", ".go", ".js", ".ts", ".swift", ".py")
        fitting = [name for name in sorted(names.splitlines()) if name.endswith(source)]
        self.path = tree / fitting[len(fitting) // 2]
        self.bytes, self.stat, self.count = self.path.read_bytes(), self.path.stat(), 0

    def __call__(self, of_code):
        self.count += 1
        added = self.FUNCTIONS.get(self.path.suffix, "function changed%d() {}") if of_code else "// change %d"
        self.path.write_bytes(self.bytes + f"\n{added % self.count}\n".encode())
        modified = self.stat.st_mtime_ns + self.count * 10**9
        os.utime(self.path, ns=(modified, modified))

    def undo(self):
        self.path.write_bytes(self.bytes)
        os.utime(self.path, ns=(self.stat.st_atime_ns, self.stat.st_mtime_ns))


def yardsticks(tree, folder):
    """What others take, by name; each may be missing."""
    walk = ["rg", "--files"]
    files = subprocess.run(walk, cwd=tree, capture_output=True, text=True, check=True).stdout
    listing = folder / "files"
    listing.write_text(files)
    found = {"`rg --files`": walk, f"`rg {RARE}`": ["rg", RARE],
             "`cat` of the files": ["xargs", "-a", str(listing), "-d", "\n", "cat"]}
    if (tree / ".git").exists():
        found["`git status`"] = ["git", "--no-optional-locks", "status", "--short"]
    return found


def slow_yardsticks(args, folder, question):
    """What is measured once, by name: the command and its environment. In this order: semble's second run finds
    what its first has left."""
    found = {}
    if shutil.which("ctags"):
        found["universal-ctags, one thread"] = (["ctags", "-R", "-f", str(folder / "tags"), "."], None)
    if shutil.which("cindex"):
        environment = {**os.environ, "CSEARCHINDEX": str(folder / "csearch")}
        found["codesearch (trigrams only)"] = (["cindex", "-reset", "."], environment)
    if args.shire:
        build = [args.shire, "build", "--root", ".", "--force", "--db", str(folder / "shire.db")]
        found["shire (packages and symbols)"] = (build, None)
    if args.semble:
        search = [args.semble, "search", question, "."]
        found["semble (words and vectors), with one question"] = (search, semble_environment(folder))
        found["semble again, nothing changed"] = (search, semble_environment(folder))
    return found


def semble_environment(folder):
    return {**os.environ, "SEMBLE_CACHE_LOCATION": str(folder / "semble")}


def peers(args, tree, folder):
    """Servers of others on what they indexed: by name, the command, its environment, and what to call with a
    question. Symbols are looked up by one word."""
    found = {}
    if args.shire:
        word = lambda question: {"query": word_of(question)}  # noqa: E731
        found["shire, `search_symbols`, a word"] = (
            [args.shire, "serve", "--db", str(folder / "shire.db")], None, "search_symbols", word)
    if args.semble:
        asked = lambda question: {"query": question, "repo": str(tree), "top_k": 10}  # noqa: E731
        found["semble, `search`"] = ([args.semble], semble_environment(folder), "search", asked)
    return found


def word_of(question):
    return max(re.findall(r"\w+", question), key=len)


def measure(args, tree, questions):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = {**os.environ, "KEN_HOME": str(folder / "home")}
        index = [args.ken, "index", "--root", str(tree)]
        full, slow = full_indexes(args, tree, folder, [*index, "--force", "--json"], environment, questions[0])
        time.sleep(SETTLED)
        timed(index, tree, environment)
        time.sleep(SETTLED)
        changes = {"one change, a comment": False, "one change, a function": True}
        short = {name: [] for name in [*yardsticks(tree, folder), "no change", *changes]}
        change = OneChange(tree)
        try:
            for _ in range(args.rounds):
                for what, argv in yardsticks(tree, folder).items():
                    short[what].append(timed(argv, tree)[0])
                short["no change"].append(timed(index, tree, environment)[0])
                for what, of_code in changes.items():
                    change(of_code)
                    short[what].append(timed(index, tree, environment)[0])
        finally:
            change.undo()
        timed(index, tree, environment)
        status = json.loads(subprocess.run([args.ken, "status", "--skipped", "--json", "--root", str(tree)], cwd=tree,
                                           env=environment, capture_output=True, check=True).stdout)
        report(tree, status, sizes(tree, status, folder), full, short, slow)
        search(args, tree, environment, questions, status)
        for what, (argv, env, tool, arguments) in peers(args, tree, folder).items():
            peer = Server(argv, tree, env or dict(os.environ))
            print_times(what, *ask(peer, tool, [arguments(question) for question in questions]))
            peer.close()


def full_indexes(args, tree, folder, index, environment, question):
    """Each full index with the seconds that the graph took of it, and what others took in turn with them; but semble,
    which takes minutes, once."""
    told, full, slow = folder / "full.json", [], {}
    for turn in range(args.full):
        taken = timed(index, tree, environment, told)
        full.append((*taken, json.loads(told.read_text())["graphMs"] / 1e3))
        for what, (argv, env) in slow_yardsticks(args, folder, question).items():
            if turn == 0 or not what.startswith("semble"):
                slow.setdefault(what, []).append(timed(argv, tree, env))
    return full, slow


def sizes(tree, status, folder):
    """Bytes of the files that are indexed, and of all that the walk finds."""
    skipped = {entry["path"] for entry in status.get("skippedFiles", [])}
    trees = tuple(path + "/" for path in skipped)
    found = {name: (tree / name).stat().st_size for name in (folder / "files").read_text().splitlines()
             if (tree / name).is_file()}
    indexed = sum(size for name, size in found.items() if name not in skipped and not name.startswith(trees))
    return indexed, sum(found.values())


def report(tree, status, bytes_of, full, short, slow):
    source, everything = bytes_of
    wall, processor, peak, _, graph = (statistics.median(column) for column in zip(*full))
    print(f"\n### {tree.name}: {status['files']:,} files, {status['chunks']:,} chunks, "
          f"{status['symbols']:,} symbols; {source / 1e6:.0f} MB of source\n")
    print(f"Full index: {wall:.1f} s wall ({graph:.1f} of them the graph), {processor:.1f} s of processor, "
          f"{source / 1e6 / wall:.1f} MB/s, peak {peak:.0f} MiB, index {status['indexBytes'] / 1e6:.0f} MB ({status['indexBytes'] / source:.2f} × source, "
          f"{status['indexBytes'] / everything:.2f} × all files).\n")
    print("| median of several, taking turns | ms | × `rg --files` |\n|---|--:|--:|")
    base = statistics.median(short["`rg --files`"])
    for what, times in short.items():
        median = statistics.median(times)
        print(f"| {what} | {median * 1e3:.0f} | {median / base:.2f} |")
    print("\n| median of turns with it | s wall | s processor | peak MiB | full index is × wall | without the graph |\n"
          "|---|--:|--:|--:|--:|--:|")
    for what, turns in slow.items():
        taken, cpu, most, failed = (statistics.median(column) for column in zip(*turns))
        outcome = " (failed)" if failed else ""
        print(f"| {what}{outcome} | {taken:.1f} | {cpu:.1f} | {most:.0f} | {wall / taken:.2f} "
              f"| {(wall - graph) / taken:.2f} |")


def search(args, tree, environment, questions, status):
    started = time.perf_counter()
    server = Server([args.ken, "serve", "--root", str(tree)], tree, environment)
    ready = time.perf_counter()
    server.call("search_code", {"query": questions[0]})
    answered = time.perf_counter()
    over_stdio = ask(server, "search_code", [{"query": question, "limit": 10} for question in questions])
    symbols = ask(server, "search_symbols", [{"query": word_of(question), "limit": 20} for question in questions])
    server.close()
    print(f"\n`initialize` {(ready - started) * 1e3:.0f} ms, first answer {(answered - ready) * 1e3:.0f} ms.\n")
    print(f"| `search_code`, {len(questions)} questions, {status['chunks']:,} chunks | p50 ms | p95 ms |\n|---|--:|--:|")
    print_times("over stdio", *over_stdio)
    if args.search:
        inside = json.loads(subprocess.run([args.search, str(tree), str(args.questions)], env=environment,
                                           capture_output=True, check=True).stdout)
        print_times("in process", inside["p50"], inside["p95"])
    print_times("`search_symbols`, a word, over stdio", *symbols)


def ask(server, tool, calls):
    """The median and the 95th percentile of so many calls, in milliseconds; the first is not counted."""
    server.call(tool, calls[0])
    times = sorted(server.call(tool, arguments)[1] * 1e3 for arguments in calls)
    return times[len(times) // 2], times[int(len(times) * .95)]


def print_times(what, median, late):
    print(f"| {what} | {median:.2f} | {late:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ken", required=True, type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("--search", type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("--questions", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--tree", action="append", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--shire", type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("--semble", type=lambda text: str(pathlib.Path(text).absolute()))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--full", type=int, default=1, help="how many full indexing runs")
    args = parser.parse_args()
    questions = [line for line in args.questions.read_text().splitlines() if line.strip()]
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0
    print(f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, load {load:.1f} at the start")
    for tree in args.tree:
        measure(args, tree, questions)


if __name__ == "__main__":
    main()
