"""JSON: the strings that people read; keys, and strings that programs read, stay as they are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from dragoman.config import DocumentLimits
from dragoman.documents.passage import Marked, Translated, has_words
from dragoman.documents.text.source import TextBlock, TextDocument, TextSource
from dragoman.documents.text.tagged import TagMark, is_translatable, tagged, untagged
from dragoman.errors import DocumentError, DocumentTooLargeError

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]')
# One word that no sentence has: a path, a name of a program, a colour, a date, a code.
_CODE = re.compile(
    r"\S*[\w)][_/\\:#@=<>{}\[\]$|+][\w(]\S*|[.#@/$:\\]\S*|\S*\d\S*|[a-z]+(?:[-.][a-z]+)+"
    r"|[a-z]+[A-Z]\S*|[A-Z]+_\S*"
)
# Keys whose values are for programs only, whatever they hold: "class": "btn primary".
_NEVER_READ_NAMES = """
    $id $ref $schema charset class classname encoding filename href id imports locale mime mimetype
    name_key namespace path regex repository selector slug src style type uri url uuid
"""
_NEVER_READ = frozenset(_NEVER_READ_NAMES.split())
# Those whose values may be for people where they are more than a word: "status": "In Arbeit".
_SELDOM_READ_NAMES = """
    action align alignment code color colour component country currency display email event extends
    extension file font format from function handler height icon image key kind lang language
    layout level license main method mode module pattern permission permissions plugin position
    protocol provider required role route schema scope script state status target template theme
    timezone token variant version visibility width
"""
_SELDOM_READ = frozenset(_SELDOM_READ_NAMES.split())


_PROGRAM_TREES = frozenset(["dependencies", "devdependencies", "peerdependencies", "scripts"])


@dataclass(slots=True)
class _Level:
    """An object or a list that is being read: its key, where it is an object and has one."""

    is_object: bool
    key: str = ""


def read_json(source: TextSource, limits: DocumentLimits) -> TextDocument:
    """JSON as a document.

    Raises:
        DocumentError: it is not well-formed.
        DocumentTooLargeError: its lists and objects are nested too deep.
    """
    _check(source.text, limits)
    plain = source.text.isascii() and "\\u" in source.text
    blocks = []
    for start, end, keys in _strings(source.text):
        text = json.loads(source.text[start:end], strict=False)
        if _is_for_people(text, keys):
            marked = tagged(text)
            blocks.append(TextBlock(marked, start, end, partial(_written, marked, plain)))
    return TextDocument(source, blocks)


def _check(text: str, limits: DocumentLimits) -> None:
    depth = deepest = 0
    for match in _TOKEN.finditer(text):
        if match.group() in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif match.group() in "]}":
            depth -= 1
    if deepest > limits.depth:
        raise DocumentTooLargeError(deepest, limits.depth, counted="levels of elements")
    try:
        # Numbers stay as they are written, so none is too long for Python.
        json.loads(text, strict=False, parse_int=str)
    except json.JSONDecodeError as error:
        raise DocumentError(
            "damaged", f"the document is no JSON: {error.msg}, line {error.lineno}",
            line=error.lineno,
        ) from error  # fmt: skip


def _strings(text: str) -> Iterator[tuple[int, int, list[str]]]:
    """Start, end and keys around each value that is a string."""
    levels: list[_Level] = []
    tokens = list(_TOKEN.finditer(text))
    for index, match in enumerate(tokens):
        said = match.group()
        if said in "[{":
            levels.append(_Level(said == "{"))
        elif said in "]}":
            levels.pop()
        elif said.startswith('"'):
            following = tokens[index + 1].group() if index + 1 < len(tokens) else ""
            if following == ":" and levels and levels[-1].is_object:
                levels[-1].key = json.loads(said, strict=False)
            else:
                yield *match.span(), [level.key for level in levels if level.is_object]


def _is_for_people(text: str, keys: list[str]) -> bool:
    if not has_words(text) or not is_translatable(text):
        return False
    # What .arb files say of a text, and what package.json has for programs.
    if any(key.startswith("@") or key.lower() in _PROGRAM_TREES for key in keys):
        return False
    key, stripped = (keys[-1].lower() if keys else ""), text.strip()
    if key in _NEVER_READ or (key in _SELDOM_READ and " " not in stripped):
        return False
    return " " in stripped or not _CODE.fullmatch(stripped) or "{" in stripped


def _written(marked: Marked[TagMark], plain: bool, translated: Translated) -> str:
    return json.dumps(untagged(marked, translated), ensure_ascii=plain)
