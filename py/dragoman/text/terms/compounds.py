"""What compounds are in the other language that no list has: their parts, one by one.

German makes a word of what English writes as two, and makes new ones every day: of the words of
news that a model has hardly met, half are compounds of words that everybody knows. A list of what
they begin with ("Golf", "Sicherheits", with the letter between) and one of what they end in say
what the whole is, nearly enough for a reader, and better than a model that has never seen it
(docs/adr/0054).

    >>> finder = CompoundFinder(
    ...     WordTable.of({"Wand": "wall"}),
    ...     firsts=WordTable.of({"Golf": "golf"}),
    ...     heads=WordTable.of({"Turniers": "tournament"}),
    ... )
    >>> [found.term.target for found in finder.find("Der Sieger des Golfturniers")]
    ['golf tournament']

Behind a number a part has a translation of its own, with "0-" in the list: "35-Stunden-Woche" is a
35-hour week, "Stundenlohn" an hourly wage.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import takewhile

from dragoman.text.quantities import number
from dragoman.text.terms.glossary import FoundTerm, Origin
from dragoman.text.terms.word_table import NO_WORDS, WordTable
from dragoman.types import Span, Term

SHORTEST = 8  # letters of a compound without hyphens
# In the place of a translation: there is to be none.
NONE = "-"
_SHORTEST_FIRST, _SHORTEST_HEAD = 3, 4
_MOST_FIRSTS = 3
_KNOWN_WORDS = 8_192
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*-")
_WORD = re.compile(rf"(?<![\w.,-])(?:{_NUMBER.pattern})?[^\W\d_]\w*(?:-\w+)*")
_BEHIND_NUMBER = "0-"


def is_long(word: str) -> bool:
    """Whether a word may be a compound: a noun, or with a number, and long enough for two parts."""
    return len(word) >= SHORTEST and (word[0].isupper() or word[0].isdecimal())


class CompoundFinder:
    """Finds compounds in a sentence.

    Args:
        entries: the word list, whose nouns may be heads; words in it are no compounds.
        firsts: what compounds begin with, as they have it.
        heads: what compounds end in, with a capital; these count before the word list, and `NONE`
            says that a noun of it ends too many names ("Bach", "Mann").
        wholes: words that look like compounds and are none ("Botschaft"), or names ("Salzburg").
        languages: of the text and of the translation, for the marks of numbers.
    """

    def __init__(
        self,
        entries: WordTable,
        firsts: WordTable,
        heads: WordTable,
        wholes: WordTable = NO_WORDS,
        languages: tuple[str, str] = ("", ""),
    ) -> None:
        self._languages = languages
        self._entries, self._wholes = entries, wholes
        self._firsts, self._heads = firsts, heads
        self.of_parts = lru_cache(_KNOWN_WORDS)(self._of_parts)
        self._may_be = lru_cache(_KNOWN_WORDS)(self._may_be_one)

    def find(self, sentence: str) -> tuple[FoundTerm, ...]:
        """Compounds, in order; never the first word, which may have its capital of its place."""
        found = []
        for at, match in enumerate(_WORD.finditer(sentence)):
            word = match.group()
            if not self._may_be(word) or (not at and not word[0].isdecimal()):
                continue
            translation = self.of_parts(word)
            if translation:
                span = Span(match.start(), match.end())
                found.append(FoundTerm(span, Term(word, translation), Origin.LEXICON))
        return tuple(found)

    def _may_be_one(self, word: str) -> bool:
        return is_long(word) and word not in self._entries and word not in self._wholes

    def _of_parts(self, word: str) -> str | None:
        """What the parts of a word say together; None if one of them is not known."""
        figures = _NUMBER.match(word)
        if figures:
            return self._of_number(figures.group()[:-1], word[figures.end() :])
        *parts, last = word.split("-")
        if not parts:
            return self._of_one(word)
        head = self._head(last) or self._of_one(last)
        if head is None:
            return None
        return " ".join([*map(self._before_hyphen, parts), head])

    def _of_number(self, figures: str, word: str) -> str | None:
        """Of "35" and "Stunden-Woche"; None where no such part is known behind a number."""
        figures = number(figures, *self._languages)
        whole = self._entries.translation(word)
        if whole:
            return f"{figures}-{whole}"
        parts = word.split("-")
        known = (self._firsts.translation(_BEHIND_NUMBER + part) for part in parts[:-1])
        units = [unit for unit in takewhile(bool, known) if unit]
        rest = "-".join(parts[len(units) :])
        head = units and (self._head(rest) or self._of_parts(rest))
        return f"{'-'.join([figures, *units])} {head}" if head else None

    def _before_hyphen(self, part: str) -> str:
        """What stands before a hyphen: a name stays."""
        known = self._firsts.translation(part)
        return known or (self._entries.translation(part) if part[0].isupper() else None) or part

    def _of_one(self, word: str) -> str | None:
        """Of a word without hyphens: with the longest head."""
        for at in range(_SHORTEST_FIRST, len(word) - _SHORTEST_HEAD + 1):
            head = self._head(word[at:].capitalize())
            first = head and self._first(word[:at], _MOST_FIRSTS)
            if first:
                return f"{first} {head}"
        return None

    def _head(self, noun: str) -> str | None:
        if len(noun) < _SHORTEST_HEAD or not noun[0].isupper():
            return None
        known = self._heads.translation(noun) or self._entries.translation(noun)
        return None if known == NONE else known

    def _first(self, letters: str, most: int) -> str | None:
        """What a compound begins with, which may be a compound itself."""
        known = self._firsts.translation(letters)
        if known or most == 1:
            return known
        for at in range(_SHORTEST_FIRST, len(letters) - _SHORTEST_FIRST + 1):
            last = self._firsts.translation(letters[at:].capitalize())
            rest = last and self._first(letters[:at], most - 1)
            if rest:
                return f"{rest} {last}"
        return None
