"""The reference engine's arithmetic in NumPy, one sentence at a time, from an exported model.

It shows why two right implementations choose different words now and then. Each difference from
exact arithmetic is a switch:

    relu_steps   activations after a relu have 127 steps there, 255 in our graph
    saturate     pairs of u8 x s8 products are added in 16 bits, which clips large ones
    rounding     the sums of shifted activations (u8 = s8 + 127) are corrected in float32, where
                 the correction is often larger than the sum itself

Shape letters: S source pieces, T rows, D dimension, K inner and N outer size of a product.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.marian.model import MarianModel
from dragoman.student.architecture import LAYER_NORM_EPSILON, UNK
from dragoman.student.weights import EMBEDDING, OUTPUT, OUTPUT_BIAS, Int8Matrix, positions

Array = NDArray[np.float32]
MOST_POSITIONS = 512
LARGEST = 127
INT16 = (-(2**15), 2**15 - 1)
EOS = 0
SHUT_OUT = -1e9


@dataclass(frozen=True)
class Arithmetic:
    """How products are computed; the defaults are the reference engine's."""

    relu_steps: int = LARGEST
    saturate: bool = True
    rounding: bool = True


OURS = Arithmetic(relu_steps=255, saturate=False, rounding=False)
# From ours to theirs, a switch at a time.
STAGES = (
    ("steps after relu", Arithmetic(LARGEST, saturate=False, rounding=False)),
    ("float32 rounding of shifted sums", Arithmetic(LARGEST, saturate=False, rounding=True)),
    ("16-bit saturation", Arithmetic()),
)


@dataclass(frozen=True)
class Memory:
    """What the decoder reads of a sentence; a layer each.

    Attributes:
        keys, values: [S, D].
    """

    keys: list[Array]
    values: list[Array]


@dataclass(frozen=True)
class Said:
    """A hypothesis that goes on.

    Attributes:
        score: the sum of its log-probabilities, float32.
    """

    pieces: tuple[int, ...]
    score: float


class ReferenceEngine:
    """Greedy search and beam search as the engine does them."""

    def __init__(self, model: MarianModel, arithmetic: Arithmetic) -> None:
        self.model, self.arithmetic = model, arithmetic
        self.sizes = model.config.sizes
        self.saturated = 0
        self._exact: dict[str, NDArray[np.float64]] = {}
        table = model.matrices[EMBEDDING]
        assert isinstance(table, Int8Matrix)
        factor = np.sqrt(np.float32(self.sizes.dimension))
        self.rows = table.floats() * factor
        source = model.matrices.get(f"source_{EMBEDDING}", table)
        assert isinstance(source, Int8Matrix)
        self.source_rows = source.floats() * factor
        self.output = Int8Matrix(np.ascontiguousarray(table.values.T), table.scale)
        self.positions = positions(MOST_POSITIONS, self.sizes.dimension)

    def translate(self, ids: Sequence[int], limit: int) -> list[int]:
        """ids with EOS -> at most `limit` pieces, EOS left out."""
        found: list[int] = []
        for logits in self._steps(ids, found):
            best = int(logits.argmax())
            if best == EOS or len(found) == limit:
                break
            found.append(best)
        return found

    def search(self, ids: Sequence[int], limit: int, beam: int) -> list[int]:
        """The best of a beam search, ranked by its score a piece; EOS left out."""
        memory, live = self._memory(ids), [Said((), 0.0)]
        ended: list[Said] = []
        previous, states = self._start()
        for step in range(limit):
            logits, states = self._step(memory, previous, states, step)
            followed = _followed(live, _log_softmax(logits), beam - len(ended))
            last = step == limit - 1
            over = [(said, row) for said, row in followed if said.pieces[-1] == EOS or last]
            ended += [said for said, _ in over]
            stay = [one for one in followed if one not in over]
            if not stay:
                break
            live, rows = [said for said, _ in stay], [row for _, row in stay]
            states = [state[rows] for state in states]
            previous = self.rows[[said.pieces[-1] for said in live]]
        best = max(ended, key=lambda said: said.score / len(said.pieces))
        return [piece for piece in best.pieces if piece != EOS]

    def score(self, ids: Sequence[int], target: Sequence[int]) -> float:
        """What a whole translation, with EOS, is worth a piece: its mean log-probability."""
        steps = zip(self._steps(ids, list(target)), target, strict=False)
        worth = [float(_log_softmax(logits[None])[0, piece]) for logits, piece in steps]
        return sum(worth) / len(worth)

    def logits_after(self, ids: Sequence[int], prefix: Sequence[int]) -> Array:
        """[V]: the scores of what follows a prefix of the translation."""
        given = list(prefix)
        return next(itertools.islice(self._steps(ids, given), len(given), None))

    def _steps(self, ids: Sequence[int], target: list[int]) -> Iterator[Array]:
        """Logits [V] of step after step; step n reads ``target[n - 1]``, which must be there."""
        memory = self._memory(ids)
        previous, states = self._start()
        for step in itertools.count():
            logits, states = self._step(memory, previous, states, step)
            yield logits[0]
            previous = self.rows[target[step] : target[step] + 1]

    def _start(self) -> tuple[Array, list[Array]]:
        """Nothing said: the previous row, and the recurrences' states, [1, D] each."""
        nothing = np.zeros((1, self.sizes.dimension), np.float32)
        return nothing, [nothing] * self.sizes.decoder_layers

    def _memory(self, ids: Sequence[int]) -> Memory:
        encoded = self._encode(ids)
        keys, values = (
            [
                self._linear(encoded, f"decoder.{n}.attention.{part}")
                for n in range(self.sizes.decoder_layers)
            ]
            for part in ("key", "value")
        )
        return Memory(keys, values)

    def _step(
        self, memory: Memory, previous: Array, states: Sequence[Array], step: int
    ) -> tuple[Array, list[Array]]:
        """Logits [R, V] and states [R, D] of R hypotheses; `previous`: their last rows."""
        x, after = previous + self.positions[step], []
        for n, state in enumerate(states):
            x, state = self._recurrence(x, state, f"decoder.{n}.recurrence")
            after.append(state)
            name = f"decoder.{n}.attention"
            query = self._linear(x, f"{name}.query")
            x = self._attend(x, query, memory.keys[n], memory.values[n], name)
            x = self._feed_forward(x, f"decoder.{n}.feed_forward")
        return self._logits(x), after

    def _encode(self, ids: Sequence[int]) -> Array:
        x: Array = self.source_rows[list(ids)] + self.positions[: len(ids)]
        for n in range(self.sizes.encoder_layers):
            name = f"encoder.{n}.attention"
            query, key, value = (
                self._linear(x, f"{name}.{part}") for part in ("query", "key", "value")
            )
            x = self._attend(x, query, key, value, name)
            x = self._feed_forward(x, f"encoder.{n}.feed_forward")
        return x

    def _logits(self, x: Array) -> Array:
        logits: Array = self._product(x, self.output, OUTPUT, self.model.vectors[OUTPUT_BIAS])
        logits[:, UNK] = SHUT_OUT
        return logits

    def _recurrence(self, x: Array, state: Array, name: str) -> tuple[Array, Array]:
        forget: Any = 1 / (1 + np.exp(-self._linear(x, f"{name}.forget")))
        state = forget * state + (1 - forget) * self._linear(x, f"{name}.candidate")
        return self._normalize(np.maximum(state, 0) + x, f"{name}.norm"), state

    def _attend(self, x: Array, query: Array, key: Array, value: Array, name: str) -> Array:
        heads, head = self.sizes.heads, self.sizes.dimension // self.sizes.heads
        q, k, v = (m.reshape(len(m), heads, head).transpose(1, 0, 2) for m in (query, key, value))
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(np.float32(head))  # [H, T, S]
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        mixed = (weights @ v).transpose(1, 0, 2).reshape(len(x), -1)
        return self._normalize(self._linear(mixed, f"{name}.output") + x, f"{name}.norm")

    def _feed_forward(self, x: Array, name: str) -> Array:
        inner = np.maximum(self._linear(x, f"{name}.inner"), 0)
        return self._normalize(self._linear(inner, f"{name}.outer") + x, f"{name}.norm")

    def _normalize(self, x: Array, name: str) -> Array:
        mean = x.mean(axis=-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
        scaled = (x - mean) / np.sqrt(variance + np.float32(LAYER_NORM_EPSILON))
        vectors = self.model.vectors
        result: Array = scaled * vectors[f"{name}.scale"] + vectors[f"{name}.bias"]
        return result

    def _linear(self, x: Array, name: str) -> Array:
        matrix = self.model.matrices[name]
        assert isinstance(matrix, Int8Matrix)
        bias = self.model.vectors.get(f"{name}.bias", np.zeros(matrix.values.shape[1], np.float32))
        return self._product(x, matrix, name, bias)

    def _product(self, x: Array, matrix: Int8Matrix, name: str, bias: Array) -> Array:
        """x [T, K] times int8 [K, N], plus bias."""
        after_relu = name.endswith(".outer")
        steps = self.arithmetic.relu_steps if after_relu else LARGEST
        a_multiplier = np.float32(steps / self.model.ranges[name])
        quantized = np.clip(np.rint(x * a_multiplier), -steps, steps)
        if name not in self._exact:
            self._exact[name] = matrix.values.astype(np.float64)
        weights = self._exact[name]
        if not self.arithmetic.rounding:
            scale = matrix.scale / float(a_multiplier)
            exact: Array = (quantized.astype(np.float64) @ weights * scale).astype(np.float32)
            return exact + bias
        b_multiplier = np.float32(1 / matrix.scale)
        unit = np.float32(1) / (a_multiplier * b_multiplier)
        shift = -((LARGEST / a_multiplier) * (LARGEST / b_multiplier)) / np.float32(LARGEST)
        prepared = weights.sum(axis=0).astype(np.float32) * shift.astype(np.float32) + bias
        sums = self._sums(quantized + LARGEST, matrix.values, weights)
        result: Array = sums.astype(np.float32) * unit + prepared
        return result

    def _sums(
        self, shifted: Array, values: NDArray[np.int8], weights: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """u8 [T, K] times s8 [K, N]; exact, or pair by pair with 16-bit saturation."""
        exact: NDArray[np.float64] = shifted.astype(np.float64) @ weights
        if not self.arithmetic.saturate:
            return exact
        even, odd = (values[n::2].astype(np.float32) for n in (0, 1))
        # Few pairs can get so large at all: those are looked at one by one.
        largest = np.abs(values.astype(np.int16)).max(axis=1).astype(np.float32)  # [K]
        bounds = (shifted * largest).reshape(len(shifted), -1, 2).sum(axis=2)  # [T, K / 2]
        for row, pair in np.argwhere(bounds > INT16[1]):
            even, odd = 2 * pair, 2 * pair + 1
            sums = shifted[row, even] * values[even].astype(np.float32)
            sums += shifted[row, odd] * values[odd].astype(np.float32)
            clipped = np.clip(sums, *INT16)
            self.saturated += int((sums != clipped).sum())
            exact[row] += clipped - sums
        return exact


def _followed(live: Sequence[Said], scores: Array, count: int) -> list[tuple[Said, int]]:
    """The best continuations of all hypotheses, each with the row that it goes on from.

    Args:
        scores: log-probabilities [R, V].
    """
    totals = np.array([said.score for said in live], np.float32)[:, None] + scores
    order = np.argsort(-totals, axis=None, kind="stable")[:count]
    places = (np.unravel_index(place, totals.shape) for place in order)
    return [
        (Said((*live[row].pieces, int(piece)), float(totals[row, piece])), int(row))
        for row, piece in places
    ]


def _log_softmax(logits: Array) -> Array:
    """[R, V]."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    result: Array = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return result
