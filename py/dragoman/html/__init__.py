"""HTML, for hosts with a parser: a document or a fragment becomes text with elements, and back.

    "<p>Ja <b>gut</b></p><p>Nein"         parsed as a browser does: broken HTML is no error
    units   "Ja gut", "Nein"              each with the elements in it
    text    "Ja gut\\nNein"                one text, an element around each unit
    ...     translated, elements placed
    "<p>Yes <b>good</b></p><p>No</p>"     the same nodes, moved where word order needs it

Only what is translated is written anew, in its place in the source (`source`); all else stays byte
for byte as it was. A page with something to write that cannot be found there is serialized from its
tree. With something translated, the page says its new language, and that it is in UTF-8.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from html import unescape

import justhtml

from dragoman.edits import Edit, edited
from dragoman.html.source import Places, escaped, quoted
from dragoman.html.tags import Node
from dragoman.html.units import Unit, children, units
from dragoman.types import Content, Element, ElementKind, PlacedElement, Span

# A server's warning, a script, an XML declaration may be before it.
_DOCUMENT = re.compile(r"<(?:!doctype\s+html|html|head|body)(?=[\s/>])", re.IGNORECASE)
_SKIPPED = re.compile(r"<!--.*?-->|<(script|style|template)\b.*?</\1\s*>", re.I | re.S)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_INSTRUCTIONS = re.compile(r"\A\s*(<\?[^>]{4,}>)")
_DOCTYPE = re.compile(rf"{_SKIPPED.pattern}|(?P<type><!doctype[^>]*>)", _SKIPPED.flags)
_CHARSET = re.compile(r"(charset\s*=\s*[\"']?)([^\s\"';>/]+)", re.IGNORECASE)
_RIGHT_TO_LEFT = frozenset(["ar", "fa", "he", "ps", "sd", "ug", "ur", "yi"])
# Of these the parser leaves out a line break that comes first: one more keeps it.
_FIRST_BREAK = ("listing", "pre", "textarea")
# Stands for the "=" that a name of an attribute may begin with, as in `<a =b>`: so says the
# standard, and so reads the parser, but the serializer refuses it.
_EQUALS = "equals-sign"


class HtmlPage:
    """A parsed document or fragment; it can be written once.

    Attributes:
        text: of all units; a line break parts them.
        elements: around each unit, and those in it.
    """

    def __init__(self, source: str, language: str) -> None:
        fragment = _DOCUMENT.search(_SKIPPED.sub("", source)) is None
        self._document = justhtml.JustHTML(
            source if fragment else _as_browsers_read(source),
            fragment=fragment,
            sanitize=False,
            track_node_locations=True,
        )
        self._source = source
        self._language = language
        self._units = list(units(self._document.root, language))
        self._owners: list[Unit | justhtml.Node] = []
        self.text = "\n".join(unit.text for unit in self._units)
        self.elements = tuple(self._placed_elements())

    def write(self, text: str, content: Content | None, language: str = "") -> str:
        """The HTML of a translation.

        Args:
            content: spans in `text`, and `elements` in their places.
            language: of the translation, BCP 47.
        """
        changed = list(self._changed(text, content or ()))
        if not changed:
            return self._source
        edits = self._edits(text, changed)
        if edits is not None:
            return edited(self._source, [*edits, *self._page_edits(language)])
        return self._from_tree(text, content, language)

    def _changed(self, text: str, content: Content) -> Iterator[tuple[Unit, Content]]:
        """Units that are not what they were, and what is in them now."""
        for item in content:
            unit = self._owners[item.element] if isinstance(item, PlacedElement) else None
            if isinstance(unit, Unit) and isinstance(item, PlacedElement):
                inside = item.content or ()
                if list(self._events(text, inside)) != list(_unit_events(unit)):
                    yield unit, inside

    def _events(self, text: str, content: Content) -> Iterator[tuple[str, str | justhtml.Node]]:
        """Tags and texts in order; without recursion, as elements may be nested without end."""
        run = ""
        stack: list[tuple[justhtml.Node | None, Iterator[Span | PlacedElement]]]
        stack = [(None, iter(content))]
        while stack:
            node, items = stack[-1]
            item = next(items, None)
            if isinstance(item, Span):
                run += item.of(text)
                continue
            if item is not None and isinstance(self._owners[item.element], Unit):
                continue
            if run:
                yield "text", run
                run = ""
            if item is None:
                stack.pop()
                if node is not None:
                    yield "close", node
                continue
            placed = self._owners[item.element]
            if isinstance(placed, Unit):
                continue
            if item.content is None:
                yield "atom", placed
            else:
                yield "open", placed
                stack.append((placed, iter(item.content)))

    def _edits(self, text: str, changed: list[tuple[Unit, Content]]) -> list[Edit] | None:
        """What to write where; None if the source does not say where."""
        places = Places(self._source)
        edits: list[Edit] = []
        for unit, inside in changed:
            if unit.attribute:
                edit = _attribute_edit(places, unit.parent, unit.attribute, _text_of(text, inside))
            else:
                edit = self._run_edit(places, unit, list(self._events(text, inside)))
            if edit is None:
                return None
            edits.append(edit)
        return edits

    def _run_edit(
        self, places: Places, unit: Unit, events: list[tuple[str, str | justhtml.Node]]
    ) -> Edit | None:
        found = places.run(unit.run)
        nodes = [what for _, what in events if not isinstance(what, str)]
        if found is None or not all(id(node) in places.found for node in nodes):
            return None

        def write(stretch: Callable[[int, int], str]) -> str:
            parts: list[str] = []
            for kind, what in events:
                if isinstance(what, str):
                    parts.append(escaped(what))
                    continue
                place = places.found[id(what)]
                start, end = {
                    "open": (place.start, place.inside),
                    "close": (place.outside, place.end),
                    "atom": (place.start, place.end),
                }[kind]
                parts.append(stretch(start, end))
            return "".join(parts)

        return Edit(*found, write)

    def _page_edits(self, language: str) -> Iterator[Edit]:
        """What the page says of itself: the language of its text, the direction, the encoding."""
        places = Places(self._source)
        for node in self._document.root.children or ():
            if node.name == "html" and language:
                yield from _language_edits(places, node, language)
        for node in self._nodes_of_page():
            if node.name == "meta" and isinstance(node, justhtml.Element):
                edit = _encoding_edit(places, self._source, node)
                if edit is not None:
                    yield edit

    def _from_tree(self, text: str, content: Content | None, language: str) -> str:
        for node in self._document.root.children or ():
            if node.name == "html" and language and not isinstance(node, justhtml.Text):
                node.attrs = {**(node.attrs or {}), **_language_attributes(node, language)}
        for node in self._nodes_of_page():
            if node.name == "meta" and isinstance(node, justhtml.Element):
                _say_encoding(node)
        runs: dict[Node, list[Node]] = {}
        for item in content or ():
            unit = self._owners[item.element] if isinstance(item, PlacedElement) else None
            if isinstance(unit, Unit) and isinstance(item, PlacedElement):
                inside = item.content or ()
                if unit.attribute:
                    _write_attribute(unit, text, inside)
                else:
                    runs[unit.run[0]] = self._nodes(text, inside)
        self._replace_runs(runs)
        return self._serialized(text)

    def _serialized(self, text: str) -> str:
        """The page as HTML that is read as it stands here; nothing in the tree changes.

        Some things do not come out by themselves: line breaks that the parser leaves out, names of
        attributes that begin with "=", values that say the name of theirs, comments with odd
        dashes, and what is in `noscript`.
        """
        stand_in = self._name_that_nothing_has(text)
        kept: list[str] = []
        undo: list[Callable[[], None]] = []

        def instead(value: str) -> str:
            kept.append(value)
            return f"{stand_in}.{len(kept) - 1}."

        for exact in list(self._verbatim()):
            undo.append(partial(setattr, exact, "data", exact.data))
            exact.data = instead(str(exact.data or ""))
        for first in list(self._first_breaks()):
            undo.append(partial(setattr, first, "data", first.data))
            first.data = f"\n{first.data}"
        for node in self._nodes_of_page():
            if not isinstance(node, justhtml.Text) and _has_odd_attribute(node):
                attributes = node.attrs or {}
                undo.append(partial(setattr, node, "attrs", attributes))
                node.attrs = {
                    stand_in + name[1:] if name.startswith("=") else name: instead(value)
                    if value and value.lower() == name
                    else value
                    for name, value in attributes.items()
                }
        html = self._document.to_html(pretty=False).replace("\r", "&#13;")
        for restore in reversed(undo):
            restore()
        pattern = re.compile(rf"{re.escape(stand_in)}\.(\d+)\.")
        html = pattern.sub(lambda match: kept[int(match[1])], html)
        return html.replace(stand_in, "=")

    def _name_that_nothing_has(self, text: str) -> str:
        taken = unescape(self._source).lower() + text
        name = _EQUALS
        while name in taken:
            name += "-"
        return name

    def _placed_elements(self) -> Iterator[Element]:
        start = 0
        for unit in self._units:
            around = len(self._owners)
            self._owners += [unit, *unit.nodes]
            yield Element(Span(start, start + len(unit.text)))
            for element in unit.elements:
                parent = around + 1 + (-1 if element.parent is None else element.parent)
                yield replace(element, span=element.span.shifted(start), parent=parent)
            start += len(unit.text) + 1

    def _nodes(self, text: str, content: Content) -> list[Node]:
        """The nodes of a unit, without recursion: elements may be nested without end."""
        top: list[Node] = []
        used: set[int] = set()
        stack: list[tuple[justhtml.Node | None, list[Node], Iterator[Span | PlacedElement]]]
        stack = [(None, top, iter(content))]
        while stack:
            node, inside, items = stack[-1]
            item = next(items, None)
            if item is None:
                stack.pop()
                if node is not None:
                    _set_children(node, inside)
                continue
            if isinstance(item, Span):
                inside.append(justhtml.Text(item.of(text)))
                continue
            placed = self._owners[item.element]
            if isinstance(placed, Unit):
                continue
            placed = placed.clone_node() if item.element in used else placed
            used.add(item.element)
            inside.append(placed)
            if item.content is not None:
                stack.append((placed, [], iter(item.content)))
        return top

    def _replace_runs(self, runs: dict[Node, list[Node]]) -> None:
        """Put each run's new nodes, by its first old one, where the run was."""
        parents = dict.fromkeys(unit.parent for unit in self._units if unit.run)
        gone = {node for unit in self._units for node in unit.run if unit.run[0] in runs}
        for parent in parents:
            after: list[Node] = []
            for child in children(parent):
                after += runs.get(child, ())
                if child not in gone:
                    after.append(child)
            _set_children(parent, after)

    def _nodes_of_page(self) -> Iterator[Node]:
        waiting: list[Node] = [self._document.root]
        while waiting:
            node = waiting.pop()
            waiting += children(node)
            content = getattr(node, "template_content", None)
            if content is not None:
                waiting.append(content)
            yield node

    def _verbatim(self) -> Iterator[Node]:
        """Comments, and texts of `noscript`."""
        for node in self._nodes_of_page():
            if node.name == "#comment":
                yield node
            elif node.name == "noscript" and node.namespace in (None, "html"):
                yield from (child for child in children(node) if isinstance(child, justhtml.Text))

    def _first_breaks(self) -> Iterator[justhtml.Text]:
        """Texts whose line break at the beginning the parser would leave out."""
        for node in self._nodes_of_page():
            inside = children(node)
            breaks = node.name in _FIRST_BREAK and node.namespace in (None, "html")
            first = inside[0] if inside and breaks else None
            if isinstance(first, justhtml.Text) and (first.data or "").startswith("\n"):
                yield first


def _has_odd_attribute(node: justhtml.Node) -> bool:
    """Whether the serializer would refuse an attribute, or write it in another way."""
    return any(
        name.startswith("=") or (value is not None and value.lower() == name)
        for name, value in (node.attrs or {}).items()
    )


def _as_browsers_read(source: str) -> str:
    """A document of the same length, with what no browser takes for text as a comment: a byte order
    mark, processing instructions at the start, a document type that comes too late."""
    text = source.replace("\ufeff", " ", 1) if source.startswith("\ufeff") else source
    for instruction in _INSTRUCTIONS.findall(text):
        text = text.replace(instruction, _commented(instruction), 1)
    for match in _DOCTYPE.finditer(text):
        if match["type"]:
            late = bool(_COMMENT.sub("", text[: match.start()]).strip())
            return _replaced(text, match) if late else text
    return text


def _replaced(text: str, match: re.Match[str]) -> str:
    return text[: match.start()] + _commented(match.group()) + text[match.end() :]


def _commented(markup: str) -> str:
    """A comment as long as some markup, which has seven characters at least."""
    return "<!--" + " " * (len(markup) - 7) + "-->"


def _unit_events(unit: Unit) -> Iterator[tuple[str, str | justhtml.Node]]:
    """Tags and texts of a unit as it was."""
    read = 0
    stack: list[int] = []

    def until(end: int) -> Iterator[tuple[str, str | justhtml.Node]]:
        nonlocal read
        if end > read:
            yield "text", unit.text[read:end]
        read = max(read, end)

    for index, element in enumerate(unit.elements):
        while stack and stack[-1] != element.parent:
            last = stack.pop()
            yield from until(unit.elements[last].span.end)
            yield "close", unit.nodes[last]
        yield from until(element.span.start)
        if element.kind in (ElementKind.OPAQUE, ElementKind.VOID):
            yield "atom", unit.nodes[index]
            read = element.span.end
        else:
            yield "open", unit.nodes[index]
            stack.append(index)
    for last in reversed(stack):
        yield from until(unit.elements[last].span.end)
        yield "close", unit.nodes[last]
    yield from until(len(unit.text))


def _attribute_edit(places: Places, node: justhtml.Node, name: str, value: str) -> Edit | None:
    found = places.attribute(node, name)
    return Edit(*found, lambda _: quoted(value)) if found else None


def _language_attributes(node: justhtml.Node, language: str) -> dict[str, str]:
    """What the root of a page is to say."""
    attributes = node.attrs or {}
    changes: dict[str, str] = {}
    said = attributes.get("lang") or ""
    if said.partition("-")[0].lower() != language.partition("-")[0].lower():
        changes["lang"] = language
        if "xml:lang" in attributes:
            changes["xml:lang"] = language
    leftwards = language.partition("-")[0].lower() in _RIGHT_TO_LEFT
    if leftwards or (attributes.get("dir") or "").lower() == "rtl":
        changes["dir"] = "rtl" if leftwards else "ltr"
    return changes


def _language_edits(places: Places, node: justhtml.Node, language: str) -> Iterator[Edit]:
    at = places.after_name(node)
    if at is None:  # a page without the tag itself
        return
    missing = ""
    for name, value in _language_attributes(node, language).items():
        edit = _attribute_edit(places, node, name, value)
        if edit is None:
            missing += f" {name}={quoted(value)}"
        else:
            yield edit
    if missing:
        yield Edit(at, at, lambda _: missing)


def _encoding_edit(places: Places, source: str, node: justhtml.Element) -> Edit | None:
    name = "charset" if "charset" in node.attrs else "content"
    if name == "content" and (node.attrs.get("http-equiv") or "").lower() != "content-type":
        return None
    found = places.attribute(node, name)
    if found is None:
        return None
    if name == "charset":
        said = (node.attrs["charset"] or "").strip().lower()
        return None if said in ("utf-8", "utf8") else Edit(*found, lambda _: '"utf-8"')
    charset = _CHARSET.search(source, *found)
    if charset is None or charset[2].lower() in ("utf-8", "utf8"):
        return None
    return Edit(*charset.span(2), lambda _: "utf-8")


def _say_encoding(node: justhtml.Element) -> None:
    if "charset" in node.attrs:
        node.attrs["charset"] = "utf-8"
    elif (node.attrs.get("http-equiv") or "").lower() == "content-type":
        content = node.attrs.get("content") or ""
        node.attrs["content"] = _CHARSET.sub(r"\1utf-8", content)


def _text_of(text: str, content: Content) -> str:
    return "".join(item.of(text) for item in content if isinstance(item, Span))


def _write_attribute(unit: Unit, text: str, content: Content) -> None:
    value = _text_of(text, content)
    if unit.parent.attrs is not None:
        unit.parent.attrs[unit.attribute] = value


def _set_children(node: justhtml.Node, inside: list[Node]) -> None:
    for child in inside:
        child.parent = node
    node.children = inside
