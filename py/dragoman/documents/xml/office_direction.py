"""The direction of paragraphs in Office Open XML, where a translation runs the other way.

    <w:p><w:r><w:rPr><w:b/></w:rPr><w:t>שלום</w:t></w:r></w:p>
    <w:p><w:pPr><w:bidi/></w:pPr><w:r><w:rPr><w:b/><w:bCs/><w:rtl/></w:rPr><w:t>שלום</w:t></w:r></w:p>

Which paragraphs: those with a letter that runs so; what was not translated stays. Of its runs all
but those with letters of the other direction alone. A run that is said to run from right to left is
looked up in the properties of complex scripts: what is bold is bold there only if they say it too.
"""

from __future__ import annotations

from collections.abc import Iterator

from dragoman.documents.xml.direction import has_leftwards, has_rightwards, with_attributes
from dragoman.documents.xml.tree import Node
from dragoman.edits import Edit, edited

# ECMA-376 Part 1, 17.3.1.26 and 17.3.2.28: what comes behind w:bidi, and behind w:rtl.
_AFTER_BIDI_NAMES = """
    adjustRightInd snapToGrid spacing ind contextualSpacing mirrorIndents suppressOverlap jc
    textDirection textAlignment textboxTightWrap outlineLvl divId cnfStyle rPr sectPr pPrChange
"""
_AFTER_BIDI = frozenset(f"w:{name}" for name in _AFTER_BIDI_NAMES.split())
_AFTER_RTL = frozenset(
    ["w:cs", "w:em", "w:lang", "w:eastAsianLayout", "w:specVanish", "w:oMath", "w:rPrChange"]
)
# The same of other scripts and of complex ones, which stands behind it.
_PAIRS = (("w:b", "w:bCs"), ("w:i", "w:iCs"), ("w:sz", "w:szCs"))
# 17.4.59: the same of w:bidiVisual, by which the first column of a table stands on the right.
_AFTER_VISUAL_NAMES = """
    tblStyleRowBandSize tblStyleColBandSize tblW jc tblCellSpacing tblInd tblBorders shd tblLayout
    tblCellMar tblLook tblCaption tblDescription tblPrChange
"""
_AFTER_VISUAL = frozenset(f"w:{name}" for name in _AFTER_VISUAL_NAMES.split())
_SWAPPED = {"l": "r", "r": "l"}
# Placeholders of slides that begin at the side where reading begins; titles may be in the middle.
_FLUSH = frozenset(["", "body", "obj"])


def directed(text: str, root: Node, leftwards: bool) -> str:
    """A part whose translated paragraphs say their direction.

    Args:
        text: of the part, with its translations.
        root: of the text.
        leftwards: whether they run from right to left, else from left to right.
    """
    edits: list[Edit] = []
    for node in root.walk():
        if node.name == "w:p":
            edits += _of_paragraph(text, node, leftwards)
        elif node.name == "w:tblPr" and node.parent and _runs(_said(node.parent), leftwards):
            edits.append(_of_table(text, node, leftwards))
        elif node.name == "a:tblPr" and node.parent and _runs(_said(node.parent), leftwards):
            edits.append(_with_attributes(text, node, {"rtl": "1" if leftwards else "0"}))
        elif node.name == "a:p" and _runs(_said(node), leftwards):
            edits.append(_of_slide(text, node, leftwards))
    return edited(text, edits)


def _runs(said: str, leftwards: bool) -> bool:
    return has_leftwards(said) if leftwards else has_rightwards(said)


def _said(node: Node) -> str:
    return "".join(child.words() for child in node.walk() if child.name in ("w:t", "a:t"))


# --- text documents -----------------------------------------------------------------------------


def _of_paragraph(text: str, paragraph: Node, leftwards: bool) -> Iterator[Edit]:
    runs = [(run, "".join(_words(run))) for run in _own_runs(paragraph)]
    if not _runs("".join(said for _, said in runs), leftwards):
        return
    bidi = [("w:bidi", _switch(paragraph, "bidi", leftwards), _AFTER_BIDI)]
    yield _with_child(text, paragraph, paragraph.child("w:pPr"), "pPr", bidi)
    for run, said in runs:
        # Digits and points stand where the words around them have them.
        if said and (_runs(said, leftwards) or not _runs(said, not leftwards)):
            properties = run.child("w:rPr")
            wanted = [] if properties is None else list(_paired(text, properties, leftwards))
            wanted.append(("w:rtl", _switch(run, "rtl", leftwards), _AFTER_RTL))
            yield _with_child(text, run, properties, "rPr", wanted)


def _of_table(text: str, properties: Node, leftwards: bool) -> Edit:
    said = _switch(properties, "bidiVisual", leftwards)
    return _with_child(
        text, properties, properties, "tblPr", [("w:bidiVisual", said, _AFTER_VISUAL)]
    )


def _switch(near: Node, name: str, on: bool) -> str:
    """A property that is on or off, with the prefix of an element near it."""
    prefix = _prefix(near)
    return f"<{prefix}{name}/>" if on else f'<{prefix}{name} {prefix or "w:"}val="0"/>'


def _prefix(node: Node) -> str:
    prefix, colon, _ = node.written.rpartition(":")
    return prefix + colon


def _own_runs(paragraph: Node) -> Iterator[Node]:
    """Without those of paragraphs that stand in it, as those of text boxes do."""
    waiting = [paragraph]
    while waiting:
        node = waiting.pop()
        if node.name == "w:r":
            yield node
        inner = (child for child in node.elements() if child.name != "w:p")
        waiting += reversed(list(inner))


def _words(run: Node) -> Iterator[str]:
    return (child.words() for child in run.elements() if child.name == "w:t")


Wanted = tuple[str, str, frozenset[str]]


def _paired(text: str, properties: Node, leftwards: bool) -> Iterator[Wanted]:
    """What is said of letters of one kind, for those of the other: name, text, what follows it."""
    names = [child.name for child in properties.elements()]
    for one, other in _PAIRS:
        said, missing = (one, other) if leftwards else (other, one)
        node = properties.child(said)
        if node is None or missing in names:
            continue
        name = _prefix(node) + missing.partition(":")[2]
        written = text[node.start : node.end].replace(node.written, name)
        behind = names[names.index(said) + 1 :] if leftwards else names[names.index(said) :]
        yield missing, written, frozenset(behind)


def _with_child(
    text: str, holder: Node, properties: Node | None, name: str, wanted: list[Wanted]
) -> Edit:
    """Properties with some of them said anew, each before what the schema has behind it."""
    if properties is None:
        made = "".join(said for _, said, _ in wanted)
        return _inserted(holder, f"<{_prefix(holder)}{name}>{made}</{_prefix(holder)}{name}>")
    anew = {name for name, _, _ in wanted}
    waiting = list(wanted)
    parts = [_opened(text, properties)]
    for child in properties.elements():
        for each in [each for each in waiting if child.name in each[2]]:
            parts.append(each[1])
            waiting.remove(each)
        if child.name not in anew:
            parts.append(text[child.start : child.end])
    parts += [said for _, said, _ in waiting]
    parts.append(f"</{properties.written}>")
    made = "".join(parts)
    return Edit(properties.start, properties.end, lambda _: made)


def _opened(text: str, node: Node) -> str:
    """A start tag, of an element that has something in it from now on."""
    tag = text[node.start : node.inside]
    return tag if node.end > node.inside else tag[:-1].rstrip("/ ") + ">"


def _inserted(holder: Node, made: str) -> Edit:
    """At the beginning of an element, which is not empty: it has text."""
    return Edit(holder.inside, holder.inside, lambda _: made)


# --- presentations ------------------------------------------------------------------------------


def _of_slide(text: str, paragraph: Node, leftwards: bool) -> Edit:
    properties = paragraph.child("a:pPr")
    said = properties.get("algn") if properties else ""
    side = "r" if leftwards else "l"
    # Right is right there, whichever way the text runs.
    wanted = {"rtl": "1" if leftwards else "0"}
    if said in _SWAPPED or (not said and _is_flush(paragraph)):
        wanted["algn"] = _SWAPPED.get(said, side)
    if properties is None:
        made = "".join(f' {key}="{value}"' for key, value in wanted.items())
        return _inserted(paragraph, f"<{_prefix(paragraph)}pPr{made}/>")
    return _with_attributes(text, properties, wanted)


def _with_attributes(text: str, node: Node, wanted: dict[str, str]) -> Edit:
    tag = with_attributes(text[node.start : node.inside], wanted)
    return Edit(node.start, node.inside, lambda _: tag)


def _is_flush(paragraph: Node) -> bool:
    """Whether a paragraph that says nothing of it begins at the side."""
    body = paragraph.parent
    shape = body.parent if body is not None else None
    if body is None or shape is None or shape.name not in ("p:sp", "a:tc"):
        return False
    styles = body.child("a:lstStyle")
    if styles is not None and any(node.get("algn") for node in styles.elements()):
        return False
    places = [node.get("type") for node in shape.walk() if node.name == "p:ph"]
    return all(place in _FLUSH for place in places)
