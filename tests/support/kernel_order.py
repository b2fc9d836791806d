"""The arithmetic of a published file in NumPy, with the kernel's order of float32 operations.

`ReferenceEngine` leaves the order to NumPy; sums then differ from the kernel's in their last bits,
and now and then one activation falls on the other side of a rounding step. Here each operation is
the kernel's (kernel/src), in its order: what comes out must be the same to the bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.marian.model import MarianModel
from dragoman.student.architecture import LAYER_NORM_EPSILON, UNK
from dragoman.student.weights import EMBEDDING, OUTPUT, OUTPUT_BIAS, Int8Matrix
from tests.bench.marian_arithmetic import EOS, MOST_POSITIONS, Arithmetic, ReferenceEngine

Array = NDArray[np.float32]
F = np.float32
LANES = 4
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
        split = f"source_{EMBEDDING}" in model.matrices
        self.source_rows = self._embedding(f"source_{EMBEDDING}") if split else self.rows

    def _embedding(self, name: str) -> Array:
        table = self.model.matrices[name]
        assert isinstance(table, Int8Matrix)
        return table.values.astype(F) * F(math.sqrt(self.sizes.dimension) * table.scale)

    def translate_all(self, rows: Sequence[Sequence[int]], limit: int) -> list[list[int]]:
        """As `translate`, with the rows of a step together: a row's results are its own."""
        layers = range(self.sizes.decoder_layers)
        memories = [self._encode(row) for row in rows]
        keys, values = (
            [
                [self._linear(memory, f"decoder.{n}.attention.{part}") for memory in memories]
                for n in layers
            ]
            for part in ("key", "value")
        )
        states = [np.zeros((len(rows), self.sizes.dimension), F) for _ in layers]
        found: list[list[int]] = [[] for _ in rows]
        going, x = list(range(len(rows))), np.zeros((len(rows), self.sizes.dimension), F)
        while going:
            x = x + self.positions[len(found[going[0]])]
            for n in layers:
                x, states[n] = self._recurrence(x, states[n], f"decoder.{n}.recurrence")
                name = f"decoder.{n}.attention"
                query = self._linear(x, f"{name}.query")
                mixed = [
                    self._mixed(query[i : i + 1], keys[n][row], values[n][row])
                    for i, row in enumerate(going)
                ]
                x = self._added(x, np.concatenate(mixed), name)
                x = self._feed_forward(x, f"decoder.{n}.feed_forward")
            best = self._all_logits(x).argmax(axis=1)
            kept = []
            for i, row in enumerate(going):
                if best[i] != EOS and len(found[row]) < limit:
                    found[row].append(int(best[i]))
                    kept.append(i)
            kept = [i for i in kept if len(found[going[i]]) < limit]
            going, x = [going[i] for i in kept], self.rows[best[kept]]
            states = [state[kept] for state in states]
        return found

    def _logits(self, x: Array) -> Array:
        logits: Array = self._all_logits(x)[0]
        return logits

    def _all_logits(self, x: Array) -> Array:
        logits = self._product(x, self.output, OUTPUT, self.model.vectors[OUTPUT_BIAS])
        logits[:, UNK] = F(-1e9)
        return logits

    def _recurrence(self, x: Array, state: Array, name: str) -> tuple[Array, Array]:
        forget = F(1) / (F(1) + exponential(-self._linear(x, f"{name}.forget")))
        candidate = self._linear(x, f"{name}.candidate")
        state = candidate + forget * (state - candidate)
        return self._normalize(x + np.maximum(state, 0), f"{name}.norm"), state

    def _attend(self, x: Array, query: Array, key: Array, value: Array, name: str) -> Array:
        return self._added(x, self._mixed(query, key, value), name)

    def _added(self, x: Array, mixed: Array, name: str) -> Array:
        return self._normalize(x + self._linear(mixed, f"{name}.output"), f"{name}.norm")

    def _mixed(self, query: Array, key: Array, value: Array) -> Array:
        heads, head = self.sizes.heads, self.sizes.dimension // self.sizes.heads
        q, k, v = (m.reshape(len(m), heads, head).transpose(1, 0, 2) for m in (query, key, value))
        factor = F(1) / np.sqrt(F(head))
        scores = lane_sum(q[:, :, None, :] * k[:, None, :, :]) * factor  # [H, T, S]
        powers = exponential(scores - scores.max(axis=-1, keepdims=True))
        filled = np.pad(powers, ((0, 0), (0, 0), (0, -powers.shape[-1] % LANES)))
        weights = powers * (F(1) / lane_sum(filled))[..., None]
        mixed: Any = np.zeros(q.shape, F)
        for column in range(v.shape[1]):
            mixed = mixed + weights[:, :, column, None] * v[:, None, column]
        flat: Array = mixed.transpose(1, 0, 2).reshape(len(query), -1)
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
        alpha = F(127 / self.model.ranges[name])
        least = 0 if name.endswith(".outer") else -127
        quantized = np.clip(np.rint(x * alpha), least, 127)
        # Sums of whole numbers below 2^24 are exact in float32, in any order.
        kind = F if len(matrix.values) * 127 * 127 < 2**24 else np.float64
        if name not in self._exact:
            self._exact[name] = matrix.values.astype(kind)
        sums: Any = quantized.astype(kind) @ self._exact[name]
        scale = F(1) / F(alpha * F(1 / matrix.scale))
        result: Array = sums.astype(F) * scale + bias
        return result
