"""Emphasis in plain text: what is a mark, what a model sees, and where marks are afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.markup.bits import at_once
from dragoman.native.translator import Translator
from dragoman.routing.emphasis import Emphasis, emphasis_bit_by_bit, may_have_emphasis
from dragoman.types import (
    Element,
    ElementKind,
    Notice,
    PlacedElement,
    SentenceTranslation,
    Span,
    Term,
    TermOutcome,
    TermUse,
    TextFormat,
    TranslationResponse,
    WordAlignment,
)
from tests.support.helpers import assert_covers, request
from tests.support.hosts import capital_parts


def emphasis(text: str, most: int = 100, **options: Any) -> Emphasis:
    return at_once(emphasis_bit_by_bit(request(text, **options), most))


def shown(text: str) -> tuple[str, list[str], list[str]]:
    """The text without marks, its sentences, and what is emphasized."""
    bare = emphasis(text).request
    return (
        bare.text,
        [span.of(bare.text) for span in bare.sentences or ()],
        [element.span.of(bare.text) for element in bare.elements],
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Das ist **sehr** wichtig.", ("Das ist sehr wichtig.", ["sehr"])),
        ("**Hinweis:** Es geht.", ("Hinweis: Es geht.", ["Hinweis:"])),
        ("*lacht* Na klar", ("lacht Na klar", ["lacht"])),
        ("(*siehe unten*)", ("(siehe unten)", ["siehe unten"])),
        ('"*Ja*", sagt er.', ('"Ja", sagt er.', ["Ja"])),
        ("~~alt~~ neu", ("alt neu", ["alt"])),
        ("Bitte _nicht_ jetzt", ("Bitte nicht jetzt", ["nicht"])),
        ("**_ganz_** neu, ***oho*** a", ("ganz neu, oho a", ["ganz", "oho"])),
        ("x **A *b* c**, d", ("x A b c, d", ["A b c", "b"])),
        ("**fett *a** b* c", ("fett *a b* c", ["fett *a"])),
        ("`*a*` und *b* c", ("`*a*` und b c", ["b"])),
        ("__init__ und _dies_ hier", ("__init__ und dies hier", ["dies"])),
    ],
)
def test_pairs_of_marks_are_elements(text: str, expected: tuple[str, list[str]]) -> None:
    bare, sentences, emphasized = shown(text)
    assert (bare, emphasized) == expected
    assert sentences == [bare]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("**Das ist wichtig.**", ["Das ist wichtig."]),
        ("**Achtung! Nicht drehen.** Danke.", ["Achtung!", "Nicht drehen.", "Danke."]),
        ("*Alle Angaben ohne Gewähr.", ["Alle Angaben ohne Gewähr."]),
        ("Preis: 5 €*", ["Preis: 5 €"]),
        ("Nimm *args und **kwargs hier.", ["Nimm *args und **kwargs hier."]),
    ],
)
def test_marks_at_the_edges_of_sentences_are_gaps(text: str, sentences: list[str]) -> None:
    assert shown(text) == (text, sentences, [])


@pytest.mark.parametrize(
    "text",
    [
        "", "5 * 3 * 2", "2*3*4", "Lehrer*innen und Schüler*innen", "snake_case_name",
        "*.txt und *.pdf", "Name: ____", "****", "* Punkt", "a _ b", "char *",
    ],
)  # fmt: skip
def test_what_is_no_mark(text: str) -> None:
    assert not may_have_emphasis(request(text))


def test_requests_with_markup_of_their_own_are_left_alone() -> None:
    text = "Das ist *sehr* gut."
    assert may_have_emphasis(request(text))
    assert not may_have_emphasis(request(text, format=TextFormat.HTML))
    assert not may_have_emphasis(request(text, elements=(Element(Span(0, 3)),)))
    assert not may_have_emphasis(request(text, prefix="This"))


def test_no_more_pairs_than_a_request_may_have_elements() -> None:
    few = emphasis("*a* *b* *c* d", most=2)
    assert few.request.text == "a b *c* d"
    assert few.request.elements == (
        Element(Span(0, 1), ElementKind.STYLE),
        Element(Span(2, 3), ElementKind.STYLE),
    )


def test_sentences_that_are_known_stay() -> None:
    found = emphasis("A. *B.* C *d* e", sentences=(Span(3, 15),))
    assert found.request.text == "A. B. C d e"
    assert found.request.sentences == (Span(3, 11),)


def test_a_response_has_its_marks_and_its_ranges() -> None:
    asked = emphasis("Das ist **sehr** wichtig.")
    response = TranslationResponse(
        asked.request,
        "This is very important.",
        (SentenceTranslation(Span(0, 21), Span(0, 23), 0.5),),
        WordAlignment(
            (Span(0, 3), Span(4, 7), Span(8, 12), Span(13, 20)),
            (Span(0, 4), Span(5, 7), Span(8, 12), Span(13, 22)),
            ((0, 0), (1, 1), (2, 2), (3, 3)),
            (1.0, 1.0, 1.0, 1.0),
        ),
        (Notice("doubt", "?", Span(8, 12)),),
        (Span(0, 8), PlacedElement(0, (Span(8, 12),)), Span(12, 23)),
        (TermUse(Term("sehr", "very"), TermOutcome.SAID, Span(8, 12), Span(8, 12)),),
    )
    given = at_once(asked.returned_bit_by_bit(response))
    source, target = given.request.text, given.text
    assert (source, target) == ("Das ist **sehr** wichtig.", "This is **very** important.")
    assert given.content is None
    assert [word.of(source) for word in given.alignment.source_words] == [
        "Das", "ist", "sehr", "wichtig",
    ]  # fmt: skip
    assert [word.of(target) for word in given.alignment.target_words] == [
        "This", "is", "very", "important",
    ]  # fmt: skip
    assert [(one.source, one.target) for one in given.sentences] == [(Span(0, 25), Span(0, 27))]
    assert given.warnings[0].span == Span(8, 16)
    assert (given.terms[0].source, given.terms[0].target) == (Span(10, 14), Span(10, 14))


def test_parted_words_have_two_pairs_and_lost_ones_none() -> None:
    asked = emphasis("a *b c* d *e* f")
    response = TranslationResponse(
        asked.request,
        "b a c d f",
        (),
        content=(
            PlacedElement(0, (Span(0, 1),)), Span(1, 4), PlacedElement(0, (Span(4, 5),)),
            Span(5, 8), PlacedElement(1, ()), Span(8, 9),
        ),
    )  # fmt: skip
    assert at_once(asked.returned_bit_by_bit(response)).text == "*b* a *c* d f"


_TEXTS = st.text(alphabet="ab *_~.!(\n", max_size=40)


@given(_TEXTS)
def test_marks_and_text_are_the_text(text: str) -> None:
    asked = request(text)
    found = emphasis(text)
    whole = TranslationResponse(
        found.request, found.request.text, (), content=_whole(found.request.elements)
    )
    assert at_once(found.returned_bit_by_bit(whole)).text == text
    assert found.asked == asked


def _whole(elements: tuple[Element, ...]) -> tuple[Span | PlacedElement, ...]:
    """The elements where they are."""

    def content(span: Span, inner: list[int]) -> tuple[Span | PlacedElement, ...]:
        items: list[Span | PlacedElement] = []
        at = span.start
        while inner:
            index = inner.pop(0)
            own = elements[index].span
            if at < own.start:
                items.append(Span(at, own.start))
            nested = [other for other in inner if elements[other].span.start < own.end]
            inner = inner[len(nested) :]
            items.append(PlacedElement(index, content(own, nested)))
            at = own.end
        if at < span.end:
            items.append(Span(at, span.end))
        return tuple(items)

    end = max((element.span.end for element in elements), default=0)
    return content(Span(0, end), list(range(len(elements))))


@pytest.fixture(scope="module")
def translator() -> Iterator[Translator]:
    with Translator(capital_parts()) as made:
        yield made


@given(_TEXTS)
def test_a_translator_gives_them_back(translator: Translator, text: str) -> None:
    response = translator.translate(text)
    assert response.request.text == text
    assert response.text == text.upper()
    assert_covers(response)


def test_a_stream_has_them_too(translator: Translator) -> None:
    text = "Das ist **sehr** gut. **Und das! Auch.** *Ja.*"
    pieces = list(translator.stream([text[:9], text[9:30], text[30:]]))
    assert "".join(piece.text for piece in pieces) == text.upper()
    assert len(pieces) == 4
