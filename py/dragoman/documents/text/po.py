"""Gettext catalogues: messages that have no translation yet get one; all others stay.

Lines are edited in their places, so that comments, order and the widths of other lines stay.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from dragoman.documents.passage import Marked, Translated, has_words
from dragoman.documents.text.lines import wrapped
from dragoman.documents.text.mnemonics import Mnemonic, without_mnemonic
from dragoman.documents.text.source import TextBlock, TextDocument, TextSource
from dragoman.documents.text.tagged import TagMark, is_translatable, tagged, untagged
from dragoman.edits import Edit
from dragoman.errors import DocumentError

_LINE = re.compile(
    r"^(?:(?P<comment>[ \t]*#.*)|[ \t]*(?:(?P<keyword>msgctxt|msgid_plural|msgid|msgstr)"
    r"(?:\[(?P<number>\d+)\])?[ \t]*)?(?P<string>\"(?:[^\"\\]|\\.)*\")[ \t]*|(?P<blank>[ \t]*)"
    r"|(?P<wrong>.+))\r?$",
    re.MULTILINE,
)
_ESCAPE = re.compile(r"\\([abfnrtv\\\"'?])|(?P<bytes>(?:\\[0-7]{1,3}|\\x[0-9a-fA-F]{1,2})+)")
_BYTE = re.compile(r"\\(?:([0-7]+)|x(\w+))")
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_WRITTEN = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\a": "\\a",
            "\b": "\\b", "\f": "\\f", "\v": "\\v"}  # fmt: skip
_CHARSET = re.compile(rb"charset=([\w.:-]+)", re.IGNORECASE)
_SAID_CHARSET = re.compile(r"charset=([\w.:-]+)", re.IGNORECASE)
_NO_LANGUAGE = re.compile(r"(\"Language:[ \t]*)(?=\\n\")")
# What xgettext writes into a template, for somebody to fill in; the mark says that nobody has yet,
# and msgfmt leaves out a header that has it.
_TEMPLATE_CHARSET = re.compile(r"^\"Content-Type:[^\"]*charset=(CHARSET)\\n\"", re.MULTILINE)
_TEMPLATE_PLURALS = re.compile(r"nplurals=INTEGER; plural=EXPRESSION;")
_TEMPLATE_MARK = re.compile(r"^#, fuzzy[ \t]*\r?\n(?=msgid \"\"[ \t]*\r?\nmsgstr )", re.MULTILINE)
# Languages with one form for one and another for all other numbers.
_TWO_FORMS_NAMES = "af bg ca da de el en es et eu fi fy gl hu it nb nl nn no pt sq sv"
_TWO_FORMS = frozenset(_TWO_FORMS_NAMES.split())
_WIDTH = 77


@dataclass(slots=True)
class _Field:
    """A keyword and its strings: [start, end) are their lines, from the first quote on."""

    keyword: str
    number: str
    start: int
    end: int
    texts: list[str] = field(default_factory=list)

    @property
    def value(self) -> str:
        return "".join(self.texts)


def catalogue_encoding(content: bytes) -> str:
    """The encoding that a catalogue says it has, UTF-8 where it says none."""
    said = _CHARSET.search(content[:8_192])
    name = said[1].decode("ascii") if said else "utf-8"
    return "utf-8" if name.upper() == "CHARSET" else name


def read_po(source: TextSource) -> TextDocument:
    """A catalogue as a document.

    Raises:
        DocumentError: a line is none of a catalogue.
    """
    blocks: list[TextBlock] = []
    line_break = "\r\n" if "\r\n" in source.text else "\n"
    for entry in _entries(source.text):
        blocks += _blocks(entry, line_break)
    return TextDocument(source, blocks, partial(_header_edits, source))


def _entries(text: str) -> Iterator[list[_Field]]:
    """The fields of each message; comments, obsolete messages with them, are in none."""
    entry: list[_Field] = []
    for match in _LINE.finditer(text):
        if match["wrong"]:
            line = text.count("\n", 0, match.start()) + 1
            raise DocumentError("damaged", f"line {line} is none of a catalogue", line=line)
        keyword = match["keyword"]
        if keyword in ("msgctxt", "msgid") and any(f.keyword == "msgstr" for f in entry):
            yield entry
            entry = []
        if keyword:
            entry.append(_Field(keyword, match["number"] or "", match.start("string"), 0))
        if match["string"] and entry:
            entry[-1].texts.append(_unescaped(match["string"][1:-1]))
            entry[-1].end = match.end("string")
    if entry:
        yield entry


def _blocks(entry: Sequence[_Field], line_break: str) -> Iterator[TextBlock]:
    sources = {part.keyword: part.value for part in entry}
    message = sources.get("msgid", "")
    if not message:
        return
    forms = sum(part.keyword == "msgstr" for part in entry)
    for part in entry:
        if part.keyword != "msgstr" or part.value:
            continue
        # A language with one form only has it for all numbers.
        plural = part.number not in ("", "0") or (part.number == "0" and forms == 1)
        text = sources.get("msgid_plural", message) if plural else message
        if has_words(text) and is_translatable(text):
            text, mnemonic = without_mnemonic(text)
            marked = tagged(text)
            write = partial(_written, marked, mnemonic, line_break)
            yield TextBlock(marked, part.start, part.end, write, always=True)


def _written(
    marked: Marked[TagMark], mnemonic: Mnemonic | None, line_break: str, translated: Translated
) -> str:
    """Strings as msgcat writes them: one line, or a line for each in the text, none too long."""
    text = untagged(marked, translated, mnemonic)
    whole = f'"{_escaped(text)}"'
    if len(whole) <= _WIDTH - len("msgstr ") and "\n" not in text[:-1]:
        return whole
    lines = ['""']
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        parts = wrapped(_escaped(line), _WIDTH - 3)
        lines += [f'"{part} "' for part in parts[:-1]] + [f'"{parts[-1]}"']
    return line_break.join(lines)


def _header_edits(source: TextSource, language: str) -> list[Edit]:
    """A catalogue that does not say its language yet says it, and it says how it is written; of
    one that was a template, what is known of the rest."""
    edits = []
    charset, read_as = _SAID_CHARSET.search(source.text), catalogue_encoding(source.content)
    # Else it is a template's, or stands in a message.
    is_said = charset is not None and charset[1] == read_as
    if charset and is_said and not source.encoding.startswith(codecs.lookup(read_as).name):
        edits.append(Edit(*charset.span(1), lambda _: source.encoding.upper()))
    if template := _TEMPLATE_CHARSET.search(source.text):
        charset_name = source.encoding.removesuffix("-sig").upper()
        edits.append(Edit(*template.span(1), lambda _: charset_name))
        if mark := _TEMPLATE_MARK.search(source.text, 0, template.start()):
            edits.append(Edit(*mark.span(), lambda _: ""))
        plurals = _TEMPLATE_PLURALS.search(source.text)
        if plurals and language.partition("-")[0].lower() in _TWO_FORMS:
            edits.append(Edit(*plurals.span(), lambda _: "nplurals=2; plural=(n != 1);"))
    line = _NO_LANGUAGE.search(source.text)
    if line:
        edits.append(Edit(*line.span(), lambda _: f'"Language: {language}'))
    return sorted(edits, key=lambda edit: edit.start)


def _escaped(text: str) -> str:
    return "".join(_WRITTEN.get(character, character) for character in text)


def _unescaped(raw: str) -> str:
    def said(match: re.Match[str]) -> str:
        if match[1]:
            return _ESCAPES.get(match[1], match[1])
        return _letters(match["bytes"])

    return _ESCAPE.sub(said, raw)


def _letters(raw: str) -> str:
    """Of bytes, as which "msgcat --escape" writes them: of UTF-8, or each is one (ISO 8859-1)."""
    codes = (int(octal, 8) if octal else int(other, 16) for octal, other in _BYTE.findall(raw))
    said = bytes(code & 0xFF for code in codes)
    try:
        return said.decode("utf-8")
    except UnicodeDecodeError:
        return said.decode("latin-1")
