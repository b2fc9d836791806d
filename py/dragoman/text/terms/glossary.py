"""Terms of a glossary in a text: which words of it are one.

The rule, which a reader of a glossary can know by heart:

- A term is found as whole words, with its marks ("C++"), and in no part of a word with hyphens;
  white space is as good as other white space. Of several the longest counts, from left to right,
  and one that stands there as it is written before one with an ending.
- Its first letter may be a capital where a sentence begins.
- In German and English each of its words of three letters and more may have an ending of the table
  below: nouns theirs of case and number, other words of German those of adjectives. What changes
  inside of a word ("Häuser") and what makes another word (Bank, Banker) is not found: it is an
  entry of its own. In other languages words are found as they are written.

    >>> finder = TermFinder((Term("elektrische Anlage", "plant"),), "de")
    >>> [found.span for found in finder.find("In elektrischen Anlagen")]
    [Span(start=3, end=23)]
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

from dragoman.types import Span, Term

# Scripts without spaces: a character is a word.
_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_PART = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+|[^\w\s]")
_WHOLE = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+(?:-[^\W{_UNSPACED}]+)*|[^\w\s]")
# The shortest word that may have an ending.
_SHORTEST = 3
# Of words that begin with a capital, and of others.
_ENDINGS = {
    "de": (("e", "en", "n", "s", "es", "ns"), ("e", "en", "er", "es", "em", "n", "r", "s", "m")),
    "en": (("s", "es"), ("s", "es")),
}
_Y_ENDING = "ies"  # of English words in -y


class Origin(Enum):
    """Who says what a word becomes."""

    GLOSSARY = auto()  # the request's
    NAME = auto()  # the bundle's table: to the letter (`names`)
    LEXICON = auto()  # the bundle's word list (`lexicon`)
    SURNAME = auto()  # a first name before it: probably to the letter (`surnames`)


@dataclass(frozen=True, slots=True)
class FoundTerm:
    """Where a term stands in a text.

    Attributes:
        origin: who says that it is one.
        is_genitive: whether it is a name behind its noun, with an "of" (`genitives`).
    """

    span: Span
    term: Term
    origin: Origin = Origin.GLOSSARY
    is_genitive: bool = False


class _Token(NamedTuple):
    """A word or a mark; `joined`: nothing is between it and the one before.

    A tuple, as each word of each text becomes one: a frozen dataclass takes three times as long.
    """

    start: int
    end: int
    text: str
    joined: bool


def _tokens(text: str, word: re.Pattern[str]) -> list[_Token]:
    tokens: list[_Token] = []
    end = -1
    for match in word.finditer(text):
        start, before = match.start(), end
        end = match.end()
        tokens.append(_Token(start, end, match.group(), start == before))
    return tokens


@dataclass(frozen=True, slots=True)
class _Entry:
    term: Term
    tokens: tuple[_Token, ...]


class TermFinder:
    """Finds terms in texts of a language.

    Args:
        terms: of two with the same source the later one counts.
        language: BCP 47, of the texts.
        side: whether it is the terms' "source" or "target" that is looked for. A target may be
            part of a word with hyphens: models make such words of it.
    """

    def __init__(self, terms: Sequence[Term], language: str, side: str = "source") -> None:
        self._endings = _ENDINGS.get(language.partition("-")[0].lower(), ((), ()))
        self._has_y = language.partition("-")[0].lower() == "en"
        self._word = _WHOLE if side == "source" else _PART
        self._entries: dict[str, list[_Entry]] = {}
        distinct = {_spaced(getattr(term, side)): term for term in terms}
        for text, term in distinct.items():
            entry = _Entry(term, tuple(_tokens(text, self._word)))
            self._entries.setdefault(entry.tokens[0].text, []).append(entry)
        for entries in self._entries.values():
            entries.sort(key=lambda entry: -len(entry.tokens))
        # An ending leaves a word's first two letters: these tell most words from all entries.
        self._beginnings = frozenset(word[:2] for word in self._entries)

    def find(self, text: str) -> tuple[FoundTerm, ...]:
        """The terms of a text, in order, never overlapping."""
        if not self._entries:
            return ()
        words = self._word.findall(text)
        first = next((i for i, word in enumerate(words) if word[0].isalnum()), 0)
        begun = [i for i, word in enumerate(words) if self._may_begin(word, is_first=i == first)]
        places = list(self._word.finditer(text)) if begun else []
        terms: list[FoundTerm] = []
        end = 0
        for at in begun:
            entry = self._longest(places, at, is_first=at == first) if at >= end else None
            if entry is None:
                continue
            end = at + len(entry.tokens)
            terms.append(FoundTerm(Span(places[at].start(), places[end - 1].end()), entry.term))
        return tuple(terms)

    def _may_begin(self, word: str, is_first: bool) -> bool:
        return word[:2] in self._beginnings or (
            is_first and (word[0].lower() + word[1:2])[:2] in self._beginnings
        )

    def _longest(self, places: Sequence[re.Match[str]], at: int, is_first: bool) -> _Entry | None:
        best: _Entry | None = None
        for form in self._forms(places[at].group(), is_first):
            for entry in self._entries.get(form, ()):
                if best is not None and len(entry.tokens) <= len(best.tokens):
                    break
                if len(entry.tokens) == 1 or self._goes_on(places, at, entry.tokens):
                    best = entry
        return best

    def _goes_on(self, places: Sequence[re.Match[str]], at: int, tokens: Sequence[_Token]) -> bool:
        """Whether the words behind a place are those behind the first of an entry."""
        around = places[at : at + len(tokens)]
        return len(around) == len(tokens) and all(
            token.joined == (place.start() == before.end())
            and token.text in self._forms(place.group(), is_first=False)
            for token, before, place in zip(tokens[1:], around, around[1:], strict=False)
        )

    def _forms(self, token: str, is_first: bool) -> Iterator[str]:
        """What a glossary may have for a word of a text, the word itself first."""
        words = (token, token[0].lower() + token[1:]) if is_first else (token,)
        yield from dict.fromkeys(words)
        for word in dict.fromkeys(words):
            for ending in self._endings[not word[0].isupper()]:
                stem = word.removesuffix(ending)
                if stem != word and len(stem) >= _SHORTEST:
                    yield stem
            if self._has_y and word.endswith(_Y_ENDING) and len(word) > _SHORTEST + 1:
                yield word.removesuffix(_Y_ENDING) + "y"


def may_have(text: str, term: str) -> bool:
    """Whether a term may be in a text, in whatever form: no, where most of its first word is not.

    A look for a part of a text takes next to nothing, and tells nearly as much as a `TermFinder`.

    >>> may_have("Zwei Parties in Wien", "party"), may_have("Ein Fest in Wien", "party")
    (True, False)
    """
    word = _PART.search(term)
    if word is None:
        return False
    # A capital may begin it, of which "İ" makes two characters; and "y" may have become "ies".
    return word.group()[1:].lstrip("\u0307").removesuffix("y") in text


def _spaced(text: str) -> str:
    return " ".join(text.split())
