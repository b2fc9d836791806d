from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.html.crossing import (
    Message,
    content_numbers,
    content_of,
    element_numbers,
    elements_of,
    receive,
    send,
    text_bytes,
    text_of,
)
from dragoman.types import Content, Element, ElementKind, PlacedElement, Span


def crossed(content: Content | None) -> Content | None:
    return content_of(b"".join(part.tobytes() for part in content_numbers(content)))


def test_messages_one_after_another() -> None:
    stream = io.BytesIO()
    send(Message({"do": "read"}, [b"a\nb", b""]), stream)
    send(Message({}), stream)
    stream.seek(0)
    assert receive(stream) == Message({"do": "read"}, [b"a\nb", b""])
    assert receive(stream) == Message({}, [])
    assert receive(stream) is None


@pytest.mark.parametrize("length", [0, 5, -1])
def test_a_stream_that_ends_within_a_message(length: int) -> None:
    stream = io.BytesIO()
    send(Message({"do": "read"}, [b"abc"]), stream)
    assert receive(io.BytesIO(stream.getvalue()[:length])) is None


@given(st.text())
def test_texts(text: str) -> None:
    assert text_of(text_bytes(text)) == text


def test_a_lone_surrogate_crosses() -> None:
    assert text_of(text_bytes("a\ud800")) == "a\ud800"


def test_elements() -> None:
    elements = [
        Element(Span(0, 5)),
        *(Element(Span(1, 2), kind, 0) for kind in ElementKind),
        Element(Span(5, 5), ElementKind.VOID),
    ]
    assert list(elements_of(element_numbers(elements))) == elements
    assert list(elements_of(element_numbers([]))) == []


def test_a_worked_example_of_content() -> None:
    content = (Span(0, 3), PlacedElement(7, (Span(3, 4), PlacedElement(2))), PlacedElement(1, ()))
    numbers = [number for part in content_numbers(content) for number in part]
    assert numbers == [0, 3, -1, 7, 3, 4, -3, 2, -2, -1, 1, -2]
    assert crossed(content) == content


SPANS = st.builds(Span, st.integers(0, 9), st.integers(0, 9))
CONTENT = st.recursive(
    st.lists(SPANS).map(tuple),
    lambda inner: st.lists(
        SPANS | st.builds(PlacedElement, st.integers(0, 9), st.none() | inner), max_size=4
    ).map(tuple),
)


@given(st.none() | CONTENT)
def test_content(content: Content | None) -> None:
    assert crossed(content) == content


def test_content_may_be_nested_without_end() -> None:
    content: Content = ()
    for element in range(20_000):
        content = (PlacedElement(element, content),)
    parts = list(content_numbers(content))
    assert len(parts) == 40_000
    made, depth = crossed(content), 0
    while made:
        (placed,) = made
        assert isinstance(placed, PlacedElement)
        made, depth = placed.content, depth + 1
    assert depth == 20_000
