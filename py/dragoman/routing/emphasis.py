"""Emphasis in plain text, as people type it: "Das ist **sehr** wichtig.", "*lacht*", "_nicht_".

A model reads such marks as words, or as nothing ("**sehr**" was "**ss"). So it is shown the text
without them, and they come back around the same words:

    text with marks      -->  text without, an element for each pair
    response with marks  <--  response with these elements in their places

A mark is a run of "*", "**", "***", "_", "__" and "~~" that opens where something begins and closes
where something ends (after CommonMark 0.31, 6.2, but never inside a word: "Lehrer*innen", "5*3",
"snake_case" are as they were, and so are literals, "__init__"). What opens and closes the same
sentence is emphasis. At the very start or end of a sentence a mark is part of the gap: the whole of
it is emphasized, or several sentences are, or it is the star of a footnote.

Invariant: sentences are those of the text with its marks; source and translation have the same
pairs of marks, but for words that the model parted (twice) or left out (not at all).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from dragoman.markup.annotate import annotate
from dragoman.markup.bits import BIT, Work
from dragoman.routing.edited import Edit, Edited, edited_bit_by_bit
from dragoman.text.literals import literals
from dragoman.text.split import sentences_bit_by_bit, trimmed_sentences
from dragoman.types import (
    Content,
    Element,
    ElementKind,
    Span,
    TextFormat,
    TranslationRequest,
    TranslationResponse,
)

_BEFORE = r"\s(\[{\"'“”„‚‘’«»‹›¿¡:–—/-"
_AFTER = r"\s)\]}\"'“”’‘«»‹›.,;:!?…–—/-"
_RUN = r"(?<![*_~\\])(?!_{3}|\*{4})(?:\*{1,3}|_{1,2}|~~){1,3}(?![*_~])"
_OPENS = rf"(?<![^{_BEFORE}]){_RUN}(?=[^\s.,;:!?)\]}}/\\=<>|])"
_CLOSES = rf"(?<=[^\s(\[{{/\\=<>|]){_RUN}(?=[{_AFTER}]|\Z)"
_MARK = re.compile(f"{_OPENS}|{_CLOSES}")
_OPENING, _CLOSING = re.compile(_OPENS), re.compile(_CLOSES)
_DEEPEST = 8  # pairs around one another
# A longer sentence is none: a look at all of its marks would hold up others.
_LONGEST = 10_000


@dataclass(frozen=True, slots=True)
class _Mark:
    """A mark that a text is to have, or had.

    Attributes:
        at: where it belongs in the text without marks.
    """

    at: int
    text: str
    closes: bool


class _Marked(Edited):
    """Where everything of a text without its marks is in the text with them.

    Args:
        marks: in order.
    """

    def __init__(self, marks: Sequence[_Mark]) -> None:
        super().__init__([Edit(Span(mark.at, mark.at), mark.text) for mark in marks])
        self._marks = marks
        self._at = [mark.at for mark in marks]
        self._before = [0, *accumulate(len(mark.text) for mark in marks)]

    def whole(self, span: Span) -> Span:
        """Of a sentence: the marks that open and close in it, too."""
        return Span(self._edge(span.start), self._edge(span.end))

    def _edge(self, at: int) -> int:
        """Behind what closes there, before what opens."""
        index = bisect_left(self._at, at)
        while index < len(self._marks) and self._at[index] == at and self._marks[index].closes:
            index += 1
        return at + self._before[index]


@dataclass(frozen=True, slots=True)
class Emphasis:
    """The emphasis of a request.

    Attributes:
        asked: the request with its marks.
        request: the same without, with elements, and with its sentences.
        pairs: of each element, what opens and what closes it.
    """

    asked: TranslationRequest
    request: TranslationRequest
    pairs: tuple[tuple[str, str], ...]
    marks: tuple[_Mark, ...]

    def returned_bit_by_bit(self, response: TranslationResponse) -> Work[TranslationResponse]:
        """The response to `asked`, made of the one to `request`."""
        if not self.pairs:
            return replace(response, request=self.asked)
        target = _Marked(tuple(self._placed(response.content or ())))
        yield
        return (yield from edited_bit_by_bit(response, self.asked, _Marked(self.marks), target))

    def _placed(self, content: Content) -> Iterator[_Mark]:
        """The marks of a translation, in order; none around nothing."""
        for item in content:
            if isinstance(item, Span) or not item.content:
                continue
            start, end = _start(item.content), _end(item.content)
            if start is None or end is None:
                continue
            opens, closes = self.pairs[item.element]
            yield _Mark(start, opens, closes=False)
            yield from self._placed(item.content)
            yield _Mark(end, closes, closes=True)


def may_have_emphasis(request: TranslationRequest) -> bool:
    """Whether a request is to be looked through: a plain text with anything like a mark in it."""
    text = request.text
    is_plain = request.format is TextFormat.TEXT and not request.elements
    has_any = is_plain and request.prefix is None and any(mark in text for mark in "*_~")
    return has_any and _MARK.search(text) is not None


def emphasis_bit_by_bit(request: TranslationRequest, most: int) -> Work[Emphasis]:
    """The emphasis of a request that may have some.

    Args:
        most: pairs; marks of further ones stay in the text.

    Raises:
        InvalidRequestError: the sentences that it names do not fit the text.
    """
    text = annotate(request.text).text  # as it is split elsewhere
    found: Iterable[Span | None] = sentences_bit_by_bit(text, request.source)
    if request.sentences is not None:
        found = trimmed_sentences(text, request.sentences)
    reader = _Reader(request.text, most)
    for count, sentence in enumerate(found, 1):
        if sentence is not None:
            reader.read(sentence)
        if sentence is None or not count % BIT:
            yield
    return reader.emphasis(request)


class _Reader:
    """Reads a text sentence by sentence, and writes it without its marks."""

    def __init__(self, text: str, most: int) -> None:
        self._text, self._most = text, most
        self._parts: list[str] = []
        self._read = self._written = 0
        self._marks: list[_Mark] = []
        self._pairs: list[tuple[str, str]] = []
        self._elements: list[Element] = []
        self._sentences: list[Span] = []

    def read(self, sentence: Span) -> None:
        """The next sentence."""
        text = self._text
        pairs, alone = _paired(text, sentence, self._marks_of(sentence))
        at_edges = [mark for pair in pairs for mark in pair if _is_whole(pair, sentence)] + [
            mark for mark in alone if "_" not in mark.of(text)
        ]
        for mark in at_edges:
            if mark.start == sentence.start and mark.end < sentence.end:
                sentence = Span(mark.end, sentence.end)
            elif mark.end == sentence.end and mark.start > sentence.start:
                sentence = Span(sentence.start, mark.start)
        inside = sorted(pair for pair in pairs if pair[0].start >= sentence.start)
        inside = inside[: max(0, self._most - len(self._pairs))]
        self._write(sentence, inside)

    def _write(self, sentence: Span, pairs: Sequence[tuple[Span, Span]]) -> None:
        self._copy(sentence.start)
        begin = self._written
        closing = {closes for _, closes in pairs}
        places: dict[Span, int] = {}
        for mark in sorted(mark for pair in pairs for mark in pair):
            self._copy(mark.start)
            places[mark] = self._written
            self._marks.append(_Mark(self._written, mark.of(self._text), mark in closing))
            self._read = mark.end
        self._copy(sentence.end)
        self._sentences.append(Span(begin, self._written))
        for opens, closes in pairs:
            self._pairs.append((opens.of(self._text), closes.of(self._text)))
            enclosed = Span(places[opens], places[closes])
            self._elements.append(Element(enclosed, ElementKind.STYLE))

    def _copy(self, end: int) -> None:
        self._parts.append(self._text[self._read : end])
        self._written += end - self._read
        self._read = end

    def _marks_of(self, sentence: Span) -> list[Span]:
        """Of a sentence, in order; none in what is kept to the letter."""
        if len(sentence) > _LONGEST:
            return []
        found = [
            Span(*match.span())
            for match in _MARK.finditer(self._text, sentence.start, sentence.end)
        ]
        if not found:
            return []
        kept = [span.shifted(sentence.start) for span in literals(sentence.of(self._text))]
        ends = [span.end for span in kept]
        behind = (bisect_right(ends, mark.start) for mark in found)  # the first that ends later
        return [
            mark
            for mark, index in zip(found, behind, strict=True)
            if index == len(kept) or not mark.overlaps(kept[index])
        ]

    def emphasis(self, request: TranslationRequest) -> Emphasis:
        """Of the request whose text has been read."""
        self._copy(len(self._text))
        bare = replace(
            request,
            text="".join(self._parts),
            sentences=tuple(self._sentences),
            elements=tuple(self._elements),
        )
        return Emphasis(request, bare, tuple(self._pairs), tuple(self._marks))


def _paired(
    text: str, sentence: Span, marks: Sequence[Span]
) -> tuple[list[tuple[Span, Span]], list[Span]]:
    """The marks of a sentence that belong together, and those at its edges that are alone."""
    opened: list[Span] = []
    pairs: list[tuple[Span, Span]] = []
    alone: list[Span] = []
    for mark in marks:
        wanted = mark.of(text)[::-1]
        depth = next((d for d, one in enumerate(reversed(opened)) if one.of(text) == wanted), None)
        if depth is not None and _CLOSING.match(text, mark.start):
            alone += opened[len(opened) - depth :]
            opens = opened[len(opened) - depth - 1]
            del opened[len(opened) - depth - 1 :]
            if any(map(str.isalnum, text[opens.end : mark.start])):
                pairs.append((opens, mark))
        elif len(opened) < _DEEPEST and _OPENING.match(text, mark.start):
            opened.append(mark)
        else:
            alone.append(mark)
    alone += opened
    return pairs, [m for m in alone if m.start == sentence.start or m.end == sentence.end]


def _is_whole(pair: tuple[Span, Span], sentence: Span) -> bool:
    return pair[0].start == sentence.start and pair[1].end == sentence.end


def _start(content: Content) -> int | None:
    """Where the text of some content begins, if it has any."""
    starts = (
        item.start if isinstance(item, Span) else _start(item.content or ()) for item in content
    )
    return next((start for start in starts if start is not None), None)


def _end(content: Content) -> int | None:
    """Where it ends."""
    ends = (
        item.end if isinstance(item, Span) else _end(item.content or ())
        for item in reversed(content)
    )
    return next((end for end in ends if end is not None), None)
