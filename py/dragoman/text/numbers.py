"""Stage 7, figures: a translation has the numbers, months and weekdays of its source.

Small models misread figures that they have seldom seen ("42" becomes "89"), and a wrong figure does
more harm than a clumsy word. A number of the source is matched with one of the target that has the
same figures ("1.250" and "1,250", "24.12." and "12/24"), or is the same time of day ("14:30" and
"2:30"); a month or a weekday with its name in the other language (`calendar`). What is left over is
written over what is left over on the other side, kind by kind; which over which says the attention,
and without it the order. Figures that are all there may have any order. What is then still missing
is put in where it stood in proportion, if the translation cannot have it as a word: a small number,
or a round one, may be one. A number that is said once too often goes. Ordinals end as their
language has them: no "3th", and no "3rd" in German but in a name ("5th Avenue").

    "Am Montag kamen 42 Kinder."    "On Sunday 89 children came."    "On Monday 42 children came."
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from dragoman.text.calendar import (
    MONTHS,
    WEEKDAYS,
    WHOLE_MONTHS,
    may_have_names,
    month_name,
    says_number,
    weekday,
    weekday_name,
)
from dragoman.text.counterparts import SpanAttention, counterparts
from dragoman.text.quantities import is_named, number
from dragoman.types import STAND_IN, DetokenizedText, Span

# Not inside of a word: "X1" is a name. After it letters may come: "1990er", "2nd".
_NUMBER = re.compile(r"(?<![\w.,:/])\d+(?:[.,:/-]\d+)*")
_TIME = re.compile(r"(\d{1,2})[.:](\d\d)")
# "GPT-3.5" has it in any language.
_OF_A_NAME = re.compile(r"(?<=[^\W\d_]-)\d+\.\d{1,2}")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")
# With a word behind it that may make a name of it; "1st-Level-Support" is German too.
_ORDINAL_NUMBER = re.compile(
    r"(?<![\w.,:/-])(?P<number>\d+)(?P<ending>st|nd|rd|th)(?![\w-])(?P<name> [A-Z]\w*)?"
)
_GROUP = 3  # figures between two marks of a large number
# Up to twelve, a number is as often a word.
_SMALL = 12
_ROUND = re.compile(r"[1-9]0*|\d0")
# "May" and "March" are other words too, and so is "so." of a Sunday.
_WORD = re.compile(r"[^\W\d_]+")
_CERTAIN_BEFORE = re.compile(
    r"\b(?:in|of|since|until|till|by|for|from|to|early|late|mid|last|next|and|this|through|between|"
    r"during|every|each|or|on|before|after|\d+(?:st|nd|rd|th)?)[ -]$|[,–-]\s?$",
    re.IGNORECASE,
)
_ALSO_WORDS = ("May", "March")
# No name with it, though with a capital: what stands for a literal, and a part of a month.
_NAME_BEFORE = re.compile(rf"\b(?!(?:{STAND_IN}|Anfang|Mitte|Ende)\b)[A-ZÄÖÜ]\w* $")


@dataclass(frozen=True, slots=True)
class _Figure:
    """A number, or the name of a month or a weekday.

    Attributes:
        kind: what it may be written over: "number", "month", "weekday".
        value: the same in both languages.
        text: as the target language writes it.
        needed: whether it must be there, as no language has another word for it.
    """

    kind: str
    value: str
    span: Span
    text: str
    needed: bool


def with_numbers(
    source: str,
    target: DetokenizedText,
    languages: tuple[str, str] = ("", ""),
    attention: SpanAttention | None = None,
) -> DetokenizedText:
    """The target with the figures of the source; its pieces keep their places.

    Args:
        languages: of source and target, BCP 47; months and weekdays are known of some.
        attention: between `source` and the target, to tell several misread figures apart.
    """
    wanted = _figures(source, *languages)
    written = _figures(target.text, languages[1], languages[1])
    written += _left_over(source, target.text, languages) if wanted else []
    if not wanted and not written:
        return target
    changes: list[tuple[Span, str]] = []
    missing: list[_Figure] = []
    text, pieces = target.text, target.spans
    doubled = _doubled(_of("number", wanted), _of("number", written), source, languages[0])
    written = [figure for figure in written if figure not in doubled]
    for kind in ("number", "month", "weekday"):
        changed, rest = _matched(
            _of(kind, wanted),
            _of(kind, written),
            lambda figure: _is_said(figure, text, languages[1]),
            lambda old, new: _counterparts(old, new, pieces, attention),
        )
        changes += changed
        missing += rest
    changes += [(span, "") for figure in doubled if (span := _alone(text, figure.span))]
    for span, text in sorted(changes, key=lambda change: change[0].start, reverse=True):
        target = _replaced(target, span, text)
    for figure in missing if target.text else ():
        target = _put_in(target, figure, len(source))
    return _with_endings(source, target, languages[1].partition("-")[0])


def _with_endings(source: str, target: DetokenizedText, language: str) -> DetokenizedText:
    """Ordinals as the language of the translation ends them; one of a name is as in the source."""
    if language not in ("de", "en"):
        return target
    for match in reversed(list(_ORDINAL_NUMBER.finditer(target.text))):
        ending = Span(*match.span("ending"))
        if match["name"] and match.group() in source:
            continue
        if language == "en":
            target = _with_suffix(target, ending, match["number"])
        else:
            stop = "" if target.text.startswith(".", ending.end) else "."
            target = _replaced(target, ending, stop)
    return target


def has_several_numbers(text: str) -> bool:
    """Whether it takes more than order to tell the numbers of a text apart."""
    return sum(1 for _ in islice(_NUMBER.finditer(text), 2)) == 2


def _of(kind: str, figures: list[_Figure]) -> list[_Figure]:
    return [figure for figure in figures if figure.kind == kind]


def _matched(
    wanted: list[_Figure],
    figures: list[_Figure],
    said: Callable[[_Figure], bool],
    counterparts_of: Callable[[list[_Figure], list[_Figure]], dict[int, int]],
) -> tuple[list[tuple[Span, str]], list[_Figure]]:
    """What is to be written over what, and what is missing.

    Args:
        said: whether the target may have a figure as a word.
        counterparts_of: index of the wanted figure for that of each that is to be replaced.
    """
    twins, left, wanted = _twins(wanted, figures)
    changes = [
        (figure.span, twin.text)  # copied with the marks of the source
        for figure, twin in twins
        if twin.text != twin.value and figure.text == twin.value
    ]
    if len(wanted) > len(left):
        wanted = [figure for figure in wanted if figure.needed or not said(figure)]
    elif len(wanted) < len(left):
        left = [figure for figure in left if figure.needed]
    chosen = counterparts_of(left, wanted)
    changes += [(left[old].span, wanted[new].text) for old, new in chosen.items()]
    kept = set(chosen.values())
    return changes, [figure for index, figure in enumerate(wanted) if index not in kept]


def _twins(
    wanted: list[_Figure], figures: list[_Figure]
) -> tuple[list[tuple[_Figure, _Figure]], list[_Figure], list[_Figure]]:
    """Figures of the target with the same of the source, and what is left over of each side.

    What is written alike goes first: "5/12" and "12/5" are the same only if nothing else is.
    """
    twins: list[tuple[_Figure, _Figure]] = []
    left, wanted = list(figures), list(wanted)
    for is_same in _alike, _same:
        unmatched: list[_Figure] = []
        for figure in left:
            twin = next((other for other in wanted if is_same(other, figure)), None)
            if twin is None:
                unmatched.append(figure)
            else:
                wanted.remove(twin)
                twins.append((figure, twin))
        left = unmatched
    return twins, left, wanted


def _counterparts(
    left: list[_Figure],
    wanted: list[_Figure],
    pieces: tuple[Span, ...],
    attention: SpanAttention | None,
) -> dict[int, int]:
    if attention is None or not left or not wanted:
        return {index: index for index in range(min(len(left), len(wanted)))}
    spans = [figure.span for figure in left], [figure.span for figure in wanted]
    return counterparts(attention.weights(pieces, *spans))


def _doubled(
    wanted: list[_Figure], figures: list[_Figure], source: str, language: str
) -> list[_Figure]:
    """Numbers of the target that it has twice, and the source but once and not as a word.

    Where others are left over, it may be a misread one: that is written over.
    """
    if _twins(wanted, figures)[2]:
        return []
    doubled: list[_Figure] = []
    said = [figure.value for figure in wanted]
    for figure in figures:
        value = figure.value
        if value in said:
            said.remove(value)
        elif any(_alike(figure, other) for other in wanted) and not _is_said(
            figure, source, language
        ):
            doubled.append(figure)
    return doubled


def _alone(text: str, span: Span) -> Span | None:
    """A number with the space before it and the ending of an ordinal; None within something."""
    ending = _ORDINAL.match(text, span.end)
    end = ending.end() if ending else span.end
    if not text[: span.start].endswith(" ") or text[end : end + 1] not in tuple(" .,;:!?"):
        return None
    return Span(span.start - 1, end)


def _alike(one: _Figure, other: _Figure) -> bool:
    return one.value == other.value


def _same(one: _Figure, other: _Figure) -> bool:
    if one.kind != "number":
        return one.value == other.value
    parts = [re.split(r"\D+", figure.value) for figure in (one, other)]
    if _has_same_figures(*parts) or _unordered(parts[0]) == _unordered(parts[1]):
        return True
    times = _TIME.fullmatch(one.value), _TIME.fullmatch(other.value)
    if times[0] is None or times[1] is None:
        return False
    (hour, minute), (hour_too, minute_too) = times[0].groups(), times[1].groups()
    return minute == minute_too and int(hour) % 12 == int(hour_too) % 12


def _has_same_figures(one: list[str], other: list[str]) -> bool:
    """Whether they differ in their marks alone; without any, "1250" is "1,250" and not "12.50"."""
    if "".join(one) != "".join(other):
        return False
    fewer, more = sorted((one, other), key=len)
    if len(fewer) > 1 or len(more) == 1:
        return True
    return len(more[0]) <= _GROUP and all(len(part) == _GROUP for part in more[1:])


def _unordered(parts: list[str]) -> list[str]:
    """Day and month may come in either order, and with a zero before them or not."""
    return sorted(part.lstrip("0") for part in parts)


def _figures(text: str, language: str, target: str) -> list[_Figure]:
    """All figures of a text in `language`, as `target` writes them."""
    figures = [
        _Figure(
            "number", match.group(), Span(*match.span()),
            _written(match, language, target), _is_needed(match, text),
        )
        for match in _NUMBER.finditer(text)
    ]  # fmt: skip
    language, target = language.partition("-")[0], target.partition("-")[0]
    if language in MONTHS and target in MONTHS and may_have_names(text, language):
        figures += _names(text, language, target)
    return figures


def _written(match: re.Match[str], language: str, target: str) -> str:
    """A number as `target` writes it."""
    text = match.group()
    is_english = language.partition("-")[0] == "en"
    of_a_name = _OF_A_NAME.fullmatch(match.string, *match.span())
    if of_a_name or (is_english and "," not in text and is_named(match)):
        return text
    return number(text, language, target)


def _left_over(source: str, text: str, languages: tuple[str, str]) -> list[_Figure]:
    """Names that a translation has in the source's language: a missing one goes over them.

    Not over one that is part of a name as the source has it: "Black Friday" says its Friday.
    """
    own, other = (language.partition("-")[0] for language in languages)
    if own == other or own not in MONTHS or other not in MONTHS or not may_have_names(text, own):
        return []
    names: list[_Figure] = []
    for match in _WORD.finditer(text):
        word = match.group()
        for kind, lexicon in (("weekday", WEEKDAYS), ("month", WHOLE_MONTHS)):
            index = lexicon[own].get(word)
            if index is None or word in lexicon[other] or word in _ALSO_WORDS:
                continue
            before = _NAME_BEFORE.search(text, 0, match.start())
            copied = (
                before is not None
                and _CERTAIN_BEFORE.search(before.group()) is None
                and text[before.start() : match.end()] in source
            )
            value = str(index) if copied else ""
            names.append(_Figure(kind, value, Span(*match.span()), word, False))
    return names


def _names(text: str, language: str, target: str) -> list[_Figure]:
    names: list[_Figure] = []
    for match in _WORD.finditer(text):
        word, span = match.group(), Span(*match.span())
        month = WHOLE_MONTHS[language].get(word)
        if month is not None and _is_month(text, span):
            name = month_name(month, target)
            names.append(_Figure("month", str(month), span, name, True))
        names += _weekdays(word, span, language, target)
    return names


def _is_month(text: str, span: Span) -> bool:
    if span.of(text) not in _ALSO_WORDS:
        return True
    return (
        _CERTAIN_BEFORE.search(text[max(0, span.start - 12) : span.start]) is not None
        or re.match(r",? \d", text[span.end :]) is not None
    )


def _weekdays(word: str, span: Span, language: str, target: str) -> list[_Figure]:
    """The weekday of a word, if it has one: "Monday", "Mondays", "Montagabend", "montags".

    Of a translation, a German word that only begins like one may be a misread one ("Montage",
    "Mittwochtag"): it is the like of none, and nothing is missing without it.
    """
    named = weekday(word, language)
    if named is None:
        return []
    day, is_certain = named
    if not is_certain:
        return [_Figure("weekday", "", span, word, False)] if language == target else []
    name = weekday_name(day, target)
    if (language, target) == ("en", "de") and word.endswith("s"):
        name += "en"
    return [_Figure("weekday", str(day), span, name, True)]


def _is_said(figure: _Figure, text: str, language: str) -> bool:
    value = figure.value
    whole = value.isdigit() and int(value)
    return bool(whole) and says_number(text, whole, language.partition("-")[0])


def _is_needed(match: re.Match[str], text: str) -> bool:
    """Whether no language writes a number as a word."""
    figures = match.group()
    if not figures.isdigit():
        return True
    if text[match.end() : match.end() + 1].isalpha():
        return len(figures) > 2
    return int(figures) > _SMALL and not _ROUND.fullmatch(figures)


def _put_in(target: DetokenizedText, figure: _Figure, length: int) -> DetokenizedText:
    """A figure that is missing, between two words, where it stood in proportion."""
    text = target.text
    end = len(text.rstrip(" .,;:!?…)]»“\"'”"))
    wanted = end * (figure.span.start + figure.span.end) // max(1, 2 * length)
    spaces = [match.start() for match in re.finditer(" ", text[:end])] or [end]
    at = end if figure.span.end >= length - 1 else min(spaces, key=lambda at: abs(at - wanted))
    return _replaced(target, Span(at, at), f" {figure.text}" if at else figure.text)


def _replaced(target: DetokenizedText, span: Span, number: str) -> DetokenizedText:
    """The piece that the number begins with stands for all of it, those after it for nothing."""
    end, moved = span.start + len(number), len(number) - len(span)
    suffix = _ORDINAL.match(target.text, span.end)
    if suffix and number.isdigit():
        target = _with_suffix(target, Span(*suffix.span()), number)

    def place(at: int) -> int:
        if at <= span.start and not (at == span.end == span.start and at):
            return at
        return at + moved if at >= span.end else end

    return DetokenizedText(
        target.text[: span.start] + number + target.text[span.end :],
        tuple(Span(place(piece.start), place(piece.end)) for piece in target.spans),
    )


def _with_suffix(target: DetokenizedText, span: Span, number: str) -> DetokenizedText:
    """The ending that goes with a number: "42nd", not "42th"; all are two letters."""
    last = {"1": "st", "2": "nd", "3": "rd"}.get(number[-1], "th")
    ending = "th" if number[-2:-1] == "1" else last
    return DetokenizedText(
        target.text[: span.start] + ending + target.text[span.end :], target.spans
    )
