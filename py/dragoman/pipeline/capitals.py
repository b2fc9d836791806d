"""Stage 7: a sentence that begins with a capital is translated by one that does.

Models have seen messages in small letters: "Danke." became "thank you.".
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from dragoman.types import DetokenizedText, Span

# What a sentence may begin with before its first letter, and what ends one.
_FIRST = re.compile(r"[\"'“”„«»‘’(\[]*(\w+)")
_ENDED = re.compile(r"[.!?…][\"'“”«»‘’)\]]*\s*$")


def with_capital(
    text: str, sentence: Span, target: DetokenizedText, kept: Iterable[str] = ()
) -> DetokenizedText:
    """The target with a capital first, if the source is a sentence: so begun, and ended by a mark.

    The rest of a sentence that was too long for a model is none; nor does a word get a capital that
    the source has as it is ("iPhone"), or that was put into the target.

    Args:
        sentence: of the source in its text.
        kept: what was put in, such as terms.
    """
    source = sentence.of(text)
    first, second = _FIRST.match(source), _FIRST.match(target.text)
    if not first or not second or not second[1][0].islower() or not _ENDED.search(source):
        return target
    before = text[: sentence.start].rstrip(" \t")
    begins = before == "" or before.endswith("\n") or _ENDED.search(before) is not None
    if not begins or not first[1][0].isupper() or any(second[1] in own for own in (source, *kept)):
        return target
    at, letter = second.start(1), second[1][0]
    capital = letter.upper()
    if len(capital) != 1:
        return target
    return DetokenizedText(target.text[:at] + capital + target.text[at + 1 :], target.spans)
