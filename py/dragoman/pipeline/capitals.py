"""Stage 7: a sentence or a label that begins with a capital is translated by one that does.

Models have seen messages in small letters: "Danke." became "thank you.", and "Suche" "search".
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from dragoman.pipeline.markers import without_marker
from dragoman.text.marks import LINE_BREAKS
from dragoman.types import DetokenizedText, Span

_ITEM = r"(?:\(?(?:\d{1,3}|[^\W\d_])[.)]\s+)?"  # of a list: "2. ", "(b) "
# What a sentence may begin with before its first word, and what ends one.
_FIRST = re.compile(rf"{_ITEM}[\"'“”„«»‘’(\[]*(\w+)")
_START = re.compile(rf"\s*{_ITEM}")
_ENDED = re.compile(r"[.!?…][\"'“”«»‘’)\]]*\s*$")
_WORD = re.compile(r"\w+")
_LABEL = 5  # words of a line that is taken for one; a longer line may be a part of a sentence
_APART = {"", "\t", *LINE_BREAKS}  # a cell, a line, or all there is
_AROUND = 64  # characters that are looked at on either side
_BESIDE = " *_~"  # marks of emphasis, too


def is_whole(text: str, sentence: Span) -> bool:
    """Whether it is a sentence, so begun and ended by a mark, or a short line for itself: a label,
    a heading, a cell. The rest of a sentence that was too long for a model is none.

    Args:
        sentence: a span of the text, or what was cut out as one.
    """
    source = sentence.of(text)
    before = without_marker(text[max(0, sentence.start - _AROUND) : sentence.start]).rstrip(_BESIDE)
    opens = before[-1:] in _APART and bool(before or sentence.start <= _AROUND)
    if _ENDED.search(source):
        return opens or _ENDED.search(before) is not None
    after = text[sentence.end : sentence.end + _AROUND].lstrip(_BESIDE)
    closes = after[:1] in _APART
    return opens and closes and len(source.split()) <= _LABEL


def with_capital(
    text: str, sentence: Span, target: DetokenizedText, kept: Iterable[str] = ()
) -> DetokenizedText:
    """The target with a capital first, if the source has one and `is_whole`.

    No word gets a capital that the source has as it is ("iPhone"), or that was put into the target.

    Args:
        sentence: of the source in its text.
        kept: what was put in, such as terms.
    """
    source = sentence.of(text)
    first, second = _FIRST.match(source), _FIRST.match(target.text)
    if not first or not second or not second[1][0].islower() or not first[1][0].isupper():
        return target
    is_kept = any(second[1] in _WORD.findall(own) for own in (source, *kept))
    at, capital = second.start(1), second[1][0].upper()
    if is_kept or len(capital) != 1 or not is_whole(text, sentence):
        return target
    return DetokenizedText(target.text[:at] + capital + target.text[at + 1 :], target.spans)


def first_letter(text: str) -> int:
    """Where the first letter or figure is, behind the number of an item; the length without one."""
    start = _START.match(text)
    rest = range(start.end() if start else 0, len(text))
    return next((at for at in rest if text[at].isalnum()), len(text))
