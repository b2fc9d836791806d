from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dragoman.pipeline.assemble import assemble
from dragoman.types import (
    AlignedSegment,
    AlignmentKind,
    AnnotatedText,
    DetokenizedText,
    Hypothesis,
    Notice,
    Piece,
    Segment,
    SentenceTranslation,
    SoftAlignment,
    Span,
    Timings,
    TranslationResponse,
)
from tests.support.helpers import assert_covers, request


def translated(
    start: int, source: str, target: str, attention: array[float] | None = None
) -> AlignedSegment:
    """One word, one piece a side."""
    pieces = (Piece(9, Span(0, len(source))),)
    of = Segment(1, 0, Span(start, start + len(source)), pieces, 99)
    made = Hypothesis(of, (4,), (math.log(0.5),), attention or array("f"), finished=True)
    word = (Span(0, len(target)),)
    return AlignedSegment(
        made, DetokenizedText(target, word), (Span(0, len(source)),), word, ((0, 0),), (0.5,), 0.5
    )


def response(
    text: str,
    parts: Sequence[Span | AlignedSegment],
    alignment: AlignmentKind = AlignmentKind.HARD,
    notices: Sequence[Any] = (),
    original: str | None = None,
) -> TranslationResponse:
    annotated = AnnotatedText(original or text, text)
    asked = request(original or text, alignment)
    return assemble(asked, annotated, parts, notices, Timings(total=1.0))


def test_gaps_are_the_sources_own() -> None:
    answer = response(" Ja \n\nNein\t", [translated(1, "Ja", "Yes"), translated(6, "Nein", "No")])
    assert answer.text == " Yes \n\nNo\t"
    assert answer.sentences == (
        SentenceTranslation(Span(1, 3), Span(1, 4), 0.5),
        SentenceTranslation(Span(6, 10), Span(7, 9), 0.5),
    )
    assert answer.alignment.source_words == (Span(1, 3), Span(6, 10))
    assert answer.alignment.target_words == (Span(1, 4), Span(7, 9))
    assert answer.alignment.links == ((0, 0), (1, 1))
    assert answer.alignment.scores == (0.5, 0.5)
    assert answer.timings.total == 1.0
    assert_covers(answer)


def test_each_hypothesis_is_doubtful_by_its_own_score() -> None:
    first, second = translated(0, "Ja", "Yes"), replace(translated(0, "Ja", "Aye"), score=0.3)
    asked = request("Ja", AlignmentKind.HARD)
    part = replace(first, alternatives=(second,))
    assembled = assemble(asked, AnnotatedText("Ja", "Ja"), [part], (), Timings(), good_from=0.4)
    (sentence,) = assembled.sentences
    assert not sentence.doubtful
    assert [(one.text, one.doubtful) for one in sentence.alternatives] == [("Aye", True)]


def test_nothing_to_translate() -> None:
    assert response("", []).text == ""
    assert response(" \n", []).text == " \n"
    assert response(" \n", []).sentences == ()


def test_a_copied_sentence_is_aligned_with_itself() -> None:
    answer = response(
        "Ja 你好! Ja", [translated(0, "Ja", "Yes"), Span(3, 6), translated(7, "Ja", "Yes")]
    )
    assert answer.text == "Yes 你好! Yes"
    assert answer.sentences[1] == SentenceTranslation(Span(3, 6), Span(4, 7), 1.0)
    assert answer.alignment.source_words == (Span(0, 2), Span(3, 5), Span(5, 6), Span(7, 9))
    assert answer.alignment.target_words == (Span(0, 3), Span(4, 6), Span(6, 7), Span(8, 11))
    assert answer.alignment.links == ((0, 0), (1, 1), (2, 2), (3, 3))
    assert answer.alignment.scores == (0.5, 1.0, 1.0, 0.5)
    assert_covers(answer)


def test_what_is_copied_is_the_original() -> None:
    """Not what the stages saw of it: lone surrogates and control characters come back."""
    answer = response(
        "\ufffd 12 Ja ", [Span(0, 4), translated(5, "Ja", "Yes")], original="\ud800\x0012\x01Ja\x00"
    )
    assert answer.text == "\ud800\x0012\x01Yes\x00"


def test_no_alignment() -> None:
    part = translated(0, "Ja", "Yes")
    bare = AlignedSegment(part.hypothesis, part.target, (), (), (), (), 0.5)
    answer = response("Ja 12", [bare, Span(3, 5)], AlignmentKind.NONE)
    assert answer.alignment.source_words == answer.alignment.target_words == ()
    assert (answer.alignment.links, answer.alignment.scores) == ((), ())
    assert [s.soft for s in answer.sentences] == [None, None]


def test_soft() -> None:
    answer = response(
        " Ja 12",
        [translated(1, "Ja", "Yes", array("f", [0.75, 0.25])), Span(4, 6)],
        AlignmentKind.SOFT,
    )
    assert answer.sentences[0].soft == SoftAlignment(
        source=(Span(1, 3), Span(3, 3)), target=(Span(1, 4),), matrix=array("f", [0.75, 0.25])
    )
    assert answer.sentences[1].soft is None


def test_an_empty_translation_keeps_its_place() -> None:
    answer = response("Ja. Nein", [translated(0, "Ja.", ""), translated(4, "Nein", "No")])
    assert answer.text == " No"
    assert answer.sentences[0].target == Span(0, 0)


def test_notices() -> None:
    notice = Notice("sentence-copied", "why", Span(0, 2))
    assert response("12", [Span(0, 2)], notices=[notice]).warnings == (notice,)
