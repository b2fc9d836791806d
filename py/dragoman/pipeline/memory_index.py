"""What a translation memory has for a sentence: the sentence itself, or some that are like it.

Two texts are the same if they are so in Unicode's form NFC, with any run of white space as one
space; nothing else is overlooked, so large and small letters differ.

How much alike two others are,

    similarity(a, b) = 1 - distance(a, b) / max(|a|, |b|)

where a text is its words and its marks one by one, |a| is how many there are, and the distance is
Levenshtein's: the fewest of them to be put in, left out or exchanged.

All entries of a similarity of at least s are found: such a one shares at least s · |a| of the
words, so it has one of any |a| - ceil(s · |a|) + 1 of them. Those that the fewest entries have are
looked up, and entries that are not too short or too long for s are compared.

    >>> memory = TranslationMemory((MemoryEntry("Das ist ein Test.", "This is a test."),))
    >>> index = at_once(MemoryIndex(memory).built(near=True))
    >>> index.exact("Das  ist ein Test.")
    'This is a test.'
    >>> [match.similarity for match in index.nearest("Dies ist ein Test.")]
    [0.8]
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator, Sequence
from itertools import islice
from math import ceil

from dragoman.markup.bits import Work
from dragoman.text.script import UNSPACED_LETTERS
from dragoman.types import MemoryMatch, TranslationMemory

# Entries that are taken in before others have their turn: some milliseconds.
ENTRIES_A_BIT = 500
# In words: what rounding makes of s · |a| is no word more.
_SLACK = 1e-9

# Of a script without spaces a character is a word.
_WORD = re.compile(rf"[{UNSPACED_LETTERS}]|[^\W{UNSPACED_LETTERS}]+|[^\w\s]")


class MemoryIndex:
    """Finds the entries of a memory, once it is `built`."""

    def __init__(self, memory: TranslationMemory) -> None:
        self.memory = memory
        self._taken = self._listed = 0
        self._by_text: dict[str, int] = {}
        # Of those that nearest is to find: entries by their words, in order, and lengths in words.
        self._by_word: dict[str, array[int]] = {}
        self._lengths = array("I")

    def built(self, near: bool) -> Work[MemoryIndex]:
        """The index, bit by bit; several may build the same one side by side.

        Args:
            near: whether `nearest` is to be asked too.
        """
        entries = self.memory.entries
        while self._taken < len(entries):
            self._take(range(self._taken, min(self._taken + ENTRIES_A_BIT, len(entries))))
            yield
        while near and self._listed < len(entries):
            self._list(range(self._listed, min(self._listed + ENTRIES_A_BIT, len(entries))))
            yield
        return self

    def _take(self, numbers: range) -> None:
        for number in numbers:
            self._by_text[_normal(self.memory.entries[number].source)] = number
        self._taken = numbers.stop

    def _list(self, numbers: range) -> None:
        for number in numbers:
            text = _normal(self.memory.entries[number].source)
            words = _WORD.findall(text)
            self._lengths.append(len(words))
            if self._by_text[text] != number:  # a later one counts
                continue
            for word in dict.fromkeys(words):
                places = self._by_word.get(word)
                if places is None:
                    self._by_word[word] = array("I", (number,))
                else:
                    places.append(number)
        self._listed = numbers.stop

    def exact(self, text: str) -> str | None:
        """The translation of a sentence that the memory has."""
        number = self._by_text.get(_normal(text))
        return None if number is None else self.memory.entries[number].target

    def nearest(self, text: str) -> tuple[MemoryMatch, ...]:
        """Entries that are like a sentence, which may be the sentence itself.

        At most `memory.near` and one more, those of the highest similarity first, of equal ones the
        earlier; no two have the same translation.
        """
        words = _words(text)
        if not words:
            return ()
        best = sorted(self._compared(words), key=lambda item: (-item[0], item[1]))
        by_target: dict[str, MemoryMatch] = {}
        for similarity, number in best:
            entry = self.memory.entries[number]
            by_target.setdefault(entry.target, MemoryMatch(entry, similarity))
        return tuple(islice(by_target.values(), self.memory.near + 1))

    def _compared(self, words: Sequence[str]) -> Iterator[tuple[float, int]]:
        """Similarity and number of all that are like enough."""
        least = self.memory.similarity
        compare = _Comparison(words)
        for number in self._candidates(words, least):
            others = _words(self.memory.entries[number].source)
            longest = max(len(words), len(others))
            distance = compare.distance(others)
            if distance <= (1 - least) * longest + _SLACK:
                yield 1 - distance / longest, number

    def _candidates(self, words: Sequence[str], least: float) -> set[int]:
        shortest = ceil(least * len(words) - _SLACK)
        longest = int(len(words) / least + _SLACK)
        places = sorted((self._by_word.get(word, ()) for word in words), key=len)
        lengths = self._lengths
        return {
            number
            for some in places[: len(words) - shortest + 1]
            for number in some
            if shortest <= lengths[number] <= longest
        }


class _Comparison:
    """Levenshtein's distance of texts from one, by Myers' bits: a bit a word of the one, a step a
    word of the other (doi:10.1145/316542.316550).
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._length = len(words)
        self._places: dict[str, int] = {}
        for at, word in enumerate(words):
            self._places[word] = self._places.get(word, 0) | 1 << at

    def distance(self, others: Sequence[str]) -> int:
        """Words to be put in, left out or exchanged."""
        all_, last = (1 << self._length) - 1, 1 << (self._length - 1)
        # Where the column of distances rises, and falls, by one from word to word.
        rises, falls, distance = all_, 0, self._length
        for word in others:
            same = self._places.get(word, 0)
            equal = (((same & rises) + rises) ^ rises) | same | falls
            right_rises = falls | (all_ & ~(equal | rises))
            right_falls = rises & equal
            distance += bool(right_rises & last) - bool(right_falls & last)
            right_rises = right_rises << 1 | 1
            rises = all_ & (right_falls << 1 | ~(equal | right_rises))
            falls = all_ & right_rises & equal
        return distance


def _normal(text: str) -> str:
    """The text itself where it is normal: an index then keeps no copy of it."""
    normal = " ".join(unicodedata.normalize("NFC", text).split())
    return text if normal == text else normal


def _words(text: str) -> list[str]:
    return _WORD.findall(_normal(text))
