"""Our students in Marian's format, as the reference engine (bergamot-translator) loads them.

The engine's int8 kernels want inner dimensions that are multiples of 64 and outer ones of 8.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import ExportError
from dragoman.marian.config import MarianConfig, write_config
from dragoman.marian.file import Item, Kind, write_bin
from dragoman.marian.names import (
    BIAS,
    CONFIG,
    embedding_names,
    matrix_names,
    norm_names,
    output_alphas,
)
from dragoman.models.export.quantized import QuantizedStudent
from dragoman.student.architecture import Architecture
from dragoman.student.weights import OUTPUT, OUTPUT_BIAS, Int8Matrix

INNER_MULTIPLE, OUTER_MULTIPLE = 64, 8
LARGEST = 127


def marian_model(student: QuantizedStudent) -> bytes:
    """A ``.bin`` file with int8 weights and activation scales.

    Raises:
        ExportError: the engine has no kernels for these sizes.
    """
    check_sizes(student.sizes)
    config = MarianConfig(student.sizes, student.sizes.vocabulary_size)
    items = sorted(_items(student, config), key=lambda item: item.name)
    text = write_config(config).encode() + b"\0"
    return write_bin([*items, Item(CONFIG, Kind.INT8, (len(text),), text)])


def check_sizes(sizes: Architecture) -> None:
    """Raises `ExportError` where the engine would abort."""
    for what, size, multiple in (
        ("the dimension", sizes.dimension, INNER_MULTIPLE),
        ("the feed-forward dimension", sizes.feed_forward, INNER_MULTIPLE),
        ("the vocabulary", sizes.vocabulary_size, OUTER_MULTIPLE),
    ):
        if size % multiple:
            raise ExportError(
                f"Marian's int8 kernels want {what} to be a multiple of {multiple}, it is {size:,}",
                requested=size,
                multiple=multiple,
            )


def _items(student: QuantizedStudent, config: MarianConfig) -> Iterator[Item]:
    for name, theirs in embedding_names(config).items():
        yield _embedding(theirs, student.matrices[name])
    for theirs in output_alphas(config):
        yield _alpha(theirs, student.ranges[OUTPUT])
    yield _vector(BIAS, student.vectors[OUTPUT_BIAS])
    for matrix in matrix_names(config):
        yield _matrix(matrix.weight, student.matrices[matrix.ours])
        yield _alpha(matrix.alpha, student.ranges[matrix.ours])
        if matrix.bias:
            yield _vector(matrix.bias, student.vectors[f"{matrix.ours}.bias"])
    for norm in norm_names(config):
        for part in ("scale", "bias"):
            yield _vector(f"{norm.prefix}_{part}", student.vectors[f"{norm.ours}.{part}"])


def _matrix(name: str, matrix: Int8Matrix) -> Item:
    """Stored transposed: a row an output."""
    return _int8(name, matrix, np.ascontiguousarray(matrix.values.T))


def _embedding(name: str, matrix: Int8Matrix) -> Item:
    return _int8(name, matrix, matrix.values)


def _int8(name: str, matrix: Int8Matrix, stored: NDArray[np.int8]) -> Item:
    multiplier = np.float32(1 / matrix.scale)
    shape = (int(matrix.values.shape[0]), int(matrix.values.shape[1]))
    return Item(name, Kind.INTGEMM8, shape, stored.tobytes() + multiplier.tobytes())


def _alpha(name: str, largest: float) -> Item:
    return Item(name, Kind.FLOAT32, (1, 1), np.float32(LARGEST / largest).tobytes())


def _vector(name: str, values: NDArray[np.float32]) -> Item:
    return Item(name, Kind.FLOAT32, (1, values.size), values.astype("<f4").tobytes())
