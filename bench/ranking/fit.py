#!/usr/bin/env python3
"""Learns the weights of the signals of definitions from a dump of `functions.py`. Prints Markdown and the weights.

    fit.py DUMP [--folds 5] [--without SIGNAL …] [--ablate] [--against DUMP]

The loss is listwise: the changed functions of a report against all other candidates. Repositories are split into
folds; each fold is scored with weights that were learned on the others. --against scores another dump with weights
learned on all of the first one. The dump has to be made with every weight at 1, that of `no function` at -1
(KEN_SEARCH_WEIGHTS). Weights are scaled so that the positive ones add up to 1. Needs numpy.
"""

import argparse
import heapq
import json
import math
import statistics

import numpy

HITS = 60
PENALTY = 0.002
STEPS = 400
DECAY = 0.97


def read(path, names, without):
    tasks = []
    for line in open(path):
        task = json.loads(line)
        if not task["hits"]:
            continue
        changed = {(path, first, last) for path, _, first, last in task["changed"]}
        values = numpy.zeros((len(task["hits"]), len(names)))
        labels = numpy.zeros(len(task["hits"]))
        answers = []
        for row, (path, _, first, last, why) in enumerate(task["hits"]):
            for name, value in why.items():
                if name in names and name not in without:
                    values[row, names.index(name)] = value
            answered = {one for one in changed if one[0] == path and one[1] <= last and first <= one[2]}
            labels[row] = bool(answered) and "no function" not in why
            answers.append(answered)
        tasks.append({**task, "values": values, "labels": labels, "answers": answers, "changed": changed})
    return tasks


def fit(tasks, count):
    """All candidates of all tasks in one matrix; `starts` are the first rows of the tasks."""
    tasks = [task for task in tasks if task["labels"].any()]
    values = numpy.concatenate([task["values"] for task in tasks])
    wanted = numpy.concatenate([task["labels"] / task["labels"].sum() for task in tasks])
    lengths = [len(task["labels"]) for task in tasks]
    starts = numpy.concatenate([[0], numpy.cumsum(lengths)[:-1]])
    weights, first, second = numpy.zeros(count), numpy.zeros(count), numpy.zeros(count)
    for step in range(1, STEPS + 1):
        scores = values @ weights
        shares = numpy.exp(scores - numpy.repeat(numpy.maximum.reduceat(scores, starts), lengths))
        shares /= numpy.repeat(numpy.add.reduceat(shares, starts), lengths)
        slope = values.T @ (shares - wanted) / len(tasks) + PENALTY * weights
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        weights -= 0.1 * (first / (1 - 0.9**step)) / (numpy.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return weights


def order(task, scores, decay):
    """As `select_diverse` does."""
    of_file, chosen = {}, []
    for at in numpy.argsort(-scores, kind="stable"):
        of_file.setdefault(task["hits"][at][0], []).append(at)
    heap = [(-scores[rows[0]], path, 0) for path, rows in of_file.items()]
    heapq.heapify(heap)
    while heap and len(chosen) < HITS:
        _, path, count = heapq.heappop(heap)
        chosen.append(of_file[path][count])
        if count + 1 < len(of_file[path]):
            score = scores[of_file[path][count + 1]]
            heapq.heappush(heap, (-score * decay ** (count + 1) if score > 0 else -score, path, count + 1))
    return chosen


def judge(task, scores, decay):
    chosen = order(task, scores, decay)
    files = list(dict.fromkeys(task["hits"][at][0] for at in chosen))
    relevant = {path for path, *_ in task["changed"]}
    gain = sum(1 / math.log2(place + 2) for place, path in enumerate(files[:10]) if path in relevant)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(10, len(relevant))))
    functions, seen = [], 0
    for at in chosen:
        is_function = "no function" not in task["hits"][at][4]
        seen += is_function
        functions.append((seen, task["answers"][at] if is_function else set()))
    row = {f"file @{k}": 100 * relevant.issubset(files[:k]) for k in (1, 3, 5)}
    for k in (1, 5, 10):
        found = set().union(*(answered for place, answered in functions if place <= k))
        row[f"function @{k}"] = 100 * (found == task["changed"])
    return row | {"file NDCG@10": gain / ideal}


def fold_of(repository, folds):
    return sum(repository.encode()) % folds


def cross_validate(tasks, count, folds, decays):
    rows = {decay: [] for decay in decays}
    for fold in range(folds):
        weights = fit([task for task in tasks if fold_of(task["repository"], folds) != fold], count)
        for task in tasks:
            if fold_of(task["repository"], folds) == fold:
                for decay in decays:
                    rows[decay].append(judge(task, task["values"] @ weights, decay))
    return rows


def show(label, rows):
    means = {column: statistics.mean(row[column] for row in rows) for column in rows[0]}
    print(f"| {label} | " + " | ".join(f"{mean:.1f}" if mean > 1 else f"{mean:.3f}" for mean in means.values()) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dump")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--without", nargs="*", default=[])
    parser.add_argument("--ablate", action="store_true")
    parser.add_argument("--against")
    parser.add_argument("--decays", nargs="*", type=float, default=[DECAY])
    options = parser.parse_args()
    names = sorted({name for line in open(options.dump) for hit in json.loads(line)["hits"] for name in hit[4]} - {"same file"})
    tasks = read(options.dump, names, options.without)
    rows = cross_validate(tasks, len(names), options.folds, options.decays)
    print(f"{len(tasks)} tasks of {len({task['repository'] for task in tasks})} repositories, {options.folds} folds\n")
    print("| | " + " | ".join(rows[options.decays[0]][0]) + " |\n|---|" + "--:|" * len(rows[options.decays[0]][0]))
    for decay in options.decays:
        show(f"all, held out, decay {decay}", rows[decay])
    for name in names if options.ablate else []:
        left = read(options.dump, names, [*options.without, name])
        show(f"without {name}", cross_validate(left, len(names), options.folds, [DECAY])[DECAY])
    weights = fit(tasks, len(names))
    if options.against:
        other = read(options.against, names, options.without)
        show("the other set", [judge(task, task["values"] @ weights, DECAY) for task in other])
    print()
    scale = weights[weights > 0].sum()
    for name, weight in sorted(zip(names, weights / scale), key=lambda pair: -abs(pair[1])):
        print(f"{name:24} {weight:7.3f}")


if __name__ == "__main__":
    main()
