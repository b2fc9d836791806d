"""A Marian model as this program reads it: its settings and its weights, of either file format."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np

from dragoman.errors import ModelFileError
from dragoman.marian.config import MarianConfig, read_config
from dragoman.marian.file import BYTES, Item, Kind, read_bin
from dragoman.marian.names import (
    BIAS,
    CONFIG,
    embedding_names,
    matrix_names,
    norm_names,
    output_alphas,
)
from dragoman.marian.npz import read_npz
from dragoman.student.weights import OUTPUT, OUTPUT_BIAS, Array, Int8Matrix

ZIP = b"PK"
LARGEST = 127
FLOATS = {Kind.FLOAT16: "<f2", Kind.FLOAT32: "<f4", Kind.FLOAT64: "<f8"}


@dataclass(frozen=True)
class MarianModel:
    """The weights by our names (`network.Student`).

    Attributes:
        matrices: by the name of the `Linear`, and ``embedding`` (with split vocabularies also
            ``source_embedding``); int8 where the file has it so, else float32.
        vectors: biases and normalizations.
        ranges: largest magnitude of the input of each product, from the file's alphas; empty where
            it has none.
    """

    config: MarianConfig
    matrices: Mapping[str, Int8Matrix | Array]
    vectors: Mapping[str, Array]
    ranges: Mapping[str, float]


def read_marian(path: Path) -> MarianModel:
    """A model in a ``.bin`` or ``.npz`` file.

    Raises:
        ModelFileError: the file is missing, or is not a model that can be used; the message begins
            with its name and says what is wrong.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise ModelFileError(f"{path} is not a regular file")
        content = path.read_bytes()
    except OSError as error:
        raise ModelFileError(f"{path}: {error.strerror or error}") from error
    try:
        return parse_marian(content)
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error.message}", **error.details) from error


def read_items(content: bytes) -> tuple[Item, ...]:
    """The tensors of either format, told apart by how they begin."""
    return read_npz(content) if content.startswith(ZIP) else read_bin(content)


def parse_marian(content: bytes) -> MarianModel:
    """The same for the bytes of a file."""
    items = {item.name: item for item in read_items(content)}
    config = read_config(config_text(items))
    return _Tensors(items, config).model()


def config_text(items: Mapping[str, Item]) -> str:
    """The settings inside the file.

    Raises:
        ModelFileError: there are none, or they are not text.
    """
    if CONFIG not in items:
        raise ModelFileError(f"there is no {CONFIG} in it: the settings of the network are missing")
    try:
        return items[CONFIG].data.split(b"\0", 1)[0].decode()
    except UnicodeDecodeError as error:
        raise ModelFileError(f"{CONFIG} is not UTF-8: {error}") from error


class _Tensors:
    """Looks tensors up by Marian's names, and checks that they are what the settings say."""

    def __init__(self, items: Mapping[str, Item], config: MarianConfig) -> None:
        self.items, self.config = items, config

    def model(self) -> MarianModel:
        config, sizes = self.config, self.config.sizes
        d, inner, pieces = sizes.dimension, sizes.feed_forward, sizes.vocabulary_size
        matrices: dict[str, Int8Matrix | Array] = {}
        vectors: dict[str, Array] = {}
        ranges: dict[str, float] = {}
        for ours, theirs in embedding_names(config).items():
            rows = config.source_vocabulary_size if ours.startswith("source") else pieces
            matrices[ours] = self.matrix(theirs, (rows, d), transposed=False)
        vectors[OUTPUT_BIAS] = self.vector(BIAS, pieces)
        for name in matrix_names(config):
            into = inner if name.ours.endswith(".outer") else d
            out = inner if name.ours.endswith(".inner") else d
            matrices[name.ours] = self.matrix(name.weight, (into, out), transposed=True)
            if name.bias:
                vectors[f"{name.ours}.bias"] = self.vector(name.bias, out)
            self.alpha(name.ours, (name.alpha,), ranges)
        self.alpha(OUTPUT, output_alphas(config), ranges)
        for norm in norm_names(config):
            for part in ("scale", "bias"):
                vectors[f"{norm.ours}.{part}"] = self.vector(f"{norm.prefix}_{part}", d)
        expected = {name.ours: name.alpha for name in matrix_names(config)}
        expected[OUTPUT] = output_alphas(config)[0]
        missing = [theirs for ours, theirs in expected.items() if ours not in ranges]
        if ranges and missing:
            raise ModelFileError(
                f"it has activation scales, but no {missing[0]}", tensor=missing[0]
            )
        return MarianModel(config, matrices, vectors, ranges)

    def item(self, name: str) -> Item:
        if name not in self.items:
            raise ModelFileError(f"there is no tensor {name!r}", tensor=name)
        return self.items[name]

    def matrix(self, name: str, shape: tuple[int, int], *, transposed: bool) -> Int8Matrix | Array:
        """A weight; int8 ones lie transposed in the file, embeddings and floats do not."""
        item = self.item(name)
        if item.shape != shape:
            raise ModelFileError(
                f"{name!r} has the shape {item.shape}, the settings say {shape}", tensor=name
            )
        if item.kind is not Kind.INTGEMM8:
            return self.finite(name, floats(item).reshape(shape))
        values = np.frombuffer(item.data, np.int8, prod(shape))
        multiplier = _multiplier(item)
        values = values.reshape(shape[::-1]).T if transposed else values.reshape(shape)
        return Int8Matrix(np.array(values), 1 / multiplier)

    def vector(self, name: str, size: int) -> Array:
        item = self.item(name)
        if prod(item.shape) != size:
            raise ModelFileError(
                f"{name!r} has the shape {item.shape}, the settings say {size}", tensor=name
            )
        return self.finite(name, floats(item))

    def alpha(self, ours: str, names: tuple[str, ...], ranges: dict[str, float]) -> None:
        for name in names:
            if name in self.items:
                values = self.finite(name, floats(self.items[name]))
                if values.size != 1 or values[0] <= 0:
                    raise ModelFileError(f"{name!r} is no scale: {values[:3]}", tensor=name)
                ranges[ours] = LARGEST / float(values[0])
                return

    def finite(self, name: str, values: Array) -> Array:
        if not np.isfinite(values).all():
            raise ModelFileError(f"{name!r} holds values that are not numbers", tensor=name)
        return values


def floats(item: Item) -> Array:
    """The values of a tensor of floating point, or of int8 with its scale; flat.

    Raises:
        ModelFileError: it is of another type.
    """
    count = prod(item.shape)
    if item.kind is Kind.INTGEMM8:  # such as the alphas of models with split vocabularies
        values = np.frombuffer(item.data, np.int8, count).astype(np.float32)
        return values / np.float32(_multiplier(item))
    if item.kind not in FLOATS:
        raise ModelFileError(f"{item.name!r} is {item.kind}, not floating point", tensor=item.name)
    with np.errstate(over="ignore"):
        return np.frombuffer(item.data, FLOATS[item.kind], count).astype(np.float32)


def _multiplier(item: Item) -> float:
    """127 / max|w|: what the weights were multiplied by."""
    place = prod(item.shape) * BYTES[Kind.INTGEMM8]
    multiplier = float(np.frombuffer(item.data, "<f4", 1, place)[0])
    if not (np.isfinite(multiplier) and multiplier > 0):
        raise ModelFileError(f"{item.name!r} has no scale: {multiplier}", tensor=item.name)
    return multiplier
