"""Models in the published files' format with random, lively weights: right shapes, no PyTorch."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from io import BytesIO
from typing import Any

import numpy as np
import sentencepiece
from numpy.typing import NDArray

from dragoman.marian.config import MarianConfig, write_config
from dragoman.marian.file import Item, Kind, read_bin, write_bin
from dragoman.marian.names import (
    BIAS,
    CONFIG,
    embedding_names,
    matrix_names,
    norm_names,
    output_alphas,
)
from dragoman.marian.shortlist import Shortlist, write_shortlist
from dragoman.student.architecture import Architecture

SMALL = Architecture(400, 64, 128, 4, 2, 2)
SYLLABLES = ["ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "zo"]
# Largest magnitudes of what products read: rows of unit variance, means of values, a relu.
NORMED, MIXED, AFTER_RELU = 4.2, 2.5, 3.6
# Sub-layers that add less than they are given keep one rounding that falls the other way from
# growing into another sentence, as training does.
GAINS = {"query": 1.5, "key": 1.5, "output": 0.5, "outer": 0.3}


@dataclass(frozen=True)
class PublishedModel:
    """Attributes:
    target_vocabulary: None where one is shared.
    """

    model: bytes
    vocabulary: bytes
    target_vocabulary: bytes | None
    shortlist: bytes
    config: MarianConfig


def make_model(
    sizes: Architecture = SMALL,
    *,
    source_pieces: int | None = None,
    seed: int = 1,
    alphas: bool = True,
    tied: tuple[int, ...] = (),
    always: int = 50,
    most: int = 127,
) -> PublishedModel:
    """A random model.

    Args:
        source_pieces: with a vocabulary a side, the size of the source's.
        alphas: whether the file has activation scales.
        always: pieces that the shortlist has for every sentence.
        most: largest weight. Pairs of at most 64 saturate in nobody's sums of 16 bits.
    """
    shared = source_pieces is None
    source = source_pieces or sizes.vocabulary_size
    config = MarianConfig(sizes, source, shared, tied)
    return PublishedModel(
        marian_bytes(config, seed, alphas, most),
        vocabulary(source, 0),
        None if shared else vocabulary(sizes.vocabulary_size, 1),
        shortlist(source, sizes.vocabulary_size, seed, always),
        config,
    )


def with_extreme_weights(made: PublishedModel, seed: int, dimension: int) -> PublishedModel:
    """The same with int8 weights at their limits: all 127 and -128, by runs, by chance and alone.

    Sums of products in 16 bits hold none of them (``kernel/src/narrow.h``).
    """
    random = np.random.default_rng(seed)
    items = []
    for item in read_bin(made.model):
        if item.kind is Kind.INTGEMM8:
            count = item.shape[0] * item.shape[1]
            runs = np.repeat(random.choice([-128, 127, 0], count // 16 + 1), 16)[:count]
            mixed = np.where(random.random(count) < 0.3, random.choice([-128, 127], count), runs)
            mixed[: 4 * dimension] = 127
            item = replace(item, data=mixed.astype(np.int8).tobytes() + item.data[count:])
        items.append(item)
    return replace(made, model=write_bin(items))


def shortlist(source: int, target: int, seed: int, first: int = 50, best: int = 20) -> bytes:
    """Lists of random pieces, up to so many for each of the source's."""
    random = np.random.default_rng(seed)
    lists = [np.unique(random.integers(0, target, random.integers(0, best))) for _ in range(source)]
    offsets = np.cumsum([0, *map(len, lists)]).astype(np.uint64)
    return write_shortlist(Shortlist(first, best, offsets, np.concatenate(lists).astype(np.uint32)))


def marian_bytes(config: MarianConfig, seed: int, alphas: bool = True, most: int = 127) -> bytes:
    """The model file."""
    random = np.random.default_rng(seed)
    items = list(_items(config, random, alphas, most))
    unique = {item.name: item for item in items}  # tied layers have their tensors once
    text = write_config(config).encode() + b"\0"
    ordered = [unique[name] for name in sorted(unique)]
    return write_bin([*ordered, Item(CONFIG, Kind.INT8, (len(text),), text)])


def _items(
    config: MarianConfig, random: np.random.Generator, alphas: bool, most: int
) -> Iterator[Item]:
    sizes = config.sizes
    for name in embedding_names(config).values():
        rows = config.source_vocabulary_size if "encoder" in name else sizes.vocabulary_size
        values = random.normal(0, sizes.dimension**-0.5, (rows, sizes.dimension))
        yield _int8(name, values, values.shape, most)
    bias = random.normal(0, 0.3, sizes.vocabulary_size)
    bias[0] += 1.0  # sentences end now and then
    yield _floats(BIAS, bias)
    for matrix in matrix_names(config):
        inner, d = sizes.feed_forward, sizes.dimension
        into = inner if matrix.ours.endswith(".outer") else d
        out = inner if matrix.ours.endswith(".inner") else d
        values = random.normal(0, into**-0.5, (into, out)) * random.uniform(0.8, 1.2)
        values *= _gain(matrix.ours)
        yield _int8(matrix.weight, values.T, (into, out), most)
        if matrix.bias:
            yield _floats(matrix.bias, random.normal(0, 0.1, out))
        if alphas:
            yield _alpha(matrix.alpha, _largest(matrix.ours))
    if alphas:
        for name in output_alphas(config):
            yield _alpha(name, NORMED)
    for norm in norm_names(config):
        # Signs: or each piece would look like the one before it, whose embedding comes through.
        scales = random.normal(1, 0.1, sizes.dimension) * random.choice([-1, 1], sizes.dimension)
        yield _floats(f"{norm.prefix}_scale", scales)
        yield _floats(f"{norm.prefix}_bias", random.normal(0, 0.1, sizes.dimension))


def _gain(name: str) -> float:
    if name.startswith("decoder") and name.endswith("attention.output"):
        return 2.0  # the source decides
    return GAINS.get(name.rpartition(".")[2], 1.0)


def _largest(name: str) -> float:
    if name.endswith(".outer"):
        return AFTER_RELU
    return MIXED if name.endswith("attention.output") else NORMED


def _int8(name: str, stored: NDArray[Any], shape: tuple[int, ...], most: int) -> Item:
    multiplier = np.float32(most / np.abs(stored).max())
    values = np.clip(np.rint(stored * multiplier), -127, 127).astype(np.int8)
    return Item(name, Kind.INTGEMM8, tuple(shape), values.tobytes() + multiplier.tobytes())


def _floats(name: str, values: NDArray[Any]) -> Item:
    return Item(name, Kind.FLOAT32, (1, len(values)), values.astype("<f4").tobytes())


def _alpha(name: str, largest: float) -> Item:
    return Item(name, Kind.FLOAT32, (1, 1), np.float32(127 / largest).tobytes())


@cache
def vocabulary(size: int, seed: int) -> bytes:
    """A SentencePiece model of so many pieces, as the published ones are made: </s> 0, <unk> 1."""
    random = np.random.default_rng(seed)
    words = ["".join(parts) for parts in itertools.product(SYLLABLES, repeat=3)]
    random.shuffle(words)
    written = BytesIO()
    trained = min(size, 400)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=(" ".join(words[n : n + 9]) for n in range(0, len(words), 9)),
        model_writer=written, vocab_size=trained, model_type="unigram", eos_id=0, unk_id=1,
        bos_id=-1, hard_vocab_limit=True, byte_fallback=True, minloglevel=2, num_threads=1,
    )  # fmt: skip
    return written.getvalue() if trained == size else _padded(written.getvalue(), size)


def _padded(content: bytes, size: int) -> bytes:
    """The same with words of four syllables as further pieces."""
    from sentencepiece import sentencepiece_model_pb2 as proto

    model = proto.ModelProto.FromString(content)
    known = {piece.piece for piece in model.pieces}
    first = ("▁" + "".join(parts) for parts in itertools.product(SYLLABLES, repeat=4))
    more = itertools.chain(
        first, ("".join(parts) for parts in itertools.product(SYLLABLES, repeat=4))
    )
    for word in more:
        if len(model.pieces) == size:
            break
        if word not in known:
            model.pieces.add(piece=word, score=-12.0 - len(model.pieces) / size)
    model.trainer_spec.vocab_size = size
    written: bytes = model.SerializeToString()
    return written


def sentences(count: int, seed: int = 5, longest: int = 14) -> list[str]:
    """Sentences of the made-up language, of 1 to `longest` words."""
    random = np.random.default_rng(seed)

    def word() -> str:
        return "".join(random.choice(SYLLABLES, random.integers(1, 5)))

    return [" ".join(word() for _ in range(random.integers(1, longest + 1))) for _ in range(count)]
