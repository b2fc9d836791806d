"""Several worker processes behind one front: retries, losses, the end, and figures that add up."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import psutil
import pytest
from fastapi import FastAPI
from prometheus_client import CollectorRegistry
from starlette.types import Message

from dragoman.server import Settings, create_app
from dragoman.server.processes import workers as workers_module
from dragoman.server.processes.window import WINDOW_BYTES
from tests.support.paths import ROOT
from tests.support.serving import PAIR, WORKER, figures, key
from tests.support.waiting import until_told


class Front:
    """A server with two workers, and a client."""

    def __init__(self, client: httpx.AsyncClient, app: FastAPI) -> None:
        self.client, self.app = client, app
        self.workers = app.state.workers
        self.folder = Path(os.environ["DRAGOMAN_TEST_FOLDER"])

    @property
    def pids(self) -> list[int]:
        return sorted(worker.pid for worker in self.workers.up)

    def post(self, text: str, path: str = "/v1/translate") -> asyncio.Task[httpx.Response]:
        body = {**PAIR, "text": text} if path == "/v1/translate" else {**PAIR, "texts": [text]}
        return asyncio.create_task(self.client.post(path, json=body))

    async def busy(self) -> int:
        """The process whose engine has come to a text that never ends."""

        def waiting() -> list[int]:
            pids = (int(path.name[6:]) for path in self.folder.glob("waits-*"))
            return [pid for pid in pids if pid in self.pids]

        await until_told(lambda: bool(waiting()))
        (pid,) = waiting()
        return pid


@asynccontextmanager
async def front(batch_texts: int = 1_000) -> AsyncIterator[Front]:
    app = create_app(Settings(workers=2, batch_texts=batch_texts), command=WORKER)
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=60) as client,
    ):
        made = Front(client, app)
        await until_told(lambda: len(made.workers.up) == 2)
        yield made


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("DRAGOMAN_TEST_FOLDER", str(tmp_path))


async def test_requests_are_spread_over_processes() -> None:
    async with front() as server:
        texts = [f"satz {number}." for number in range(40)]
        answers = await asyncio.gather(*(server.post(text) for text in texts))
        assert [answer.json()["text"] for answer in answers] == [text.upper() for text in texts]
        assert answers[0].headers["content-type"] == "application/json"
        assert answers[0].headers["cross-origin-opener-policy"] == "same-origin"
        pids = server.pids
        assert len(set(pids)) == 2
        assert os.getpid() not in pids
    for pid in pids:
        assert not psutil.pid_exists(pid)


async def test_errors_are_those_of_one_process() -> None:
    async with front() as server:
        too_long = await server.post("x" * 500_001)
        wrong = await server.client.post("/v1/translate", json={**PAIR, "text": 5})
        pair = await server.client.post("/v1/translate", json={**PAIR, "source": "fr", "text": ""})
        late = await server.client.post("/v1/translate", json={**PAIR, "text": "", "deadline": 0})
        batch = await server.post("x" * 500_001, "/v1/batch")
        nothing = await server.client.post("/v1/nothing", json={})
    assert too_long.status_code == 413
    assert too_long.json()["error"]["details"] == {"requested": 500_001, "allowed": 500_000}
    assert wrong.json()["error"]["message"] == "text: Input should be a valid string"
    assert pair.status_code == 404
    assert late.status_code == 422
    assert late.json()["error"]["message"] == "deadline: Input should be greater than 0"
    assert batch.json()["outcomes"][0]["error"]["code"] == "text-too-long"
    assert nothing.status_code == 404


async def test_a_batch_is_spread_over_all_processes() -> None:
    async with front() as server:
        texts = [f"satz {number}." for number in range(40)]
        whole = await server.client.post("/v1/batch", json={**PAIR, "texts": texts})
        waits = asyncio.create_task(
            server.client.post("/v1/batch", json={**PAIR, "texts": ["warte.", "warte."]})
        )
        await until_told(lambda: len(list(server.folder.glob("waits-*"))) == 2)
        waits.cancel()
        await asyncio.gather(waits, return_exceptions=True)
        await until_told(lambda: not any(worker.load for worker in server.workers.up))
        other = {**PAIR, "source": "fr", "texts": texts}
        pair = await server.client.post("/v1/batch", json=other)
        deadly = {**PAIR, "texts": ["gut.", "stirb-einmal."]}
        lost = await server.client.post("/v1/batch", json=deadly)
    answers = [outcome["response"]["text"] for outcome in whole.json()["outcomes"]]
    assert answers == [text.upper() for text in texts]
    assert whole.headers["content-length"] == str(len(whole.content))
    assert (pair.status_code, pair.json()["error"]["code"]) == (404, "language-pair")
    assert [one["response"]["text"] for one in lost.json()["outcomes"]] == ["GUT.", "STIRB-EINMAL."]


async def test_a_batch_of_too_many_texts_is_refused_with_its_own_figure() -> None:
    async with front(batch_texts=4) as server:
        texts = [f"satz {number}." for number in range(10)]
        least, many = [
            await server.client.post("/v1/batch", json={**PAIR, "texts": texts[:number]})
            for number in (5, 10)
        ]
    assert (least.status_code, many.status_code) == (413, 413)
    assert least.json()["error"]["details"] == {"requested": 5, "allowed": 4}
    assert many.json()["error"]["details"] == {"requested": 10, "allowed": 4}


async def test_a_request_whose_worker_is_killed_is_given_to_another() -> None:
    async with front() as server:
        texts = ["eins.", "stirb-einmal.", "zwei."]
        answers = await asyncio.gather(*(server.post(text) for text in texts))
        assert [answer.status_code for answer in answers] == [200, 200, 200]
        assert [answer.json()["text"] for answer in answers] == [text.upper() for text in texts]
        await until_told(lambda: len(server.workers.up) == 2)
        assert (await server.post("drei.")).json()["text"] == "DREI."


async def test_a_kill_in_mid_batch_from_outside() -> None:
    async with front() as server:
        answer = server.post("warte.")
        first = await server.busy()
        os.kill(first, signal.SIGKILL)
        await until_told(lambda: first not in server.pids)
        second = await server.busy()  # it was given to the other one
        assert second != first
        os.kill(second, signal.SIGKILL)
        response = await asyncio.wait_for(answer, 60)
        assert response.status_code == 503
        assert response.json()["error"] == {
            "code": "worker-gone",
            "message": "the process that translated this went away, twice",
            "details": {},
        }
        assert (await server.post("weiter.")).json()["text"] == "WEITER."


async def test_a_text_that_kills_every_process_takes_two_at_most() -> None:
    async with front() as server:
        response = await server.post("stirb.")
        assert response.status_code == 503
        assert response.json()["error"]["code"] == "worker-gone"
        assert (await server.post("gut.")).json()["text"] == "GUT."
        lost = figures((await server.client.get("/metrics")).text)[
            key("dragoman_workers_lost_total")
        ]
        assert lost == 2


async def test_a_worker_that_is_stopped_is_noticed_and_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers_module, "PING_SECONDS", 0.1)
    monkeypatch.setattr(workers_module, "SILENCE_SECONDS", 4.0)
    async with front() as server:
        answer = server.post("warte.")
        stopped = await server.busy()
        os.kill(stopped, signal.SIGSTOP)
        await until_told(lambda: stopped not in server.pids)
        other = await server.busy()  # it has the request now
        assert other != stopped
        answer.cancel()
        await until_told(lambda: len(server.workers.up) == 2)
        assert not psutil.pid_exists(stopped)
        assert (await server.post("weiter.")).json()["text"] == "WEITER."


async def test_a_deadline_holds_although_the_worker_is_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers_module, "DEADLINE_MARGIN", 0.1)
    async with front() as server:
        body = {**PAIR, "text": "halt.", "deadline": 0.5}
        answer = await server.client.post("/v1/translate", json=body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (504, "deadline")
        assert answer.json()["error"]["details"] == {"deadline": 0.5, "done": 0, "total": 0}


@pytest.mark.parametrize(
    ("path", "body", "deadline"),
    [
        ("/v1/translate", b'{"text": "", "deadline": 2.5}', 2.5),
        ("/v1/translate", b'{"deadline":1e1,"text": "x"}', 10.0),
        ("/v1/translate", rb'{"text": "a \"deadline\": 3 b"}', None),
        ("/v1/translate", b'{"text": "", "deadline": "soon"}', None),
        ("/v1/translate", b'{"text": "", "deadline": 1.2.3}', None),
        ("/v1/translate", b'{"text": "", "deadline": 0}', None),
        ("/v1/translate", b'{"text": "", "deadline": 0.0}', None),
        ("/v1/graph", b'{"deadline": 2.5}', None),
    ],
)
def test_the_deadline_of_a_body(path: str, body: bytes, deadline: float | None) -> None:
    assert workers_module.deadline_of(path, body) == deadline


@pytest.mark.parametrize("kind", ["text/plain", "application/json"])
async def test_a_stream_whose_worker_is_killed_ends_with_its_error_line(kind: str) -> None:
    body = b"gut.\nwarte.\n"
    if kind != "text/plain":
        body = json.dumps({**PAIR, "text": body.decode()}).encode()
    async with front() as server:
        parts: asyncio.Queue[Message] = asyncio.Queue()
        whole = kind != "text/plain"
        parts.put_nowait({"type": "http.request", "body": body, "more_body": not whole})
        sent: list[Message] = []

        async def receive() -> Message:
            return await parts.get()

        async def send(message: Message) -> None:
            sent.append(message)

        scope = {
            "type": "http", "http_version": "1.1", "method": "POST", "scheme": "http",
            "path": "/v1/stream", "query_string": b"source=de&target=en",
            "headers": [(b"host", b"localhost"), (b"content-type", kind.encode())],
        }  # fmt: skip
        stream = asyncio.create_task(server.app(scope, receive, send))
        await until_told(lambda: bool(sent))
        os.kill(await server.busy(), signal.SIGKILL)
        await asyncio.wait_for(stream, 60)
    lines = [json.loads(message["body"]) for message in sent[1:]]
    assert sent[0]["status"] == 200
    assert lines[-1]["error"] == {
        "code": "worker-gone",
        "message": "the process that translated this went away",
        "details": {},
    }
    assert [line["piece"]["text"] for line in lines[:-1]] in (["GUT."], [])


async def test_a_stream_that_is_not_read_waits_in_its_worker() -> None:
    """What the front holds of it is bounded, however long the answer is."""
    text = ("Das geht so weiter. " * 4_000).strip()
    async with front() as server:
        read = asyncio.Event()
        sent: list[Message] = []
        body = json.dumps({**PAIR, "text": text}).encode()
        parts: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Message:
            if not parts:
                await asyncio.Event().wait()
            return parts.pop()

        async def send(message: Message) -> None:
            sent.append(message)
            if len(sent) > 1:
                await read.wait()

        scope = {
            "type": "http", "http_version": "1.1", "method": "POST", "scheme": "http",
            "path": "/v1/stream", "query_string": b"",
            "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
        }  # fmt: skip
        stream = asyncio.create_task(server.app(scope, receive, send))

        def held() -> int:
            queues = [queue for worker in server.workers.up for queue in worker._open.values()]
            frames = [frame for queue in queues for frame in list(queue._queue)]
            return sum(len(frame.content) for frame in frames if frame is not None)

        await until_told(lambda: held() > WINDOW_BYTES // 2)
        for _ in range(20):  # Its worker has time for others: for this one it would have had it.
            await asyncio.gather(*(server.post(f"satz {number}.") for number in range(4)))
            assert held() <= WINDOW_BYTES
        read.set()
        await asyncio.wait_for(stream, 120)
    lines = [json.loads(message["body"]) for message in sent[1:] if message["body"]]
    assert lines[-1] == {"end": {"pieces": 4_000}}
    assert sum(len(message.get("body", b"")) for message in sent) > 4 * WINDOW_BYTES


async def test_a_full_disk_kills_no_worker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing is written: figures that could not be would have ended the process (SIGBUS)."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    async with front() as server:
        assert (await server.post("eins.")).json()["text"] == "EINS."
        counted = figures((await server.client.get("/metrics")).text)
        assert counted[key("dragoman_characters_total", **PAIR)] == 5
        assert list(folder.iterdir()) == []


async def test_a_client_that_leaves_frees_its_worker() -> None:
    async with asyncio.timeout(120):
        await _leave()


async def _leave() -> None:
    async with front() as server:
        answer = server.post("warte.")
        await server.busy()
        answer.cancel()
        await asyncio.gather(answer, return_exceptions=True)
        await until_told(lambda: not any(worker.load for worker in server.workers.up))
        name = key("dragoman_translations_total", outcome="cancelled", **PAIR)
        while name not in (found := figures((await server.client.get("/metrics")).text)):
            pass  # The worker tells of it when it is asked.
        assert found[name] == 1


async def test_closing_settles_what_is_open_and_ends_the_processes() -> None:
    app = create_app(Settings(workers=2), command=WORKER)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://localhost", timeout=60
    ) as client:
        async with app.router.lifespan_context(app):
            server = Front(client, app)
            await until_told(lambda: len(server.workers.up) == 2)
            pids = server.pids
            answer = server.post("warte.")
            await server.busy()
        response = await asyncio.wait_for(answer, 60)
        assert response.status_code == 503
        assert response.json()["error"]["code"] == "cancelled"
        late = await client.post("/v1/translate", json={**PAIR, "text": "spät"})
        assert late.status_code == 503
        ready = await client.get("/healthz/ready")
        assert ready.json()["error"]["message"] == "the server is closing"
    assert not any(psutil.pid_exists(pid) for pid in pids)


async def test_closing_wakes_processes_that_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers_module, "END_SECONDS", 600)
    async with front() as server:
        answer = server.post("warte.")
        await server.busy()
        pids = server.pids
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        await asyncio.wait_for(server.workers.close(), 60)
        assert (await answer).json()["error"]["code"] == "cancelled"
    assert not any(psutil.pid_exists(pid) for pid in pids)


async def test_closing_does_not_wait_for_processes_that_end_badly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One that does not end is killed; nobody waits for the pause before the next one."""
    monkeypatch.setattr(workers_module, "END_SECONDS", 1)
    deaf = (sys.executable, "-c", "import time; print(flush=True); time.sleep(600)")
    workers = workers_module.Workers(Settings(workers=2), CollectorRegistry(), deaf)
    workers.start()
    await until_told(lambda: len(workers._alive) == 2)
    pids = [worker.pid for worker in workers._alive]
    await asyncio.wait_for(workers.close(), 60)
    assert not any(psutil.pid_exists(pid) for pid in pids)

    monkeypatch.setattr(workers_module, "END_SECONDS", 600)
    monkeypatch.setattr(workers_module, "PAUSE_SECONDS", (600, 600))
    workers = workers_module.Workers(Settings(workers=2), CollectorRegistry(), ("/nonexistent",))
    workers.start()
    await until_told(lambda: workers.losses == 2)
    await asyncio.wait_for(workers.close(), 60)


async def test_figures_add_up_over_processes_also_past_ones() -> None:
    async with front() as server:
        await asyncio.gather(*(server.post("eins zwei.") for _ in range(10)))
        os.kill(server.pids[0], signal.SIGKILL)
        await until_told(lambda: len(server.workers.up) == 1)
        await until_told(lambda: len(server.workers.up) == 2)
        await asyncio.gather(*(server.post("drei.") for _ in range(10)))
        text = (await server.client.get("/metrics")).text
    counted = figures(text)
    assert counted[key("dragoman_translations_total", outcome="done", **PAIR)] == 20
    assert counted[key("dragoman_characters_total", **PAIR)] == 10 * 10 + 10 * 5
    assert counted[key("dragoman_workers")] == 2
    assert counted[key("dragoman_workers_lost_total")] == 1
    requests = key(
        "dragoman_http_requests_total", path="/v1/translate", method="POST", status="200"
    )
    assert counted[requests] == 20
    types = [line for line in text.splitlines() if line.startswith("# TYPE")]
    assert len(types) == len(set(types))


async def test_a_server_whose_workers_do_not_start_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers_module, "START_SECONDS", 1)
    app = create_app(Settings(workers=2), command=[sys.executable, "-c", ""])
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://localhost") as client,
    ):
        health = await client.get("/healthz")
        ready = await client.get("/healthz/ready")
        response = await client.post("/v1/translate", json={**PAIR, "text": "x"})
    assert (health.status_code, health.json()["ready"]) == (200, False)
    assert ready.json()["error"]["message"] == "no worker process is up"
    assert response.status_code == 503
    assert response.json()["error"]["code"] == "not-ready"


async def test_a_process_that_cannot_be_made_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(workers_module, "PAUSE_SECONDS", (0.001, 0.002))
    registry = CollectorRegistry()
    workers = workers_module.Workers(Settings(workers=2), registry, ("/nonexistent",))
    with caplog.at_level(logging.ERROR, "dragoman.server"):
        workers.start()
        await until_told(lambda: workers.losses >= 6 or all(slot.done() for slot in workers._slots))
        assert not any(slot.done() for slot in workers._slots)
        await workers.close()
    assert registry.get_sample_value("dragoman_workers_lost_total") == workers.losses
    assert len(caplog.messages) >= workers.losses
    assert caplog.messages[0].startswith("FileNotFoundError at ")
