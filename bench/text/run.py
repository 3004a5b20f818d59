#!/usr/bin/env python3
"""Full text beside ripgrep: literals and regular expressions are drawn from the trees themselves, every answer is
compared with what `rg` finds in the files that are indexed, line by line, and both are timed. Prints Markdown, and
ends with 1 if a single line differs.

    run.py --ken target/release/ken --tree DIR [--tree DIR] [--literals 200] [--expressions 100] [--seed 1]

Each tree is indexed with its tests into a home of its own, which is removed afterwards. `ten` asks for ten results, as
agents do; `all` for a thousand, the most there can be: an answer with fewer is complete and must be equal to ripgrep's,
a fuller one must be part of it. The two programs take turns, so that a busy minute hits both. ripgrep is timed
as people call it, in the tree and with its ignore files; for the comparison it looks at every file."""

import argparse
import json
import os
import pathlib
import random
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from client import Server  # noqa: E402

MOST = 1000
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,}")


class Tree:
    """A tree, the index of it, and the files that are in the index."""

    def __init__(self, ken, path):
        self.path = pathlib.Path(path).resolve()
        self.home = tempfile.mkdtemp(prefix="ken-text-")
        environment = {**os.environ, "KEN_HOME": self.home}
        subprocess.run([ken, "index", str(self.path), "--name", "text", "--include-tests"], env=environment, check=True,
                       capture_output=True)
        database = next(pathlib.Path(self.home).rglob("code.db"))
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
            self.files = {path for path, in connection.execute("SELECT path FROM files")}
        self.server = Server([ken, "serve", "--profile", "code-indexer"], self.home, environment)

    def lines(self):
        total = 0
        for path in self.files:
            total += (self.path / path).read_bytes().count(b"\n")
        return total

    def find(self, text, mode, top_k):
        """The lines that have it, whether these are all, and the milliseconds."""
        arguments = {"textQuery": text, "collectionName": "text", "mode": mode, "top_k": top_k}
        result, taken = self.server.timed("tools/call", {"name": "search_code_fulltext", "arguments": arguments})
        if result.get("isError"):
            sys.exit(f"{text!r}: {result}")
        said = result["content"][0]["text"]
        hits = json.loads(said) if said.startswith("[") else []
        found = {(hit["filePath"], line) for hit in hits for line in hit["matchLines"]}
        return found, len(hits) < top_k, taken * 1e3

    def truth(self, text, flags):
        """What ripgrep finds in the files that are indexed."""
        out = subprocess.run(["rg", "--no-config", "--no-heading", "--with-filename", "--line-number", "--color=never",
                              "--text", "--null", "--no-ignore", "--hidden", *flags, "-e", text, "."], cwd=self.path,
                             check=False, capture_output=True)
        if out.returncode not in (0, 1):
            sys.exit(f"rg {text!r}: {out.stderr.decode()[:300]}")
        found = set()
        for line in out.stdout.split(b"\n"):
            path, zero, rest = line.partition(b"\0")
            if zero:
                place = (path.decode(errors="replace").removeprefix("./"), int(rest.split(b":", 1)[0]))
                if place[0] in self.files:
                    found.add(place)
        return found

    def ripgrep(self, text, flags):
        began = time.perf_counter()
        subprocess.run(["rg", "--no-config", "--line-number", *flags, "-e", text, "."], cwd=self.path, check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return (time.perf_counter() - began) * 1e3

    def close(self):
        self.server.close()
        shutil.rmtree(self.home, ignore_errors=True)


def lines_of(tree, chance):
    """Lines at random that have something in them, without end."""
    files = sorted(tree.files)
    while True:
        text = (tree.path / chance.choice(files)).read_bytes().decode(errors="ignore")
        lines = [line for line in text.replace("\r", "").split("\n") if len(line.strip()) > 3 and len(line) < 400]
        if lines:
            yield chance.choice(lines)


def literals(tree, chance, count):
    """Names, parts of names, phrases, and pieces of lines cut anywhere."""
    drawn, source = [], lines_of(tree, chance)
    while len(drawn) < count:
        line = next(source)
        names = NAME.findall(line)
        kind = len(drawn) % 4
        if kind == 0 and names:
            drawn.append(chance.choice(names))
        elif kind == 1 and names:
            name = chance.choice(names)
            start = chance.randrange(len(name) - 2)
            drawn.append(name[start:chance.randrange(start + 3, len(name) + 1)])
        elif kind == 2 and len(line.split()) > 1:
            words = line.split(" ")
            start = chance.randrange(len(words))
            drawn.append(" ".join(words[start:start + chance.randrange(2, 5)]))
        elif kind == 3:
            start = chance.randrange(len(line))
            drawn.append(line[start:start + chance.randrange(3, 30)])
        drawn = [text for text in drawn if text.strip()]  # Blanks alone are refused.
    return drawn


def escaped(text):
    """For both engines: they know no escape of a blank."""
    return re.sub(r"([\\.^$|?*+(){}\[\]])", r"\\\1", text)


def expressions(tree, chance, count):
    """What people write: a gap, an alternative, borders of words, any capitals, a beginning, classes."""
    drawn, source = [], lines_of(tree, chance)
    while len(drawn) < count:
        line = next(source)
        names = NAME.findall(line)
        if len(names) < 2:
            continue
        first, second = names[0], names[1]
        half = len(first) // 2
        kinds = [rf"{first[:half]}\w+", rf"\b{second}\b", rf"(?i){second}", f"{first}|{second}", rf"{first}.*{second}",
                 rf"^\s*{first}\b", rf"{first[:3]}[a-z_]*{first[-2:]}\(", rf"{escaped(line.strip()[:12])}.?",
                 rf"\b{first[:half]}\w*\s*[=:]", rf"({first}|{second})(s|ed)?$", rf"{second}\s*\(", rf"[^a-z]{first}\W"]
        drawn.append(kinds[len(drawn) % len(kinds)])
    return drawn


def compare(tree, text, mode, flags, found, is_complete):
    """A complaint, or nothing."""
    expected = tree.truth(text, flags)
    wrong, missed = found - expected, expected - found if is_complete else set()
    if wrong or missed:
        return f"{mode} {text!r}: only here {sorted(wrong)[:3]}, only ripgrep {sorted(missed)[:3]}"
    return None


def spread(name, times):
    times = sorted(times)
    p95 = times[int((len(times) - 1) * 0.95)]
    print(f"| {name} | {statistics.median(times):.1f} | {p95:.1f} | {times[-1]:.1f} |")


def measure(ken, path, given):
    chance = random.Random(given.seed)
    tree = Tree(ken, path)
    complaints = 0
    print(f"\n### {tree.path.name}: {len(tree.files):,} files, {tree.lines() / 1e6:.2f} million lines\n", flush=True)
    try:
        tree.find("warm", "exact", 10)
        rows = []
        for mode, flags, texts in [("exact", ["-F"], literals(tree, chance, given.literals)),
                                   ("regex", [], expressions(tree, chance, given.expressions))]:
            times, complete = {"ten": [], "all": [], "rg": []}, 0
            slowest = []
            for text in texts:
                ten = tree.find(text, mode, 10)[2]
                found, is_complete, everything = tree.find(text, mode, MOST)
                times["ten"].append(ten)
                times["all"].append(everything)
                times["rg"].append(tree.ripgrep(text, flags))
                complete += is_complete
                slowest.append((ten, text))
                complaint = compare(tree, text, mode, flags, found, is_complete)
                if complaint:
                    complaints += 1
                    print("-", complaint, flush=True)
            rows.append((mode, times))
            print(f"{len(texts)} of `{mode}`: {complete} answers complete, the others part of ripgrep's. Slowest for ten:",
                  "; ".join(f"`{text}` {ms:.0f} ms" for ms, text in sorted(slowest, reverse=True)[:4]), "\n", flush=True)
        print("| ms | p50 | p95 | max |\n|---|--:|--:|--:|")
        for mode, times in rows:
            spread(f"{mode}, ten results", times["ten"])
            spread(f"{mode}, up to {MOST} results", times["all"])
            spread("`rg -F`" if mode == "exact" else "`rg`", times["rg"])
    finally:
        tree.close()
    return complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ken", required=True)
    parser.add_argument("--tree", action="append", required=True)
    parser.add_argument("--literals", type=int, default=200)
    parser.add_argument("--expressions", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(f"Load {os.getloadavg()[0]:.1f} at the start, {os.cpu_count()} cores")
    differences = sum([measure(os.path.abspath(given.ken), path, given) for path in given.tree])
    if differences:
        sys.exit(f"{differences} answers differ")


if __name__ == "__main__":
    main()
