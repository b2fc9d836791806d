"""Responses and errors as plain data, for every shell that speaks JSON: bridge, command, server.

The layout is that of ``docs/protocol.md``. Ranges leave Python in the unit that was asked for.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping
from dataclasses import asdict
from enum import StrEnum
from itertools import accumulate
from typing import Any, Protocol

from dragoman.counters import Statistics
from dragoman.errors import DragomanError
from dragoman.types import SoftAlignment, Span, TranslationResponse
from dragoman.utf16 import Utf16Index


class RangeUnit(StrEnum):
    """What the ends of a range count."""

    UTF16 = "utf16"  # UTF-16 code units, as JavaScript strings do
    CODEPOINT = "codepoint"  # as Python strings do
    BYTE = "byte"  # of the text as UTF-8; a lone surrogate counts 3


class TextIndex(Protocol):
    """Converts spans of one text."""

    def range(self, span: Span) -> list[int]:
        """``[start, end]`` in the index's unit."""
        ...


class _CodePointIndex:
    def __init__(self, text: str) -> None:
        """Nothing to prepare."""

    def range(self, span: Span) -> list[int]:
        return [span.start, span.end]


class _ByteIndex:
    def __init__(self, text: str) -> None:
        self._starts: array[int] | None = None
        if not text.isascii():
            self._starts = array("Q", accumulate(map(_utf8_length, text), initial=0))

    def range(self, span: Span) -> list[int]:
        if self._starts is None:
            return [span.start, span.end]
        return [self._starts[span.start], self._starts[span.end]]


def _utf8_length(char: str) -> int:
    return 1 + (char > "\x7f") + (char > "\u07ff") + (char > "\uffff")


def text_index(text: str, unit: RangeUnit) -> TextIndex:
    """The index of a text for a unit."""
    match unit:
        case RangeUnit.UTF16:
            return Utf16Index(text)
        case RangeUnit.CODEPOINT:
            return _CodePointIndex(text)
        case RangeUnit.BYTE:
            return _ByteIndex(text)


def length(text: str, unit: RangeUnit) -> int:
    """Length of a text in a unit."""
    return text_index(text, unit).range(Span(0, len(text)))[1]


def error_data(error: DragomanError) -> dict[str, Any]:
    """An error as the wire has it."""
    return {"code": error.code, "message": error.message, "details": error.details}


def response_data(response: TranslationResponse, unit: RangeUnit) -> dict[str, Any]:
    """A response, its ranges in `unit`."""
    source = text_index(response.request.text, unit)
    target = text_index(response.text, unit)
    soft = response.request.alignment == "soft"
    timings = response.timings
    return {
        "text": response.text,
        "unit": str(unit),
        "sentences": [
            {
                "source": source.range(sentence.source),
                "target": target.range(sentence.target),
                "score": sentence.score,
            }
            for sentence in response.sentences
        ],
        "alignment": _alignment_data(response, source, target),
        "soft": [_soft_data(s.soft, source, target) for s in response.sentences] if soft else None,
        "warnings": [
            {
                "code": notice.code,
                "message": notice.message,
                "span": source.range(notice.span) if notice.span else None,
            }
            for notice in response.warnings
        ],
        "timings": {name: getattr(timings, name) for name in timings.__slots__},
    }


def outcome_data(outcome: TranslationResponse | DragomanError, unit: RangeUnit) -> dict[str, Any]:
    """How a request ended."""
    if isinstance(outcome, DragomanError):
        return {"ok": False, "error": error_data(outcome)}
    return {"ok": True, "response": response_data(outcome, unit)}


class PieceWriter:
    """The pieces of a stream as plain data, in order, their ranges in the whole texts.

    It counts both texts as they go by: nothing of them is kept.
    """

    def __init__(self, unit: RangeUnit) -> None:
        self._unit, self._source, self._target = unit, 0, 0

    def data(self, piece: TranslationResponse) -> dict[str, Any]:
        """A piece; `source` and `target` are where it stands."""
        data = response_data(piece, self._unit)
        source, target = self._source, self._target
        self._source += length(piece.request.text, self._unit)
        self._target += length(piece.text, self._unit)
        place = {"source": [source, self._source], "target": [target, self._target]}
        return place | _moved(data, source, target)


def _moved(data: dict[str, Any], source: int, target: int) -> dict[str, Any]:
    """A response's data with its ranges moved on."""
    sentences = [
        sentence
        | {"source": _by(source, sentence["source"]), "target": _by(target, sentence["target"])}
        for sentence in data["sentences"]
    ]
    alignment = data["alignment"] and data["alignment"] | {
        "sourceWords": [_by(source, word) for word in data["alignment"]["sourceWords"]],
        "targetWords": [_by(target, word) for word in data["alignment"]["targetWords"]],
    }
    soft = data["soft"] and [
        one
        and one
        | {
            "source": [_by(source, span) for span in one["source"]],
            "target": [_by(target, span) for span in one["target"]],
        }
        for one in data["soft"]
    ]
    warnings = [
        warning | {"span": warning["span"] and _by(source, warning["span"])}
        for warning in data["warnings"]
    ]
    moved = {"sentences": sentences, "alignment": alignment, "soft": soft, "warnings": warnings}
    return data | moved


def _by(distance: int, edges: list[int]) -> list[int]:
    return [edges[0] + distance, edges[1] + distance]


def statistics_data(statistics: Statistics) -> dict[str, Any]:
    """Figures of a service, by their names in Python."""
    return asdict(statistics)


def _alignment_data(
    response: TranslationResponse, source: TextIndex, target: TextIndex
) -> Mapping[str, Any] | None:
    if response.request.alignment == "none":
        return None
    alignment = response.alignment
    return {
        "sourceWords": [source.range(span) for span in alignment.source_words],
        "targetWords": [target.range(span) for span in alignment.target_words],
        "links": alignment.links,
        "scores": alignment.scores,
    }


def _soft_data(
    soft: SoftAlignment | None, source: TextIndex, target: TextIndex
) -> Mapping[str, Any] | None:
    if soft is None:
        return None
    return {
        "source": [source.range(span) for span in soft.source],
        "target": [target.range(span) for span in soft.target],
        "matrix": list(soft.matrix),
    }


def json_bytes(data: object) -> bytes:
    """Compact JSON in UTF-8. Text with a lone surrogate, which has no UTF-8, is escaped instead."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(data, separators=(",", ":"), allow_nan=False).encode()
