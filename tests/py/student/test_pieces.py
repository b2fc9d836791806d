"""What ends a process is found in the file."""

from __future__ import annotations

import contextlib
import io

import pytest
import sentencepiece
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import BundleCorruptError
from dragoman.student.pieces import check_pieces, fields
from tests.support.hosts import TINY_VOCABULARY

CONTENT = TINY_VOCABULARY.read_bytes()
CHARSMAP = next(
    bytes(content)
    for number, spec in fields(memoryview(CONTENT))
    for inner, content in fields(spec)
    if (number, inner) == (3, 2)
)


def test_a_vocabulary_is_fine() -> None:
    check_pieces(CONTENT)
    check_pieces(CONTENT[:-1])  # SentencePiece says what is wrong with it
    check_pieces(b"")


@pytest.mark.parametrize("text", [b"\0r", b"e\0"])
def test_a_nul_in_a_piece_is_found(text: bytes) -> None:
    assert b"\n\x02er" in CONTENT
    with pytest.raises(BundleCorruptError, match="one of its pieces has a NUL"):
        check_pieces(CONTENT.replace(b"\n\x02er", b"\n\x02" + text, 1))


@pytest.mark.parametrize(
    "piece",
    [
        b"\x0a\x02\0r",
        b"\x22\x02er\x0a\x02\0r",  # behind a field that SentencePiece does not know
        b"\x15\0\0\0\0\x0a\x82\0\0r",  # behind its score, with a length of two bytes
        b"\x18\1\x11\0\0\0\0\0\0\0\0\x0a\1\0",
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_however_it_is_written(piece: bytes, first: bool) -> None:
    message = b"\x0a" + bytes([len(piece)]) + piece
    with pytest.raises(BundleCorruptError, match="one of its pieces has a NUL"):
        check_pieces(message + CONTENT if first else CONTENT + message)


def test_a_nul_anywhere_else_is_none_of_a_piece() -> None:
    check_pieces(CONTENT + b"\x52\x02\0\0")  # field 10


def test_a_table_that_leads_out_of_itself_is_found() -> None:
    """Each of these made SentencePiece read what is not its own, which ended the process."""
    start = CONTENT.index(CHARSMAP)
    table = start + 4  # behind its size
    for place in (table, table + 4 * ord("a")):
        damaged = bytearray(CONTENT)
        damaged[place : place + 4] = b"\x00\xfe\xff\x7f"
        with pytest.raises(BundleCorruptError, match="its normalization leads nowhere"):
            check_pieces(bytes(damaged))
    with pytest.raises(BundleCorruptError, match="its normalization leads nowhere"):
        check_pieces(CONTENT.replace(CHARSMAP, CHARSMAP[:-1] + b"x"))


@pytest.mark.parametrize("name", ["nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"])
def test_tables_of_sentencepiece_are_fine(name: str) -> None:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["ab ba", "abba baab", "a b"] * 9),
        model_writer=model,
        vocab_size=8,
        hard_vocab_limit=False,
        normalization_rule_name=name,
        minloglevel=2,
    )
    check_pieces(model.getvalue())


def test_nothing_hides_behind_what_is_no_longer_written() -> None:
    group = b"\xa3\x06\xa4\x06"  # field 100, its start and its end
    with pytest.raises(BundleCorruptError, match="it has groups"):
        check_pieces(CONTENT + group)


@given(st.binary(max_size=60))
def test_no_bytes_are_another_error(content: bytes) -> None:
    with contextlib.suppress(BundleCorruptError):
        check_pieces(content)
