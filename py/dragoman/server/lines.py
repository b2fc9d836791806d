"""Answers of a JSON object a line."""

from __future__ import annotations

from collections.abc import Mapping

from dragoman.wire.responses import json_bytes

LINES = "application/x-ndjson"


def line(data: Mapping[str, object]) -> bytes:
    return json_bytes(data) + b"\n"


def end_line(pieces: int) -> bytes:
    """The last line of an answer that is whole."""
    return line({"end": {"pieces": pieces}})


def error_line(error: Mapping[str, object]) -> bytes:
    """The last line of an answer that does not end well."""
    return line({"error": error})


def is_last(written: bytes) -> bool:
    """Whether this is a line of the two that nothing comes after."""
    return written.startswith((b'{"end":', b'{"error":'))
