"""Quantise and export: the file that the program carries, and what its tests compare with.

    export.py TRAINED.npz    → crates/embed/models/kenning-static.bin, crates/embed/models/kenning-static.json
"""

import json
import sys
from pathlib import Path

import numpy as np
from blake3 import blake3

import model_file
from words import Vocabulary

MODELS = Path(__file__).resolve().parent.parent / "crates" / "embed" / "models"
SAMPLES = [
    "how are HTTP headers parsed",
    "parseHTTPHeader2",
    "where is the connection pool closed?",
    "src/net/pool.rs Pool::close\nfn close(&mut self) -> Result<(), PoolError> { self.idle.drain(..); Ok(()) }",
    "def read_file(path):\n    with open(path) as f:\n        return f.read()",
    "größe Ünder 漢字 naïve xyzzyquux 0x1F 65536",
    "retry retry retry retry backoff",
]


def encode(vocabulary, rows, exponent, text):
    ids, counts = np.unique(np.array(vocabulary.encode(text), int), return_counts=True)
    vector = (rows[ids] * (counts.astype(np.float32) ** exponent)[:, None]).sum(0)
    return vector / max(np.linalg.norm(vector), 1e-12)


def main(trained):
    trained = np.load(trained, allow_pickle=False)
    card = json.loads(str(trained["card"]))
    rows = trained["vectors"] * trained["weights"][:, None]
    # The length of a sum is taken away again, so one factor for all rows changes nothing.
    rows = rows / np.linalg.norm(rows, axis=1).mean()
    tokens = [str(token).encode() for token in trained["tokens"]]
    MODELS.mkdir(exist_ok=True)
    path = MODELS / "kenning-static.bin"
    model_file.write(path, tokens, rows, float(trained["exponent"]), card)
    tokens, rows, exponent, _ = model_file.read(path)
    vocabulary = Vocabulary(tokens)
    vectors = [{"text": text, "vector": [round(float(x), 5) for x in encode(vocabulary, rows, exponent, text)]} for text in SAMPLES]
    digest = blake3(path.read_bytes()).hexdigest()
    record = {"blake3": digest, "bytes": path.stat().st_size, "vectors": vectors}
    (MODELS / "kenning-static.json").write_text(json.dumps(record, ensure_ascii=False) + "\n")
    print(path.stat().st_size, "bytes, blake3", digest)


if __name__ == "__main__":
    main(sys.argv[1])
