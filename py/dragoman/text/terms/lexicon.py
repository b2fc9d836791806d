"""What rare words are in the other language: the word list of a bundle.

A small model has met most words too seldom to know them: "Brustkrebs" stayed as it was, "Startbahn"
became "start". A list knows them, and needs no sentence for it. The pipeline puts its word where
the model has one of its own for the same word of the source, and only there (docs/adr/0051).

Words stand in the list with their endings, as texts have them, and with the one translation that
they have most often; a word with several that are as frequent is not in it. So do words that are
one in the other language ("prime minister", "Premierminister").

    >>> finder = LexiconFinder(WordTable.of({"Startbahn": "runway"}))
    >>> [found.term.target for found in finder.find("Die Startbahn ist gesperrt.")]
    ['runway']
    >>> entries = {"minister": "Minister", "prime minister": "Premierminister"}
    >>> finder = LexiconFinder(WordTable.of(entries))
    >>> [found.term.target for found in finder.find("The Prime Minister resigned.")]
    ['Premierminister']
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from dragoman.text.terms.genitives import has_genitives, standing
from dragoman.text.terms.glossary import FoundTerm, Origin
from dragoman.text.terms.word_table import WordTable
from dragoman.types import Span, Term

_KNOWN_WORDS = 8_192
# A whole word, with its hyphens: no part of "Startbahn-Feuer" is found, nor of "35-Stunden-Woche".
_WORD = re.compile(r"(?:\d+(?:[.,]\d+)*-)?[^\W\d_]\w*(?:[-'’]\w+)*")


class LexiconFinder:
    """Finds the words of a list in a sentence.

    Args:
        entries: words, or several with a space between, and what they are in the other language.
        languages: of the text and of the translation, for names in the genitive.
    """

    def __init__(self, entries: WordTable, languages: tuple[str, str] = ("", "")) -> None:
        self._entries = entries
        self._has_genitives = has_genitives(*languages)
        self._most = lru_cache(_KNOWN_WORDS)(self._most_words)

    def find(self, sentence: str) -> tuple[FoundTerm, ...]:
        """Words of the list, in order, each whole and as it is written; the longest entry counts.

        The first word may be in the list with a small letter, and so may several that all have
        capitals.
        """
        found: list[FoundTerm] = []
        matches = list(_WORD.finditer(sentence))
        end = 0
        for at, match in enumerate(matches):
            most = self._most(match.group())
            if at < end or (at and not most):
                continue  # nearly all words; what follows would say the same, far more slowly
            entry, count = self._longest(
                _together(sentence, matches[at : at + max(most, 1)]), is_first=at == 0
            )
            if entry:
                end = at + count
                span = Span(match.start(), matches[end - 1].end())
                found.append(self._found(sentence, span, entry))
        return tuple(found)

    def _most_words(self, word: str) -> int:
        """Most words of an entry that a word begins; 0 if there is none, unless it is the first."""
        most = self._entries.longest(word.lower())
        return 0 if most == 1 and word not in self._entries else most

    def _found(self, sentence: str, span: Span, entry: str) -> FoundTerm:
        known = said = self._entries[entry]
        if self._has_genitives:
            said = standing(sentence, span, known)
        return FoundTerm(span, Term(entry, said), Origin.LEXICON, is_genitive=said != known)

    def _longest(self, words: Sequence[str], is_first: bool) -> tuple[str, int]:
        """The longest entry that words begin with, and how many it has of them; "" if none."""
        for count in range(len(words), 0, -1):
            for form in _forms(words[:count], is_first):
                if form in self._entries:
                    return form, count
        return "", 0


def fitted(translation: str, before: str, after: str) -> str:
    """A translation of several words, or with a stop, without what is said beside its place: a
    model has "the EU leaders" for "die EU-Spitze", and only "leaders" makes room for "EU summit".

    >>> fitted("EU summit", before="at the EU ", after=" today")
    'summit'

    Args:
        before, after: what is in the sentence beside the place of the translation.
    """
    words = translation.split(" ")
    for count in range(len(words) - 1, 0, -1):
        said = " ".join(words[:count])
        if re.search(rf"(?<![\w-]){re.escape(said)} $", before):
            words = words[count:]
            break
    for count in range(len(words) - 1, 0, -1):
        said = " ".join(words[-count:])
        if re.match(rf" {re.escape(said)}(?![\w-])", after):
            words = words[:-count]
            break
    rest = " ".join(words)
    return rest.removesuffix(".") if after.startswith(".") else rest


def _together(sentence: str, matches: Sequence[re.Match[str]]) -> list[str]:
    """Words as far as nothing but white space is between them."""
    words = [matches[0].group()]
    for one, following in pairwise(matches):
        if not sentence[one.end() : following.start()].isspace():
            break
        words.append(following.group())
    return words


def _forms(words: Sequence[str], is_first: bool) -> Iterator[str]:
    """How the list may have them."""
    text = " ".join(words)
    yield text
    if is_first:
        yield text[0].lower() + text[1:]
    if len(words) > 1 and all(word[0].isupper() for word in words):
        yield " ".join(word[0].lower() + word[1:] for word in words)
