"""Text in filled lines: what a model is shown, and how its translation is filled."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.markup.bits import at_once
from dragoman.native.translator import Translator
from dragoman.routing.edited import Edited
from dragoman.routing.fill import fill_bit_by_bit, filled, may_be_filled
from dragoman.text.split import split_sentences
from dragoman.types import (
    Element,
    SentenceTranslation,
    Span,
    TextFormat,
    TranslationResponse,
    WordAlignment,
)
from tests.support.helpers import request
from tests.support.hosts import capital_parts

TEXT = "Guten Tag:\n\nDas Abkommen über die Verlänge-\nrung trat am 1. Mai in\nKraft. Ende.\n"
BARE = "Guten Tag:\n\nDas Abkommen über die Verlängerung trat am 1. Mai in Kraft. Ende.\n"


@pytest.fixture(scope="module")
def translator() -> Iterator[Translator]:
    with Translator(capital_parts()) as made:
        yield made


def test_a_model_is_shown_whole_sentences() -> None:
    assert at_once(fill_bit_by_bit(request(TEXT))).request.text == BARE


def test_a_response_is_filled_and_has_its_ranges() -> None:
    fill = at_once(fill_bit_by_bit(request(TEXT)))
    said = "The agreement on the extension came into force on 1 May."
    response = TranslationResponse(
        fill.request,
        f"Hello:\n\n{said} End.\n",
        (
            SentenceTranslation(Span(0, 10), Span(0, 6), 0.5),
            SentenceTranslation(Span(12, 71), Span(8, 64), 0.5),
            SentenceTranslation(Span(72, 77), Span(65, 69), 0.5),
        ),
        WordAlignment((Span(34, 46), Span(65, 70)), (Span(29, 38), Span(49, 54)), ((0, 0), (1, 1))),
    )
    given_back = at_once(fill.returned_bit_by_bit(response))
    assert given_back.request.text == TEXT
    assert given_back.text == (
        "Hello:\n\nThe agreement on the extension\ncame into force on 1 May. End.\n"
    )
    sentences = [
        (one.source.of(TEXT), one.target.of(given_back.text)) for one in given_back.sentences
    ]
    assert sentences == [
        ("Guten Tag:", "Hello:"),
        (TEXT[12:-7], "The agreement on the extension\ncame into force on 1 May."),
        ("Ende.", "End."),
    ]
    alignment = given_back.alignment
    assert [word.of(TEXT) for word in alignment.source_words] == ["Verlänge-\nrung", "Kraft"]
    assert [word.of(given_back.text) for word in alignment.target_words] == ["extension", "force"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("aaa bbb ccc", "aaa bbb\nccc"),
        ("aaaaaaaaaa b", "aaaaaaaaaa\nb"),
        ("aaa  bbb  ccc", "aaa\nbbb\nccc"),
        ("aaa bbb - c", "aaa bbb -\nc"),
        ("aaa bbb 1. c", "aaa bbb 1.\nc"),
        ("aaa\xa0bbb cc", "aaa\xa0bbb\ncc"),
        ("", ""),
    ],
)
def test_lines_are_filled(text: str, expected: str) -> None:
    assert Edited(list(filled(text, Span(0, len(text)), 0, 7, "\n"))).text(text) == expected


def test_what_stands_before_a_line_counts() -> None:
    text = "> aaa bbb"
    edits = list(filled(text, Span(2, 9), 2, 8, "\n> "))
    assert Edited(edits).text(text) == "> aaa\n> bbb"


def test_requests_that_know_their_sentences_are_left_alone() -> None:
    assert may_be_filled(request(TEXT))
    assert not may_be_filled(request(TEXT, format=TextFormat.HTML))
    assert not may_be_filled(request(TEXT, elements=(Element(Span(0, 3)),)))
    assert not may_be_filled(request(TEXT, sentences=(Span(0, 3),)))
    assert not may_be_filled(request(TEXT, prefix="The"))


def test_marks_may_go_over_the_end_of_a_line(translator: Translator) -> None:
    text = "Das Ergebnis ist für uns alle **ganz\nund gar** unerwartet."
    response = translator.translate(text)
    assert response.text == "DAS ERGEBNIS IST FÜR UNS ALLE **GANZ\nUND GAR** UNERWARTET."
    (sentence,) = response.sentences
    assert sentence.source == Span(0, len(text))


def same(text: str) -> TranslationResponse:
    """The response to a text of a model that changes nothing."""
    fill = at_once(fill_bit_by_bit(request(text)))
    bare = fill.request.text
    sentences = tuple(SentenceTranslation(span, span, 1.0) for span in split_sentences(bare, "de"))
    words = tuple(Span(*word.span()) for word in re.finditer(r"\S+", bare))
    alignment = WordAlignment(words, words, (), (1.0,) * len(words))
    response = TranslationResponse(fill.request, bare, sentences, alignment)
    return at_once(fill.returned_bit_by_bit(response))


_WORDS = st.lists(st.text(alphabet="abcdeM", min_size=1, max_size=9), min_size=1, max_size=60)


@given(
    st.lists(_WORDS, min_size=1, max_size=4),
    st.integers(20, 80),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_what_was_filled_is_filled_alike(
    paragraphs: list[list[str]], width: int, line_break: str
) -> None:
    wrapped = [textwrap.fill(" ".join(words), width) for words in paragraphs]
    text = "\n\n".join(wrapped).replace("\n", line_break)
    response = same(text)
    assert (response.request.text, response.text) == (text, text)
    assert [span.of(text) for span in response.alignment.source_words] == text.split()
    assert response.alignment.source_words == response.alignment.target_words


_ANY = st.text(alphabet="ab. \n-*>B", max_size=300)


@given(_ANY)
def test_nothing_but_white_space_changes(text: str) -> None:
    response = same(text)
    assert response.request.text == text
    assert _letters(response.text) == _letters(text)
    alignment = response.alignment
    for source, target in zip(alignment.source_words, alignment.target_words, strict=True):
        assert _letters(source.of(text)) == _letters(target.of(response.text))


def _letters(text: str) -> str:
    """Quotes of lines are those of the lines that there are now."""
    return re.sub(r"[\s>-]", "", text)
