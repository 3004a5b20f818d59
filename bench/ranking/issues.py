#!/usr/bin/env python3
"""From an issue to the files that were changed for it: file-level NDCG@10 and recall@10, with the whole text and
with the title alone. Prints Markdown.

    issues.py --ken target/release/ken --set queries.jsonl --mirror DIR [--only NAME …] [--limit N]

Each line of the set has `url`, `commit`, `title`, `text` and `relevant` (paths); --mirror has a bare clone of each
repository under OWNER+NAME/repo. The tree of each commit is laid out whole, indexed and asked.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from client import Server  # noqa: E402

TOP = 10
# Several pieces of one file are common, and files are what is counted.
PIECES = 60
# An issue may hold logs of any length.
LONGEST = 8000


def clone_of(mirror, url):
    owner, name = url.removesuffix(".git").rsplit("/", 2)[-2:]
    return mirror / f"{owner}+{name}" / "repo", name


def lay_out(clone, commit, root):
    root.mkdir()
    archive = subprocess.Popen(["git", "-C", clone, "archive", commit], stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", root], stdin=archive.stdout, check=True)
    if archive.wait():
        sys.exit(f"{clone} has no commit {commit}")


def judged(results, relevant):
    files = list(dict.fromkeys(hit["path"] for hit in results))[:TOP]
    gain = sum(1 / math.log2(place + 2) for place, path in enumerate(files) if path in relevant)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(TOP, len(relevant))))
    return gain / ideal, sum(path in relevant for path in files) / len(relevant)


def ask(ken, clone, task, scores):
    with tempfile.TemporaryDirectory() as top:
        root = pathlib.Path(top) / "tree"
        lay_out(clone, task["commit"], root)
        environment = {**os.environ, "KEN_HOME": top, "HOME": top}
        subprocess.run([ken, "index"], cwd=root, env=environment, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        server = Server([ken, "serve", "--root", str(root)], root, environment)
        for part in ("text", "title"):
            arguments = {"query": task[part][:LONGEST], "limit": PIECES}
            found = server.answer("search_code", arguments)["results"]
            scores[part].append(judged(found, set(task["relevant"])))
        server.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ken", required=True, type=pathlib.Path)
    parser.add_argument("--set", required=True, type=pathlib.Path)
    parser.add_argument("--mirror", required=True, type=pathlib.Path)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--limit", type=int, help="so many of each repository")
    options = parser.parse_args()
    taken, scores = collections.Counter(), collections.defaultdict(list)
    for line in options.set.read_text().splitlines():
        task = json.loads(line)
        clone, name = clone_of(options.mirror, task["url"])
        is_enough = options.limit is not None and taken[name] >= options.limit
        if is_enough or options.only and name not in options.only:
            continue
        if not clone.is_dir():
            print(f"{name}: no clone", file=sys.stderr)
            continue
        taken[name] += 1
        ask(options.ken.resolve(), clone, task, scores)
    print(f"{sum(taken.values())} tasks of {len(taken)} repositories\n")
    print("| asked with | NDCG@10 | recall@10 |\n|---|--:|--:|")
    for part, rows in scores.items():
        ndcg, recall = (statistics.mean(column) for column in zip(*rows))
        print(f"| {part} | {ndcg:.3f} | {recall:.3f} |")


if __name__ == "__main__":
    main()
