"""The mean of two models with one vocabulary: each change of the training counts half.

    average.py MODEL.npz|MODEL.bin MODEL.npz OUT.npz
"""

import json
import sys
from pathlib import Path

import numpy as np

from train import beginning


def scaled_rows(path):
    tokens, vectors, weights = beginning(Path(path))
    rows = vectors * weights[:, None]
    return tokens, rows / np.linalg.norm(rows, axis=1).mean()


def main(one, other, out):
    (tokens, rows), (others, of_other) = scaled_rows(one), scaled_rows(other)
    if list(tokens) != list(others):
        sys.exit("the models have other tokens")
    rows = (rows + of_other) / 2
    weights = np.linalg.norm(rows, axis=1)
    trained = np.load(other)
    card = json.loads(str(trained["card"])) | {"mean": f"of {Path(one).name} and {Path(other).name}"}
    np.savez(out, tokens=tokens, vectors=rows / weights[:, None].clip(1e-9), weights=weights, exponent=trained["exponent"], card=json.dumps(card))


if __name__ == "__main__":
    main(*sys.argv[1:4])
