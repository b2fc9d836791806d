"""HTML, for hosts with a parser: a document or a fragment becomes text with elements, and back.

    "<p>Ja <b>gut</b></p><p>Nein"         parsed as a browser does: broken HTML is no error
    units   "Ja gut", "Nein"              each with the elements in it
    text    "Ja gut\\nNein"                one text, an element around each unit
    ...     translated, elements placed
    "<p>Yes <b>good</b></p><p>No</p>"     the same nodes, moved where word order needs it

Only what is translated is written anew, in its place in the source (`source`); all else stays byte
for byte as it was. A page with something to write that cannot be found there is serialized from its
tree. With something translated, the page says its new language, and that it is in UTF-8.

What was written is parsed again, and must be the tree that was meant: there is HTML that means
another thing once it was read and written, a script for one that was text before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import justhtml

from dragoman.config import Limits
from dragoman.edits import Edit, edited
from dragoman.errors import InvalidRequestError, PageTooLargeError
from dragoman.html.parser import is_fragment, parse
from dragoman.html.same import same
from dragoman.html.serialize import nodes_below, serialized
from dragoman.html.source import Places, escaped, quoted
from dragoman.html.tags import Node
from dragoman.html.units import Unit, children, units
from dragoman.markup.html_names import RIGHT_TO_LEFT
from dragoman.types import Content, Element, ElementKind, PlacedElement, Span

_CHARSET = re.compile(r"(charset\s*=\s*[\"']?)([^\s\"';>/]+)", re.IGNORECASE)


class HtmlPage:
    """A parsed document or fragment; it can be written once.

    Attributes:
        text: of all units; a line break parts them.
        elements: around each unit, and those in it.
    """

    def __init__(self, source: str, language: str, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._fragment = is_fragment(source)
        self.root = parse(source, self._fragment, self._limits)
        self._source = source
        self._language = language
        self._units = list(units(self.root, language))
        self._owners: list[Unit | justhtml.Node] = []
        self.text = "\n".join(unit.text for unit in self._units)
        self.elements = tuple(self._placed_elements())

    def write(self, text: str, content: Content | None, language: str = "") -> str:
        """The HTML of a translation.

        Args:
            content: spans in `text`, and `elements` in their places.
            language: of the translation, BCP 47.

        Raises:
            InvalidRequestError: no HTML says what is meant: parsed again, it would be another page.
        """
        changed = list(self._changed(text, content or ()))
        if not changed:
            return self._source
        edits = self._edits(text, changed)
        page_edits = list(self._page_edits(language))
        said = self._says_language(language)
        self._put(text, changed)
        if edits is not None:
            self._say(language if said else "")
            written = edited(self._source, [*edits, *page_edits])
            if self._reads(written):
                return written
        self._say(language)
        written = serialized(self.root, self._source, text)
        if self._reads(written):
            return written
        raise InvalidRequestError(
            "this HTML cannot be written again: a browser would read it in another way than this "
            "page, whose elements are nested as no HTML can say",
            reason="mutation",
        )

    def _reads(self, html: str) -> bool:
        """Whether a browser makes of some HTML the tree as it is now."""
        try:
            return same(parse(html, self._fragment, self._limits), self.root)
        except PageTooLargeError:
            return False

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
        written_at = places.run(unit.run)
        nodes = [what for _, what in events if not isinstance(what, str)]
        if written_at is None or not all(node in places.of_node for node in nodes):
            return None

        def write(stretch: Callable[[int, int], str]) -> str:
            parts: list[str] = []
            for kind, what in events:
                if isinstance(what, str):
                    parts.append(escaped(what))
                    continue
                place = places.of_node[what]
                start, end = {
                    "open": (place.start, place.inside),
                    "close": (place.outside, place.end),
                    "atom": (place.start, place.end),
                }[kind]
                parts.append(stretch(start, end))
            return "".join(parts)

        return Edit(*written_at, write)

    def _page_edits(self, language: str) -> Iterator[Edit]:
        """What the page says of itself: the language of its text, the direction, the encoding."""
        places = Places(self._source)
        for node in self.root.children or ():
            if node.name == "html" and language:
                yield from _language_edits(places, node, language)
        for node in nodes_below(self.root):
            if node.name == "meta" and isinstance(node, justhtml.Element):
                edit = _encoding_edit(places, self._source, node)
                if edit is not None:
                    yield edit

    def _says_language(self, language: str) -> bool:
        """Whether the source has a tag for what is said of the language."""
        places = Places(self._source)
        roots = [node for node in self.root.children or () if isinstance(node, justhtml.Element)]
        return bool(language) and all(places.after_name(node) is not None for node in roots)

    def _say(self, language: str) -> None:
        """What `_page_edits` says, in the tree."""
        for node in self.root.children or ():
            if node.name == "html" and language and isinstance(node, justhtml.Element):
                node.attrs = {**node.attrs, **_language_attributes(node, language)}
        for node in nodes_below(self.root):
            if node.name == "meta" and isinstance(node, justhtml.Element):
                _say_encoding(node)

    def _put(self, text: str, changed: list[tuple[Unit, Content]]) -> None:
        """Translated runs and attributes, into the tree."""
        runs: dict[Node, list[Node]] = {}
        for unit, inside in changed:
            if unit.attribute:
                _write_attribute(unit, text, inside)
            else:
                runs[unit.run[0]] = self._nodes(text, inside)
        self._replace_runs(runs)

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
    place = places.attribute(node, name)
    return Edit(*place, lambda _: quoted(value)) if place else None


def _language_attributes(node: justhtml.Node, language: str) -> dict[str, str]:
    """What the root of a page is to say."""
    attributes = node.attrs or {}
    changes: dict[str, str] = {}
    said = attributes.get("lang") or ""
    if said.partition("-")[0].lower() != language.partition("-")[0].lower():
        changes["lang"] = language
        if "xml:lang" in attributes:
            changes["xml:lang"] = language
    leftwards = language.partition("-")[0].lower() in RIGHT_TO_LEFT
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
    place = places.attribute(node, name)
    if place is None:
        return None
    if name == "charset":
        return None if _is_utf8(node.attrs["charset"]) else Edit(*place, lambda _: '"utf-8"')
    charset = _CHARSET.search(source, *place)
    if charset is None or _is_utf8(charset[2]):
        return None
    return Edit(*charset.span(2), lambda _: "utf-8")


def _say_encoding(node: justhtml.Element) -> None:
    if "charset" in node.attrs:
        if not _is_utf8(node.attrs["charset"]):
            node.attrs["charset"] = "utf-8"
    elif (node.attrs.get("http-equiv") or "").lower() == "content-type":
        content = node.attrs.get("content") or ""
        charset = _CHARSET.search(content)
        if charset is not None and not _is_utf8(charset[2]):
            start, end = charset.span(2)
            node.attrs["content"] = content[:start] + "utf-8" + content[end:]


def _is_utf8(charset: str | None) -> bool:
    return (charset or "").strip().lower() in ("utf-8", "utf8")


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
