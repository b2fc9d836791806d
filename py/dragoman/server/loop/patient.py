"""Long bodies, read in slices: a call into C lets no other thread run before it returns, so one for
a string of some megabytes would hold up the event loop from whatever thread it was made in.

    JSON    values by the scanner in Python, long strings in slices
    forms   long fields in slices
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from json import scanner
from json.decoder import scanstring  # type: ignore[attr-defined]
from urllib.parse import unquote_to_bytes

# Characters at a time: about a millisecond, whatever they are.
SLICE = 65_536

# A comma, an opening bracket, or a string, which the end of a slice may cut off.
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+("?)|[,\[{]', re.DOTALL)
_INSIDE = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)

_CHARACTERS = re.compile(r'[^"\\]*+(?:\\(?:u[0-9a-fA-F]{4}|[^u])[^"\\]*+)*+', re.DOTALL)
_SECOND_HALF = re.compile(r"\\u[dD][c-fC-F][0-9a-fA-F]{2}")  # of a surrogate pair
_ESCAPE = len(r"\u0000")

_ENCODED = re.compile(r"%[0-9a-fA-F]{2}")


def marks(text: str) -> Iterator[str]:
    """The commas and opening brackets of a text in JSON, but for those in strings."""
    at = 0
    while at < len(text):
        end = at + SLICE
        for token in _TOKEN.finditer(text, at, end):
            if token[1] is None:
                yield token[0]
            elif not token[1]:
                end = _behind_string(text, token.end())
        at = end


def _behind_string(text: str, at: int) -> int:
    """Where it goes on after a string, from somewhere in it."""
    while at < len(text):
        end = _matched(_INSIDE, text, at)
        if text[end : end + 1] == '"':
            return end + 1
        if end == at:  # a backslash is the last of the text
            break
        at = end
    return len(text)


class PatientDecoder(json.JSONDecoder):
    """Reads what `json.loads` reads, and lets other threads have their turn meanwhile."""

    def __init__(self) -> None:
        super().__init__()
        self.parse_string = string_of
        self.scan_once = scanner.py_make_scanner(self)  # type: ignore[attr-defined]


def string_of(text: str, at: int, strict: bool = True) -> tuple[str, int]:
    """A string of JSON, from behind its quotation mark, and where it goes on after it.

    Raises:
        ValueError: it is none.
    """
    parts = []
    while at + SLICE < len(text):
        end = _matched(_CHARACTERS, text, at)
        if end + _ESCAPE <= at + SLICE:  # the quotation mark at its end, or what is no JSON
            break
        end = _matched(_SECOND_HALF, text, end)
        parts.append(scanstring(text[at:end] + '"', 0, strict)[0])
        at = end
    last, at = scanstring(text, at, strict)
    return "".join([*parts, last]), at


def unquoted(field: str) -> str:
    """A name or a value of a form, as it was before it was encoded."""
    content = bytearray()
    at = 0
    while at < len(field):
        end = min(at + SLICE, len(field))
        for start in range(max(at, end - 2), end):
            if encoded := _ENCODED.match(field, start):  # it stays whole
                end = encoded.end()
        content += unquote_to_bytes(field[at:end].replace("+", " "))
        at = end
    return content.decode("utf-8", "replace")


def _matched(pattern: re.Pattern[str], text: str, at: int) -> int:
    """The end of a match at some place, within a slice; the place where there is none."""
    match = pattern.match(text, at, at + SLICE)
    return match.end() if match else at
