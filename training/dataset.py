"""Items to numbers: the vocabulary, then every item as token ids.

    dataset.py vocabulary [SIZE]     WORK/items/, WORK/histories/ → WORK/vocabulary.txt (token, weighted count)
    dataset.py vocabulary MODEL.bin  the tokens of a model that training goes on from, without counts
    dataset.py split                 WORK/items/ → held-out.txt: the projects that nobody trains on
    dataset.py tokens [ITEMS]        WORK/items/ → WORK/train.npz, WORK/held-out.jsonl.gz
"""

import collections
import gzip
import hashlib
import json
import os
import random
import re
import sys
from pathlib import Path

import numpy as np

import histories
import model_file
from words import Vocabulary, words

WORK = Path(os.environ.get("KENNING_TRAINING", "work"))
HELD_OUT = Path(__file__).resolve().parent / "held-out.txt"
SEED = 20260
FIELDS = ["path", "scope", "name", "signature", "summary", "doc", "body"]
HELD_OUT_PACKAGES = 64
# Non-blank characters of code in a chunk, as the index cuts it.
CHUNK = 1500
MOST_OF_A_LANGUAGE = 40_000
# Where a language has many packages, many of them are worth more than much of one.
MOST_OF_A_PACKAGE = 300
PLENTIFUL = {"rust", "python", "javascript", "typescript", "c", "java"}


def packages():
    paths = sorted((WORK / "items").glob("*.jsonl.gz"))
    random.Random(SEED).shuffle(paths)
    for path in paths:
        with gzip.open(path, "rt") as file:
            yield file.readlines()


def package_of(lines):
    return re.match(r'\{"package": "([^"]*)"', lines[0])[1]


def summary(doc):
    """The first sentence."""
    found = re.match(r"(.{15,}?[^A-Z.\s]{2})(?:[.!?](?=\s+[A-Z])|\s*\n\n|$)", doc, re.S)
    return (found[1] if found else doc)[:240]


def clip(body):
    """The beginning of a body with `CHUNK` non-blank characters."""
    if len(body) <= CHUNK:
        return body
    blank = 0
    for at, character in enumerate(body):
        blank += character.isspace()
        if at - blank >= CHUNK:
            return body[:at]
    return body


def texts_of_sources():
    """Some texts of every package, and the messages of every history that is trained on."""
    for lines in packages():
        yield [item[field] for item in map(json.loads, lines[:250]) for field in ("path", "signature", "doc", "body")]
    for row in histories.recorded():
        path = histories.out_file("histories", row["repository"])
        if row["part"] == "train" and path.exists():
            _, _, pairs = histories.read(path)
            yield [pair[field] for pair in pairs for field in ("title", "body")]


def build_vocabulary(size):
    spread, total = collections.Counter(), collections.Counter()
    for texts in texts_of_sources():
        seen = collections.Counter()
        for text in texts:
            seen.update(words(text))
        spread.update(seen.keys())
        # A package that repeats itself should not decide what is frequent.
        total.update({word: min(count, 200) for word, count in seen.items()})
    letters = [bytes([c]) for c in b"abcdefghijklmnopqrstuvwxyz0123456789"]
    def is_wanted(word):
        if len(word) > 24 or spread[word] < 2 or not word.isascii():
            return False
        return len(word) <= 3 if word.isdigit() else not re.search(rb"(.)\1\1", word)
    chosen = [w for w in total if is_wanted(w) and w not in set(letters)]
    chosen.sort(key=lambda w: (-spread[w], -total[w], w))
    chosen = letters + chosen[: size - len(letters)]
    chosen.sort(key=lambda w: (-total[w], w))
    with open(WORK / "vocabulary.txt", "w") as out:
        for word in chosen:
            out.write(f"{word.decode()}\t{max(1, total[word])}\n")
    print(len(chosen), "tokens; the last one is in", spread[chosen[-1]], "packages")


def load_vocabulary():
    return Vocabulary([line.split("\t")[0].encode() for line in (WORK / "vocabulary.txt").read_text().splitlines()])


def fingerprint(item):
    text = re.sub(r"\W+", "", item["signature"] + item["body"][:600]).lower()
    return hashlib.md5(text.encode()).digest()


def plain_name(package):
    """One name for a project, whatever registry it comes from."""
    name = package.split("/", 1)[1].lower()
    name = re.sub(r"^(python3?-|ruby-|node-|rust-|haskell-|php-|lua-|golang-(github|gitlab|golang|gopkg)-|lib(?=.*-(java|perl)$))", "", name)
    return re.sub(r"(-java|-perl|-dev)$", "", name)


def held_out_names(counts, language):
    """Packages that nobody trains on: some of each language, with enough to ask."""
    chosen, by_language = [], collections.defaultdict(list)
    for package in sorted(counts):
        if counts[package] >= 60:
            by_language[language[package]].append(package)
    order = random.Random(SEED)
    for lang in sorted(by_language):
        names = by_language[lang]
        order.shuffle(names)
        # A language with a handful of packages needs them all to learn from.
        chosen += names[: min(5, (len(names) + 8) // 12)]
    order.shuffle(chosen)
    return {plain_name(package) for package in chosen[:HELD_OUT_PACKAGES]}


def split():
    """Reads no item whole: kinds and languages stand at fixed places of a line."""
    counts, language = collections.Counter(), {}
    for path in sorted((WORK / "items").glob("*.jsonl.gz")):
        with gzip.open(path, "rt") as file:
            heads = [line[:200] for line in file]
        documented = collections.Counter(re.findall(r'"kind": "doc", "lang": "(\w+)"', "".join(heads)))
        if documented:
            package = package_of(heads)
            counts[package] = sum(documented.values())
            language[package] = documented.most_common(1)[0][0]
    HELD_OUT.write_text("".join(name + "\n" for name in sorted(held_out_names(counts, language))))


def projects_of_histories():
    """The packages of the repositories that figures are reported on, or that decide between variants."""
    return {plain_name(row["repository"]) for row in histories.recorded() if row["part"] != "train"}


def tokens(most):
    vocabulary, held_out, left_out = load_vocabulary(), set(HELD_OUT.read_text().split()), projects_of_histories()
    seen, documents = set(), collections.Counter()
    with gzip.open(WORK / "held-out.jsonl.gz", "wt", compresslevel=3) as out:
        for lines in packages():
            if plain_name(package_of(lines)) in held_out:
                for item in map(json.loads, lines):
                    seen.add(fingerprint(item))
                    if item["kind"] != "inner":
                        out.write(json.dumps({**item, "summary": summary(item["doc"])}, ensure_ascii=False) + "\n")
    flat = {field: [] for field in FIELDS}
    ends = {field: [] for field in FIELDS}
    meta, per_language, names = [], collections.Counter(), {}
    for lines in packages():
        package = package_of(lines)
        if plain_name(package) in held_out | left_out:
            continue
        if len(meta) >= most:
            break
        number = names.setdefault(plain_name(package), len(names))
        of_package = collections.Counter()
        for line in lines:
            lang = re.search(r'"lang": "(\w+)"', line[:300])[1]
            of_package[lang] += 1
            if per_language[lang] >= MOST_OF_A_LANGUAGE or lang in PLENTIFUL and of_package[lang] > MOST_OF_A_PACKAGE:
                continue
            item = json.loads(line)
            mark = fingerprint(item)
            if mark in seen:
                continue
            seen.add(mark)
            if item["doc"]:
                documents[item["doc"][:120]] += 1
                if documents[item["doc"][:120]] > 4:
                    continue
            per_language[item["lang"]] += 1
            item["summary"], item["body"] = summary(item["doc"]), clip(item["body"])
            for field in FIELDS:
                flat[field].append(np.array(vocabulary.encode(item[field]), np.uint16))
                ends[field].append(len(flat[field][-1]))
            meta.append((number, {"doc": 0, "inner": 1, "bare": 2}[item["kind"]]))
    arrays = {field: np.concatenate(flat[field]) for field in FIELDS}
    arrays |= {field + "_ends": np.cumsum(ends[field]) for field in FIELDS}
    np.savez(WORK / "train.npz", meta=np.array(meta, np.int32), **arrays)
    kinds = collections.Counter(kind for _, kind in meta)
    print(len(meta), "items of", len(names), "projects:", kinds[0], "documented,", kinds[1], "inner comments,", kinds[2], "bare")
    print(dict(per_language.most_common()))


if __name__ == "__main__":
    if sys.argv[1] == "vocabulary" and sys.argv[2:] and sys.argv[2].endswith(".bin"):
        known, *_ = model_file.read(sys.argv[2])
        (WORK / "vocabulary.txt").write_text("".join(f"{token.decode()}\t1\n" for token in known))
    elif sys.argv[1] == "vocabulary":
        build_vocabulary(int(sys.argv[2]) if len(sys.argv) > 2 else 32_000)
    elif sys.argv[1] == "split":
        split()
    else:
        tokens(int(sys.argv[2]) if len(sys.argv) > 2 else sys.maxsize)
