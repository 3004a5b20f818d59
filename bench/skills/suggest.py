#!/usr/bin/env python3
"""How well `suggest_skills` finds the skill that a prompt is for. Takes a folder with `skills/` (SKILL.md
files) and `queries.jsonl` (`query`, `relevant`: paths below `skills/`), and prints Markdown.

    suggest.py --ken target/release/ken --set DIR [--ranking words --ranking meaning --ranking both]
"""

import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import tempfile

DEPTH = 10


def ranked(ken, folder, home, ranking, queries):
    """The folders of the suggested skills, for each query, over one connection."""
    environment = {**os.environ, "HOME": home, "KEN_HOME": home, "XDG_CONFIG_HOME": home}
    argv = [ken, "serve", "--toolsets", "skills", "--skill-dir", str(folder / "skills"), "--root", home]
    process = subprocess.Popen(argv, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)

    def request(number, method, params):
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        while True:
            answer = json.loads(process.stdout.readline())
            if answer.get("id") == number:
                return answer["result"]

    request(0, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                              "clientInfo": {"name": "bench", "version": "1"}})
    process.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    listed = request(1, "tools/call", {"name": "list_skills", "arguments": {}})["structuredContent"]
    where = {skill["name"]: pathlib.Path(skill["directory"]) for skill in listed["skills"]}
    hidden = len(listed["hidden"])
    for number, query in enumerate(queries, 2):
        arguments = {"task": query["query"], "limit": DEPTH}
        if ranking:
            arguments["ranking"] = ranking
        found = request(number, "tools/call", {"name": "suggest_skills", "arguments": arguments})
        names = [skill["name"] for skill in json.loads(found["content"][0]["text"])]
        yield [str((where[name] / "SKILL.md").relative_to(folder / "skills")) for name in names]
    process.stdin.close()
    process.wait()
    if hidden:
        print(f"({hidden} skills share a name with another and cannot be found)")


def plain_bm25(folder, queries):
    """The yardstick: words in lower case, no stems, no fields, k1 = 1.5, b = 0.75."""
    paths = sorted((folder / "skills").rglob("SKILL.md"))
    texts = [re.findall(r"\w+", path.read_text().lower()) for path in paths]
    average = sum(map(len, texts)) / len(texts)
    for query in queries:
        scores = [0.0] * len(texts)
        for word in set(re.findall(r"\w+", query["query"].lower())):
            having = sum(word in text for text in texts)
            rarity = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
            for index, text in enumerate(texts):
                count = text.count(word)
                scores[index] += rarity * count * 2.5 / (count + 1.5 * (0.25 + 0.75 * len(text) / average))
        order = sorted(range(len(texts)), key=lambda index: -scores[index])
        yield [str(paths[index].relative_to(folder / "skills")) for index in order[:DEPTH] if scores[index] > 0]


def figures(rankings, queries):
    gains, firsts, recalls = [], [], {1: [], 5: [], 10: []}
    for found, query in zip(rankings, queries):
        relevant = set(query["relevant"])
        hits = [rank for rank, path in enumerate(found, 1) if path in relevant]
        ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(relevant), DEPTH) + 1))
        gains.append(sum(1 / math.log2(rank + 1) for rank in hits) / ideal)
        firsts.append(1 / hits[0] if hits else 0)
        for depth, recall in recalls.items():
            recall.append(sum(rank <= depth for rank in hits) / len(relevant))
    mean = lambda values: sum(values) / len(values)
    return [mean(gains), mean(firsts), *(mean(recall) for recall in recalls.values())]


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--ken", required=True)
    arguments.add_argument("--set", type=pathlib.Path, required=True)
    arguments.add_argument("--ranking", action="append")
    given = arguments.parse_args()
    folder = given.set.resolve()
    queries = [json.loads(line) for line in (folder / "queries.jsonl").read_text().splitlines()]
    print(f"{len(queries)} prompts\n")
    print("| ranking | NDCG@10 | MRR | recall@1 | @5 | @10 |\n|---|--:|--:|--:|--:|--:|")
    show("plain BM25", figures(plain_bm25(folder, queries), queries))
    with tempfile.TemporaryDirectory() as home:
        for ranking in given.ranking or [None]:
            rankings = list(ranked(given.ken, folder, home, ranking, queries))
            show(ranking or "as it comes", figures(rankings, queries))


def show(name, values):
    print(f"| {name} | " + " | ".join(f"{value:.3f}" for value in values) + " |")


if __name__ == "__main__":
    main()
