"""Judges `ken edges` by rustc's MIR: what the compiler itself calls, after macros, autoderef and inference.

    RUSTC_BOOTSTRAP=1 cargo rustc --lib -- --emit mir -Zmir-include-spans=yes -Zmir-opt-level=0
    mir.py CRATE CRATE/target/debug/deps/NAME-….mir CALLS.JSONL [--misses N] [--wrong N]

A call of MIR has the span of its whole expression and the path of what is called. It counts if what is called
is a function of the same crate and its name stands before a bracket within the span; the last such line is the
site's. Paths are compared by the name and, of members, by the type or trait that has them. Calls of closures,
conversions that `?` makes and drops have no name in the text, and are left out with what macros write and with
what only holds what it is given, cases and structs.

Edges are judged only where rustc calls the crate itself: an edge at a place where it calls a library is counted
neither as right nor as wrong, so the precision here is that of the calls that were to be found. `compare.py` with
rust-analyzer's index judges those edges too.
"""

import argparse
import collections
import json
import os
import re

PRIMITIVE = {"bool", "char", "str", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128",
             "isize", "f32", "f64"}
HEAD = re.compile(r"^(?:const )?fn (.+?)\(.*\) -> .* \{$")
IMPL = re.compile(r"<impl at ([^:]+):(\d+):\d+: (\d+):\d+>")
CALL = re.compile(r"^\s+_\d+ = (.+?)\((?:move|copy|const|_|\)).* // scope \d+ at ([^:]+):(\d+):(\d+): (\d+):(\d+)$")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("mir")
    parser.add_argument("calls")
    parser.add_argument("--misses", type=int, default=0)
    parser.add_argument("--wrong", type=int, default=0)
    args = parser.parse_args()
    sources = Sources(args.root)
    with open(args.mir, encoding="utf-8") as file:
        lines = file.read().split("\n")
    truth = sites(lines, defined(lines, sources), sources)
    judge(truth, load(args.calls), sources, args)


class Sources:
    def __init__(self, root):
        self.root, self.known = root, {}

    def lines(self, path):
        if path not in self.known:
            try:
                with open(os.path.join(self.root, path), encoding="utf-8") as file:
                    self.known[path] = file.read().split("\n")
            except OSError:
                self.known[path] = []
        return self.known[path]

    def traits(self):
        """The names of the traits of the crate, as far as its files were looked at."""
        if not hasattr(self, "named") or self.named[0] != len(self.known):
            text = "\n".join(line for lines in self.known.values() for line in lines)
            self.named = len(self.known), set(re.findall(r"\btrait (\w+)", text))
        return self.named[1]


def defined(lines, sources):
    """The functions of the crate, as pairs of an owner and a name; an impl is of its type and its trait."""
    found = set()
    for line in lines:
        head = HEAD.match(line)
        if not head:
            continue
        path = head.group(1)
        impl = IMPL.search(path)
        name = last(path)
        if not impl:
            found.add((owner(path), name))
            continue
        text = " ".join(sources.lines(impl.group(1))[int(impl.group(2)) - 1 : int(impl.group(3)) + 4])
        text = bare(text.split("{")[0].split(" where ")[0])
        parts = re.sub(r"^.*?\bimpl\s*", "", text).split(" for ")
        found.update((last(part.strip(" &*")), name) for part in parts)
    return found


def sites(lines, known, sources):
    """By path, line and name: the owners that MIR gives what is called there."""
    found = collections.defaultdict(set)
    for line in lines:
        call = CALL.match(line)
        if not call:
            continue
        path, file, start, _, end, _ = call.groups()
        name, (own, asked) = last(bare(path)), owners_of(path)
        # A trait of a library is implemented here too, and what that does for a library's types is not ours.
        is_mine = (own, name) in known or asked in sources.traits()
        at = place(sources.lines(file), int(start), int(end), name)
        if is_mine and at and not name[:1].isupper():
            found[(file, at, name)] |= {own, asked} if asked else {own}
    return found


def owners_of(path):
    """The type, and the trait through which it is called, if that is so."""
    as_trait = re.match(r"^<(.+) as (.+)>::[\w#]+(?:::<.*>)?$", path)
    if as_trait:
        return tuple(last(bare(one).strip("&* ")) for one in as_trait.groups())
    return owner(bare(path)), None


def place(lines, start, end, name):
    written = re.compile(rf"\b{re.escape(name)}(?:::<[^()]*>)?\(")
    at = [number for number in range(start, end + 1) if number <= len(lines) and written.search(lines[number - 1])]
    return at[-1] if at else None


def bare(path):
    """Without type arguments."""
    depth, kept = 0, []
    for index, char in enumerate(path):
        if char == "<" and not path.startswith("<impl", index):
            depth += 1
        elif char == ">" and path[index - 1] != "-":
            depth = max(0, depth - 1)
        elif depth == 0:
            kept.append(char)
    return re.sub(r"(::)+", "::", "".join(kept)).strip(":")


def last(path):
    return path.split("::")[-1].split(" ")[-1]


def owner(path):
    """The type before the name; of a free function none."""
    parts = path.split("::")
    type_name = re.split(r"[ &*]", parts[-2])[-1] if len(parts) > 1 else ""
    return type_name if not type_name[:1].islower() or type_name in PRIMITIVE else ""


def load(path):
    found = collections.defaultdict(list)
    with open(path, encoding="utf-8") as file:
        for line in file:
            edge = json.loads(line)
            site = edge["site"]
            callees = {owner(one["symbol"].replace(".", "::")) for one in edge["callees"]}
            found[(site["path"], site["line"], site["name"])].append((callees, edge["confidence"]))
    return found


def judge(truth, edges, sources, args):
    right, total, bad = collections.Counter(), collections.Counter(), []
    for site in truth:
        for callees, label in edges.get(site, ()):
            total[label] += 1
            right[label] += bool(callees & truth[site])
            if not callees & truth[site]:
                bad.append((site, label, callees))
    for label in ("exact", "high", "medium", "low"):
        if total[label]:
            print(f"{label:7} {right[label] / total[label]:.3f} of {total[label]}")
    def is_found(site):
        return any(callees & truth[site] for callees, label in edges.get(site, ()) if label != "low")

    missed = [site for site in sorted(truth) if not is_found(site)]
    print(f"recall  {1 - len(missed) / max(1, len(truth)):.3f} of {len(truth)}")
    for path, line, name in missed[: args.misses]:
        print(f"  miss {path}:{line} {name} of {sorted(truth[(path, line, name)])} | {sources.lines(path)[line - 1].strip()[:100]}")
    for (path, line, name), label, callees in bad[: args.wrong]:
        print(f"  wrong {label} {path}:{line} {name} → {sorted(callees)} not {sorted(truth[(path, line, name)])}")


if __name__ == "__main__":
    main()
