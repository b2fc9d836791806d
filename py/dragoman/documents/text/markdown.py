"""Markdown: paragraphs, headings, cells and items; code, links, front matter stay as they are.

markdown-it says which lines are what, and where in them is markup; the places of that are kept here
(`_Inline`), as the library does not. Text between is read by the rules of CommonMark, and written
with the characters escaped that would be markup.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import unescape

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from dragoman.documents.passage import EventKind, Marked, PassageBuilder, Translated, is_said
from dragoman.documents.text import markdown_blocks
from dragoman.documents.text.lines import wrapped
from dragoman.documents.text.source import TextBlock, TextDocument, TextSource
from dragoman.types import ElementKind

_FRONT_MATTER = re.compile(
    r"\A\ufeff?(?:---[ \t]*\r?\n.*?\r?\n(?:---|\.\.\.)"
    r"|\+\+\+[ \t]*\r?\n.*?\r?\n\+\+\+)[ \t]*(?:\r?\n|\Z)",
    re.DOTALL,
)
# Lines that open or close a box in dialects: they say its kind, and its options may follow (MyST).
# So do those of templates, and imports of MDX.
_BOX = re.compile(
    r"^[ \t]*(?::{3,}.*(?:\n[ \t]*:[\w-]+:.*)*|(?:!{3}|\?{3}|\{[%#]).*"
    r"|import[ \t].*\bfrom[ \t]+(?:'[^'\n]+'|\"[^\"\n]+\");?[ \t]*\r?)$",
    re.MULTILINE,
)
# What dialects have beyond CommonMark: notes, boxes to tick, kinds of boxes, attributes, templates,
# formulas, names of pages, citations.
_BEYOND = re.compile(
    r"\[\^[^\]\s]+\]:?|\[![A-Za-z]+\][+-]?|\[[ xX]\](?=\s)|\{\{.*?\}\}|\{%.*?%\}|\{[#:.][^{}\n]*\}"
    r"|\$\$.+?\$\$|\\\(.+?\\\)|:[a-z][a-z0-9_+-]*:(?!\w)"
    # A price before a word is no formula.
    r"|(?<![\\$\w])\$(?=[^\s$])(?!\d[\d.,]*\s+[^\W\d_]{2})[^$\n]*(?<=[^\s\\])\$(?![\d$])"
    # Of a link they are the text.
    r"|!?\[\[[^\[\]\n]+\]\](?!\()|\[-?@[^\[\]\n]+\](?![(\[])",
    re.DOTALL,
)
_BREAK = re.compile(r"(?P<hard> {2,}|\\)?[ \t]*\n[ \t]*")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])|&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w*);")
_SPECIAL = re.compile(r"[\\`*\[\]<]|(?<![^\W_])_|_(?![^\W_])|~(?=~)|&(?=#?\w+;)|!(?=\[)")
_BARE_BRACKET = re.compile(r"(?<!\\)[\[\]]")
_LINE_START = re.compile(
    r"^(?:(#{1,6}(?=\s|$)|[-+](?=\s|$|[-=])|=(?==*\s*$)|>|~{3}|:{3})|(\d{1,9})([.)])(?=\s|$))"
)
_TAG = re.compile(r"<(?P<close>/)?(?P<name>[A-Za-z][\w-]*)(?:\s[^>]*)?(?P<empty>/)?>")
# A space of code, or of the address of a link, where no line may end; no text has this character.
_UNBROKEN = "\0"
_HTML = {"*": "em", "_": "em", "**": "strong", "__": "strong", "~~": "s"}
_CONTAINERS = ("em", "strong", "s", "mark", "link")


@dataclass(frozen=True, slots=True)
class MarkdownMark:
    """What an element is: the markup around it, or, of an atom, all of it."""

    opening: str
    closing: str = ""

    @property
    def is_style(self) -> bool:
        return self.opening in _HTML


@dataclass(frozen=True, slots=True)
class _Markup:
    """A stretch of a block's content that is markup."""

    start: int
    end: int
    kind: str  # a type of token


def read_markdown(source: TextSource) -> TextDocument:
    """Markdown as a document."""
    reader = _Reader(source.text)
    return TextDocument(source, list(reader.blocks()))


def _parser() -> MarkdownIt:
    """CommonMark with tables and strikethrough, which tells where markup is."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    inline = parser.inline.ruler
    inline.before("escape", "beyond", _beyond)
    inline.before("escape", "mark", _highlight)
    rules = {rule.name: rule.fn for rule in inline.__rules__}
    for name in "backticks", "image", "autolink", "html_inline":
        inline.at(name, partial(_leaf, rules[name]))
    for name in "strikethrough", "emphasis":
        inline.at(name, partial(_delimiters, rules[name]))
    inline.at("link", partial(_link, rules["link"]))
    references = {rule.name: rule.fn for rule in parser.block.ruler.__rules__}["reference"]
    parser.block.ruler.at("reference", partial(_reference, references))
    for name, rule in markdown_blocks.rules().items():
        parser.block.ruler.before("table", name, rule, {"alt": [*markdown_blocks.INTERRUPTS]})
    return parser


# --- where markup is -----------------------------------------------------------------------------


def _leaf(rule: Callable[[StateInline, bool], bool], state: StateInline, silent: bool) -> bool:
    start, before = state.pos, len(state.tokens)
    if not rule(state, silent):
        return False
    if not silent:
        own = [token for token in state.tokens[before:] if token.type != "text"]
        if own:
            own[0].meta["at"] = start, state.pos
    return True


def _delimiters(
    rule: Callable[[StateInline, bool], bool], state: StateInline, silent: bool
) -> bool:
    if not rule(state, silent):
        return False
    if not silent:
        at = state.pos
        for token in reversed(state.tokens):
            if "at" in token.meta or token.type != "text" or set(token.content) - {"*", "_", "~"}:
                break
            at -= len(token.content)
            token.meta["at"] = at, at + len(token.content)
    return True


def _link(rule: Callable[[StateInline, bool], bool], state: StateInline, silent: bool) -> bool:
    start, before = state.pos, len(state.tokens)
    if silent:
        return rule(state, silent)
    label_end = (
        state.md.helpers.parseLinkLabel(state, start, True) if state.src[start] == "[" else -1
    )
    state.pos = start
    if not rule(state, silent):
        return False
    opening = next(token for token in state.tokens[before:] if token.type == "link_open")
    opening.meta["at"] = start, start + 1
    state.tokens[-1].meta["at"] = label_end, state.pos
    return True


def _beyond(state: StateInline, silent: bool) -> bool:
    beyond = _BEYOND.match(state.src, state.pos, state.posMax)
    if beyond is None:
        return False
    if not silent:
        token = state.push("beyond", "", 0)
        token.meta["at"] = beyond.span()
    state.pos = beyond.end()
    return True


def _highlight(state: StateInline, silent: bool) -> bool:
    """ "==so==" of dialects, but neither "a == b" nor "a==b"; unpaired it stays as it is."""
    at, here = state.pos, state.src.startswith("==", state.pos)
    scanned = state.scanDelims(at, True) if here and state.src[at - 1 : at] != "=" else None
    if not scanned or scanned.length != 2 or scanned.can_open == scanned.can_close:
        return False
    if not silent:
        token = state.push("mark_open" if scanned.can_open else "mark_close", "", 0)
        token.meta["at"] = at, at + 2
    state.pos += 2
    return True


def _reference(
    rule: Callable[[StateBlock, int, int, bool], bool],
    state: StateBlock,
    start: int,
    end: int,
    silent: bool,
) -> bool:
    """A note ("[^1]: See there.") is none."""
    first = state.bMarks[start] + state.tShift[start]
    return not state.src.startswith("[^", first) and rule(state, start, end, silent)


def _markup(token: Token) -> Iterator[_Markup]:
    """Of an inline token, in order."""
    for child in token.children or ():
        at = child.meta.get("at")
        if at is None or child.type == "text":
            continue
        start, end = at
        if child.type == "strong_open":
            start, end = end - 2, end
        elif child.type == "strong_close":
            start, end = start, start + 2
        yield _Markup(start, end, child.type)


# --- reading -------------------------------------------------------------------------------------


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        blank = _FRONT_MATTER.sub(_blanked, text)
        # The parser takes "\r\n" for "\n" too; its line numbers are the same.
        self._tokens = _parser().parse(_BOX.sub(_box_blanked, blank))
        self._lines = _line_starts(text)

    def blocks(self) -> Iterator[TextBlock]:
        cursor = (0, 0)  # cells of a row stand in one line
        table = False
        for token in self._tokens:
            if token.type in ("table_open", "table_close"):
                table = token.type == "table_open"
            if token.type != "inline" or not token.map:
                continue
            places = self._places(token, table, cursor)
            if places is None:
                continue
            cursor = token.map[0], places[-1][1]
            block = self._block(token, places, table)
            if block is not None:
                yield block

    def _places(
        self, token: Token, table: bool, cursor: tuple[int, int]
    ) -> list[tuple[int, int]] | None:
        """Start and end of each line of a block's content in the source."""
        places: list[tuple[int, int]] = []
        first = (token.map or [0])[0]
        for index, line in enumerate(token.content.split("\n")):
            number = first + index
            if number + 1 >= len(self._lines):
                return None
            start, end = self._lines[number], self._lines[number + 1]
            if table:
                start = max(start, cursor[1]) if cursor[0] == number else start
                at = self._text.find(line.replace("|", "\\|"), start, end)
                at = at if at >= 0 else self._text.find(line, start, end)
                length = (
                    len(line.replace("|", "\\|")) if "\\|" in self._text[start:end] else len(line)
                )
            else:
                at, length = self._text.rfind(line, start, end), len(line)
            if at < 0:
                return None
            places.append((at, at + length))
        return places

    def _block(
        self, token: Token, places: Sequence[tuple[int, int]], table: bool
    ) -> TextBlock | None:
        marked = _marked(token)
        if not is_said(_without_atoms(marked)):
            return None
        lines = [self._text[a:b] for a, b in places]
        prefix = ""
        if len(places) > 1:
            line_start = self._text.rfind("\n", 0, places[1][0]) + 1
            prefix = self._text[line_start : places[1][0]]
        ending = "\r\n" if self._text[places[0][1] : places[0][1] + 2] == "\r\n" else "\n"
        layout = _Layout(
            width=max(map(len, lines)) if len(lines) > 1 else 0,
            separator=ending + prefix,
            table=table,
            quoted=bool(token.meta.get("quoted")),
            brackets=_has_bare_brackets(token),
        )
        return TextBlock(marked, places[0][0], places[-1][1], partial(_written, marked, layout))


def _blanked(match: re.Match[str]) -> str:
    return re.sub(r"[^\r\n]", " ", match.group())


def _box_blanked(match: re.Match[str]) -> str:
    return match.group() if markdown_blocks.opens_box(match.group()) else _blanked(match)


def _line_starts(text: str) -> list[int]:
    starts = [0, *(match.end() for match in re.finditer(r"\r\n?|\n", text))]
    return starts if starts[-1] == len(text) and len(starts) > 1 else [*starts, len(text)]


def _marked(token: Token) -> Marked[MarkdownMark]:
    content = token.content
    builder = PassageBuilder[MarkdownMark]()
    markup = list(_markup(token))
    pairs = _pairs(markup, content)
    closers = frozenset(pairs.values())
    lone_image = len(markup) == 1 and markup[0].kind == "image" and (
        markup[0].start, markup[0].end) == (0, len(content))  # fmt: skip
    at = skipped = 0
    for index, item in enumerate(markup):
        if item.start < skipped:
            continue
        _add_text(builder, content[at : item.start])
        at = item.end
        said = _in_one_line(content[item.start : item.end])
        if lone_image:
            _add_image(builder, said)
        elif index in closers:
            builder.close()
        elif index in pairs:
            close = markup[pairs[index]]
            closing = _in_one_line(content[close.start : close.end])
            if item.kind == "link_open":
                closing = _with_label(closing, _in_one_line(content[item.end : close.start]))
            style = item.kind not in ("link_open",)
            kind = ElementKind.STYLE if style else ElementKind.INLINE
            builder.open(MarkdownMark(said, closing), kind)
        elif item.kind == "link_open":  # an autolink: its own text, and its end
            builder.atom(MarkdownMark(said), said)
            skipped = item.end
        else:
            builder.atom(MarkdownMark(said), _readable(item, said))
    _add_text(builder, content[at:])
    return builder.built()


def _readable(item: _Markup, said: str) -> str:
    """What of an atom is a word of the sentence."""
    if item.kind == "code_inline" or said.startswith(("{{", "$", "\\(", "[[")):
        return said
    return "\n" if _TAG.fullmatch(said) and said[1:3].lower() == "br" else ""


def _pairs(markup: Sequence[_Markup], content: str) -> dict[int, int]:
    """Where each opening markup ends, by their places in the list; tags of HTML too."""
    pairs: dict[int, int] = {}
    open_: list[tuple[str, int]] = []
    counts = Counter[str]()
    for index, item in enumerate(markup):
        name, _, side = item.kind.rpartition("_")
        if item.kind == "html_inline":
            tag = _TAG.fullmatch(content[item.start : item.end])
            if tag is None or tag["empty"]:
                continue
            name, side = "<" + tag["name"].lower(), "close" if tag["close"] else "open"
        elif name not in _CONTAINERS or (
            name == "link" and item.end - item.start != 1 and side == "open"
        ):
            continue
        if side == "open":
            open_.append((name, index))
            counts[name] += 1
            continue
        while counts[name]:  # those in between have no end
            last, start = open_.pop()
            counts[last] -= 1
            if last == name:
                pairs[start] = index
                break
    return pairs


def _add_text(builder: PassageBuilder[MarkdownMark], raw: str) -> None:
    at = 0
    for match in _BREAK.finditer(raw):
        builder.text(_decoded(raw[at : match.start()]))
        if match["hard"]:
            builder.atom(MarkdownMark(f"{match['hard']}\n"), "\n")
        else:
            builder.text(" ")
        at = match.end()
    builder.text(_decoded(raw[at:]))


def _add_image(builder: PassageBuilder[MarkdownMark], said: str) -> None:
    """An image by itself: people read what it says instead."""
    match = re.fullmatch(r"(!\[)((?:[^\[\]\\]|\\.)*)(\].*)", said)
    if match is None or match[3].startswith(("][]", "] ")) or match[3] == "]":
        builder.atom(MarkdownMark(said))
        return
    builder.open(MarkdownMark(match[1], match[3]))
    _add_text(builder, match[2])
    builder.close()


def _with_label(closing: str, label: str) -> str:
    """A link that is found by its text is to be found when that is another one."""
    return f"][{label}]" if closing in ("]", "][]") else closing


def _decoded(raw: str) -> str:
    return _ESCAPED.sub(lambda match: match[1] or unescape(match.group()), raw)


def _has_bare_brackets(token: Token) -> bool:
    """Whether brackets are text, though nothing escapes them: spans with attributes, notes within
    a line, what an author left out."""
    at, raw = 0, ""
    for item in _markup(token):
        raw += token.content[at : item.start] + " "
        at = max(at, item.end)
    return _BARE_BRACKET.search(raw + token.content[at:]) is not None


def _in_one_line(raw: str) -> str:
    return re.sub(r"[ \t]*\n[ \t]*", " ", raw)


def _without_atoms(marked: Marked[MarkdownMark]) -> str:
    return "".join(event.text for event in marked.source_events())


# --- writing -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Layout:
    """How a block is written.

    Attributes:
        width: of its lines; 0 puts it on one.
        separator: between lines.
        table: whether it is a cell.
        quoted: whether it stands between quotation marks.
        brackets: whether they need not be escaped.
    """

    width: int
    separator: str
    table: bool
    quoted: bool
    brackets: bool


def _written(marked: Marked[MarkdownMark], layout: _Layout, translated: Translated) -> str:
    text = _joined(marked, translated, layout, html=False)
    if not _reads_as(text.replace(_UNBROKEN, " "), marked, translated):
        text = _joined(marked, translated, layout, html=True)
    if layout.quoted:
        text = text.replace('"', "'")
    lines: list[str] = []
    for part in text.split("\n"):
        lines += wrapped(part, layout.width) if layout.width else [part]
    return layout.separator.join(
        _line(line.replace(_UNBROKEN, " "), layout.table) for line in lines
    )


def _line(line: str, table: bool) -> str:
    if table:
        return re.sub(r"(?<!\\)\|", r"\\|", line)
    return _LINE_START.sub(lambda m: rf"\{m[1]}" if m[1] else rf"{m[2]}\{m[3]}", line)


def _joined(
    marked: Marked[MarkdownMark], translated: Translated, layout: _Layout, html: bool
) -> str:
    """The content of a translation; with styles as tags of HTML where marks would not be read."""
    parts: list[str] = []
    for event in marked.events(translated):
        mark = event.mark
        if mark is None:
            parts.append(_escaped(event.text, layout.brackets))
        elif mark.is_style:
            closing = event.kind is EventKind.CLOSE
            tag = f"<{'/' if closing else ''}{_HTML[mark.opening]}>"
            parts.append(tag if html else (mark.closing if closing else mark.opening))
            if not html:
                _part_spaces(parts, closing)
        else:
            said = mark.closing if event.kind is EventKind.CLOSE else mark.opening
            parts.append(said.replace(" ", _UNBROKEN))
    return "".join(parts)


def _part_spaces(parts: list[str], closing: bool) -> None:
    """White space at the inner side of a style goes to its outer side."""
    if closing and len(parts) > 1 and parts[-2] != parts[-2].rstrip(" "):
        inner = parts[-2].rstrip(" ")
        parts[-2:] = [inner, parts[-1], parts[-2][len(inner) :]]


def _reads_as(text: str, marked: Marked[MarkdownMark], translated: Translated) -> bool:
    """Whether the styles of a text are all read as such."""
    wanted = sum(
        event.kind is EventKind.OPEN and event.mark is not None and event.mark.is_style
        for event in marked.events(translated)
    )
    tokens = MarkdownIt("commonmark").enable("strikethrough").parseInline(text)
    kinds = [child.type for token in tokens for child in token.children or ()]
    return sum(kind in ("em_open", "strong_open", "s_open") for kind in kinds) == wanted


def _escaped(text: str, brackets: bool) -> str:
    def escape(match: re.Match[str]) -> str:
        return match.group() if brackets and match.group() in "[]" else "\\" + match.group()

    return _SPECIAL.sub(escape, text.replace("\n", " "))
