"""Markup over a pivot: through two models that may do anything, the invariants are those of one."""

from collections.abc import Callable
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.markup.carry import Carried, carry
from dragoman.routing.compose import compose
from dragoman.types import (
    Element,
    ElementKind,
    Hypothesis,
    LanguagePair,
    PlacedElement,
    Segment,
    Span,
    TranslationResponse,
)
from tests.support.cases.markup_cases import (
    CASES,
    MARKED_TEXTS,
    Chaos,
    MarkedText,
    asked,
    assert_markup,
    echo,
    respond,
)
from tests.support.helpers import CharacterTokenizer, WordTokenizer, pipeline

INLINE, STYLE = ElementKind.INLINE, ElementKind.STYLE


def over_a_pivot(
    marked: MarkedText,
    first: Callable[[Segment], Hypothesis],
    second: Callable[[Segment], Hypothesis],
    room: int = 80,
    tokenizer: CharacterTokenizer | WordTokenizer | None = None,
) -> TranslationResponse:
    """Both legs as a router has them follow each other."""
    tokenizer = tokenizer or WordTokenizer()
    legs = LanguagePair("de", "en"), LanguagePair("en", "fr")
    models = [pipeline(tokenizer, source_pieces=room, pair=leg) for leg in legs]
    one = respond(models[0], asked(marked), first)
    carried = carry(one.content or (), marked.elements)
    sentences = tuple(sentence.target for sentence in one.sentences)
    request = replace(
        one.request, text=one.text, source="en", target="fr",
        elements=carried.elements, sentences=sentences,
    )  # fmt: skip
    two = respond(models[1], request, second)
    content = None if two.content is None else carried.returned(two.content)
    return replace(compose(one, two), content=content)


@settings(max_examples=CASES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(MARKED_TEXTS, st.integers(0, 2**32), st.integers(0, 2**32), st.sampled_from([7, 80]))
def test_whatever_both_models_do(marked: MarkedText, first: int, second: int, room: int) -> None:
    assert_markup(over_a_pivot(marked, Chaos(first), Chaos(second), room))


@settings(max_examples=CASES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(MARKED_TEXTS)
def test_models_that_copy_leave_all_as_it_was(marked: MarkedText) -> None:
    # A piece a character: each word is linked to itself, as no piece is of two words.
    response = over_a_pivot(marked, echo, echo, 1_000, CharacterTokenizer())
    assert_markup(response)
    if response.content is not None:
        assert carry(response.content, marked.elements).origins == tuple(
            range(len(marked.elements))
        )


def test_what_was_moved_is_carried_where_it_is() -> None:
    elements = (Element(Span(0, 4), INLINE), Element(Span(5, 7), STYLE))
    content = (
        PlacedElement(1, (Span(0, 5),)),
        Span(5, 6),
        PlacedElement(0, (Span(6, 10),)),
    )
    carried = carry(content, elements)
    assert carried == Carried(
        (Element(Span(0, 5), STYLE), Element(Span(6, 10), INLINE)), origins=(1, 0)
    )
    moved = (PlacedElement(0, (Span(0, 3),)), PlacedElement(1, (Span(3, 9),)))
    assert carried.returned(moved) == (
        PlacedElement(1, (Span(0, 3),)),
        PlacedElement(0, (Span(3, 9),)),
    )
