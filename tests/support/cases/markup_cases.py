"""Random markup, and what must be true of every translation of it."""

from __future__ import annotations

import asyncio
import os
import random
import unicodedata
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from dragoman.html import HtmlPage
from dragoman.markup.annotate import annotate
from dragoman.pipeline.page import written
from dragoman.pipeline.pipeline import Pipeline
from dragoman.types import (
    AlignedSegment,
    AlignmentKind,
    Content,
    Element,
    ElementKind,
    Hypothesis,
    Notice,
    PlacedElement,
    Segment,
    Span,
    Timings,
    TranslationRequest,
    TranslationResponse,
)
from tests.support.helpers import FIRST_ID, assert_covers

# Generated cases of each kind; `make test-markup` takes 100,000.
CASES = int(os.environ.get("DRAGOMAN_CASES", "500"))

Model = Callable[[Segment], Hypothesis]


@dataclass(frozen=True)
class MarkedText:
    """A text and its elements; `written` shows both: "a <0>b</0> [1:c]"."""

    text: str
    elements: tuple[Element, ...]
    written: str

    def __repr__(self) -> str:
        return f"MarkedText({self.written!r})"


# --- making ------------------------------------------------------------------------------------

_WORDS = [
    "Der", "Hund", "läuft", "CO2", "z.B.", "3,5", "X1", "X1-Teil", "H", "2", "O", "U\u0308ber",
    "👩\u200d👧", "😀", "你好", "Donaudampfschiff", "ja", "und", "(", ")", ",", "-", "Ende.",
    "Was?", "\ud800", "\x00", "e\u0301", "\u00ad", "\u200b",
]  # fmt: skip
_SPACES = ["", " ", " ", " ", "  ", "\n", "\t", "\xa0", ". ", "! "]
_TEXT = st.lists(
    st.tuples(st.sampled_from(_WORDS), st.sampled_from(_SPACES)).map("".join), max_size=5
).map("".join)
_HIDDEN = st.one_of(
    _TEXT, st.sampled_from(["", " ", "ls -l", "a.b();\n\nc = 1. Dann", "X1", "x" * 60])
)
# (kind, what is in it): text, or a list of the same.
_LEAF = st.one_of(
    st.tuples(st.just("text"), _TEXT),
    st.tuples(st.just("text"), _TEXT),
    st.tuples(st.just("opaque"), _HIDDEN),
    st.tuples(st.just("void"), st.just("")),
)


def _level(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.tuples(st.sampled_from(["inline", "inline", "style"]), st.lists(inner, max_size=4))


_FOREST: st.SearchStrategy[Any] = st.lists(st.recursive(_LEAF, _level, max_leaves=8), max_size=6)


def marked(forest: list[tuple[str, Any]]) -> MarkedText:
    """A text with elements from nested lists."""
    texts: list[str] = []
    elements: list[Element] = []
    written: list[str] = []

    def length() -> int:
        return sum(map(len, texts))

    def add(items: list[tuple[str, Any]], parent: int | None) -> None:
        for kind, inside in items:
            if kind == "text":
                texts.append(str(inside))
                written.append(str(inside))
                continue
            index, start = len(elements), length()
            elements.append(Element(Span(start, start), ElementKind(kind), parent))
            if isinstance(inside, str):
                texts.append(inside)
                written.append(f"[{index}:{inside}]")
            else:
                written.append(f"<{index}>")
                add(inside, index)
                written.append(f"</{index}>")
            elements[index] = Element(Span(start, length()), ElementKind(kind), parent)

    add(forest, None)
    return MarkedText("".join(texts), tuple(elements), "".join(written))


MARKED_TEXTS = _FOREST.map(marked)


# --- models that may do anything ---------------------------------------------------------------


@dataclass
class Chaos:
    """A model that may do anything: permute, drop, repeat, invent; its attention means nothing."""

    seed: int

    def __call__(self, segment: Segment) -> Hypothesis:
        chance = random.Random(self.seed + segment.index)
        ids = [piece.id for piece in segment.pieces]
        for change in chance.sample([self._shuffle, self._drop, self._repeat, self._invent], 2):
            ids = change(ids, chance)
        ids = ids[: segment.limit]
        rows = [self._row(step, segment.width, chance) for step in range(len(ids))]
        attention = array("f", [weight for row in rows for weight in row])
        return Hypothesis(segment, tuple(ids), (-0.5,) * (len(ids) + 1), attention, finished=True)

    def _shuffle(self, ids: list[int], chance: random.Random) -> list[int]:
        return chance.sample(ids, len(ids))

    def _drop(self, ids: list[int], chance: random.Random) -> list[int]:
        keep = chance.choice([0.0, 0.3, 0.9])
        return [id_ for id_ in ids if chance.random() < keep]

    def _repeat(self, ids: list[int], chance: random.Random) -> list[int]:
        return [id_ for id_ in ids for _ in range(chance.choice([1, 1, 2, 3]))]

    def _invent(self, ids: list[int], chance: random.Random) -> list[int]:
        """The first word of the vocabulary, where it does not belong."""
        return [chance.choice([id_, id_, FIRST_ID]) for id_ in [*ids, FIRST_ID]]

    def _row(self, step: int, width: int, chance: random.Random) -> list[float]:
        if chance.random() < 0.2:
            return [1 / width] * width
        looked = chance.choice([min(step, width - 1), chance.randrange(width)])
        return [float(column == looked) for column in range(width)]


def respond(made: Pipeline, request: TranslationRequest, model: Model) -> TranslationResponse:
    page = asyncio.run(made.pages.of(request))
    draft = made.draft(1, request, page)
    parts: list[Segment | AlignedSegment | Span] = []
    notices: list[Notice] = []
    for piece in made.slices(draft):
        parts += piece.parts
        notices += piece.notices
    done = [
        made.finish(draft, [model(part)])[0] if isinstance(part, Segment) else part
        for part in parts
    ]
    response = made.respond(draft, done, notices, Timings())
    return response if page is None else asyncio.run(written(page, response))


def asked(marked: MarkedText, alignment: AlignmentKind = AlignmentKind.HARD) -> TranslationRequest:
    return TranslationRequest(marked.text, "de", "en", alignment, elements=marked.elements)


def echo(segment: Segment) -> Hypothesis:
    """A model that copies, and looks where it copies from."""
    ids = tuple(piece.id for piece in segment.pieces)
    rows = [[float(column == step) for column in range(segment.width)] for step in range(len(ids))]
    attention = array("f", [weight for row in rows for weight in row])
    return Hypothesis(segment, ids, (0.0,) * (len(ids) + 1), attention, finished=True)


# --- what must be true -------------------------------------------------------------------------


def assert_markup(response: TranslationResponse) -> None:
    """The invariants of placement (docs/protocol.md, Markup)."""
    elements = response.request.elements
    if not elements:
        assert response.content is None
        return
    assert response.content is not None
    assert_whole(response)
    assert_each_once(response)
    assert_parents_kept(response)
    assert_nothing_emptied(response)
    assert_gaps_kept(response)
    assert_covers(response)


def assert_whole(response: TranslationResponse) -> None:
    """In order, ranges and the source text of opaque elements are the text."""
    at = 0
    for item, _ in flat(response.content or ()):
        if isinstance(item, Span):
            assert item.start == at
            assert len(item)
            at = item.end
        elif item.content is None:
            inside = response.request.elements[item.element].span.of(response.request.text)
            assert response.text[at : at + len(inside)] == inside
            at += len(inside)
    assert at == len(response.text)


def assert_each_once(response: TranslationResponse) -> None:
    """Each element comes out exactly once."""
    elements = response.request.elements
    placed = [item for item, _ in flat(response.content or ()) if isinstance(item, PlacedElement)]
    assert Counter(item.element for item in placed) == Counter(range(len(elements)))
    for item in placed:
        atom = elements[item.element].kind in (ElementKind.OPAQUE, ElementKind.VOID)
        assert (item.content is None) == atom


def assert_parents_kept(response: TranslationResponse) -> None:
    """Each element is in the one that it was in: no text, and no element, leaves its link."""
    actual = {
        item.element: parent
        for item, parent in flat(response.content or ())
        if isinstance(item, PlacedElement)
    }
    assert actual == dict(enumerate(parents(response.request.elements)))


def assert_nothing_emptied(response: TranslationResponse) -> None:
    """What said anything does, what had marks has marks; opaque text will do for both."""
    elements, text = response.request.elements, response.request.text
    filled: set[int] = set()
    saying: set[int] = set()
    around = parents(elements)
    for item, parent in flat(response.content or ()):
        if isinstance(item, Span):
            own = item.of(response.text)
            full, said = bool(own.strip()), any(map(_is_read, own))
        else:
            full = item.content is None and bool(elements[item.element].span.of(text).strip())
            said = full
        while full and parent is not None:
            filled.add(parent)
            if said:
                saying.add(parent)
            parent = around[parent]
    for index, element in enumerate(elements):
        own = element.span.of(annotate(text).text)
        if own.strip() and element.kind not in (ElementKind.OPAQUE, ElementKind.VOID):
            assert index in filled, f"element {index} was emptied"
            said = any(map(_is_read, own))
            assert not said or index in saying, f"element {index} has punctuation only"


def _is_read(char: str) -> bool:
    """Whether it is no punctuation; some of that is read as a word ("50%")."""
    symbol = unicodedata.category(char) in ("Sc", "So") and char != "\ufffd"
    return char.isalnum() or char in "#%&+@§‰" or symbol


def assert_gaps_kept(response: TranslationResponse) -> None:
    """White space between and around sentences is in the elements that it was in."""
    source = _owners(response.request.text, _source_places(response))
    target = _owners(response.text, _target_places(response))
    read = written = 0
    ends = [(s.source, s.target) for s in response.sentences]
    ends.append((Span(len(source), len(source)), Span(len(target), len(target))))
    for before, after in ends:
        assert source[read : before.start] == target[written : after.start]
        read, written = before.end, after.end


def _owners(text: str, places: list[tuple[Span, int]]) -> list[int]:
    """The innermost element around each character, -1 for none; places from outer to inner."""
    owners = [-1] * len(text)
    for span, element in places:
        owners[span.start : span.end] = [element] * len(span)
    return owners


def _source_places(response: TranslationResponse) -> list[tuple[Span, int]]:
    return [(element.span, index) for index, element in enumerate(response.request.elements)]


def _target_places(response: TranslationResponse) -> list[tuple[Span, int]]:
    places: list[tuple[Span, int]] = []
    at = 0
    for item, parent in flat(response.content or ()):
        if isinstance(item, Span):
            at = item.end
            places.append((item, -1 if parent is None else parent))
        elif item.content is None:
            length = len(response.request.elements[item.element].span)
            places.append((Span(at, at + length), item.element))
            at += length
    return places


def flat(
    content: Content, parent: int | None = None
) -> Iterator[tuple[Span | PlacedElement, int | None]]:
    """Each item with the index of the element around it, in document order."""
    for item in content:
        yield item, parent
        if isinstance(item, PlacedElement) and item.content is not None:
            yield from flat(item.content, item.element)


def parents(elements: tuple[Element, ...]) -> list[int | None]:
    """Index of the element around each one."""
    result: list[int | None] = []
    for index, element in enumerate(elements):
        if element.parent is not None:
            result.append(element.parent)
            continue
        around = [
            other
            for other in range(index)
            if elements[other].kind in (ElementKind.INLINE, ElementKind.STYLE)
            and elements[other].span.start <= element.span.start
            and element.span.start < elements[other].span.end
        ]
        result.append(around[-1] if around else None)
    return result


# --- pages -------------------------------------------------------------------------------------


def shouted(
    source: str,
    change: Callable[[str], str] = str.upper,
    target: str = "en",
    language: str = "de",
) -> str:
    """A page with each of its texts changed, and no element moved."""
    page = HtmlPage(source, language)
    text = "".join(changed if len(changed := change(c)) == 1 else c for c in page.text)
    return page.write(text, own_content(page.elements), target)


def own_content(elements: Sequence[Element]) -> tuple[PlacedElement | Span, ...]:
    """What a translation that moves none of a page's elements gives back."""
    inside: dict[int | None, list[int]] = {}
    for index, element in enumerate(elements):
        inside.setdefault(element.parent, []).append(index)

    def placed(index: int) -> PlacedElement:
        element = elements[index]
        items: list[PlacedElement | Span] = []
        if element.kind in (ElementKind.OPAQUE, ElementKind.VOID):
            return PlacedElement(index)
        at = element.span.start
        for child in inside.get(index, ()):
            span = elements[child].span
            items += [Span(at, span.start)] * (at < span.start)
            items.append(placed(child))
            at = max(at, span.end)
        items += [Span(at, element.span.end)] * (at < element.span.end)
        return PlacedElement(index, tuple(items))

    return tuple(placed(index) for index in inside.get(None, inside.get(-1, ())))
