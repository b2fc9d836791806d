"""Pages in other encodings, read as a browser reads them."""

import codecs
from pathlib import Path

import pytest

from dragoman.documents.charset import AUTO, page_encoding, written_in
from dragoman.documents.text.source import read_text
from dragoman.errors import InvalidRequestError
from dragoman.native.files import InputFile


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (b"", "utf-8"),
        ("Grüße".encode(), "utf-8"),
        (codecs.BOM_UTF8 + b"<meta charset=latin1>", "utf-8-sig"),
        ("\ufeffJa".encode("utf-16-le"), "utf-16"),
        (b"<meta charset=iso-8859-1>\xfc", "cp1252"),
        (b'<META HTTP-EQUIV=Content-Type CONTENT="text/html; charset=windows-1251">', "cp1251"),
        (b"<?xml version='1.0' encoding='iso-8859-15'?>", "iso8859-15"),
        (b"<meta charset=utf-16>", "utf-8"),
        (b"<meta charset=nonsense>Ja", "utf-8"),
        ("Die Größe der Häuser in den Städten überrascht manche Gäste.".encode("cp1252"), "cp1252"),
    ],
)
def test_page_encoding(content: bytes, encoding: str) -> None:
    assert page_encoding(content) == encoding or (
        encoding == "cp1252" and content.decode(page_encoding(content)) == content.decode("cp1252")
    )


def test_a_page_of_another_encoding_is_read(tmp_path: Path) -> None:
    page = tmp_path / "seite.html"
    page.write_bytes(b"<meta charset=iso-8859-1><p>\x80 f\xfcr T\xfcren")
    assert "".join(InputFile(str(page), AUTO).texts()) == "<meta charset=iso-8859-1><p>€ für Türen"


def test_a_page_that_is_not_what_it_says(tmp_path: Path) -> None:
    page = tmp_path / "seite.html"
    page.write_bytes(b"<meta charset=utf-8>\xff")
    with pytest.raises(InvalidRequestError, match="offset 20"):
        list(InputFile(str(page), AUTO).texts())


@pytest.mark.parametrize(
    ("content", "encoding", "expected"),
    [
        (b"\xff\xfea\0", "utf-16", ("utf-16-le", b"\xff\xfe")),
        (b"\xfe\xff\0a", "utf-16", ("utf-16-be", b"\xfe\xff")),
        (b"\xff\xfe\0\0a\0\0\0", "utf-32", ("utf-32-le", b"\xff\xfe\0\0")),
        (b"\0a", "utf-16-be", ("utf-16-be", b"")),
        (b"\xef\xbb\xbfa", "utf-8", ("utf-8", b"\xef\xbb\xbf")),
        (b"\xef\xbb\xbfa", "utf-8-sig", ("utf-8", b"\xef\xbb\xbf")),
        (b"a", "utf-8-sig", ("utf-8", b"")),
        (b"a", "cp1252", ("utf-8", b"")),
    ],
)
def test_a_translation_is_written_as_its_source(
    content: bytes, encoding: str, expected: tuple[str, bytes]
) -> None:
    assert written_in(content, encoding) == expected


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_a_document_in_utf_16_stays_in_it(encoding: str) -> None:
    content = codecs.BOM_UTF16_BE + '{"a": "Haus"}'.encode("utf-16-be")
    source = read_text(content, encoding)
    assert source.text == '{"a": "Haus"}'
    assert source.encoded('{"a": "house"}') == b"\xfe\xff" + '{"a": "house"}'.encode("utf-16-be")
