from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import ModelFileError
from dragoman.marian.file import (
    ALIGNMENT,
    CODES,
    KINDS,
    UNREADABLE,
    Item,
    Kind,
    read_bin,
    value_bytes,
    write_bin,
)

SMALL = Item("a", Kind.FLOAT32, (1, 2), struct.pack("<2f", 1.5, -2))
INT8 = Item("Wq", Kind.INTGEMM8, (2, 2), bytes([1, 2, 3, 4]) + struct.pack("<f", 63.5))


def with_code(code: int, content: bytes = b"") -> bytes:
    """The file of one tensor, with another type."""
    content = content or write_bin([SMALL])
    return content[:24] + struct.pack("<Q", code) + content[32:]


def test_a_file_by_hand() -> None:
    content = write_bin([SMALL])
    header = struct.pack("<QQ", 1, 1) + struct.pack("<QQQQ", 2, 0x404, 2, 256)
    assert content[:58] == header + b"a\0" + struct.pack("<ii", 1, 2)
    (offset,) = struct.unpack_from("<Q", content, 58)
    assert (58 + 8 + offset) % ALIGNMENT == 0
    assert content[58 + 8 + offset :][:8] == SMALL.data
    assert len(content) == 512


def test_padding_before_the_data_is_1_to_256_bytes() -> None:
    """The usual writer never writes 0: a name that ends at a boundary is followed by 256."""
    offsets = set()
    for length in range(1, 300):
        content = write_bin([Item("x" * length, Kind.INT8, (1,), b"a")])
        (offset,) = struct.unpack_from("<Q", content, 16 + 32 + length + 1 + 4)
        offsets.add(offset)
        (item,) = read_bin(content)
        assert (item.name, item.data[:1]) == ("x" * length, b"a")
    assert offsets == set(range(1, 257))


def test_what_is_written_is_read_with_its_padding() -> None:
    first, second = read_bin(write_bin([SMALL, INT8]))
    assert (first.name, first.kind, first.shape) == ("a", Kind.FLOAT32, (1, 2))
    assert first.data == SMALL.data + bytes(248)
    assert (second.name, second.kind, second.shape) == ("Wq", Kind.INTGEMM8, (2, 2))
    assert second.data[:8] == INT8.data


def test_a_file_may_leave_the_padding_of_blobs_out() -> None:
    content = write_bin([SMALL])
    short = content[:40] + struct.pack("<Q", 8) + content[48:-248]
    assert read_bin(short) == (SMALL,)


def test_both_lines_of_marian_have_the_int8_type() -> None:
    content = write_bin([INT8])
    assert CODES[Kind.INTGEMM8] == 0x4101
    assert read_bin(with_code(0x10001, content)) == read_bin(content)
    assert len(set(KINDS) & set(UNREADABLE)) == 0


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (0x1801, "packed for processors with AVX2"),
        (0x12001, "packed for processors with AVX-512"),
        (0x13001, "packed for processors with AVX-512 VNNI"),
        (0x18001, "packed for processors with SSSE3"),
        (0x4102, "int16"),
        (0x999, "unknown type 0x999"),
    ],
)
def test_types_that_cannot_be_read_are_named(code: int, words: str) -> None:
    with pytest.raises(ModelFileError, match=words) as caught:
        read_bin(with_code(code))
    assert caught.value.details["tensor"] == "a"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (struct.pack("<Q", 2) + bytes(100), "is encrypted"),
        (b"PK\3\4 and what is in an archive", "no Marian binary model"),
        (b"", "cut off: the version takes 8 bytes at 0, 0 are left"),
        (struct.pack("<QQ", 1, 10**15), "1,000,000,000,000,000 tensors do not fit"),
        (write_bin([SMALL, SMALL]), "two tensors 'a'"),
        (write_bin([Item("a", Kind.FLOAT32, (0, 2), b"")]), r"the shape \(0, 2\)"),
        (write_bin([Item("a", Kind.FLOAT32, (1000, 2), b"")]), "takes 8,000 bytes, it has 0"),
        (write_bin([Item("a\0b", Kind.INT8, (1,), b"1")]), "the name of tensor 0"),
        (write_bin([SMALL])[:-1], "the data of 'a' takes 256 bytes at 256, 255 are left"),
    ],
)
def test_what_is_wrong_is_said(content: bytes, words: str) -> None:
    with pytest.raises(ModelFileError, match=words):
        read_bin(content)


kinds = st.sampled_from(sorted(Kind))
shapes = st.lists(st.integers(1, 5), max_size=3).map(tuple)


@st.composite
def tensors(draw: st.DrawFn, name: str) -> Item:
    kind, shape = draw(kinds), draw(shapes)
    size = value_bytes(kind, shape)
    return Item(name, kind, shape, draw(st.binary(min_size=size, max_size=size)))


@given(st.lists(st.text("abcW_:.", min_size=1, max_size=20), unique=True, max_size=4), st.data())
def test_round_trip(names: list[str], data: st.DataObject) -> None:
    items = [data.draw(tensors(name)) for name in names]
    read_back = read_bin(write_bin(items))
    assert [(f.name, f.kind, f.shape) for f in read_back] == [
        (i.name, i.kind, i.shape) for i in items
    ]
    assert all(f.data.startswith(i.data) for f, i in zip(read_back, items, strict=True))
    assert all(len(f.data) % ALIGNMENT == 0 for f in read_back)
