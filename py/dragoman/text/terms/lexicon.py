"""What rare words are in the other language: the word list of a bundle.

A small model has met most words too seldom to know them: "Brustkrebs" stayed as it was, "Startbahn"
became "start". A list knows them, and needs no sentence for it. The pipeline puts its word where
the model has one of its own for the same word of the source, and only there (docs/adr/0051).

Words stand in the list with their endings, as texts have them, and with the one translation that
they nearly always have; a word with several is not in it.

    >>> finder = LexiconFinder({"Startbahn": "runway"})
    >>> [found.term.target for found in finder.find("Die Startbahn ist gesperrt.")]
    ['runway']
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from dragoman.text.terms.glossary import FoundTerm, Origin
from dragoman.types import Span, Term

# A whole word, with its hyphens: no part of "Startbahn-Feuer" is found.
_WORD = re.compile(r"[^\W\d_]\w*(?:[-'’]\w+)*")


class LexiconFinder:
    """Finds the words of a list in a sentence.

    Args:
        entries: words and what they are in the other language.
    """

    def __init__(self, entries: Mapping[str, str]) -> None:
        self._entries = entries

    def find(self, sentence: str) -> tuple[FoundTerm, ...]:
        """Words of the list, in order, each whole and as it is written.

        The first word may be in the list with a small letter.
        """
        found: list[FoundTerm] = []
        entries, is_first = self._entries, True
        for match in _WORD.finditer(sentence):
            word = match.group()
            target = entries.get(word)
            if target is None and is_first:
                target = entries.get(word[0].lower() + word[1:])
            is_first = False
            if target is not None:
                span = Span(*match.span())
                found.append(FoundTerm(span, Term(word, target), Origin.LEXICON))
        return tuple(found)
