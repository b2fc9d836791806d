"""POST /v1/documents: a file in the body, its translation in the answer."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

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
