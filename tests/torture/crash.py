#!/usr/bin/env python3
"""Crash and full disk: runs are killed at calls that change a disk, or find the disk full from there on.

    tests/torture/crash.py                     some minutes
    tests/torture/crash.py --rounds 10000      by hand

After each fault the index must be readable or absent, the same run must succeed, its answers must be those of a run
that was not interrupted, and no draft may be left. Needs a C compiler; the shim is shim.c."""

import argparse
import collections
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import common

QUESTIONS = [question for question in common.QUESTIONS if question[0] != "overview"]


def full(place):
    return [common.program("ken"), "index"], "empty"


def incremental(place):
    (place.tree / "src/module_1.rs").write_text(common.module_text(1, 9))
    (place.tree / "src/module_2.rs").unlink(missing_ok=True)
    (place.tree / "library/Cargo.toml").write_text('[package]\nname = "library"\nversion = "9.0.0"\n')
    return [common.program("ken"), "index"], "indexed"


def rebuild(place):
    return [common.program("ken"), "index", "--force"], "indexed"


def shire(place):
    return [common.program("shire"), "build"], "indexed"


def spox(place):
    return [common.program("spox"), "index"], "indexed"


def install(place):
    return [common.program("ken"), "install", "cursor"], "indexed"


RUNS = [full, incremental, rebuild, shire, spox, install]


class Place:
    def __init__(self, folder, shim):
        self.folder, self.shim = pathlib.Path(folder), shim
        self.home, self.tree = self.folder / "home", self.folder / "tree"
        common.make_tree(self.folder / "original", files=8)
        self.restore("empty")
        assert common.index(self.home, self.tree)[0] == 0
        shutil.copytree(self.home, self.folder / "indexed-home")
        self.calls, self.expected = {}, {}
        for run in RUNS:
            self.begin(run)
            count = self.folder / "count"
            outcome = self.start(run(self)[0], {"TORTURE_COUNT": str(count)})
            if outcome[0] != 0:
                raise SystemExit(f"{run.__name__} fails undisturbed: {outcome}")
            self.calls[run] = int(count.read_text())
            self.expected[run] = self.answers()

    def restore(self, state):
        common.replace_folder(self.folder / "original", self.tree)
        shutil.rmtree(self.home, ignore_errors=True)
        shutil.rmtree(self.folder / "user", ignore_errors=True)
        (self.folder / "user/.cursor").mkdir(parents=True)
        if state == "indexed":
            shutil.copytree(self.folder / "indexed-home", self.home)

    def begin(self, run):
        self.restore(run(self)[1])
        run(self)

    def start(self, arguments, extra):
        return common.run(arguments, self.home, self.tree, extra={"LD_PRELOAD": str(self.shim), **extra})

    def answers(self):
        server = common.Server(self.home, self.tree)
        answers = [common.text_of(answer) for answer in server.ask_all(QUESTIONS)]
        server.close()
        if server.has_panicked():
            answers.append("panic")
        return answers

    def leftovers(self):
        found = [path for folder in (self.home, self.tree / ".shire") for path in folder.rglob("*")]
        return [path.name for path in found if ".draft" in path.name or path.name.endswith(".new")]


def play(place, rng):
    run = rng.choice(RUNS)
    kind = rng.choice(["TORTURE_KILL_AT", "TORTURE_KILL_AT", "TORTURE_FULL_AT"])
    at = rng.randint(1, place.calls[run])
    place.begin(run)
    arguments = run(place)[0]
    code, _, stderr = place.start(arguments, {kind: str(at)})
    wrong = []
    if code == 101 or "panicked at" in stderr:
        wrong.append(f"panic: {stderr[-300:]}")
    again = common.run(arguments, place.home, place.tree)
    if again[0] != 0:
        wrong.append(f"the next run ended with {again[0]}: {again[2][-300:]}")
    answers = place.answers()
    different = [question[0] for question, one, other in zip(QUESTIONS, answers, place.expected[run]) if one != other]
    if different or len(answers) != len(place.expected[run]):
        wrong.append(f"other answers: {different}")
    if place.leftovers():
        wrong.append(f"left: {place.leftovers()}")
    return run.__name__, kind, at, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", default=None)
    options = parser.parse_args()
    counts, failures = collections.Counter(), 0
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        shim = pathlib.Path(folder) / "shim.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", shim, pathlib.Path(__file__).with_name("shim.c"), "-ldl"],
                       check=True)
        place = Place(folder, shim)
        print("calls that change a disk:", {run.__name__: calls for run, calls in place.calls.items()}, flush=True)
        for seed in range(options.seed, options.seed + options.rounds):
            name, kind, at, wrong = play(place, random.Random(seed))
            counts[f"{name}, {'killed' if 'KILL' in kind else 'disk full'}"] += 1
            for what in wrong:
                failures += 1
                print(f"seed {seed}: {name}, {kind}={at}: {what}", flush=True)
    print(f"{options.rounds} rounds: {dict(counts)}")
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
