from __future__ import annotations

import io
import zipfile

import pytest

from dragoman.documents.kinds import DocumentKind, kind_of, named_kind
from dragoman.errors import InvalidRequestError, UnsupportedFormatError
from tests.support.documents import samples

BY_NAME = {sample.name: sample for sample in samples()}


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.MD", "md"), ("brief.de.htm", "html"), ("a.odp", "odt"), ("a.pot", "po"), ("a.tab", "tsv")],
)
def test_the_ending_of_a_name_comes_first(name: str, kind: str) -> None:
    assert kind_of(name, b"%PDF-1.7") is DocumentKind(kind)


def test_an_unknown_ending_says_nothing() -> None:
    assert kind_of("a.1", b"WEBVTT") is DocumentKind.VTT
    assert kind_of("json", b"Ja.") is DocumentKind.TXT  # no ending


def test_kinds_by_name() -> None:
    assert named_kind(None) is None
    assert named_kind("srt") is DocumentKind.SRT
    with pytest.raises(InvalidRequestError, match="no format 'SRT'; there are txt, md, html"):
        named_kind("SRT")


@pytest.mark.parametrize(
    ("name", "content", "format_"),
    [
        ("a.doc", b"", "doc"),
        ("a", b"\xd0\xcf\x11\xe0\xa1\xb1", "doc"),
        ("a.zip", b"PK\x03\x04", "zip"),
        pytest.param("a", BY_NAME["tables.pptx"].content[:100], "zip", id="a-cut-off"),
        ("a", b"{\\rtf1}", "rtf"),
        ("a", b"\x7fELF\x00\x00", "binary"),
        ("a.py", b"print()", "py"),
        ("a", b"<?xml version='1.0'?><svg/>", "xml"),
        ("config.yaml", b"a: b", "yaml"),
    ],
)
def test_what_nothing_reads_is_refused(name: str, content: bytes, format_: str) -> None:
    with pytest.raises(UnsupportedFormatError, match=r"--format") as caught:
        kind_of(name, content)
    assert caught.value.details["format"] == format_


def packed(method: int, name: str = "mimetype") -> bytes:
    """An archive of one part, which is 40 letters long."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr(name, b"abcdefghij" * 4)
    return file.getvalue()


def damaged(method: int, at: int, start: bytes) -> bytes:
    """Such an archive with other bytes in a place."""
    content = bytearray(packed(method))
    content[at : at + len(start)] = start
    return bytes(content)


PART = 30 + len("mimetype")  # where the part begins
HEADER_EXTRA = 28  # how much stands between name and part
DIRECTORY = 132 + 16  # where the directory begins, says the end


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"PK\x03\x04", id="cut-off"),
        pytest.param(packed(zipfile.ZIP_STORED).replace(b"abc", b"xyz"), id="checksum"),
        pytest.param(damaged(zipfile.ZIP_DEFLATED, PART, b"\xff" * 4), id="zlib"),
        pytest.param(damaged(zipfile.ZIP_BZIP2, PART, b"\x00" * 4), id="bzip2"),
        pytest.param(damaged(zipfile.ZIP_LZMA, PART, b"\x09\x04\x05\x00\xff"), id="lzma"),
        pytest.param(
            packed(zipfile.ZIP_STORED, "\u00e4").replace(b"\xc3\xa4", b"\xff\xff"), id="name"
        ),
        pytest.param(damaged(zipfile.ZIP_STORED, HEADER_EXTRA, b"\x00\x01"), id="end-of-file"),
        pytest.param(damaged(zipfile.ZIP_STORED, DIRECTORY, b"\x00\x01"), id="offset"),
    ],
)
def test_a_damaged_archive_is_one_that_nothing_reads(content: bytes) -> None:
    with pytest.raises(UnsupportedFormatError) as caught:
        kind_of("", content)
    assert caught.value.details["format"] == "zip"


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "txt"),
        (b"Ein Satz.", "txt"),
        (b"[kein JSON]", "txt"),
        (b'{"a": 1}', "json"),
        (b'{"a": ' + b"7" * 5_000 + b"}", "json"),
        (b" <!-- x --> <!doctype html><p>", "html"),
        (b"<?xml version='1.0'?><xliff>", "xliff"),
        (b"WEBVTT\n", "vtt"),
        (b"%PDF-1.7", "pdf"),
        (b"1\r\n00:00:01,000 --> 00:00:02,000\r\nJa", "srt"),
        (BY_NAME["letter.docx"].content, "docx"),
        (BY_NAME["text.odt"].content, "odt"),
        (BY_NAME["libreoffice.odp"].content, "odt"),
        (BY_NAME["book.epub"].content, "epub"),
        (BY_NAME["slides.pptx"].content, "pptx"),
    ],
)
def test_what_has_no_name_is_told_by_its_content(content: bytes, kind: str) -> None:
    assert kind_of("", content) is DocumentKind(kind)
