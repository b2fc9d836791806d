"""What stands behind a first name, and is a name though it looks like a word.

"Uwe Fröhlich" is no cheerful Uwe, and "Kerstin Neugebauer" has rebuilt nothing: German surnames are
words, or made of some, and so are many English ones. A first name, or "Frau", tells that the next
word with a capital is probably one; only probably, for German nouns have capitals too ("Tom hat
Maria Blumen gegeben"). So it comes through to the letter where the model is not sure of what it
says itself, as the list's words do; and a word with a piece of its own is common, so that the model
has met it often enough to know (docs/adr/0057).

    >>> finder = SurnameFinder(NameTable(bytes(2), scale=1.0, bias=-1.0), lambda word: False)
    >>> [found.term.source for found in finder.find("Uwe Fröhlich traf Ursula von der Leyen.")]
    ['Fröhlich', 'Leyen']
"""

from __future__ import annotations

import re
from collections.abc import Callable

from dragoman.text.terms.first_names import FIRST_NAMES
from dragoman.text.terms.glossary import FoundTerm, Origin
from dragoman.text.terms.names import NameTable
from dragoman.types import Span, Term

_ADDRESSES = frozenset({"Herr", "Herrn", "Frau", "Mr", "Mrs", "Ms", "Miss"})
# Who is addressed by an office has no surname there: "Herr Kommissionspräsident".
_OFFICE = re.compile(
    r"(?:präsident|minister|kanzler|meister|kommissar|kolleg|abgeordnet|vorsitzend|berichterstatter"
    r"|direktor|sekretär|doktor|professor|president|chairman|speaker|secretary|commissioner)",
    re.IGNORECASE,
)
_PARTICLES = "von|van|vom|zu|zur|zum|de|del|der|den|di|da|dos|du|la|le|ten|ter|bin|al"
_WORD = r"[^\W\d_]+(?:[-'’][^\W\d_]+)*"
# A first name, perhaps with a stop ("Mr."), initials, particles, and the word behind.
_BEHIND = re.compile(
    rf"(?<![\w’'-])({_WORD})(?:\. | (?:[^\W\d_]\. )*(?:(?:{_PARTICLES}) )*)(?=({_WORD})(?![\w’'-]))"
)
# What may stand before a surname, and how parts of words with hyphens are told apart.
_BEFORE = _ADDRESSES | FIRST_NAMES
_PART = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SHORTEST = 3


class SurnameFinder:
    """Finds surnames in a sentence.

    Args:
        names: what these say to be names is left to them (`NameFinder`).
        is_common: whether a word has a piece of its own.
    """

    def __init__(self, names: NameTable, is_common: Callable[[str], bool]) -> None:
        self._names, self._is_common = names, is_common

    def find(self, sentence: str) -> tuple[FoundTerm, ...]:
        """Surnames, in order; none where all letters are capitals."""
        # Most sentences name nobody: then no look at each word, and what is behind it, is needed.
        if _BEFORE.isdisjoint(_PART.findall(sentence)) or not any(map(str.islower, sentence)):
            return ()
        return tuple(
            FoundTerm(Span(*match.span(2)), Term(match[2], match[2]), Origin.SURNAME)
            for match in _BEHIND.finditer(sentence)
            if self._is_surname(match[1], match[2])
        )

    def _is_surname(self, before: str, word: str) -> bool:
        if len(word) < _SHORTEST or not word[0].isupper() or _is_first_name(word):
            return False
        if before in _ADDRESSES:
            may_be = not (_OFFICE.search(word) or word in self._names.lexicon)
        else:
            may_be = _is_first_name(before)
        return may_be and self._names.score(word) <= 0 and not self._is_common(word)


def _is_first_name(word: str) -> bool:
    return all(part in FIRST_NAMES for part in word.split("-"))
