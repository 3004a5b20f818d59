#!/usr/bin/env python3
"""Measures weak answers: the share of questions called weak, among those with and without an answer.

    doubt.py --ken target/release/ken --set DIR --corpora DIR [--json FILE]

`run.py` describes --set and --corpora. The questions of the set are answerable. The others are made, with a fixed
seed, as many for each repository as it has questions:

other     a question about a repository of another domain; names alone are left out
shuffled  four words, each of which only the questions about one other repository have
name      a name that no file of the set has, joined from words of other questions
noise     two to four runs of random letters

Prints Markdown: the rule of the program by kind, and the curve over thresholds. Both are split into the repositories
that the thresholds were chosen on and the others.

--json  writes the evidence of each question
"""

import argparse
import json
import pathlib
import random
import re
import string
import tempfile

from run import Bench, Server

SEED = 1
DOMAINS = {
    "web server": ["axum", "express", "fastapi", "gin", "plug", "sinatra", "starlette"],
    "HTTP client": ["alamofire", "axios", "guzzle", "httpx"],
    "serialization": ["circe", "gson", "serde", "zod"],
    "command line": ["click", "cobra", "zig-clap", "bats-core"],
    "database": ["dapper", "exposed"],
    "event loop": ["kotlinx-coroutines", "libuv"],
    "user interface": ["snapkit", "telescope.nvim", "xmonad"],
    "formatting": ["fmtlib"],
}
# Domains that overlap: a question about one may have an answer in the other.
NEAR = [{"web server", "HTTP client"}, {"web server", "serialization"}, {"HTTP client", "serialization"},
        {"command line", "formatting"}, {"database", "serialization"}, {"event loop", "HTTP client"}]
THRESHOLDS = [0.16, 0.2, 0.22, 0.24, 0.28, 0.3, 0.32, 0.33, 0.34, 0.36, 0.38, 0.4, 0.44]
KINDS = ["other", "shuffled", "name", "noise"]


def domain(name):
    return next(domain for domain, names in DOMAINS.items() if name in names)


def is_foreign(one, other):
    pair = {domain(one), domain(other)}
    return len(pair) == 2 and pair not in NEAR


def words_of(text):
    return re.findall(r"[A-Za-z]{3,}", text)


def make_negatives(repositories, corpora):
    """For each repository, questions without an answer, as pairs of kind and text."""
    draw = random.Random(SEED)
    asked = {one["name"]: [question["query"] for question in one["questions"]] for one in repositories}
    sentences = {name: [text for text in texts if " " in text] for name, texts in asked.items()}
    owners = {}
    for name, texts in asked.items():
        for word in {word.lower() for text in texts for word in words_of(text)}:
            owners.setdefault(word, set()).add(name)
    rare = {name: sorted(word for word, of in owners.items() if of == {name}) for name in asked}
    everything = {name: text_of(corpora / name) for name in asked}
    negatives = {}
    for name in asked:
        foreign = [other for other in asked if is_foreign(name, other)]
        made = []
        for _ in asked[name]:
            made.append(("other", draw.choice(sentences[draw.choice(foreign)])))
            others = draw.sample([other for other in asked if other != name and rare[other]], 4)
            made.append(("shuffled", " ".join(draw.choice(rare[other]) for other in others)))
            made.append(("name", invent_name(draw, [rare[other] for other in others], everything[name])))
            runs = ("".join(draw.choices(string.ascii_lowercase, k=draw.randint(4, 9))) for _ in range(draw.randint(2, 4)))
            made.append(("noise", " ".join(runs)))
        negatives[name] = made
    return negatives


def text_of(folder):
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return "\n".join(path.read_text(errors="replace").lower() for path in files)


def invent_name(draw, vocabularies, text):
    while True:
        parts = [draw.choice(words) for words in draw.sample(vocabularies, draw.randint(2, 3))]
        joined = draw.choice(["_".join(parts), parts[0] + "".join(part.title() for part in parts[1:])])
        if joined.lower() not in text:
            return joined


def ask_all(bench, corpora):
    negatives = make_negatives(bench.repositories, corpora)
    rows = []
    for number, repository in enumerate(sorted(bench.repositories, key=lambda one: one["name"])):
        name = repository["name"]
        root = corpora / name
        server = Server([bench.options.ken, "serve", "--root", str(root)], root, bench.environment())
        positives = [("answerable", question["query"]) for question in repository["questions"]]
        for kind, text in positives + negatives[name]:
            answer = server.answer("search_code", {"query": text, "limit": 10, "explain": True, "budget": 1})
            rows.append({"repository": name, "fitted": number % 2 == 0, "kind": kind, "query": text,
                         "weak": answer.get("weak", False), "evidence": answer["evidence"],
                         "results": len(answer["results"]), "notice": answer.get("notice")})
        server.close()
    return rows


def share(rows, is_weak):
    rows = list(rows)
    return sum(map(is_weak, rows)) / len(rows) if rows else 0.0


def halves(rows):
    return [("chosen on", [row for row in rows if row["fitted"]]), ("held out", [row for row in rows if not row["fitted"]])]


def print_rule(rows):
    print("| called weak | " + " | ".join(["answerable", *KINDS, "all without an answer"]) + " |")
    print("|---" * (len(KINDS) + 3) + "|")
    for title, part in halves(rows):
        groups = [[row for row in part if row["kind"] == kind] for kind in ["answerable", *KINDS]]
        groups.append([row for row in part if row["kind"] != "answerable"])
        print(f"| {title} | " + " | ".join(f"{share(group, lambda row: row['weak']):.1%}" for group in groups) + " |")
    empty = [row for row in rows if not row["results"]]
    counted = {kind: sum(row["kind"] == kind for row in empty) for kind in ["answerable", *KINDS]}
    print("\nWithout any result: " + ", ".join(f"{kind} {count}" for kind, count in counted.items()) + "\n")


def print_curve(title, rows, confidence):
    print(f"| {title}, below | " + " | ".join(
        f"answerable, {half} | without an answer, {half}" for half, _ in halves(rows)) + " |")
    print("|---" * 5 + "|")
    for step in THRESHOLDS:
        cells = []
        for _, part in halves(rows):
            for is_answerable in (True, False):
                group = [row for row in part if (row["kind"] == "answerable") == is_answerable]
                cells.append(share(group, lambda row: "named" not in row["evidence"]
                                   and confidence(row["evidence"]) < step))
        print(f"| {step:.2f} | " + " | ".join(f"{cell:.1%}" for cell in cells) + " |")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ken", required=True)
    parser.add_argument("--set", type=pathlib.Path, required=True)
    parser.add_argument("--corpora", type=pathlib.Path, required=True)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    options.ken, options.only = str(pathlib.Path(options.ken).resolve()), None
    with tempfile.TemporaryDirectory() as home:
        rows = ask_all(Bench(options, home), options.corpora)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    print_rule(rows)
    print_curve("words and meaning", rows, lambda evidence: (evidence["words"] + evidence["meaning"]) / 2)
    print_curve("words", rows, lambda evidence: evidence["words"])
    print_curve("meaning", rows, lambda evidence: evidence["meaning"])


if __name__ == "__main__":
    main()
