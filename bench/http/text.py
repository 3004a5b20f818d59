#!/usr/bin/env python3
"""Full text beside ripgrep: how long a literal or an expression takes over one connection to a server,
and how long `rg` takes for the same in the same tree. Prints Markdown.

    text.py --ken target/release/ken --tree DIR [--tree DIR]

The trees must be indexed, with tests; KEN_HOME says where. `all` asks for every place (up to 1000 results),
`ten` for the first ten, as agents do. The two programs take turns, so that a busy minute hits both.
ripgrep prints every line; a server that is asked for ten stops when it has enough."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import time

LITERALS = ["parse_url", "unwrap_or_default", "return err", "nil {", "TODO", "fn new(", "Kubelet", "mutex", "deadlock",
            "=> {", "rser::", "no such text here", "Copyright", "spec.template", "hir_def"]
EXPRESSIONS = [r"fn \w+_tests?\b", r"func \(\w+ \*?\w+\) Close\(", r"(?i)dead.?lock", r"impl<.*> \w+ for",
               r"err(or)? != nil.*return", r"[A-Z]{12,}", r"TODO\(\w+\)"]
ROUNDS = 3


class Server:
    """An MCP server over pipes, one call at a time."""

    def __init__(self, ken):
        self.process = subprocess.Popen([ken, "serve", "--profile", "code-indexer"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.count = 0
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                    "clientInfo": {"name": "bench", "version": "1"}})

    def request(self, method, parameters):
        self.count += 1
        message = {"jsonrpc": "2.0", "id": self.count, "method": method, "params": parameters}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("id") == self.count:
                return message

    def find(self, collection, text, mode, top_k):
        arguments = {"textQuery": text, "collectionName": collection, "mode": mode, "top_k": top_k}
        started = time.perf_counter()
        answer = self.request("tools/call", {"name": "search_code_fulltext", "arguments": arguments})
        took = time.perf_counter() - started
        # An expression that takes more than five seconds is refused; its time counts all the same.
        if "error" in answer:
            print(f"refused: {text}: {answer['error']['message']}")
        return took * 1e3


def ripgrep(tree, text, flags):
    started = time.perf_counter()
    subprocess.run(["rg", "--no-config", "--line-number", *flags, "-e", text, "."], cwd=tree, check=False,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return (time.perf_counter() - started) * 1e3


def row(name, times):
    times = sorted(times)
    p95 = times[int((len(times) - 1) * 0.95)]
    print(f"| {name} | {statistics.median(times):.1f} | {p95:.1f} | {times[-1]:.1f} |")


def measure(server, tree):
    collection = pathlib.Path(tree).name
    server.find(collection, "warm", "exact", 10)
    times = {}
    for _ in range(ROUNDS):
        for mode, flags, texts in [("exact", ["-F"], LITERALS), ("regex", [], EXPRESSIONS)]:
            for text in texts:
                times.setdefault((mode, "ten"), []).append(server.find(collection, text, mode, 10))
                times.setdefault((mode, "all"), []).append(server.find(collection, text, mode, 1000))
                times.setdefault((mode, "rg"), []).append(ripgrep(tree, text, flags))
    print(f"\n### {collection}\n\n| ms | p50 | p95 | max |\n|---|---|---|---|")
    for mode in ["exact", "regex"]:
        row(f"{mode}, ten results", times[mode, "ten"])
        row(f"{mode}, up to 1000 results", times[mode, "all"])
        row("`rg -F`" if mode == "exact" else "`rg`", times[mode, "rg"])


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--ken", required=True)
parser.add_argument("--tree", action="append", required=True)
arguments = parser.parse_args()
print(f"Load at the start: {os.getloadavg()[0]:.1f}")
server = Server(os.path.abspath(arguments.ken))
for tree in arguments.tree:
    measure(server, tree)
