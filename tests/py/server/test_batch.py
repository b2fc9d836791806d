"""POST /v1/batch: many texts, an outcome each."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine, HeldEngine
from dragoman.native.bundles import Parts
from dragoman.server import Settings
from tests.support.helpers import pipeline
from tests.support.hosts import MakeBundle, capital_parts
from tests.support.serving import client
from tests.support.waiting import until_told


def body(*texts: str, **changes: Any) -> dict[str, object]:
    return {"texts": texts, "source": "de", "target": "en", **changes}


async def test_outcomes_are_in_the_order_of_the_texts() -> None:
    texts = [f"Satz {number}." for number in range(30)] + ["", "kurz", "lang " * 60]
    async with client(lambda *_: capital_parts()) as server:
        response = await server.post("/v1/batch", json=body(*texts))
    assert response.status_code == 200
    outcomes = response.json()["outcomes"]
    assert [outcome["ok"] for outcome in outcomes] == [True] * 33
    assert [outcome["response"]["text"] for outcome in outcomes] == [t.upper() for t in texts]


async def test_one_failure_does_not_fail_the_others() -> None:
    settings = Settings(limits=Limits(text_characters=100))
    texts = ["eins", "x" * 101, "wort " * 19, "zwei"]
    async with client(lambda *_: capital_parts(settings.limits), settings) as server:
        response = await server.post("/v1/batch", json=body(*texts, overlong="refuse"))
    first, second, third, fourth = response.json()["outcomes"]
    assert first["response"]["text"] == "EINS"
    assert second == {
        "ok": False,
        "error": {
            "code": "text-too-long",
            "message": "the text has too many characters: 101 requested, 100 allowed",
            "details": {"requested": 101, "allowed": 100},
        },
    }
    assert third["error"]["code"] == "sentence-too-long"
    assert fourth["response"]["text"] == "ZWEI"


async def test_texts_share_mini_batches() -> None:
    engine = EchoEngine()
    async with client(lambda *_: Parts(pipeline(), engine)) as server:
        await server.post("/v1/batch", json=body(*["Guten Tag."] * 40))
    assert len(engine.batches) < 10


@pytest.mark.parametrize("unit", ["utf16", "codepoint", "byte"])
async def test_options_are_those_of_translate(unit: str) -> None:
    options = {"ranges": unit, "alignment": "soft"}
    async with client(lambda *_: capital_parts()) as server:
        batch = await server.post("/v1/batch", json=body("😀 für", **options))
        single = await server.post(
            "/v1/translate", json={"text": "😀 für", "source": "de", "target": "en", **options}
        )
    (outcome,) = batch.json()["outcomes"]
    expected = single.json()
    del outcome["response"]["timings"], expected["timings"]
    assert outcome["response"] == expected


async def test_no_texts_no_outcomes() -> None:
    async with client(lambda *_: capital_parts()) as server:
        response = await server.post("/v1/batch", json=body())
    assert (response.status_code, response.json()) == (200, {"outcomes": []})


async def test_too_many_texts_are_refused_with_both_figures() -> None:
    async with client(lambda *_: capital_parts(), Settings(batch_texts=2)) as server:
        response = await server.post("/v1/batch", json=body("a", "b", "c"))
    assert response.status_code == 413
    assert response.json() == {
        "error": {
            "code": "batch-too-large",
            "message": "the batch has too many texts: 3 requested, 2 allowed",
            "details": {"requested": 3, "allowed": 2},
        }
    }


async def test_a_model_that_is_missing_fails_all(make_bundle: MakeBundle) -> None:
    async with client(settings=Settings(models=(make_bundle(),))) as server:
        response = await server.post("/v1/batch", json=body("a", source="fr"))
    assert response.status_code == 404
    assert response.json()["error"]["code"] == "language-pair"


async def test_a_deadline_counts_the_time_that_a_model_takes_to_load() -> None:
    loaded = threading.Event()

    def load(*_: str) -> Parts:
        loaded.wait(60)
        return capital_parts()

    async with client(load) as server:
        try:
            async with asyncio.timeout(30):
                response = await server.post("/v1/batch", json=body("eins", "", deadline=0.05))
        finally:
            loaded.set()
        again = await server.post("/v1/batch", json=body("eins", deadline=60))
    late = {
        "code": "deadline",
        "message": "not ready within 0.05 s: 0 of 0 sentences were done",
        "details": {"deadline": 0.05, "done": 0, "total": 0},
    }
    assert response.json() == {"outcomes": [{"ok": False, "error": late}] * 2}
    assert again.json()["outcomes"][0]["response"]["text"] == "EINS"


async def test_too_many_open_requests_are_refused_before_their_bodies() -> None:
    engine = HeldEngine()
    async with client(lambda *_: Parts(pipeline(), engine), Settings(open_requests=1)) as server:
        first = asyncio.create_task(server.post("/v1/batch", json=body("eins")))
        await until_told(lambda: engine.calls)
        second = await server.post("/v1/translate", content=b"{")
        health = await server.get("/healthz")
        engine.release()
        third = await first
    assert second.status_code == 503
    assert second.headers["retry-after"] == "1"
    assert second.json()["error"] == {
        "code": "server-busy",
        "message": "too many requests at once: 2 requested, 1 allowed",
        "details": {"requested": 2, "allowed": 1},
    }
    assert health.status_code == 200
    assert third.json()["outcomes"][0]["response"]["text"] == "eins"
