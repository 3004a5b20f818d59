#!/usr/bin/env python3
"""Load: 64 HTTP clients and 500 pipelined calls on standard input while the tree is indexed again.

    tests/torture/load.py                  half a minute
    tests/torture/load.py --seconds 600    by hand

No call may fail. Prints how long answers took (median, 99th percentile)."""

import argparse
import collections
import http.client
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

import common

QUESTIONS = [question for question in common.QUESTIONS if question[0] not in ("unused", "export_edges")]


class Load:
    def __init__(self, folder, seconds):
        self.home, self.tree = pathlib.Path(folder) / "home", pathlib.Path(folder) / "tree"
        common.make_tree(self.tree, files=40)
        assert common.index(self.home, self.tree)[0] == 0
        self.end = time.monotonic() + seconds
        self.failures = collections.Counter()
        self.times = {"HTTP": [], "stdio": []}

    def reindex(self):
        rng = random.Random(1)
        while time.monotonic() < self.end:
            number = rng.randrange(40)
            (self.tree / f"src/module_{number}.rs").write_text(common.module_text(number, rng.randrange(1000)))
            flags = ["--force"] if rng.random() < 0.3 else []
            code, _, stderr = common.index(self.home, self.tree, *flags)
            if code != 0:
                self.failures[f"ken index: {stderr.strip()[-200:]}"] += 1

    def http_client(self, port, number):
        rng = random.Random(number)
        while time.monotonic() < self.end:
            tool, arguments = rng.choice(QUESTIONS)
            began = time.monotonic()
            try:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
                connection.request("POST", f"/api/{tool}", json.dumps(arguments), {"Content-Type": "application/json"})
                answer = connection.getresponse()
                body = answer.read()
                if answer.status != 200:
                    self.failures[f"HTTP {answer.status} {tool}: {body[:200].decode(errors='replace')}"] += 1
                connection.close()
            except OSError as error:
                self.failures[f"HTTP {tool}: {error}"] += 1
            self.times["HTTP"].append(time.monotonic() - began)

    def stdio(self):
        server = common.Server(self.home, self.tree)
        rng = random.Random(0)
        while time.monotonic() < self.end:
            asked = [rng.choice(QUESTIONS) for _ in range(500)]
            began = time.monotonic()
            numbers = [server.send_tool(tool, arguments) for tool, arguments in asked]
            for (tool, _), number in zip(asked, numbers):
                answer = server.wait(number, 300)
                self.times["stdio"].append(time.monotonic() - began)
                if common.is_error(answer):
                    self.failures[f"stdio {tool}: {common.text_of(answer)[:200]}"] += 1
        server.close()
        if server.has_panicked():
            self.failures["panic on stdio"] += 1

    def run(self):
        server = subprocess.Popen([common.program("ken"), "http", "--port", "0"], cwd=self.tree,
                                  env=common.environment(self.home), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for line in server.stderr:
            found = re.search(rb"listening on http://[^:]+:(\d+)", line)
            if found:
                break
        lines = []
        threading.Thread(target=lambda: lines.extend(server.stderr), daemon=True).start()
        port = int(found[1])
        threads = [threading.Thread(target=self.http_client, args=(port, number)) for number in range(64)]
        threads += [threading.Thread(target=self.reindex), threading.Thread(target=self.stdio)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        server.terminate()
        server.wait(30)
        if any(b"panicked at" in line for line in lines):
            self.failures["panic over HTTP"] += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--folder", default=None)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        load = Load(folder, options.seconds)
        load.run()
    for name, times in load.times.items():
        times.sort()
        print(f"{name}: {len(times)} answers, median {times[len(times) // 2] * 1000:.0f} ms, "
              f"99th percentile {times[len(times) * 99 // 100] * 1000:.0f} ms")
    for failure, count in load.failures.most_common():
        print(f"{count} times: {failure}")
    print(f"{sum(load.failures.values())} failures")
    return 1 if load.failures else 0


if __name__ == "__main__":
    sys.exit(main())
