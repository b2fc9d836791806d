"""Whether a period ends a sentence: abbreviations, initials, ordinals and numbers do not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dragoman.text.abbreviations import Abbreviation, LanguageRules, OrdinalRules
from dragoman.text.following import Following, FollowingKind
from dragoman.text.marks import BEHIND, BULLETS, DASHES, OPENERS, any_of

_ENUMERATOR = re.compile(
    rf"(?:{any_of(BULLETS)}\s?)?\(?(?:\d{{1,3}}|\d{{1,3}}(?:\.\d{{1,3}})+|[A-Za-z]|[IVX]{{2,5}})\.\)?$"
)
_DOTTED = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]$")  # an initial, or many: J, J.R.R
_INITIAL = re.compile(r"[^\W\d_]\.$")
_ROMAN = re.compile(r"X{0,3}(?:IX|IV|V?I{0,3})$")
_ORDINAL = re.compile(r"(?:\d{1,2}[./–-]{1,2})*\d{1,2}$|\d{3}$")  # 3, 12./13, 100; not 1.000
_CODE = re.compile(r"\s{1,4}[A-Z]{1,6}-?\d")  # "no. XJ-900"
VOWEL = re.compile(r"[aeiouyäöüàáâãåæèéêëìíîïòóôõøœùúûýаеёиоуыэюяіїєўαεηιουωάέήίόύώϊϋΐΰ]")


@dataclass(frozen=True, slots=True)
class Period:
    """One period with what stands around it.

    Attributes:
        item, start: the text and where its sentence began.
        at, end: of the period, and of the run that it begins.
        following: what comes after; never LOWER or NEVER_FIRST.
    """

    item: str
    start: int
    at: int
    end: int
    following: Following
    rules: LanguageRules

    def ends_sentence(self) -> bool:
        """Whether it does, by the word before it and the one that follows."""
        if self.at - self.start < 12 and _ENUMERATOR.match(self.item[self.start : self.end]):
            return False
        tokens = self.item[max(self.start, self.at - BEHIND) : self.at].split()
        if not tokens or self.item[self.at - 1].isspace():
            return True
        word = tokens[-1].lstrip(OPENERS + DASHES)
        before = tokens[-2] if len(tokens) > 1 else ""
        if word[-1:].isdigit():
            return self._number_ends(word, before)
        kind = self._abbreviation(word, tokens)
        return kind is None or self._abbreviation_ends(kind, len(tokens))

    def _starter_follows(self) -> bool:
        return not self.following.is_initial and self.following.word in self.rules.starters

    def _abbreviation_ends(self, kind: Abbreviation, tokens: int) -> bool:
        capital = self.following.kind is FollowingKind.CAPITAL
        match kind:
            case Abbreviation.LEADING:
                return False
            case Abbreviation.NUMBERED:
                if _CODE.match(self.item, self.end):
                    return False
                word = self.following.word
                numeral = len(word) == 1 or _ROMAN.match(word) is not None
                letters = self.item[max(0, self.at - 2) : self.at]
                initial = letters[-1].isupper() and not letters[:-1].isalpha()
                return self._starter_follows() or (capital and not numeral and not initial)
            case Abbreviation.OPEN:
                return self._starter_follows()
            case Abbreviation.CLOSING:
                goes_on = self.following.word in self.rules.continuations
                return capital and tokens > 3 and not goes_on

    def _abbreviation(self, word: str, tokens: list[str]) -> Abbreviation | None:
        """The kind of the word before the period; None if it is no abbreviation."""
        for candidate in self._spellings(word, tokens):
            kind = self.rules.abbreviations.get(candidate)
            if kind is not None:
                return kind
        before = tokens[-2] if len(tokens) > 1 else ""
        if _DOTTED.match(word) or self._is_roman_ordinal(word, before):
            return Abbreviation.OPEN
        if word.endswith(("str", "Str")) and self.rules.ordinals is not None:
            return Abbreviation.OPEN  # Hauptstr.
        if self.rules.vowelless and 2 <= len(word) <= 5 and word.islower() and word.isalpha():
            return None if VOWEL.search(word) else Abbreviation.OPEN
        return None

    def _spellings(self, word: str, tokens: list[str]) -> Iterator[str]:
        """The word with the initials before it, longest first ("z. B" as "z.B"), then variants."""
        joined, forms = word, [word]
        for token in reversed(tokens[-5:-1]):
            if not _INITIAL.search(token.lstrip(OPENERS)) or len(token) > 3:
                break
            joined = token.lstrip(OPENERS) + joined
            forms.append(joined)
        yield from reversed(forms)
        part = re.split(r"[/–’'-]", word)[-1]
        if part and part != word:
            yield part  # ca./max., Haupt-Str., l'art.
        if len(tokens) == 1 or tokens[-1] != word:
            yield word[:1].lower() + word[1:]  # Vgl. at the start, (Vgl.
        if len(word) > 1 and word.isupper():
            yield word.capitalize()  # MR.

    def _is_roman_ordinal(self, word: str, before: str) -> bool:
        """Such as "II" of "Friedrich II."; two letters at least, one is an initial anyway."""
        return (
            self.rules.ordinals is not None
            and len(word) > 1
            and _ROMAN.match(word) is not None
            and before[:1].isupper()
        )

    def _number_ends(self, number: str, before: str) -> bool:
        ordinals = self.rules.ordinals
        if ordinals is None or not _ORDINAL.match(number) or self._starter_follows():
            return True
        if self.following.kind is FollowingKind.DIGIT:  # 3. 10. 2015
            return len(self.following.word) > 2 and not before.endswith(".")
        if self.following.kind is FollowingKind.SYMBOL:
            return True
        if in_ordinal_place(before, self.following.word, ordinals):
            return False
        numbered = self.rules.abbreviations.get(before.rstrip(".")) is Abbreviation.NUMBERED
        counted = before[:1].isupper() and before.isalpha()  # Platz 3, Nr. 3
        return numbered or counted or int(re.split(r"\D", number)[-1]) > 31


def in_ordinal_place(before: str, after: str, ordinals: OrdinalRules) -> bool:
    """Whether a number and a stop between these words is an ordinal: "am 3. Oktober"."""
    return before.strip("(\"'„“,.").lower() in ordinals.leads or after in ordinals.nouns
