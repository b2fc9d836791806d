"""Responses and errors as plain data, for every shell that speaks JSON: bridge, command, server.

The layout is that of ``docs/protocol.md``. Ranges leave Python in the unit that was asked for.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import asdict
from enum import StrEnum
from itertools import accumulate
from reprlib import repr as brief
from typing import Any, Protocol

from dragoman.detection.detector import Detection
from dragoman.errors import DragomanError, InvalidElementsError, InvalidRequestError
from dragoman.service.counters import Statistics
from dragoman.types import (
    Alternative,
    Content,
    Element,
    ElementKind,
    PlacedElement,
    SentenceTranslation,
    SoftAlignment,
    Span,
    TranslationResponse,
)
from dragoman.wire.utf16 import Utf16Index


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

    def point(self, offset: int) -> int:
        """Code point offset of an offset in the text, in the index's unit: the last not after."""
        ...


class _CodePointIndex:
    def __init__(self, text: str) -> None:
        """Nothing to prepare."""

    def range(self, span: Span) -> list[int]:
        return [span.start, span.end]

    def point(self, offset: int) -> int:
        return offset


class _ByteIndex:
    def __init__(self, text: str) -> None:
        self._starts: array[int] | None = None
        if not text.isascii():
            self._starts = array("Q", accumulate(map(_utf8_length, text), initial=0))

    def range(self, span: Span) -> list[int]:
        if self._starts is None:
            return [span.start, span.end]
        return [self._starts[span.start], self._starts[span.end]]

    def point(self, offset: int) -> int:
        return offset if self._starts is None else bisect_right(self._starts, offset) - 1


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


def read_elements(data: object, text: str, unit: RangeUnit) -> tuple[Element, ...]:
    """Elements of a request, their ranges in `unit`. Whether they nest is for the core to say.

    Raises:
        InvalidRequestError: they are no list of elements.
        InvalidElementsError: a range is not in the text, or begins or ends inside a character.
    """
    if not isinstance(data, list):
        raise InvalidRequestError("'elements' is not a list")
    index = text_index(text, unit)
    end = length(text, unit)
    return tuple(_element(number, item, index, end) for number, item in enumerate(data))


def _element(number: int, data: object, index: TextIndex, end: int) -> Element:
    match data:
        case {"range": [int(first), int(last)], "kind": str(kind), **rest}:
            parent = rest.get("parent")
            numbers = bool not in (type(first), type(last), type(parent))
            known = kind in list(ElementKind) and rest.keys() <= {"parent"}
            if known and numbers and isinstance(parent, int | None):
                span = _element_span(number, first, last, index, end)
                return Element(span, ElementKind(kind), parent)
    raise InvalidRequestError(f"element {number} cannot be read: {brief(data)}", element=number)


def _element_span(number: int, first: int, last: int, index: TextIndex, end: int) -> Span:
    if not 0 <= first <= last <= end:
        message = f"[{first}, {last}) is not in [0, {end})"
        raise InvalidElementsError(number, "range", message)
    span = Span(index.point(first), index.point(last))
    if index.range(span) != [first, last]:
        message = f"[{first}, {last}) begins or ends inside a character"
        raise InvalidElementsError(number, "surrogate", message)
    return span


def error_data(error: DragomanError) -> dict[str, Any]:
    """An error as the wire has it."""
    return {"code": error.code, "message": error.message, "details": error.details}


def response_data(response: TranslationResponse, unit: RangeUnit) -> dict[str, Any]:
    """A response, its ranges in `unit`."""
    source = text_index(response.request.text, unit)
    target = text_index(response.text, unit)
    soft = response.request.alignment == "soft" and response.request.format == "text"
    timings = response.timings
    return {
        "text": response.text,
        "unit": str(unit),
        "sentences": [
            {
                "source": source.range(sentence.source),
                "target": target.range(sentence.target),
                "score": sentence.score,
                "doubtful": sentence.doubtful,
                **_alternatives_data(response, sentence, unit),
                **_memory_data(response, sentence),
            }
            for sentence in response.sentences
        ],
        "alignment": _alignment_data(response, source, target),
        "soft": [_soft_data(s.soft, source, target) for s in response.sentences] if soft else None,
        "content": None if response.content is None else _content_data(response.content, target),
        "terms": _terms_data(response, source, target),
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


def _alternatives_data(
    response: TranslationResponse, sentence: SentenceTranslation, unit: RangeUnit
) -> dict[str, Any]:
    """Only where some were asked for."""
    if not response.request.alternatives:
        return {}
    aligned = response.request.alignment != "none"
    others = sentence.alternatives
    return {"alternatives": [_alternative_data(other, aligned, unit) for other in others]}


def _memory_data(response: TranslationResponse, sentence: SentenceTranslation) -> dict[str, Any]:
    """Only where there is a translation memory."""
    return {} if response.request.memory is None else {"fromMemory": sentence.from_memory}


def _alternative_data(other: Alternative, aligned: bool, unit: RangeUnit) -> dict[str, Any]:
    """Its ranges are in its own text; its links begin at the response's source words."""
    index = text_index(other.text, unit)
    words = {
        "targetWords": [index.range(word) for word in other.target_words],
        "links": other.links,
        "scores": other.scores,
    }
    said = {"text": other.text, "score": other.score, "doubtful": other.doubtful}
    data = said | (words if aligned else {})
    return data if other.memory_source is None else data | {"memorySource": other.memory_source}


def detection_data(detection: Detection) -> dict[str, Any]:
    """`language` is null where it is not sure."""
    return asdict(detection)


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
    terms = data["terms"] and [
        use
        | {
            "source": use["source"] and _by(source, use["source"]),
            "target": use["target"] and _by(target, use["target"]),
        }
        for use in data["terms"]
    ]
    moved = {"sentences": sentences, "alignment": alignment, "soft": soft, "warnings": warnings}
    return data | moved | {"terms": terms}


def _by(distance: int, edges: list[int]) -> list[int]:
    return [edges[0] + distance, edges[1] + distance]


def statistics_data(statistics: Statistics) -> dict[str, Any]:
    """Figures of a service, by their names in Python."""
    return asdict(statistics)


def _content_data(content: Content, index: TextIndex) -> list[Any]:
    """Nested as deep as the elements, which `Limits.element_depth` bounds."""
    return [
        index.range(item) if isinstance(item, Span) else _placed_data(item, index)
        for item in content
    ]


def _placed_data(item: PlacedElement, index: TextIndex) -> Mapping[str, Any]:
    if item.content is None:
        return {"element": item.element}
    return {"element": item.element, "content": _content_data(item.content, index)}


def _terms_data(
    response: TranslationResponse, source: TextIndex, target: TextIndex
) -> list[Mapping[str, Any]] | None:
    if response.request.glossary is None:
        return None
    return [
        {
            "term": {"source": use.term.source, "target": use.term.target},
            "outcome": str(use.outcome),
            "source": use.source and source.range(use.source),
            "target": use.target and target.range(use.target),
        }
        for use in response.terms
    ]


def _alignment_data(
    response: TranslationResponse, source: TextIndex, target: TextIndex
) -> Mapping[str, Any] | None:
    if response.request.alignment == "none" or response.request.format == "html":
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
