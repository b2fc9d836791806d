"""Stage 7, once there is text: a phrase or a title that is said twice in a row is said once.

Loops of pieces are cut before (`hypotheses`). What stands between a phrase and its like, a comma or
a capital ("In this context, in this context we"), is another piece: only words tell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from dragoman.types import DetokenizedText, Span

# Two words are said twice by people too: "New York, New York".
SHORTEST_PHRASE = 3
LONGEST_PHRASE = 8
_WORD = re.compile(r"\w+")
# A full stop or a quotation mark between makes two sayings of it.
_SEPARATOR = re.compile(r"[\s,\u2013\u2014-]*")
# One word, which a model says where its source has two forms of it: "Guten Tag, Herr Müller".
_TITLES = r"Mr|Mrs|Ms|Miss|Herrn?|Frau|Dr|Prof|Mme|Mlle|Monsieur|Madame|Sr|Sra|Señora?|Sig|Pan[ií]?"
_TITLE_TWICE = re.compile(rf"\b(?P<title>{_TITLES})\b\.?(?P<again> (?P=title)\b\.?)(?= \w)")


def repeated_phrases(text: str, source: str) -> list[Span]:
    """What to take out of a translation: each phrase's second saying, with what is before it.

    Nothing where the source says two words or more twice in a row itself, or a title. Case does not
    count.
    """
    repeated = _repeated(text, SHORTEST_PHRASE)
    if repeated:
        return [] if _repeated(source, 2) else repeated
    return [
        Span(*match.span("again"))
        for match in _TITLE_TWICE.finditer(text)
        if not _TITLE_TWICE.search(source) and source.count(match["title"]) < 2
    ]


def steps_outside(text: DetokenizedText, spans: Sequence[Span]) -> list[int]:
    """Indexes of the pieces of which no character is in the spans; none of these is cut in two."""
    return [
        step
        for step, piece in enumerate(text.spans)
        if not any(span.start < piece.end and piece.start < span.end for span in spans)
    ]


def _repeated(text: str, shortest: int) -> list[Span]:
    words = [word.casefold() for word in _WORD.findall(text)]
    if len(words) - len(set(words)) < shortest:
        return []
    spans = [Span(*match.span()) for match in _WORD.finditer(text)]
    repeated: list[Span] = []
    at = 0
    while at < len(words):
        length = _phrase(words, at, shortest)
        end = at + length
        while length and words[end : end + length] == words[at : at + length]:
            if not _SEPARATOR.fullmatch(text, spans[end - 1].end, spans[end].start):
                break
            end += length
        if end == at + length:
            at += 1
            continue
        repeated.append(Span(spans[at + length - 1].end, spans[end - 1].end))
        at = end
    return repeated


def _phrase(words: Sequence[str], at: int, shortest: int) -> int:
    """Words of the shortest phrase that is said at a place and once more behind it, or 0."""
    longest = min(LONGEST_PHRASE, (len(words) - at) // 2)
    for length in range(shortest, longest + 1):
        if words[at : at + length] == words[at + length : at + 2 * length]:
            return length
    return 0
