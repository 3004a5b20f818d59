"""Rewrites a BERT sentence encoder from its hub's files to GGUF, which llama.cpp reads."""

import json
from pathlib import Path

import gguf

import reference


def write(folder: Path, target: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    writer = gguf.GGUFWriter(target, "bert")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_layer_norm_eps(config["layer_norm_eps"])
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.MEAN)
    add_vocabulary(writer, folder, config)
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.BERT, config["num_hidden_layers"])
    for name, tensor in reference.tensors(folder / "model.safetensors").items():
        # The pooler is for another task, and the position ids are 0, 1, 2 and so on.
        if name.startswith("pooler.") or name.endswith("position_ids"):
            continue
        writer.add_tensor(names.get_name(name, try_suffixes=(".weight", ".bias")), tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def add_vocabulary(writer: gguf.GGUFWriter, folder: Path, config: dict) -> None:
    pieces = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    special = {piece: number for number, piece in enumerate(pieces) if piece.startswith("[") and len(piece) > 2}
    writer.add_tokenizer_model("bert")
    writer.add_token_list([marked(piece, special) for piece in pieces])
    kinds = gguf.TokenType
    writer.add_token_types([kinds.CONTROL if piece in special else kinds.NORMAL for piece in pieces])
    writer.add_token_type_count(config["type_vocab_size"])
    writer.add_unk_token_id(special["[UNK]"])
    writer.add_sep_token_id(special["[SEP]"])
    writer.add_pad_token_id(special["[PAD]"])
    writer.add_bos_token_id(special["[CLS]"])
    writer.add_mask_token_id(special["[MASK]"])


def marked(piece: str, special: dict) -> str:
    """GGUF marks the beginnings of words, where BERT marks their continuations."""
    if piece in special:
        return piece
    return piece.removeprefix("##") if piece.startswith("##") else "\u2581" + piece
