"""A translation memory on its way through the pipeline, and the service around it."""

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine
from dragoman.errors import TranslationMemoryTooLargeError
from dragoman.service.counters import Statistics
from dragoman.types import (
    AlignmentKind,
    Alternative,
    Element,
    ElementKind,
    Glossary,
    MemoryEntry,
    MiniBatch,
    PlacedElement,
    SentenceTranslation,
    Span,
    Term,
    TranslationMemory,
    TranslationResponse,
)
from tests.support.helpers import assert_covers, pipeline, request, service

GREETING = MemoryEntry("Guten Tag!", "Hello there!")
MEMORY = TranslationMemory((GREETING,))


async def translated(
    text: str, **options: Any
) -> tuple[TranslationResponse, list[MiniBatch], Statistics]:
    """By a model that copies; with the batches that it saw."""
    engine = EchoEngine()
    async with service(engine) as made:
        response = await made.translate(request(text, **options))
        counted = made.statistics()
    return response, engine.batches, counted


async def test_a_sentence_of_the_memory_is_taken_as_it_is_and_the_others_go_to_the_model() -> None:
    response, (batch,), _ = await translated("Guten  Tag! Wie geht es?\n", memory=MEMORY)
    assert response.text == "Hello there! Wie geht es?\n"
    assert response.sentences == (
        SentenceTranslation(Span(0, 11), Span(0, 12), 1.0, from_memory=True),
        SentenceTranslation(Span(12, 24), Span(13, 25), 1.0),
    )
    assert [segment.span for segment in batch.segments] == [Span(12, 24)]
    assert_covers(response)


async def test_the_model_is_not_asked_where_the_memory_has_all_of_it() -> None:
    response, batches, counted = await translated("Guten Tag! Guten Tag!", memory=MEMORY)
    assert (response.text, batches) == ("Hello there! Hello there!", [])
    assert (counted.mini_batches, counted.cache_entries) == (0, 0)
    assert response.warnings == ()


async def test_its_words_have_no_links() -> None:
    response, _, _ = await translated("Guten Tag! Ja.", memory=MEMORY)
    words = response.alignment
    assert [span.of(response.request.text) for span in words.source_words] == [
        "Guten", "Tag", "!", "Ja", ".",
    ]  # fmt: skip
    assert [span.of(response.text) for span in words.target_words] == [
        "Hello", "there", "!", "Ja", ".",
    ]  # fmt: skip
    assert words.links == ((3, 3), (4, 4))
    assert words.scores == (1.0,) * 5


@pytest.mark.parametrize("kind", list(AlignmentKind))
async def test_with_every_alignment(kind: AlignmentKind) -> None:
    response, _, _ = await translated("Guten Tag! Ja.", memory=MEMORY, alignment=kind)
    assert response.text == "Hello there! Ja."
    assert response.sentences[0].soft is None
    assert (response.sentences[1].soft is not None) == (kind is AlignmentKind.SOFT)
    assert bool(response.alignment.target_words) == (kind is not AlignmentKind.NONE)


async def test_a_memory_counts_before_a_glossary() -> None:
    glossary = Glossary((Term("Tag", "day"), Term("Ja", "yes")))
    response, _, _ = await translated("Guten Tag! Ja.", memory=MEMORY, glossary=glossary)
    assert response.text == "Hello there! Yes."
    assert [use.term.source for use in response.terms] == ["Ja"]


async def test_what_is_of_no_letter_of_the_language_may_be_in_the_memory() -> None:
    memory = TranslationMemory((MemoryEntry("Привет!", "Hi!"), MemoryEntry("12,50 €", "$13")))
    response, _, _ = await translated("Привет! 12,50 €", memory=memory)
    assert response.text == "Hi! $13"
    assert response.warnings == ()


async def test_a_sentence_that_is_too_long_for_the_model_is_found_as_a_whole() -> None:
    long = "wort " * 99 + "ende."
    memory = TranslationMemory((MemoryEntry(long, "Short."),))
    response, batches, _ = await translated(long, memory=memory, overlong="refuse")
    assert (response.text, batches) == ("Short.", [])


# --- markup --------------------------------------------------------------------------------------


async def test_an_element_around_the_sentence_is_kept_around_it() -> None:
    elements = (Element(Span(0, 10)),)
    response, batches, _ = await translated("Guten Tag! Ja.", memory=MEMORY, elements=elements)
    assert response.text == "Hello there! Ja."
    assert response.content == (PlacedElement(0, (Span(0, 12),)), Span(12, 16))
    assert len(batches) == 1


@pytest.mark.parametrize(
    "element",
    [
        Element(Span(6, 9)),
        Element(Span(6, 9), ElementKind.STYLE),
        Element(Span(6, 9), ElementKind.OPAQUE),
        Element(Span(6, 6), ElementKind.VOID),
    ],
)
async def test_a_sentence_with_an_element_inside_is_the_models(
    element: Element,
) -> None:
    response, _, _ = await translated(
        "Guten Tag!", memory=MEMORY, elements=(element,), alternatives=1
    )
    assert response.text == "Guten Tag!"
    (sentence,) = response.sentences
    assert not sentence.from_memory
    if element.kind is ElementKind.OPAQUE:  # what is inside of it is not the sentence's
        assert sentence.alternatives == ()
    else:
        (other,) = sentence.alternatives
        assert (other.text, other.score, other.memory_source) == ("Hello there!", 1.0, "Guten Tag!")


# --- near ----------------------------------------------------------------------------------------


async def test_what_is_like_a_sentence_is_offered_where_alternatives_are_asked_for() -> None:
    text, memory = "Das ist ein Test! Guten Tag!", TranslationMemory(
        (MemoryEntry("Das ist ein Test.", "A test."), GREETING)
    )  # fmt: skip
    response, _, _ = await translated(text, memory=memory, alternatives=1)
    assert response.text == "Das ist ein Test! Hello there!"
    assert [sentence.alternatives for sentence in response.sentences] == [
        (
            Alternative(
                "A test.",
                0.8,
                (Span(0, 1), Span(2, 6), Span(6, 7)),
                (),
                (1.0, 1.0, 1.0),
                memory_source="Das ist ein Test.",
            ),
        ),
        (),
    ]
    response, _, _ = await translated(text, memory=memory)
    assert [sentence.alternatives for sentence in response.sentences] == [(), ()]


async def test_what_the_translation_says_is_not_offered_beside_it() -> None:
    memory = TranslationMemory(
        (MemoryEntry("Das ist ein Test.", "Das ist ein Test!"), MemoryEntry("Ist es so?", "So?"))
    )
    response, _, _ = await translated("Das ist ein Test!", memory=memory, alternatives=1)
    assert response.sentences[0].alternatives == ()


@pytest.mark.parametrize(("near", "offered"), [(5, 5), (2, 2), (0, 0)])
async def test_at_most_so_many(near: int, offered: int) -> None:
    entries = tuple(MemoryEntry(f"Das ist Satz {n}.", f"Sentence {n}.") for n in range(8))
    memory = TranslationMemory((*entries, MemoryEntry("Das ist Satz x.", "It.")), near=near)
    for text in ("Das ist Satz x.", "Das ist Satz y."):
        response, _, _ = await translated(text, memory=memory, alternatives=1)
        others = [other.text for other in response.sentences[0].alternatives]
        assert others == [f"Sentence {n}." for n in range(offered)]


async def test_who_begins_the_translation_is_choosing_words() -> None:
    response, _, _ = await translated("Guten Tag!", memory=MEMORY, prefix="", alternatives=1)
    assert response.text == "Guten Tag!"
    assert response.sentences[0].alternatives == ()


# --- the cache -----------------------------------------------------------------------------------


async def test_requests_with_unlike_memories_do_not_hear_of_each_other() -> None:
    other = TranslationMemory((MemoryEntry("Guten Tag!", "Good day!"),))
    engine = EchoEngine()
    async with service(engine) as made:
        said = [
            (await made.translate(request("Guten Tag! Ja.", memory=memory))).text
            for memory in (None, MEMORY, other, MEMORY, TranslationMemory(), None)
        ]
        assert said == [
            "Guten Tag! Ja.",
            "Hello there! Ja.",
            "Good day! Ja.",
            "Hello there! Ja.",
            "Guten Tag! Ja.",
            "Guten Tag! Ja.",
        ]
        # "Ja." and the greeting as the model says it: no request after the first asked it again.
        assert (made.statistics().cache_entries, len(engine.batches)) == (2, 1)


# --- properties ----------------------------------------------------------------------------------

SENTENCES = ("Guten Tag!", "Wie geht es?", "Das ist gut.", "Ja.", "12 Uhr.")


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.sampled_from(SENTENCES), max_size=6),
    st.dictionaries(st.sampled_from(SENTENCES), st.sampled_from(("A!", "Ünder 😀.", "b"))),
    st.sampled_from((0, 3)),
)
def test_an_exact_match_always_wins_and_all_else_is_unchanged(
    sentences: list[str], known: dict[str, str], alternatives: int
) -> None:
    """Whatever is in the memory, and beside it."""
    text = "  ".join(sentences)
    memory = TranslationMemory(tuple(MemoryEntry(*entry) for entry in known.items()))

    async def both() -> tuple[TranslationResponse, TranslationResponse]:
        options = {"alternatives": alternatives}
        plain, _, _ = await translated(text, **options)
        response, _, _ = await translated(text, memory=memory, **options)
        return plain, response

    plain, response = asyncio.run(both())
    pairs = list(zip(plain.sentences, response.sentences, strict=True))
    assert [one.source for one, _ in pairs] == [other.source for _, other in pairs]
    for one, other in pairs:
        source = one.source.of(text)
        assert other.from_memory == (source in known)
        said = known.get(source) or one.target.of(plain.text)
        assert other.target.of(response.text) == said
        assert other.score == one.score
    assert_covers(response)


# --- limits --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "entry", "counted", "figures"),
    [
        (Limits(memory_entries=1), ("b", "c"), "entries", (2, 1)),
        (
            Limits(memory_sentence_characters=2),
            ("b", "ccc"),
            "characters of a sentence",
            (3, 2),
        ),
        (Limits(memory_characters=7), ("bb", "cccc"), "characters", (8, 7)),
    ],
)
def test_a_memory_over_a_limit(
    limits: Limits, entry: tuple[str, str], counted: str, figures: tuple[int, int]
) -> None:
    memory = TranslationMemory((MemoryEntry("a", "a"), MemoryEntry(*entry)))
    with pytest.raises(TranslationMemoryTooLargeError) as caught:
        pipeline(limits=limits).draft(1, request("ja", memory=memory))
    assert (caught.value.requested, caught.value.allowed) == figures
    assert caught.value.counted == counted
    assert str(caught.value).startswith(f"the translation memory has too many {counted}: ")
