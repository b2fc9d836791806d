"""POST /v1/documents: a file in the body, its translation in the answer."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator

import httpx
import pytest

from dragoman.documents import kinds
from dragoman.documents.kinds import DocumentKind, kind_of
from dragoman.server import api
from tests.support.documents import capital_parts, parts_of, samples
from tests.support.pdf import lines_pdf
from tests.support.serving import client

BY_NAME = {sample.name: sample.content for sample in samples()}
PAIR = {"source": "de", "target": "en"}


@pytest.fixture
async def capitals() -> AsyncIterator[httpx.AsyncClient]:
    async with client(lambda *_: capital_parts()) as made:
        yield made


async def test_a_docx(capitals: httpx.AsyncClient) -> None:
    response = await capitals.post(
        "/v1/documents", params=PAIR | {"name": "Mein Brief.docx"}, content=BY_NAME["letter.docx"]
    )
    assert response.status_code == 200
    assert response.headers["content-type"] == (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    )
    assert response.headers["content-disposition"] == (
        "attachment; filename*=UTF-8''Mein%20Brief.en.docx"
    )
    text = dict(parts_of(response.content))["word/document.xml"].decode()
    assert "LIEBE ANNA, " in text


async def test_a_table_has_its_columns_named(capitals: httpx.AsyncClient) -> None:
    response = await capitals.post(
        "/v1/documents",
        params=PAIR | {"format": "csv", "columns": "Titel"},
        content=BY_NAME["comma.csv"],
    )
    assert response.text == 'id,Titel,Text\n1,HAUS,"Das Haus, ""alt"" und groß."\n2,BAUM,\n'


async def test_of_a_pdf_one_gets_the_text_as_a_page(capitals: httpx.AsyncClient) -> None:
    response = await capitals.post(
        "/v1/documents", params=PAIR | {"name": "a.pdf"}, content=lines_pdf(["Ein Ab-", "satz."])
    )
    assert response.headers["content-type"].startswith("text/html")
    assert response.headers["content-disposition"] == "attachment; filename*=UTF-8''a.en.html"
    assert "\n<p>EIN ABSATZ.</p>\n" in response.text


@pytest.mark.parametrize(
    ("params", "content", "status", "code"),
    [
        (PAIR | {"name": "a.rtf"}, b"{\\rtf1}", 415, "unsupported-format"),
        (PAIR | {"name": "a.pdf"}, b"%PDF-1.7", 422, "document"),
        (PAIR | {"name": "a.docx"}, b"nonsense", 422, "document"),
        (PAIR | {"name": "a.json"}, b"[" * 1_000, 413, "document-too-large"),
        (PAIR | {"name": "a.csv"}, b"a,b\n", 422, "document"),
        (PAIR | {"format": "nonsense"}, b"x", 422, "invalid-request"),
        ({"source": "de"}, b"x", 422, "invalid-request"),
    ],
)
async def test_errors_are_typed(
    capitals: httpx.AsyncClient, params: dict[str, str], content: bytes, status: int, code: str
) -> None:
    response = await capitals.post("/v1/documents", params=params, content=content)
    assert (response.status_code, response.json()["error"]["code"]) == (status, code)


def lengths_read_at_once(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Of what `kind_of` reads as JSON from now on."""
    lengths: list[int] = []
    is_json = kinds._is_json

    def noted(content: bytes) -> bool:
        lengths.append(len(content))
        return is_json(content)

    monkeypatch.setattr(kinds, "_is_json", noted)
    return lengths


MANY = json.dumps(["Ein Haus."] * 30_000).encode()
TOO_MANY = b"[" + b"1," * 400_000 + b'"Ein Haus."]'


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("", MANY, "json"),
        ("", b"\xef\xbb\xbf \n" + MANY, "json"),
        ("", TOO_MANY, "json"),
        ("", MANY + b"!", "txt"),
        ("", MANY[:-1], "txt"),
        ("", b"[1]" + b" " * 5_000 + b"," * 30_000, "txt"),
        ("a.txt", MANY, "txt"),
        ("a.srt", MANY, "srt"),
        ("a.json", b"[" + b"," * 30_000, "json"),
    ],
)
async def test_a_long_json_is_told_without_holding_up_others(
    monkeypatch: pytest.MonkeyPatch, name: str, content: bytes, kind: str
) -> None:
    whole = kind_of(name, content)
    read = lengths_read_at_once(monkeypatch)
    assert await api._kind(name, content) is whole is DocumentKind(kind)
    assert max(read, default=0) <= 4_097  # the rest by a scanner that lets others have their turn


async def test_a_long_json_without_a_name(
    capitals: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = lengths_read_at_once(monkeypatch)
    content = json.dumps([1] * 30_000 + ["Ein Haus."]).encode()
    response = await capitals.post("/v1/documents", params=PAIR, content=content)
    assert response.headers["dragoman-kind"] == "json"
    assert response.content.endswith(b', 1, "EIN HAUS."]')
    assert max(read) == 4_097


async def test_other_content_is_looked_at_in_a_thread(
    capitals: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = []

    def noted(name: str, content: bytes) -> DocumentKind:
        threads.append(threading.current_thread())
        return kind_of(name, content)

    monkeypatch.setattr(api, "kind_of", noted)
    response = await capitals.post("/v1/documents", params=PAIR, content=BY_NAME["letter.docx"])
    assert response.headers["dragoman-kind"] == "docx"
    assert len(threads) == 1
    assert threads[0] is not threading.current_thread()


async def test_braces_are_no_json_where_they_begin_something_else(
    capitals: httpx.AsyncClient,
) -> None:
    rtf = await capitals.post("/v1/documents", params=PAIR, content=b"{\\rtf1" + b"," * 30_000)
    assert (rtf.status_code, rtf.json()["error"]["details"]["format"]) == (415, "rtf")
    text = await capitals.post("/v1/documents", params=PAIR, content=b"[Haus]")
    assert (text.headers["dragoman-kind"], text.text) == ("txt", "[HAUS]")
