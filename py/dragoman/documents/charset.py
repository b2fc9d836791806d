"""The character set of a text: as browsers find a page's, and where that ends by a detector."""

from __future__ import annotations

import codecs
import re
import sys

from dragoman.documents.kinds import DocumentKind
from dragoman.errors import InvalidRequestError

AUTO = "auto"

# What a byte order mark says; UTF-8 where there is none.
BY_MARK = "by-mark"

# Those of UTF-32 first: the one begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32", "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16", "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16", "utf-16-be"),
)
_ORDER = "le" if sys.byteorder == "little" else "be"
_SAYS_ENCODING = frozenset(
    [
        DocumentKind.DOCX,
        DocumentKind.ODT,
        DocumentKind.PPTX,
        DocumentKind.EPUB,
        DocumentKind.XLIFF,
        DocumentKind.PDF,
    ]
)
# How much of a page is searched for what it says of itself.
_HEAD_BYTES = 8_192
_SAID = re.compile(
    rb"<meta\b[^>]*?\bcharset\s*=\s*[\"']?\s*([\w.:-]+)"
    rb"|\A\s*<\?xml\b[^>]*?\bencoding\s*=\s*[\"']([\w.:-]+)",
    re.IGNORECASE,
)
# Browsers read the first as the second: https://encoding.spec.whatwg.org/#names-and-labels
_READ_AS = {"iso8859-1": "cp1252", "ascii": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874"}


def encoding_of(content: bytes, kind: DocumentKind) -> str:
    """Of a document; `AUTO` where its kind has rules of its own, by which it says it itself.

    Raises:
        InvalidRequestError: nothing fits.
    """
    if kind in _SAYS_ENCODING:
        return AUTO
    return page_encoding(content) if kind is DocumentKind.HTML else text_encoding(content)


def marked_encoding(content: bytes) -> str | None:
    """The encoding that a byte order mark says, as Python names the one that reads it; None where
    there is no mark."""
    return next((name for mark, name, _ in _MARKS if content.startswith(mark)), None)


def may_be_marked(content: bytes) -> bool:
    """Whether these bytes are the beginning of a mark, or of a longer one."""
    return any(len(content) < len(mark) and mark.startswith(content) for mark, _, _ in _MARKS)


def written_in(content: bytes, encoding: str) -> tuple[str, bytes]:
    """What a translation is written in, and its byte order mark: both as the source has them where
    it is in Unicode, else UTF-8.

    b"\\xfe\\xff\\0a", "utf-16" -> "utf-16-be", b"\\xfe\\xff"; "a", "latin-1" -> "utf-8", b""

    Args:
        content: of the source, or its beginning.
        encoding: which it was read in, by Python's name for it.
    """
    family = encoding.removesuffix("-sig")
    for mark, _, exact in _MARKS:
        if content.startswith(mark) and exact.startswith(family):
            return exact, mark
    if family in ("utf-16", "utf-32"):
        return f"{family}-{_ORDER}", b""
    return family if family.startswith("utf") else "utf-8", b""


def page_encoding(content: bytes) -> str:
    """Python's name of the encoding: by byte order mark, by what the page says, UTF-8 if it is, or
    as `charset_normalizer` finds it.

    Raises:
        InvalidRequestError: nothing fits.
    """
    if marked := marked_encoding(content):
        return marked
    said = _SAID.search(content[:_HEAD_BYTES])
    known = _known((said[1] or said[2]).decode("ascii")) if said else None
    return known or text_encoding(content)


def text_encoding(content: bytes) -> str:
    """The same of a text, which says nothing of its encoding: a byte order mark, UTF-8, or found.

    Raises:
        InvalidRequestError: nothing fits.
    """
    if marked := marked_encoding(content):
        return marked
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return _detected(content)
    return "utf-8"


def _known(label: str) -> str | None:
    try:
        name = codecs.lookup(label).name
    except LookupError:
        return None
    # A page whose label could be read in bytes is in no wide encoding.
    return "utf-8" if name.startswith(("utf-16", "utf-32")) else _READ_AS.get(name, name)


def _detected(content: bytes) -> str:
    import charset_normalizer  # takes a tenth of a second, and few pages need it

    best = charset_normalizer.from_bytes(content).best()
    if best is None:
        raise InvalidRequestError("the encoding cannot be told; name it with --encoding")
    return best.encoding
