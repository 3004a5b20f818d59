"""Contrastive training of the token vectors, in plain numpy.

    train.py OUT.npz [--epochs N] [--dimension D] [--exponent P] [--items N] [--passes N] …

What somebody wrote about a piece of code has to be nearer to that code than to the other code in
the batch. A commit message has to be nearer to a definition that the commit changed than to others of
its file, too. Batches are made of groups from one project, and from the second epoch on an item stands
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

import model_file
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
    """The items of `train.npz` and `pairs.npz`; a field of an item is a slice of one long array.

    A task is an item, or a pair: its number is then that of the pair plus the number of all items.
    """

    def __init__(self, options, generator):
        files = [np.load(WORK / "train.npz")] + ([np.load(WORK / "pairs.npz")] if options.passes else [])
        self.flat = {field: np.concatenate([arrays[field] for arrays in files]).astype(np.int32) for field in FIELDS}
        self.starts, self.ends = {}, {}
        for field in FIELDS:
            lengths = np.concatenate([np.diff(arrays[field + "_ends"], prepend=0) for arrays in files])
            self.place(field, lengths)
        meta = [arrays["meta"] for arrays in files]
        self.kind = np.concatenate([rows[:, 1] for rows in meta])
        self.project = meta[0][:, 0]
        self.tasks = np.arange(len(self.project))
        if options.items and options.items < len(self.tasks):
            # Whole projects, because negatives come from the same one.
            order = generator.permutation(self.project.max() + 1)
            sizes = np.bincount(self.project)[order]
            chosen = set(order[: np.searchsorted(np.cumsum(sizes), options.items)].tolist())
            self.tasks = self.tasks[[p in chosen for p in self.project]]
        self.pairs = np.arange(0)
        if options.passes:
            self.add_pairs(files[1], options)

    def place(self, field, lengths):
        ends = np.cumsum(lengths)
        self.starts[field], self.ends[field] = (ends - lengths).tolist(), ends.tolist()

    def add_pairs(self, arrays, options):
        before, projects = len(self.project), self.project.max() + 1
        documented = before + np.flatnonzero(arrays["meta"][:, 1] == DOC)
        self.tasks = np.concatenate([self.tasks, documented])
        self.is_small = np.concatenate([np.ones(before, bool), arrays["meta"][:, 2] == 1])
        for field in ("title", "message", "changed", "beside"):
            self.flat[field] = arrays[field].astype(np.int32) + (before if field in ("changed", "beside") else 0)
            self.place(field, np.diff(arrays[field + "_ends"], prepend=0))
        self.project = np.concatenate([self.project, projects + arrays["meta"][:, 0], projects + arrays["pairs"][:, 0]])
        self.first_pair = before + len(arrays["meta"])
        self.pairs = self.first_pair + np.flatnonzero(arrays["pairs"][:, 1] < options.rank)

    def is_pair(self, task):
        return len(self.pairs) > 0 and task >= self.first_pair

    def epoch(self, passes):
        """All tasks; pairs as often as there are passes."""
        return np.concatenate([self.tasks, *[self.pairs] * passes])

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

    def task(self, task):
        """Token ids of a query, and of the document that answers it; the document's item; further items that do not."""
        if not self.data.is_pair(task):
            return *self.pair(task), task, []
        number, draw = task - self.data.first_pair, self.generator.random
        changed, beside = self.data.get("changed", number), self.data.get("beside", number)
        small = changed[self.data.is_small[changed]]
        changed = small if len(small) else changed
        # The first has most of the changed lines.
        item = int(changed[int(draw() ** 2 * len(changed))])
        wrong = beside[self.generator.permutation(len(beside))[: self.options.beside]].tolist() if len(beside) else []
        return self.message(number), self.document(item, beside), item, wrong

    def message(self, number):
        title, message, draw = self.data.get("title", number), self.data.get("message", number), self.generator.random
        choice, length = draw(), int(20 + 280 * self.generator.random() ** 2)
        if choice < 0.35 or choice < 0.9 and len(message) == 0:
            return title
        if choice < 0.75:
            return np.concatenate([title, message[:length]])
        if choice < 0.85 and len(message) > 8:
            return message[:length]
        return self.keywords(np.concatenate([title, message[:length]]))

    def document(self, item, beside=()):
        """An item as the index shows it: sometimes with what stands beside it in a chunk."""
        get, draw = self.data.get, self.generator.random
        parts = [get(field, item) for field, share in (("path", 0.75), ("scope", 0.8), ("signature", 0.95), ("doc", 0.6)) if draw() < share]
        parts.append(get("body", item))
        if len(beside) and draw() < self.options.merged:
            other = beside[int(draw() * len(beside))]
            parts += [get("signature", other), get("body", other)]
        return np.concatenate(parts)

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
            if 0 <= neighbour < len(data.kind) and data.project[neighbour] == data.project[item]:
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
        """One batch: the first documents answer the queries, further ones answer none.

        `same` marks documents that answer a query although they are not its own."""
        options, count = self.options, len(queries)
        matrix, tokens = bags([*queries, *documents], options.exponent)
        directions, weights = self.vectors[tokens], np.exp(self.log_weights[tokens])[:, None]
        rows = directions * weights
        unit, length = normalised(matrix @ rows)
        q, d = unit[:count], unit[count:]
        logits = q @ d.T / options.temperature
        logits[same] = -1e4
        def softmax(x, axis):
            e = np.exp(x - x.max(axis, keepdims=True))
            return e / e.sum(axis, keepdims=True)
        slope, back = softmax(logits, 1), softmax(logits[:, :count], 0)
        diagonal = np.arange(count)
        loss = -np.log(slope[diagonal, diagonal] + 1e-12).mean()
        slope *= 1 - options.backward
        slope[:, :count] += back * options.backward
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
    """All tasks, in groups of one project; similar tasks are neighbours, so that they are negatives of each other."""
    groups = []
    tasks = generator.permutation(data.epoch(options.passes))
    by_project = np.argsort(data.project[tasks], kind="stable")
    tasks = tasks[by_project]
    borders = np.flatnonzero(np.diff(data.project[tasks])) + 1
    for members in np.split(tasks, borders):
        if rows is not None and len(members) > GROUP:
            members = confused_together(members, rows, options, views)
        groups += [members[at : at + GROUP] for at in range(0, len(members), GROUP)]
    generator.shuffle(groups)
    return np.concatenate(groups)


def confused_together(members, rows, options, views, most=700):
    out = []
    for part in np.array_split(members, max(1, len(members) // most)):
        pairs = [views.task(task) for task in part]
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


def same_answers(data, tasks, items, wrong):
    """Two items of one project with one name or one summary may answer each other's question,
    and every definition that a commit changed answers its message."""
    keys, shown = {}, np.array([*items, *wrong])
    marks = np.zeros((2, len(shown)), np.int64)
    for at, item in enumerate(shown):
        for row, field in enumerate(("name", "summary")):
            content = data.get(field, item).tobytes()
            marks[row, at] = keys.setdefault((row, data.project[item], content), len(keys)) if content else -1 - at
    same = (marks[0][: len(items), None] == marks[0]) | (marks[1][: len(items), None] == marks[1])
    for at, task in enumerate(tasks):
        if data.is_pair(task):
            same[at] |= np.isin(shown, data.get("changed", task - data.first_pair))
    np.fill_diagonal(same, False)
    return same


def beginning(path):
    """Tokens, vectors and weights."""
    if path.suffix == ".npz":
        start = np.load(path)
        return start["tokens"], start["vectors"], start["weights"]
    tokens, rows, *_ = model_file.read(path)
    lengths = np.linalg.norm(rows, axis=1)
    return np.array([token.decode() for token in tokens]), rows / lengths[:, None], lengths / lengths.mean()


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
    parser.add_argument("--passes", type=int, default=2, help="how often an epoch has each pair of the histories")
    parser.add_argument("--rank", type=int, default=50, help="pairs whose rank is not below are left out")
    parser.add_argument("--beside", type=int, default=1, help="other definitions of a changed file, against each message")
    parser.add_argument("--no-confusion", action="store_true")
    parser.add_argument("--start", type=Path, default=WORK / "distilled.npz", help="distilled vectors, or an exported model to go on from")
    parser.add_argument("--seed", type=int, default=20260)
    options = parser.parse_args()
    generator = np.random.default_rng(options.seed)
    vocabulary, data = load_vocabulary(), Data(options, generator)
    tokens, vectors, weights = beginning(options.start)
    model = Model(vectors[:, : options.dimension], weights, options)
    views = Views(data, vocabulary, generator, options)
    total, step, begun = options.epochs * (len(data.epoch(options.passes)) // options.batch), 0, time.process_time()
    for epoch in range(options.epochs):
        known = model.rows() if epoch and not options.no_confusion else None
        order, losses = ordered(data, generator, known, options, views), []
        for at in range(0, len(order) - options.batch + 1, options.batch):
            tasks = order[at : at + options.batch]
            queries, documents, items, wrong = zip(*map(views.task, tasks))
            wrong = [item for few in wrong for item in few]
            documents = [*documents, *map(views.document, wrong)]
            rate = options.rate * min(1, (step + 1) / 50) * max(0.02, 1 - step / max(total, 1))
            losses.append(model.step(queries, documents, same_answers(data, tasks, items, wrong), rate))
            step += 1
        print(f"epoch {epoch + 1}: loss {np.mean(losses):.4f}, last {np.mean(losses[-50:]):.4f}, {time.process_time() - begun:.0f} CPU-s", flush=True)
        save(options, tokens, model, data)


def save(options, tokens, model, data):
    card = {
        "name": "kenning-static", "version": "2",
        "method": "token vectors distilled from all-MiniLM-L6-v2, then trained contrastively on documentation, names, questions and commit messages against code",
        "data": f"{len(data.tasks)} items of permissively licensed source packages and {len(data.pairs)} commits; training/sources.tsv and histories.tsv list them",
        "options": {k: str(v.name) if k == "start" else v for k, v in vars(options).items() if k != "out"},
    }
    np.savez(options.out, tokens=tokens, vectors=model.vectors, weights=np.exp(model.log_weights), exponent=options.exponent, card=json.dumps(card))


if __name__ == "__main__":
    main()
