#!/usr/bin/env python3
"""Backends side by side: the same tree indexed into each, the same questions asked of `ken http` in front
of each, in turns, so that a busy minute hits all of them. Prints Markdown.

    run.py --ken target/release/ken --tree DIR [--postgres URL [--postgres-pid N]]
           [--qdrant URL [--qdrant-pid N]] [--rounds 5]

The memory of a server is that of its process and of its children, as the system counts it (PSS)."""

import argparse
import http.client
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import tempfile
import time

QUESTIONS = ["how are retries with backoff done", "parse a url into its parts", "where is the configuration loaded",
             "walk a directory and skip ignored files", "error when the lock is held by another process",
             "close a connection gracefully", "render a tree as text", "compile a regular expression",
             "thread pool that runs jobs", "find the definition of a symbol"]
API = "/api/search_code"
TEXTS = ["unwrap_or_default", "fn new(", "TODO", "impl Iterator for", "no such text here"]


class Machine:
    """A home of its own, and `ken http` on it."""

    def __init__(self, name, ken, tree, settings):
        self.name, self.ken, self.tree = name, ken, tree
        self.home = tempfile.mkdtemp(prefix="ken-bench-")
        self.settings = settings
        self.server = self.connection = None

    def environment(self):
        return {**os.environ, "KEN_HOME": self.home, **self.settings}

    def index(self):
        began = time.monotonic()
        out = subprocess.run([self.ken, "index", self.tree, "--name", "bench", "--json"], env=self.environment(),
                             check=True, capture_output=True).stdout
        return time.monotonic() - began, json.loads(out)

    def serve(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.server = subprocess.Popen([self.ken, "http", "--port", str(port)], env=self.environment(),
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def ask(self, path, body):
        began = time.monotonic()
        self.connection.request("POST", path, json.dumps({"collectionName": "bench", **body} if path != API else {"path": "bench", **body}),
                                {"content-type": "application/json"})
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{self.name} {path} {body}: {answer.status} {text[:300]}")
        return (time.monotonic() - began) * 1000

    def close(self):
        if self.server:
            self.server.terminate()
            self.server.wait()
        subprocess.run([self.ken, "forget", "bench"], env=self.environment(), capture_output=True)
        shutil.rmtree(self.home, ignore_errors=True)


def memory(pid):
    """Of a process and its children, in MB; shared pages are counted once."""
    if not pid:
        return None
    total, todo = 0, [pid]
    while todo:
        one = todo.pop()
        try:
            for line in pathlib.Path(f"/proc/{one}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1])
            todo += [int(child) for task in pathlib.Path(f"/proc/{one}/task").iterdir()
                     for child in (task / "children").read_text().split()]
        except OSError:
            pass
    return total / 1024


def spread(times):
    times = sorted(times)
    return f"{statistics.median(times):.1f} / {times[int(len(times) * 0.95) - 1]:.1f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ken", required=True)
    parser.add_argument("--tree", required=True)
    parser.add_argument("--postgres")
    parser.add_argument("--postgres-pid", type=int)
    parser.add_argument("--qdrant")
    parser.add_argument("--qdrant-pid", type=int)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    tree = tempfile.mkdtemp(prefix="ken-bench-tree-")
    shutil.copytree(given.tree, tree, dirs_exist_ok=True, symlinks=True)
    machines = [(Machine("embedded", given.ken, tree, {}), None)]
    if given.postgres:
        settings = {"KEN_BACKEND": "postgres", "DATABASE_URL": given.postgres}
        machines.append((Machine("postgres", given.ken, tree, settings), given.postgres_pid))
    if given.qdrant:
        settings = {"KEN_BACKEND": "qdrant", "QDRANT_URL": given.qdrant}
        machines.append((Machine("qdrant", given.ken, tree, settings), given.qdrant_pid))
    try:
        measure(machines, tree, given.rounds)
    finally:
        for machine, _ in machines:
            machine.close()
        shutil.rmtree(tree, ignore_errors=True)


def measure(machines, tree, rounds):
    rows = {machine.name: {} for machine, _ in machines}
    load = [os.getloadavg()[0]]
    for machine, pid in machines:
        row = rows[machine.name]
        before = memory(pid) or 0
        seconds, report = machine.index()
        chunks = report.get("chunks") or report.get("code", {}).get("chunks")
        row["index"] = f"{seconds:.1f} s, {chunks / seconds:.0f} chunks/s" if chunks else f"{seconds:.1f} s"
        row["chunks"] = chunks
        row["nothing new"] = f"{machine.index()[0] * 1000:.0f} ms"
        row["server before"] = before
    sources = sorted(path for path in pathlib.Path(tree).rglob("*.*")
                     if path.suffix in (".rs", ".go", ".swift", ".ts", ".js", ".py"))[:10]
    for machine, _ in machines:
        for path in sources:
            path.write_text(path.read_text(errors="replace") + f"\n// {machine.name}\n")
        rows[machine.name]["ten files changed"] = f"{machine.index()[0] * 1000:.0f} ms"
    for machine, _ in machines:
        machine.serve()
    folders = sorted({str(path.parent.relative_to(tree)) for path in sources})
    asked = lambda **narrowed: [{"query": question, "limit": 10, **narrowed} for question in QUESTIONS]
    kinds = [("search", API, asked()),
             ("search, one folder", API, asked(file_filter=folders[0] + "/**")),
             ("search, functions only", API, asked(kind="function")),
             ("search, a glob of names", API, asked(file_filter="**/*a*")),
             ("search, nearly nothing", API, asked(kind="macro")),
             ("full text", "/search/fulltext", [{"textQuery": text, "top_k": 10} for text in TEXTS]),
             ("payload", "/search/payload", [{"payload": {"kind": "struct"}, "top_k": 10}])]
    for label, path, bodies in kinds:
        times = {machine.name: [] for machine, _ in machines}
        for machine, _ in machines:
            machine.ask(path, bodies[0])
        for _ in range(rounds):
            for body in bodies:
                for machine, _ in machines:
                    times[machine.name].append(machine.ask(path, body))
        for machine, _ in machines:
            rows[machine.name][label] = spread(times[machine.name])
        load.append(os.getloadavg()[0])
    for machine, pid in machines:
        row = rows[machine.name]
        row["`ken http`"] = f"{memory(machine.server.pid):.0f} MB"
        row["server"] = f"{memory(pid):.0f} MB" if pid else "–"
    names = [machine.name for machine, _ in machines]
    print(f"{rows[names[0]]['chunks']} chunks; load {min(load):.1f} to {max(load):.1f} on {os.cpu_count()} cores; "
          "times in ms, median / 95 %\n")
    print("| | " + " | ".join(names) + " |\n|---|" + "---|" * len(names))
    for label in ["index", "nothing new", "ten files changed"] + [kind[0] for kind in kinds] + ["`ken http`", "server"]:
        print(f"| {label} | " + " | ".join(str(rows[name].get(label)) for name in names) + " |")


if __name__ == "__main__":
    main()
