"""The stages together, without a service: every segment is translated into itself."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.config import Limits
from dragoman.engines.fake import echo
from dragoman.errors import (
    BundleMismatchError,
    EngineError,
    SentenceTooLongError,
    TextTooLongError,
)
from dragoman.pipeline.draft import Draft
from dragoman.pipeline.hypotheses import hypotheses
from dragoman.pipeline.pipeline import Pipeline
from dragoman.service.batching import mini_batch
from dragoman.types import (
    AlignedSegment,
    AlignmentKind,
    LanguagePair,
    OverlongPolicy,
    Piece,
    Segment,
    Span,
    Timings,
    TranslationRequest,
    TranslationResponse,
)
from tests.support.cases.bad_texts import BAD_TEXTS
from tests.support.helpers import (
    CharacterTokenizer,
    WordTokenizer,
    assert_covers,
    hypothesis,
    manifest,
    pipeline,
    request,
)

ANY_TEXT = st.text(
    st.one_of(
        st.sampled_from("aZ .!?\n,„“\u0308\u200d😀🇩你。\x00\ud800\udc00-1"),
        st.characters(exclude_categories=()),
    ),
    max_size=80,
)


def run(made: Pipeline, asked: TranslationRequest) -> TranslationResponse:
    """The response when the engine copies."""
    draft = made.draft(1, asked)
    parts: list[Segment | AlignedSegment | Span] = []
    notices: list[Any] = []
    for part in made.slices(draft):
        parts += part.parts
        notices += part.notices
    return made.respond(draft, [translated(made, draft, p) for p in parts], notices, Timings())


def translated(
    made: Pipeline, draft: Draft, part: Segment | AlignedSegment | Span
) -> Span | AlignedSegment:
    if not isinstance(part, Segment):
        return part
    attention = draft.request.alignment is not AlignmentKind.NONE
    batch = mini_batch([part])
    (aligned,) = made.finish(draft, hypotheses(batch, echo(batch, attention), attention))
    return aligned


def segments(made: Pipeline, text: str, **options: Any) -> list[Segment | AlignedSegment | Span]:
    draft = made.draft(7, request(text, **options))
    return [part for piece in made.slices(draft) for part in piece.parts]


def test_a_vocabulary_that_does_not_fit() -> None:
    with pytest.raises(BundleMismatchError) as caught:
        Pipeline(manifest(vocabulary_size=8_000), CharacterTokenizer(), Limits())
    assert caught.value.details == {"vocabulary": 0x110002, "model": 8_000}


def test_segments() -> None:
    made = pipeline(WordTokenizer(), source_pieces=5)
    first, second = segments(made, "Guten Tag.  Ja!")
    assert isinstance(first, Segment)
    assert isinstance(second, Segment)
    assert (first.request, first.index, first.span) == (7, 0, Span(0, 10))
    assert [piece.span for piece in first.pieces] == [Span(0, 5), Span(5, 10)]
    assert first.limit == 2 * 2 + 12
    assert (second.request, second.index, second.span) == (7, 1, Span(12, 15))


def test_indexes_go_on_over_slices() -> None:
    made = pipeline(limits=Limits(slice_sentences=2), source_pieces=10)
    draft = made.draft(1, request("Eins.\nZwei.\n33\nVier.\nFünf, sechs, sieben.\nAcht."))
    found = [[getattr(part, "index", None) for part in s.parts] for s in made.slices(draft)]
    assert found == [[0, 1], [None, 3], [4, 5, 6]] or found[:2] == [[0, 1], [None, 3]]
    flat = [index for indexes in found for index in indexes]
    assert all(index in (None, place) for place, index in enumerate(flat))


def test_what_has_no_letters_is_copied() -> None:
    made = pipeline()
    draft = made.draft(1, request("12.\n你好。\n😀\nJa."))
    (only,) = made.slices(draft)
    assert [type(part) for part in only.parts] == [Span, Span, Span, Segment]
    (notice,) = only.notices  # numbers and emoji are no news, another script is
    assert (notice.code, notice.span) == ("sentence-copied", Span(4, 7))


def test_a_quantity_in_words_goes_to_a_model_of_another_pair() -> None:
    """English and German write it by rule, others have no rule for it."""
    made = pipeline(pair=LanguagePair("en", "fr"))
    draft = made.draft(1, request("Half past two.\n3 October 2024\n12.", source="en", target="fr"))
    (only,) = made.slices(draft)
    assert [type(part) for part in only.parts] == [Segment, Segment, Span]


@pytest.mark.parametrize("said", [")", "", " ...", "♥"])
@pytest.mark.parametrize("alignment", list(AlignmentKind))
def test_a_sentence_whose_translation_has_no_word_stays(
    said: str, alignment: AlignmentKind
) -> None:
    tokenizer = CharacterTokenizer()
    made = pipeline(tokenizer)
    asked = replace(request("Ja. Mach!"), alignment=alignment)
    draft = made.draft(1, asked)
    (only,) = made.slices(draft)
    first, second = cast(list[Segment], only.parts)
    (pieces,) = tokenizer.encode([said])
    ids = [piece.id for piece in pieces]
    rows = [[1.0, *[0.0] * (second.width - 1)] for _ in ids]
    silent = hypothesis(second, ids, rows, [-0.5] * (len(ids) + 1))
    parts = [translated(made, draft, first), *made.finish(draft, [silent])]
    response = made.respond(draft, parts, (), Timings())
    assert response.text == "Ja. Mach!"
    (notice,) = response.warnings
    assert (notice.code, notice.span) == ("sentence-kept", Span(4, 9))
    assert_covers(response)


def test_a_sentence_that_stays_is_aligned_with_itself_and_was_not_cut() -> None:
    made = pipeline(CharacterTokenizer())
    draft = made.draft(1, request("Mach mit!"))
    (only,) = made.slices(draft)
    (part,) = cast(list[Segment], only.parts)
    (pieces,) = CharacterTokenizer().encode([")))"])
    ids = [piece.id for piece in pieces]
    endless = replace(hypothesis(part, ids, [[0.0] * part.width] * 3), finished=False)
    response = made.respond(draft, made.finish(draft, [endless]), (), Timings())
    assert [notice.code for notice in response.warnings] == ["sentence-kept"]
    words = [Span(0, 4), Span(5, 8), Span(8, 9)]
    assert list(response.alignment.target_words) == words
    assert response.alignment.links == ((0, 0), (1, 1), (2, 2))


def test_a_sentence_without_pieces_is_copied() -> None:
    class Deaf(CharacterTokenizer):
        def encode(self, sentences: Sequence[str]) -> list[tuple[Piece, ...]]:
            return [() for _ in sentences]

    assert segments(pipeline(Deaf()), "Ja. Nein.") == [Span(0, 3), Span(4, 9)]


def test_over_long_is_wrapped_with_a_notice() -> None:
    text = "eins zwei drei, vier fünf sechs."
    response = run(pipeline(WordTokenizer(), source_pieces=4), request(text))
    assert response.text == text
    (notice,) = response.warnings
    assert (notice.code, notice.span) == ("sentence-wrapped", Span(0, 32))
    assert [s.source for s in response.sentences] == [Span(0, 15), Span(16, 32)]
    assert_covers(response)


def test_over_long_is_refused() -> None:
    made = pipeline(WordTokenizer(), source_pieces=4)
    asked = request("eins zwei drei, vier fünf sechs.", overlong=OverlongPolicy.REFUSE)
    with pytest.raises(SentenceTooLongError) as caught:
        list(made.slices(made.draft(1, asked)))
    assert (caught.value.requested, caught.value.allowed) == (6, 4)


def test_exactly_as_long_as_allowed() -> None:
    response = run(pipeline(WordTokenizer(), source_pieces=4), request("eins zwei drei vier."))
    assert response.warnings == ()
    assert len(response.sentences) == 1


class CutTokenizer(CharacterTokenizer):
    """A text that does not begin with "^" gets a piece a character and ten more in front: the
    pieces of a part are not those that it had in the whole."""

    def encode(self, sentences: Sequence[str]) -> list[tuple[Piece, ...]]:
        return [
            pieces if text.startswith("^") else (*[pieces[0]] * min(10, len(pieces)), *pieces)
            for text, pieces in zip(sentences, super().encode(sentences), strict=True)
        ]


def test_parts_that_get_more_pieces_than_before_lose_nothing() -> None:
    made = pipeline(CutTokenizer(), source_pieces=20)
    parts = [p for p in segments(made, "^" + "abcdefghij" * 20) if isinstance(p, Segment)]
    assert all(len(part.pieces) <= 20 for part in parts)
    assert (
        "".join(part.span.of("^" + "abcdefghij" * 20) for part in parts) == "^" + "abcdefghij" * 20
    )
    # Every character of every part is among its pieces.
    assert all(
        {p.span.end for p in part.pieces} >= set(range(1, len(part.span) + 1)) for part in parts
    )


def test_parts_without_letters_are_copied() -> None:
    """A long row of figures at a sentence's end is not sent to a model."""
    parts = segments(pipeline(source_pieces=20), "Ja " + "(12) " * 100)
    assert isinstance(parts[0], Segment)
    assert any(isinstance(part, Span) for part in parts)
    assert all("Ja" in p.span.of("Ja " + "😀" * 100) for p in parts if isinstance(p, Segment))


def test_neighbours_in_another_script_are_one_notice() -> None:
    """A Chinese page gives a notice for each stretch of it, not one a sentence."""
    made = pipeline(limits=Limits(slice_sentences=2))
    text = "Ja.\n你好。\n12.\n世界。\n你好。\nNein.\n你好。"
    draft = made.draft(1, request(text))
    notices = [notice for piece in made.slices(draft) for notice in piece.notices]
    assert [notice.span and notice.span.of(text) for notice in notices] == [
        "你好。\n12.\n世界。\n你好。",
        "你好。",
    ]


def test_slices_are_short() -> None:
    """Between two slices other requests get their turn, however long the sentences are."""
    made = pipeline(limits=Limits(slice_sentences=64))
    for text in ["Das ist ein Satz. " * 2_000, "ja, " * 10_000, "a" * 40_000, "😀" * 39_999 + "a"]:
        pieces = list(made.slices(made.draft(1, request(text))))
        assert len(pieces) > 5
        for piece in pieces:
            spans = [p.span if isinstance(p, Segment) else p for p in piece.parts]
            assert sum(len(span) for span in spans if isinstance(span, Span)) < 10_000
            assert all(isinstance(span, Span) for span in spans)
        assert sum(len(piece.notices) for piece in pieces) <= 1


def test_a_sentence_of_many_stretches_is_whole() -> None:
    text = "Anfang " + "wort, " * 5_000 + "Ende."
    response = run(pipeline(), request(text))
    assert response.text == text
    assert_covers(response)
    (notice,) = response.warnings
    assert notice.code == "sentence-wrapped"
    assert notice.message == f"an over-long sentence was cut into {len(response.sentences)} parts"
    assert all(s.source.of(text).startswith(("Anfang", "wort", "Ende")) for s in response.sentences)


def test_a_long_sentence_is_refused_with_its_own_figure() -> None:
    asked = request("wort " * 5_000, overlong=OverlongPolicy.REFUSE)
    made = pipeline(WordTokenizer())
    with pytest.raises(SentenceTooLongError) as caught:
        list(made.slices(made.draft(1, asked)))
    assert caught.value.requested == 5_000


def test_an_enormous_grapheme_is_tokenized_in_linear_time() -> None:
    seen: list[int] = []

    class Counting(CharacterTokenizer):
        def encode(self, sentences: Sequence[str]) -> list[tuple[Piece, ...]]:
            seen.extend(map(len, sentences))
            return super().encode(sentences)

    text = "Z" + "\u0335" * 50_000
    parts = segments(pipeline(Counting()), text)
    assert sum(seen) < 3 * len(text)
    assert sum(isinstance(part, Segment) for part in parts) == 1
    assert all(len(part.pieces) <= 80 for part in parts if isinstance(part, Segment))


def test_one_grapheme_over_the_limit() -> None:
    """Cannot be cut; the model sees as much of it as it takes."""
    (part,) = segments(pipeline(source_pieces=20), "a" + "\u0301" * 50)
    assert isinstance(part, Segment)
    assert part.span == Span(0, 51)
    assert len(part.pieces) == 20


@pytest.mark.parametrize(
    ("language", "text", "sentences", "words"),
    [
        ("zh", "我们是学生。你呢？", ["我们是学生。", "你呢？"], list("我们是学生。你呢？")),
        ("ja", "東京だ。Pythonは良い!", ["東京だ。", "Pythonは良い!"],
         [*"東京だ。", "Python", *"は良い!"]),
        ("th", "ที่นี่ ดี", ["ที่นี่ ดี"], ["ที่", "นี่", "ดี"]),
        ("ar", "كيف حالك؟ أنا بخير.", ["كيف حالك؟", "أنا بخير."],
         ["كيف", "حالك", "؟", "أنا", "بخير", "."]),
        ("fa", "سلام. «ABC» خوب است.", ["سلام.", "«ABC» خوب است."],
         ["سلام", ".", "«", "ABC", "»", "خوب", "است", "."]),
        ("he", "שלום, Welt! טוב.", ["שלום, Welt!", "טוב."],
         ["שלום", ",", "Welt", "!", "טוב", "."]),
        ("bn", "আমি ভালো। তুমি?", ["আমি ভালো।", "তুমি?"], ["আমি", "ভালো", "।", "তুমি", "?"]),
        ("be", "Добры дзень.", ["Добры дзень."], ["Добры", "дзень", "."]),
    ],
)  # fmt: skip
def test_other_scripts_are_translated_and_have_ranges(
    language: str, text: str, sentences: list[str], words: list[str]
) -> None:
    made = pipeline(pair=LanguagePair(language, "en"))
    response = run(made, request(text, source=language))
    assert response.warnings == ()
    assert [sentence.source.of(text) for sentence in response.sentences] == sentences
    assert [word.of(text) for word in response.alignment.source_words] == words
    assert response.alignment.links == tuple((n, n) for n in range(len(words)))
    assert_covers(response)


def test_text_too_long() -> None:
    made = pipeline(limits=Limits(text_characters=10))
    made.draft(1, request("a" * 10))
    with pytest.raises(TextTooLongError) as caught:
        made.draft(1, request("a" * 11))
    assert (caught.value.requested, caught.value.allowed) == (11, 10)
    with pytest.raises(TextTooLongError):
        pipeline().draft(1, request("ab cd ef " * 120_000))  # 1 MB


@pytest.mark.parametrize("ids", [[-1], [CharacterTokenizer.size], [70, 2**31 - 1]])
def test_ids_out_of_the_vocabulary_are_an_engine_error(ids: list[int]) -> None:
    made = pipeline()
    draft = made.draft(1, request("Ja"))
    ((part,),) = [cast(list[Segment], s.parts) for s in made.slices(draft)]
    with pytest.raises(EngineError, match="vocabulary"):
        made.finish(draft, [hypothesis(part, ids, [[1.0, 0.0, 0.0]] * len(ids))])


def test_an_unfinished_translation_is_noted() -> None:
    made = pipeline()
    draft = made.draft(1, request("Ja. Nein."))
    parts = [part for piece in made.slices(draft) for part in cast(list[Segment], piece.parts)]
    aligned = []
    for part in parts:
        batch = mini_batch([part])
        (found,) = hypotheses(batch, echo(batch, attention=True), attention=True)
        aligned += made.finish(draft, [found])
    cut = aligned[1]
    aligned[1] = replace(cut, hypothesis=replace(cut.hypothesis, finished=False))
    response = made.respond(draft, aligned, [], Timings())
    assert [(w.code, w.span) for w in response.warnings] == [("translation-cut", Span(4, 9))]


def only_segment(made: Pipeline, draft: Draft) -> Segment:
    """The one part of a draft, which is to be translated."""
    ((part,),) = [piece.parts for piece in made.slices(draft)]
    assert isinstance(part, Segment)
    return part


@pytest.mark.parametrize("kind", list(AlignmentKind))
def test_two_literals_change_places_where_the_attention_says_so(kind: AlignmentKind) -> None:
    tokenizer = WordTokenizer()
    made = pipeline(tokenizer)
    draft = made.draft(1, request("am 3.5.2024 für 12,50 EUR da", kind))
    part = only_segment(made, draft)
    assert made.needs_attention(draft, part)
    (pieces,) = tokenizer.encode(["X1 da für am X1"])
    looks = [3, 4, 2, 0, 1]
    rows = [[float(column == look) for column in range(part.width)] for look in looks]
    (aligned,) = made.finish(draft, [hypothesis(part, [piece.id for piece in pieces], rows)])
    assert aligned.target.text == "12.50\xa0EUR da für am 3.5.2024"
    assert isinstance(aligned, AlignedSegment)
    assert bool(aligned.hypothesis.attention) is (kind is AlignmentKind.SOFT)


def test_a_phrase_that_is_said_twice_is_said_once_with_a_notice() -> None:
    tokenizer = WordTokenizer()
    made = pipeline(tokenizer)
    draft = made.draft(1, request("so gehen wir nun", AlignmentKind.HARD))
    part = only_segment(made, draft)
    (pieces,) = tokenizer.encode(["in this way In this way we go"])
    looks = [0, 0, 0, 3, 3, 3, 2, 1]
    rows = [[float(column == look) for column in range(part.width)] for look in looks]
    aligned = made.finish(draft, [hypothesis(part, [piece.id for piece in pieces], rows)])
    response = made.respond(draft, aligned, [], Timings())
    assert response.text == "in this way we go"
    assert [notice.code for notice in response.warnings] == ["loop-cut"]
    words = response.alignment
    assert [
        (words.source_words[s].of("so gehen wir nun"), words.target_words[t].of(response.text))
        for s, t in words.links
    ] == [("so", "in"), ("so", "this"), ("so", "way"), ("gehen", "go"), ("wir", "we")]


def test_one_literal_needs_no_attention_but_for_alignment() -> None:
    made = pipeline()
    for kind in AlignmentKind:
        draft = made.draft(1, request("Schreiben Sie an a@b.de", kind))
        part = only_segment(made, draft)
        assert made.needs_attention(draft, part) is (kind is not AlignmentKind.NONE)


@pytest.mark.parametrize("kind", list(AlignmentKind))
def test_attention_is_kept_only_for_soft(kind: AlignmentKind) -> None:
    made = pipeline()
    draft = made.draft(1, request("Ja", kind))
    ((part,),) = [s.parts for s in made.slices(draft)]
    result = translated(made, draft, part)
    assert isinstance(result, AlignedSegment)
    assert bool(result.hypothesis.attention) is (kind is AlignmentKind.SOFT)
    response = made.respond(draft, [result], [], Timings())
    assert (response.sentences[0].soft is not None) is (kind is AlignmentKind.SOFT)
    assert bool(response.alignment.links) is (kind is not AlignmentKind.NONE)


@pytest.mark.parametrize("text", BAD_TEXTS.values(), ids=BAD_TEXTS)
@pytest.mark.parametrize("kind", list(AlignmentKind))
def test_bad_texts_come_through_whole(text: str, kind: AlignmentKind) -> None:
    made = pipeline()
    response = run(made, request(text, kind))
    assert_covers(response)
    seen = made.draft(1, request(text)).annotated.text
    if "many combining" not in text and "\u0335" not in text:
        assert len(response.text) == len(text)
        assert all(a in (b, c) for a, b, c in zip(response.text, seen, text, strict=True))


@given(ANY_TEXT, st.sampled_from(list(AlignmentKind)), st.integers(2, 12))
@settings(max_examples=300)
def test_any_text_is_covered(text: str, kind: AlignmentKind, source_pieces: int) -> None:
    response = run(pipeline(source_pieces=source_pieces), request(text, kind))
    assert_covers(response)
    if kind is AlignmentKind.SOFT:
        for sentence in response.sentences:
            if sentence.soft is not None:
                rows, columns = len(sentence.soft.target), len(sentence.soft.source)
                assert len(sentence.soft.matrix) == rows * columns
                assert sum(sentence.soft.matrix) == rows


@given(ANY_TEXT)
@settings(max_examples=100)
def test_words_of_echo_are_linked_to_themselves(text: str) -> None:
    response = run(pipeline(), request(text))
    alignment = response.alignment
    if response.text == text:
        assert alignment.links == tuple((i, i) for i in range(len(alignment.source_words)))
