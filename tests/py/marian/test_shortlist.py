"""The binary format of shortlists, and what they choose."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import ModelFileError
from dragoman.marian.shortlist import (
    MAGIC,
    Shortlist,
    checksum,
    read_shortlist,
    write_shortlist,
)
from tests.support.paths import SHARED

REAL = SHARED / "formats" / "lex.50.50.ende.s2t.bin.gz"


def shortlist(lists: Sequence[Sequence[int]], first: int = 2, best: int = 3) -> Shortlist:
    offsets = np.cumsum([0, *map(len, lists)]).astype(np.uint64)
    targets = np.array([target for row in lists for target in row], dtype=np.uint32)
    return Shortlist(first, best, offsets, targets)


EXAMPLE = shortlist([[], [4, 9], [5], [3, 4, 11]])


def test_the_bytes_of_a_small_one() -> None:
    content = write_shortlist(EXAMPLE)
    assert len(content) == 48 + 8 * 5 + 4 * 6
    assert struct.unpack_from("<6Q", content)[::2] == (MAGIC, 2, 5)
    assert struct.unpack_from("<5Q", content, 48) == (0, 0, 2, 3, 6)
    assert struct.unpack_from("<6I", content, 88) == (4, 9, 5, 3, 4, 11)


def test_the_checksum_by_hand() -> None:
    """One word 5: 0 ^ (5 + 0x9e3779b9 + 0 + 0); half a word at the end is left out."""
    assert checksum(bytes(16) + struct.pack("<Q", 5) + b"1234567") == 5 + 0x9E3779B9
    two = 5 + 0x9E3779B9
    two ^= (7 + 0x9E3779B9 + (two << 6) + (two >> 2)) % 2**64
    assert checksum(bytes(16) + struct.pack("<QQ", 5, 7)) == two


@given(st.lists(st.lists(st.integers(0, 2**32 - 1), max_size=6), max_size=12), st.integers(0, 99))
def test_round_trip(lists: list[list[int]], first: int) -> None:
    made = shortlist(lists, first)
    loaded = read_shortlist(write_shortlist(made))
    assert (loaded.first, loaded.best, loaded.sources) == (first, 3, len(lists))
    assert [loaded.of(source).tolist() for source in range(len(lists))] == lists


@given(st.integers(0, 10_000), st.integers(0, 7))
def test_every_flipped_bit_is_noticed(place: int, bit: int) -> None:
    """But for the last half word, which the format's checksum leaves out."""
    content = bytearray(write_shortlist(shortlist([[1, 2], [3, 4]])))
    content[place % len(content)] ^= 1 << bit
    with pytest.raises(ModelFileError):
        read_shortlist(bytes(content))


@given(st.binary(max_size=120) | st.binary(max_size=80).map(MAGIC.to_bytes(8, "little").__add__))
def test_any_bytes_are_a_typed_error(content: bytes) -> None:
    with pytest.raises(ModelFileError):
        read_shortlist(content)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no shortlist: 0 bytes"),
        (bytes(60), "it begins with 0x0"),
        (write_shortlist(EXAMPLE)[:-4], "112 bytes are named, 108 are there"),
        (write_shortlist(EXAMPLE).replace(b"\x09", b"\x08"), "its checksum is"),
        (write_shortlist(Shortlist(2, 3, EXAMPLE.offsets[:-1], EXAMPLE.targets)),
         "its lists do not cover it"),
        (write_shortlist(Shortlist(2, 3, EXAMPLE.offsets[[0, 3, 1, 4]], EXAMPLE.targets)),
         "a list ends before it begins"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(content: bytes, words: str) -> None:
    with pytest.raises(ModelFileError, match=words):
        read_shortlist(content)


def test_the_checksum_of_verified_bytes_is_not_looked_at() -> None:
    content = write_shortlist(EXAMPLE)
    assert read_shortlist(content[:8] + bytes(8) + content[16:], verified=True).best == 3


def test_what_every_sentence_may_say() -> None:
    """The first ones and the list of EOS, filled up with frequent ones."""
    assert EXAMPLE.common(20).tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert EXAMPLE.common(20, least=9).tolist() == list(range(16))
    assert EXAMPLE.common(5).tolist() == [0, 1, 2, 3, 4]  # no more pieces than there are
    of_end = shortlist([[9, 11, 12], [4]])
    assert of_end.common(20).tolist() == [0, 1, 2, 3, 4, 9, 11, 12]
    assert of_end.common(20, least=4).tolist() == [0, 1, 2, 3, 4, 9, 11, 12]


def test_what_a_sentence_may_say_besides() -> None:
    """The lists, and the source's own pieces; what is common comes first."""
    common = [0, 1, 2, 3, 4, 5, 6, 7]
    assert EXAMPLE.chosen([], 20).tolist() == common
    assert EXAMPLE.chosen([3, 1], 20).tolist() == [*common, 9, 11]
    assert EXAMPLE.chosen([12], 20).tolist() == [*common, 12]
    assert EXAMPLE.chosen([12], 20, copies=[-1] * 13).tolist() == common
    assert EXAMPLE.chosen([1], 20, copies=[0, 17]).tolist() == [*common, 9, 17]
    assert EXAMPLE.chosen([3], 5).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.skipif(not REAL.exists(), reason="the folder with published files is not here")
def test_a_published_shortlist_round_trips() -> None:
    content = gzip.decompress(REAL.read_bytes())
    loaded = read_shortlist(content)
    assert (loaded.first, loaded.best, loaded.sources, len(loaded.targets)) == (
        50,
        50,
        32_000,
        701_609,
    )
    assert write_shortlist(loaded) == content
    assert max(len(loaded.of(source)) for source in range(loaded.sources)) <= 50
