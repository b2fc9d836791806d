"""An archive whose parts are read, and written again with some of them changed."""

from __future__ import annotations

import io
import tracemalloc
import zipfile

import pytest

from dragoman.config import DocumentLimits
from dragoman.documents.xml.archive import Archive
from dragoman.errors import DocumentError, DocumentTooLargeError


def packed(*parts: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.comment = b"a note"
        for number, (name, content) in enumerate(parts):
            info = zipfile.ZipInfo(name, (2020, 1, 2, 3, 4, 6))
            info.compress_type = zipfile.ZIP_DEFLATED if number else zipfile.ZIP_STORED
            info.external_attr = 0o644 << 16
            archive.writestr(info, content)
    return out.getvalue()


CONTENT = packed(("mimetype", b"text"), ("b.xml", b"<b/>" * 50), ("a.xml", b"<a/>"))


def test_parts_keep_their_order_and_are_read() -> None:
    archive = Archive(CONTENT, DocumentLimits())
    assert archive.names == ("mimetype", "b.xml", "a.xml")
    assert archive.read("a.xml") == b"<a/>"


def test_what_is_not_changed_is_written_as_it_was() -> None:
    assert Archive(CONTENT, DocumentLimits()).written({}) == CONTENT


def test_a_changed_part_keeps_its_place_its_date_and_how_it_is_packed() -> None:
    written = Archive(CONTENT, DocumentLimits()).written({"b.xml": b"<new/>"})
    with zipfile.ZipFile(io.BytesIO(written)) as archive:
        first, changed, last = archive.infolist()
        assert archive.comment == b"a note"
        assert archive.read("b.xml") == b"<new/>"
    assert [first.filename, changed.filename, last.filename] == ["mimetype", "b.xml", "a.xml"]
    assert first.compress_type == zipfile.ZIP_STORED
    assert changed.compress_type == zipfile.ZIP_DEFLATED
    assert changed.date_time == (2020, 1, 2, 3, 4, 6)
    assert changed.external_attr == 0o644 << 16


@pytest.mark.parametrize(
    ("limits", "counted", "requested"),
    [
        (DocumentLimits(parts=2), "parts", 3),
        (DocumentLimits(unpacked_bytes=207), "unpacked bytes", 208),
    ],
)
def test_limits_of_the_whole(limits: DocumentLimits, counted: str, requested: int) -> None:
    with pytest.raises(DocumentTooLargeError) as caught:
        Archive(CONTENT, limits)
    details = caught.value.details
    assert (details["counted"], details["requested"]) == (counted, requested)


def test_a_part_that_is_too_large_is_not_read() -> None:
    archive = Archive(CONTENT, DocumentLimits(part_bytes=199))
    assert archive.read("a.xml") == b"<a/>"
    with pytest.raises(DocumentTooLargeError, match="200 requested, 199 allowed"):
        archive.read("b.xml")


def test_a_part_that_is_not_there() -> None:
    with pytest.raises(DocumentError, match=r"the document has no part 'c\.xml'"):
        Archive(CONTENT, DocumentLimits()).read("c.xml")


@pytest.mark.parametrize("name", ["../a.xml", "/a.xml", "a/../../b.xml", "C:/a.xml", "..\\a.xml"])
def test_a_path_that_leads_out(name: str) -> None:
    with pytest.raises(DocumentError) as caught:
        Archive(packed((name, b"x")), DocumentLimits())
    assert caught.value.details["reason"] == "path"


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no archive", CONTENT[:60]])
def test_what_is_no_archive(content: bytes) -> None:
    with pytest.raises(DocumentError) as caught:
        Archive(content, DocumentLimits())
    assert caught.value.details["reason"] == "damaged"


def test_a_damaged_part_is_told_when_it_is_read_or_written() -> None:
    damaged = CONTENT.replace(b"text", b"test", 1)
    archive = Archive(damaged, DocumentLimits())
    with pytest.raises(DocumentError, match="the part 'mimetype' is damaged"):
        archive.read("mimetype")
    with pytest.raises(DocumentError, match="the part 'mimetype' is damaged"):
        archive.written({})


def test_no_more_is_unpacked_than_a_part_says_that_it_has() -> None:
    content = packed(("mimetype", b"text"), ("a.xml", bytes(60_000_000)))
    said = content.replace((60_000_000).to_bytes(4, "little"), (40).to_bytes(4, "little"))
    tracemalloc.start()
    try:
        with pytest.raises(DocumentError, match=r"the part 'a\.xml' is damaged"):
            Archive(said, DocumentLimits()).read("a.xml")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10_000_000


@pytest.mark.parametrize("how", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_parts_that_are_packed_as_no_document_is(how: int) -> None:
    info = zipfile.ZipInfo("a.xml", (2020, 1, 2, 3, 4, 6))
    info.compress_type = how
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(info, b"<a/>")
    with pytest.raises(DocumentError, match=r"'a\.xml' is packed in a way that no document is"):
        Archive(out.getvalue(), DocumentLimits())
