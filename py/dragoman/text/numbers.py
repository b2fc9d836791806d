"""Stage 7, numbers: a translation has the numbers of its source.

Small models misread figures that they have seldom seen ("42" becomes "89"), and a wrong figure does
more harm than a clumsy word. A number of the source is matched with one of the target that has the
same digits ("1.250" and "1,250", "24.12." and "12/24"), or is the same time of day ("14:30" and
"2:30"). If as many are left over on both sides, those of the target are replaced, in order; if not,
a number was written as a word, or left out, and nothing is done.
"""

from __future__ import annotations

import re

from dragoman.types import DetokenizedText, Span

# Not inside of a word: "X1" is a name. After it letters may come: "1990er", "2nd".
_NUMBER = re.compile(r"(?<![\w.,:/])\d+(?:[.,:/-]\d+)*")
_TIME = re.compile(r"(\d{1,2})[.:](\d\d)")
# Up to twelve, a number is as often a word.
_SMALL = 12


def with_numbers(source: str, target: DetokenizedText) -> DetokenizedText:
    """The target with the numbers of the source; its pieces keep their places."""
    if not _NUMBER.search(target.text):
        return target
    wanted = [match.group() for match in _NUMBER.finditer(source)]
    found = [Span(*match.span()) for match in _NUMBER.finditer(target.text)]
    left: list[Span] = []
    for span in found:
        twin = next((number for number in wanted if _same(number, span.of(target.text))), None)
        if twin is None:
            left.append(span)
        else:
            wanted.remove(twin)
    if len(wanted) != len(left):
        wanted = [number for number in wanted if not (number.isdigit() and int(number) <= _SMALL)]
    if len(wanted) != len(left):
        return target
    for span, number in reversed(list(zip(left, wanted, strict=True))):
        target = _replaced(target, span, number)
    return target


def _same(one: str, other: str) -> bool:
    if sorted(filter(str.isdigit, one)) == sorted(filter(str.isdigit, other)):
        return True
    times = _TIME.fullmatch(one), _TIME.fullmatch(other)
    if times[0] is None or times[1] is None:
        return False
    (hour, minute), (hour_too, minute_too) = times[0].groups(), times[1].groups()
    return minute == minute_too and int(hour) % 12 == int(hour_too) % 12


def _replaced(target: DetokenizedText, span: Span, number: str) -> DetokenizedText:
    """The piece that the number begins with stands for all of it, those after it for nothing."""
    end, moved = span.start + len(number), len(number) - len(span)

    def place(at: int) -> int:
        if at <= span.start:
            return at
        return at + moved if at >= span.end else end

    return DetokenizedText(
        target.text[: span.start] + number + target.text[span.end :],
        tuple(Span(place(piece.start), place(piece.end)) for piece in target.spans),
    )
