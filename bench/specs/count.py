#!/usr/bin/env python3
"""Whether specs are read completely: what `ken` finds against a count that knows no Markdown parser.

    bench/specs/count.py --ken target/debug/ken ROOT...

The count goes line by line, skips what stands between fences and in comments, and takes every
heading that says Requirement or Scenario, and every clause that begins with a bold keyword. Exits 1
on any difference.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HEADING = re.compile(r"^ {0,3}(#{2,6})[ \t]+(requirement|scenario)[ \t]*[:：](.*?)(?:[ \t]#+)?[ \t]*$", re.I)
CLAUSE = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+\*\*(given|when|then|and|but):?\*\*", re.I)
FENCE = re.compile(r"^\s*(?:(?:[-*+]|\d+[.)])\s+)*(`{3,}|~{3,})(.*)$")


def count(text):
    """[(requirement, [(scenario, clauses)])] outside of fences and comments. A scenario behind
    another section belongs to no requirement; it is left out here, and reported by `ken`."""
    found, fence, comment, is_open = [], None, False, False
    for line in text.lstrip("\ufeff").replace("\r\n", "\n").split("\n"):
        mark = FENCE.match(line)
        if fence:
            if mark and mark[1][0] == fence[0] and len(mark[1]) >= len(fence) and not mark[2].strip():
                fence = None
            continue
        if comment:
            comment = "-->" not in line
            continue
        if mark and not (mark[1][0] == "`" and "`" in mark[2]):
            fence = mark[1]
            continue
        if line.lstrip().startswith("<!--") and "-->" not in line:
            comment = True
            continue
        heading = HEADING.match(line)
        if heading:
            name = " ".join(heading[3].split())
            if heading[2].lower() == "requirement":
                found.append((name, []))
                is_open = True
            elif is_open:
                found[-1][1].append([name, 0])
        elif re.match(r"^ {0,3}##?[ \t]", line):
            is_open = False
        elif CLAUSE.match(line) and is_open and found[-1][1]:
            found[-1][1][-1][1] += 1
    return [(name, [tuple(scenario) for scenario in scenarios]) for name, scenarios in found]


class Ken:
    """`ken serve` on a pipe."""

    def __init__(self, binary, root):
        environment = {**os.environ, "KEN_HOME": tempfile.mkdtemp()}
        command = [os.path.abspath(binary), "serve", "--root", root, "--toolsets", "specs"]
        self.server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        hello = {"protocolVersion": "2025-06-18", "capabilities": {},
                 "clientInfo": {"name": "count", "version": "1"}}
        self.request("initialize", hello)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.server.stdin.write(json.dumps(message) + "\n")
        self.server.stdin.flush()

    def request(self, method, parameters):
        self.send({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters})
        while True:
            message = json.loads(self.server.stdout.readline())
            if message.get("id") == 1:
                return message["result"]

    def call(self, tool, arguments):
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise SystemExit(f"{tool} {arguments}: {result['content'][0]['text']}")
        return result["structuredContent"]

    def close(self):
        self.server.stdin.close()
        self.server.wait()


def compare(what, expected, found):
    """Names of requirements and scenarios, in order."""
    expected = [(name, [scenario for scenario, _ in scenarios]) for name, scenarios in expected]
    if expected == found:
        return 0
    print(f"  {what} differs")
    for a, b in zip(expected + [None] * len(found), found + [None] * len(expected)):
        if a != b:
            print(f"    counted {a}\n    read    {b}")
            break
    return 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ken", default="target/debug/ken")
    parser.add_argument("roots", nargs="+")
    arguments = parser.parse_args()
    differences = 0
    for root in arguments.roots:
        ken = Ken(arguments.ken, root)
        listed = ken.call("list_specs", {})
        totals = {"specs": 0, "requirements": 0, "scenarios": 0, "clauses": 0, "deltas": 0}
        for spec in listed["specs"]:
            text = ken.call("get_spec", {"spec_id": spec["id"]})["text"]
            expected = count(text)
            requirements = ken.call("get_spec_requirements", {"spec_id": spec["id"]})["requirements"]
            names = [(one["name"], one["scenario_count"]) for one in requirements]
            counted = [(name, len(scenarios)) for name, scenarios in expected]
            if names != counted:
                differences += 1
                print(f"  {spec['id']}: counted {counted}\n  read {names}")
            totals["specs"] += 1
            totals["requirements"] += len(expected)
            totals["scenarios"] += sum(len(scenarios) for _, scenarios in expected)
            for name, scenarios in expected:
                for scenario, clauses in scenarios:
                    totals["clauses"] += clauses
                    differences += check_clauses(ken, spec["id"], name, scenario, clauses)
        for change in ken.call("list_changes", {})["changes"]:
            whole = ken.call("get_change", {"change_id": change["id"], "section": "deltas"})
            for delta in whole["deltas"]:
                totals["deltas"] += 1
                path = delta_path(root, change["id"], delta["capability"])
                with open(path, encoding="utf-8") as file:
                    expected = [one for one in count(file.read())]
                items = [one for one in delta["items"] if one["operation"] != "RENAMED"]
                found = [(one["name"], one["scenarios"]) for one in items]
                differences += compare(f"{change['id']}/{delta['capability']}", expected, found)
        ken.close()
        print(f"{root}: {totals}, problems: {len(listed.get('problems', []))}")
    print("no difference" if not differences else f"{differences} differences")
    sys.exit(bool(differences))


def check_clauses(ken, spec, requirement, scenario, clauses):
    asked = {"spec_id": spec, "requirement": requirement, "scenario": scenario}
    answer = ken.call("get_scenario", asked)
    lines = [answer.get("given", ""), answer["when"]]
    read = len(answer["then"])
    for text in filter(None, lines):
        read += 1 + len(re.findall(r"^(?:GIVEN|WHEN|AND|BUT) ", text, re.M))
    if read < clauses:
        print(f"  {spec} / {requirement} / {scenario}: counted {clauses} clauses, read {read}")
        return 1
    return 0


def delta_path(root, change, capability):
    for folder in ("openspec/changes", "specs/_changes"):
        path = os.path.join(root, folder, change, "specs", capability, "spec.md")
        if os.path.exists(path):
            return path
    raise SystemExit(f"no delta for {change}/{capability} below {root}")


if __name__ == "__main__":
    main()
