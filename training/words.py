"""Text to token ids, exactly as `src/embed/static_model/words.rs` does it.

A word is a run of capitals, or an optional capital with the small letters after it, or a run of
digits; so `parseHTTPHeader2` has the words parse, http, header, 2. Bytes from 0x80 on count as
small letters. A word that the vocabulary lacks is cut into the longest known pieces from the left.
"""

import re

WORD = re.compile(rb"[A-Z]+(?![a-z\x80-\xff])|[A-Z]?[a-z\x80-\xff]+|[0-9]+")
# Of a longer word only this much is read: nobody asks for a kilobyte of base64.
LONGEST_WORD = 64


def words(text):
    """The case-folded words of a text, as bytes."""
    return [word.lower()[:LONGEST_WORD] for word in WORD.findall(text.encode("utf-8", "replace"))]


class Vocabulary:
    def __init__(self, tokens):
        self.tokens = tokens
        self.ids = {token: number for number, token in enumerate(tokens)}
        self.longest = max(map(len, tokens))
        self.known = {}

    def pieces(self, word):
        """The ids of one word; remembered, because most words come again and again."""
        found = self.known.get(word)
        if found is None:
            found = self.known[word] = self._cut(word)
        return found

    def _cut(self, word):
        whole = self.ids.get(word)
        if whole is not None:
            return (whole,)
        ids, start = [], 0
        while start < len(word):
            for end in range(min(len(word), start + self.longest), start, -1):
                number = self.ids.get(word[start:end])
                if number is not None:
                    ids.append(number)
                    start = end
                    break
            else:
                start += 1
        return tuple(ids)

    def encode(self, text):
        ids = []
        known = self.known
        for word in WORD.findall(text.encode("utf-8", "replace")):
            word = word.lower()[:LONGEST_WORD]
            found = known.get(word)
            if found is None:
                found = self.pieces(word)
            ids += found
        return ids
