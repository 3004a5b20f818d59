"""Shared parts of the torture harnesses: a small tree with every kind of content, a client of `ken serve`, and
questions of every family. Only Python's standard library is used."""

import json
import os
import pathlib
import queue
import random
import re
import shutil
import subprocess
import threading

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]

# One question or more of each family. Answers must be the same for the same tree.
QUESTIONS = [
    ("search_code", {"query": "where are requests retried"}),
    ("search_code", {"query": "retry_3", "semantic_weight": 0.0, "limit": 20}),
    ("search_symbols", {"query": "parse"}),
    ("get_symbol", {"symbol": "retry_1"}),
    ("find_references", {"symbol": "shared_helper"}),
    ("callers", {"symbol": "shared_helper"}),
    ("callees", {"symbol": "retry_2"}),
    ("implementations", {"symbol": "Handler"}),
    ("get_file_symbols", {"file": "src/module_4.rs"}),
    ("search_code_fulltext", {"collectionName": "tree", "textQuery": "shared_helper"}),
    ("code_research", {"query": "what calls shared_helper"}),
    ("export_edges", {}),
    ("unused", {}),
    ("search_packages", {"query": "app"}),
    ("list_packages", {}),
    ("get_package", {"name": "app"}),
    ("package_dependencies", {"name": "app"}),
    ("list_specs", {}),
    ("search_specs", {"query": "sessions end after a time"}),
    ("get_spec", {"spec_id": "session"}),
    ("list_skills", {}),
    ("overview", {}),
]

# Fields that differ between two runs over the same tree.
VOLATILE = {
    "durationMs", "duration_ms", "graphMs", "graph_ms", "indexedAt", "indexed_at", "builtAt", "bytes", "databaseBytes",
    "generation", "segments", "total_duration_ms", "score", "scores", "took_ms", "age", "modified",
}


def program(name):
    """The program to test: from TORTURE_BIN, else the debug build."""
    folder = pathlib.Path(os.environ.get("TORTURE_BIN", REPOSITORY / "target" / "debug"))
    path = folder / name
    if not path.exists():
        raise SystemExit(f"{path} is missing: run `cargo build`, or set TORTURE_BIN to a folder with ken, shire and spox")
    return str(path)


def make_tree(root, files=24):
    """Writes a small tree: code in two languages, manifests, specs and a skill."""
    def put(path, text):
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    put("Cargo.toml", '[package]\nname = "app"\nversion = "0.1.0"\n[dependencies]\nserde = "1"\n'
                      'library = { path = "library" }\n')
    put("library/Cargo.toml", '[package]\nname = "library"\nversion = "0.2.0"\n')
    put("web/package.json", '{"name": "web", "version": "1.0.0", "dependencies": {"react": "^18"}}\n')
    put("src/shared.rs", "/// Helps everybody.\npub fn shared_helper(n: u32) -> u32 { n + 1 }\n"
                         "pub trait Handler { fn handle(&self) -> u32; }\n")
    put("src/lib.rs", "pub mod shared;\n" + "".join(f"pub mod module_{number};\n" for number in range(files)))
    for number in range(files):
        put(f"src/module_{number}.rs", module_text(number, 0))
        put(f"tools/script_{number}.py", f'"""Parses line {number} of a report."""\n\n\ndef parse_{number}(line):\n'
                                         f'    return line.split("{number}")[0].strip()\n')
    put("openspec/specs/session/spec.md",
        "# Session\n\n## Purpose\nSessions of users.\n\n## Requirements\n\n### Requirement: Expiry\n"
        "The system SHALL end a session after an hour.\n\n#### Scenario: Old session\n"
        "- **WHEN** a session is older than an hour\n- **THEN** the user signs in again\n")
    put(".claude/skills/release/SKILL.md",
        "---\nname: release\ndescription: Publishes a release. Use when somebody asks for one.\n---\n\n# Release\n\nTag it.\n")


def module_text(number, edit):
    return (f"use crate::shared::{{shared_helper, Handler}};\n\n/// Sends request {number} again if it fails ({edit}).\n"
            f"pub fn retry_{number}(count: u32) -> u32 {{\n    if count > {number} {{ shared_helper(count) }} else {{ {edit} }}\n}}\n\n"
            f"pub struct Service{number};\n\nimpl Handler for Service{number} {{\n"
            f"    fn handle(&self) -> u32 {{ retry_{number}({edit}) }}\n}}\n")


AGE = re.compile(r"(just now|(a|an|\d+) \w+ ago|less than a \w+ ago)")


def environment(home):
    kept = {key: value for key, value in os.environ.items() if not key.startswith("KEN_")}
    return {**kept, "KEN_HOME": str(home), "KEN_LOG": "warn", "HOME": str(pathlib.Path(home).parent / "user")}


def run(arguments, home, root, timeout=120, extra=None, **options):
    """Runs a program to its end; returns (code, stdout, stderr). The options are those of `subprocess.run`."""
    done = subprocess.run(arguments, cwd=root, env={**environment(home), **(extra or {})}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout, **options)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def index(home, root, *flags, timeout=120, extra=None, **options):
    return run([program("ken"), "index", *flags], home, root, timeout, extra, **options)


class Server:
    """A client of `ken serve` that may have many questions under way."""

    def __init__(self, home, root, *flags, extra=None, **options):
        self.process = subprocess.Popen([program("ken"), "serve", *flags], cwd=root,
                                        env={**environment(home), **(extra or {})}, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.errors = []
        self.answers = {}
        self.arrived = threading.Condition()
        self.sending = threading.Lock()
        self.next_id = 0
        self.is_over = False
        threading.Thread(target=self._read, daemon=True).start()
        self.error_reader = threading.Thread(target=self._read_errors, daemon=True)
        self.error_reader.start()
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "torture", "version": "1"}}
        self.hello = self.wait(self.send("initialize", hello))
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _write(self, message):
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError):
            pass

    def _read(self):
        for line in self.process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                message = {"id": None, "error": {"message": f"no JSON: {line[:200]}"}}
            if "id" in message and ("result" in message or "error" in message):
                with self.arrived:
                    self.answers[message["id"]] = message
                    self.arrived.notify_all()
        with self.arrived:
            self.is_over = True
            self.arrived.notify_all()

    def _read_errors(self):
        for line in self.process.stderr:
            self.errors.append(line.decode(errors="replace").rstrip())

    def send(self, method, params):
        with self.sending:
            self.next_id += 1
            number = self.next_id
            self._write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def wait(self, number, timeout=120):
        with self.arrived:
            self.arrived.wait_for(lambda: number in self.answers or self.is_over, timeout)
            return self.answers.pop(number, {"error": {"message": "no answer", "is_lost": True}})

    def ask(self, tool, arguments):
        return self.wait(self.send_tool(tool, arguments))

    def send_tool(self, tool, arguments):
        return self.send("tools/call", {"name": "operation", "arguments": {"name": tool, "arguments": arguments}})

    def ask_all(self, questions=QUESTIONS):
        return [self.ask(tool, arguments) for tool, arguments in questions]

    def close(self):
        """Ends the server; returns its exit code."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            code = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        self.error_reader.join(5)
        return code

    def has_panicked(self):
        return any("panicked at" in line for line in self.errors)


def is_error(answer):
    return "error" in answer or answer.get("result", {}).get("isError", False)


def text_of(answer):
    """The content of an answer, without the fields that differ between two runs."""
    if "error" in answer:
        return "error: " + json.dumps(answer["error"])
    parts = []
    for part in answer.get("result", {}).get("content", []):
        text = part.get("text", "")
        try:
            parts.append(json.dumps(strip(json.loads(text)), sort_keys=True))
        except ValueError:
            parts.append(text)
    return AGE.sub("some time ago", "\n".join(parts))


def strip(value):
    if isinstance(value, dict):
        return {key: strip(one) for key, one in value.items() if key not in VOLATILE}
    if isinstance(value, list):
        return [strip(one) for one in value]
    return value


def has_notice(answer):
    """True if the answer itself says that it may be wrong or old."""
    text = json.dumps(answer)
    return any(words in text for words in ("could not be brought up to date", "is behind the files", "may be behind",
                                           "damaged", "rebuil", "stale", "file changed since", "files changed since", "not indexed", "indexing did not end"))


def replace_folder(source, target):
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, symlinks=True)
