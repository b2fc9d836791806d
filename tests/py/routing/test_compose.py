"""Two legs become one response: sentences kept, links justified by chains, matrices multiplied."""

import asyncio
from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine
from dragoman.routing.compose import compose, join
from dragoman.service.service import TranslationService
from dragoman.types import (
    AlignmentKind,
    Alternative,
    LanguagePair,
    Notice,
    SentenceTranslation,
    SoftAlignment,
    Span,
    Timings,
    TranslationResponse,
    WordAlignment,
)
from tests.support.helpers import assert_covers, pipeline, request

DE_EN, EN_FR = LanguagePair("de", "en"), LanguagePair("en", "fr")


def spans(text: str, *words: str) -> tuple[Span, ...]:
    """Where some words stand in a text, in order."""
    pieces, at = [], 0
    for word in words:
        at = text.index(word, at)
        pieces.append(Span(at, at + len(word)))
        at += len(word)
    return tuple(pieces)


def response(
    pair: LanguagePair,
    source: str,
    target: str,
    sentences: Sequence[tuple[str, str, float]],
    source_words: Sequence[str] = (),
    target_words: Sequence[str] = (),
    links: Sequence[tuple[int, int]] = (),
    **more: Any,
) -> TranslationResponse:
    """`sentences`: (source, target, score), by their text."""
    starts = spans(source, *(s for s, _, _ in sentences))
    ends = spans(target, *(t for _, t, _ in sentences))
    return TranslationResponse(
        request(source, source=pair.source, target=pair.target),
        target,
        tuple(
            SentenceTranslation(start, end, score)
            for start, end, (_, _, score) in zip(starts, ends, sentences, strict=True)
        ),
        WordAlignment(
            spans(source, *source_words),
            spans(target, *target_words),
            tuple(links),
            tuple([0.5] * len(target_words)),
        ),
        **more,
    )


# --- words ---------------------------------------------------------------------------------------

FIRST = response(
    DE_EN,
    "Guten Morgen, Welt!", "Good morning, world!",
    [("Guten Morgen, Welt!", "Good morning, world!", 0.5)],
    ["Guten", "Morgen", ",", "Welt", "!"], ["Good", "morning", ",", "world", "!"],
    [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)],
)  # fmt: skip
SECOND = response(
    EN_FR,
    "Good morning, world!", "Bonjour le monde !",
    [("Good morning, world!", "Bonjour le monde !", 0.5)],
    ["Good", "morning", ",", "world", "!"], ["Bonjour", "le", "monde", "!"],
    [(0, 0), (1, 0), (3, 2), (4, 3)],
)  # fmt: skip


def test_links_go_through_the_middle_words() -> None:
    made = compose(FIRST, SECOND)
    assert (made.request.text, made.text) == ("Guten Morgen, Welt!", "Bonjour le monde !")
    assert (made.request.source, made.request.target) == ("de", "fr")
    named = [
        (made.alignment.source_words[s].of(made.request.text),
         made.alignment.target_words[t].of(made.text))
        for s, t in made.alignment.links
    ]  # fmt: skip
    assert named == [
        ("Guten", "Bonjour"),
        ("Morgen", "Bonjour"),
        ("Welt", "monde"),
        ("!", "!"),
    ]
    # Each leg's 0.5; "le" comes from no source word.
    assert made.alignment.scores == (0.25, 0.5, 0.25, 0.25)
    assert made.sentences == (SentenceTranslation(Span(0, 19), Span(0, 18), 0.25),)


def test_alternatives_are_the_second_legs_with_links_from_the_source() -> None:
    other = Alternative(
        "Salut le monde !", 0.4, spans("Salut le monde !", "Salut", "le", "monde", "!"),
        ((0, 0), (1, 0), (3, 2), (4, 3)), (0.5, 0.5, 0.5, 0.5),
    )  # fmt: skip
    (sentence,) = SECOND.sentences
    second = replace(SECOND, sentences=(replace(sentence, alternatives=(other,)),))
    (composed,) = compose(FIRST, second).sentences[0].alternatives
    assert composed.text == "Salut le monde !"
    assert composed.links == ((0, 0), (1, 0), (3, 2), (4, 3))
    assert composed.score == 0.5 * 0.4
    assert not composed.doubtful


@pytest.mark.parametrize("legs", [(True, False), (False, True)])
def test_an_alternative_is_doubtful_where_a_leg_is(legs: tuple[bool, bool]) -> None:
    first, second = (
        replace(leg, sentences=(replace(leg.sentences[0], doubtful=doubtful),))
        for leg, doubtful in zip((FIRST, SECOND), (legs[0], False), strict=True)
    )
    other = Alternative("Salut !", 0.4, doubtful=legs[1])
    said = replace(second.sentences[0], alternatives=(other,))
    (composed,) = compose(first, replace(second, sentences=(said,))).sentences[0].alternatives
    assert composed.doubtful


def test_links_of_alternatives_count_the_words_of_the_whole() -> None:
    other = Alternative("Hi", 0.4, (Span(0, 2),), ((1, 0),), (0.5,))
    (sentence,) = FIRST.sentences
    part = replace(FIRST, sentences=(replace(sentence, alternatives=(other,)),))
    joined = join(FIRST.request, [part, " ", part])
    assert [s.alternatives[0].links for s in joined.sentences] == [((1, 0),), ((6, 0),)]


def test_middle_words_that_are_cut_differently_meet_by_overlap() -> None:
    first = response(
        DE_EN, "Hundehütte", "dog-house", [("Hundehütte", "dog-house", 1.0)],
        ["Hundehütte"], ["dog-house"], [(0, 0)],
    )  # fmt: skip
    second = response(
        EN_FR, "dog-house", "niche à chien", [("dog-house", "niche à chien", 1.0)],
        ["dog", "-", "house"], ["niche", "à", "chien"], [(0, 2), (2, 0)],
    )  # fmt: skip
    assert compose(first, second).alignment.links == ((0, 0), (0, 2))


def test_a_broken_chain_is_no_link() -> None:
    first = replace(FIRST, alignment=replace(FIRST.alignment, links=((0, 0),)))
    second = replace(SECOND, alignment=replace(SECOND.alignment, links=((1, 0), (3, 2))))
    assert compose(first, second).alignment.links == ()


def test_without_alignment_the_sentences_are_composed() -> None:
    none = WordAlignment()
    made = compose(replace(FIRST, alignment=none), replace(SECOND, alignment=none))
    assert made.alignment == none
    assert len(made.sentences) == 1


# --- sentences -----------------------------------------------------------------------------------


def test_a_sentence_that_the_second_leg_cut_stays_one() -> None:
    first = response(DE_EN, " Eins.\nZwei.", " One a b.\nTwo.",
                     [("Eins.", "One a b.", 0.5), ("Zwei.", "Two.", 1.0)])  # fmt: skip
    second = response(
        EN_FR, " One a b.\nTwo.", " Un x.\nDeux.",
        [("One a", "Un", 0.25), ("b.", "x.", 1.0), ("Two.", "Deux.", 0.5)],
    )  # fmt: skip
    made = compose(first, second)
    assert [(s.source.of(made.request.text), s.target.of(made.text)) for s in made.sentences] == [
        ("Eins.", "Un x."),
        ("Zwei.", "Deux."),
    ]
    assert [sentence.score for sentence in made.sentences] == [0.25, 0.5]
    assert_covers(made)


def test_a_middle_sentence_with_white_space_around_it_or_nothing_in_it() -> None:
    first = TranslationResponse(
        request("A.B.C."), "  x.  ",
        (SentenceTranslation(Span(0, 2), Span(0, 0), 1.0),
         SentenceTranslation(Span(2, 4), Span(0, 6), 1.0),
         SentenceTranslation(Span(4, 6), Span(6, 6), 1.0)),
    )  # fmt: skip
    second = TranslationResponse(
        request("  x.  ", source="en", target="fr"), "  long.  ",
        (SentenceTranslation(Span(2, 4), Span(2, 7), 1.0),),
    )  # fmt: skip
    made = compose(first, second)
    assert [sentence.target for sentence in made.sentences] == [Span(0, 0), Span(0, 9), Span(9, 9)]
    assert_covers(made)


def test_legs_that_do_not_follow_on_each_other() -> None:
    with pytest.raises(ValueError, match="another text"):
        compose(FIRST, replace(SECOND, request=request("Good night.")))
    two = response(DE_EN, "Guten Morgen, Welt!", "Good morning, world!",
                   [("Guten Morgen,", "Good morning,", 1.0), ("Welt!", "world!", 1.0)])  # fmt: skip
    with pytest.raises(ValueError, match="in none of the first"):
        compose(two, SECOND)


def test_warnings_and_timings_of_both_legs() -> None:
    first = replace(
        FIRST,
        warnings=(Notice("sentence-copied", "one", Span(0, 5)),),
        timings=Timings(1, 1, 1, 1, 4),
    )
    second = replace(
        SECOND,
        warnings=(Notice("translation-cut", "two", Span(5, 7)), Notice("x", "three")),
        timings=Timings(0, 1, 2, 0, 3),
    )
    made = compose(first, second)
    assert made.warnings == (
        Notice("sentence-copied", "one", Span(0, 5)),
        Notice("translation-cut", "two", Span(0, 19)),  # the source sentence it came from
        Notice("x", "three"),
    )
    assert made.timings == Timings(1, 2, 3, 1, 7)


# --- soft ----------------------------------------------------------------------------------------


def soft(
    source: tuple[Span, ...], target: tuple[Span, ...], rows: Sequence[Sequence[float]]
) -> SoftAlignment:
    return SoftAlignment(source, target, array("f", [cell for row in rows for cell in row]))


def test_matrices_are_multiplied_by_overlap_in_the_middle() -> None:
    a, end = (Span(0, 1), Span(1, 2)), Span(2, 2)
    first = soft((*a, end), (Span(0, 2), Span(2, 4)), [[0.75, 0.25, 0.0], [0.0, 0.5, 0.5]])
    # The second leg cut the middle into three: [0, 2), [2, 3) and [3, 4).
    second = soft(
        (Span(0, 2), Span(2, 3), Span(3, 4), Span(4, 4)),
        (Span(0, 5),),
        [[0.5, 0.125, 0.125, 0.25]],
    )
    legs = [
        replace(
            TranslationResponse(request("ab"), "wxyz", ()),
            sentences=(SentenceTranslation(Span(0, 2), Span(0, 4), 1.0, first),),
        ),
        TranslationResponse(
            request("wxyz", source="en", target="fr"), "12345",
            (SentenceTranslation(Span(0, 4), Span(0, 5), 1.0, second),),
        ),
    ]  # fmt: skip
    made = compose(*legs).sentences[0].soft
    assert made is not None
    assert made.source == (*a, end)
    assert made.target == (Span(0, 5),)
    assert list(made.matrix) == [0.375, 0.25, 0.375]  # 0.25 of which looked at the middle's end
    # A middle piece across two of the first leg's is shared by how much it has of each.
    across = soft((Span(0, 4), Span(4, 4)), (Span(0, 5),), [[1.0, 0.0]])
    legs[1] = replace(legs[1], sentences=(replace(legs[1].sentences[0], soft=across),))
    made = compose(*legs).sentences[0].soft
    assert made is not None
    assert list(made.matrix) == [0.375, 0.375, 0.25]


# --- real legs -----------------------------------------------------------------------------------


def pivoted(
    text: str,
    kind: AlignmentKind,
    first_model: Callable[[int], int] = int,
    second_model: Callable[[int], int] = int,
    pieces: int = 80,
) -> tuple[list[TranslationResponse], TranslationResponse]:
    async def run() -> tuple[list[TranslationResponse], TranslationResponse]:
        legs: list[Any] = []
        for pair, model in ((DE_EN, first_model), (EN_FR, second_model)):
            made = TranslationService(
                pipeline(pair=pair, source_pieces=pieces), EchoEngine(model), Limits()
            )
            asked = request(text, kind, source=pair.source, target=pair.target)
            if legs:
                sentences = tuple(sentence.target for sentence in legs[0].sentences)
                asked = replace(asked, text=legs[0].text, sentences=sentences)
            legs.append(await made.translate(asked))
            await made.close()
        return legs, compose(*legs)

    return asyncio.run(run())


TEXTS = st.text(st.sampled_from("ab cD.!?\n\t,1日。😀\u0301-'"), max_size=60) | st.text(max_size=40)


@given(TEXTS, st.sampled_from(AlignmentKind), st.sampled_from([4, 80]), st.booleans())
@settings(max_examples=250, deadline=None)
def test_any_pivot_keeps_the_invariants(
    text: str, kind: AlignmentKind, pieces: int, spaced: bool
) -> None:
    """The first model may make spaces of some letters: middle sentences begin and end with them."""

    def some_to_spaces(id_: int) -> int:
        return ord(" ") + 2 if spaced and id_ % 3 == 0 else id_

    legs, made = pivoted(text, kind, some_to_spaces, int, pieces)
    first, second = legs
    assert made.request.text == text
    assert made.text == second.text
    assert [sentence.source for sentence in made.sentences] == [
        sentence.source for sentence in first.sentences
    ]
    assert_covers(made)
    chains_ = {
        (source, target)
        for source, b in first.alignment.links
        for b_, target in second.alignment.links
        if first.alignment.target_words[b].overlaps(second.alignment.source_words[b_])
    }
    assert set(made.alignment.links) == chains_
    for sentence in made.sentences:
        if sentence.soft is None:
            continue
        columns = len(sentence.soft.source)
        assert len(sentence.soft.matrix) == columns * len(sentence.soft.target)
        for row in range(len(sentence.soft.target)):
            assert sum(sentence.soft.matrix[row * columns : (row + 1) * columns]) == pytest.approx(
                1, abs=1e-4
            )
        assert sentence.soft.source[0].start >= sentence.source.start
        assert sentence.soft.source[-1] == Span(sentence.source.end, sentence.source.end)


def test_a_pivot_of_copies_is_a_copy() -> None:
    legs, made = pivoted("Ja, gut. Nein!", AlignmentKind.SOFT)
    assert made.alignment == legs[0].alignment
    assert made.sentences == legs[0].sentences


def test_what_one_leg_copies_the_other_aligns() -> None:
    """No letters of German in the first sentence; the first leg makes none of English."""
    lost = ord("日") + 2
    legs, made = pivoted("日本。\nJ.", AlignmentKind.SOFT, lambda _: lost)
    assert made.text == "日本。\n日日"
    assert made.sentences[0].soft is None
    soft, first = made.sentences[1].soft, legs[0].sentences[1].soft
    assert soft is not None
    assert first is not None
    assert soft.matrix == first.matrix
    assert {notice.code for notice in made.warnings} == {"sentence-copied"}


# --- side by side --------------------------------------------------------------------------------


def test_nothing_joined_is_an_empty_response() -> None:
    made = join(request("x"), [])
    assert (made.request.text, made.text, made.sentences) == ("", "", ())


def test_constants_are_gaps() -> None:
    made = join(FIRST.request, ["# ", FIRST, " = ", FIRST])
    assert made.request.text == "# Guten Morgen, Welt! = Guten Morgen, Welt!"
    assert made.text == "# Good morning, world! = Good morning, world!"
    assert_covers(made)
    assert len(made.alignment.links) == 10
    for source, target in made.alignment.links:
        assert source == target
    words = [span.of(made.text) for span in made.alignment.target_words]
    assert words == ["Good", "morning", ",", "world", "!"] * 2


def test_joined_warnings_and_timings() -> None:
    noted = replace(
        FIRST,
        warnings=(Notice("a", "one", Span(0, 5)), Notice("b", "two")),
        timings=Timings(1, 2, 3, 4, 10),
    )
    made = join(FIRST.request, ["__", noted, noted])
    spans_ = [notice.span for notice in made.warnings]
    assert spans_ == [Span(2, 7), None, Span(21, 26), None]
    assert made.timings == Timings(1, 4, 6, 8, 10)
