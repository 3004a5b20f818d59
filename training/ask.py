"""Measures how well a commit message finds the definitions that the commit changed, in repositories not trained on.

    ask.py prepare                        WORK/trees/ → WORK/asked.pickle
    ask.py MODEL.npz|MODEL.bin … [--part tune|held-out] [--details]

The question is a commit's message, whole or the title alone; the candidates are all functions of the
tree before the change. A file scores as its best definition. `both` is cosine + weight × BM25 over its
maximum. Every repository counts the same; of several models each is compared with the first.
"""

import argparse
import collections
import math
import pickle
import statistics
import sys

import numpy as np
import scipy.sparse as sparse

from dataset import load_vocabulary
from evaluate import Encoder
from histories import WORK, out_file, read_rows, recorded
from words import words

ASKED = WORK / "asked.pickle"
WEIGHTS = (0.25, 0.5, 1.0)
LONGEST_QUESTION = 4000
COMPARED = [(f"message {method}", level) for method in ("cosine", "both 0.5") for level in ("function", "file")]


def text_of(definition, path):
    return "\n".join([path] + [definition[k] for k in ("scope", "name", "signature", "doc", "body")])


class Bags:
    """Texts as counts of words, added one after the other."""

    def __init__(self):
        self.ids, self.flat, self.ends = {}, [], [0]

    def add(self, text):
        self.flat += [self.ids.setdefault(word, len(self.ids)) for word in words(text)]
        self.ends.append(len(self.flat))

    def matrix(self):
        matrix = sparse.csr_matrix((np.ones(len(self.flat), np.float32), np.array(self.flat), np.array(self.ends)), (len(self.ends) - 1, len(self.ids)))
        matrix.sum_duplicates()
        return matrix


def bm25(counts, columns, k1=1.2, b=0.75):
    length = np.asarray(counts.sum(1)).ravel()
    wanted = counts[:, columns].tocsc()
    spread = np.diff(wanted.indptr)
    idf = np.log(1 + (counts.shape[0] - spread + 0.5) / (spread + 0.5))
    norm = k1 * (1 - b + b * length / length.mean())
    wanted.data = wanted.data * (k1 + 1) / (wanted.data + norm[wanted.indices])
    return (wanted @ idf).astype(np.float32)


def prepare_repository(repository):
    rows = read_rows(out_file("trees", repository))
    blobs = {row["blob"]: row["definitions"] for row in rows if "blob" in row}
    bags, texts, number_of, tasks = Bags(), [], {}, []
    for pair in (row for row in rows if "commit" in row):
        wanted = {(path, name, first) for path, name, first, _, kind in pair["changed"] if kind == "function"}
        candidates, files, is_right = [], [], []
        for path, blob in pair["tree"]:
            for place, definition in enumerate(blobs.get(blob, [])):
                if definition["kind"] != "function":
                    continue
                mark = (blob, place, path)
                if mark not in number_of:
                    number_of[mark] = len(texts)
                    texts.append(text_of(definition, path))
                    bags.add(texts[-1])
                candidates.append(number_of[mark])
                files.append(path)
                is_right.append((path, definition["name"], definition["first"]) in wanted)
        if not any(is_right):
            continue
        names = {path: n for n, path in enumerate(dict.fromkeys(files))}
        tasks.append({
            "title": pair["title"], "message": (pair["title"] + "\n" + pair["body"])[:LONGEST_QUESTION], "candidates": np.array(candidates), "files": np.array([names[f] for f in files]),
            "is_right": np.array(is_right), "right_files": {names[p] for p, *_ in pair["changed"] if p in names},
        })
    counts = bags.matrix()
    for task in tasks:
        of_tree = counts[task["candidates"]]
        for kind in ("title", "message"):
            columns = sorted({bags.ids[w] for w in words(task[kind]) if w in bags.ids})
            task["bm25 " + kind] = bm25(of_tree, columns) if columns else np.zeros(of_tree.shape[0], np.float32)
    vocabulary = load_vocabulary()
    return {"tasks": tasks, "texts": texts, "tokens": [np.array(vocabulary.encode(text), np.uint16) for text in texts]}


def prepare():
    asked = {}
    for row in recorded():
        if row["part"] != "train" and out_file("trees", row["repository"]).exists():
            found = prepare_repository(row["repository"])
            asked[row["repository"]] = found | {"part": row["part"]}
            sizes = [len(task["candidates"]) for task in found["tasks"]]
            print(row["repository"], row["part"], len(sizes), "questions,", int(np.mean(sizes)), "candidates", flush=True)
    with ASKED.open("wb") as out:
        pickle.dump({"vocabulary": load_vocabulary().tokens, "asked": asked}, out)


def judged(ranked, right):
    """NDCG@10, recall@5, recall@10 of an order without repetitions."""
    gain = sum(1 / math.log2(place + 2) for place, one in enumerate(ranked[:10]) if one in right)
    best = sum(1 / math.log2(place + 2) for place in range(min(10, len(right))))
    return gain / best, len(right & set(ranked[:5])) / len(right), len(right & set(ranked[:10])) / len(right)


def score(task, scores, results, name):
    order = np.argsort(-scores, kind="stable")[:10]
    results[name, "function"].append(judged(order.tolist(), set(np.flatnonzero(task["is_right"]).tolist())))
    of_file = np.full(task["files"].max() + 1, -np.inf)
    np.maximum.at(of_file, task["files"], scores)
    results[name, "file"].append(judged(np.argsort(-of_file, kind="stable")[:10].tolist(), task["right_files"]))


def evaluate(path, part, asked, kinds=("message", "title")):
    """(method, level) → NDCG@10, recall@5, recall@10, the mean over repositories; and each repository's."""
    encoder, by_repository = Encoder(path), {}
    has_same_tokens = encoder.vocabulary.tokens == asked["vocabulary"]
    for repository, found in asked["asked"].items():
        if found["part"] != part or not found["tasks"]:
            continue
        results = collections.defaultdict(list)
        documents = encoder.encode_ids(found["tokens"]) if has_same_tokens else encoder.encode(found["texts"])
        for kind in kinds:
            queries = encoder.encode([task[kind] for task in found["tasks"]])
            for query, task in zip(queries, found["tasks"]):
                cosine, lexical = documents[task["candidates"]] @ query, task["bm25 " + kind]
                lexical = lexical / max(lexical.max(), 1e-9)
                score(task, cosine, results, kind + " cosine")
                score(task, lexical, results, kind + " BM25")
                for weight in WEIGHTS:
                    score(task, cosine + weight * lexical, results, f"{kind} both {weight}")
        by_repository[repository] = {name: np.mean(rows, 0) for name, rows in results.items()} | {"questions": len(found["tasks"])}
    names = [name for name in next(iter(by_repository.values())) if name != "questions"]
    return {name: np.mean([rows[name] for rows in by_repository.values()], 0) for name in names}, by_repository


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--part", default="tune")
    parser.add_argument("--details", action="store_true")
    options = parser.parse_args()
    asked = pickle.loads(ASKED.read_bytes())
    before = None
    for path in options.models:
        means, by_repository = evaluate(path, options.part, asked)
        print(path, options.part, len(by_repository), "repositories,", sum(r["questions"] for r in by_repository.values()), "questions")
        for name in dict.fromkeys(method for method, _ in means):
            of_function, of_file = means[name, "function"], means[name, "file"]
            print(f"  {name:18} function {' '.join(f'{x:.3f}' for x in of_function)}   file {' '.join(f'{x:.3f}' for x in of_file)}")
        if before is not None:
            for name in COMPARED:
                moved = [by_repository[r][name][0] - before[r][name][0] for r in before]
                print(f"  {' '.join(name)}: NDCG@10 {statistics.mean(moved):+.4f} against the first model, standard error over repositories {statistics.stdev(moved) / math.sqrt(len(moved)):.4f}")
        before = before or by_repository
        if options.details:
            for repository, rows in by_repository.items():
                print(f"  {repository:44}", " ".join(f"{name} {rows[f'message {name}', 'function'][0]:.3f}" for name in ("cosine", "BM25", "both 0.5")))


if __name__ == "__main__":
    if sys.argv[1:] == ["prepare"]:
        prepare()
    else:
        main()
