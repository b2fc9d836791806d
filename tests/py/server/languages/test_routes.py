"""/v1/detect, and the source "auto"."""

from __future__ import annotations

import httpx

from dragoman.server import Settings
from tests.support.paths import ROOT
from tests.support.serving import client

GERMAN = "Heute gehen wir in den Laden, um Brot zu kaufen."


async def test_detect(capitals: httpx.AsyncClient) -> None:
    answer = await capitals.post("/v1/detect", json={"text": GERMAN})
    assert answer.json() == {
        "language": "de", "confidence": 1.0, "candidates": [{"language": "de", "confidence": 1.0}],
    }  # fmt: skip


async def test_not_sure_is_null(capitals: httpx.AsyncClient) -> None:
    answer = await capitals.post("/v1/detect", json={"text": "Guten Morgen"})
    assert answer.json()["language"] is None
    assert answer.json()["candidates"][0] == {"language": "de", "confidence": 0.628}


async def test_the_source_is_found_and_said(capitals: httpx.AsyncClient) -> None:
    body = {"text": GERMAN, "source": "auto", "target": "en"}
    data = (await capitals.post("/v1/translate", json=body)).json()
    assert data["text"] == GERMAN.upper()
    assert data["detected"] == {"language": "de", "confidence": 1.0}


async def test_nothing_is_translated_from_a_guess(capitals: httpx.AsyncClient) -> None:
    body = {"text": "Hotel", "source": "auto", "target": "en"}
    answer = await capitals.post("/v1/translate", json=body)
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "language-not-sure"


async def test_tags_narrower_than_the_models_are_served() -> None:
    settings = Settings(models=(ROOT / "models",), threads=1)
    async with client(settings=settings) as made:
        body = {"text": "Eins.", "source": "de-AT", "target": "en-GB"}
        assert (await made.post("/v1/translate", json=body)).status_code == 200
        unknown = {**body, "source": "fr"}
        assert (await made.post("/v1/translate", json=unknown)).status_code == 404
