#!/usr/bin/env python3
"""How often a name that is asked for by itself finds its definition: names that a plain search for declarations
finds once in a repository are drawn at random and asked for. Prints Markdown.

    names.py --ken target/release/ken LANGUAGE=DIR [LANGUAGE=DIR …] [--names 50] [--misses]

Files that look like tests, examples or benchmarks are left out: `search_code` hides them unless told.
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from client import Server  # noqa: E402

SEED = 3
ASIDE = re.compile(r"test|spec|example|playground|fixture|bench", re.IGNORECASE)
NAME = r"(?P<name>\w{4,})"
# Of a language, the ending of its files and how a line begins that declares something.
DECLARATIONS = {
    "swift": ("swift", r"\s*(?:@\S+ )*(?:(?:public|open|internal|private|fileprivate|final|package|static|mutating|override) )*"
                       r"(?:struct|class|enum|protocol|actor|func|typealias) " + NAME),
    "rust": ("rs", r"\s*(?:(?:pub(?:\([^)]*\))?|async|const|unsafe) )*(?:struct|enum|trait|fn|type|macro_rules!) " + NAME),
    "kotlin": ("kt", r"\s*(?:(?:public|internal|private|abstract|open|data|sealed|override|inline|suspend) )*"
                     r"(?:class|interface|object|fun) " + NAME),
    "java": ("java", r"\s*(?:(?:public|private|protected|abstract|final|static) )*(?:class|interface|enum|@interface) " + NAME),
    "csharp": ("cs", r"\s*(?:(?:public|private|protected|abstract|sealed|static|internal|partial) )*"
                     r"(?:class|interface|enum|struct) " + NAME),
    "go": ("go", r"(?:type|func(?: \([^)]*\))?) " + NAME),
    "python": ("py", r"\s*(?:async )?(?:class|def) " + NAME),
    "ruby": ("rb", r"\s*(?:class|module|def) " + NAME),
    "php": ("php", r"\s*(?:(?:abstract|final|public|private|protected|static|readonly) )*"
                   r"(?:class|interface|trait|enum|function) " + NAME),
    "typescript": ("ts", r"\s*(?:(?:export|default|declare|abstract|async) )*(?:class|interface|type|enum|function) " + NAME),
    "javascript": ("js", r"(?:(?:export|default|async) )*(?:class|function) " + NAME),
    "scala": ("scala", r"\s*(?:(?:final|sealed|abstract|private|case|implicit|override) )*(?:class|trait|object|def) " + NAME),
    "elixir": ("ex", r"\s*(?:def|defp|defmacro|defmodule) " + NAME),
    "cpp": ("h", r"(?:template\s*<.*>\s*)?(?:struct|class|enum class|#define) (?:\w+_API )?" + NAME + r"\b(?!.*;\s*$)"),
    "c": ("c", r"(?:static )?(?:int|void|size_t|char\*) " + NAME + r"\(.*\{$"),
    "lua": ("lua", r"(?:local function|function) " + NAME),
    "dart": ("dart", r"(?:class|enum|mixin|extension|abstract class) " + NAME),
    "haskell": ("hs", r"(?:data|newtype|class|type) " + NAME),
    "zig": ("zig", r"\s*(?:pub fn|fn) " + NAME),
    "objc": ("m", r"@implementation " + NAME),
}


def declared_once(root, language):
    ending, pattern = DECLARATIONS[language]
    listed = subprocess.run(["rg", "--files", "-g", f"*.{ending}"], cwd=root, capture_output=True, text=True).stdout
    found = defaultdict(list)
    for path in sorted(listed.splitlines()):
        if ASIDE.search(path):
            continue
        text = (root / path).read_text(errors="replace")
        for number, line in enumerate(text.split("\n"), 1):
            if match := re.match(pattern, line):
                found[match["name"]].append((path, number))
    return [(name, *places[0]) for name, places in sorted(found.items()) if len(places) == 1]


def judge(options, root, language, home):
    names = declared_once(root, language)
    random.Random(SEED).shuffle(names)
    environment = {**os.environ, "KEN_HOME": home, "HOME": home}
    subprocess.run([options.ken, "index"], cwd=root, env=environment, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    server = Server([options.ken, "serve", "--root", str(root)], root, environment)
    counts = Counter()
    for name, path, line in names[: options.names]:
        hits = server.answer("search_code", {"query": name, "limit": 10})["results"]
        places = (place for place, hit in enumerate(hits)
                  if hit["path"] == path and hit["startLine"] <= line <= hit["endLine"])
        place = next(places, None)
        counts.update(asked=1, first=place == 0, among=place is not None and place < 3)
        if options.misses and place != 0:
            print(f"    {name}: {path}:{line}, found at {place}", file=sys.stderr)
    server.close()
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ken", required=True)
    parser.add_argument("--names", type=int, default=50)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("trees", nargs="+", metavar="LANGUAGE=DIR")
    options = parser.parse_args()
    options.ken = str(pathlib.Path(options.ken).resolve())
    total = Counter()
    print("| tree | language | names | first | among three |\n|---|---|--:|--:|--:|")
    for tree in options.trees:
        language, _, folder = tree.partition("=")
        root = pathlib.Path(folder).resolve()
        with tempfile.TemporaryDirectory() as home:
            counts = judge(options, root, language, home)
        total += counts
        print(f"| {root.name} | {language} | {counts['asked']} | {counts['first']} | {counts['among']} |", flush=True)
    print(f"| all | | {total['asked']} | {total['first']} | {total['among']} |")


if __name__ == "__main__":
    main()
