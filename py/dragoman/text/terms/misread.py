"""Stage 7, short forms of English that a German translation has half of.

In a short sentence a model begins "i.e." as "ich", or copies it, and leaves out the noun of "the
'90s": "in den 90er-". What is written instead is what it says in a longer one.
"""

from __future__ import annotations

import re

from dragoman.text.protect import replaced
from dragoman.types import DetokenizedText, Span

_THAT_IS = re.compile(r"(?<![\w\"“'‘])i\.e\.(?![\w\"”'’])")
_NO_THAT_IS = re.compile(r"(?<=[,;] )ich\.,?(?= )|(?<=[ (])i\.e\.{1,2},?(?= )")
_SAID = re.compile(r"\bd\.\s?h\.|das heißt")
# What begins with a capital only because the model has ended the sentence before it.
_BEGUN = re.compile(r" (?:Er|Es|Wir|Ich|Du|Man|Der|Die|Das|Ein|Eine|Wenn|Nicht|Kein|Keine)\b")
_DECADE = re.compile(r"\d0s\b")
_CUT_DECADE = re.compile(r"(?<!\w)\d{1,3}0er-(?=$|[.!?,;:)]| (?!und\b|oder\b|bis\b|[A-ZÄÖÜ]))")
_DATIVE = re.compile(r"\bden (?:\w+ )?$", re.IGNORECASE)


def with_short_forms(
    source: str, target: DetokenizedText, languages: tuple[str, str]
) -> DetokenizedText:
    """The target with "d. h." and whole decades; its pieces keep their places.

    Args:
        languages: of source and target, BCP 47.
    """
    if [language.partition("-")[0].lower() for language in languages] != ["en", "de"]:
        return target
    if _DECADE.search(source):
        for match in reversed(list(_CUT_DECADE.finditer(target.text))):
            noun = "Jahren" if _DATIVE.search(target.text, 0, match.start()) else "Jahre"
            target = replaced(target, Span(*match.span()), match.group() + noun)
    if len(_THAT_IS.findall(source)) == 1 and not _SAID.search(target.text):
        target = _with_that_is(target)
    return target


def _with_that_is(target: DetokenizedText) -> DetokenizedText:
    found = list(_NO_THAT_IS.finditer(target.text))
    if len(found) != 1:
        return target
    span = Span(*found[0].span())
    if _BEGUN.match(target.text, span.end):
        first = Span(span.end + 1, span.end + 2)
        target = replaced(target, first, first.of(target.text).lower())
    return replaced(target, span, "d. h.")
