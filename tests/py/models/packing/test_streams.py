from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import CorpusError
from dragoman.models.data.batches import Ragged
from dragoman.models.packing.streams import (
    bytes_as_links,
    bytes_as_rows,
    expand,
    links_as_bytes,
    rows_as_bytes,
    squeeze,
)

LINK = st.tuples(st.integers(0, 255), st.integers(0, 255))


def test_rows_end_with_a_zero() -> None:
    rows = Ragged.of([[7], [], [65_535, 2]], np.uint16)
    assert rows_as_bytes(rows) == bytes([7, 0, 0, 0, 0, 0, 255, 255, 2, 0, 0, 0])


@given(st.lists(st.lists(st.integers(1, 65_535), max_size=5), max_size=6))
def test_rows_come_back(rows: list[list[int]]) -> None:
    back = bytes_as_rows(rows_as_bytes(Ragged.of(rows, np.uint16)))
    assert [back.row(n).tolist() for n in range(len(back))] == rows


@given(st.lists(st.lists(LINK, max_size=5), max_size=6))
def test_links_come_back_by_second_piece(rows: list[list[tuple[int, int]]]) -> None:
    flat = [[number for link in row for number in link] for row in rows]
    back = bytes_as_links(links_as_bytes(Ragged.of(flat, np.uint8)))
    found = [list(map(tuple, back.row(n).reshape(-1, 2).tolist())) for n in range(len(back))]
    assert found == [sorted(row, key=lambda link: link[::-1]) for row in rows]


def test_what_is_damaged_is_found() -> None:
    assert expand(squeeze(b"pieces")) == b"pieces"
    with pytest.raises(CorpusError, match="a stream is damaged"):
        expand(b"pieces")
    with pytest.raises(ValueError, match="no end"):
        bytes_as_rows(b"\x07\x00")
    with pytest.raises(ValueError, match="not of its pairs"):
        bytes_as_links(b"\x01" + bytes(7) + b"\x02\x00" + b"\x01\x01")
