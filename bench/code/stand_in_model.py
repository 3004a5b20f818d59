#!/usr/bin/env python3
"""Makes a folder that semble takes for a model, where the one that it downloads cannot be had: a vocabulary learnt
from source text and a random vector for each word, in the shape of that model (62,500 words, 256 dimensions, 16
million numbers). What it finds means nothing; how long it takes is what counts. Run it with the Python that semble is
installed for, and name the folder in SEMBLE_MODEL_NAME.

    stand_in_model.py FOLDER TREE [TREE …]
"""

import json
import pathlib
import sys

import numpy
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

WORDS, DIMENSIONS = 62_500, 256
ENDINGS = {".rs", ".go", ".ts", ".js", ".swift", ".py", ".java", ".kt", ".rb", ".c", ".h", ".cpp", ".md"}


def texts(trees):
    for tree in trees:
        for path in sorted(pathlib.Path(tree).rglob("*")):
            if path.suffix in ENDINGS and path.is_file():
                yield path.read_text(errors="replace")


def main():
    folder, trees = pathlib.Path(sys.argv[1]), sys.argv[2:]
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.train_from_iterator(texts(trees), trainers.WordPieceTrainer(
        vocab_size=WORDS, special_tokens=["[PAD]", "[UNK]"], show_progress=False))
    tokenizer.save(str(folder / "tokenizer.json"))
    words = tokenizer.get_vocab_size()
    vectors = numpy.random.default_rng(1).standard_normal((words, DIMENSIONS)).astype(numpy.float32)
    save_file({"embeddings": vectors}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(
        {"model_type": "model2vec", "architectures": ["StaticModel"], "hidden_dim": DIMENSIONS, "normalize": True}))
    print(f"{words} words, {DIMENSIONS} dimensions")


if __name__ == "__main__":
    main()
