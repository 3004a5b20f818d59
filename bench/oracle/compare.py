"""Compares `ken edges` with a compiler's own index of the same tree.

    compare.py ROOT INDEX.SCIP CALLS.JSONL [IMPLEMENTS.JSONL] [--misses N] [--wrong N]

A call site of the truth is a mention of a definition of this tree, a function, method or type, that
is followed by an opening bracket (or stands after `new`). An edge is right if one of its callees is
the definition that the compiler says. A type and its constructor are one: indexers differ in which
of the two a construction mentions. A mention of something of this tree for which the index has no definition,
as scip-typescript leaves names that are exported under another, judges nothing.
"""

import argparse
import collections
import json
import os
import re

import scip

ANGLES = r"<[^()=;<>]*(?:<[^()=;<>]*>[^()=;<>]*)*>"
CALLED = re.compile(rf"^(?:\?\.|!)?(?:::)?(?:{ANGLES})?\s*\(")
MACRO = re.compile(r"^!\s*[\(\[\{]")
# What follows a name that stands for a function: `= () =>`, `: function`, and methods.
FUNCTION_VALUE = re.compile(r"^(?:\s*[=:]\s*(?:async\s*)?(?:\([^()]*\)\s*(?::[^=]*)?=>|function\b|[\w$]+\s*=>|<)|\s*(?:<[^()]*>)?\()")
SCRIPTS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
METHOD_HEAD = re.compile(r"^\s*(?:(?:async|get|set)\s+|\*\s*)*$")
METHOD_BODY = re.compile(r"^\s*(?::[^;={}]*)?\{")


def package(symbol):
    """What of a symbol names its package; locals are of the document at hand."""
    return " ".join(symbol.split(" ", 4)[:3]) if not symbol.startswith("local ") else "local"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("scip")
    parser.add_argument("calls")
    parser.add_argument("implements", nargs="?")
    parser.add_argument("--misses", type=int, default=0)
    parser.add_argument("--wrong", type=int, default=0)
    parser.add_argument("--only", default="", help="a prefix of paths")
    args = parser.parse_args()
    truth = Truth(args.root, args.scip, args.only)
    edges = load(args.calls, args.only)
    judge(truth, edges, args)
    callers(truth, edges)
    if args.implements:
        implementors(truth, load_implements(args.implements), args)


class Truth:
    def __init__(self, root, index, only):
        self.lines, self.definitions = {}, collections.defaultdict(set)
        self.mentions = collections.defaultdict(set)
        self.undefined, self.packages = set(), set()
        self.sites = collections.defaultdict(set)
        self.relations, self.after = set(), {}
        documents = [one for one in scip.read(index) if one.path.startswith(only) or one.relations]
        for document in documents:
            try:
                with open(os.path.join(root, document.path), encoding="utf-8") as file:
                    self.lines[document.path] = file.read().split("\n")
            except (OSError, UnicodeDecodeError):
                continue
            for one in document.occurrences:
                if one.is_definition:
                    self.definitions[self.name(document, one)].add((document.path, one.line))
                    self.packages.add(package(one.symbol))
                    rest = self.lines[document.path][one.line - 1 : one.line + 1]
                    after = " ".join(rest)[one.end_column :]
                    self.after.setdefault(self.name(document, one), after)
        for document in documents:
            if document.path in self.lines and document.path.startswith(only):
                for one in document.occurrences:
                    self.take(document, one)
        for document in documents:
            for symbol, other in document.relations:
                if symbol.endswith("#") and other.endswith("#"):
                    for a in self.definitions.get(symbol, ()):
                        for b in self.definitions.get(other, ()):
                            self.relations.add((a, b))

    def name(self, document, one):
        if one.symbol.startswith("local "):
            return f"{document.path} {one.symbol}"
        return one.symbol

    def take(self, document, one):
        line = self.lines[document.path][one.line - 1]
        text = line[one.column : one.end_column]
        word = re.match(r"[\w$]+", text)
        if one.is_definition or not word:
            return
        symbol = self.name(document, one)
        site = (document.path, one.line, word.group())
        self.mentions[site] |= self.places(symbol)
        if not self.places(symbol) and package(one.symbol) in self.packages:
            self.undefined.add(site)
        rest = line[one.end_column :]
        if rest == "" and one.line < len(self.lines[document.path]):
            rest = self.lines[document.path][one.line].strip()
        before = line[: one.column]
        is_import = re.match(r"\s*(from|import|export|use|pub use)\b", line)
        is_definition = re.search(r"\b(def|class|fn|function|func|interface|struct)\s+$", before)
        called = CALLED.match(rest) or MACRO.match(rest) or re.search(r"\bnew\s+([\w$]+\.)*$", before)
        is_definition = is_definition or self.is_written_out(document.path, one)
        if called and not is_definition and not is_import and self.is_function(symbol):
            self.sites[site] |= self.places(symbol)

    def is_written_out(self, path, one):
        """Whether it is a method of an object that is written out, `{ open(page) { … } }`: its name mentions what
        the object's type asks for."""
        lines = self.lines[path]
        if not path.endswith(SCRIPTS) or not METHOD_HEAD.match(lines[one.line - 1][: one.column]):
            return False
        rest = " ".join([lines[one.line - 1][one.end_column :], *lines[one.line : one.line + 40]])
        depth = 0
        for at, c in enumerate(rest):
            depth += (c in "([{") - (c in ")]}")
            if c == ")" and depth == 0:
                return bool(METHOD_BODY.match(rest[at + 1 :]))
        return False

    def places(self, symbol):
        found = set(self.definitions.get(symbol, ()))
        for ending in ("__init__().", "`<constructor>`().", "constructor()."):
            if symbol.endswith("#"):
                found |= self.definitions.get(symbol + ending, set())
            elif symbol.endswith("#" + ending):
                found |= self.definitions.get(symbol[: -len(ending)], set())
        return found

    def judges(self, site):
        return bool(self.mentions.get(site)) or site in self.mentions and site not in self.undefined

    def is_case(self, symbol):
        path, line = min(self.definitions[symbol])
        words = r"\b(class|struct|enum|union|trait|type|interface|protocol|actor|object|record)\b"
        return path.endswith(".rs") and not re.search(words, self.lines[path][line - 1])

    def is_function(self, symbol):
        places = self.definitions.get(symbol)
        if not places:
            return False
        # What a case of an enum is given is held and not called with.
        if symbol.endswith("#") and self.is_case(symbol):
            return False
        if symbol.endswith(("().", "#", "!")) or re.search(r"\(\+\d+\)\.$", symbol):
            return True
        # A parameter that is called is no definition that could be found.
        if symbol.endswith(")"):
            return False
        path, line = min(places)
        is_named = re.search(r"\b(def|fn|func|function)\s", self.lines[path][line - 1])
        is_local = " local " in symbol
        return bool(FUNCTION_VALUE.search(self.after[symbol]) or is_named and not is_local)


def load(path, only):
    found = collections.defaultdict(list)
    with open(path, encoding="utf-8") as file:
        for line in file:
            edge = json.loads(line)
            site = edge["site"]
            if site["path"].startswith(only):
                callees = {(one["path"], one["line"]) for one in edge["callees"]}
                key = (site["path"], site["line"], site["name"])
                found[key].append((callees, edge["confidence"], edge["reason"]))
    return found


def judge(truth, edges, args):
    right, wrong, unjudged = collections.Counter(), collections.Counter(), collections.Counter()
    reasons = collections.defaultdict(collections.Counter)
    bad = []
    for site, found in edges.items():
        for callees, confidence, reason in found:
            if not truth.judges(site):
                unjudged[confidence] += 1
                continue
            is_right = bool(callees & truth.mentions[site])
            (right if is_right else wrong)[confidence] += 1
            reasons[(confidence, reason)][is_right] += 1
            if not is_right:
                bad.append((confidence, reason, site, callees, truth.mentions[site]))
    print("precision of each label (edges at places that the oracle knows)")
    for label in ("exact", "high", "medium", "low"):
        total = right[label] + wrong[label]
        if total or unjudged[label]:
            print(f"  {label:7} {ratio(right[label], total)}  of {total}  ({unjudged[label]} not judged)")
    for (confidence, reason), counts in sorted(reasons.items()):
        total = counts[True] + counts[False]
        print(f"    {confidence:7} {reason:45} {ratio(counts[True], total)} of {total}")
    def sure(site):
        found = edges.get(site, ())
        return any(c & truth.sites[site] for c, label, _ in found if label != "low")

    hit = sum(1 for site in truth.sites if sure(site))
    print(f"recall of call sites (medium and better)  {ratio(hit, len(truth.sites))} of {len(truth.sites)}")
    missed = [site for site in sorted(truth.sites) if not sure(site)]
    step = max(1, len(missed) // args.misses) if args.misses else 1
    for site in missed[::step][: args.misses]:
        line = truth.lines[site[0]][site[1] - 1].strip()[:110]
        print(f"  miss {site[0]}:{site[1]} {site[2]} → {sorted(truth.sites[site])[:1]}  | {line}")
    step = max(1, len(bad) // args.wrong) if args.wrong else 1
    for confidence, reason, site, callees, meant in bad[::step][: args.wrong]:
        line = truth.lines[site[0]][site[1] - 1].strip()[:90]
        print(f"  wrong {confidence} ({reason}) {site} → {sorted(callees)[:2]} not {sorted(meant)[:2]} | {line}")


def callers(truth, edges):
    meant, ours = collections.defaultdict(set), collections.defaultdict(set)
    for site, places in truth.sites.items():
        meant[frozenset(places)].add(site)
    index = collections.defaultdict(set)
    for places in meant:
        for place in places:
            index[place].add(places)
    for site, found in edges.items():
        if not truth.judges(site):
            continue
        for callees, label, _ in found:
            if label != "low":
                for places in set().union(*(index[one] for one in callees)):
                    ours[places].add(site)
    precision, recall = [], []
    for places, sites in meant.items():
        found = ours[places]
        recall.append(len(found & sites) / len(sites))
        if found:
            precision.append(len(found & sites) / len(found))
    print(f"callers of X: precision {mean(precision)}, recall {mean(recall)}, over {len(meant)} definitions")


def load_implements(path):
    with open(path, encoding="utf-8") as file:
        edges = [json.loads(line) for line in file]
    place = lambda one: (one["path"], one["line"])
    return {(place(edge["type"]), place(edge["interface"])) for edge in edges}


def implementors(truth, ours, args):
    known = {place for places in truth.definitions.values() for place in places}
    close(truth.relations)
    # Indexers leave some kinds of types out altogether; those say nothing.
    told = {a for a, _ in truth.relations}
    ours = {(a, b) for a, b in ours if a in told and b in known}
    hit = len(ours & truth.relations)
    print(f"implementors: precision {ratio(hit, len(ours))}, recall {ratio(hit, len(truth.relations))} of {len(truth.relations)}")
    for a, b in sorted(truth.relations - ours)[: args.misses]:
        print(f"  miss {a} is a {b}")
    for a, b in sorted(ours - truth.relations)[: args.wrong]:
        print(f"  wrong {a} is a {b}")


def close(relations):
    """What is a kind of a kind is one, too."""
    while True:
        bases = collections.defaultdict(set)
        for a, b in relations:
            bases[a].add(b)
        more = {(a, c) for a, b in relations for c in bases[b] if a != c} - relations
        if not more:
            return
        relations |= more


def ratio(part, whole):
    return f"{part / whole:.3f}" if whole else "  -  "


def mean(values):
    return f"{sum(values) / len(values):.3f}" if values else "-"


if __name__ == "__main__":
    main()
