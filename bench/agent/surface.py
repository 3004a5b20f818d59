#!/usr/bin/env python3
"""Bytes that an MCP server costs before any question: its tool list and its instructions. Prints Markdown.

    surface.py --ken target/release/ken [--root DIR] [--rival 'NAME=COMMAND ARGUMENTS' …]

Each server gets one handshake and one `tools/list` in DIR; without it, in a folder with one manifest. Counted is the
compact JSON of `tools`, and the text of `instructions`. Tokens are bytes divided by four.
"""

import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from client import Server  # noqa: E402

PROFILES = [
    ("ken serve", []),
    ("ken serve --toolsets agent", ["--toolsets", "agent"]),
    ("ken serve --toolsets all", ["--toolsets", "all"]),
    *((f"ken serve --profile {name}", ["--profile", name])
      for name in ("swiftindex", "shire", "spox", "code-indexer", "skills")),
]


def measure(name, command, root, environment):
    try:
        server = Server(command, root, environment)
    except (SystemExit, OSError):
        print(f"| {name} | does not start | | | |", flush=True)
        return
    instructions = server.hello.get("instructions") or ""
    tools = server.request("tools/list", {})["tools"]
    size = len(json.dumps(tools, ensure_ascii=False, separators=(",", ":")).encode())
    said = len(instructions.encode())
    print(f"| {name} | {len(tools)} | {size:,} | {said:,} | {(size + said) // 4:,} |", flush=True)
    server.process.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ken", required=True)
    parser.add_argument("--root", type=pathlib.Path)
    parser.add_argument("--rival", action="append", default=[])
    arguments = parser.parse_args()
    ken = str(pathlib.Path(arguments.ken).resolve())
    print("| server | tools | tools/list | instructions | tokens |\n|---|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as top:
        root = arguments.root or pathlib.Path(top) / "tree"
        root.mkdir(exist_ok=True)
        if not arguments.root:
            (root / "package.json").write_text('{"name": "sample", "version": "1.0.0"}')
        environment = {**os.environ, "KEN_HOME": top, "HOME": top}
        # The profile of packages does not start without an index.
        subprocess.run([ken, "index"], cwd=root, env=environment, check=True, capture_output=True)
        for name, options in PROFILES:
            measure(name, [ken, "serve", *options], root, environment)
        for rival in arguments.rival:
            name, command = rival.split("=", 1)
            measure(name, shlex.split(command), root, os.environ)


if __name__ == "__main__":
    main()
