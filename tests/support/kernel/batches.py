"""Mini-batches of an embedded model, and what an engine gave of them."""

from __future__ import annotations

from array import array
from typing import Any

from dragoman.types import EngineOutput, MiniBatch, Piece, Segment, Span
from tests.support.paths import MODELS

GRAPH = MODELS / "de-en" / "model.onnx"
EOS = 0
# Rows, longest row: one, an odd number, more than a tile, wider than a block of the encoder.
SHAPES = [(1, 12), (2, 17), (5, 20), (7, 33), (32, 14), (13, 60)]


def row(number: int, length: int) -> list[int]:
    return [*(20 + (17 * place + 31 * number) % 7900 for place in range(length - 1)), EOS]


def batch(rows: list[list[int]], limit: int = 0) -> MiniBatch:
    """A mini-batch of rows of pieces, that end with EOS."""
    width = max(len(ids) for ids in rows)
    piece = Piece(20, Span(0, 1))
    limits = [limit or 2 * len(ids) for ids in rows]
    segments = tuple(
        Segment(1, number, Span(0, 1), (piece,) * (len(ids) - 1), limits[number])
        for number, ids in enumerate(rows)
    )
    flat = [piece for ids in rows for piece in [*ids, *[EOS] * (width - len(ids))]]
    lengths = [len(ids) for ids in rows]
    return MiniBatch(segments, array("i", flat), array("i", lengths), array("i", limits), width)


def batch_of(shape: tuple[int, int]) -> MiniBatch:
    count, width = shape
    return batch([row(number, width - number * 7 % (width // 2)) for number in range(count)])


def content(output: EngineOutput) -> tuple[bytes, bytes, bytes]:
    parts = output.ids, output.log_probabilities, output.attention
    ids, log_probabilities, attention = (part.tobytes() for part in parts)
    return ids, log_probabilities, attention


def rows_of(output: EngineOutput, values: array[Any], count: int) -> list[bytes]:
    """Each row's numbers up to its end: its EOS, or the last step."""
    steps, rows = output.steps, []
    size = len(values) // (count * steps)
    for number in range(count):
        ids = list(output.ids[number * steps : (number + 1) * steps])
        length = ids.index(EOS) + 1 if EOS in ids else steps
        start = number * steps * size
        rows.append(values[start : start + length * size].tobytes())
    return rows
