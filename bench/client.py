"""An MCP server over pipes, one call at a time, for the harnesses."""

import json
import pathlib
import re
import subprocess
import sys
import time


class Server:
    def __init__(self, argv, cwd, environment):
        self.process = subprocess.Popen(argv, cwd=cwd, env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=1 << 20)
        self.count = 0
        self.hello = self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                                 "clientInfo": {"name": "bench", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method, parameters):
        return self.timed(method, parameters)[0]

    def timed(self, method, parameters):
        """The answer, and the seconds from the first byte out to its last byte in."""
        self.count += 1
        message = {"jsonrpc": "2.0", "id": self.count, "method": method, "params": parameters}
        started = time.perf_counter()
        self.send(message)
        while True:
            line = self.process.stdout.readline()
            taken = time.perf_counter() - started
            if not line:
                sys.exit(f"{method} {parameters}: the server ended")
            answer = json.loads(line)
            if answer.get("id") != self.count:
                continue
            if "error" in answer:
                sys.exit(f"{method} {parameters}: {answer['error']}")
            return answer["result"], taken

    def call(self, tool, arguments):
        """The text of the answer, and the seconds that it took."""
        result, taken = self.timed("tools/call", {"name": tool, "arguments": arguments})
        text = result["content"][0]["text"]
        if result.get("isError"):
            sys.exit(f"{tool} {arguments}: {text}")
        return text, taken

    def answer(self, tool, arguments):
        text = self.call(tool, arguments)[0]
        try:
            return json.loads(text)
        except ValueError:
            return self.structured(tool, arguments)

    def structured(self, tool, arguments):
        """The answer as data, which our own tools give only to clients that ask for it."""
        parameters = {"name": tool, "arguments": arguments, "_meta": {"kenning/structuredContent": True}}
        return self.request("tools/call", parameters)["structuredContent"]

    def peak_mebibytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s*(\d+)", status)[1]) / 1024

    def close(self):
        self.process.stdin.close()
        self.process.wait(15)
