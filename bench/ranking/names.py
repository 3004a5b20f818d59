#!/usr/bin/env python3
"""How often a name that is asked for by itself finds its definition: names that a plain search for declarations
finds are drawn at random and asked for. Prints Markdown.

    names.py --ken target/release/ken LANGUAGE=DIR [LANGUAGE=DIR …] [--names 50] [--misses] [--home DIR]

"Once" are names that are declared once in a repository; "shared" are names that are declared once at the
beginning of a line and elsewhere only inside of something: the former is meant by the bare name. Asked are
`search_code` and, of shared names, `search_symbols`. Aliases are not. Files that look like tests, examples or
benchmarks are left out, and what a Rust file has for tests: `search_code` hides them unless told. --home keeps the indexes for the next run.
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
# How a line begins that is inside of something, or gives another name to what may be defined elsewhere.
INSIDE = {"rust": r"\s|(?:pub )?type ", "swift": r"\s|(?:public |internal )?typealias ", "kotlin": r"\s|(?:public )?typealias "}
# Of a language, the ending of its files and how a line begins that declares something.
DECLARATIONS = {
    "swift": ("swift", r"\s*(?:@\S+ )*(?:(?:public|open|internal|private|fileprivate|final|package|static|mutating|override) )*"
                       r"(?:struct|class|enum|protocol|actor|func|typealias) " + NAME),
    "rust": ("rs", r"\s*(?:(?:pub(?:\([^)]*\))?|async|const|unsafe) )*(?:struct|enum|trait|fn|type|macro_rules!) " + NAME),
    "kotlin": ("kt", r"\s*(?:(?:public|internal|private|abstract|open|data|sealed|override|inline|suspend) )*"
                     r"(?:class|interface|object|fun(?= \w+\()) " + NAME),
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


def declarations(root, language):
    """Of each name, the places that declare it: path, line, and whether the line begins with it."""
    ending, pattern = DECLARATIONS[language]
    listed = subprocess.run(["rg", "--files", "-g", f"*.{ending}"], cwd=root, capture_output=True, text=True).stdout
    inside = INSIDE.get(language, r"\s")
    found = defaultdict(list)
    for path in sorted(listed.splitlines()):
        if ASIDE.search(path):
            continue
        text = (root / path).read_text(errors="replace").split("\n#[cfg(test)]\nmod ")[0]
        for number, line in enumerate(text.split("\n"), 1):
            if match := re.match(pattern, line):
                found[match["name"]].append((path, number, not re.match(inside, line)))
    return found


def drawn(found, most):
    """Names that mean one place, of each kind up to so many, with the place."""
    kinds = {"once": [], "shared": []}
    for name, places in sorted(found.items()):
        at_top = [place for place in places if place[2]]
        if len(places) == 1:
            kinds["once"].append((name, *places[0][:2]))
        elif len(at_top) == 1:
            kinds["shared"].append((name, *at_top[0][:2]))
    for names in kinds.values():
        random.Random(SEED).shuffle(names)
    return {kind: names[:most] for kind, names in kinds.items()}


def place_among(hits, path, line):
    """Where among the results the line is shown, from 0; `None` if nowhere."""
    shown = ((place, hit) for place, hit in enumerate(hits) if hit["path"] == path)
    return next((place for place, hit in shown if hit["startLine"] <= line <= hit["endLine"]), None)


def judge(options, root, language, home):
    environment = {**os.environ, "KEN_HOME": home, "HOME": home}
    subprocess.run([options.ken, "index"], cwd=root, env=environment, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    server = Server([options.ken, "serve", "--root", str(root)], root, environment)
    counts = Counter()
    for kind, names in drawn(declarations(root, language), options.names).items():
        for name, path, line in names:
            hits = server.answer("search_code", {"query": name, "limit": 10})["results"]
            place = place_among(hits, path, line)
            counts.update({kind: 1, f"{kind} first": place == 0, f"{kind} among": place is not None and place < 3})
            if options.misses and place != 0:
                first = hits[0] if hits else {}
                print(f"    {language} {kind} {name}: {path}:{line}, found at {place}; first is {first.get('kind')} "
                      f"{first.get('scope', '')}.{first.get('symbol')} {first.get('path')}:{first.get('startLine')}",
                      file=sys.stderr)
            if kind == "shared":
                listed = server.answer("search_symbols", {"query": name, "limit": 1})["symbols"]
                counts["symbol first"] += any(one["path"] == path and one["line"] == line for one in listed)
    server.close()
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ken", required=True)
    parser.add_argument("--names", type=int, default=50)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--home", type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("trees", nargs="+", metavar="LANGUAGE=DIR")
    options = parser.parse_args()
    options.ken = str(pathlib.Path(options.ken).resolve())
    total = Counter()
    columns = ("once", "once first", "once among", "shared", "shared first", "shared among", "symbol first")
    print("| tree | language | once | first | among three | shared | first | among three | `search_symbols` first |")
    print("|---|---|" + "--:|" * len(columns))
    for tree in options.trees:
        language, _, folder = tree.partition("=")
        root = pathlib.Path(folder).resolve()
        with tempfile.TemporaryDirectory() as home:
            counts = judge(options, root, language, options.home or home)
        total += counts
        print(f"| {root.name} | {language} | {' | '.join(str(counts[one]) for one in columns)} |", flush=True)
    print(f"| all | | {' | '.join(str(total[one]) for one in columns)} |")


if __name__ == "__main__":
    main()
