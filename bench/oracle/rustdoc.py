"""Judges `ken edges --kind implements` by what rustdoc says implements what in one crate.

    RUSTC_BOOTSTRAP=1 cargo rustdoc --lib -- -Z unstable-options --output-format json --document-private-items
    rustdoc.py ROOT CRATE.JSON IMPLEMENTS.JSONL [--misses N] [--wrong N]

ROOT is the tree that `ken index` was run in; the paths in CRATE.JSON are those from which the crate was built,
so cargo has to be run in ROOT. Counted are types of the crate that implement traits of the crate by an impl
of their own, and traits that ask for other traits of the crate. Left out are impls for all types of a kind
(`impl<T: A> B for T`), for references and other types around a type, and what the compiler adds by itself. Impls
that a macro writes are counted apart: nobody who reads the text alone can see them.
"""

import argparse
import json
import re

TYPES = ("struct", "enum", "union")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("crate")
    parser.add_argument("implements")
    parser.add_argument("--misses", type=int, default=0)
    parser.add_argument("--wrong", type=int, default=0)
    args = parser.parse_args()
    crate = Crate(args.root, args.crate)
    ours = load(args.implements, crate)
    written = {pair for pair, is_macro in crate.pairs.items() if not is_macro}
    hidden = set(crate.pairs) - written
    hit = len(ours & set(crate.pairs))
    print(f"implementors: precision {ratio(hit, len(ours))} of {len(ours)}, recall {ratio(len(ours & written), len(written))} of {len(written)}")
    print(f"  written by macros: {len(ours & hidden)} of {len(hidden)} found")
    for a, b in sorted(written - ours)[: args.misses]:
        print(f"  miss {a[0]}:{a[1]} is a {b[0]}:{b[1]}")
    for a, b in sorted(ours - set(crate.pairs))[: args.wrong]:
        print(f"  wrong {a[0]}:{a[1]} is a {b[0]}:{b[1]}")


class Crate:
    def __init__(self, root, path):
        self.root, self.lines = root, {}
        with open(path, encoding="utf-8") as file:
            self.index = json.load(file)["index"]
        self.places = {}
        for key, item in self.index.items():
            if item["crate_id"] == 0 and item["span"] and kind(item) in (*TYPES, "trait"):
                place = self.place(item)
                if place:
                    self.places[int(key)] = place
        self.pairs = {}
        for item in self.index.values():
            if item["crate_id"] == 0 and kind(item) == "impl":
                self.take(item)
            if item["crate_id"] == 0 and kind(item) == "trait":
                self.relate(item)

    def text(self, path):
        if path not in self.lines:
            with open(f"{self.root}/{path}", encoding="utf-8") as file:
                self.lines[path] = file.read().split("\n")
        return self.lines[path]

    def place(self, item):
        """The line of the name; none if a macro writes the item."""
        span = item["span"]
        try:
            lines = self.text(span["filename"])
        except OSError:
            return None
        name = re.compile(rf"\b(?:struct|enum|union|trait)\s+{re.escape(item['name'])}\b")
        for number in range(span["begin"][0], min(span["end"][0], len(lines)) + 1):
            if name.search(lines[number - 1]):
                return span["filename"], number
        return None

    def take(self, item):
        implementation = item["inner"]["impl"]
        subject = implementation["for"].get("resolved_path")
        trait = implementation["trait"]
        is_own = not implementation["is_synthetic"] and not implementation["blanket_impl"]
        if subject and trait and is_own and not implementation["is_negative"]:
            self.add(subject["id"], trait["id"], not self.is_written(item))

    def relate(self, item):
        for bound in item["inner"]["trait"]["bounds"]:
            if "trait_bound" in bound:
                self.add(item["id"], bound["trait_bound"]["trait"]["id"], False)

    def add(self, subject, base, is_macro):
        if subject in self.places and base in self.places:
            pair = (self.places[subject], self.places[base])
            self.pairs[pair] = self.pairs.get(pair, True) and is_macro

    def is_written(self, item):
        """Whether the text at an impl's place is an impl that names its trait."""
        span = item["span"]
        try:
            lines = self.text(span["filename"])
        except OSError:
            return False
        text = " ".join(lines[span["begin"][0] - 1 : span["begin"][0] + 7])
        trait = item["inner"]["impl"]["trait"]["path"].split("::")[-1]
        return bool(re.search(rf"\bimpl\b[^{{]*\b{re.escape(trait)}\b[^{{]*\bfor\b", text)) and "$" not in text.split("{")[0]


def kind(item):
    return next(iter(item["inner"]))


def load(path, crate):
    known = set(crate.places.values())
    found = set()
    with open(path, encoding="utf-8") as file:
        for edge in map(json.loads, file):
            a, b = ((edge[end]["path"], edge[end]["line"]) for end in ("type", "interface"))
            if a in known and b in known:
                found.add((a, b))
    return found


def ratio(part, whole):
    return f"{part / whole:.3f}" if whole else "  -  "


if __name__ == "__main__":
    main()
