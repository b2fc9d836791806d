"""Stages 7 to 9 for a sentence: what the core makes of a hypothesis that is given to it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dragoman.types import (
    AlignedSegment,
    AlignmentKind,
    CopyReason,
    DetokenizedText,
    Element,
    Glossary,
    Hypothesis,
    LengthReward,
    Segment,
    Span,
    Term,
)
from tests.support.helpers import CharacterTokenizer, hypothesis, pipeline, request, segment

TOKENIZER = CharacterTokenizer()
UNALIGNED = {"alignment": AlignmentKind.NONE}


def ids(text: str) -> list[int]:
    return [piece.id for piece in TOKENIZER.encode([text])[0]]


def finished(
    source: str,
    target: str,
    *others: str,
    attention: Any = (),
    **options: Any,
) -> AlignedSegment:
    """The one sentence of a text, where the model says `target`."""
    made = pipeline(TOKENIZER)
    draft = made.draft(1, request(source, **options))
    (segment,) = [
        part for piece in made.slices(draft) for part in piece.parts if isinstance(part, Segment)
    ]
    said: Hypothesis = hypothesis(segment, ids(target), attention)
    said = replace(said, others=tuple(hypothesis(segment, ids(other)) for other in others))
    (aligned,) = made.finish(draft, [said])
    return aligned


def test_text_words_and_links() -> None:
    # Two pieces and the end on each side: the first is of the second, the second of the first.
    attention = [[0.1, 0.9, 0.0], [0.9, 0.1, 0.0]]
    aligned = finished("ab", "xy", attention=attention)
    assert aligned.target.text == "xy"
    assert (aligned.source_words, aligned.target_words) == ((Span(0, 2),), (Span(0, 2),))
    assert aligned.links == ((0, 0),)
    assert aligned.score == 1.0
    assert len(aligned.hypothesis.attention) == 0  # only soft alignment needs it any longer


def test_soft_alignment_keeps_its_attention() -> None:
    attention = [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0]]
    aligned = finished("ab", "xy", attention=attention, alignment=AlignmentKind.SOFT)
    assert aligned.hypothesis.attention.tolist() == [0.5, 0.5, 0.0, 0.5, 0.5, 0.0]


def test_without_alignment_there_are_no_words() -> None:
    aligned = finished("Ein Haus", "A house", alignment=AlignmentKind.NONE)
    assert (aligned.target.text, aligned.links) == ("A house", ())
    assert (aligned.source_words, aligned.target_words) == ((), ())


def test_a_translation_without_a_word_is_no_translation() -> None:
    aligned = finished("Mach", ")")
    assert (aligned.target.text, aligned.copied) == ("Mach", CopyReason.WORDLESS)


def test_a_copy_keeps_its_elements() -> None:
    aligned = finished("Mach <", "...", elements=(Element(Span(0, 4)),))
    assert (aligned.target.text, aligned.copied) == ("Mach <", CopyReason.WORDLESS)
    assert [tag.span for tag in aligned.tags if tag.element == 0] == [Span(0, 0), Span(4, 4)]


def test_a_phrase_that_is_said_twice_is_said_once() -> None:
    said = "in this light, in this light it is good"
    aligned = finished("In diesem Licht ist es gut", said, alignment=AlignmentKind.NONE)
    assert aligned.target.text == "in this light it is good"


def test_a_figure_and_a_capital_of_the_source_come_through() -> None:
    aligned = finished("Es sind 42 Kinder.", "they are 24 children.", alignment=AlignmentKind.NONE)
    assert aligned.target.text == "They are 42 children."


def test_what_no_source_has_is_taken_out() -> None:
    aligned = finished("Ja, gut.", "Yes\ufffd, good.", alignment=AlignmentKind.NONE)
    assert aligned.target.text == "Yes, good."


REWARD = LengthReward(reward=0.6, ratio=1.2)
LONG = ", ".join(["Er hat das gestern noch allen in der Stadt gesagt"] * 3)  # 151 characters
FULL = " ".join(a + b + "z" for a in "abcdef" for b in "ghijkl")  # 143 characters
SHORT, LONG_WORD = "x" * 100, "y" * 143


def weighed(*found: Hypothesis, **options: Any) -> AlignedSegment:
    """What is made of a long sentence, for which a search found so much."""
    made = pipeline(TOKENIZER, source_pieces=200, length=REWARD)
    draft = made.draft(1, request(LONG, AlignmentKind.NONE, **options))
    (of,) = [
        part for piece in made.slices(draft) for part in piece.parts if isinstance(part, Segment)
    ]
    first, *others = (replace(one, segment=of) for one in found)
    (aligned,) = made.finish(draft, [replace(first, others=tuple(others))])
    return aligned


def found(text: str, mean: float, **changes: Any) -> Hypothesis:
    said = hypothesis(segment(1), ids(text), log_probabilities=[mean] * (len(text) + 1))
    return replace(said, **changes)


def test_a_longer_hypothesis_is_taken_where_it_is_hardly_less_probable() -> None:
    # 43 characters of 1.2 times 151, times 0.6: 0.14.
    assert weighed(found(SHORT, -0.5), found(FULL, -0.6)).target.text == FULL
    assert weighed(found(SHORT, -0.5), found(FULL, -0.7)).target.text == SHORT


def test_a_longer_word_for_the_same_is_nothing_more() -> None:
    assert weighed(found(SHORT, -0.5), found(LONG_WORD, -0.5)).target.text == SHORT


def test_one_that_did_not_end_or_was_cut_takes_no_place() -> None:
    for broken in ({"finished": False}, {"loop_cut": True}):
        assert weighed(found(SHORT, -0.5), found(FULL, -0.5, **broken)).target.text == SHORT


def test_what_was_not_taken_is_an_alternative_for_who_asks() -> None:
    options = {"alternatives": 1}
    aligned = weighed(found(SHORT, -0.5), found(FULL, -0.6), **options)
    assert [other.target.text for other in aligned.alternatives] == [SHORT]
    assert weighed(found(SHORT, -0.5), found(FULL, -0.6)).alternatives == ()


def test_what_follows_a_given_start_is_not_weighed() -> None:
    said = [found("abc" + text, mean) for text, mean in ((SHORT, -0.5), (FULL, -0.6))]
    aligned = weighed(*said, prefix="abc", alternatives=1)
    assert aligned.target.text == "abc" + SHORT


def test_alternatives_are_made_as_the_translation_is_and_are_others() -> None:
    aligned = finished(
        "Es sind 42 Kinder.",
        "They are 42 children.",
        "They are 24 kids.",
        "they are 42 children.",
        alternatives=3,
        alignment=AlignmentKind.NONE,
    )
    assert aligned.target.text == "They are 42 children."
    assert [other.target.text for other in aligned.alternatives] == ["They are 42 kids."]


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        (" ", " The house is old."),
        (" \n", " \nThe house is old."),
        ("\xa0", "\xa0The house is old."),
        ("The", "The house is old."),
        ("Thé", "Thé house is old."),
    ],
)
def test_a_prefix_takes_no_letter(prefix: str, expected: str) -> None:
    said = "The house is old."
    aligned = finished("Das Haus ist alt.", said, prefix=prefix, alignment=AlignmentKind.NONE)
    assert aligned.target.text == expected


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("BITTE NICHT STÖREN", "Please do not disturb", "PLEASE DO NOT DISTURB"),
        ("DIE STRASSE", "die Straße", "DIE STRASSE"),
        ("SENDEN SIE %s AN a.b@c.de!", "Send X1 to X1!", "SEND %s TO a.b@c.de!"),
        ("USA UND NATO", "USA and Nato", "USA and Nato"),
        ("Bitte NICHT stören", "Please do not disturb", "Please do not disturb"),
    ],
)
def test_what_is_all_in_capitals_is_so_in_the_translation(
    source: str, target: str, expected: str
) -> None:
    assert finished(source, target, **UNALIGNED).target.text == expected


def test_a_term_of_a_glossary_in_capitals_is_said_as_it_was_given() -> None:
    terms = Glossary((Term("STÖREN", "Disturb"),))
    made = finished("BITTE NICHT STÖREN", "please do not Disturb", **UNALIGNED, glossary=terms)
    assert made.target.text == "PLEASE DO NOT Disturb"


def test_pieces_keep_their_places_in_capitals() -> None:
    made = finished("DIE STRASSE", "ßa", **UNALIGNED)
    assert made.target == DetokenizedText("SSA", (Span(0, 2), Span(2, 3)))
