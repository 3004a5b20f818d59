#!/usr/bin/env python3
"""Many callers at once: requests per second and latencies of `ken http` at 1, 16 and 64 connections. Prints
Markdown, and ends with 1 if a single request failed.

    load.py --ken target/release/ken --tree DIR [--tree DIR] [--seconds 8] [--wrk wrk]

Each tree is indexed into a home of its own, which is removed afterwards. `wrk` keeps its connections open and sends
the next request when the last is answered, so that what cannot be worked on waits: with many connections the
latency is the queue's. Server and `wrk` share the machine; the shares of processor time are printed."""

import argparse
import http.client
import json
import os
import pathlib
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
CLIENTS = [1, 16, 64]
QUESTIONS = ["how are retries with backoff done", "parse a url into its parts", "where is the configuration loaded",
             "walk a directory and skip ignored files", "error when the lock is held by another process",
             "close a connection gracefully", "render a tree as text", "compile a regular expression",
             "thread pool that runs jobs", "find the definition of a symbol", "retry", "Config", "parse_args"]
TEXTS = ["unwrap_or_default", "return err", "TODO", "Copyright", "no such text here", "parse", "new(", "deadlock",
         "timeout", "not found", "mutex", "close"]
PAYLOADS = [{"kind": "function"}, {"kind": "struct"}, {"filePath": "src/**"}, {"language": ["rust", "go"]},
            {"kind": "method", "startLine": {"gte": 100}}, {"isExported": True, "kind": "function"}]
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "load", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}}
JSON = "content-type: application/json"


def routes():
    """Of each row of the table: its requests, as the lines that `ask.lua` reads."""
    def posts(path, bodies):
        return [("POST", path, json.dumps({"collectionName": "load", **body}), JSON) for body in bodies]

    def call(number, question):
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {
            "name": "search_code", "_meta": META, "arguments": {"query": question, "path": "load"}}}
        return ("POST", "/mcp", json.dumps(message), JSON, "accept: application/json, text/event-stream",
                "mcp-protocol-version: 2026-07-28", "mcp-method: tools/call", "mcp-name: search_code")

    return {
        "GET /healthz": [("GET", "/healthz", "")],
        "POST /search": posts("/search", [{"query": question} for question in QUESTIONS]),
        "POST /search/fulltext": posts("/search/fulltext", [{"textQuery": text} for text in TEXTS]),
        "POST /search/fulltext, `mode: exact`": posts("/search/fulltext", [{"textQuery": text, "mode": "exact"}
                                                                           for text in TEXTS]),
        "POST /search/payload": posts("/search/payload", [{"payload": payload} for payload in PAYLOADS]),
        "POST /mcp, `search_code`": [call(number, question) for number, question in enumerate(QUESTIONS)],
    }


class Server:
    def __init__(self, ken, tree):
        self.home = tempfile.mkdtemp(prefix="ken-load-")
        environment = {**os.environ, "KEN_HOME": self.home}
        subprocess.run([ken, "index", tree, "--name", "load"], env=environment, check=True, capture_output=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process = subprocess.Popen([ken, "http", "--port", str(self.port)], env=environment, cwd=self.home,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.process.stderr.readline()  # It says where it listens as soon as it does.

    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def megabytes(self):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
        return 0

    def check(self, requests):
        """Every request once, to see that it is answered with what was asked for, and to warm up."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        for method, path, body, *headers in requests:
            connection.request(method, path, body, dict(header.split(": ", 1) for header in headers))
            answer = connection.getresponse()
            text = answer.read().decode()
            if answer.status != 200 or '"error"' in text[:40] or '"isError":true' in text:
                sys.exit(f"{path} {body}: {answer.status} {text[:300]}")

    def close(self):
        self.process.terminate()
        code = self.process.wait(30)
        shutil.rmtree(self.home, ignore_errors=True)
        if code != 0:
            sys.exit(f"the server ended with {code}")


def load(wrk, server, requests, clients, seconds):
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
        file.write("".join("\t".join(request) + "\n" for request in requests))
        file.flush()
        threads = min(2, clients)
        before, children = server.processor_seconds(), resource.getrusage(resource.RUSAGE_CHILDREN)
        out = subprocess.run([wrk, f"-t{threads}", f"-c{clients}", f"-d{seconds}s", "--timeout", "30s",
                              "-s", str(HERE / "ask.lua"), f"http://127.0.0.1:{server.port}", "--", file.name],
                             check=True, capture_output=True, text=True).stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    row = json.loads(out.strip().splitlines()[-1])
    row["cores"] = (server.processor_seconds() - before) / row["seconds"]
    row["wrk"] = (after.ru_utime + after.ru_stime - children.ru_utime - children.ru_stime) / row["seconds"]
    return row


def measure(wrk, ken, tree, seconds):
    server = Server(ken, tree)
    failures = 0
    try:
        print(f"\n### {pathlib.Path(tree).name}\n")
        print("| | clients | requests/s | p50 ms | p99 ms | longest | failed | cores: server, `wrk` |")
        print("|---|--:|--:|--:|--:|--:|--:|--:|")
        for label, requests in routes().items():
            server.check(requests)
            for clients in CLIENTS:
                row = load(wrk, server, requests, clients, seconds)
                failed = row["refused"] + row["lost"]
                failures += failed
                print(f"| {label} | {clients} | {row['requests'] / row['seconds']:,.0f} | {row['p50']:.1f} | "
                      f"{row['p99']:.1f} | {row['max']:.0f} | {failed} | {row['cores']:.1f}, {row['wrk']:.1f} |",
                      flush=True)
        print(f"\nPeak memory of the server: {server.megabytes():.0f} MB.")
    finally:
        server.close()
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ken", required=True)
    parser.add_argument("--tree", action="append", required=True)
    parser.add_argument("--seconds", type=int, default=8)
    parser.add_argument("--wrk", default="wrk")
    given = parser.parse_args()
    print(f"Load {os.getloadavg()[0]:.1f} at the start, {os.cpu_count()} cores; {given.seconds} s each")
    failures = sum([measure(given.wrk, os.path.abspath(given.ken), tree, given.seconds) for tree in given.tree])
    if failures:
        sys.exit(f"{failures} requests failed")


if __name__ == "__main__":
    main()
