"""Beams, alternatives and prefixes with the embedded model, as a program asks for them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from dragoman import Translator
from dragoman.errors import InvalidRequestError
from dragoman.native.options import RequestOptions
from dragoman.types import Glossary, Span, Term, TranslationResponse
from tests.support.paths import MODELS, ROOT

SENTENCES = [
    line
    for line in (ROOT / "tests/parity/sentences.txt").read_text("utf-8").split("\n")
    if line.strip() and not line.startswith(("#", "["))
]
WEATHER = "Das Wetter ist heute schön."


@pytest.fixture(scope="module")
def translator() -> Iterator[Translator]:
    with Translator.load("de", "en", [Path(MODELS)]) as made:
        yield made


def check(response: TranslationResponse) -> None:
    """What holds of every response with alternatives: ranges, links and scores fit the texts."""
    source, alignment = response.request.text, response.alignment
    check_words(alignment.source_words, source)
    check_words(alignment.target_words, response.text)
    check_links(alignment.links, len(alignment.source_words), len(alignment.target_words))
    for sentence in response.sentences:
        assert 0 <= sentence.score <= 1
        said = [sentence.target.of(response.text), *(one.text for one in sentence.alternatives)]
        assert len(set(said)) == len(said)
        scores = [one.score for one in sentence.alternatives]
        assert scores == sorted(scores, reverse=True)
        inside = {
            i for i, word in enumerate(alignment.source_words) if word.overlaps(sentence.source)
        }
        for one in sentence.alternatives:
            check_words(one.target_words, one.text)
            check_links(one.links, len(alignment.source_words), len(one.target_words))
            assert {link[0] for link in one.links} <= inside
            assert len(one.scores) == len(one.target_words)
            assert all(0 <= score <= 1 for score in (one.score, *one.scores))


def check_words(words: Sequence[Span], text: str) -> None:
    end = 0
    for word in words:
        assert end <= word.start < word.end <= len(text)
        assert not word.of(text).isspace()
        end = word.end


def check_links(links: Sequence[tuple[int, int]], sources: int, targets: int) -> None:
    assert list(links) == sorted(set(links))
    assert all(0 <= source < sources and 0 <= target < targets for source, target in links)


def prefixes(translations: Sequence[str], count: int) -> Iterator[tuple[int, str]]:
    """Random cases: a sentence by its number, and how its translation is to begin.

    Half are cut out of the sentence's own translation, anywhere; others are those of another one,
    words in any order, and signs that no vocabulary knows.
    """
    chance = random.Random(15)
    words = " ".join(translations).split()
    signs = "aZé ß„“ﬁ…½ 5,x’日🦉\u0308—"
    for number in range(count):
        row = chance.randrange(len(translations))
        own, other = translations[row], chance.choice(translations)
        yield (
            row,
            [
                own[: chance.randint(1, len(own))],
                own[: chance.randint(1, len(own))],
                own[: own.find(" ", chance.randrange(len(own))) + 1] or own,
                other[: chance.randint(1, len(other))],
                " ".join(chance.choices(words, k=chance.randint(1, 8))),
                "".join(chance.choices(signs, k=chance.randint(1, 12))),
            ][number % 6],
        )


@pytest.mark.slow
def test_a_translation_begins_with_its_prefix_in_1000_random_cases(translator: Translator) -> None:
    translations = [response.text for response in translator.translate_many(SENTENCES)]
    cases = list(prefixes(translations, 1_000))
    submitted = [
        translator.submit(SENTENCES[row], prefix=prefix, alternatives=number % 3, when_full="wait")
        for number, (row, prefix) in enumerate(cases)
    ]
    for (row, prefix), submission in zip(cases, submitted, strict=True):
        response = submission.result()
        assert response.text.startswith(prefix), (SENTENCES[row], prefix)
        first, *parts = response.sentences  # of more parts only what is over-long
        assert (first.target.start, (parts or [first])[-1].target.end) == (0, len(response.text))
        if not parts:
            assert all(one.text.startswith(prefix) for one in first.alternatives)
        check(response)


def test_the_own_start_of_a_translation_changes_nothing(translator: Translator) -> None:
    text = "Der Zug nach Berlin fährt heute leider nicht."
    whole = translator.translate(text).text
    for word in whole.split()[:-1]:
        start = whole[: whole.find(word) + len(word)]
        assert translator.translate(text, prefix=f"{start} ").text == whole, start


def test_the_search_goes_on_from_the_prefix(translator: Translator) -> None:
    assert translator.translate(WEATHER, prefix="Today").text == "Today's weather is nice today."
    greedy = translator.translate(WEATHER, prefix="Today", beam=1)
    assert greedy.text == "Today is beautiful today."
    # Within a word, and after it.
    assert translator.translate(WEATHER, prefix="The weather is beau").text.startswith(
        "The weather is beautiful"
    )
    assert translator.translate(WEATHER, prefix="The weather was ").text.startswith(
        "The weather was "
    )


def test_alternatives_are_the_n_best(translator: Translator) -> None:
    response = translator.translate(WEATHER, alternatives=3)
    assert response.text == "The weather is nice today."
    (sentence,) = response.sentences
    assert [one.text for one in sentence.alternatives] == [
        "The weather is beautiful today.",
        "The weather's nice today.",
        "The weather is fine today.",
    ]
    best = sentence.alternatives[0]
    links = [
        (response.alignment.source_words[s].of(WEATHER), best.target_words[t].of(best.text))
        for s, t in best.links
    ]
    assert ("schön", "beautiful") in links
    assert ("Wetter", "weather") in links
    assert sentence.score > best.score
    check(response)


def test_with_a_prefix_alternatives_differ_in_the_next_word(translator: Translator) -> None:
    response = translator.translate(WEATHER, prefix="The weather is ", alternatives=5)
    (sentence,) = response.sentences
    said = [response.text, *(one.text for one in sentence.alternatives)]
    next_words = [text.removeprefix("The weather is ").split()[0] for text in said]
    assert len(said) == 6
    assert len(set(next_words)) == 6
    check(response)


def test_each_sentence_has_its_own(translator: Translator) -> None:
    texts = [f"{one} {other}" for one, other in zip(SENTENCES[:20], SENTENCES[20:40], strict=True)]
    for response in translator.translate_many(texts, alternatives=2, beam=5):
        assert all(len(sentence.alternatives) <= 2 for sentence in response.sentences)
        check(response)


def test_the_usual_search_has_the_beam_that_the_bundle_names(translator: Translator) -> None:
    texts = SENTENCES[:60]
    usual = [response.text for response in translator.translate_many(texts)]
    four = [response.text for response in translator.translate_many(texts, beam=4, cache=False)]
    greedy = [response.text for response in translator.translate_many(texts, beam=1)]
    assert four == usual
    assert greedy != usual


def test_the_cache_tells_searches_apart(translator: Translator) -> None:
    text = "Er hat gestern Abend das rote Fahrrad verkauft."
    plain = translator.translate(text)
    with_others = translator.translate(text, alternatives=2)
    begun = translator.translate(text, prefix="Yesterday")
    again = [
        translator.translate(text),
        translator.translate(text, alternatives=2),
        translator.translate(text, prefix="Yesterday"),
    ]
    for one, other in zip([plain, with_others, begun], again, strict=True):
        assert (one.text, one.sentences) == (other.text, other.sentences)
    assert not plain.sentences[0].alternatives
    assert len(with_others.sentences[0].alternatives) == 2
    assert len(translator.translate(text, alternatives=3).sentences[0].alternatives) == 3


def test_a_glossary_and_literals_hold_in_all_of_them(translator: Translator) -> None:
    response = translator.translate(
        "Der Rechner steht unter https://example.org/a bereit.",
        alternatives=3,
        glossary=Glossary((Term("Rechner", "workstation"),)),
    )
    (sentence,) = response.sentences
    for text in (response.text, *(one.text for one in sentence.alternatives)):
        assert "workstation" in text
        assert "https://example.org/a" in text
    check(response)


@pytest.mark.parametrize(
    ("options", "requested", "allowed"),
    [
        ({"beam": 0}, 0, 16),
        ({"beam": 17}, 17, 16),
        ({"alternatives": 16}, 16, 15),
        ({"alternatives": -1}, -1, 15),
        ({"beam": 4, "alternatives": 4}, 4, 3),
        ({"prefix": "x" * 2_001}, 2_001, 2_000),
        ({"prefix": "x y z " * 200}, None, 171),
    ],
)
def test_limits_name_both_figures(
    translator: Translator, options: RequestOptions, requested: int | None, allowed: int
) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        translator.translate(WEATHER, **options)
    assert caught.value.details["allowed"] == allowed
    if requested is not None:
        assert caught.value.details["requested"] == requested


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("", {"prefix": "The"}),
        ("<p>Hallo</p>", {"prefix": "The", "text_format": "html"}),
        ("<p>Hallo</p>", {"alternatives": 2, "text_format": "html"}),
    ],
)
def test_what_does_not_go_together_is_refused(
    translator: Translator, text: str, options: RequestOptions
) -> None:
    with pytest.raises(InvalidRequestError):
        translator.translate(text, **options)
