"""Forms with a file."""

from __future__ import annotations

import pytest

from dragoman.errors import InvalidRequestError
from dragoman.server.libretranslate.upload import Upload, plain_name, read_upload

TYPE = "multipart/form-data; boundary=b"


def form(*parts: tuple[str, bytes]) -> bytes:
    return (
        b"".join(
            b"--b\r\nContent-Disposition: form-data; "
            + said.encode()
            + b"\r\n\r\n"
            + content
            + b"\r\n"
            for said, content in parts
        )
        + b"--b--\r\n"
    )


FILE = ('name="file"; filename="Bürger.txt"', b"\r\n--a\x00")


def test_a_file_and_fields() -> None:
    body = form(('name="source"', b"de"), FILE, ('name="target"', b"en"))
    assert read_upload(body, TYPE) == Upload(
        "Bürger.txt", b"\r\n--a\x00", {"source": "de", "target": "en"}
    )


def test_a_name_in_the_way_of_older_clients() -> None:
    body = form(("name=\"file\"; filename*=UTF-8''B%C3%BCrger.txt", b"x"))
    assert read_upload(body, TYPE) == Upload("", b"x", {})


@pytest.mark.parametrize(
    ("body", "kind", "message"),
    [
        (b"", "text/plain", "the body is not a form with a file (multipart/form-data)"),
        (b"", "multipart/form-data", "the body is not a form with a file (multipart/form-data)"),
        (b"nonsense", TYPE, "the form cannot be read"),
        (form(FILE)[:-4], TYPE, "the form is cut off"),
        (form(), TYPE, "file: 0 files, 1 allowed"),
        (form(('name="source"', b"de")), TYPE, "file: 0 files, 1 allowed"),
        (form(FILE, FILE), TYPE, "file: 2 files, 1 allowed"),
        (form(*[('name="q"', b"")] * 21), TYPE, "the form has more than 20 parts"),
        (form(('name="q"', b"\xff")), TYPE, "the form cannot be read"),
        (form(('name="q"', b"x" * 10_001)), TYPE, "q: 10,001 bytes requested, 10,000 allowed"),
    ],
)  # fmt: skip
def test_what_is_refused(body: bytes, kind: str, message: str) -> None:
    with pytest.raises(InvalidRequestError) as raised:
        read_upload(body, kind)
    assert raised.value.message == message


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("brief.docx", "brief.docx"),
        ("C:\\Users\\anna\\brief.docx", "brief.docx"),
        ("../../etc/passwd", "passwd"),
        ("a\r\nX: y\x00.txt", "y.txt"),
        ("..", ""),
        ("x" * 200 + ".txt", "x" * 96 + ".txt"),
        ("\u202etxt.exe", "txt.exe"),
    ],
)
def test_names(name: str, plain: str) -> None:
    assert plain_name(name) == plain
