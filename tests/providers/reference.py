"""A BERT sentence encoder in plain numpy, with the tokenizer that its makers use: the yardstick."""

import json
import struct
from math import erf
from pathlib import Path

import numpy
import tokenizers


def tensors(path: Path) -> dict:
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    kinds = {"F32": numpy.float32, "I64": numpy.int64}
    body = memoryview(data)[8 + length :]
    found = {}
    for name, entry in header.items():
        start, end = entry["data_offsets"]
        flat = numpy.frombuffer(body[start:end], dtype=kinds[entry["dtype"]])
        found[name] = flat.reshape(entry["shape"])
    return found


class Encoder:
    def __init__(self, folder: Path):
        self.config = json.loads((folder / "config.json").read_text())
        sentence = json.loads((folder / "sentence_bert_config.json").read_text())
        self.weights = {
            name: tensor.astype(numpy.float64)
            for name, tensor in tensors(folder / "model.safetensors").items()
        }
        self.tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(sentence["max_seq_length"])

    def encode(self, text: str) -> list:
        ids = self.tokenizer.encode(text).ids
        part = "embeddings.{}_embeddings.weight".format
        hidden = self.weights[part("word")][ids] + self.weights[part("position")][: len(ids)]
        hidden = self.norm("embeddings.LayerNorm", hidden + self.weights[part("token_type")][0])
        for number in range(self.config["num_hidden_layers"]):
            hidden = self.layer(f"encoder.layer.{number}", hidden)
        mean = hidden.mean(axis=0)
        return (mean / numpy.linalg.norm(mean)).tolist()

    def layer(self, name: str, hidden):
        heads = self.config["num_attention_heads"]
        split = lambda rows: rows.reshape(len(rows), heads, -1).transpose(1, 0, 2)
        query, key, value = (
            split(self.linear(f"{name}.attention.self.{kind}", hidden))
            for kind in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / numpy.sqrt(query.shape[-1])
        scores = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
        context = scores / scores.sum(axis=-1, keepdims=True) @ value
        context = context.transpose(1, 0, 2).reshape(hidden.shape)
        output = self.linear(f"{name}.attention.output.dense", context)
        hidden = self.norm(f"{name}.attention.output.LayerNorm", hidden + output)
        inner = self.linear(f"{name}.intermediate.dense", hidden)
        inner = inner * 0.5 * (1 + numpy.vectorize(erf)(inner / numpy.sqrt(2)))
        output = self.linear(f"{name}.output.dense", inner)
        return self.norm(f"{name}.output.LayerNorm", hidden + output)

    def linear(self, name: str, rows):
        return rows @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, name: str, rows):
        centred = rows - rows.mean(axis=-1, keepdims=True)
        variance = (centred**2).mean(axis=-1, keepdims=True)
        scaled = centred / numpy.sqrt(variance + self.config["layer_norm_eps"])
        return scaled * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]
