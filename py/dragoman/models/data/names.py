"""Makes a bundle's table of names (`text.terms.names`) of parallel sentences.

A word with a capital that stands in both sides of a pair to the letter was copied; how often each
word was, of all sentences it stands in, is what the regression learns. A word counts as often as
the square root of its sentences, so that the frequent ones do not drown the rest. What it still
gets wrong of the words seen often is written down word by word. Pairs have few of the names that
there are: those that texts of both languages write alike, always with a capital, count as copied.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import torch

from dragoman.errors import CorpusError
from dragoman.models.data.corpus import Pair, list_sources, read_pairs
from dragoman.models.data.recipe import Recipe
from dragoman.text.terms.names import SHORTEST, NameTable, features, read_names, words_of
from dragoman.text.terms.word_table import packed

# The format that has such a table first; older versions read what has none of them.
_SINCE = (("alone", 4), ("formulas", 3))
_FIRST_WITH_TABLES = 2
BITS = 16
EPOCHS = 3
BATCH = 2_048
RATE = 0.02
# A word of so many sentences is listed where the table has it wrong.
LISTED_FROM = 5
NAME_FROM, WORD_BELOW = 0.7, 0.5
# Of a word in so many sentences the pairs say enough.
KNOWN_FROM = 3
# A name stands without a capital at most so often, of the times that it has one.
SMALL_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class WordCount:
    """In how many sentences a word stands with a capital, and in how many it was copied."""

    word: str
    sentences: int
    copied: int


def count_words(pairs: Iterable[tuple[str, str]]) -> list[WordCount]:
    """Words with a capital of the first sides, sorted."""
    seen: Counter[str] = Counter()
    copied: Counter[str] = Counter()
    for source, target in pairs:
        words = _capitals(source)
        seen.update(words)
        copied.update(words & _capitals(target))
    return [
        WordCount(word, count, copied[word])
        for word, count in sorted(seen.items())
        if len(word) >= SHORTEST
    ]


def _capitals(sentence: str) -> set[str]:
    return {word for word, _ in words_of(sentence) if word[0].isupper()}


@dataclass(frozen=True, slots=True)
class TextWords:
    """Words of a language's text: how often with a capital within a sentence, how often without."""

    capitals: Counter[str]
    small: Counter[str]

    def has_name(self, word: str) -> bool:
        """Whether a word stands with a capital, and hardly ever without one."""
        count = self.capitals[word]
        return count > 0 and self.small[word.lower()] <= SMALL_SHARE * count


def text_words(sentences: Iterable[str]) -> TextWords:
    """The words of sentences; the first one of each has a capital whatever it is."""
    words = TextWords(Counter(), Counter())
    for sentence in sentences:
        for place, (word, _) in enumerate(words_of(sentence)):
            if not word[0].isupper():
                words.small[word] += 1
            elif place:
                words.capitals[word] += 1
    return words


def with_common_names(
    counts: Sequence[WordCount], source: TextWords, target: TextWords
) -> list[WordCount]:
    """With names that the texts of both languages have and the pairs hardly any: as copied."""
    known = {count.word for count in counts if count.sentences >= KNOWN_FROM}
    added = {
        word: min(count, KNOWN_FROM)
        for word, count in source.capitals.items()
        if word not in known and len(word) >= SHORTEST
        if source.has_name(word) and target.has_name(word)
    }
    rest = [count for count in counts if count.word not in added]
    rest += [WordCount(word, count, count) for word, count in added.items()]
    return sorted(rest, key=lambda count: count.word)


def recipe_pairs(data: Path, recipe: Recipe, source: str, target: str) -> Iterable[tuple[str, str]]:
    """Sentences of all sources of a recipe with their translations, of its columns `source` first.

    Raises:
        CorpusError: a source cannot be read, or the recipe is of other languages.
    """
    if {source, target} != set(recipe.columns):
        known = "-".join(recipe.columns)
        raise CorpusError(f"the recipe {recipe.name!r} is of {known}, not {source}-{target}")
    turned = recipe.columns[0] != source
    for one in list_sources(data, recipe):
        for pair in read_pairs(one, Counter()):
            yield _turned(pair) if turned else (pair.first, pair.second)


def _turned(pair: Pair) -> tuple[str, str]:
    return pair.second, pair.first


def names_file(
    counts: Sequence[WordCount],
    tables: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
    bits: int = BITS,
    seed: int = 1,
) -> bytes:
    """The content of a bundle's file of names; equal counts give equal bytes.

    Args:
        tables: words and translations by the table's name (`text.terms.names.TABLES`).
    """
    regression = _Regression(counts, bits, seed)
    for epoch in range(EPOCHS):
        regression.learn(1 - epoch / EPOCHS)
    weights, scale, bias = regression.quantized()
    plain = _written(weights, scale, bias, (), ())
    return _written(weights, scale, bias, *_wrong(read_names(plain), counts), tables)


def _wrong(table: NameTable, counts: Sequence[WordCount]) -> tuple[list[str], list[str]]:
    """Words seen often that are names, and that are none, where the table says otherwise."""
    often = [count for count in counts if count.sentences >= LISTED_FROM]
    names = [
        count.word
        for count in often
        if count.copied >= NAME_FROM * count.sentences and table.score(count.word) <= 0
    ]
    words = [
        count.word
        for count in often
        if count.copied < WORD_BELOW * count.sentences and table.score(count.word) > 0
    ]
    return names, words


def _written(
    weights: bytes,
    scale: float,
    bias: float,
    names: Sequence[str],
    words: Sequence[str],
    tables: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> bytes:
    contents = {name: packed(entries) for name, entries in tables.items() if entries}
    header = {
        "format": next((n for name, n in _SINCE if name in contents), _FIRST_WITH_TABLES),
        "bits": len(weights).bit_length() - 1,
        "scale": scale,
        "bias": bias,
        "names": names,
        "words": words,
        "tables": {name: len(content) for name, content in contents.items()},
    }
    line = json.dumps(header, ensure_ascii=False).encode() + b"\n"
    return b"".join((line, weights, *contents.values()))


class _Regression:
    """Logistic regression over hashed n-grams, with Adam (Kingma and Ba 2015)."""

    def __init__(self, counts: Sequence[WordCount], bits: int, seed: int) -> None:
        torch.set_num_threads(1)
        self._generator = torch.Generator().manual_seed(seed)
        places = [list(features(count.word, 1 << bits)) for count in counts]
        self._lengths = torch.tensor([len(row) for row in places])
        self._starts = torch.cumsum(self._lengths, 0) - self._lengths
        self._places = torch.tensor([place for row in places for place in row], dtype=torch.int32)
        copied = torch.tensor([count.copied for count in counts], dtype=torch.float32)
        sentences = torch.tensor([count.sentences for count in counts], dtype=torch.float32)
        self._share, self._weight = copied / sentences, sentences.sqrt()
        self._table = torch.zeros(1 << bits, 1, requires_grad=True)
        self._bias = torch.zeros(1, requires_grad=True)
        self._optimizer = torch.optim.Adam([self._table, self._bias], lr=RATE)

    def learn(self, rate: float) -> None:
        """One pass over the words, in an order of its own, at a share of the rate."""
        for group in self._optimizer.param_groups:
            group["lr"] = RATE * rate
        order = torch.randperm(len(self._lengths), generator=self._generator)
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            scores = self._scores(rows)
            loss = torch.nn.functional.binary_cross_entropy_with_logits(
                scores, self._share[rows], self._weight[rows], reduction="sum"
            )
            self._optimizer.zero_grad()
            (loss / self._weight[rows].sum()).backward()  # type: ignore[no-untyped-call]
            self._optimizer.step()

    def _scores(self, rows: torch.Tensor) -> torch.Tensor:
        lengths = self._lengths[rows]
        offsets = torch.cumsum(lengths, 0) - lengths
        inside = torch.arange(int(lengths.sum())) - offsets.repeat_interleave(lengths)
        places = self._places[self._starts[rows].repeat_interleave(lengths) + inside]
        sums = torch.nn.functional.embedding_bag(
            places, self._table, offsets.to(torch.int32), mode="sum"
        )
        return sums.squeeze(1) + self._bias

    def quantized(self) -> tuple[bytes, float, float]:
        """Weights as signed bytes, their scale, and the bias."""
        weights = self._table.detach().squeeze(1)
        scale = max(float(weights.abs().max()) / 127, math.ulp(1.0))
        rounded = (weights / scale).round().to(torch.int8)
        return rounded.numpy().tobytes(), scale, self._bias.item()
