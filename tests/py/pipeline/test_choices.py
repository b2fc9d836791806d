"""What a request and its model say of the search."""

from __future__ import annotations

import pytest

from dragoman.config import Limits
from dragoman.errors import InvalidRequestError
from dragoman.pipeline.choices import check_choices, choices_key, search_of, whole_texts
from dragoman.types import (
    GREEDY,
    Alternative,
    Search,
    SentenceTranslation,
    Span,
    TranslationRequest,
    TranslationResponse,
)

MODELS_BEAM = 4


@pytest.mark.parametrize(
    ("options", "usual", "search"),
    [
        ({}, 1, GREEDY),
        ({}, MODELS_BEAM, Search(4)),
        ({"beam": 1}, MODELS_BEAM, GREEDY),
        ({"beam": 8}, MODELS_BEAM, Search(8)),
        ({"alternatives": 2}, 1, Search(4, 4)),
        ({"alternatives": 2}, 6, Search(6, 6)),
        ({"alternatives": 7}, MODELS_BEAM, Search(8, 8)),
        ({"alternatives": 2, "prefix": "The"}, MODELS_BEAM, Search(4, 4, branching=True)),
        ({"prefix": "The"}, 1, GREEDY),
    ],
)
def test_the_search_of_a_request(options: dict[str, object], usual: int, search: Search) -> None:
    request = TranslationRequest("Das Haus.", "de", "en", **options)  # type: ignore[arg-type]
    assert search_of(request, usual) == search


@pytest.mark.parametrize(
    ("options", "search"),
    [
        ({}, Search(4, 4)),
        ({"beam": 1}, GREEDY),
        ({"beam": 2}, Search(2, 2)),
        ({"alternatives": 2}, Search(4, 4)),
        # What follows a given start is as it was asked for.
        ({"prefix": "The"}, Search(4)),
    ],
)
def test_the_search_of_a_model_that_weighs_what_it_finds(
    options: dict[str, object], search: Search
) -> None:
    request = TranslationRequest("Das Haus.", "de", "en", **options)  # type: ignore[arg-type]
    assert search_of(request, MODELS_BEAM, weighed=True) == search


def test_a_beam_that_is_named_is_the_models_own() -> None:
    """Cached sentences serve both."""
    unnamed, named = (
        TranslationRequest("Haus", "de", "en"),
        TranslationRequest("Haus", "de", "en", beam=MODELS_BEAM),
    )
    assert choices_key(unnamed, MODELS_BEAM) == choices_key(named, 1) == " search 4 0 None"
    assert choices_key(unnamed, 1) == choices_key(
        TranslationRequest("Haus", "de", "en", beam=1), MODELS_BEAM
    )
    assert choices_key(unnamed, 1) == ""
    assert choices_key(TranslationRequest("Haus", "de", "en", prefix=""), 1) == " search 1 0 ''"


@pytest.mark.parametrize("prefix", ["\ud800", "The \udfff", "\ud83d\ude00"])
def test_a_prefix_has_no_half_of_a_pair(prefix: str) -> None:
    request = TranslationRequest("Haus", "de", "en", prefix=prefix)
    with pytest.raises(InvalidRequestError, match="half"):
        check_choices(request, Limits())


def test_a_prefix_may_have_any_whole_character() -> None:
    check_choices(TranslationRequest("Haus", "de", "en", prefix="\ufffd 😀\x00"), Limits())


def test_whole_texts_of_what_each_sentence_may_be() -> None:
    sentences = (
        SentenceTranslation(Span(0, 1), Span(0, 2), 0.9, alternatives=(Alternative("B2", 0.5),)),
        SentenceTranslation(
            Span(2, 3),
            Span(3, 5),
            0.9,
            alternatives=(Alternative("D2", 0.4), Alternative("D3", 0.3)),
        ),
    )
    request = TranslationRequest("a b", "de", "en")
    response = TranslationResponse(request, "B1 D1!", sentences)
    assert list(whole_texts(response)) == ["B1 D1!", "B2 D2!", "B1 D3!"]
    assert list(whole_texts(TranslationResponse(request, " ", ()))) == [" "]
