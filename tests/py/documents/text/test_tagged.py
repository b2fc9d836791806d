from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.documents.passage import Translated
from dragoman.documents.text.tagged import tagged, untagged
from dragoman.types import PlacedElement, Span


@pytest.mark.parametrize(
    ("source", "text", "kinds"),
    [
        ("Ja", "Ja", []),
        ("<b>%s</b> da", "%s da", ["style", "opaque"]),
        ("{n} von %(all)d, 100 % des", "{n} von %(all)d, 100 % des", ["opaque", "opaque"]),
        ("a <br> b", "a \n b", ["opaque"]),
        ("</i> lose <u>", " lose ", ["void", "void"]),
        ("1 < 2 > 0", "1 < 2 > 0", []),
        ("A&nbsp;B", "A&nbsp;B", ["opaque"]),
    ],
)
def test_tags_and_places(source: str, text: str, kinds: list[str]) -> None:
    marked = tagged(source)
    assert marked.passage.text == text
    assert [str(element.kind) for element in marked.passage.elements] == kinds


@given(st.text("ab <>/{}%s&;b\n", max_size=30))
def test_a_text_with_tags_comes_back(source: str) -> None:
    marked = tagged(source)
    elements = marked.passage.elements
    if all(element.kind in ("opaque", "void") for element in elements):
        content: list[Span | PlacedElement] = []
        at = 0
        for index, element in enumerate(elements):
            content += [Span(at, element.span.start), PlacedElement(index)]
            at = element.span.end
        content.append(Span(at, len(marked.passage.text)))
        assert untagged(marked, Translated(marked.passage.text, tuple(content))) == source
