#!/usr/bin/env python3
"""Calls and tokens until the right source is in an agent's context, without a model. Prints Markdown.

    tokens.py --ken target/release/ken search --set queries/ --corpora DIR [--most 150]
    tokens.py --ken target/release/ken issues --set queries.jsonl --mirror DIR [--most 40]

A question is answered when the context holds source of one of its files. Where the set names lines, it must hold one
of those lines. Tokens are bytes of answers divided by four, counted up to the end of that definition, hit or page.
Three ways are compared:

grep    The steps of an agent without an index. It takes the words of the question (three letters or more, no stop
        words; identifiers as they are), and counts in how many files each occurs, ignoring case. The four rarest
        that occur are grepped, one call each, with at most 50 lines of output. Files are ranked by the words that
        they contain, each weighted by its rarity, then by the number of hits; tests, documents and data come last,
        as an agent would choose. Each is read in pages of 200 lines: the page with most hits first, then its other
        pages with hits, at most three. It gives up after 30 calls.
search  `search_code` with its defaults. Its answer is code; then the files of the hits are read like above, the
        page of the hit first.
research  One `code_research` with its defaults.

Only `search` and `research` ask Kenning, over MCP with the toolset for agents.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from client import Server  # noqa: E402

BUDGETS = [500, 1000, 2000, 4000, 8000]
PAGE = 200
GREP_LINES = 50
GREP_WORDS = 4
MOST_CALLS = 30
PAGES_A_FILE = 3
# An issue may hold logs of any length.
LONGEST = 8000
NEVER = 10**9

STOP = set("""the and for are was were with that this from have has had not but you your can could should would will
how what where when which who why does did doing into onto over under than then them they their there here also any all
some such very just only about after before between because use used using get gets got set sets make makes made via per
its it's our out own one two way ways new code file files function functions class classes method methods""".split())
LATER = re.compile(r"(^|/)(tests?|spec|specs|docs?|examples?|fixtures|changelog[^/]*|benches|benchmarks?)(/|$|\.)", re.I)
PROGRAM = re.compile(r"\.(py|rs|js|jsx|ts|tsx|mjs|go|java|kt|kts|c|h|cc|cpp|hpp|cs|swift|rb|php|scala|ex|exs|hs|lua|zig|"
                     r"sh|bash|bats|dart|m|mm)$")


def words_of(question):
    found = re.findall(r"[A-Za-z_][A-Za-z0-9_]{2,}", question[:LONGEST])
    return list(dict.fromkeys(word for word in found if word.lower() not in STOP))


class Tree:
    """The text files of a repository, as grep sees them."""

    def __init__(self, root):
        self.lines, self.lower = {}, {}
        for path in sorted(root.rglob("*")):
            name = path.relative_to(root).as_posix()
            if not path.is_file() or path.is_symlink() or name.startswith(".git/") or path.stat().st_size > 1 << 20:
                continue
            data = path.read_bytes()
            if b"\0" in data[:8000]:
                continue
            text = data.decode(errors="replace")
            self.lines[name] = text.split("\n")
            self.lower[name] = text.lower()

    def grep(self, word):
        """The lines with a word by file, as `rg -n -i -F` finds them."""
        word = word.lower()
        files = [name for name, text in self.lower.items() if word in text]
        return {name: [n for n, line in enumerate(self.lines[name], 1) if word in line.lower()] for name in files}

    def page(self, name, number):
        lines = self.lines[name][number * PAGE:(number + 1) * PAGE]
        # The line number and a tab, as tools that read files print them.
        return [(number * PAGE + at, f"{number * PAGE + at}\t{line}\n") for at, line in enumerate(lines, 1)]


class Context:
    """The context of an agent: counts what comes in until the target does."""

    def __init__(self, targets):
        self.targets, self.bytes, self.calls, self.found, self.is_here = targets, 0, 0, None, False

    def covers(self, name, line):
        return any(name == path and (first is None or first <= line <= last) for path, first, last in self.targets)

    def add(self, text, name=None, line=None):
        self.bytes += len(text.encode())
        self.is_here = self.is_here or name is not None and self.covers(name, line)

    def end_excerpt(self):
        """Ends a definition, a hit or a page: the source counts when all of it is in the context."""
        if self.found is None and self.is_here:
            self.found = (self.bytes // 4, self.calls)


def read_pages(tree, context, name, numbers):
    for number in numbers[:PAGES_A_FILE]:
        if context.found or context.calls >= MOST_CALLS:
            return
        context.calls += 1
        for line, text in tree.page(name, number):
            context.add(text, name, line)
        context.end_excerpt()


def by_grep(tree, question, context):
    hits = {word: tree.grep(word) for word in words_of(question)}
    hits = {word: files for word, files in hits.items() if files}
    rarest = sorted(hits, key=lambda word: (len(hits[word]), word))[:GREP_WORDS]
    scores, places = collections.Counter(), collections.defaultdict(list)
    for word in rarest:
        context.calls += 1
        shown = 0
        for name, lines in sorted(hits[word].items()):
            scores[name] += math.log(1 + len(tree.lines) / len(hits[word]))
            places[name] += lines
            for line in lines:
                if shown < GREP_LINES:
                    # A line of grep's output is not the source that an agent needs.
                    context.add(f"{name}:{line}:{tree.lines[name][line - 1]}\n")
                    shown += 1
    is_later = lambda name: bool(LATER.search(name)) or not PROGRAM.search(name)  # noqa: E731
    for name in sorted(scores, key=lambda name: (is_later(name), -scores[name], -len(places[name]), name)):
        pages = collections.Counter((line - 1) // PAGE for line in places[name])
        read_pages(tree, context, name, sorted(pages, key=lambda page: (-pages[page], page)))


def by_search(tree, question, context, server):
    context.calls += 1
    answer = server.call("search_code", {"query": question[:LONGEST]})[0]
    name, line, hits = None, 0, []
    for text in answer.split("\n"):
        head = re.match(r"@@ (.+?):(\d+)-\d+ ", text + " ")
        if head:
            context.end_excerpt()
            name, line = head[1], int(head[2])
            hits.append((name, line))
            context.add(text + "\n")
        else:
            context.add(text + "\n", name, line)
            line += 1
    context.end_excerpt()
    for name, line in hits:
        if name in tree.lines:
            read_pages(tree, context, name, [(line - 1) // PAGE])


def by_research(tree, question, context, server):
    context.calls += 1
    lines = server.call("code_research", {"query": question[:LONGEST]})[0].split("\n")
    name, line = None, 0
    for at, text in enumerate(lines):
        below = lines[at + 1] if at + 1 < len(lines) else ""
        head = re.match(r"@@ .* (\d+)-\d+$", text)
        passage = re.match(r"@@ (\S+):(\d+)-\d+$", text)
        gap = re.match(r"… lines? (\d+)(?:-(\d+))?$", text)
        if passage:
            name, line = passage[1], int(passage[2])
        elif head:
            line = int(head[1])
        elif gap:
            line = int(gap[2] or gap[1]) + 1
        elif text in tree.lines and re.match(r"@@ .* \d+-\d+$", below):
            name = text
        elif text.endswith(":") and text[:-1] in ("calls", "called from", "tests", "uses", "requirements"):
            name = None
        else:
            context.add(text + "\n", name, line)
            line += 1
            continue
        if not gap:
            context.end_excerpt()
        context.add(text + "\n")
    context.end_excerpt()


def measure(arguments, root, tasks, results):
    ken = arguments.ken
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "KEN_HOME": home, "HOME": home}
        subprocess.run([ken, "index"], cwd=root, env=environment, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        server = Server([ken, "serve", "--toolsets", "agent", "--root", str(root)], root, environment)
        tree = Tree(root)
        for question, targets in tasks:
            for way in ("grep", "search", "research"):
                context = Context(targets)
                if way == "grep":
                    by_grep(tree, question, context)
                elif way == "search":
                    by_search(tree, question, context, server)
                else:
                    by_research(tree, question, context, server)
                tokens, calls = context.found or (NEVER, context.calls)
                results[way].append((tokens, calls, context.bytes // 4))
            if arguments.verbose:
                print([results[way][-1][0] for way in results], question[:100], targets, file=sys.stderr)
        server.close()


def search_tasks(arguments):
    for path in sorted(arguments.set.glob("*.json")):
        root = arguments.corpora / path.stem
        for query in json.loads(path.read_text()) if root.exists() else []:
            targets = [target if isinstance(target, dict) else {"path": target}
                       for target in query.get("relevant", []) + query.get("secondary", [])]
            yield root, query["query"], [(one["path"], one.get("start_line"), one.get("end_line")) for one in targets]


def chosen(tasks, most):
    """An even sample, the same each time."""
    tasks = list(tasks)
    return tasks if len(tasks) <= most else sorted(random.Random(23).sample(tasks, most), key=lambda task: str(task[0]))


def within(root, targets):
    """The targets as paths below the root: some of the set name them from the repository's own."""
    def path_below(path):
        parts = path.split("/")
        tails = ("/".join(parts[at:]) for at in range(len(parts)))
        return next((tail for tail in tails if (root / tail).is_file()), path)
    return [(path_below(path), first, last) for path, first, last in targets]


def run_search(arguments, results):
    by_root = collections.defaultdict(list)
    for root, question, targets in chosen(search_tasks(arguments), arguments.most):
        by_root[root].append((question, within(root, targets)))
    for root, tasks in by_root.items():
        measure(arguments, root, tasks, results)
        print(root.name, len(tasks), file=sys.stderr, flush=True)


def run_issues(arguments, results):
    tasks = [json.loads(line) for line in arguments.set.read_text().splitlines()]
    for task in chosen(((task["id"], task) for task in tasks), arguments.most):
        task = task[1]
        owner, name = task["url"].removesuffix(".git").rsplit("/", 2)[-2:]
        clone = arguments.mirror / f"{owner}+{name}" / "repo"
        with tempfile.TemporaryDirectory() as top:
            root = pathlib.Path(top) / name
            if not lay_out(clone, task["commit"], root):
                continue
            targets = [(path, None, None) for path in task["relevant"]]
            measure(arguments, root, [(task["text"], targets)], results)
        print(task["id"], *(results[way][-1][0] for way in results), file=sys.stderr, flush=True)


def lay_out(clone, commit, root):
    root.mkdir()
    listed = subprocess.run(["git", "-C", clone, "ls-tree", "-r", "-z", commit], capture_output=True).stdout
    blobs = [(entry.split(b"\t", 1)[1], entry.split()[2]) for entry in listed.split(b"\0") if b" blob " in entry]
    known = subprocess.run(["git", "-C", clone, "cat-file", "--batch-check"], capture_output=True,
                           input=b"\n".join(blob for _, blob in blobs) + b"\n").stdout
    # A mirror may lack its largest files.
    missing = {line.split()[0] for line in known.splitlines() if line.endswith(b" missing")}
    absent = [b":(exclude,literal)" + path for path, blob in blobs if blob in missing]
    archive = subprocess.Popen(["git", "-C", clone, "archive", commit, ".", *absent], stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", root], stdin=archive.stdout, check=False)
    return archive.wait() == 0


def print_curve(results):
    count = len(next(iter(results.values())))
    print(f"{count} questions\n")
    print("| way | " + " | ".join(f"{budget:,}" for budget in BUDGETS) + " | median tokens | calls | whole answers |")
    print("|---|" + "--:|" * (len(BUDGETS) + 3))
    for way, found in results.items():
        shares = [sum(tokens <= budget for tokens, _, _ in found) / len(found) for budget in BUDGETS]
        median = statistics.median(tokens for tokens, _, _ in found)
        median = "never" if median >= NEVER else f"{int(median):,}"
        calls = statistics.mean(calls for _, calls, _ in found)
        whole = statistics.mean(whole for _, _, whole in found)
        print(f"| {way} | " + " | ".join(f"{share:.0%}" for share in shares) + f" | {median} | {calls:.1f} | {whole:,.0f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ken", required=True)
    parser.add_argument("--verbose", action="store_true", help="print the tokens of each question")
    kinds = parser.add_subparsers(dest="kind", required=True)
    for kind, place in (("search", "--corpora"), ("issues", "--mirror")):
        added = kinds.add_parser(kind)
        added.add_argument("--set", type=pathlib.Path, required=True)
        added.add_argument(place, type=pathlib.Path, required=True)
        added.add_argument("--most", type=int, default=10**6)
    arguments = parser.parse_args()
    arguments.ken = str(pathlib.Path(arguments.ken).resolve())
    results = {"grep": [], "search": [], "research": []}
    (run_search if arguments.kind == "search" else run_issues)(arguments, results)
    print_curve(results)


if __name__ == "__main__":
    main()
