#!/usr/bin/env python3
"""Measures skills and prints Markdown: the scan at the start, memory, `skill` over one stdio
connection while nothing happens and while files change and the registry is swapped all the time,
and how soon a change is seen.

    run.py --ken target/release/ken --tree DIR
"""

import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import tempfile
import threading
import time

CALLS = 2000
STARTS = 15
CHANGES = 20


class Server:
    """`ken serve --profile skills` over pipes."""

    def __init__(self, ken, tree, home, **settings):
        environment = {**os.environ, "HOME": home, "KEN_HOME": home, "XDG_CONFIG_HOME": home, **settings}
        environment.pop("CLAUDE_CONFIG_DIR", None)
        self.process = subprocess.Popen([ken, "serve", "--profile", "skills"], cwd=tree, env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.count = 0
        self.told = 0
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                    "clientInfo": {"name": "bench", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self):
        message = json.loads(self.process.stdout.readline())
        if message.get("method") == "notifications/tools/list_changed":
            self.told += 1
        return message

    def request(self, method, params):
        self.count += 1
        self.send({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self.count:
                return message["result"]

    def skill(self, name):
        return self.request("tools/call", {"name": "skill", "arguments": {"name": name}})

    def peak_mebibytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) / 1024

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def first_list(ken, tree, home):
    """From the start of the process to the list of all skills."""
    started = time.perf_counter()
    server = Server(ken, tree, home)
    listed = server.request("tools/list", {})
    taken = time.perf_counter() - started
    lines = listed["tools"][0]["description"].count("\n- ")
    server.close()
    return taken * 1000, lines


def calls(server, names):
    taken = []
    for number in range(CALLS):
        started = time.perf_counter()
        server.skill(names[number * 7 % len(names)])
        taken.append((time.perf_counter() - started) * 1000)
    return taken


def while_changing(folder, text, done):
    number = 0
    while not done.is_set():
        number += 1
        (folder / "next").write_text(text.replace("\n---\n", f" {number}\n---\n", 1))
        os.replace(folder / "next", folder / "SKILL.md")
        time.sleep(0.001)
    (folder / "SKILL.md").write_text(text)


def delay(server, folder, text):
    """From the end of a write until the client is told."""
    taken = []
    for number in range(CHANGES):
        (folder / "SKILL.md").write_text(text.replace("\n---\n", f" change {number}\n---\n", 1))
        started = time.perf_counter()
        before = server.told
        while server.told == before:
            server.receive()
        taken.append((time.perf_counter() - started) * 1000)
    (folder / "SKILL.md").write_text(text)
    return taken


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--ken", required=True)
    arguments.add_argument("--tree", type=pathlib.Path, required=True)
    given = arguments.parse_args()
    folders = sorted((given.tree / ".claude" / "skills").iterdir())
    names = [folder.name for folder in folders]
    text = (folders[0] / "SKILL.md").read_text()
    ken = str(pathlib.Path(given.ken).resolve())
    print(f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, {len(names)} skills\n")
    print("| | p50 ms | p95 ms |\n|---|--:|--:|")
    with tempfile.TemporaryDirectory() as home:
        starts = [first_list(ken, given.tree, home) for _ in range(STARTS)]
        row(f"start, scan and first `tools/list` ({starts[0][1]} names)", [taken for taken, _ in starts])
        quiet = Server(ken, given.tree, home)
        row("`skill`, nothing changes", calls(quiet, names))
        peaks = [("after that", quiet.peak_mebibytes())]
        quiet.close()
        busy = Server(ken, given.tree, home, KEN_SKILLS_REFRESH_MS="1")
        done = threading.Event()
        writer = threading.Thread(target=while_changing, args=(folders[0], text, done))
        writer.start()
        row("`skill`, the registry swapped as fast as it goes", calls(busy, names))
        done.set()
        writer.join()
        peaks.append(("after swapping", busy.peak_mebibytes()))
        told = busy.told
        busy.close()
        # Without a limit the list shows descriptions, so that a changed one is news.
        slow = Server(ken, given.tree, home, KEN_SKILLS_DESCRIPTION_LIMIT="0")
        slow.request("tools/list", {})
        (folders[0] / "SKILL.md").write_text(text)
        row("a changed file until `tools/list_changed`", delay(slow, folders[0], text))
        slow.close()
    shown = ", ".join(f"{peak:.0f} MiB {when}" for when, peak in peaks)
    print(f"\nPeak memory: {shown}. Swaps that a client was told of while it called: {told}.")


def row(what, taken):
    print(f"| {what} | {statistics.median(taken):.2f} | {percentile(taken, 0.95):.2f} |")


if __name__ == "__main__":
    main()
