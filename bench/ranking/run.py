#!/usr/bin/env python3
"""What code search is worth, and each part of it: NDCG@10 over questions with known answers. Prints Markdown.

    run.py --ken target/release/ken --set DIR --corpora DIR [--only NAME …] [--parts] [--rerank] [--trials 50]

--set has `repos.json` (a list of `name`, `language`) and `queries/NAME.json` (a list of `query`, `category`,
`relevant`, `secondary`: paths, or `path`, `start_line`, `end_line`); --corpora has each repository under its name.

--parts   words, meaning and both, raw and ranked, and every signal left out in turn
--rerank  the local second reader
--trials  so many settings of all weights, drawn from 0 to twice what they are; each fold of repositories, and
          each language, is judged by the setting that is best on the others
"""

import argparse
import functools
import json
import math
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "bench"))
from client import Server  # noqa: E402

TOP = 10
FOLDS = 5
SEED = 1


def is_covered(hit, target):
    if isinstance(target, str):
        target = {"path": target}
    path, wanted = hit["path"], target["path"]
    if path != wanted and not path.endswith("/" + wanted) and not wanted.endswith("/" + path):
        return False
    start = target.get("start_line")
    return start is None or hit["startLine"] <= target["end_line"] and hit["endLine"] >= start


def ndcg(hits, targets):
    """Each target counts once, where it is found first."""
    places = set()
    for target in targets:
        found = (place for place, hit in enumerate(hits) if is_covered(hit, target))
        places.add(next(found, None))
    gain = sum(1 / math.log2(place + 2) for place in places - {None})
    ideal = sum(1 / math.log2(place + 2) for place in range(min(TOP, len(targets))))
    return gain / ideal if ideal else 0.0


def tokens_until(hits, targets):
    """A token is taken for four characters of code."""
    spent = 0
    for hit in hits:
        spent += len(hit.get("content", "")) // 4
        if any(is_covered(hit, target) for target in targets):
            return spent
    return math.inf


def shipped_weights():
    table = (REPOSITORY / "src/search/ranking_signals.rs").read_text()
    constants = dict(re.findall(r'const (\w+): &str = "([^"]+)";', table))
    rows = re.findall(r'(?:adds|lessens)\(("[^"]+"|\w+), ([\d.]+),', table)
    weights = {constants.get(name, name.strip('"')): float(weight) for name, weight in rows}
    rows_of_table = len(re.findall(r'^    (?:adds|lessens)\(', table, re.MULTILINE))
    if len(weights) != rows_of_table:
        sys.exit(f"{len(weights)} of {rows_of_table} signals were understood")
    return weights


class Bench:
    def __init__(self, options, home):
        self.options, self.home = options, home
        listed = json.loads((options.set / "repos.json").read_text())
        wanted = [one for one in listed if not options.only or one["name"] in options.only]
        self.repositories = [one for one in wanted if (options.corpora / one["name"]).is_dir()]
        if not self.repositories:
            sys.exit("none of the repositories is there")
        for one in self.repositories:
            queries = options.set / "queries" / f"{one['name']}.json"
            one["questions"] = json.loads(queries.read_text())
            self.run(one, ["index"])

    @functools.cached_property
    def weights(self):
        return shipped_weights()

    def environment(self, weights=None):
        given = ",".join(f"{name}={weight}" for name, weight in (weights or {}).items())
        homes = {"KEN_HOME": self.home, "HOME": self.home}
        return {**os.environ, **homes, **({"KEN_SEARCH_WEIGHTS": given} if given else {})}

    def run(self, repository, arguments):
        root = self.options.corpora / repository["name"]
        subprocess.run([self.options.ken, *arguments], cwd=root, env=self.environment(), check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def ask(self, weights=None, **arguments):
        """For each repository, each question's score and the tokens until its answer."""
        figures = {}
        for repository in self.repositories:
            root = self.options.corpora / repository["name"]
            server = Server([self.options.ken, "serve", "--root", str(root)], root, self.environment(weights))
            rows = []
            for question in repository["questions"]:
                asked = {"query": question["query"], "limit": TOP, **arguments}
                hits = server.answer("search_code", asked)["results"]
                targets = question.get("relevant", []) + question.get("secondary", [])
                rows.append((ndcg(hits, targets), tokens_until(hits, targets), question.get("category", "?")))
            server.close()
            figures[repository["name"]] = rows
        return figures


def mean(figures, names=None):
    rows = (row for name, rows in figures.items() if names is None or name in names for row in rows)
    return statistics.mean(score for score, *_ in rows)


def whole(bench):
    figures = bench.ask()
    rows = [row for rows in figures.values() for row in rows]
    print(f"NDCG@10 {mean(figures):.4f} over {len(rows)} questions\n")
    categories = sorted({row[2] for row in rows})
    by_category = {name: [row[0] for row in rows if row[2] == name] for name in categories}
    print("By category: " + ", ".join(f"{name} {statistics.mean(by_category[name]):.3f}" for name in categories))
    languages = sorted({one["language"] for one in bench.repositories})
    told = [(mean(figures, in_language(bench, name)), name) for name in languages]
    print("By language: " + ", ".join(f"{name} {score:.3f}" for score, name in sorted(told, reverse=True)))
    within = {most: sum(row[1] <= most for row in rows) / len(rows) for most in (500, 1000, 2000)}
    print("Covered within tokens: " + ", ".join(f"{most} {share:.3f}" for most, share in within.items()))
    return figures


def in_language(bench, language):
    return {one["name"] for one in bench.repositories if one["language"] == language}


def parts(bench, ranked):
    silent = dict.fromkeys(bench.weights, 0)
    print("\n| | raw lists | with ranking |\n|---|--:|--:|")
    for name, weight in (("words only", 0), ("meaning only", 1), ("both", 0.7)):
        raw = mean(bench.ask(silent, semantic_weight=weight))
        full = mean(ranked if weight == 0.7 else bench.ask(semantic_weight=weight))
        print(f"| {name} | {raw:.3f} | {full:.3f} |", flush=True)
    print("\n| signal | weight | without it |\n|---|--:|--:|")
    for name, weight in bench.weights.items():
        print(f"| {name} | {weight:g} | {mean(bench.ask({name: 0})):.3f} |", flush=True)


def trials(bench, ranked):
    """Settings that nobody chose, judged on what they were not chosen by."""
    draw = random.Random(SEED)
    settings = [{name: round(draw.uniform(0, 2) * weight, 3) for name, weight in bench.weights.items()}
                for _ in range(bench.options.trials)]
    taken = [bench.ask(setting) for setting in settings]
    names = sorted(ranked)
    draw.shuffle(names)
    folds = [set(names[start::FOLDS]) for start in range(FOLDS)]
    languages = sorted({one["language"] for one in bench.repositories})
    print(f"\nOf {len(settings)} settings: {min(map(mean, taken)):.3f} to {max(map(mean, taken)):.3f}, "
          f"median {statistics.median(map(mean, taken)):.3f}\n")
    print("| held out | chosen on the rest | as shipped |\n|---|--:|--:|")
    for title, groups in (("fold", folds), ("language", [in_language(bench, one) for one in languages])):
        outside = {}
        for number, group in enumerate(groups, 1):
            rest = set(names) - group
            best = max(taken, key=lambda one: mean(one, rest)) if rest else taken[0]
            outside.update({name: best[name] for name in group})
            if title == "fold":
                print(f"| fold {number} | {mean(best, group):.3f} | {mean(ranked, group):.3f} |")
        print(f"| every {title} | {mean(outside):.3f} | {mean(ranked):.3f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ken", required=True)
    parser.add_argument("--set", type=pathlib.Path, required=True)
    parser.add_argument("--corpora", type=pathlib.Path, required=True)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--parts", action="store_true")
    parser.add_argument("--rerank", action="store_true")
    parser.add_argument("--trials", type=int, default=0)
    options = parser.parse_args()
    options.ken = str(pathlib.Path(options.ken).resolve())
    with tempfile.TemporaryDirectory() as home:
        bench = Bench(options, home)
        ranked = whole(bench)
        if options.rerank:
            print(f"\nWith the local second reader: {mean(bench.ask(rerank=True)):.3f}")
        if options.parts:
            parts(bench, ranked)
        if options.trials:
            trials(bench, ranked)


if __name__ == "__main__":
    main()
