"""Pages in other encodings, read as a browser reads them."""

import codecs
from pathlib import Path

import pytest

from dragoman.documents.charset import AUTO, page_encoding
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
