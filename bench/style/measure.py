"""Measures the style of the Rust sources: names, comments and lengths. See STYLE.md.

usage: python3 bench/style/measure.py [--list KIND] [FOLDER]

Tests do not count: folders named `tests`, files named `tests.rs` and what follows `#[cfg(test)] mod`. The script reads
lines, not syntax trees, so its figures are good for comparing two states of a tree, and less so for single findings.
`--list` prints the findings of one kind instead of the figures: words, types, participles, long, rebound, modules.
"""

import argparse
import collections
import pathlib
import re

# A comment that begins with one of these words is an indirect question.
QUESTION_WORDS = ("What", "Whether", "Which", "Of", "Who", "Whoever", "Under", "As if")
PREPOSITIONS = {
    "of", "within", "beside", "under", "above", "below", "between", "among", "about", "around", "behind", "beyond",
    "beneath", "through", "without", "upon", "toward", "towards", "across", "along", "near", "past", "onto",
}
IRREGULAR_PARTICIPLES = {
    "kept", "told", "held", "given", "meant", "drawn", "written", "known", "found", "made", "sent", "built", "said",
    "seen", "shown", "taken", "left", "lost", "met", "begun", "chosen", "grown", "spoken", "understood", "thought",
    "brought", "bought", "caught", "hidden", "bound", "born", "torn", "worn", "gone", "done", "lent", "laid", "paid",
}
# One word that ends in `ed` or `ing` and is a noun, a verb or the field's adjective.
NO_PARTICIPLES = {"string", "embed", "feed", "need", "seed", "ping", "bring", "sing", "heading", "encoding", "mapping",
                  "indexed", "shared", "thing", "embedding", "proceed", "exceed", "red", "bed", "speed", "padding",
                  "binding", "spring", "ring", "king", "ending", "setting", "building", "exceeding", "sorted"}
MAX_FUNCTION_LINES = 60

TYPE = re.compile(r"^(?:pub(?:\([^)]*\))? )?(?:unsafe )?(?:struct|enum|trait|union|type) (\w+)")
FUNCTION = re.compile(r"^( *)(?:pub(?:\([^)]*\))? )?(?:const |async |unsafe |extern \"C\" )*fn (\w+)")
BINDING = re.compile(r"^ *let (?:mut )?(\w+)(?:: [^=]+)? =(.*)")
COMMENT = re.compile(r"^\s*//[/!]?(?!/)\s?(.*)")


def source_files(folder):
    """Returns the source files below the folder, without tests and what a build leaves."""
    for path in sorted(folder.rglob("*.rs")):
        parts = path.relative_to(folder).parts
        if {"tests", "target", "bench"} & set(parts) or path.name == "tests.rs" or "testing" in parts:
            continue
        yield path


def lines_without_tests(path):
    """Returns the lines of a file up to its module of unit tests."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines[:-1]):
        if line == "#[cfg(test)]" and lines[number + 1].startswith("mod "):
            # Only a module with a body ends the file; `mod tests;` is one line.
            if lines[number + 1].endswith("{"):
                return lines[:number]
    return lines


class Findings:
    """All counts and findings of a tree."""

    def __init__(self):
        self.lines = self.comments = self.blocks = self.functions = 0
        self.words, self.participles, self.long, self.rebound, self.modules = [], [], [], [], []
        self.types = collections.defaultdict(list)

    def add_file(self, path, name):
        lines = lines_without_tests(path)
        self.modules.append(name)
        self.add_comments(lines, name)
        bound = set()
        for number, line in enumerate(lines):
            place = f"{name}:{number + 1}"
            if found := TYPE.match(line):
                self.types[found[1]].append(place)
            if found := FUNCTION.match(line):
                bound = set()
                self.add_function(lines, number, found, place)
            if found := BINDING.match(line):
                variable, value = found[1], found[2]
                # A value may continue on the next lines, up to the semicolon.
                for more in lines[number + 1:number + 4]:
                    if value.rstrip().endswith(";"):
                        break
                    value += " " + more.strip()
                if variable in bound and re.search(rf"(?<![.\w]){variable}\b(?!:[^:])", value):
                    self.rebound.append(f"{place} {variable}")
                bound.add(variable)

    def add_comments(self, lines, name):
        in_block = False
        for number, line in enumerate(lines):
            if not line.strip():
                in_block = False
                continue
            self.lines += 1
            found = COMMENT.match(line)
            if not found:
                in_block = False
                continue
            self.comments += 1
            if not in_block:
                self.blocks += 1
                text = found[1]
                if any(re.match(rf"{word}\b", text) for word in QUESTION_WORDS):
                    self.words.append(f"{name}:{number + 1} {text[:70]}")
            in_block = True

    def add_function(self, lines, number, found, place):
        self.functions += 1
        function = found[2]
        if "_" not in function and is_participle(function):
            self.participles.append(f"{place} {function}")
        end = number
        if not lines[number].rstrip().endswith((";", "}")):
            while end + 1 < len(lines) and not re.match(rf"^{found[1]}(}}|.*;$)", lines[end]):
                end += 1
                if lines[end].startswith(found[1] + "}"):
                    break
        if end - number + 1 > MAX_FUNCTION_LINES:
            self.long.append(f"{place} {function} {end - number + 1}")


def is_participle(word):
    """True if a name of one word is only a participle or a preposition."""
    if word in NO_PARTICIPLES:
        return False
    return word in PREPOSITIONS or word in IRREGULAR_PARTICIPLES or bool(re.search(r"(ed|ing)$", word))


def percent(part, whole):
    return f"{100 * part / max(whole, 1):.1f} %"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default=".", type=pathlib.Path)
    parser.add_argument("--list", choices=["words", "types", "participles", "long", "rebound", "modules"])
    arguments = parser.parse_args()
    findings = Findings()
    for path in source_files(arguments.folder):
        findings.add_file(path, str(path.relative_to(arguments.folder)))
    repeated = {name: places for name, places in findings.types.items() if len(places) >= 3}
    if arguments.list == "types":
        for name, places in sorted(repeated.items(), key=lambda item: -len(item[1])):
            print(f"{len(places)} {name}: {', '.join(places)}")
    elif arguments.list:
        print("\n".join(getattr(findings, arguments.list)))
    else:
        print(f"source files                          {len(findings.modules)}")
        print(f"lines that are not blank              {findings.lines}")
        print(f"comments                              {percent(findings.comments, findings.lines)} of them")
        words = percent(len(findings.words), findings.blocks)
        print(f"comment blocks that begin with a question word  {len(findings.words)} of {findings.blocks} ({words})")
        print(f"type names with three or more definitions       {len(repeated)}")
        print(f"functions                             {findings.functions}")
        print(f"  named by a participle or preposition alone    {len(findings.participles)}")
        print(f"  of more than {MAX_FUNCTION_LINES} lines                  {len(findings.long)}")
        print(f"names bound again to their own next step        {len(findings.rebound)}")


if __name__ == "__main__":
    main()
