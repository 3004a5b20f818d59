#!/usr/bin/env python3
"""Soak: questions while a tree is edited, switched between branches and indexed.

    tests/torture/soak.py                       a minute
    tests/torture/soak.py --seconds 3600        by hand

One process watches and serves. Threads edit files, switch branches and run `ken index`; others ask. No question may
fail, and memory, threads and descriptors must not grow. At the end every answer must be that of a fresh index."""

import argparse
import collections
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

import common

QUESTIONS = [question for question in common.QUESTIONS if question[0] not in ("unused", "export_edges")]


def git(tree, *arguments):
    subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false", *arguments],
                   cwd=tree, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Soak:
    def __init__(self, folder, seconds, seed):
        self.home, self.tree = pathlib.Path(folder) / "home", pathlib.Path(folder) / "tree"
        self.end = time.monotonic() + seconds
        self.rng = random.Random(seed)
        self.tree_lock = threading.Lock()
        self.counts = collections.Counter()
        self.failures = collections.Counter()
        self.samples = []
        common.make_tree(self.tree, files=60)
        git(self.tree, "init", "-q", "-b", "main")
        git(self.tree, "add", "-A")
        git(self.tree, "commit", "-q", "-m", "one")
        git(self.tree, "checkout", "-q", "-b", "other")
        for number in range(0, 60, 3):
            (self.tree / f"src/module_{number}.rs").unlink()
        for number in range(60, 75):
            (self.tree / f"src/module_{number}.rs").write_text(common.module_text(number, 1))
        git(self.tree, "add", "-A")
        git(self.tree, "commit", "-q", "-m", "two")
        git(self.tree, "checkout", "-q", "main")
        assert common.index(self.home, self.tree)[0] == 0
        self.server = common.Server(self.home, self.tree)

    def is_on(self):
        return time.monotonic() < self.end

    def edit(self):
        while self.is_on():
            with self.tree_lock:
                number = self.rng.randrange(80)
                path = self.tree / f"src/module_{number}.rs"
                if self.rng.random() < 0.15 and path.exists():
                    path.unlink()
                else:
                    path.write_text(common.module_text(number, self.rng.randrange(1000)))
                if self.rng.random() < 0.1:
                    (self.tree / "library/Cargo.toml").write_text(
                        f'[package]\nname = "library"\nversion = "0.{self.rng.randrange(99)}.0"\n')
                if self.rng.random() < 0.1:
                    path = self.tree / "openspec/specs/session/spec.md"
                    path.write_text(path.read_text() + "\n")
            self.counts["edits"] += 1
            time.sleep(0.05)

    def switch(self):
        while self.is_on():
            with self.tree_lock:
                git(self.tree, "add", "-A")
                git(self.tree, "stash", "-q")
                git(self.tree, "checkout", "-q", self.rng.choice(["main", "other"]))
            self.counts["branch switches"] += 1
            time.sleep(1.5)

    def index(self):
        while self.is_on():
            flags = ["--force"] if self.rng.random() < 0.3 else []
            code, _, stderr = common.index(self.home, self.tree, *flags)
            self.counts["index runs"] += 1
            if code != 0:
                self.failures[f"ken index ended with {code}: {stderr.strip()[-200:]}"] += 1
            time.sleep(2)

    def ask(self):
        rng = random.Random(self.rng.random())
        while self.is_on():
            tool, arguments = rng.choice(QUESTIONS)
            answer = self.server.ask(tool, arguments)
            self.counts["questions"] += 1
            if common.is_error(answer) and not is_true_refusal(tool, answer):
                self.failures[f"{tool}: {common.text_of(answer)[:300]}"] += 1

    def measure(self):
        process = pathlib.Path(f"/proc/{self.server.process.pid}")
        while self.is_on() and process.exists():
            status = dict(line.split(":\t") for line in (process / "status").read_text().splitlines() if ":\t" in line)
            self.samples.append((int(status["VmRSS"].split()[0]) // 1024, int(status["Threads"]),
                                 len(list((process / "fd").iterdir()))))
            time.sleep(1)

    def run(self):
        work = [self.edit, self.switch, self.index, self.measure, self.ask, self.ask, self.ask]
        threads = [threading.Thread(target=one) for one in work]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        time.sleep(2)
        last = self.server.ask_all()
        self.server.close()
        if self.server.has_panicked():
            self.failures["panic: " + " ".join(self.server.errors)[-400:]] += 1
        fresh_home = self.home.with_name("fresh")
        assert common.index(fresh_home, self.tree)[0] == 0
        fresh = common.Server(fresh_home, self.tree)
        for question, one, other in zip(common.QUESTIONS, last, fresh.ask_all()):
            if common.text_of(one) != common.text_of(other):
                self.failures[f"at the end {question[0]} differs from a fresh index: {common.text_of(one)[:200]} / {common.text_of(other)[:200]}"] += 1
        fresh.close()


def is_true_refusal(tool, answer):
    """True if the tree as it is now lacks what was asked for."""
    text = common.text_of(answer)
    is_absent = any(words in text for words in ("not in the code index", "not in the index", "no definition", "nothing here defines", "Not found", "is not defined"))
    return tool in ("get_symbol", "callees", "get_file_symbols") and is_absent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", default=None)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        soak = Soak(folder, options.seconds, options.seed)
        soak.run()
    print(dict(soak.counts))
    if soak.samples:
        third = max(1, len(soak.samples) // 3)
        for name, column in (("MB", 0), ("threads", 1), ("descriptors", 2)):
            values = [sample[column] for sample in soak.samples]
            print(f"{name}: at most {max(values[:third])} in the first third, {max(values[-third:])} in the last")
    for failure, count in soak.failures.most_common():
        print(f"{count} times: {failure}")
    print(f"{sum(soak.failures.values())} failures")
    return 1 if soak.failures else 0


if __name__ == "__main__":
    sys.exit(main())
