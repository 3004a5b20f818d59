"""Lists call sites of a Swift package that may be calls of its own definitions and have no edge.

    swift.py ROOT SOURCES CALLS.JSONL [SAMPLE]

A site is a name before a bracket or a closure that the package defines as a function or type. Prints
how many are linked, and a sample of those that are not, for people to judge: recall is then
linked / (linked + unlinked × share of the sample that is the package's own).
"""

import collections
import glob
import json
import os
import random
import re
import sys

DECLARES = re.compile(
    r"(public |private |internal |fileprivate |open |final |static |override |mutating |@\w+ )*"
    r"(func|init|case|class|struct|extension|protocol|enum|var|indirect)\b"
)


def main():
    root, sources, calls = sys.argv[1:4]
    sample = int(sys.argv[4]) if len(sys.argv) > 4 else 40
    linked = collections.Counter()
    with open(calls, encoding="utf-8") as file:
        for edge in map(json.loads, file):
            if edge["confidence"] != "low":
                site = edge["site"]
                linked[(site["path"], site["line"], site["name"])] += 1
    files = sorted(glob.glob(os.path.join(root, sources, "**/*.swift"), recursive=True))
    texts = {path: open(path, encoding="utf-8").read() for path in files}
    names = set()
    for text in texts.values():
        names |= set(re.findall(r"\bfunc (\w+)", text))
        names |= set(re.findall(r"\b(?:struct|class|actor) (\w+)", text))
    found = [site for path, text in texts.items() for site in sites(os.path.relpath(path, root), text, names)]
    open_sites = [site for site in found if site[:3] not in linked]
    print(f"{len(found)} sites, {len(found) - len(open_sites)} linked, {len(open_sites)} not")
    random.seed(3)
    for path, line, name, text in random.sample(open_sites, min(sample, len(open_sites))):
        print(f"  {path}:{line} {name} | {text[:110]}")


def sites(path, text, names):
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip()
        if bare.startswith(("//", "*", "/*", "@available", "import")) or DECLARES.match(bare):
            continue
        code = re.sub(r'"[^"]*"', '""', re.sub(r"//.*", "", line))
        for match in re.finditer(r"(?<!\w)(\w+)(?:<[\w., ?]+>)?(\(| \{)", code):
            if match.group(1) in names:
                yield path, number, match.group(1), bare


if __name__ == "__main__":
    main()
