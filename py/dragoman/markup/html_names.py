"""What each element of HTML is to a translator, and the attributes that people read: tables."""

from __future__ import annotations

# Part of the sentence around them; so are custom elements. All others divide the text.
_INLINE_NAMES = """
    a abbr acronym applet area audio b base bdi bdo big br button canvas cite code data datalist
    del dfn em embed font i iframe img input ins kbd label link map mark math meta meter nobr
    noscript object output param picture progress q rb rp rt rtc ruby s samp script select slot
    small source span strike strong style sub sup svg template textarea time track tt u var video
    wbr
"""
INLINE = frozenset(_INLINE_NAMES.split())
# Not translated: a word of the sentence that stays as it is.
OPAQUE = frozenset(["acronym", "code", "kbd", "math", "samp", "var"])
# A thing in the sentence. Nothing in it is text that could be put into other words.
_HELD_NAMES = """
    applet area audio base canvas embed frame frameset iframe img input link map meta meter
    noembed noframes noscript object param picture plaintext progress rp rt rtc script source
    style svg template textarea track video wbr xmp
"""
HELD = frozenset(_HELD_NAMES.split())
_SEEN_NAMES = "applet audio canvas embed iframe img input meter object picture progress svg video"
SEEN = frozenset(_SEEN_NAMES.split())
# Of these, what is inside may have attributes to translate.
HOLDERS = frozenset(["audio", "map", "object", "picture", "video"])
# A thing in the sentence; what is in it is text by itself.
ISLANDS = frozenset(["button", "datalist", "select"])
# Only look: the words that they style may be parted, unless something refers to the element.
_STYLE_NAMES = """
    b big em font i mark nobr s small span strike strong sub sup tt u
"""
STYLE = frozenset(_STYLE_NAMES.split())
REFERENCES = ("id", "is", "name", "slot", "tabindex")
PREFORMATTED = frozenset(["listing", "plaintext", "pre", "textarea", "xmp"])
# Languages that are written from right to left.
_RIGHT_TO_LEFT_NAMES = "ar ckb dv fa he iw ks ps sd ug ur yi"
RIGHT_TO_LEFT = frozenset(_RIGHT_TO_LEFT_NAMES.split())

# Attribute -> elements that have it; none named: all.
ATTRIBUTES: dict[str, frozenset[str]] = {
    "abbr": frozenset(["th"]),
    "alt": frozenset(["area", "img", "input"]),
    "label": frozenset(["optgroup", "option", "track"]),
    "placeholder": frozenset(["input", "textarea"]),
    "title": frozenset(),
    "aria-label": frozenset(),
    "aria-description": frozenset(),
    "aria-placeholder": frozenset(),
    "aria-roledescription": frozenset(),
    "aria-valuetext": frozenset(),
    "aria-brailleroledescription": frozenset(),
    "aria-braillelabel": frozenset(),
    "aria-colindextext": frozenset(),
    "aria-rowindextext": frozenset(),
}
