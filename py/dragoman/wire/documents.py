"""Documents as the bridge gets and tells them: bytes, and JSON about them.

Not among what the bridge imports at its start: a host has what reads documents only once the first
one has come.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from dragoman.config import DocumentLimits
from dragoman.documents import read
from dragoman.documents.charset import encoding_of
from dragoman.documents.kinds import MEDIA_TYPES, WRITTEN_AS, DocumentKind, kind_of, named_kind
from dragoman.documents.passage import Document, translated_name
from dragoman.documents.translate import TranslatedDocument
from dragoman.errors import InvalidRequestError
from dragoman.html import HtmlPage
from dragoman.types import TextFormat, TranslationMemory, TranslationRequest
from dragoman.wire.requests import UNREADABLE, read_options

# A worker of a browser has 4 GB at most, and a tree of XML takes many times its size.
LIMITS = DocumentLimits(bytes=50_000_000, unpacked_bytes=250_000_000, part_bytes=20_000_000)
# Of a document, enough to tell its language.
_ENOUGH_CHARACTERS = 2_000
# Of a page, which has more in it than its text.
_ENOUGH_MARKUP = 200_000


@dataclass(frozen=True, slots=True)
class OpenedDocument:
    """A document that was read.

    Attributes:
        pattern: the request that each of its passages becomes.
    """

    name: str
    kind: DocumentKind
    document: Document
    pattern: TranslationRequest

    @property
    def beginning(self) -> str:
        """Of its text, one passage a line; of a page with its markup removed."""
        texts: list[str] = []
        room = _ENOUGH_CHARACTERS
        for passage in self.document.passages:
            if room <= 0:
                break
            text = passage.text
            if passage.format is TextFormat.HTML:
                text = HtmlPage(text[:_ENOUGH_MARKUP], self.pattern.source).text
            texts.append(text[:room])
            room -= len(texts[-1])
        return "\n".join(texts)


def open_document(
    content: bytes, asked_json: str, memory: TranslationMemory | None = None
) -> OpenedDocument:
    """Read a document.

    Args:
        asked_json: `{"file": {"name", "kind", "columns", "encoding"}, "options": {...}}`; of the
            file only the name is needed, the options are those of a request.
        memory: as in `read_request`.

    Raises:
        InvalidRequestError: what is asked cannot be read.
        UnsupportedFormatError, DocumentError, DocumentTooLargeError: see `read_document`.
    """
    try:
        asked = json.loads(asked_json)
        file: dict[str, Any] = asked["file"]
        name, columns = str(file["name"]), tuple(map(str, file.get("columns", ())))
        pattern = read_options(json.dumps(asked["options"]), memory)
    except UNREADABLE as error:
        raise InvalidRequestError(f"the document cannot be read: {error!r:.200}") from error
    kind = named_kind(file.get("kind")) or kind_of(name, content)
    encoding = str(file.get("encoding") or encoding_of(content, kind))
    options = read.DocumentOptions(kind, pattern.source, encoding, columns, LIMITS)
    return OpenedDocument(name, kind, read.read_document(content, options), pattern)


def document_data(opened: OpenedDocument, done: TranslatedDocument) -> dict[str, Any]:
    """What JSON says of a translated document; its content goes beside."""
    pattern, kind = opened.pattern, opened.kind
    ending = WRITTEN_AS.get(kind, "")
    return {
        "name": translated_name(opened.name, pattern.source, pattern.target, ending),
        "kind": str(kind),
        "mediaType": MEDIA_TYPES[WRITTEN_AS.get(kind, kind)],
        "sentences": done.sentences,
        "doubtful": done.doubtful,
        "warnings": done.warnings,
    }
