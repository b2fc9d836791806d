from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dragoman.pipeline.stretches import STRETCH_CHARACTERS, first_stretch, stretches
from dragoman.types import AnnotatedText, Span, StandIn


def cut(text: str, sentence: Span | None = None) -> list[Span]:
    return list(stretches(AnnotatedText(text, text), sentence or Span(0, len(text))))


def test_a_sentence_that_is_not_too_long_is_one() -> None:
    assert cut("a" * 2_000) == [Span(0, 2_000)]
    assert cut("", Span(0, 0)) == []


def test_a_long_one_is_cut_between_words() -> None:
    text = "aaaa " * 1_000
    first, second, third = cut(text, Span(0, 4_999))
    assert (first.start, third.end) == (0, 4_999)
    assert {text[span.start] for span in (first, second, third)} == {"a"}
    assert {text[span.end] for span in (first, second, third)} == {" "}


def test_white_space_alone_is_in_none() -> None:
    text = "ja" + " " * 9_000 + "nein"
    assert [span.of(text).strip() for span in cut(text)] == ["ja", "nein"]
    assert first_stretch(" " * 9_000, Span(0, 9_000)) == Span(4_000, 4_000)


def test_a_stand_in_is_not_cut() -> None:
    text = "a" * 6_000
    stand_in = StandIn(Span(1_900, 2_100), Span(1_900, 2_100), 0)
    annotated = AnnotatedText(text, text, stand_ins=(stand_in,))
    ends = [span.end for span in stretches(annotated, Span(0, 6_000))]
    assert ends[0] == 1_900
    assert not any(1_900 < end < 2_100 for end in ends)


@given(st.lists(st.tuples(st.sampled_from("ab .,\n"), st.integers(1, 1_500)), max_size=12))
def test_only_white_space_is_left_out(runs: list[tuple[str, int]]) -> None:
    text = "".join(character * count for character, count in runs)
    spans = cut(text)
    assert all(0 < len(span) <= STRETCH_CHARACTERS for span in spans)
    assert spans == sorted(spans)
    ends = [0, *(span.end for span in spans)]
    starts = [*(span.start for span in spans), len(text)]
    assert all(not text[a:b].strip() for a, b in zip(ends, starts, strict=True))
