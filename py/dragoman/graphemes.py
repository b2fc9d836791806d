"""What a reader sees as one character, of one code point or of several: never cut.

A simple form of the rules of UAX 29, of our own, because the core has but the standard library
(docs/adr/0016).
"""

from __future__ import annotations

import unicodedata

from dragoman.types import Span

_ZWJ = "\u200d"


def inside_graphemes(text: str, span: Span) -> set[int]:
    """Offsets in the span that are inside a grapheme.

    Marks, joiners, emoji modifiers and sequences, pairs of regional indicators, Hangul jamo, Indic
    conjuncts, CR LF.
    """
    inside: set[int] = set()
    indicators = 0  # regional indicators in a row before `at`
    for at in range(span.start + 1, span.end):
        before, after = text[at - 1], text[at]
        indicators = indicators + 1 if "\U0001f1e6" <= before <= "\U0001f1ff" else 0
        pair = indicators % 2 == 1 and "\U0001f1e6" <= after <= "\U0001f1ff"
        if pair or joins(before, after):
            inside.add(at)
    return inside


def joins(before: str, after: str) -> bool:
    """Whether no cut is between two neighbours; flags, which come in pairs, are not told apart."""
    if after < "\u0300":
        return before == "\r" and after == "\n"
    return (
        before == _ZWJ
        or extends(after)
        or ("\u1100" <= before <= "\u115f" and ("\u1100" <= after <= "\u11ff" or _is_hangul(after)))
        or (unicodedata.combining(before) == 9 and unicodedata.category(after) == "Lo")  # virama
    )


def extends(character: str) -> bool:
    """Whether a character belongs to the one before it."""
    return (
        unicodedata.category(character)[0] == "M"
        or character in "\u200c\u200d\uff9e\uff9f"
        or "\u1160" <= character <= "\u11ff"  # vowels and finals of Hangul
        or "\U0001f3fb" <= character <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= character <= "\U000e007f"  # tags of flags
    )


def _is_hangul(character: str) -> bool:
    return "\uac00" <= character <= "\ud7a3"
