"""Stages 3 and 7: a sentence all in capitals is shown to the model as it is written elsewhere.

A small model has seen few capitals ("RAUCHEN VERBOTEN" was "RAY LEFT"), and loses even the "not" of
a prohibition. The translation is written in capitals again; what is put back into it is not.

    "BITTE NICHT STÖREN" --lowered--> "Bitte nicht stören"
                                              | model
    "PLEASE DO NOT DISTURB" <--raised-- "Please do not disturb"

Which words have a capital elsewhere (nouns, names) says the vocabulary: "Vertrag" is fewer pieces
than "vertrag", and "EU" fewer than "Eu". Where these are as many, the bundle's word list does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from dragoman.pipeline.terms import Finder
from dragoman.text.protect import HiddenText, replaced
from dragoman.text.terms.glossary import FoundTerm
from dragoman.text.terms.names import NameTable
from dragoman.text.tokenizer import Tokenizer
from dragoman.types import DetokenizedText, Span

# Letters alone: neither a stand-in ("X1") nor a code.
_WORD = re.compile(
    r"(?<!\w)(?:[^\W\d_][\u0300-\u036f]*+)++(?:['’](?:[^\W\d_][\u0300-\u036f]*+)++)*+(?!\w)"
)
# What is a capital in the middle of a sentence whatever the vocabulary has: the polite "Sie" is far
# more frequent on signs than "she".
_CAPITAL = {
    "de": re.compile("(?:sie|ihnen|dr|prof)$"),
    "en": re.compile(r"(?:i(?!\w)|(?:mrs?|ms|dr|prof)$)"),
}
_BEHIND_THE = "US", "IT", "UN"  # words by themselves
# What the vocabulary has in capitals, and is no abbreviation.
_NO_ABBREVIATIONS = frozenset(
    ("MEN", "AIR", "MET", "LED", "DUE", "GUN", "POT", "OFT", "LAG", "INS")
)
_NONE = re.compile("(?!)")
_LONG = 5  # letters of a word that is no abbreviation
_ABBREVIATION = 3
_MANY = 4  # words that the vocabulary has, be they abbreviations too ("NOT", "THAT")
# Where nouns have a capital, and it makes another word: "Essen" is no "essen".
WITH_NOUNS = "de", "lb"
_DOTTED = "tr", "az"  # languages that write "İ" and "ı"
_LOWER, _UPPER = str.maketrans("Iİ", "ıi"), str.maketrans("iı", "İI")


class LetterCase:
    """Of one model.

    Args:
        languages: of source and target, BCP 47.
        names: of the bundle, with its lists of words.
    """

    def __init__(
        self, tokenizer: Tokenizer, languages: tuple[str, str], names: NameTable | None = None
    ) -> None:
        self._tokenizer = tokenizer
        self._words = (names.lexicon, names.heads) if names else ()
        self._said = (names.formulas, names.alone) if names else ()
        source, target = (language.partition("-")[0].lower() for language in languages)
        self._is_dotted = source in _DOTTED, target in _DOTTED
        self._has_nouns = source in WITH_NOUNS
        self._with_capital = _CAPITAL.get(source, _NONE)

    def lowered(self, shown: HiddenText) -> str | None:
        """The source in small letters, but for what is hidden; None if it is not in capitals."""
        if not self._in_capitals(shown.bare):
            return None
        parts: list[str] = []
        read, source = 0, shown.source
        for hiding in shown.hidings:
            parts += [source[read : hiding.span.start], hiding.span.of(source)]
            read = hiding.span.end
        parts.append(source[read:])
        for index in range(0, len(parts), 2):
            small = self._lowered(parts[index], begins=index == 0)
            if small is None:
                return None
            parts[index] = small
        return "".join(parts)

    def lowered_text(self, text: str) -> str | None:
        """The same of a text with nothing hidden; None if it is not all in capitals."""
        return self._lowered(text) if self._in_capitals(text) else None

    def raised(
        self, shown: HiddenText, target: DetokenizedText, kept: Iterable[str]
    ) -> DetokenizedText:
        """A translation of what was lowered, in capitals; its pieces keep their places.

        Args:
            kept: what was put in to the letter.
        """
        if not shown.in_capitals:
            return target
        whole = [_whole(text) for text in sorted(kept, key=len, reverse=True) if text]
        for match in reversed(list(re.finditer("|".join([*whole, r"\w"]), target.text))):
            if len(match.group()) == 1 and match.group() != (capital := self.raised_text(match[0])):
                target = replaced(target, Span(*match.span()), capital)
        return target

    def raised_text(self, text: str) -> str:
        return (text.translate(_UPPER) if self._is_dotted[1] else text).upper()

    def _in_capitals(self, text: str) -> bool:
        """Whether all letters are capitals and the words no abbreviations: not "USA UND NATO".

        One is long, two are common, or many are words; a word alone may be a name: it counts if it
        is known.
        """
        # No small letters, and none of a script without them.
        if not all(one.isupper() for one in text.replace("ß", "") if one.isalpha()):
            return False
        words = [word for word in _WORD.findall(text) if len(word) > 1 and word[0].isupper()]
        if any(len(word) >= _LONG for word in words):
            return len(words) > 1 or self._is_known(words[0])
        encoded = [self._tokenizer.encode([self._forms(word)[0], word]) for word in words]
        known = [len(of_word) for small, of_word in encoded if len(small) == 1]
        return len(known) >= _MANY or sum(pieces > 1 for pieces in known) > 1

    def _is_known(self, word: str) -> bool:
        small, capital = self._forms(word)
        if any(form in words for form in (small, capital) for words in self._said):
            return True
        return min(map(len, self._tokenizer.encode([small, capital]))) == 1

    def _lowered(self, text: str, *, begins: bool = True) -> str | None:
        """None if it has a letter whose small one is none of one character.

        Args:
            begins: whether the sentence begins with it.
        """
        parts: list[str] = []
        read = 0
        for match in _WORD.finditer(text):
            is_behind_the = text.endswith("THE", 0, read) and match.group() in _BEHIND_THE
            word = match.group() if is_behind_the else self._usual(match.group())
            if begins and not parts:
                word = match.group()[0] + word[1:]
            parts += [text[read : match.start()], word]
            read = match.end()
        lowered = "".join(parts) + text[read:]
        return lowered if len(lowered) == len(text) else None

    def _usual(self, word: str) -> str:
        """A word in capitals as it is written elsewhere in a sentence."""
        small, capital = self._forms(word)
        if len(small) != len(word):  # "İ" in a language that has it from elsewhere
            return word
        if small == capital:
            return capital
        is_listed, with_capital = self._has(small), self._has(capital)
        pieces, pieces_of_capital, pieces_of_word = map(
            len, self._tokenizer.encode([small, capital, word])
        )
        if is_listed and not with_capital and pieces_of_capital > 1:
            return small
        fewest = min(pieces, pieces_of_capital)
        as_few = pieces_of_word == fewest > 1 and len(word) <= _ABBREVIATION
        is_short = 1 < len(word) < _LONG and word not in _NO_ABBREVIATIONS
        if is_short and (pieces_of_word < fewest or as_few):
            return word
        if pieces_of_capital != pieces:
            return capital if pieces_of_capital < pieces else small
        return capital if self._has_nouns and with_capital and not is_listed else small

    def _forms(self, word: str) -> tuple[str, str]:
        small = (word.translate(_LOWER) if self._is_dotted[0] else word).lower()
        capital = word[0] + small[1:]
        return (capital if self._with_capital.match(small) else small), capital

    def _has(self, word: str) -> bool:
        return any(word in words for words in self._words)


def _whole(text: str) -> str:
    """A pattern of a text that is no part of a word."""
    before = r"(?<!\w)" if text[0].isalnum() else ""
    after = r"(?!\w)" if text[-1].isalnum() else ""
    return f"{before}{re.escape(text)}{after}"


class LoweringFinder:
    """Finds words of a list in what is all in capitals too."""

    def __init__(self, finder: Finder, case: LetterCase) -> None:
        self._finder, self._case = finder, case

    def find(self, text: str, /) -> tuple[FoundTerm, ...]:
        return self._finder.find(self._case.lowered_text(text) or text)
