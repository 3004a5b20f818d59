"""The pairs of the histories as numbers, with the rank that a known model gives to each.

    pairs.py MODEL.npz|MODEL.bin     WORK/histories/ → WORK/pairs.npz

A message can speak of everything but the code that changed with it. `rank` is the place of the best
changed definition among all definitions that were taken from its repository, by BM25 and the model:
the trainer keeps the pairs above a limit. Definitions are also items as those of `dataset.py` are.
"""

import sys
from pathlib import Path

import numpy as np

from dataset import FIELDS, load_vocabulary, summary
from evaluate import Encoder, bm25, together
from histories import WORK, read, recorded, out_file
from mine import clean_doc, is_prose

DOC, BARE = 0, 2
MOST_OF_A_REPOSITORY = 300


def fields_of(definition):
    """The fields of an item, as `dataset.py` has them."""
    doc = clean_doc("\n".join(line.strip().lstrip("/#*-! ") for line in definition["doc"].split("\n")))
    body = definition["body"]
    if not doc and (quoted := body.lstrip()[:3]) in ('"""', "'''"):
        text = body.lstrip()[3:].split(quoted)[0]
        doc = clean_doc(text)
        body = body.replace(text, "", 1)
    doc = doc[:700] if is_prose(doc) else ""
    return {**{k: definition[k] for k in ("path", "scope", "name", "signature")}, "doc": doc, "summary": summary(doc), "body": body[:2000]}


def ranks_of(encoder, definitions, pairs):
    texts = ["\n".join(d[k] for k in ("path", "scope", "signature", "doc", "body")) for d in definitions]
    queries = [pair["title"] + "\n" + pair["body"][:1500] for pair in pairs]
    scores = together(encoder.encode(queries) @ encoder.encode(texts).T, bm25(texts, queries))
    return [int(min((row > row[n]).sum() for n in pair["changed"])) for row, pair in zip(scores, pairs)]


def main(model):
    encoder, vocabulary = Encoder(model), load_vocabulary()
    flat, ends = ({name: [] for name in [*FIELDS, "title", "message", "changed", "beside"]} for _ in range(2))
    meta, of_pair, projects = [], [], 0

    def put(name, numbers, dtype=np.uint16):
        flat[name].append(np.array(numbers, dtype))
        ends[name].append(len(numbers))

    for row in recorded():
        path = out_file("histories", row["repository"])
        if row["part"] != "train" or not path.exists():
            continue
        _, definitions, pairs = read(path)
        if len(pairs) < 20:
            continue
        pairs = pairs[:MOST_OF_A_REPOSITORY]
        used = sorted({n for pair in pairs for n in [*(c[0] for c in pair["changed"]), *pair["beside"][:2]]})
        place = {n: at for at, n in enumerate(used)}
        definitions = [definitions[n] for n in used]
        pairs = [{**pair, "changed": [place[c[0]] for c in pair["changed"]], "beside": [place[n] for n in pair["beside"][:2]]} for pair in pairs]
        first = len(meta)
        for definition in definitions:
            item = fields_of(definition)
            for field in FIELDS:
                put(field, vocabulary.encode(item[field]))
            small = definition["kind"] == "function" or definition["last"] - definition["first"] < 80
            meta.append((projects, DOC if item["doc"] else BARE, small))
        for pair, rank in zip(pairs, ranks_of(encoder, definitions, pairs)):
            put("title", vocabulary.encode(pair["title"]))
            put("message", vocabulary.encode(pair["body"]))
            put("changed", [first + n for n in pair["changed"]], np.int32)
            put("beside", [first + n for n in pair["beside"]], np.int32)
            of_pair.append((projects, rank))
        projects += 1
        print(row["repository"], len(pairs), flush=True)
    arrays = {name: np.concatenate(flat[name]) for name in flat} | {name + "_ends": np.cumsum(ends[name]) for name in ends}
    np.savez(WORK / "pairs.npz", meta=np.array(meta, np.int32), pairs=np.array(of_pair, np.int32), **arrays)
    rank = np.array(of_pair)[:, 1]
    print(len(of_pair), "pairs of", projects, "repositories;", {limit: int((rank < limit).sum()) for limit in (5, 20, 50, 200)}, "rank above these")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
