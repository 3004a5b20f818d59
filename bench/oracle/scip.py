"""Reads an index.scip (the format that compilers' indexers write) without any library, and the lines
of JSON that our own programs around the compilers of Go and Java write."""

import collections
import json

DEFINITION = 1


def fields(data):
    """The fields of a protobuf message: number and value."""
    at, end = 0, len(data)
    while at < end:
        key, at = varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at : at + size], at + size
        elif kind == 5:
            value, at = data[at : at + 4], at + 4
        elif kind == 1:
            value, at = data[at : at + 8], at + 8
        else:
            raise ValueError(f"no such kind of field: {kind}")
        yield number, value


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def numbers(value):
    if isinstance(value, int):
        return [value]
    found, at = [], 0
    while at < len(value):
        number, at = varint(value, at)
        found.append(number)
    return found


Occurrence = collections.namedtuple("Occurrence", "line column end_column symbol is_definition")


class Document:
    def __init__(self, data):
        self.path, self.occurrences, self.relations = "", [], []
        for number, value in fields(data):
            if number == 1:
                self.path = value.decode()
            elif number == 2:
                self.occurrences.append(occurrence(value))
            elif number == 3:
                self.relations += relations(value)


def occurrence(data):
    place, symbol, roles = [], "", 0
    for number, value in fields(data):
        if number == 1:
            place += numbers(value)
        elif number == 2:
            symbol = value.decode()
        elif number == 3:
            roles = value
    end_column = place[2] if len(place) == 3 else place[3] if place[2] == place[0] else -1
    return Occurrence(place[0] + 1, place[1], end_column, symbol, bool(roles & DEFINITION))


def relations(data):
    """Pairs of a symbol and one that it implements."""
    symbol, found = "", []
    for number, value in fields(data):
        if number == 1:
            symbol = value.decode()
        elif number == 4:
            other, implements = "", False
            for inner, content in fields(value):
                if inner == 1:
                    other = content.decode()
                elif inner == 3:
                    implements = bool(content)
            if implements:
                found.append(other)
    return [(symbol, other) for other in found]


class Told:
    """A document as the programs beside this one tell it."""

    def __init__(self, path):
        self.path, self.occurrences, self.relations = path, [], []


def told(path):
    documents = {}
    document = lambda name: documents.setdefault(name, Told(name))
    with open(path, encoding="utf-8") as file:
        for line in map(json.loads, file):
            if "interface" in line:
                document("").relations.append((line["type"], line["interface"]))
                continue
            document(line["path"]).occurrences.append(
                Occurrence(line["line"], line["column"], line["endColumn"], line["symbol"], line["definition"])
            )
    return list(documents.values())


def read(path):
    if path.endswith(".jsonl"):
        return told(path)
    with open(path, "rb") as file:
        data = file.read()
    return [Document(value) for number, value in fields(data) if number == 2]
