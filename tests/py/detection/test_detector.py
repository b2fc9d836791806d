from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dragoman
from dragoman.detection.detector import UNKNOWN, Detector
from dragoman.detection.shipped import detector, sure_language
from dragoman.errors import LanguageNotSureError
from tests.support.paths import TESTS

GOLDEN = TESTS / "golden" / "detection.jsonl"
CASES = [json.loads(line) for line in GOLDEN.read_text("utf-8").splitlines()]


@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: case["text"][:20].encode("ascii", "ignore")
)
def test_every_host_gives_this_answer(case: Any) -> None:
    """`tests/web/detection` reads the same file."""
    detection = dragoman.detect(case["text"])
    expected = {key: case[key] for key in ("language", "confidence", "candidates")}
    assert json.loads(json.dumps(asdict(detection))) == expected


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["is"]], ids=lambda case: case["is"]
)
def test_a_plain_sentence_is_known(case: Any) -> None:
    assert dragoman.detect(case["text"]).language == case["is"]


def test_sixty_languages_and_more_are_known() -> None:
    assert len(detector().languages) == 76
    assert {"de", "zh-Hans", "zh-Hant", "ckb"} <= set(detector().languages)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "12,50 € am 21.11.2026",
        "Hotel",
        "qwrtz plkjh xvbn",
        "Das ist ein altes Haus. This is a house of mine.",
        "Leo ndugu zangu wanakwenda dukani kununua mkate.",  # Swahili: in no table
    ],
)
def test_nothing_is_guessed(text: str) -> None:
    assert dragoman.detect(text).language is None
    with pytest.raises(LanguageNotSureError) as raised:
        sure_language(text)
    assert raised.value.code == "language-not-sure"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Das isch doch nöd wahr.", None),  # a word that is listed as Swiss German
        ("Wir haben das nöd genannt und gehen jetzt alle zusammen nach Hause zu ihm.", "de"),
        ("Frau Xyqz und Herr Öqkz sprachen mit der Gfrwz.", "de"),  # names are strange
    ],
)
def test_strange_small_words_take_their_share(text: str, language: str | None) -> None:
    assert dragoman.detect(text).language == language


def test_what_strange_words_take_goes_to_no_language() -> None:
    kept = dragoman.detect("We dey go market today make we buy bread and milk.").candidates
    assert kept == (dragoman.Candidate("en", 0.7), dragoman.Candidate(UNKNOWN, 0.3))


def test_what_is_in_no_language_is_undetermined() -> None:
    assert dragoman.detect("1 2 3").candidates == (dragoman.Candidate(UNKNOWN, 1.0),)


def test_the_error_names_what_it_may_be() -> None:
    with pytest.raises(LanguageNotSureError, match="maybe de 6"):
        sure_language("Guten Morgen")


def test_a_text_of_two_languages_is_said_to_be_of_both() -> None:
    text = "Das ist ein altes Haus. This is a house of mine."
    detection = dragoman.detect(text)
    assert {c.language for c in detection.candidates[:2]} == {"de", "en"}


def test_four_thousand_characters_are_looked_at() -> None:
    german = "Das ist ein Haus am See. " * 160
    assert dragoman.detect(german + "This is a house by the lake. " * 300).confidence == 1.0


@given(st.text())
def test_confidences_are_a_distribution(text: str) -> None:
    made: Detector = detector()
    answer = made.detect(text)
    confidences = [candidate.confidence for candidate in answer.candidates]
    assert confidences == sorted(confidences, reverse=True)
    assert sum(confidences) <= 1.05
    assert answer.confidence == confidences[0] if confidences else 0
