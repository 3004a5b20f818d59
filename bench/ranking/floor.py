#!/usr/bin/env python3
"""The floor under code search: fails if NDCG@10 on the public set fell by more than 0.01.

    floor.py --set DIR --corpora DIR [--ken target/debug/ken] [--record]

`run.py` describes --set and --corpora. floor.json has the recorded figures and the commit that they were measured at.
Each corpus is recorded with a digest of its files and of its questions. A corpus that differs from its digest, for
example because it is at another revision, is reported and not compared.

--record  writes floor.json instead of comparing; commit it with the change that moved the figures

The exit code is 0 if the floor holds, 1 if it does not, and 2 if nothing could be compared.
"""

import argparse
import hashlib
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

from run import REPOSITORY, Bench

RECORD = pathlib.Path(__file__).with_name("floor.json")
LARGEST_FALL = 0.01
# A repository that moved by less is not listed.
SMALLEST_MOVE = 0.0005


def digest(corpus, queries):
    """A hash of the questions, and of the path and the content of each file."""
    total = hashlib.sha256(queries.read_bytes())
    files = sorted(path for path in corpus.rglob("*") if path.is_file() and not path.is_symlink())
    for path in files:
        total.update(str(path.relative_to(corpus)).encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:16]


def mean(repositories, names):
    """The mean over all questions of these repositories."""
    total = sum(repositories[name]["ndcg"] * repositories[name]["questions"] for name in names)
    return total / sum(repositories[name]["questions"] for name in names)


def compare(recorded, measured):
    """The lines to print, and the exit code."""
    lines, common = [], []
    for name, row in sorted(recorded.items()):
        now = measured.get(name)
        if now is None:
            lines.append(f"{name}: not compared, it is not there")
        elif now["digest"] != row["digest"]:
            lines.append(f"{name}: not compared, it has other files or questions than the recorded one")
        else:
            common.append(name)
            if abs(now["ndcg"] - row["ndcg"]) >= SMALLEST_MOVE:
                lines.append(f"{name}: {row['ndcg']:.4f}, now {now['ndcg']:.4f}")
    if not common:
        return [*lines, "no corpus is the recorded one: nothing was compared"], 2
    before, now = mean(recorded, common), mean(measured, common)
    questions = sum(recorded[name]["questions"] for name in common)
    lines.append(f"NDCG@10 {now:.4f} over {questions} questions; recorded {before:.4f}, floor {before - LARGEST_FALL:.4f}")
    if now < before - LARGEST_FALL:
        return [*lines, "below the floor: fix the ranking, or record the new figures and give the reason"], 1
    return lines, 0


def measure(options):
    with tempfile.TemporaryDirectory() as home:
        bench = Bench(options, home)
        figures = bench.ask()
    measured = {}
    for name, rows in figures.items():
        measured[name] = {
            "ndcg": round(statistics.mean(score for score, *_ in rows), 4),
            "questions": len(rows),
            "digest": digest(options.corpora / name, options.set / "queries" / f"{name}.json"),
        }
    return measured


def record(measured):
    commit = subprocess.run(["git", "-C", REPOSITORY, "rev-parse", "--short=12", "HEAD"],
                            check=True, capture_output=True, text=True).stdout.strip()
    questions = sum(row["questions"] for row in measured.values())
    # One repository a line: the diff shows which ones moved.
    rows = ",\n".join(f"    {json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(measured.items()))
    RECORD.write_text(f'{{\n  "commit": "{commit}",\n  "ndcg": {mean(measured, measured):.4f},\n'
                      f'  "questions": {questions},\n  "repositories": {{\n{rows}\n  }}\n}}\n')
    print(f"NDCG@10 {mean(measured, measured):.4f} over {questions} questions, recorded at {commit}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ken", default=REPOSITORY / "target/debug/ken")
    parser.add_argument("--set", type=pathlib.Path, required=True)
    parser.add_argument("--corpora", type=pathlib.Path, required=True)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    options.ken, options.only = str(pathlib.Path(options.ken).resolve()), None
    if not (options.set / "repos.json").is_file() or not options.corpora.is_dir():
        print(f"no repos.json in {options.set}, or no folder {options.corpora}: nothing was compared")
        sys.exit(2)
    measured = measure(options)
    if options.record:
        record(measured)
        return
    lines, code = compare(json.loads(RECORD.read_text())["repositories"], measured)
    print("\n".join(lines))
    sys.exit(code)


if __name__ == "__main__":
    main()
