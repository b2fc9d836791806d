"""Makes a bundle's word list (`text.terms.lexicon`) of aligned pairs.

    pairs --links, word by word--> translations of each word --rare, and sure of one--> list
    lists that people or larger models have written -------------------------------------^

A model knows a word that it has met often. Of a rarer one the links of all its pairs say what it
is, more surely than the model does: "Startbahn" stands in nine pairs, and in eight it is linked to
"runway" and nothing else. Words are taken as they stand there, with their endings.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import sentencepiece
from numpy.typing import NDArray

from dragoman.errors import CorpusError
from dragoman.models.data.batches import PreparedData
from dragoman.models.data.corpus import read_lines
from dragoman.models.data.prepared import NO_LINKS, ShardedData
from dragoman.text.terms.compounds import NONE, CompoundFinder, is_long
from dragoman.text.terms.lexicon import LexiconFinder
from dragoman.text.terms.word_table import WordTable

# Of a word that is met more often the model knows more than the list.
RARE = 60
# A word of so many letters has one sense seldom enough.
SHORTEST = 4
# How often a translation must be linked, and of all times that the word is met.
LEAST, SHARE = 2, 0.6
# What so many words are said to be is a part of each: "down", "away" of verbs in two parts.
COMMON = 8
# What the other language's side has so often is a word of both, or a name.
SHARED = 3
# A pair whose source is a word and nothing else says it twice: a dictionary's entry.
HEADWORD = 2
LONGEST_TRANSLATION = 3  # words
_MARKS = ".,;:!?()[]{}\"“”„»«…‚‘’'–-"
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_WORDS = re.compile(r"[^\W\d_][\w'’ -]*")
_SPACE = "▁"


@dataclass
class WordUse:
    """How often a word is met, and what it is linked to alone."""

    count: int = 0
    translations: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class _Side:
    """A side of a pair: its words without marks, and the word of each piece."""

    words: list[str]
    word_of: NDArray[np.int64]


class WordUses:
    """The words of a language and their translations in pairs.

    Args:
        vocabulary: of the pairs' pieces.
    """

    def __init__(self, vocabulary: sentencepiece.SentencePieceProcessor) -> None:
        size = vocabulary.get_piece_size()
        self._pieces = [vocabulary.id_to_piece(index) for index in range(size)]
        self._begins = np.array([piece.startswith(_SPACE) for piece in self._pieces])
        self.words: defaultdict[str, WordUse] = defaultdict(WordUse)
        self.others: Counter[str] = Counter()  # words of the other language, in small letters

    def add(self, data: PreparedData) -> None:
        """Count the words of a shard; made-up sources (weight 0, tags) count as others.

        Raises:
            CorpusError: it has no links.
        """
        if not len(data.links.flat):
            raise CorpusError(NO_LINKS)
        for pair in range(len(data.source)):
            source, target = self._side(data.source.row(pair)), self._side(data.target.row(pair))
            links = np.asarray(data.links.row(pair), dtype=np.int64).reshape(-1, 2)
            if data.links_swapped:
                links = links[:, ::-1]
            self._add(source, target, links)

    def _side(self, ids: NDArray[np.generic]) -> _Side:
        places = np.asarray(ids, dtype=np.int64)
        if not len(places):
            return _Side([], places)
        word_of = np.cumsum(self._begins[places])
        word_of -= word_of[0]
        words = [""] * (int(word_of[-1]) + 1)
        for place, word in zip(places.tolist(), word_of.tolist(), strict=True):
            words[word] += self._pieces[place]
        return _Side([word.replace(_SPACE, "").strip(_MARKS) for word in words], word_of)

    def _add(self, source: _Side, target: _Side, links: NDArray[np.int64]) -> None:
        sources: defaultdict[int, set[int]] = defaultdict(set)
        targets: defaultdict[int, set[int]] = defaultdict(set)
        for s, t in zip(
            source.word_of[links[:, 0]].tolist(), target.word_of[links[:, 1]].tolist(), strict=True
        ):
            sources[s].add(t)
            targets[t].add(s)
        self.others.update(word.lower() for word in target.words)
        weight = HEADWORD if len(source.words) == 1 else 1
        for place, word in enumerate(source.words):
            if len(word) < SHORTEST:
                continue
            use = self.words[word]
            use.count += weight
            if use.count > RARE:
                use.translations.clear()
                continue
            linked = sorted(sources.get(place, ()))
            alone = all(targets[t] == {place} for t in linked)
            if linked and alone and linked[-1] - linked[0] + 1 == len(linked):
                translation = " ".join(target.words[t] for t in linked)
                use.translations[translation] += weight


def sure(
    words: Mapping[str, WordUse], others: Mapping[str, int], has_nouns_in_capitals: bool
) -> dict[str, str]:
    """Rare words with one translation, which is another word than they are.

    Args:
        others: how often the other language has which words, in small letters.
        has_nouns_in_capitals: whether the words' language writes nouns so, as German does. In
            others what begins with a capital is a name, or a heading's word in a sense of its own.
    """
    entries = {}
    for word, use in words.items():
        if use.count > RARE or not use.translations or not _WORD.fullmatch(word):
            continue
        is_shared = others.get(word.lower(), 0) >= SHARED
        if is_shared or (word[0].isupper() and not has_nouns_in_capitals):
            continue
        ((translation, times),) = use.translations.most_common(1)
        if times >= max(LEAST, SHARE * use.count) and _is_entry(word, translation):
            entries[word] = translation
    often = Counter(entries.values())
    return {word: text for word, text in entries.items() if often[text] < COMMON}


def _is_entry(word: str, translation: str) -> bool:
    return (
        word.lower() != translation.lower()
        and _WORDS.fullmatch(translation) is not None
        and len(translation.split()) <= LONGEST_TRANSLATION
    )


def read_entries(paths: Iterable[Path]) -> dict[str, str]:
    """Lists with a word or several, a tabulator and a translation a line; later ones count.

    `NONE` in the place of a translation: the word has no entry, whatever the links say.

    Raises:
        CorpusError: a file cannot be read, or a line is none.
    """
    entries = {}
    for path in paths:
        for number, line in enumerate(read_lines(path), start=1):
            word, tabulator, translation = line.partition("\t")
            if not (tabulator and word and translation) or "\t" in translation:
                raise CorpusError(f"{path}: line {number} is not a word and its translation")
            entries[word] = translation
    return entries


def with_written(linked: Mapping[str, str], written: Mapping[str, str]) -> dict[str, str]:
    """What the links say, and what is written, which counts before it."""
    entries, _ = without_none({**linked, **written})
    return entries


def without_none(entries: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """The entries with a translation, and those with `NONE`."""
    said = {word: text for word, text in entries.items() if text != NONE}
    return said, {word: NONE for word in entries if word not in said}


def no_compounds(
    words: Mapping[str, WordUse],
    written: Mapping[str, str],
    entries: Mapping[str, str],
    firsts: Mapping[str, str],
    heads: Mapping[str, str],
) -> dict[str, str]:
    """Words that look like compounds and are to stay whole, each with `NONE`.

    They are those that the pairs have often, which the model knows, and those that are written to
    have no translation, as names.

    Args:
        words: of the pairs.
        written: entries, `NONE` among them.
        entries: the list.
    """
    finder = CompoundFinder(WordTable.of(entries), WordTable.of(firsts), WordTable.of(heads))
    often = {word for word, use in words.items() if use.count > RARE}
    none = {word for word, text in written.items() if text == NONE}
    return {
        word: NONE
        for word in sorted(often | none)
        if word not in entries and is_long(word) and finder.of_parts(word)
    }


def without_compounds(
    entries: Mapping[str, str], firsts: Mapping[str, str], heads: Mapping[str, str]
) -> dict[str, str]:
    """The entries without those that say what the parts of their words say anyway."""
    parts = WordTable.of(firsts), WordTable.of(heads)
    whole = CompoundFinder(WordTable.of(entries), *parts)
    kept = {word: text for word, text in entries.items() if whole.of_parts(word) != text}
    # One that went may have been the head of another.
    rest = CompoundFinder(WordTable.of(kept), *parts)
    gone = entries.keys() - kept.keys()
    lost = {word: entries[word] for word in sorted(gone) if rest.of_parts(word) != entries[word]}
    return {**kept, **lost}


def most_frequent(entries: Mapping[str, str], texts: Iterable[str], most: int) -> dict[str, str]:
    """The entries that texts have most often, at most so many; those that none has are left out."""
    counts: Counter[str] = Counter()
    finder = LexiconFinder(WordTable.of(entries))
    for text in texts:
        counts.update(found.term.source for found in finder.find(text))
    chosen = [word for word, _ in counts.most_common(most)]
    return {word: entries[word] for word in sorted(chosen)}


def shards_of(data: PreparedData | ShardedData) -> Iterator[PreparedData]:
    """The shards of prepared data, one after the other."""
    if isinstance(data, PreparedData):
        yield data
    else:
        yield from map(data.shard, range(len(data.folders)))
