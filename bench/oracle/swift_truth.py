"""Judges the edges of a Swift package by what people found by reading it.

    swift_truth.py PACKAGE CALLS.JSONL IMPLEMENTS.JSONL [SOURCES]

`swift-truth.tsv` has call sites that were drawn at random, each with the definition that it calls, or `foreign` if
that is a library's, a parameter's or a local variable's; `swift-implementors.tsv` has all types that say of themselves,
in their declaration or an extension, that they conform to a protocol. The commit that was read is in each row.
"""

import collections
import csv
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    package, calls, implements = sys.argv[1:4]
    sources = sys.argv[4] if len(sys.argv) > 4 else "Source"
    judge_calls(rows("swift-truth.tsv", package), calls)
    judge_implementors(rows("swift-implementors.tsv", package), implements, sources)


def rows(name, package):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        found = [row for row in csv.DictReader(file, delimiter="\t") if row["package"] == package]
    if not found:
        sys.exit(f"no rows of {package} in {name}")
    return found


def judge_calls(truth, path):
    edges = collections.defaultdict(list)
    with open(path, encoding="utf-8") as file:
        for edge in map(json.loads, file):
            site = edge["site"]
            callees = {f"{one['path']}:{one['line']}" for one in edge["callees"]}
            edges[(f"{site['path']}:{site['line']}", site["name"])].append((edge["confidence"], callees))
    right, wrong = collections.Counter(), collections.Counter()
    hit = 0
    for row in truth:
        found = edges[(row["site"], row["name"])]
        for label, callees in found:
            (right if row["callee"] in callees else wrong)[label] += 1
            if row["callee"] not in callees:
                print(f"  wrong {label} {row['site']} {row['name']} → {sorted(callees)} not {row['callee']}")
        is_found = any(row["callee"] in callees for label, callees in found if label != "low")
        hit += is_found
        if row["callee"] != "foreign" and not is_found:
            print(f"  miss {row['site']} {row['name']} → {row['callee']}")
    for label in ("exact", "high", "medium", "low"):
        total = right[label] + wrong[label]
        if total:
            print(f"{label:7} {right[label] / total:.3f} of {total}")
    own = sum(row["callee"] != "foreign" for row in truth)
    print(f"recall of call sites (medium and better) {hit / own:.3f} of {own}")


def judge_implementors(truth, path, sources):
    meant = {(row["type"], row["protocol"]) for row in truth}
    protocols = {protocol for _, protocol in meant}
    name = lambda one: one["symbol"].rsplit(".", 1)[-1]
    with open(path, encoding="utf-8") as file:
        edges = [edge for edge in map(json.loads, file) if edge["how"] != "inherited"]
    ours = {
        (name(edge["type"]), name(edge["interface"]))
        for edge in edges
        if edge["type"]["path"].startswith(sources) and name(edge["interface"]) in protocols
    }
    hit = len(ours & meant)
    print(f"implementors: precision {hit / max(1, len(ours)):.3f} of {len(ours)}, recall {hit / len(meant):.3f} of {len(meant)}")
    for kind, pairs in (("miss", meant - ours), ("wrong", ours - meant)):
        for a, b in sorted(pairs):
            print(f"  {kind} {a} is a {b}")


if __name__ == "__main__":
    main()
