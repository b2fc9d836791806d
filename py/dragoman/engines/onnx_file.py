"""The metadata and the stored tensors of an ONNX model, without copying them.

A reader of as much of the protobuf wire format as that takes (the ``onnx`` package would take
longer to import than a model takes to load): ModelProto.graph (7), metadata_props (14: key 1,
value 2), GraphProto.initializer (5), TensorProto.dims (1), data_type (2), name (8), raw_data (9);
see https://github.com/onnx/onnx/blob/main/onnx/onnx.proto. `web/src/kernel/onnx.ts` does the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dragoman.errors import BundleCorruptError

FLOAT32, INT8, INT64 = 1, 3, 7  # TensorProto.DataType

_GRAPH, _METADATA = 7, 14
_KEY, _VALUE = 1, 2
_INITIALIZER = 5
_DIMS, _TYPE, _NAME, _RAW = 1, 2, 8, 9
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5

MOST_DIMENSIONS = 8  # the product of thousands of large ones would take hours


@dataclass(frozen=True, slots=True)
class Tensor:
    """A stored tensor.

    Attributes:
        kind: TensorProto.DataType.
        content: a view of the file: little-endian, row-major.
    """

    name: str
    kind: int
    shape: tuple[int, ...]
    content: memoryview


@dataclass(frozen=True, slots=True)
class OnnxFile:
    metadata: Mapping[str, str]
    tensors: Mapping[str, Tensor]


def read_onnx(content: bytes) -> OnnxFile:
    """What a graph stores.

    Raises:
        BundleCorruptError: the bytes are not an ONNX model.
    """
    metadata: dict[str, str] = {}
    tensors: dict[str, Tensor] = {}
    for number, value in _fields(memoryview(content)):
        if number == _METADATA and isinstance(value, memoryview):
            entry = {key: _text(part) for key, part in _fields(value)}
            metadata[entry.get(_KEY, "")] = entry.get(_VALUE, "")
        elif number == _GRAPH and isinstance(value, memoryview):
            for tensor in _tensors(value):
                tensors[tensor.name] = tensor
    if not tensors:
        raise _not_onnx("it holds no tensors")
    return OnnxFile(metadata, tensors)


def _tensors(graph: memoryview) -> Iterator[Tensor]:
    for number, value in _fields(graph):
        if number == _INITIALIZER and isinstance(value, memoryview):
            yield _tensor(value)


def _tensor(message: memoryview) -> Tensor:
    name, kind, content = "", 0, memoryview(b"")
    shape: list[int] = []
    for number, value in _fields(message):
        if number == _DIMS:
            shape += _varints(value) if isinstance(value, memoryview) else [value]
        elif number == _TYPE and isinstance(value, int):
            kind = value
        elif number == _NAME:
            name = _text(value)
        elif number == _RAW and isinstance(value, memoryview):
            content = value
    if len(shape) > MOST_DIMENSIONS:
        raise _not_onnx(f"a tensor has {len(shape):,} dimensions")
    return Tensor(name, kind, tuple(shape), content)


def _text(value: int | memoryview) -> str:
    return bytes(value).decode(errors="replace") if isinstance(value, memoryview) else ""


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Number and value of each field that is a varint or has a length."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        number, wire = key >> 3, key & 7
        if wire == _VARINT:
            value, at = _varint(message, at)
            yield number, value
        elif wire == _BYTES:
            length, start = _varint(message, at)
            at = start + length
            if at > len(message):
                raise _not_onnx(f"a field of {length} bytes runs over its end")
            yield number, message[start:at]
        elif wire in (_FIXED64, _FIXED32):
            at += 8 if wire == _FIXED64 else 4
        else:
            raise _not_onnx(f"wire type {wire} is unknown")


def _varints(packed: memoryview) -> list[int]:
    values, at = [], 0
    while at < len(packed):
        value, at = _varint(packed, at)
        values.append(value)
    return values


def _varint(content: memoryview, at: int) -> tuple[int, int]:
    """The value, and where it ends."""
    value = 0
    for place in range(10):
        if at + place >= len(content):
            raise _not_onnx("it is cut short")
        byte = content[at + place]
        value |= (byte & 127) << (7 * place)
        if byte < 128:
            return value, at + place + 1
    raise _not_onnx("a number has no end")


def _not_onnx(why: str) -> BundleCorruptError:
    return BundleCorruptError(f"the model graph is not an ONNX model: {why}")
