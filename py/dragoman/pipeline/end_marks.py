"""Stage 7: a translation ends in as many marks as its source.

Marks in a row look like a loop, which is cut ("toll!!!" was "great!!"), and a model has seen "..."
too seldom to get it right ("..").
"""

from __future__ import annotations

import re

from dragoman.text.marks import CLOSERS, any_of
from dragoman.text.protect import replaced
from dragoman.types import DetokenizedText, Span

_END = re.compile(rf"(?P<marks>[.!?\u2026]+)(?:\s|{any_of(CLOSERS)})*\Z")
# No single stop, which may be of an abbreviation: "in the U.S.?".
_RUN = re.compile("(?:\\.{2,}|\u2026+)[!?]*|[!?]{2,}")
_FAR = 200  # no run of marks with what closes behind it is longer


def with_end_marks(source: str, target: DetokenizedText) -> DetokenizedText:
    """The target with the source's run of marks at its end, where it has one of the same marks."""
    wanted, said = _END.search(source, _from(source)), _END.search(target.text, _from(target.text))
    if wanted is None or said is None or not _RUN.fullmatch(wanted["marks"]):
        return target
    if wanted["marks"] == said["marks"] or not _kinds(said["marks"]) <= _kinds(wanted["marks"]):
        return target
    return replaced(target, Span(*said.span("marks")), wanted["marks"])


def _from(text: str) -> int:
    return max(0, len(text) - _FAR)


def _kinds(marks: str) -> set[str]:
    return set(marks.replace("\u2026", "."))
