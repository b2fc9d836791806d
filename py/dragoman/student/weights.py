"""What a student's weights are, whoever made them: float32, or int8 with a scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.student.architecture import EMBEDDING as EMBEDDING
from dragoman.student.architecture import OUTPUT as OUTPUT
from dragoman.student.architecture import OUTPUT_BIAS as OUTPUT_BIAS

Array = NDArray[np.float32]
_SMALLEST_SCALE = float(np.finfo(np.float32).tiny)


@dataclass(frozen=True)
class Int8Matrix:
    """weight = values * scale; values [inputs, outputs], of an embedding [pieces, dimension]."""

    values: NDArray[np.int8]
    scale: float

    def floats(self) -> Array:
        return self.values.astype(np.float32) * np.float32(self.scale)


def quantize(weight: Array) -> tuple[NDArray[np.int8], float]:
    """Symmetric int8 with one scale: weight = int8 * scale; -128 is not used.

    The scale is a normal float32, so that weights of less than that (denormal ones) are zeros.
    """
    largest = float(np.abs(weight).max())
    scale = max(largest / 127, _SMALLEST_SCALE) if largest else 1.0
    return np.clip(np.rint(weight / scale), -127, 127).astype(np.int8), scale


def positions(count: int, dimension: int) -> Array:
    """Sinusoids [count, dimension]: first half sines, second half cosines (not interleaved)."""
    half = dimension // 2
    fall = np.float32(np.log(10000.0) / (half - 1))
    rates = np.exp(np.arange(half, dtype=np.float32) * -fall)
    angles = np.arange(count, dtype=np.float32)[:, None] * rates
    return np.concatenate((np.sin(angles), np.cos(angles)), axis=1)
