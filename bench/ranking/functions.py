#!/usr/bin/env python3
"""From a report to the functions that were changed for it, and to their files. Prints Markdown.

    functions.py --ken target/release/ken --set tasks.jsonl --mirror DIR --keep DIR [--granularity function|chunk]
                 [--only OWNER/NAME …] [--limit N] [--dump FILE]

Each line of the set has `repository`, `parent`, `fix`, `title` and `text`: the fix is the commit that was made for the
report, the tree is that of its parent. --mirror has a bare clone of each repository under OWNER+NAME/repo. What
changed is read from git: the lines of code, not of tests, that the fix removed or added lines beside, and the
outermost functions that hold them. A task counts if all of them are in 1 to 3 functions. A hit counts for the
functions whose lines it shares; all changed locations have to be among the first k.

--lean       lays out code alone, without tests and documents: faster to index
--keep DIR   keeps trees and indexes, so that a second run only asks
--dump FILE  writes the parts of each score, for `fit.py`; run it with all weights at 1
"""

import argparse
import collections
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from client import Server  # noqa: E402

HITS = 60
LONGEST = 8000
CALLABLE = {"function", "method", "initializer", "deinitializer", "subscript", "macro"}
LEAN = (".py", ".rs", ".go", ".js", ".ts", ".rb", ".java", ".kt", ".c", ".h", ".cc", ".cpp", ".php", ".lua", ".swift")
TESTS = re.compile(r"(^|/)(tests?|testing|spec|__tests__|test_[^/]*|bench\w*|docs?|examples?)/|(^|/)test_[^/]*$|[._]test\.|_spec\.|"
                   r"(^|/)conftest\.py$|Tests?\.\w+$", re.I)
HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+")


def git(clone, *arguments):
    command = ["git", "-c", "core.quotepath=false", "-C", str(clone), *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "replace")


def lay_out(clone, commit, root, is_lean):
    root.mkdir(parents=True)
    command = ["git", "-C", clone, "archive", commit]
    if is_lean:
        listed = git(clone, "ls-tree", "-r", "--name-only", commit).splitlines()
        command += [path for path in listed if path.endswith(LEAN) and not TESTS.search(path)]
    archive = subprocess.Popen(command, stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", root], stdin=archive.stdout, check=True)
    if archive.wait():
        raise subprocess.CalledProcessError(1, "git archive")


def changed_lines(clone, task):
    """Path → [(first, last)] of the parent's lines; an insertion has the two lines around it."""
    found, path = collections.defaultdict(list), None
    patch = git(clone, "diff", "-U0", "--no-renames", "--no-color", "--no-ext-diff", task["parent"], task["fix"])
    for line in patch.split("\n"):
        if line.startswith("--- "):
            path = line[6:] if line.startswith("--- a/") and not TESTS.search(line[6:]) else None
        elif path and (match := HUNK.match(line)):
            first, count = int(match[1]), int(match[2]) if match[2] is not None else 1
            found[path].append((first, first + 1) if count == 0 else (first, first + count - 1))
    return found


def functions_of(server, path):
    """(name, first line, last line) of the outermost functions of a file."""
    try:
        reply = server.answer("get_file_symbols", {"file": path, "budget": 100000})
    except SystemExit:
        return []
    found = []
    for row in reply["symbols"]:
        first, last = (int(line) for line in re.findall(r"\d+", row["lines"] + "-" + row["lines"])[:2])
        if row["kind"] in CALLABLE and not any(a <= first and last <= b for _, a, b in found):
            found.append((row["name"], first, last))
    return found


def truth(server, clone, task):
    """The changed functions; nothing if code outside of functions changed alone."""
    changed = set()
    for path, places in changed_lines(clone, task).items():
        functions = functions_of(server, path)
        for first, last in places:
            changed |= {(path, *one) for one in functions if one[1] <= last and first <= one[2]}
    return sorted(changed)


def ranked_functions(server, hits, outlines):
    ranked = []
    for hit in hits:
        path = hit["path"]
        if path not in outlines:
            outlines[path] = functions_of(server, path)
        shared = [one for one in outlines[path] if one[1] <= hit["endLine"] and hit["startLine"] <= one[2]]
        ranked += [(path, *one) for one in shared if (path, *one) not in ranked]
    return ranked


def figures(hits, ranked, changed):
    files = list(dict.fromkeys(hit["path"] for hit in hits))
    relevant = {path for path, *_ in changed}
    gain = sum(1 / math.log2(place + 2) for place, path in enumerate(files[:10]) if path in relevant)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(10, len(relevant))))
    row = {f"file @{k}": 100 * relevant.issubset(files[:k]) for k in (1, 3, 5)}
    row |= {f"function @{k}": 100 * set(changed).issubset(ranked[:k]) for k in (5, 10)}
    return row | {"file NDCG@10": gain / ideal}


def ask(options, clone, task):
    home = options.keep.resolve() / f"{task['repository'].replace('/', '+')}-{task['fix'][:12]}"
    root = home / "tree"
    environment = {**os.environ, "KEN_HOME": str(home / "ken"), "HOME": str(home)}
    if not (home / "ready").exists():
        lay_out(clone, task["parent"], root, options.lean)
        subprocess.run([options.ken, "index"], cwd=root, env=environment, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        (home / "ready").touch()
    server = Server([options.ken, "serve", "--root", str(root)], root, environment)
    known = home / "changed.json"
    if not known.exists():
        known.write_text(json.dumps(truth(server, clone, task)))
    changed = [tuple(one) for one in json.loads(known.read_text())]
    if not 1 <= len(changed) <= 3:
        server.close()
        return None
    arguments = {"query": task["text"][:LONGEST], "limit": 200 if options.dump else HITS, "explain": bool(options.dump)}
    if options.granularity:
        arguments["granularity"] = options.granularity
    text, seconds = server.call("search_code", arguments)
    hits = json.loads(text)["results"]
    row = figures(hits[:HITS], ranked_functions(server, hits[:HITS], {}), changed)
    server.close()
    if options.dump:
        kept = [[hit["path"], hit.get("symbol"), hit["startLine"], hit["endLine"], hit["why"]] for hit in hits]
        options.dump.write(json.dumps({"task": task["fix"], "repository": task["repository"], "changed": changed, "hits": kept}) + "\n")
        options.dump.flush()
    return row | {"seconds": seconds}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ken", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--set", required=True, type=pathlib.Path)
    parser.add_argument("--mirror", required=True, type=pathlib.Path)
    parser.add_argument("--keep", required=True, type=pathlib.Path)
    parser.add_argument("--granularity", choices=["chunk", "function"])
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--limit", type=int, help="so many of each repository")
    parser.add_argument("--lean", action="store_true")
    parser.add_argument("--dump", type=argparse.FileType("w"))
    options = parser.parse_args()
    taken, rows = collections.Counter(), []
    for line in options.set.read_text().splitlines():
        task = json.loads(line)
        name = task["repository"]
        if options.only and name not in options.only or options.limit and taken[name] >= options.limit:
            continue
        row = ask(options, options.mirror / name.replace("/", "+") / "repo", task)
        if row:
            taken[name] += 1
            rows.append(row)
    print(f"{len(rows)} tasks of {len(taken)} repositories\n")
    columns = list(rows[0])[:-1]
    print("| " + " | ".join(columns) + " | p50 ms |\n|" + "--:|" * (len(columns) + 1))
    means = [statistics.mean(row[column] for row in rows) for column in columns]
    median = statistics.median(row["seconds"] for row in rows) * 1000
    print("| " + " | ".join(f"{mean:.1f}" if mean > 1 else f"{mean:.3f}" for mean in means) + f" | {median:.0f} |")


if __name__ == "__main__":
    main()
