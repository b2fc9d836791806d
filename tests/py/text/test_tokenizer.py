"""With the small SentencePiece model of `tests/fixtures/tiny.spm`."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sentencepiece import SentencePieceProcessor

from dragoman.errors import BundleCorruptError
from dragoman.text.openings import with_openings
from dragoman.text.tokenizer import SentencePieceTokenizer
from dragoman.types import EOS_ID, DetokenizedText, Piece, Span
from tests.support.hosts import TINY_VOCABULARY
from tests.support.paths import ROOT

tokenizer = SentencePieceTokenizer(TINY_VOCABULARY.read_bytes())


def assert_in_order(spans: Sequence[Span], length: int) -> None:
    last = 0
    for span in spans:
        assert last <= span.start <= span.end <= length
        last = span.end


@pytest.mark.parametrize(
    "content", [b"", b"not a model", TINY_VOCABULARY.read_bytes()[:-1], b"\x00" * 1000]
)
def test_not_a_model(content: bytes) -> None:
    with pytest.raises(BundleCorruptError):
        SentencePieceTokenizer(content)


def test_pieces_that_are_no_text_are_an_error_where_they_are_met() -> None:
    content = TINY_VOCABULARY.read_bytes()
    damaged = SentencePieceTokenizer(content.replace(b"\n\x02er", b"\n\x02\xd6\xd6", 1))
    (piece,) = (n for n in range(tokenizer.size) if tokenizer.decode([[n]])[0].text == "er")
    with pytest.raises(BundleCorruptError, match="one of its pieces is not UTF-8"):
        damaged.decode([[piece]])
    with pytest.raises(BundleCorruptError, match="one of its pieces is not UTF-8"):
        damaged.prefix("wer")


def test_a_piece_that_would_end_the_process_is_an_error() -> None:
    """SentencePiece does not throw but aborts where a piece begins with NUL."""
    content = TINY_VOCABULARY.read_bytes()
    for one, other in (
        (b"\n\x02er", b"\n\x02\0r"),
        (b"\n\x02er", b"\n\x02e\0"),
        # A piece whose fields are in another order, as SentencePiece never writes them.
        (b"\n\x09\n\x02er\x15", b"\n\x0d\x22\x02er\n\x02\0r\x15"),
    ):
        assert one in content
        with pytest.raises(BundleCorruptError, match="one of its pieces has a NUL"):
            SentencePieceTokenizer(content.replace(one, other, 1))


def test_two_pieces_that_are_no_text_are_an_error_at_once() -> None:
    content = TINY_VOCABULARY.read_bytes()
    for piece in (b"er", b"en"):
        content = content.replace(b"\n\x02" + piece, b"\n\x02\xd6\xd6", 1)
    with pytest.raises(BundleCorruptError, match="one of its pieces is not UTF-8"):
        SentencePieceTokenizer(content)


def test_size() -> None:
    assert tokenizer.size > 256


def test_spans_are_in_the_sentence_itself() -> None:
    (pieces,) = tokenizer.encode(["the  reader"])
    assert pieces[0].span.start == 0
    assert pieces[-1].span.end == 11
    assert_in_order([piece.span for piece in pieces], 11)


def test_no_eos() -> None:
    for pieces in tokenizer.encode(["the reader", "", " "]):
        assert EOS_ID not in [piece.id for piece in pieces]


def test_empty() -> None:
    assert tokenizer.encode([]) == []
    assert tokenizer.encode([""]) == [()]
    assert tokenizer.decode([[]])[0].text == ""
    assert tokenizer.decode([[]])[0].spans == ()


def written(piece: int) -> str:
    return tokenizer.decode([[piece]])[0].text


def test_a_prefix_is_cut_as_any_text_and_may_end_within_a_piece() -> None:
    steps = tokenizer.prefix("the read")
    assert [step.piece for step in steps] == [
        piece.id for piece in tokenizer.encode(["the read"])[0]
    ]
    assert all(step.piece in step.allowed for step in steps)
    assert all(list(step.allowed) == sorted(set(step.allowed)) for step in steps)
    last = {written(piece) for piece in steps[-1].allowed}
    assert all(text.startswith(written(steps[-1].piece)) for text in last)


def test_white_space_at_the_end_of_a_prefix_ends_its_word() -> None:
    *steps, space = tokenizer.prefix("the ")
    assert [step.piece for step in steps] == [step.piece for step in tokenizer.prefix("the")]
    assert all(
        tokenizer.decode([[steps[0].piece, piece]])[0].text.startswith("the ")
        for piece in space.allowed
        if len(steps) == 1
    )
    assert len(space.allowed) > 10
    assert tokenizer.normalized("the ") == "the "
    assert tokenizer.normalized("  the   ﬁ") == "the fi"


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
@settings(max_examples=100)
def test_whatever_a_prefix_is_its_own_pieces_say_it(text: str) -> None:
    steps = tokenizer.prefix(text)
    said = tokenizer.decode([[step.piece for step in steps]])[0].text
    assert said.rstrip() == tokenizer.normalized(text).rstrip()


def test_several_rows() -> None:
    one, other = tokenizer.encode(["the reader", "the"])
    assert (one,) == tuple(tokenizer.encode(["the reader"]))
    assert (other,) == tuple(tokenizer.encode(["the"]))


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
@settings(max_examples=200)
def test_any_text_has_pieces_in_order(text: str) -> None:
    (pieces,) = tokenizer.encode([text])
    assert_in_order([piece.span for piece in pieces], len(text))
    assert all(0 <= piece.id < tokenizer.size for piece in pieces)


@given(st.lists(st.integers(1, tokenizer.size - 1), max_size=12))
@settings(max_examples=200)
def test_any_ids_have_spans_that_cover_the_text(ids: list[int]) -> None:
    (decoded,) = tokenizer.decode([ids])
    assert len(decoded.spans) == len(ids)
    assert_in_order(decoded.spans, len(decoded.text))
    assert "".join(span.of(decoded.text) for span in decoded.spans) == decoded.text


WITH_OPENINGS = (ROOT / "models" / "de-en" / "vocabulary.spm").read_bytes()
EMBEDDED = WITH_OPENINGS.removesuffix(with_openings(b"", "\"'„“”‚‘’»«›‹([{"))
VOCABULARIES = [
    (SentencePieceTokenizer(model), SentencePieceProcessor(model_proto=model))
    for model in (TINY_VOCABULARY.read_bytes(), EMBEDDED)
]


@pytest.mark.parametrize(("own", "reference"), VOCABULARIES)
@given(
    text=st.one_of(
        st.text(st.sampled_from("Thedr 1,.ß\u2581\u00a0é🎉<>s/"), max_size=30),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    )
)
@settings(max_examples=300)
def test_pieces_are_those_of_sentencepiece(
    own: SentencePieceTokenizer, reference: SentencePieceProcessor, text: str
) -> None:
    encoded = reference.encode(text, out_type="immutable_proto")
    expected = tuple(Piece(piece.id, Span(piece.begin, piece.end)) for piece in encoded.pieces)
    assert own.encode([text]) == [expected]


@pytest.mark.parametrize(("own", "reference"), VOCABULARIES)
@given(data=st.data())
@settings(max_examples=300)
def test_texts_are_those_of_sentencepiece(
    own: SentencePieceTokenizer, reference: SentencePieceProcessor, data: st.DataObject
) -> None:
    ids = data.draw(st.lists(st.integers(0, own.size - 1), min_size=1, max_size=12))
    decoded = reference.decode(ids, out_type="immutable_proto")
    spans = tuple(Span(piece.begin, piece.end) for piece in decoded.pieces)
    assert own.decode([ids]) == [DetokenizedText(decoded.text, spans)]


def test_round_trip() -> None:
    (pieces,) = tokenizer.encode(["the reader"])
    (decoded,) = tokenizer.decode([[piece.id for piece in pieces]])
    assert decoded.text == "the reader"
    assert decoded.spans[-1].end == 10
    assert decoded.spans[0] == Span(0, decoded.spans[0].end)


APART = SentencePieceTokenizer(with_openings(EMBEDDED, '"„('))


def test_the_embedded_models_want_marks_that_open_apart() -> None:
    assert len(EMBEDDED) < len(WITH_OPENINGS)
    (pieces,) = SentencePieceTokenizer(WITH_OPENINGS).encode(["„Viele"])
    assert [piece.id for piece in pieces][1] == PLAIN.encode(["Viele"])[0][0].id


PLAIN = SentencePieceTokenizer(EMBEDDED)


def test_a_word_behind_a_mark_that_opens_is_the_word_that_it_is_elsewhere() -> None:
    (pieces,) = APART.encode(['"Many (of us)"'])
    (alone,) = PLAIN.encode(["Many of"])
    ids = [piece.id for piece in pieces]
    assert ids[1] == alone[0].id
    assert ids[3] == alone[1].id
    assert [piece.span.of('"Many (of us)"') for piece in pieces] == [
        *('"', "Many", " (", "of", " us", ")", '"'),
    ]


def test_a_translation_has_no_space_there() -> None:
    ids = [piece.id for piece in PLAIN.encode(["Er: „ Viele ( von uns) kamen."])[0]]
    (decoded,) = APART.decode([ids])
    assert decoded.text == "Er: „Viele (von uns) kamen."
    assert "".join(span.of(decoded.text) for span in decoded.spans) == decoded.text


def test_what_is_written_has_a_space_before_each_word() -> None:
    ids = [piece.id for piece in PLAIN.encode(["There is a house"])[0]]
    assert PLAIN.written(ids) == " There is a house"
    assert PLAIN.written([]) == ""
    assert PLAIN.written([EOS_ID]) == "\ufffd"


@given(text=st.text(st.sampled_from('Ther 1,.ß"„()“é🎉 '), max_size=30))
def test_pieces_have_their_places_with_marks_that_open(text: str) -> None:
    (pieces,) = APART.encode([text])
    assert_in_order([piece.span for piece in pieces], len(text))
    (decoded,) = APART.decode([[piece.id for piece in pieces]])
    assert_in_order(decoded.spans, len(decoded.text))
    assert "".join(span.of(decoded.text) for span in decoded.spans) == decoded.text
    assert decoded.text.replace(" ", "") == PLAIN.normalized(text).replace(" ", "")


def test_a_beginning_with_a_mark_that_opens() -> None:
    ids = [piece.id for piece in APART.encode(["Er: „Viele (von"])[0]]
    steps = APART.prefix("Er: „Viele (von")
    assert [step.piece for step in steps] == ids
    assert all(step.piece in step.allowed for step in steps)
    assert APART.normalized("Er: „Viele (von") == "Er: „Viele (von"
