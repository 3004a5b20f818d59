"""The exported file: int8 rows with a scale each, a hash table over the tokens, a card.

Little-endian. Header of 48 bytes:
    0  magic b"KENMODEL"
    8  u32 format (1)          12  u32 dimension       16  u32 tokens
    20 u32 slots (power of 2)  24  u32 longest token   28  u32 bytes of all tokens
    32 u32 bytes of the card   36  f32 exponent of a token's count
    40 8 bytes: the beginning of the BLAKE3 hash of all that follows the header
Then, without gaps: the card (JSON), where each token ends (u32), the tokens, the slots (u32:
0 is empty, else the token's number plus 1; FNV-1a, linear probing), the scales (f32), the rows (i8).
"""

import json
import struct

import numpy as np
from blake3 import blake3

MAGIC = b"KENMODEL"
HEADER = struct.Struct("<8s7If8s")


def fnv1a(token):
    value = 0x811C9DC5
    for byte in token:
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


def quantise(rows):
    scales = np.abs(rows).max(1) / 127
    scales[scales == 0] = 1e-12
    return np.round(rows / scales[:, None]).clip(-127, 127).astype(np.int8), scales.astype(np.float32)


def write(path, tokens, rows, exponent, card):
    quantised, scales = quantise(rows)
    slots = 1
    while slots < 2 * len(tokens):
        slots *= 2
    table = np.zeros(slots, np.uint32)
    for number, token in enumerate(tokens):
        slot = fnv1a(token) & (slots - 1)
        while table[slot]:
            slot = (slot + 1) & (slots - 1)
        table[slot] = number + 1
    blob = b"".join(tokens)
    ends = np.cumsum([len(token) for token in tokens]).astype("<u4")
    card = json.dumps(card, indent=1, sort_keys=True).encode()
    parts = [card, ends.tobytes(), blob, table.astype("<u4").tobytes(), scales.astype("<f4").tobytes(), quantised.tobytes()]
    content = b"".join(parts)
    header = HEADER.pack(MAGIC, 1, rows.shape[1], len(tokens), slots, max(map(len, tokens)), len(blob), len(card), exponent,
                         blake3(content).digest()[:8])
    with open(path, "wb") as out:
        out.write(header + content)


def read(path):
    """Tokens, rows (dequantised), exponent, card."""
    raw = open(path, "rb").read()
    magic, version, dimension, count, slots, _, blob_size, card_size, exponent, _ = HEADER.unpack_from(raw)
    assert magic == MAGIC and version == 1
    at = HEADER.size
    card = json.loads(raw[at : at + card_size])
    at += card_size
    ends = np.frombuffer(raw, "<u4", count, at)
    at += 4 * count
    blob = raw[at : at + blob_size]
    at += blob_size + 4 * slots
    scales = np.frombuffer(raw, "<f4", count, at)
    at += 4 * count
    rows = np.frombuffer(raw, "i1", count * dimension, at).reshape(count, dimension)
    starts = np.concatenate([[0], ends[:-1]])
    tokens = [blob[a:b] for a, b in zip(starts, ends)]
    return tokens, rows.astype(np.float32) * scales[:, None], exponent, card
