"""Documents that are damaged, encrypted, or made to do harm end in a typed error with figures."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from typing import Any

import pytest

from dragoman.config import DocumentLimits
from dragoman.documents.kinds import DocumentKind
from dragoman.documents.passage import Document, Translated
from dragoman.documents.read import DocumentOptions, read_document
from dragoman.errors import DocumentError, DocumentTooLargeError
from dragoman.types import PlacedElement, Span
from tests.support.documents import parts_of, samples

BY_NAME = {sample.name: sample for sample in samples()}
LETTER = BY_NAME["letter.docx"].content
OPEN_TEXT = BY_NAME["text.odt"].content
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def read(
    content: bytes, kind: str = "docx", limits: DocumentLimits | None = None, **options: Any
) -> Document:
    made = DocumentOptions(DocumentKind(kind), "de", **options)
    return read_document(content, replace(made, limits=limits or DocumentLimits()))


def packed(changes: dict[str, bytes | str], content: bytes = LETTER) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in (dict(parts_of(content)) | changes).items():
            archive.writestr(name, part)
    return out.getvalue()


def with_body(body: str, head: str = "") -> bytes:
    text = f"<?xml version='1.0'?>{head}<w:document {W}><w:body>{body}</w:body></w:document>"
    return packed({"word/document.xml": text})


def test_ten_thousand_nested_tables() -> None:
    deep = "<w:tbl><w:tr><w:tc>" * 10_000 + "<w:p/>" + "</w:tc></w:tr></w:tbl>" * 10_000
    with pytest.raises(DocumentTooLargeError) as caught:
        read(with_body(deep))
    assert caught.value.details == {
        "requested": 30_003,
        "allowed": 500,
        "counted": "levels of elements",
    }


def test_as_many_levels_as_are_allowed_are_read_and_written() -> None:
    """A text box in a text box, and so on: each is in a run of the paragraph of the other one."""
    open_ = "<w:p><w:r><w:t>Ja</w:t></w:r><w:r><w:pict><w:txbxContent>"
    close = "</w:txbxContent></w:pict></w:r><w:r><w:t>Nein</w:t></w:r></w:p>"
    document = read(with_body(open_ * 120 + "<w:p><w:r><w:t>Unten</w:t></w:r></w:p>" + close * 120))
    texts = [passage.text for passage in document.passages]
    assert (texts.count("JaNein"), texts.count("Unten")) == (120, 1)
    content = [
        tuple(PlacedElement(index) for index, _ in enumerate(passage.elements))
        for passage in document.passages
    ]
    translated = [Translated("neu", (Span(0, 1), *placed, Span(1, 3))) for placed in content]
    written = dict(parts_of(document.write(translated, "en")))["word/document.xml"].decode()
    assert written.count(">n</w:t>") == written.count(">eu</w:t>") == 120
    assert written.count(">neu</w:t>") == 1


def test_an_archive_that_unpacks_to_too_much() -> None:
    bomb = packed({"word/media/a.bin": bytes(3_000_000)})
    limits = DocumentLimits(unpacked_bytes=2_000_000)
    with pytest.raises(DocumentTooLargeError, match=r"unpacked bytes: 3,.* requested, 2,000,000"):
        read(bomb, limits=limits)


def test_a_part_that_unpacks_to_too_much() -> None:
    bomb = packed({"word/document.xml": b" " * 3_000_000})
    with pytest.raises(DocumentTooLargeError, match="3,000,000 requested, 1,000,000 allowed"):
        read(bomb, limits=DocumentLimits(part_bytes=1_000_000))


def test_a_part_that_says_less_than_it_has() -> None:
    """It is read up to the size that it says, and what is read is not what was packed."""
    content = bytearray(packed({"word/document.xml": b"x" * 100_000}))
    for place in range(len(content) - 4):
        if content[place : place + 4] == (100_000).to_bytes(4, "little"):
            content[place : place + 4] = (10).to_bytes(4, "little")
    with pytest.raises(DocumentError, match="damaged"):
        read(bytes(content))


def test_too_many_parts_and_bytes() -> None:
    with pytest.raises(DocumentTooLargeError, match=r"too many parts: .* 3 allowed"):
        read(LETTER, limits=DocumentLimits(parts=3))
    with pytest.raises(DocumentTooLargeError, match=r"too many bytes: .* 10 allowed"):
        read(LETTER, limits=DocumentLimits(bytes=10))


@pytest.mark.parametrize(
    "path", ["../evil.xml", "/etc/passwd", "a/../../b", "C:/x", "a\\..\\..\\b"]
)
def test_paths_that_lead_out(path: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read(packed({path: b"x"}))
    assert caught.value.reason == "path"


BILLION = (
    '<!DOCTYPE w:document [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>'
)


@pytest.mark.parametrize(
    "head",
    [
        BILLION,
        '<!DOCTYPE w:document [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE w:document [<!ENTITY % x SYSTEM "http://127.0.0.1:1/x"> %x;]>',
    ],
)
def test_entities_are_refused(head: str) -> None:
    with pytest.raises(DocumentError, match="0 are allowed") as caught:
        read(with_body("<w:p><w:r><w:t>x</w:t></w:r></w:p>", head))
    assert caught.value.reason == "entities"


def test_encrypted_archives() -> None:
    content = bytearray(LETTER)
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.find(mark)
        while at >= 0:
            content[at + place] |= 1
            at = content.find(mark, at + 1)
    with pytest.raises(DocumentError) as caught:
        read(bytes(content))
    assert caught.value.reason == "encrypted"


def test_an_encrypted_open_document_and_book() -> None:
    text = BY_NAME["text.odt"].content
    manifest = b'<manifest:encryption-data manifest:checksum="x"/>'
    with pytest.raises(DocumentError, match="take the password off"):
        read(packed({"META-INF/manifest.xml": manifest}, text), "odt")
    hidden = '<x><CipherReference URI="O/c 1.xhtml"/></x>'
    book = packed({"META-INF/encryption.xml": hidden}, BY_NAME["book.epub"].content)
    with pytest.raises(DocumentError, match=r"chapter 'O/c 1.xhtml' is encrypted"):
        read(book, "epub")


@pytest.mark.parametrize(
    ("kind", "content", "message"),
    [
        ("docx", b"", "no zip archive"),
        ("docx", b"PK\x03\x04 nonsense", "no zip archive"),
        ("docx", packed({}, OPEN_TEXT), r"no part '\[Content_Types\].xml'"),
        ("docx", with_body("<w:p></w:body>"), "word/document.xml is no XML: mismatched tag"),
        ("odt", packed({"content.xml": b"\xff\xfe<"}, OPEN_TEXT), "not in utf-16, as it says"),
        ("xliff", b"<xliff><file>", "no element found|unclosed"),
        ("xliff", b"<?xml version='1.0' encoding='no-code'?><a/>", "not in no-code"),
        ("json", b'{"a": }', "no JSON: Expecting value, line 1"),
        ("json", b"[" * 100_000, "100,000 requested, 500 allowed"),
        ("po", b'msgid "a"\nnonsense\n', "line 2 is none of a catalogue"),
        ("srt", b"Nur Text.\n", "no line has times"),
        ("md", b"\xff\xfe\xff", "not utf-8"),
        ("csv", b"a,b\n1,2\n", "there are a, b; or all"),
    ],
)  # fmt: skip
def test_what_is_damaged_says_where(kind: str, content: bytes, message: str) -> None:
    with pytest.raises((DocumentError, DocumentTooLargeError), match=message):
        read(content, kind)


def test_a_part_that_is_there_twice() -> None:
    out = io.BytesIO(LETTER)
    with zipfile.ZipFile(out, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("word/document.xml", b"<x/>")
    with pytest.raises(DocumentError, match=r"'word/document.xml' twice"):
        read(out.getvalue())
