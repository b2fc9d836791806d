"""Blocks that dialects of Markdown have beyond CommonMark, as rules of markdown-it.

    Begriff          !!! note "Titel"      ::: tip Titel      [^1]: Eine Notiz.     *[TTS]: Vorlesen
    : Erklärung          Text              Text
                                           :::                    Zweiter Absatz.

What belongs to them is indented by up to four columns: to CommonMark it would be code, or one
paragraph with what stands above it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, Protocol

# They end a paragraph, and whatever may go on in lines that are not indented.
INTERRUPTS = ("paragraph", "reference", "blockquote", "list")
_NOTE = re.compile(r"\[\^[^\]\s]+\]:[ \t]*")
_DEFINITION = re.compile(r":[ \t]+(?=\S)")
_ABBREVIATION = re.compile(r"\*\[[^\[\]\n]+\]:[ \t]+(?=\S)")
# With what is in them indented (MkDocs); title between quotation marks.
_INDENTED_BOX = re.compile(r"(?:!{3}|\?{3}\+?|={3}[!+]?(?=[ \t]+\"))(?:[^\"\n]*\"(?P<title>.*)\")?")
# With a line that closes them: "::: tip Titel" (VitePress), ":::note[Titel]" (Docusaurus).
_FENCED_BOX = re.compile(
    r":{3,}[ \t]*[\w-]+"
    r"(?:\[(?P<bracketed>[^\[\]\n]+)\](?=[ \t]*$)|[ \t]+(?P<words>[^\s{}:][^{}\n]*)$)"
)
_INDENT = 4


class BlockState(Protocol):
    """What these rules need of the state (`StateBlock`); `markdown` alone knows the library.

    Attributes:
        src: the text.
        bMarks, tShift, eMarks: where each line begins, how much of it is white space, its end.
        sCount: columns of white space of each line.
        blkIndent: columns that belong to what is around.
        level: how deep the state is.
        line: the next to read.
        md: the parser.
    """

    src: str
    bMarks: list[int]  # noqa: N815
    tShift: list[int]  # noqa: N815
    eMarks: list[int]  # noqa: N815
    sCount: list[int]  # noqa: N815
    blkIndent: int  # noqa: N815
    level: int
    line: int
    md: Any

    def is_code_block(self, line: int) -> bool: ...

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Any: ...


def rules() -> dict[str, Callable[[BlockState, int, int, bool], bool]]:
    """By their names."""
    return {
        "box": _box,
        "note": partial(_container, _NOTE),
        "definition": partial(_container, _DEFINITION),
        "abbreviation": _abbreviation,
    }


def opens_box(line: str) -> bool:
    """Whether a line has a title, or what follows it is indented: it is a block of these."""
    line = line.strip()
    return bool(_FENCED_BOX.match(line) or _INDENTED_BOX.match(line))


def _line(state: BlockState, line: int) -> tuple[int, str]:
    """Where the text of a line begins, and what it is; "" for what is code."""
    start = state.bMarks[line] + state.tShift[line]
    return start, "" if state.is_code_block(line) else state.src[start : state.eMarks[line]]


def _container(
    marker: re.Pattern[str], state: BlockState, start: int, end: int, silent: bool
) -> bool:
    """What begins behind a marker, and goes on in lines that are indented."""
    first, text = _line(state, start)
    match = marker.match(text)
    if match is None:
        return False
    if not silent:
        indent = state.sCount[start] + min(match.end(), _INDENT)
        before = state.bMarks[start], state.tShift[start], state.sCount[start]
        at = first + match.end()
        state.bMarks[start], state.tShift[start], state.sCount[start] = at, 0, indent
        _read_inside(state, start, end, indent)
        state.bMarks[start], state.tShift[start], state.sCount[start] = before
    return True


def _box(state: BlockState, start: int, end: int, silent: bool) -> bool:
    _, text = _line(state, start)
    indented = _INDENTED_BOX.match(text)
    fenced = None if indented else _FENCED_BOX.match(text)
    if not indented and not fenced:
        return False
    if silent:
        return True
    if indented:
        _add_line(state, start, indented["title"] or "", quoted=True)
        state.line = start + 1
        _read_inside(state, start + 1, end, state.sCount[start] + _INDENT)
    elif fenced:
        _add_line(state, start, (fenced["bracketed"] or fenced["words"]).rstrip())
        state.line = start + 1
    return True


def _abbreviation(state: BlockState, start: int, _: int, silent: bool) -> bool:
    _, text = _line(state, start)
    match = _ABBREVIATION.match(text)
    if match is None:
        return False
    if not silent:
        _add_line(state, start, text[match.end() :].rstrip())
        state.line = start + 1
    return True


def _read_inside(state: BlockState, start: int, end: int, indent: int) -> None:
    around, state.blkIndent = state.blkIndent, indent
    state.level += 1  # the parser bounds it
    state.md.block.tokenize(state, start, end)
    state.level -= 1
    state.blkIndent = around


def _add_line(state: BlockState, line: int, content: str, *, quoted: bool = False) -> None:
    """A paragraph of a part of a line.

    Args:
        quoted: whether quotation marks are around it.
    """
    if not content:
        return
    state.push("paragraph_open", "p", 1)
    token = state.push("inline", "", 0)
    token.content, token.map, token.children = content, [line, line + 1], []
    token.meta["quoted"] = quoted
    state.push("paragraph_close", "p", -1)
