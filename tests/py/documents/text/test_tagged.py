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
        ("Mit <code>npm <b>i</b></code> da", "Mit npm i da", ["opaque"]),
        (
            "<b translate='no'>Haus</b> <i class=\"a notranslate\">Hof</i>",
            "Haus Hof",
            2 * ["opaque"],
        ),
        ("<style>p { }</style>Ja<!-- wp:list -->", "Ja", ["void", "void"]),
        ("Herr <%= name %>, <?= $ort ?>", "Herr <%= name %>, <?= $ort ?>", ["opaque", "opaque"]),
        ("f&uuml;r &#8222;Sie&ldquo; &amp; mich", "für „Sie“ &amp; mich", ["opaque"]),
    ],
)
def test_tags_and_places(source: str, text: str, kinds: list[str]) -> None:
    marked = tagged(source)
    assert marked.passage.text == text
    assert [str(element.kind) for element in marked.passage.elements] == kinds


@pytest.mark.parametrize(
    "place",
    [
        "%lf", "%p", "%ls", "%hhd", "%zu", "%'d", "%*d", "%1$s", "%dpx", "%(count)05d", "%(a.b)r",
        "%<count>.2f", "%<name>s", "%1", "%n", "%L1", "%entity-type", "%NAME%", "$USER$",
        "$user_1$", "@:common.ok", "@.lower:common.ok", "@:(common.ok)",
    ],
)  # fmt: skip
def test_what_a_program_fills_in(place: str) -> None:
    (element, *others) = tagged(f"Ein {place}, ja.").passage.elements
    shown = "%d" if place == "%dpx" else place
    assert (str(element.kind), element.span) == ("opaque", Span(4, 4 + len(shown)))
    assert not others


@pytest.mark.parametrize(
    "text",
    ["100 %ige Sache", "100%ige Sache", "50%-a", "5 %, 6%. 7%", "Ab $5 und $6 da", "50 %sind"],
)
def test_percentages_and_prices_are_text(text: str) -> None:
    assert tagged(text).passage.elements == ()


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
