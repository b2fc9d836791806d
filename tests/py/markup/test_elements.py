"""Elements of a request as tags; each is written as the tag or the text that it is."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given

from dragoman.config import Limits
from dragoman.errors import InvalidElementsError
from dragoman.markup.elements import tags_of
from dragoman.types import Element, ElementKind, Span, TagKind
from tests.support.cases.markup_cases import MARKED_TEXTS, MarkedText

INLINE, OPAQUE, VOID = ElementKind.INLINE, ElementKind.OPAQUE, ElementKind.VOID


def element(start: int, end: int, kind: ElementKind = INLINE, parent: int | None = None) -> Element:
    return Element(Span(start, end), kind, parent)


def written(text: str, elements: Sequence[Element]) -> str:
    """<0>a</0> for an element, [1:a] for an opaque or void one."""
    form = {
        TagKind.OPEN: "<{0}>",
        TagKind.CLOSE: "</{0}>",
        TagKind.ATOM: "[{0}:{1}]",
        TagKind.TEXT: "{1}",
    }
    return "".join(
        form[tag.kind].format(tag.element, tag.span.of(text))
        for tag in tags_of(text, elements, Limits())
    )


@pytest.mark.parametrize(
    ("text", "elements", "expected"),
    [
        ("", [], ""),
        ("hi", [], ""),
        ("hi", [element(0, 2)], "<0>hi</0>"),
        ("hi", [element(0, 1), element(1, 2)], "<0>h</0><1>i</1>"),
        ("hi", [element(0, 2), element(0, 2)], "<0><1>hi</1></0>"),
        ("hi", [element(0, 2), element(1, 1, VOID), element(1, 2)], "<0>h[1:]<2>i</2></0>"),
        ("hi", [element(0, 2), element(2, 2, VOID)], "<0>hi</0>[1:]"),
        ("hi", [element(0, 2), element(2, 2, VOID, 0)], "<0>hi[1:]</0>"),
        ("hi", [element(0, 2), element(0, 2, INLINE, 0), element(2, 2, VOID, 0)],
         "<0><1>hi</1>[2:]</0>"),
        ("hi", [element(0, 0), element(0, 0, VOID, 0), element(0, 0, VOID)], "<0>[1:]</0>[2:]hi"),
        ("", [element(0, 0)], "<0></0>"),
        ("a b", [element(0, 1, OPAQUE), element(1, 1, VOID), element(2, 3)], "[0:a][1:] <2>b</2>"),
    ],
)  # fmt: skip
def test_tokens(text: str, elements: list[Element], expected: str) -> None:
    assert written(text, elements) == expected


@pytest.mark.parametrize(
    ("elements", "number", "reason"),
    [
        ([element(0, 9)], 0, "range"),
        ([element(-1, 2)], 0, "range"),
        ([element(2, 1)], 0, "range"),
        ([element(0, 1), element(0, 2)], 1, "nesting"),  # overlap, or the outer one second
        ([element(0, 2), element(1, 3)], 1, "nesting"),
        ([element(1, 2), element(0, 1)], 1, "order"),
        ([element(0, 3, OPAQUE), element(1, 2)], 1, "nesting"),
        ([element(0, 3), element(1, 2, INLINE, 7)], 1, "nesting"),
        ([element(0, 1), element(2, 3, INLINE, 0)], 1, "nesting"),
        ([element(0, 3), element(0, 2), element(1, 2, INLINE, 0)], 2, "nesting"),
        ([element(0, 1, VOID)], 0, "void"),
    ],
)
def test_invalid_elements(elements: list[Element], number: int, reason: str) -> None:
    with pytest.raises(InvalidElementsError) as caught:
        tags_of("abc", elements, Limits())
    assert (caught.value.element, caught.value.reason) == (number, reason)
    assert caught.value.details["element"] == number


def test_too_many_and_too_deep() -> None:
    limits = Limits(elements=3, element_depth=2)
    nested = [element(0, 1)] * 3
    with pytest.raises(InvalidElementsError) as caught:
        tags_of("a", nested, limits)
    assert caught.value.details == {"element": 2, "reason": "depth", "requested": 3, "allowed": 2}
    with pytest.raises(InvalidElementsError) as caught:
        tags_of("a", [element(0, 0, VOID)] * 4, limits)
    assert caught.value.details == {"element": 3, "reason": "count", "requested": 4, "allowed": 3}
    assert len(tags_of("a", [element(0, 0, VOID)] * 3, limits)) == 4


@given(MARKED_TEXTS)
def test_tokens_cover_the_text_and_are_balanced(marked: MarkedText) -> None:
    tags = tags_of(marked.text, marked.elements, Limits())
    at, seen = 0, []
    opened: list[Any] = []
    for tag in tags:
        assert tag.span.start == at
        at = tag.span.end
        if tag.kind is TagKind.TEXT:
            assert len(tag.span)
        elif tag.kind is TagKind.CLOSE:
            assert opened.pop() == tag.element
        else:
            seen.append(tag.element)
            if tag.kind is TagKind.OPEN:
                opened.append(tag.element)
    assert not opened
    assert seen == list(range(len(marked.elements)))
    assert at == (len(marked.text) if marked.elements else 0)
