#!/usr/bin/env python3
"""Damage: every file that Kenning writes is damaged, and no answer may be wrong without a notice.

    tests/torture/damage.py                      120 rounds, some minutes
    tests/torture/damage.py --rounds 10000       by hand

A round copies a healthy KEN_HOME, damages one file, asks questions of every family and compares with the answers
before the damage. Allowed are the same answer, an error, and a notice. Then `ken index` runs, and every answer must
be the one before the damage. TORTURE_BIN names the folder of the programs."""

import argparse
import collections
import concurrent.futures
import pathlib
import random
import shutil
import sys
import tempfile
import time

import common

PAGE = 4096


def flip(data, rng):
    for _ in range(rng.choice([1, 1, 1, 2, 8])):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def zero(data, rng):
    start = rng.randrange(0, len(data), PAGE) if len(data) > PAGE else rng.randrange(len(data))
    end = min(len(data), start + PAGE)
    data[start:end] = bytes(end - start)


def swap(data, rng):
    pages = len(data) // PAGE
    if pages < 2:
        return flip(data, rng)
    first, second = (number * PAGE for number in rng.sample(range(pages), 2))
    data[first:first + PAGE], data[second:second + PAGE] = data[second:second + PAGE], data[first:first + PAGE]


def cut(data, rng):
    del data[rng.choice([rng.randrange(len(data)), rng.randrange(len(data)) // PAGE * PAGE]):]


def append(data, rng):
    data.extend(rng.randbytes(rng.choice([1, 100, PAGE, 3 * PAGE])))


def wipe(data, rng):
    data[:] = bytes(len(data))


def scramble(data, rng):
    start = rng.randrange(len(data))
    end = min(len(data), start + rng.choice([16, 512, PAGE]))
    data[start:end] = rng.randbytes(end - start)


KINDS = [flip, flip, flip, zero, swap, cut, append, wipe, scramble]


class Place:
    """A tree with its KEN_HOME, and undamaged copies of both."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.home, self.tree = self.folder / "home", self.folder / "tree"
        self.other = self.folder / "other"
        common.make_tree(self.tree)
        common.make_tree(self.other, files=9)
        (self.other / "src/shared.rs").write_text("pub fn shared_helper(n: u32) -> u32 { n + 7 }\n")
        self.check(common.index(self.home, self.other))
        self.check(common.index(self.home, self.tree))
        for number in range(4):
            (self.tree / f"src/module_{number}.rs").write_text(common.module_text(number, 7))
            time.sleep(0.05)
            self.check(common.index(self.home, self.tree))
        self.check(common.run([common.program("shire"), "build"], self.home, self.tree))
        time.sleep(0.1)
        # Once more, so that the walk is remembered.
        self.check(common.index(self.home, self.tree))
        self.check(common.index(self.home, self.tree))
        self.healthy = self.answers()[0]
        again = self.answers()[0]
        unsteady = [common.QUESTIONS[i] for i, (a, b) in enumerate(zip(self.healthy, again))
                    if common.text_of(a) != common.text_of(b)]
        broken = [(q, common.text_of(a)[:200]) for q, a in zip(common.QUESTIONS, self.healthy) if common.is_error(a)]
        if unsteady or broken:
            raise SystemExit(f"the questions are of no use: unsteady {unsteady}, failing {broken}")
        shutil.copytree(self.home, self.folder / "healthy-home")
        shutil.copytree(self.tree / ".shire", self.folder / "healthy-shire")

    def check(self, outcome):
        if outcome[0] != 0:
            raise SystemExit(f"setting up failed: {outcome}")

    def restore(self):
        common.replace_folder(self.folder / "healthy-home", self.home)
        common.replace_folder(self.folder / "healthy-shire", self.tree / ".shire")

    def files(self):
        """Every file that Kenning wrote and whose damage could change an answer."""
        own = [path for path in self.home.rglob("*") if path.is_file() and "/other" not in str(path.relative_to(self.home))]
        own += (self.tree / ".shire").iterdir()
        return sorted(path for path in own if path.stat().st_size > 0 and not path.name.endswith("-shm"))

    def answers(self):
        server = common.Server(self.home, self.tree)
        answers = server.ask_all()
        code = server.close()
        return answers, server, code


def damage_one(place, rng):
    files = place.files()
    # Half of the rounds damage the code database, which is the largest and holds the most facts.
    codes = [path for path in files if path.name == "code.db"]
    path = rng.choice(codes) if rng.random() < 0.4 else rng.choice(files)
    counterpart = place.home / "collections" / "other" / path.name
    if rng.random() < 0.06 and counterpart.exists() and path.is_relative_to(place.home):
        shutil.copyfile(counterpart, path)
        return path.name, "replaced by that of another collection"
    kind = rng.choice(KINDS)
    data = bytearray(path.read_bytes())
    kind(data, rng)
    path.write_bytes(data)
    name = str(path.relative_to(place.folder)).replace("home/collections/", "")
    return name, kind.__name__


def play(place, seed):
    """One round. Returns what was damaged, and what went wrong."""
    rng = random.Random(seed)
    place.restore()
    name, kind = damage_one(place, rng)
    wrong = []
    notices = 0
    answers, server, code = place.answers()
    if server.has_panicked() or code not in (0, None):
        wrong.append(("panic", f"code {code}: " + " | ".join(server.errors)[-300:]))
    for question, healthy, answer in zip(common.QUESTIONS, place.healthy, answers):
        if common.text_of(answer) == common.text_of(healthy):
            continue
        if answer.get("error", {}).get("is_lost"):
            wrong.append(("lost", question[0]))
        elif common.is_error(answer) or common.has_notice(answer):
            notices += 1
        else:
            wrong.append(("silent", f"{question[0]}: {common.text_of(answer)[:300]} INSTEAD OF {common.text_of(healthy)[:300]}"))
    code, _, stderr = common.index(place.home, place.tree)
    if code == 101 or "panicked at" in stderr:
        wrong.append(("panic", stderr[-300:]))
    answers, server, code2 = place.answers()
    different = [question[0] for question, healthy, answer in zip(common.QUESTIONS, place.healthy, answers)
                 if common.text_of(answer) != common.text_of(healthy)]
    if different or code != 0:
        wrong.append(("unrepaired", f"index ended with {code}, differs: {different}; {stderr[-300:]}"))
    return name, kind, wrong, notices


def work(folder, seeds, deadline):
    place = Place(folder)
    outcomes = []
    for seed in seeds:
        if time.monotonic() > deadline:
            break
        outcome = (seed, *play(place, seed))
        for what, detail in outcome[3]:
            print(f"seed {seed}: {what}: {outcome[1]}, {outcome[2]}: {detail}", flush=True)
        outcomes.append(outcome)
    return outcomes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after this time")
    parser.add_argument("--folder", default=None, help="where to work (default: a temporary folder)")
    options = parser.parse_args()
    deadline = time.monotonic() + options.seconds
    seeds = range(options.seed, options.seed + options.rounds)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
            shares = [pool.submit(work, pathlib.Path(folder) / f"worker-{number}", seeds[number::options.workers], deadline)
                      for number in range(options.workers)]
            outcomes = [outcome for share in shares for outcome in share.result()]
    wrongs = collections.Counter(what for outcome in outcomes for what in {what for what, _ in outcome[3]})
    by_file = collections.Counter(outcome[1] for outcome in outcomes)
    noticed = sum(1 for outcome in outcomes if outcome[4])
    print(f"{len(outcomes)} rounds: {dict(by_file)}")
    print(f"answered with an error or a notice at first: {noticed}")
    print(f"silently wrong {wrongs['silent']}, not repaired {wrongs['unrepaired']}, panics {wrongs['panic']}, "
          f"lost answers {wrongs['lost']}")
    return 1 if wrongs else 0


if __name__ == "__main__":
    sys.exit(main())
