#!/usr/bin/env python3
"""Bytes of answers about a name, beside those of `rg -n -w NAME`. Prints Markdown.

    bytes.py --ken target/release/ken --symbols 20 ROOT ROOT ROOT

The symbols are an even sample of the called names of each root, from one call to the most. `same lines` is what
`rg -n` prints for exactly the lines that the answer lists; for definitions, for their first lines. `rg -n -w` is what
it prints for all lines with the name. ripgrep itself is not started: its format is `path:line:text`.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from client import Server  # noqa: E402

TOOLS = {
    "callers": "symbol", "callees": "symbol", "find_references": "symbol", "implementations": "symbol",
    "search_symbols": "query", "get_symbol": "symbol",
}


def lines_of(answer):
    """The lines that a structured answer lists, as (path, line)."""
    for row in answer.get("callers") or []:
        yield from ((row["path"], line) for line in row["at"])
    for row in answer.get("callees") or []:
        yield from ((None, line) for line in row["at"])
    for name in ("references", "implementations", "symbols"):
        yield from ((row["path"], row["line"]) for row in answer.get(name) or [])
    for file in answer.get("unresolved") or []:
        for text in file.get("calls", []) + file.get("mentions", []):
            yield file["path"], int(text.split(":")[0])
    for row in answer.get("definitions") or []:
        yield row["path"], row["line"]


def sample(ken, root, environment, count):
    text = subprocess.run([ken, "export-edges", "--files", "2000", "--json"], cwd=root, env=environment, check=True,
                          capture_output=True, text=True).stdout
    calls = collections.Counter()
    for edge in json.loads(text)["edges"]:
        for callee in edge["callees"]:
            if callee.get("symbol"):
                calls[callee["symbol"]] += 1
    names = [name for name, _ in sorted(calls.items(), key=lambda one: (one[1], one[0]))]
    step = max(1, len(names) // count)
    return names[step - 1::step][-count:]


def grep(root, pattern):
    size = 0
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if not path.is_file() or path.is_symlink() or name.startswith(".git/"):
            continue
        text = path.read_text(errors="replace")
        size += sum(len(f"{name}:{n}:{line}\n".encode()) for n, line in enumerate(text.split("\n"), 1)
                    if pattern.search(line))
    return size


def shown(root, lines, home):
    size = 0
    for path, line in set(lines):
        path = path or home
        text = (root / path).read_text(errors="replace").split("\n")
        size += len(f"{path}:{line}:{text[line - 1]}\n".encode())
    return size


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ken", required=True)
    parser.add_argument("--symbols", type=int, default=20)
    parser.add_argument("roots", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    ken = str(pathlib.Path(arguments.ken).resolve())
    found = collections.defaultdict(list)
    for at, root in enumerate(arguments.roots):
        share = [arguments.symbols // len(arguments.roots) + (at < arguments.symbols % len(arguments.roots))][0]
        with tempfile.TemporaryDirectory() as home:
            environment = {**os.environ, "KEN_HOME": home, "HOME": home}
            subprocess.run([ken, "index"], cwd=root, env=environment, check=True, capture_output=True)
            server = Server([ken, "serve", "--toolsets", "all", "--root", str(root)], root, environment)
            for symbol in sample(ken, root, environment, share):
                name = symbol.rsplit(".", 1)[-1]
                whole = grep(root, re.compile(rf"(?<!\w){re.escape(name)}(?!\w)"))
                for tool, argument in TOOLS.items():
                    text = server.call(tool, {argument: symbol})[0]
                    answer = server.structured(tool, {argument: symbol})
                    defined = answer.get("definitions") or [{}]
                    same = shown(root, lines_of(answer), defined[0].get("path"))
                    found[tool].append((len(text.encode()), same, whole, symbol))
            server.close()
    print("| tool | answer | same lines | ratio | worst | rg -n -w NAME | ratio |\n|---|--:|--:|--:|--:|--:|--:|")
    for tool, rows in found.items():
        answer, same, whole = (sum(row[column] for row in rows) for column in range(3))
        worst = max(rows, key=lambda row: row[0] / max(row[1], 1))
        print(f"| {tool} | {answer:,} | {same:,} | {answer / max(same, 1):.2f} | "
              f"{worst[0] / max(worst[1], 1):.2f} ({worst[3]}) | {whole:,} | {answer / max(whole, 1):.2f} |")
    ratios = [row[0] / max(row[1], 1) for row in found["callers"]]
    print(f"\n{len(ratios)} symbols; median ratio of callers {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
