#!/usr/bin/env python3
"""The cost of fresh answers: a question after no, one and 500 changed files. Prints Markdown.

    freshness.py --ken KEN [--before OLD] --repository DIR … [--rounds 5] [--changes 0 1 500]

Each repository is copied, and the copy is indexed by each binary. Before each question, a word that occurs nowhere else
is appended to as many files as --changes says, as a comment. The question is `search_code` for that word:

server    over MCP, with the watcher
check     over MCP, with index.watch=off
command   `ken search`, a process for each question

Figures are medians of the milliseconds over all rounds. "fresh" is the share of the rounds in which the answer had the
new word, or said that the index is behind the files. The next round begins when the update has ended. A binary without
updates before questions (--before) is not fresh; for it, `index` is the time of `ken index` and the question together.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import string
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from client import Server  # noqa: E402

COMMENTS = {".py": "#", ".rb": "#", ".sh": "#", ".ex": "#", ".go": "//", ".rs": "//", ".c": "//", ".h": "//", ".cc": "//",
            ".cpp": "//", ".java": "//", ".kt": "//", ".scala": "//", ".swift": "//", ".js": "//", ".ts": "//",
            ".tsx": "//", ".cs": "//", ".php": "//", ".dart": "//", ".lua": "--", ".hs": "--"}
PATIENCE = 300


class Bench:
    def __init__(self, ken, tree, home):
        self.ken, self.tree = ken, tree
        self.environment = {**os.environ, "KEN_HOME": home, "HOME": home}
        files = sorted(path for path in tree.rglob("*") if path.is_file() and not path.is_symlink())
        self.files = [path for path in files if path.suffix in COMMENTS and ".git" not in path.parts]
        self.draw = random.Random(ken)
        self.run("index")

    def run(self, *arguments):
        return subprocess.run([self.ken, *arguments], cwd=self.tree, env=self.environment, check=True,
                              capture_output=True, text=True).stdout

    def change(self, number):
        """Appends a new word to so many files, spread over the tree, and returns it."""
        word = "".join(self.draw.choices(string.ascii_lowercase, k=14))
        step = max(1, len(self.files) // max(1, number))
        for path in self.files[::step][:number]:
            with path.open("a") as file:
                file.write(f"\n{COMMENTS[path.suffix]} {word}\n")
        return word

    def settle(self):
        until = time.monotonic() + PATIENCE
        while json.loads(self.run("status", "--json")).get("changedFiles"):
            if time.monotonic() > until:
                sys.exit("the update does not end")
            self.run("index")
            time.sleep(0.1)

    def rounds(self, ask, number, rounds):
        times, fresh = [], 0
        for _ in range(rounds):
            word = self.change(number)
            time.sleep(0.5)
            text, taken = ask(word)
            times.append(taken * 1000)
            answer = json.loads(text)
            is_found = any(word in hit["content"] for hit in answer["results"])
            is_behind = "behind the files" in (answer.get("notice") or "")
            fresh += number == 0 or is_found or is_behind
            self.settle()
        return statistics.median(times), fresh / rounds

    def ask_command(self, word):
        started = time.perf_counter()
        text = self.run("search", word, "--json")
        return text, time.perf_counter() - started

    def ask_after_index(self, word):
        started = time.perf_counter()
        self.run("index")
        text = self.run("search", word, "--json")
        return text, time.perf_counter() - started


def measure(name, ken, repository, options):
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder) / "tree"
        shutil.copytree(repository, tree, symlinks=True)
        bench = Bench(ken, tree, str(pathlib.Path(folder) / "home"))
        for entry in ("server", "check", "command", "index"):
            if entry in ("server", "check"):
                more = ["--set", "index.watch=off"] if entry == "check" and name == "now" else []
                server = Server([ken, "serve", "--root", str(tree), *more], tree, bench.environment)
                server.call("search_code", {"query": "warm up"})
                ask = lambda word: server.call("search_code", {"query": word})  # noqa: E731
            else:
                server, ask = None, bench.ask_command if entry == "command" else bench.ask_after_index
            cells = []
            for number in options.changes:
                taken, fresh = bench.rounds(ask, number, options.rounds)
                cells.append(f"{taken:.0f} ({fresh:.0%})")
            print(f"| {repository.name}, {len(bench.files)} files | {name} | {entry} | " + " | ".join(cells) + " |", flush=True)
            if server:
                server.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ken", required=True)
    parser.add_argument("--before")
    parser.add_argument("--repository", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--changes", type=int, nargs="*", default=[0, 1, 500])
    options = parser.parse_args()
    print("| repository | binary | by | " + " | ".join(f"{number} changed: ms (fresh)" for number in options.changes) + " |")
    print("|---" * (3 + len(options.changes)) + "|")
    for repository in options.repository:
        repository = repository.resolve()
        if options.before:
            measure("before", str(pathlib.Path(options.before).resolve()), repository, options)
        measure("now", str(pathlib.Path(options.ken).resolve()), repository, options)


if __name__ == "__main__":
    main()
