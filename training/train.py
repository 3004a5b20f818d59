"""Contrastive training of the token vectors, in plain numpy.

    train.py OUT.npz [--epochs N] [--dimension D] [--exponent P] [--items N] …

What somebody wrote about a piece of code has to be nearer to that code than to the other code in
the batch. Batches are made of groups from one project, and from the second epoch on an item stands
beside those that the model confuses with it, so most negatives are hard. Starts from `distilled.npz`;
every row has a learned weight besides its direction. Same seed, same numbers.
"""

import argparse
import json
import os
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sparse

from dataset import FIELDS, load_vocabulary

WORK = Path(os.environ.get("KENNING_TRAINING", "work"))
GROUP = 32
STOP = ("a an the of to in for on with and or is are be this that these those it its as by from at if when which into not no all any "
        "will can may has have was were been but than then also there their them they you your we our i he s t so such").split()
BEFORE = ["how does", "how do", "how is", "how are", "where is", "where are", "where does it", "how", "what", "which function", "which code",
          "code that", "function that", "logic for", "how to", "where do we", "find the code that", "class that", "how does the code", "where"]
AFTER = ["", "", "", "", "implemented", "handled", "defined", "work", "implementation", "done", "happen", "logic", "in the code"]
DOC, INNER, BARE = 0, 1, 2


class Data:
    """The items of `train.npz`; a field of an item is a slice of one long array."""

    def __init__(self, items, generator):
        arrays = np.load(WORK / "train.npz")
        self.meta = arrays["meta"]
        self.flat = {field: arrays[field].astype(np.int32) for field in FIELDS}
        self.starts = {f: np.concatenate([[0], arrays[f + "_ends"][:-1]]).tolist() for f in FIELDS}
        self.ends = {f: arrays[f + "_ends"].tolist() for f in FIELDS}
        self.project, self.kind = self.meta[:, 0], self.meta[:, 1]
        self.items = np.arange(len(self.meta))
        if items and items < len(self.items):
            # Whole projects, because negatives come from the same one.
            order = generator.permutation(self.project.max() + 1)
            sizes = np.bincount(self.project)[order]
            chosen = set(order[: np.searchsorted(np.cumsum(sizes), items)].tolist())
            self.items = self.items[[p in chosen for p in self.project]]

    def get(self, field, item):
        return self.flat[field][self.starts[field][item] : self.ends[field][item]]


class Views:
    """Draws how an item is asked for and how it is shown."""

    def __init__(self, data, vocabulary, generator, options):
        self.data, self.generator, self.options = data, generator, options
        ids = vocabulary.ids
        self.stop = np.zeros(len(vocabulary.tokens), bool)
        self.stop[[ids[w.encode()] for w in STOP if w.encode() in ids]] = True
        encode = lambda text: np.array(vocabulary.encode(text), np.int32)
        self.before, self.after = [encode(t) for t in BEFORE], [encode(t) for t in AFTER]
        self.base, self.past = self.verbs(vocabulary)

    @staticmethod
    def verbs(vocabulary):
        """`parses` → `parse`, `parsed`, as far as the vocabulary has them."""
        ids = vocabulary.ids
        base, past = np.arange(len(ids)), np.arange(len(ids))
        for token, number in ids.items():
            if token.endswith(b"s") and len(token) > 3:
                stems = [token[:-1]] + ([token[:-2]] if token.endswith(b"es") else []) + ([token[:-3] + b"y"] if token.endswith(b"ies") else [])
                stem = next((s for s in reversed(stems) if s in ids), None)
                if stem:
                    base[number] = ids[stem]
                    done = [stem + b"d", stem + b"ed", stem[:-1] + b"ied", stem + stem[-1:] + b"ed"]
                    past[number] = next((ids[d] for d in done if d in ids), ids[stem])
        return base, past

    def question(self, ids):
        draw = self.generator.random
        ids = ids.copy()
        if len(ids):
            ids[0] = (self.base if draw() < 0.5 else self.past)[ids[0]]
        if draw() < 0.4:
            ids = ids[: max(4, int(len(ids) * (0.5 + draw() / 2)))]
        before = self.before[int(draw() * len(self.before))]
        after = self.after[int(draw() * len(self.after))]
        return np.concatenate([before, ids, after])

    def keywords(self, ids):
        draw = self.generator.random
        ids = ids[~self.stop[ids]]
        kept = ids[draw(len(ids)) < 0.4 + 0.6 * draw()]
        kept = kept if len(kept) >= 2 else ids
        return np.concatenate([kept, self.after[int(draw() * len(self.after))]]) if draw() < 0.3 else kept

    def pair(self, item):
        """Token ids of a query and of the document that answers it."""
        data, draw = self.data, self.generator.random
        kind, get = data.kind[item], data.get
        name, body, choice = get("name", item), get("body", item), draw()
        scope, path, signature = get("scope", item), get("path", item), get("signature", item)
        parts = [path] if draw() < 0.75 else []
        if draw() < 0.8:
            parts.append(scope)
        is_named = kind == BARE or kind == DOC and choice < 0.12 and len(name)
        if is_named:
            query = name if len(scope) == 0 or draw() < 0.5 else np.concatenate([scope, name])
            if draw() < 0.4:
                query = self.question(query)
            hidden = name if draw() < 0.75 else name[:0]
            parts = [part[~np.isin(part, hidden)] for part in (*parts, signature, body)]
            if kind == DOC and draw() < 0.5:
                parts.append(get("doc", item))
        elif choice > 0.94 and len(path) > 2:
            query = path[-8:]
            parts = [scope, signature, body] + ([get("doc", item)] if draw() < 0.5 else [])
        else:
            summary = get("summary", item)
            query = summary if choice < 0.38 else self.question(summary) if choice < 0.64 else self.keywords(summary) if choice < 0.86 else get("doc", item)
            if draw() < 0.85:
                parts.append(signature)
            if draw() < self.options.documented and choice > 0.38:
                parts.append(get("doc", item))
            parts.append(body)
        if draw() < self.options.merged:
            neighbour = item + (1 if draw() < 0.5 else -1)
            if 0 <= neighbour < len(data.project) and data.project[neighbour] == data.project[item]:
                parts += [get("signature", neighbour), get("body", neighbour)]
        return query, np.concatenate(parts)


def bags(lists, exponent):
    """A sparse matrix of weighted counts over the tokens that occur, and those tokens."""
    ends = np.concatenate([[0], np.cumsum([len(ids) for ids in lists])])
    tokens, columns = np.unique(np.concatenate(lists), return_inverse=True)
    matrix = sparse.csr_matrix((np.ones(len(columns), np.float32), columns, ends), (len(lists), len(tokens)))
    matrix.sum_duplicates()
    matrix.data **= np.float32(exponent)
    return matrix, tokens


def normalised(x):
    length = np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-6)
    return x / length, length


class Model:
    def __init__(self, vectors, weights, options):
        vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True).clip(1e-6)
        self.vectors = vectors.astype(np.float32)
        self.log_weights = np.log(np.maximum(weights, 1e-3)).astype(np.float32)
        self.options = options
        self.moments = {name: (np.zeros_like(x), np.zeros_like(x)) for name, x in self.parameters().items()}
        self.steps = 0

    def parameters(self):
        return {"vectors": self.vectors, "log_weights": self.log_weights}

    def rows(self):
        return self.vectors * np.exp(self.log_weights)[:, None]

    def update(self, name, tokens, gradient, rate):
        """Adam, for the rows that the batch has touched."""
        first, second = self.moments[name]
        parameter = self.parameters()[name]
        m = first[tokens] * 0.9 + 0.1 * gradient
        v = second[tokens] * 0.98 + 0.02 * gradient * gradient
        first[tokens], second[tokens] = m, v
        fix1, fix2 = 1 - 0.9**self.steps, 1 - 0.98**self.steps
        parameter[tokens] -= rate * (m / fix1) / (np.sqrt(v / fix2) + 1e-8)

    def step(self, queries, documents, same, rate):
        """One batch. `same` marks documents that answer a query although they are not its own."""
        options, count = self.options, len(queries)
        matrix, tokens = bags(queries + documents, options.exponent)
        directions, weights = self.vectors[tokens], np.exp(self.log_weights[tokens])[:, None]
        rows = directions * weights
        unit, length = normalised(matrix @ rows)
        q, d = unit[:count], unit[count:]
        logits = q @ d.T / options.temperature
        logits[same] = -1e4
        def softmax(x, axis):
            e = np.exp(x - x.max(axis, keepdims=True))
            return e / e.sum(axis, keepdims=True)
        forth, back = softmax(logits, 1), softmax(logits, 0)
        diagonal = np.arange(count)
        loss = -np.log(forth[diagonal, diagonal] + 1e-12).mean()
        slope = forth * (1 - options.backward) + back * options.backward
        slope[diagonal, diagonal] -= 1
        slope /= count * options.temperature
        upstream = np.concatenate([slope @ d, slope.T @ q])
        upstream = (upstream - unit * (upstream * unit).sum(1, keepdims=True)) / length
        gradient = (matrix.T @ upstream).astype(np.float32)
        self.steps += 1
        self.update("log_weights", tokens, (gradient * rows).sum(1), rate * options.weight_rate)
        self.update("vectors", tokens, gradient * weights, rate)
        return loss


def encode(lists, rows, exponent):
    matrix, tokens = bags(lists, exponent)
    return normalised(matrix @ rows[tokens])[0]


def ordered(data, generator, rows, options, views):
    """All items, in groups of one project; beside an item stand those that it is confused with."""
    groups = []
    items = generator.permutation(data.items)
    by_project = np.argsort(data.project[items], kind="stable")
    items = items[by_project]
    borders = np.flatnonzero(np.diff(data.project[items])) + 1
    for members in np.split(items, borders):
        if rows is not None and len(members) > GROUP:
            members = confused_together(members, rows, options, views)
        groups += [members[at : at + GROUP] for at in range(0, len(members), GROUP)]
    generator.shuffle(groups)
    return np.concatenate(groups)


def confused_together(members, rows, options, views, most=700):
    out = []
    for part in np.array_split(members, max(1, len(members) // most)):
        pairs = [views.pair(item) for item in part]
        vectors = encode([p[0] for p in pairs] + [p[1] for p in pairs], rows, options.exponent)
        scores = vectors[: len(part)] @ vectors[len(part) :].T
        np.fill_diagonal(scores, -2)
        nearest = np.argsort(-scores, axis=1)[:, :4].tolist()
        taken = np.zeros(len(part), bool)
        for first in range(len(part)):
            for number in [first, *nearest[first]]:
                if not taken[number]:
                    taken[number] = True
                    out.append(part[number])
    return np.array(out)


def same_answers(data, items):
    """Two items of one project with one name or one summary may answer each other's question."""
    keys = {}
    marks = np.zeros((2, len(items)), np.int64)
    for at, item in enumerate(items):
        for row, field in enumerate(("name", "summary")):
            content = data.get(field, item).tobytes()
            marks[row, at] = keys.setdefault((row, data.project[item], content), len(keys)) if content else -1 - at
    same = (marks[0][:, None] == marks[0]) | (marks[1][:, None] == marks[1])
    np.fill_diagonal(same, False)
    return same


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--items", type=int, default=0, help="train on a part")
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--dimension", type=int, default=256)
    parser.add_argument("--exponent", type=float, default=0.7)
    parser.add_argument("--temperature", type=float, default=0.05)
    parser.add_argument("--backward", type=float, default=0.3)
    parser.add_argument("--rate", type=float, default=5e-3)
    parser.add_argument("--weight-rate", type=float, default=5.0)
    parser.add_argument("--documented", type=float, default=0.1)
    parser.add_argument("--merged", type=float, default=0.2)
    parser.add_argument("--no-confusion", action="store_true")
    parser.add_argument("--seed", type=int, default=20260)
    options = parser.parse_args()
    generator = np.random.default_rng(options.seed)
    vocabulary, data = load_vocabulary(), Data(options.items, generator)
    start = np.load(WORK / "distilled.npz")
    model = Model(start["vectors"][:, : options.dimension], start["weights"], options)
    views = Views(data, vocabulary, generator, options)
    total, step, begun = options.epochs * (len(data.items) // options.batch), 0, time.process_time()
    for epoch in range(options.epochs):
        known = model.rows() if epoch and not options.no_confusion else None
        order, losses = ordered(data, generator, known, options, views), []
        for at in range(0, len(order) - options.batch + 1, options.batch):
            items = order[at : at + options.batch]
            pairs = [views.pair(item) for item in items]
            rate = options.rate * min(1, (step + 1) / 50) * max(0.02, 1 - step / max(total, 1))
            losses.append(model.step([p[0] for p in pairs], [p[1] for p in pairs], same_answers(data, items), rate))
            step += 1
        print(f"epoch {epoch + 1}: loss {np.mean(losses):.4f}, last {np.mean(losses[-50:]):.4f}, {time.process_time() - begun:.0f} CPU-s", flush=True)
        save(options, start["tokens"], model, len(data.items))


def save(options, tokens, model, count):
    card = {
        "name": "kenning-static", "version": "1",
        "method": "token vectors distilled from all-MiniLM-L6-v2, then trained contrastively on documentation, names and questions against code",
        "data": f"{count} items of permissively licensed source packages; training/sources.tsv lists them",
        "options": {k: v for k, v in vars(options).items() if k != "out"},
    }
    np.savez(options.out, tokens=tokens, vectors=model.vectors, weights=np.exp(model.log_weights), exponent=options.exponent, card=json.dumps(card))


if __name__ == "__main__":
    main()
