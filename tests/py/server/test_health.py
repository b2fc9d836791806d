"""Is the server up, can it translate, and what has it counted."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import httpx

from dragoman import __version__
from dragoman.engines.fake import HeldEngine, echo
from dragoman.native.bundles import Parts
from dragoman.server import Settings, create_app
from tests.support.helpers import ScriptedEngine, pipeline
from tests.support.hosts import MakeBundle, capital_parts
from tests.support.serving import PAIR, client, figures, key, serving
from tests.support.waiting import until

BODY = {"text": "Guten Tag. Wie geht's?", "source": "de", "target": "en"}


# --- health ----------------------------------------------------------------------------------


async def test_a_server_with_a_model_is_ready(make_bundle: MakeBundle) -> None:
    async with client(settings=Settings(models=(make_bundle(),))) as server:
        health = await server.get("/healthz")
        ready = await server.get("/healthz/ready")
    assert health.json() == {"status": "ok", "version": __version__, "ready": True, "restarts": 0}
    assert (ready.status_code, ready.json()) == (200, health.json())


async def test_a_server_without_a_model_is_up_but_not_ready(tmp_path: Path) -> None:
    async with client(settings=Settings(models=(tmp_path,))) as server:
        health = await server.get("/healthz")
        ready = await server.get("/healthz/ready")
    assert health.status_code == 200
    assert health.json()["ready"] is False
    assert ready.status_code == 503
    assert ready.json()["error"] == {
        "code": "not-ready",
        "message": "there is no model on this machine",
        "details": {},
    }


async def test_a_server_that_closes_is_not_ready() -> None:
    app = create_app(Settings(), lambda *_: capital_parts())
    async with app.router.lifespan_context(app):
        pass
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as server:
        ready = await server.get("/healthz/ready")
    assert ready.json()["error"]["message"] == "the server is closing"


# --- metrics ---------------------------------------------------------------------------------


async def test_what_was_translated_is_counted() -> None:
    async with client(lambda *_: capital_parts()) as server:
        await server.post("/v1/translate", json=BODY)
        await server.post("/v1/translate", json={**BODY, "text": "wort " * 50})
        batch = {**PAIR, "texts": ["eins", "x" * 500_001]}
        await server.post("/v1/batch", json=batch)
        await server.post("/v1/translate", json={"text": "geheim"})
        await server.get("/geheim")
        response = await server.get("/metrics")
    assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
    counted = figures(response.text)
    requests = "dragoman_http_requests_total"
    assert counted[key("dragoman_translations_total", outcome="done", **PAIR)] == 3
    assert counted[key("dragoman_translations_total", outcome="text-too-long", **PAIR)] == 1
    assert counted[key("dragoman_characters_total", **PAIR)] == 22 + 250 + 4
    assert counted[key("dragoman_sentences_total", **PAIR)] >= 4
    assert counted[key("dragoman_stage_seconds_total", stage="engine", **PAIR)] > 0
    assert counted[key("dragoman_warnings_total", code="sentence-wrapped")] == 1
    assert counted[key(requests, path="/v1/translate", method="POST", status="200")] == 2
    assert counted[key(requests, path="/v1/translate", method="POST", status="422")] == 1
    assert counted[key(requests, path="/v1/batch", method="POST", status="200")] == 1
    assert counted[key(requests, path="other", method="GET", status="404")] == 1
    assert counted[key("dragoman_http_request_seconds_count", path="/v1/translate")] == 3
    assert counted[key("dragoman_http_requests_open")] == 1  # this one
    assert "geheim" not in response.text


async def test_what_clients_make_up_makes_no_rows(make_bundle: MakeBundle) -> None:
    async with client(settings=Settings(models=(make_bundle(),))) as server:
        for number in range(5):
            await server.post("/v1/translate", json={**BODY, "source": f"x{number}"})
            await server.request(f"MADEUP{number}", f"/made/up/{number}")
        text = (await server.get("/metrics")).text
    assert (
        figures(text)[
            key(
                "dragoman_translations_total",
                outcome="language-pair",
                source="other",
                target="other",
            )
        ]
        == 5
    )
    assert "x1" not in text
    assert "made" not in text.lower()


async def test_health_tells_that_a_service_has_begun_anew() -> None:
    def loaded(*_: str) -> Parts:
        return Parts(pipeline(), ScriptedEngine(echo))

    app = create_app(Settings(), loaded)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as server:
        assert (await server.post("/v1/translate", json={**PAIR, "text": "Eins."})).is_success
        slots = app.state.pool._registry._slots.values()
        (service,) = [slot.service.result() for slot in slots]
        service._queue.take = None
        failed = await server.post("/v1/translate", json={**PAIR, "text": "Zwei."})
        assert (failed.status_code, failed.json()["error"]["code"]) == (500, "error")
        health = await server.get("/healthz")
        assert (health.json()["ready"], health.json()["restarts"]) == (True, 1)
        again = await server.post("/v1/translate", json={**PAIR, "text": "Zwei."})
        assert again.json()["text"] == "Zwei."
        await app.state.close()


def test_a_client_that_leaves_a_real_socket_cancels_its_request() -> None:
    engine = HeldEngine()
    app = create_app(Settings(), lambda *_: Parts(pipeline(), engine))
    with serving(app) as address, httpx.Client(base_url=address, timeout=60) as server:
        body = json.dumps({**PAIR, "texts": ["eins", "zwei"]}).encode()
        head = (
            "POST /v1/batch HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        port = httpx.URL(address).port or 0
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(head.encode() + body)
            until(lambda: engine.calls)  # its body has been read by then
            wait_until(server, "dragoman_http_requests_open", 2)
        taken_back = "dragoman_translations_total"
        wait_until(server, taken_back, 2, outcome="cancelled", **PAIR)
        wait_until(server, "dragoman_http_requests_open", 1)


def wait_until(server: httpx.Client, name: str, value: float, **labels: str) -> None:
    def value_now() -> float | None:
        return figures(server.get("/metrics").text).get(key(name, **labels))

    until(lambda: value_now() == value, lambda: f"{name} was never {value}: {value_now()}")
