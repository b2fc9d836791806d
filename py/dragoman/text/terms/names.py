"""Which words of a sentence are names: written alike in both languages.

A small model spells what it has hardly ever seen anew: "Jeff" came out as "thief". This says which
words it had better copy; the pipeline sees to it, as to a glossary's terms (docs/adr/0031).

A table of a bundle scores a word with a capital by its character n-grams (2 to 6, the word itself
too), each hashed into one of 2^bits weights: a logistic regression; as in fastText (Bojanowski et
al. 2017, section 3.2) collisions are put up with. The score is the logarithm of the odds that the
word is copied. Words that it is known to get wrong are listed beside it.

The file: a line of JSON, {"format": 4, "bits", "scale", "bias", "names": [...], "words": [...],
"tables": {name: bytes}}, and 2^bits signed bytes; a weight is a byte times the scale. What the
bundle's words are in the other language follows, table by table (`word_table`): "lexicon", the word
list (`lexicon`), "firsts" and "heads", the parts of compounds, "wholes", what is none
(`compounds`), and "formulas" and "alone" (`pipeline.formulas`). Format 3 has no "alone", format 2
no "formulas" either; format 1 has no tables, but "lexicon": {word: translation} in the line.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from dragoman.errors import BundleError
from dragoman.text.terms.glossary import FoundTerm, Origin
from dragoman.text.terms.word_table import NO_WORDS, WordTable
from dragoman.types import Span, Term

FORMAT = 4
TABLES = "lexicon", "firsts", "heads", "wholes", "formulas", "alone"
LENGTHS = range(2, 7)
MOST_BITS = 20
SHORTEST = 3  # letters; a shorter name is rare, and its n-grams say little
# Above 0 a word is more often copied than not. The first word of a sentence has a capital whatever
# it is; and where the genitive's s is taken off, the rest must be sure to be a name.
FIRST_WORD = 2.0
GENITIVE = 1.5
_WITHOUT_S = "s", "ß", "x", "z"  # ends of German names whose genitive has no s
_CERTAIN = 20.0
_KNOWN_WORDS = 8_192
_WORD = re.compile(r"[^\W\d_](?:\w|['’.&-](?=\w))*")
_POSSESSIVE = re.compile(r"['’]s$")


class NameTable:
    """Scores words.

    Args:
        weights: [2^bits] signed bytes.
        scale, bias: of the sum of a word's weights.
        names, words: those that are certainly names, and certainly none.
        lexicon: what rare words are in the other language.
        firsts, heads: what the parts of compounds are.
        wholes: what looks like a compound and is none.
        formulas: short sentences that are said in one way only.
        alone: words that are all of a text.
    """

    def __init__(
        self,
        weights: bytes,
        scale: float,
        bias: float,
        names: frozenset[str] = frozenset(),
        words: frozenset[str] = frozenset(),
        lexicon: WordTable = NO_WORDS,
        firsts: WordTable = NO_WORDS,
        heads: WordTable = NO_WORDS,
        wholes: WordTable = NO_WORDS,
        formulas: WordTable = NO_WORDS,
        alone: WordTable = NO_WORDS,
    ) -> None:
        self.lexicon, self.firsts, self.heads, self.wholes = lexicon, firsts, heads, wholes
        self.formulas, self.alone = formulas, alone
        self._weights = memoryview(weights).cast("b")
        self._scale, self._bias = scale, bias
        self._certain = {**dict.fromkeys(words, -_CERTAIN), **dict.fromkeys(names, _CERTAIN)}
        self.score = lru_cache(_KNOWN_WORDS)(self._score)

    def _score(self, word: str) -> float:
        certain = self._certain.get(word)
        if certain is not None:
            return certain
        weights = self._weights
        total = sum(weights[place] for place in features(word, len(weights)))
        return self._bias + self._scale * total


def features(word: str, size: int) -> Iterator[int]:
    """Places of a word's n-grams in a table of so many weights: a power of two."""
    text = f"^{word}$"
    yield zlib.crc32(text.encode()) % size
    for length in LENGTHS:
        for start in range(len(text) - length + 1):
            yield zlib.crc32(f"{length}{text[start : start + length]}".encode()) % size


def read_names(content: bytes) -> NameTable:
    """The table in a file of a bundle.

    Raises:
        BundleError: it is no such file.
    """
    header, _, rest = content.partition(b"\n")
    try:
        data = json.loads(header)
        if data["format"] not in range(1, FORMAT + 1):
            raise BundleError(
                f"the table of names has format {data['format']!r}; this version reads {FORMAT}"
            )
        bits, scale, bias = int(data["bits"]), float(data["scale"]), float(data["bias"])
        names, words = (frozenset(map(str, data[key])) for key in ("names", "words"))
        weights, tables = _parts(data, rest)
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        raise BundleError(f"the table of names cannot be read: {error!r:.200}") from error
    if not 1 <= bits <= MOST_BITS or len(weights) != 1 << bits:
        raise BundleError(f"the table of names has {len(weights):,} weights for {bits} bits")
    return NameTable(weights, scale, bias, names, words, **tables)


def _parts(data: Mapping[str, Any], rest: bytes) -> tuple[bytes, dict[str, WordTable]]:
    """The weights, and the tables behind them."""
    if data["format"] == 1:
        entries = data.get("lexicon")
        return rest, {"lexicon": WordTable.of(dict(entries))} if entries else {}
    sizes = {name: int(size) for name, size in data["tables"].items() if name in TABLES}
    if len(sizes) != len(data["tables"]) or any(size < 0 for size in sizes.values()):
        raise ValueError(f"unknown tables: {data['tables']!r:.80}")
    at = len(rest) - sum(sizes.values())
    weights, tables = rest[: max(at, 0)], {}
    for name, size in sizes.items():
        tables[name] = WordTable(rest[at : at + size])
        at += size
    return weights, tables


def words_of(sentence: str) -> Iterator[tuple[str, Span]]:
    """Words with a letter at the start, in order, without the possessive's s."""
    return map(_word, _WORD.finditer(sentence))


def _word(match: re.Match[str]) -> tuple[str, Span]:
    word = _POSSESSIVE.sub("", match.group())
    return word, Span(match.start(), match.start() + len(word))


class NameFinder:
    """Finds the names of a sentence.

    Args:
        language: of the sentences, BCP 47.
    """

    def __init__(self, table: NameTable, language: str) -> None:
        self._table = table
        self._has_genitive = language.partition("-")[0].lower() == "de"

    def find(self, sentence: str) -> tuple[FoundTerm, ...]:
        """Names, in order, never overlapping; none where all letters are capitals."""
        if not any(map(str.islower, sentence)):
            return ()
        names = []
        least = FIRST_WORD
        for match in _WORD.finditer(sentence):
            if match.group()[0].isupper():
                word, span = _word(match)
                name = self._name(word, least)
                if name:
                    names.append(FoundTerm(span, Term(name, name), Origin.NAME))
            least = 0.0
        return tuple(names)

    def _name(self, word: str, least: float) -> str | None:
        """The name that a word is, without the genitive's s."""
        if len(word) < SHORTEST:
            return None
        if self._table.score(word) > least:
            return word
        stem = word.removesuffix("s")
        if not self._has_genitive or stem == word or len(stem) < SHORTEST:
            return None
        if stem.endswith(_WITHOUT_S):  # "Lass" is no "Las"
            return None
        return stem if self._table.score(stem) > max(GENITIVE, least) else None
