"""Answers of a JSON object a line."""

from __future__ import annotations

from collections.abc import Mapping

from dragoman.wire.responses import json_bytes

LINES = "application/x-ndjson"


def line(data: Mapping[str, object]) -> bytes:
    return json_bytes(data) + b"\n"


def error_line(error: Mapping[str, object]) -> bytes:
    """The last line of an answer that does not end well."""
    return line({"error": error})
