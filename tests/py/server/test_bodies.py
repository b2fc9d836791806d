"""Bodies that do not come to their end keep nobody out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import httpx
import pytest
from fastapi import FastAPI
from starlette.types import Message

from dragoman.server import Settings, create_app, middleware
from dragoman.server.bodies import UnfinishedBodies
from tests.support.helpers import turns
from tests.support.hosts import capital_parts
from tests.support.serving import PAIR


async def test_the_oldest_of_who_has_most_makes_room() -> None:
    bodies = UnfinishedBodies(3)
    with (
        bodies.place("one") as first,
        bodies.place("two") as greedy,
        bodies.place("two") as second,
        bodies.place("three") as late,
    ):
        assert [place.done() for place in (first, greedy, second, late)] == [
            False, True, False, False,
        ]  # fmt: skip
        assert len(bodies) == 3
    assert len(bodies) == 0


class Unfinished:
    """A request whose body stops in the middle."""

    def __init__(
        self, app: FastAPI, client: str, path: str = "/v1/translate", kind: str = "application/json"
    ) -> None:
        self.sent: list[Message] = []
        self._begun = False
        scope = {
            "type": "http", "http_version": "1.1", "method": "POST", "scheme": "http",
            "path": path, "query_string": b"source=de&target=en", "client": (client, 1),
            "headers": [(b"host", b"localhost"), (b"content-type", kind.encode())],
        }  # fmt: skip
        self.task = asyncio.ensure_future(app(scope, self._receive, self._send))

    @property
    def status(self) -> int | None:
        return self.sent[0]["status"] if self.sent else None

    async def _receive(self) -> Message:
        if self._begun:
            await asyncio.Event().wait()
        self._begun = True
        return {"type": "http.request", "body": b"{", "more_body": True}

    async def _send(self, message: Message) -> None:
        self.sent.append(message)


async def served(settings: Settings, work: Callable[[FastAPI], Awaitable[None]]) -> None:
    app = create_app(settings, lambda *_: capital_parts())
    await work(app)
    await app.state.close()


async def test_unfinished_bodies_keep_nobody_out() -> None:
    async def work(app: FastAPI) -> None:
        greedy = [Unfinished(app, "10.0.0.1") for _ in range(256)]
        await turns()
        transport = httpx.ASGITransport(app, client=("10.0.0.2", 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            answer = await client.post("/v1/translate", json={**PAIR, "text": "gut."})
        assert (answer.status_code, answer.json()["text"]) == (200, "GUT.")
        await asyncio.wait_for(greedy[0].task, 10)
        assert (greedy[0].status, greedy[1].status) == (503, None)
        for one in greedy:
            one.task.cancel()

    await served(Settings(), work)


async def test_texts_that_never_arrive_keep_nobody_out() -> None:
    async def work(app: FastAPI) -> None:
        greedy = [Unfinished(app, "10.0.0.1", "/v1/stream", "text/plain") for _ in range(3)]
        await turns(20)
        assert [one.status for one in greedy] == [200, 200, 200]
        transport = httpx.ASGITransport(app, client=("10.0.0.2", 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            answer = await client.post("/v1/translate", json={**PAIR, "text": "gut."})
            assert (answer.status_code, answer.json()["text"]) == (200, "GUT.")
            stream = await client.post(
                "/v1/stream", params=PAIR, content=b"gut.", headers={"Content-Type": "text/plain"}
            )
            assert stream.status_code == 200
        await asyncio.wait_for(greedy[0].task, 10)  # the oldest made room for it
        told = b"".join(message.get("body", b"") for message in greedy[0].sent)
        assert b'"server-busy"' in told
        for one in greedy:
            one.task.cancel()

    await served(Settings(open_requests=3), work)


async def test_a_body_that_is_silent_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(middleware, "BODY_SECONDS", 0.05)

    async def work(app: FastAPI) -> None:
        silent = Unfinished(app, "10.0.0.1")
        await asyncio.wait_for(silent.task, 10)
        assert silent.status == 408
        assert b"body-timeout" in silent.sent[1]["body"]

    await served(Settings(), work)
