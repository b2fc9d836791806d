"""The arithmetic of a published file in NumPy, with the kernel's order of float32 operations.

`ReferenceEngine` leaves the order to NumPy; sums then differ from the kernel's in their last bits,
and now and then one activation falls on the other side of a rounding step. Here each operation is
the kernel's (kernel/src), in its order: what comes out must be the same to the bit.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.marian.model import MarianModel
from dragoman.student.architecture import LAYER_NORM_EPSILON, UNK
from dragoman.student.weights import EMBEDDING, OUTPUT, OUTPUT_BIAS, Int8Matrix
from tests.support.reference.marian_arithmetic import (
    EOS,
    MOST_POSITIONS,
    SHUT_OUT,
    Arithmetic,
    ReferenceEngine,
)

Array = NDArray[np.float32]
F = np.float32
LANES = 4
COLUMNS = 2048  # logits at a time: fresh memory takes longer than the products in it
EXACT = Arithmetic(relu_steps=127, saturate=False, rounding=False)


def exponential(x: Array) -> Array:
    """`exp4` of ``kernel/src/simd.h``."""
    x = np.clip(x, F(-64), F(64))
    n = np.rint(x * F(1.44269504))
    r = x - n * F(0.693359375)
    r = r + n * F(2.12194440e-4)
    p = F(1 / 720) * r + F(1 / 120)
    for term in (1 / 24, 1 / 6, 0.5, 1.0, 1.0):
        p = p * r + F(term)
    result: Array = p * np.exp2(n).astype(F)
    return result


def lane_sum(x: Array) -> Array:
    """Over the last axis, a multiple of four: in four lanes, then (0 + 2) + (1 + 3)."""
    parts = x.reshape(*x.shape[:-1], -1, LANES)
    total = np.zeros((*x.shape[:-1], LANES), F)
    for number in range(parts.shape[-2]):
        total = total + parts[..., number, :]
    result: Array = (total[..., 0] + total[..., 2]) + (total[..., 1] + total[..., 3])
    return result


def sinusoids(count: int, dimension: int) -> Array:
    """``kernel/src/sinusoids.c``: float32 where the published engine has it, else double."""
    half = dimension // 2
    fall = F(9.21034037) / (F(half) - F(1))
    rates = np.exp((np.arange(half, dtype=F) * -fall).astype(np.float64)).astype(F)
    angles = (np.arange(count, dtype=F)[:, None] * rates).astype(np.float64)
    return np.concatenate((np.sin(angles), np.cos(angles)), axis=1).astype(F)


class KernelOrder(ReferenceEngine):
    """Greedy search as the kernel does it."""

    def __init__(self, model: MarianModel) -> None:
        super().__init__(model, EXACT)
        self.positions = sinusoids(MOST_POSITIONS, self.sizes.dimension)
        self.rows = self._embedding(EMBEDDING)
        table = model.matrices[EMBEDDING]
        assert isinstance(table, Int8Matrix)
        self.pieces = table.values.astype(F)  # [V, D]
        split = f"source_{EMBEDDING}" in model.matrices
        self.source_rows = self._embedding(f"source_{EMBEDDING}") if split else self.rows

    def _embedding(self, name: str) -> Array:
        table = self.model.matrices[name]
        assert isinstance(table, Int8Matrix)
        return table.values.astype(F) * F(math.sqrt(self.sizes.dimension) * table.scale)

    def translate_all(
        self, rows: Sequence[Sequence[int]], limit: int, chosen: Sequence[int] | None = None
    ) -> list[list[int]]:
        """As `translate`, with all rows together: a row's results are its own.

        Args:
            chosen: the pieces of the target that can be said, in order; all of them by default.
        """
        pieces = np.arange(self.sizes.vocabulary_size) if chosen is None else np.array(chosen)
        layers, names = range(self.sizes.decoder_layers), ("key", "value")
        memory, lengths = self.encode_all(rows), list(map(len, rows))
        memories = [
            [_padded(self._linear(memory, f"decoder.{n}.attention.{of}"), lengths) for of in names]
            for n in layers
        ]
        states = [np.zeros((len(rows), self.sizes.dimension), F) for _ in layers]
        translations: list[list[int]] = [[] for _ in rows]
        going, x = list(range(len(rows))), np.zeros((len(rows), self.sizes.dimension), F)
        inside = _inside(lengths)
        for step in range(limit):
            x = x + self.positions[step]
            for n in layers:
                x, states[n] = self._recurrence(x, states[n], f"decoder.{n}.recurrence")
                name = f"decoder.{n}.attention"
                query = self._linear(x, f"{name}.query")[:, None]
                key, value = (part[going] for part in memories[n])
                x = self._added(x, self._mixed(query, key, value, inside[going])[:, 0], name)
                x = self._feed_forward(x, f"decoder.{n}.feed_forward")
            best = self._best(x, pieces)
            kept = [i for i, piece in enumerate(best) if piece != EOS]
            for i in kept:
                translations[going[i]].append(int(best[i]))
            if not kept:
                break
            going, x = [going[i] for i in kept], self.rows[best[kept]]
            states = [state[kept] for state in states]
        return translations

    def encode_all(self, rows: Sequence[Sequence[int]]) -> Array:
        """[P, D]: what the encoder makes of all pieces, row after row."""
        places = [place for row in rows for place in range(len(row))]
        pieces = [piece for row in rows for piece in row]
        x: Array = self.source_rows[pieces] + self.positions[places]
        starts = np.cumsum([0, *map(len, rows)])
        for n in range(self.sizes.encoder_layers):
            name = f"encoder.{n}.attention"
            query, key, value = (
                self._linear(x, f"{name}.{part}") for part in ("query", "key", "value")
            )
            mixed = [
                self._mixed(query[None, a:b], key[None, a:b], value[None, a:b])[0]
                for a, b in itertools.pairwise(starts)
            ]
            x = self._added(x, np.concatenate(mixed), name)
            x = self._feed_forward(x, f"encoder.{n}.feed_forward")
        return x

    def _logits(self, x: Array) -> Array:
        logits: Array = self._product(x, self.output, OUTPUT, self.model.vectors[OUTPUT_BIAS])[0]
        logits[UNK] = SHUT_OUT
        return logits

    def _best(self, x: Array, pieces: NDArray[np.integer]) -> NDArray[np.integer]:
        """[R]: of `pieces` the one with the largest logit, the first of equals."""
        best = np.full(len(x), -np.inf, F)
        chosen = np.zeros(len(x), pieces.dtype)
        for start in range(0, len(pieces), COLUMNS):
            part = pieces[start : start + COLUMNS]
            if len(pieces) == self.sizes.vocabulary_size:  # a view, not a copy of the weights
                part = slice(start, start + len(part))  # type: ignore[assignment]
            logits = self._columns(x, part)
            places = logits.argmax(axis=1)
            tops = logits[np.arange(len(x)), places]
            better = tops > best
            best[better], chosen[better] = tops[better], pieces[start + places[better]]
        return chosen

    def _columns(self, x: Array, part: Any) -> Array:
        """[R, part]: logits."""
        bias = self.model.vectors[OUTPUT_BIAS].copy()
        bias[UNK] = SHUT_OUT
        quantized, scale = self._quantized(x, OUTPUT), self._scale(self.output, OUTPUT)
        # Rows of the embedding: whole numbers, whose sums are exact in float32 in any order.
        result: Array = quantized @ self.pieces[part].T
        result *= scale
        result += bias[part]
        return result

    def _recurrence(self, x: Array, state: Array, name: str) -> tuple[Array, Array]:
        forget = F(1) / (F(1) + exponential(-self._linear(x, f"{name}.forget")))
        candidate = self._linear(x, f"{name}.candidate")
        state = candidate + forget * (state - candidate)
        return self._normalize(x + np.maximum(state, 0), f"{name}.norm"), state

    def _attend(self, x: Array, query: Array, key: Array, value: Array, name: str) -> Array:
        return self._added(x, self._mixed(query[None], key[None], value[None])[0], name)

    def _added(self, x: Array, mixed: Array, name: str) -> Array:
        return self._normalize(x + self._linear(mixed, f"{name}.output"), f"{name}.norm")

    def _mixed(
        self, query: Array, key: Array, value: Array, inside: NDArray[np.bool_] | None = None
    ) -> Array:
        """Queries [R, T, D], keys and values [R, S, D] -> [R, T, D].

        Args:
            inside: [R, S], which keys there are; those that there are not add zeros at the end of
                sums, and so nothing.
        """
        heads, head = self.sizes.heads, self.sizes.dimension // self.sizes.heads
        q, k, v = (
            m.reshape(*m.shape[:2], heads, head).transpose(0, 2, 1, 3) for m in (query, key, value)
        )
        factor = F(1) / np.sqrt(F(head))
        scores = lane_sum(q[:, :, :, None, :] * k[:, :, None, :, :]) * factor  # [R, H, T, S]
        if inside is not None:
            scores = np.where(inside[:, None, None], scores, F(-np.inf))
        powers = exponential(scores - scores.max(axis=-1, keepdims=True))
        if inside is not None:
            powers = np.where(inside[:, None, None], powers, F(0))
        filled = np.pad(powers, ((0, 0), (0, 0), (0, 0), (0, -powers.shape[-1] % LANES)))
        weights = powers * (F(1) / lane_sum(filled))[..., None]
        mixed: Any = np.zeros(q.shape, F)
        for column in range(v.shape[2]):
            mixed = mixed + weights[..., column, None] * v[:, :, None, column]
        flat: Array = mixed.transpose(0, 2, 1, 3).reshape(query.shape)
        return flat

    def _normalize(self, x: Array, name: str) -> Array:
        size = F(x.shape[-1])
        centred = x - (lane_sum(x) / size)[:, None]
        variance = lane_sum(centred * centred) / size
        inverse = F(1) / np.sqrt(variance + F(LAYER_NORM_EPSILON))
        vectors = self.model.vectors
        unit = centred * inverse[:, None]
        result: Array = unit * vectors[f"{name}.scale"] + vectors[f"{name}.bias"]
        return result

    def _product(self, x: Array, matrix: Int8Matrix, name: str, bias: Array) -> Array:
        # Sums of whole numbers below 2^24 are exact in float32, in any order.
        kind: Any = F if len(matrix.values) * 127 * 127 < 2**24 else np.float64
        if name not in self._exact:
            self._exact[name] = matrix.values.astype(kind)
        sums: Any = self._quantized(x, name).astype(kind) @ self._exact[name]
        result: Array = sums.astype(F) * self._scale(matrix, name) + bias
        return result

    def _alpha(self, name: str) -> np.float32:
        return F(127 / self.model.ranges[name])

    def _quantized(self, x: Array, name: str) -> Array:
        least = 0 if name.endswith(".outer") else -127
        result: Array = np.clip(np.rint(x * self._alpha(name)), least, 127)
        return result

    def _scale(self, matrix: Int8Matrix, name: str) -> np.float32:
        return F(1) / F(self._alpha(name) * F(1 / matrix.scale))


def _inside(lengths: Sequence[int]) -> NDArray[np.bool_]:
    result: NDArray[np.bool_] = np.arange(max(lengths)) < np.array(lengths)[:, None]
    return result


def _padded(x: Array, lengths: Sequence[int]) -> Array:
    """Rows one after another, [P, D] -> [R, S, D]."""
    padded = np.zeros((len(lengths), max(lengths), x.shape[1]), F)
    padded[_inside(lengths)] = x
    return padded
