"""JSON in slices, so that a large answer holds up nothing and is never whole in memory.

    outcome --data--> {"text": ..., "soft": [...]} --slices--> b'{"text":' ... --parts--> 64 KB each

The encoder of JSON lets nothing else run until it is done, in whatever thread it runs: a slice is
what it does at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dragoman.errors import DragomanError
from dragoman.types import TranslationResponse
from dragoman.wire.responses import RangeUnit, json_bytes, outcome_data

Outcome = TranslationResponse | DragomanError

# Bytes of a part; items of a list that are encoded at once; levels that are looked into.
PART_BYTES = 65_536
SLICE_ITEMS = 1_024
SLICE_LEVELS = 6


def batch_slices(outcomes: Iterable[Outcome], unit: RangeUnit) -> Iterator[bytes]:
    """`{"outcomes": [...]}`; the data of each is made when its turn comes."""
    comma = b'{"outcomes":['
    for outcome in outcomes:
        yield comma
        yield from json_slices(outcome_data(outcome, unit))
        comma = b","
    yield b"]}" if comma == b"," else comma + b"]}"


def json_slices(data: object, levels: int = SLICE_LEVELS) -> Iterator[bytes]:
    """Bytes that are, one after the other, the JSON of some data."""
    if levels and isinstance(data, dict):
        comma = b"{"
        for key, value in data.items():
            yield comma + json_bytes(key) + b":"
            yield from json_slices(value, levels - 1)
            comma = b","
        yield b"}" if data else b"{}"
    elif levels and isinstance(data, list | tuple):
        yield from _items(data, levels - 1)
    else:
        yield json_bytes(data)


def _items(data: list[object] | tuple[object, ...], levels: int) -> Iterator[bytes]:
    comma = b"["
    for start in range(0, len(data), SLICE_ITEMS):
        some = data[start : start + SLICE_ITEMS]
        if any(isinstance(item, dict) for item in some):
            for item in some:
                yield comma
                yield from json_slices(item, levels)
                comma = b","
        else:
            yield comma + json_bytes(some)[1:-1]
            comma = b","
    yield b"]" if data else b"[]"


def parts(slices: Iterable[bytes]) -> Iterator[bytes]:
    """Slices together, as long as they are short."""
    part = bytearray()
    for one in slices:
        part += one
        if len(part) >= PART_BYTES:
            yield bytes(part)
            part.clear()
    if part:
        yield bytes(part)
