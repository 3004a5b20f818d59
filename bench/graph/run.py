"""How long the code graph takes: making it, mending it after an edit, asking it.

    run.py TREE [--questions N]            KEN is the program (default: ken)

The tree is copied nowhere: one file of it is edited and put back. Questions go over one connection of
`ken serve`, so that they are timed without starting a program; the first of each kind is not counted.
What is asked about is drawn from the callees of all edges, each definition once, with a fixed seed.
"""

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import tempfile
import time

KEN = os.environ.get("KEN", "ken")
if os.sep in KEN:
    KEN = os.path.abspath(KEN)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tree")
    parser.add_argument("--questions", type=int, default=300)
    args = parser.parse_args()
    tree = os.path.abspath(args.tree)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as home:
        environment = dict(os.environ, KEN_HOME=home)
        whole = index(tree, environment, "--force")
        share = whole["graphMs"] / whole["durationMs"]
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"index {whole['durationMs']} ms, {whole['files']} files; of that resolution {whole['graphMs']} ms "
              f"({share:.0%}); {whole['worked']:.1f} s of processor time; {memory:.0f} MB at most")
        callees = definitions(tree, environment)
        edits(tree, environment, callees)
        questions(tree, environment, callees, args.questions)


def index(tree, environment, *options):
    command = [KEN, "index", tree, "--json", *options]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    worked = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return dict(json.loads(done.stdout), worked=worked)


def definitions(tree, environment):
    """What is called, as path:line, with how often."""
    command = [KEN, "edges", "--kind", "calls", "--jsonl"]
    lines = subprocess.Popen(command, cwd=tree, env=environment, stdout=subprocess.PIPE, text=True)
    found = {}
    for line in lines.stdout:
        for callee in json.loads(line)["callees"]:
            place = f"{callee['path']}:{callee['line']}"
            found[place] = found.get(place, 0) + 1
    lines.wait()
    return found


def edits(tree, environment, callees):
    # The file of the definition that is called most, and one in the middle.
    order = sorted(callees, key=lambda place: (callees[place], place))
    for what, place in (("a busy file", order[-1]), ("an ordinary file", order[len(order) // 2])):
        path = os.path.join(tree, place.rsplit(":", 1)[0])
        with open(path, "rb") as file:
            text = file.read()
        comment = b"# " if path.endswith(".py") else b"// "
        try:
            for edit, changed in (
                ("a comment", text + b"\n" + comment + b"edited\n"),
                ("all definitions gone", comment + b"nothing\n"),
                ("all back", text),
            ):
                with open(path, "wb") as file:
                    file.write(changed)
                done = index(tree, environment)
                print(f"edit of {what}, {edit}: {done['durationMs']} ms, of that resolution {done['graphMs']} ms "
                      f"of {done['resolved']} files; {done['worked']:.2f} s of processor time")
        finally:
            with open(path, "wb") as file:
                file.write(text)


def questions(tree, environment, callees, count):
    places = sorted(callees)
    random.Random(1).shuffle(places)
    server = Server(tree, environment)
    for name, arguments in (
        ("callers", lambda place: ("callers", {"symbol": place})),
        ("code_research, depth 3", lambda place: ("code_research", {"query": f"what calls {place}", "depth": 3})),
        ("implementations", lambda place: ("implementations", {"symbol": place})),
    ):
        times, works = [], []
        for place in places[: count + 1]:
            started, worked = time.perf_counter(), server.worked()
            server.call(*arguments(place))
            times.append((time.perf_counter() - started) * 1000)
            works.append(server.worked() - worked)
        print(f"{name}: {spread(times[1:])}; processor time {spread(works[1:])}; of {count}")
    print(f"server: {server.memory():.0f} MB at most")
    server.end()


def spread(times):
    times = sorted(times)
    return f"p50 {statistics.median(times):.2f} ms, p95 {times[int(len(times) * 0.95)]:.2f} ms"


class Server:
    def __init__(self, tree, environment):
        self.process = subprocess.Popen([KEN, "serve", "--root", tree], env=environment, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.number = 0
        client = {"name": "bench", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def ask(self, method, parameters):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters})
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.number:
                return answer

    def call(self, tool, arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def worked(self):
        """Processor time of all threads so far, in ms: what a loaded machine does not change much."""
        total = 0
        for thread in os.listdir(f"/proc/{self.process.pid}/task"):
            try:
                with open(f"/proc/{self.process.pid}/task/{thread}/schedstat") as file:
                    total += int(file.read().split()[0])
            except OSError:
                pass
        return total / 1e6

    def memory(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            peak = next(line for line in file if line.startswith("VmHWM"))
        return int(peak.split()[1]) / 1024

    def end(self):
        self.process.stdin.close()
        self.process.wait()


if __name__ == "__main__":
    main()
