"""Marian's binary container, version 1: named tensors, little-endian, for memory mapping.

    u64 version = 1, u64 N
    N headers of u64: name length with its NUL, type, dimensions, data length in bytes
    N names, each with its NUL
    N shapes, int32 a dimension
    u64 offset, then as many bytes to skip
    N blobs, each of its data length

A writer pads to a multiple of 256 before the blobs and after each, so that they can be used where
they lie. Two lines of Marian number the int8 type differently; both are read, and the browser's is
written. Files that are packed for one processor, or encrypted, say so.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import prod

from dragoman.errors import ModelFileError

VERSION, ENCRYPTED = 1, 2
ALIGNMENT = 256
MOST_DIMENSIONS = 8
LONGEST_NAME = 1024


class Kind(StrEnum):
    """Element types that are read."""

    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    UINT8 = "uint8"
    UINT32 = "uint32"
    FLOAT16 = "float16"
    FLOAT32 = "float32"
    FLOAT64 = "float64"
    INTGEMM8 = "intgemm8"


BYTES = {
    Kind.INT8: 1, Kind.INT16: 2, Kind.INT32: 4, Kind.UINT8: 1, Kind.UINT32: 4,
    Kind.FLOAT16: 2, Kind.FLOAT32: 4, Kind.FLOAT64: 8, Kind.INTGEMM8: 1,
}  # fmt: skip
SCALE_BYTES = 4  # the float32 that follows the values of an intgemm8 tensor

CODES = {
    Kind.INT8: 0x101, Kind.INT16: 0x102, Kind.INT32: 0x104, Kind.UINT8: 0x201, Kind.UINT32: 0x204,
    Kind.FLOAT16: 0x402, Kind.FLOAT32: 0x404, Kind.FLOAT64: 0x408, Kind.INTGEMM8: 0x4101,
}  # fmt: skip
KINDS = {code: kind for kind, code in CODES.items()} | {0x10001: Kind.INTGEMM8}
UNREADABLE = {
    0x802: "packed to 16 bits (fbgemm)",
    0x1801: "packed for processors with AVX2 (fbgemm)",
    0x2801: "packed for processors with AVX-512 (fbgemm)",
    0x4102: "int16 (intgemm16)",
    0x10002: "int16 (intgemm16)",
    0x18001: "packed for processors with SSSE3 (intgemm)",
    0x11001: "packed for processors with AVX2 (intgemm)",
    0x12001: "packed for processors with AVX-512 (intgemm)",
    0x13001: "packed for processors with AVX-512 VNNI (intgemm)",
}


@dataclass(frozen=True, slots=True)
class Item:
    """A tensor as the file has it; `data` may be longer than its values (padding)."""

    name: str
    kind: Kind
    shape: tuple[int, ...]
    data: bytes


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a tensor's data lies.

    Attributes:
        start: of the data, in bytes from the file's beginning.
        size: of the data, in bytes; it may be longer than the values (padding).
    """

    name: str
    kind: Kind
    shape: tuple[int, ...]
    start: int
    size: int


# Bytes of a file, from one place up to another.
Read = Callable[[int, int], bytes]


class _Reader:
    """A place in the file that moves on; says what was to come where the file ends."""

    def __init__(self, read: Read, size: int) -> None:
        self.read, self.size, self.place = read, size, 0

    def skip(self, count: int, what: str) -> int:
        """Returns where what is skipped begins."""
        left = self.size - self.place
        if count > left:
            raise ModelFileError(
                f"the file is cut off: {what} takes {count:,} bytes at {self.place:,}, "
                f"{left:,} are left",
                requested=count,
                allowed=left,
            )
        self.place += count
        return self.place - count

    def take(self, count: int, what: str) -> bytes:
        start = self.skip(count, what)
        return self.read(start, self.place)

    def numbers(self, count: int, what: str, letter: str = "Q") -> tuple[int, ...]:
        layout = f"<{count}{letter}"
        return struct.unpack(layout, self.take(struct.calcsize(layout), what))


def read_bin(content: bytes) -> tuple[Item, ...]:
    """The tensors of a file, in its order; see `read_index`."""
    index = read_index(lambda start, end: content[start:end], len(content))
    return tuple(
        Item(entry.name, entry.kind, entry.shape, content[entry.start : entry.start + entry.size])
        for entry in index
    )


def read_index(read: Read, size: int) -> tuple[Entry, ...]:
    """Where a file of `size` bytes has its tensors, in its order; their data is not read.

    Raises:
        ModelFileError: it is no such file, is of another version, encrypted, packed for one
            processor, cut off or damaged.
    """
    reader = _Reader(read, size)
    (version,) = reader.numbers(1, "the version")
    if version == ENCRYPTED:
        raise ModelFileError("the model is encrypted (Marian binary version 2)", version=version)
    if version != VERSION:
        raise ModelFileError(
            f"this is no Marian binary model: it begins with {version:#x}, not with version 1"
        )
    (count,) = reader.numbers(1, "the number of tensors")
    if count > size // 32:
        raise ModelFileError(f"the file is damaged: {count:,} tensors do not fit into it")
    headers = [reader.numbers(4, f"the header of tensor {n}") for n in range(count)]
    names = [_name(reader, header[0], n) for n, header in enumerate(headers)]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ModelFileError(f"the file is damaged: there are two tensors {twice!r}")
    shapes = [_shape(reader, header[2], name) for header, name in zip(headers, names, strict=True)]
    (offset,) = reader.numbers(1, "the offset of the data")
    reader.skip(offset, "the padding before the data")
    return tuple(
        _entry(reader, name, header, shape)
        for name, header, shape in zip(names, headers, shapes, strict=True)
    )


def _name(reader: _Reader, length: int, number: int) -> str:
    if not 1 < length <= LONGEST_NAME:
        raise ModelFileError(f"the file is damaged: tensor {number} has a name of {length:,} bytes")
    raw = reader.take(length, f"the name of tensor {number}")
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise ModelFileError(
            f"the file is damaged: the name of tensor {number}: {error}"
        ) from error
    if text.find("\0") != len(text) - 1 or not text[:-1].isprintable():
        raise ModelFileError(f"the file is damaged: the name of tensor {number} is {text!r}")
    return text[:-1]


def _shape(reader: _Reader, dimensions: int, name: str) -> tuple[int, ...]:
    if dimensions > MOST_DIMENSIONS:
        raise ModelFileError(f"the file is damaged: {name!r} has {dimensions:,} dimensions")
    shape = reader.numbers(dimensions, f"the shape of {name!r}", "i")
    if any(size < 1 for size in shape):
        raise ModelFileError(f"the file is damaged: {name!r} has the shape {shape}")
    return shape


def _entry(reader: _Reader, name: str, header: Sequence[int], shape: tuple[int, ...]) -> Entry:
    _, code, _, length = header
    if code in UNREADABLE:
        raise ModelFileError(
            f"{name!r} is {UNREADABLE[code]}; only int8 that is not packed (intgemm8) and "
            "floating point can be read",
            tensor=name,
        )
    if code not in KINDS:
        raise ModelFileError(f"{name!r} is of an unknown type {code:#x}", tensor=name)
    kind, start = KINDS[code], reader.skip(length, f"the data of {name!r}")
    if length < value_bytes(kind, shape):
        raise ModelFileError(
            f"the file is damaged: {name!r} takes {value_bytes(kind, shape):,} bytes, "
            f"it has {length:,}",
            tensor=name,
        )
    return Entry(name, kind, shape, start, length)


def value_bytes(kind: Kind, shape: Sequence[int]) -> int:
    """Bytes of a tensor without padding."""
    scale = SCALE_BYTES if kind is Kind.INTGEMM8 else 0
    return prod(shape) * BYTES[kind] + scale


def write_bin(items: Iterable[Item]) -> bytes:
    """A file of these tensors, in this order (Marian sorts them by name, special ones last)."""
    chosen = tuple(items)
    names = [item.name.encode() + b"\0" for item in chosen]
    blobs = [item.data + bytes(-len(item.data) % ALIGNMENT) for item in chosen]
    parts = [struct.pack("<QQ", VERSION, len(chosen))]
    parts += [
        struct.pack("<QQQQ", len(name), CODES[item.kind], len(item.shape), len(blob))
        for name, item, blob in zip(names, chosen, blobs, strict=True)
    ]
    parts += names
    parts += [struct.pack(f"<{len(item.shape)}i", *item.shape) for item in chosen]
    used = sum(map(len, parts)) + 8
    offset = ALIGNMENT - used % ALIGNMENT  # 1 to 256, as Marian does it
    parts += [struct.pack("<Q", offset), bytes(offset), *blobs]
    return b"".join(parts)
