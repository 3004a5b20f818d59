"""How good is a model? Two questions, both by NDCG@10.

    evaluate.py MODEL.npz|MODEL.bin [--search SET CORPORA] [--details]

(a) held-out: the first sentence of a documentation finds its function among those of its package,
    in packages that were not trained on, with the documentation taken out.
(b) search: the questions of the public search set over chunks of 40 lines.

Each for the vectors alone and with BM25 (cosine + weight × BM25 over its maximum).
"""

import argparse
import collections
import gzip
import json
import math
import os
import random
import statistics
from pathlib import Path

import numpy as np
import scipy.sparse as sparse

import model_file
from words import Vocabulary, words

WORK = Path(os.environ.get("KENNING_TRAINING", "work"))
LEXICAL_WEIGHT = 0.25
TOP = 10


class Encoder:
    def __init__(self, path):
        if str(path).endswith(".bin"):
            tokens, self.rows, self.exponent, _ = model_file.read(path)
        else:
            trained = np.load(path)
            tokens = [str(token).encode() for token in trained["tokens"]]
            self.rows, self.exponent = trained["vectors"] * trained["weights"][:, None], float(trained["exponent"])
        self.vocabulary = Vocabulary(tokens)

    def encode(self, texts):
        return self.encode_ids([self.vocabulary.encode(text) for text in texts])

    def encode_ids(self, lists):
        ends = np.concatenate([[0], np.cumsum([len(ids) for ids in lists])])
        flat = np.concatenate([np.array(ids, np.int64) for ids in lists]) if ends[-1] else np.zeros(0, np.int64)
        bags = sparse.csr_matrix((np.ones(len(flat), np.float32), flat, ends), (len(lists), len(self.rows)))
        bags.sum_duplicates()
        bags.data **= np.float32(self.exponent)
        out = bags @ self.rows
        return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)


def bm25(documents, queries, k1=1.2, b=0.75):
    """Scores of every document for every query, over case-folded words."""
    ids, rows, columns = {}, [], []
    for number, text in enumerate(documents):
        for word in words(text):
            rows.append(number)
            columns.append(ids.setdefault(word, len(ids)))
    counts = sparse.csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), (len(documents), max(1, len(ids))))
    length = np.asarray(counts.sum(1)).ravel()
    spread = np.bincount(counts.indices, minlength=counts.shape[1])
    idf = np.log(1 + (len(documents) - spread + 0.5) / (spread + 0.5))
    norm = k1 * (1 - b + b * length / max(length.mean(), 1))
    counts.data = counts.data * (k1 + 1) / (counts.data + np.repeat(norm, np.diff(counts.indptr)))
    counts = (counts @ sparse.diags(idf)).tocsc()
    scores = np.zeros((len(queries), len(documents)), np.float32)
    for number, query in enumerate(queries):
        known = [ids[w] for w in dict.fromkeys(words(query)) if w in ids]
        if known:
            scores[number] = np.asarray(counts[:, known].sum(1)).ravel()
    return scores


def together(dense, lexical):
    return dense + LEXICAL_WEIGHT * lexical / np.maximum(lexical.max(1, keepdims=True), 1e-9)


def held_out(encoder, queries_of_a_package=40):
    by_package = collections.defaultdict(list)
    with gzip.open(WORK / "held-out.jsonl.gz", "rt") as file:
        for line in file:
            item = json.loads(line)
            by_package[item["package"]].append(item)
    results = collections.defaultdict(list)
    for package, items in sorted(by_package.items()):
        items = items[:1000]
        asked = [n for n, item in enumerate(items) if item["kind"] == "doc" and len(item["summary"]) > 20]
        random.Random(1).shuffle(asked)
        asked = asked[:queries_of_a_package]
        if len(asked) < 5:
            continue
        texts = ["\n".join([item["path"], item["scope"], item["signature"], item["body"]]) for item in items]
        queries = [items[n]["summary"] for n in asked]
        dense = encoder.encode(queries) @ encoder.encode(texts).T
        lexical = bm25(texts, queries)
        for kind, scores in (("dense", dense), ("bm25", lexical), ("both", together(dense, lexical))):
            for row, wanted in zip(scores, asked):
                rank = int((row > row[wanted]).sum())
                results[kind].append(1 / math.log2(rank + 2) if rank < TOP else 0.0)
                if kind != "bm25":
                    results[kind + " " + items[wanted]["lang"]].append(results[kind][-1])
    return results


def covers(path, first, last, target):
    wanted = target if isinstance(target, str) else target["path"]
    if not (path == wanted or path.endswith("/" + wanted) or wanted.endswith("/" + path)):
        return False
    if isinstance(target, str) or target.get("start_line") is None:
        return True
    return first <= int(target["end_line"]) and last >= int(target["start_line"])


def ndcg(hits, targets):
    gains = [0] * TOP
    for target in targets:
        rank = next((i for i, hit in enumerate(hits) if covers(*hit, target)), None)
        if rank is not None:
            gains[rank] = 1
    best = sum(1 / math.log2(i + 2) for i in range(min(TOP, len(targets))))
    return sum(g / math.log2(i + 2) for i, g in enumerate(gains)) / best if best else 0.0


def chunks(root, size=40):
    for path in sorted(root.rglob("*")):
        if not path.is_file() or path.stat().st_size > 500_000 or any(part.startswith(".") for part in path.relative_to(root).parts):
            continue
        try:
            lines = path.read_text("utf-8").split("\n")
        except UnicodeDecodeError:
            continue
        name = str(path.relative_to(root))
        for start in range(0, len(lines), size):
            text = "\n".join(lines[start : start + size])
            if text.strip():
                yield name, start + 1, min(len(lines), start + size), text


def search(encoder, folder, corpora):
    results = collections.defaultdict(list)
    for spec in json.loads((folder / "repos.json").read_text()):
        root = corpora / spec["name"]
        parts = [part for part in chunks(root) if Path(part[0]).suffix not in (".md", ".rst", ".txt", ".json", ".lock", ".svg", ".yml", ".toml")]
        texts = [f"{name}\n{text}" for name, _, _, text in parts]
        queries = json.loads((folder / "queries" / f"{spec['name']}.json").read_text())
        asked = [query["query"] for query in queries]
        dense = encoder.encode(asked) @ encoder.encode(texts).T
        lexical = bm25(texts, asked)
        for kind, scores in (("dense", dense), ("bm25", lexical), ("both", together(dense, lexical))):
            for row, query in zip(scores, queries):
                hits = [parts[n][:3] for n in np.argsort(-row, kind="stable")[:TOP]]
                score = ndcg(hits, query.get("relevant", []) + query.get("secondary", []))
                results[kind].append(score)
                results[f"{kind} {query.get('category', '?')}"].append(score)
                results[f"{kind} {spec['language']}"].append(score)
    return results


def show(title, results, details):
    means = {name: statistics.mean(values) for name, values in results.items()}
    print(title, f"({len(results['dense'])} queries)", "  ".join(f"{k} {means[k]:.4f}" for k in ("dense", "bm25", "both")))
    if details:
        print("   ", "  ".join(f"{k} {v:.3f}" for k, v in sorted(means.items()) if " " in k and not k.startswith("bm25")))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--search", nargs=2, type=Path, metavar=("SET", "CORPORA"))
    parser.add_argument("--details", action="store_true")
    args = parser.parse_args()
    encoder = Encoder(args.model)
    if (WORK / "held-out.jsonl.gz").exists():
        show("held-out", held_out(encoder), args.details)
    if args.search:
        show("search", search(encoder, *args.search), args.details)


if __name__ == "__main__":
    main()
