"""Mixed requests to a server whose workers are killed and stopped, without a disk, with clients
that leave, dawdle or never read; and translators that are forked meanwhile.

    .venv/bin/python -m tests.stress.hardening [--requests 10000] [--seed 1]

Each request must end once: with its own text, with the error that it asked for, or with one that a
lost worker excuses. Ends with a line of JSON (ends by kind, seconds, memory at start, peak and end
in MB, the worst stall of the server's event loop in ms), and fails unless nothing was lost,
another's, or left over. Start and end are behind requests of all kinds that nobody disturbs.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
import psutil

from dragoman.errors import EngineError
from dragoman.native.translator import Translator
from dragoman.server.loop.garbage import IDLE_SECONDS
from tests.stress import served
from tests.support.hosts import capital_parts
from tests.support.serving import Figures, figures, key

PAIR = {"source": "de", "target": "en"}
OPEN = 24  # at a time
# Requests of all kinds before anybody is unkind, and again behind: what they leave is compared.
WARM = 1_500
JSON = {"Content-Type": "application/json"}
# What a worker that was lost in the middle leaves to say; a busy server too.
EXCUSED = {"worker-gone", "server-busy", "deadline", "not-ready", "engine"}
# How HTTP says so, when a part of the answer is there already.
_CUT = "peer closed connection without sending complete message body (incomplete chunked read)"
HOSTILE = {
    "too-many-values": ("/v1/batch", b'{"texts":[' + b'"",' * 400_000 + b'""]}'),
    "page-too-large": (
        "/v1/translate",
        json.dumps({"text": "<b a=0><p><b a=1><p>" * 600, "format": "html", **PAIR}).encode(),
    ),
    "invalid-request": ("/v1/graph", b'{"requests":[' + b"[" * 5_000),
    "body-too-large": ("/v1/translate", b"x" * (served.BODY_BYTES + 1)),
}


@dataclass
class Report:
    """Attributes:
    ends: of each kind of request, how often it ended how.
    wrong: what ended as it must not.
    """

    submitted: int = 0
    settled: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    done_to_it: Counter[str] = field(default_factory=Counter)
    left: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    megabytes: dict[str, int] = field(default_factory=dict)
    worst_stall_ms: int = 0
    stalls: dict[str, int] = field(default_factory=dict)

    @property
    def is_clean(self) -> bool:
        whole = self.submitted == self.settled
        return whole and not self.wrong and not any(self.left.values())


class Soak:
    """A client of many kinds, and who is unkind to the server."""

    def __init__(self, process: subprocess.Popen[str], port: int, seed: int) -> None:
        self.report = Report()
        self._process = psutil.Process(process.pid)
        self._port, self._chance = port, random.Random(seed)
        self._kinds: list[Callable[[httpx.AsyncClient, int], Awaitable[str]]] = [
            *[self._text] * 6, *[self._page] * 2, self._batch, self._stream, self._graph,
            self._hostile, self._leaver, self._dawdler,
        ]  # fmt: skip

    async def run(self, requests: int) -> Report:
        async with client_of(self._port) as client, client_of(self._port) as self._leaving:
            started = time.perf_counter()
            await self._undisturbed(client, range(WARM))
            self.report.megabytes["start"] = self._megabytes()
            unkind = asyncio.create_task(self._unkind())
            await self._all(client, range(WARM, WARM + requests))
            unkind.cancel()
            await asyncio.gather(unkind, return_exceptions=True)
            await self._undisturbed(client, range(WARM + requests, 2 * WARM + requests))
            self.report.megabytes["end"] = self._megabytes()
            self.report.seconds = round(time.perf_counter() - started, 1)
            await self._look(client)
        return self.report

    async def _undisturbed(self, client: httpx.AsyncClient, numbers: range) -> None:
        """Requests to all workers, and till what they left has been collected."""
        await self._until(client, "dragoman_workers", served.WORKERS)
        await self._all(client, numbers)
        await self._until(client, "dragoman_http_requests_open", 1)  # this one
        await asyncio.sleep(IDLE_SECONDS + 2)

    async def _until(self, client: httpx.AsyncClient, name: str, wanted: float) -> None:
        end = time.monotonic() + 60
        while (await figures_of(client))[key(name)] != wanted and time.monotonic() < end:
            await asyncio.sleep(0.2)

    async def _all(self, client: httpx.AsyncClient, numbers: range) -> None:
        waiting = iter(numbers)
        await asyncio.gather(*(self._ask(client, waiting) for _ in range(OPEN)))

    async def _ask(self, client: httpx.AsyncClient, numbers: Any) -> None:
        for number in numbers:
            ask = self._chance.choice(self._kinds)
            name = ask.__name__.strip("_")
            self.report.submitted += 1
            try:
                async with asyncio.timeout(120):
                    end = await ask(client, number)
            except TimeoutError:
                self.report.wrong.append(f"{name} {number} has no end")
                continue
            except httpx.HTTPError as error:
                end = "cut" if _CUT in str(error) else f"{type(error).__name__}"
                if end != "cut" or not self.report.done_to_it:
                    self.report.wrong.append(f"{name} {number}: {error!r}")
            self.report.settled += 1
            self.report.ends[f"{name} {end}"] += 1

    # --- what is asked ---------------------------------------------------------------------------

    async def _text(self, client: httpx.AsyncClient, number: int) -> str:
        text = f"satz nummer {number} ist da. " * self._chance.choice((1, 1, 1, 3, 3, 3, 3, 200))
        body: dict[str, Any] = {"text": text, **PAIR}
        if self._chance.random() < 0.05:
            body["deadline"] = 0.001
        return self._told(await client.post("/v1/translate", json=body), "text", text)

    async def _page(self, client: httpx.AsyncClient, number: int) -> str:
        times = self._chance.choice((1, 1, 1, 1, 1, 300))
        text = f"<p>seite <b>nummer {number}</b> hier.</p>" * times
        answer = await client.post("/v1/translate", json={"text": text, "format": "html", **PAIR})
        return self._told(answer, "text", f"<p>SEITE <b>NUMMER {number}</b> HIER.</p>" * times)

    async def _batch(self, client: httpx.AsyncClient, number: int) -> str:
        texts = [f"text {number} {part}." for part in range(self._chance.choice((1, 5, 40)))]
        kind = self._chance.choice(("none", "hard", "soft"))
        body = {"texts": texts, "alignment": kind, **PAIR}
        answer = await client.post("/v1/batch", json=body)
        if answer.status_code != 200:
            return self._code(answer)
        outcomes = answer.json()["outcomes"]
        found = [one["response"]["text"] if one["ok"] else None for one in outcomes]
        if any(a not in (None, b.upper()) for a, b in zip(found, texts, strict=True)):
            self.report.wrong.append(f"batch {number} has another's text")
        return "done"

    async def _stream(self, client: httpx.AsyncClient, number: int) -> str:
        text = f"strom {number} fliesst. " * 20
        answer = await client.post("/v1/stream", json={"text": text, **PAIR})
        if answer.status_code != 200:
            return self._code(answer)
        *pieces, last = map(json.loads, answer.text.splitlines())
        if others := [one for one in pieces if "piece" not in one]:
            self.report.wrong.append(f"stream {number} goes on behind {others!r:.200}")
            return "goes on"
        found = "".join(piece["piece"]["text"] for piece in pieces)
        if "error" in last:
            code = str(last["error"]["code"])
            ok = code in EXCUSED and text.upper().startswith(found)
        else:
            code, ok = "done", found == text.upper()
        if not ok:
            self.report.wrong.append(f"stream {number}: {code}")
        return code

    async def _graph(self, client: httpx.AsyncClient, number: int) -> str:
        template = [{"input": "a"}, " und ", {"input": "a"}, {"output": "b"}]
        request = {"template": template, **PAIR}
        body = {"variables": {"a": f"wert {number}."}, "requests": [request]}
        answer = await client.post("/v1/graph", json=body)
        if answer.status_code != 200:
            return self._code(answer)
        found = answer.json()["outputs"]["b"]
        if found["ok"] and found["response"]["text"] != f"WERT {number}. und WERT {number}.":
            self.report.wrong.append(f"graph {number} has another's text")
        return "done" if found["ok"] else str(found["error"]["code"])

    async def _hostile(self, client: httpx.AsyncClient, _number: int) -> str:
        wanted, (path, body) = self._chance.choice(list(HOSTILE.items()))
        return self._code(await client.post(path, content=body, headers=JSON), wanted)

    async def _leaver(self, _client: httpx.AsyncClient, number: int) -> str:
        """Leaves before there is an answer, or in the middle of one.

        Over connections that no other kind gets: httpx may hand on one that it is about to close.
        """
        text = f"gehen {number}. " * 3_000
        body = {"text": text, "alignment": "soft", **PAIR}
        with contextlib.suppress(TimeoutError, httpx.NetworkError):
            async with (
                asyncio.timeout(self._chance.choice((0.005, 0.05, 0.5))),
                self._leaving.stream("POST", "/v1/translate", json=body) as answer,
            ):
                async for _ in answer.aiter_bytes():
                    break
        return "left"

    async def _dawdler(self, _client: httpx.AsyncClient, number: int) -> str:
        """Sends half a body, or reads nothing of its answer; then it is gone."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        body = json.dumps(
            {"texts": [f"langsam {number}. " * 300] * 20, "alignment": "soft", **PAIR}
        )
        head = (
            f"POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        half = self._chance.random() < 0.5
        writer.write((head + (body[: len(body) // 2] if half else body)).encode())
        with contextlib.suppress(OSError):
            await writer.drain()
            await asyncio.sleep(self._chance.choice((0.05, 0.5)))
        writer.transport.abort()
        del reader
        return "half a body" if half else "unread"

    def _told(self, answer: httpx.Response, name: str, source: str) -> str:
        if answer.status_code != 200:
            return self._code(answer)
        if answer.json()[name].upper() != source.upper():
            self.report.wrong.append(f"another's text: {answer.json()[name][:60]!r}")
        return "done"

    def _code(self, answer: httpx.Response, wanted: str = "") -> str:
        try:
            code = str(answer.json()["error"]["code"])
        except (ValueError, KeyError):
            code = f"{answer.status_code} without a code"
        if code not in EXCUSED and code != wanted:
            self.report.wrong.append(f"{code}, not {wanted or 'a translation'}")
        return code

    # --- what is done to the server --------------------------------------------------------------

    async def _unkind(self) -> None:
        """Kills a worker, stops one, kills a process that reads pages; forks a translator."""
        while True:
            await asyncio.sleep(self._chance.uniform(2, 8))
            children = self._process.children(recursive=True)
            workers = [child for child in children if "worker" in _command(child)]
            pages = [child for child in children if "dragoman.html.process" in _command(child)]
            match self._chance.randrange(4):
                case 0 if workers:
                    self._signal(self._chance.choice(workers), signal.SIGKILL, "worker killed")
                case 1 if workers:
                    self._signal(self._chance.choice(workers), signal.SIGSTOP, "worker stopped")
                case 2 if pages:
                    self._signal(self._chance.choice(pages), signal.SIGKILL, "page killed")
                case _:
                    await asyncio.to_thread(forked)
                    self.report.done_to_it["forked"] += 1
            self._megabytes()

    def _signal(self, process: psutil.Process, number: int, name: str) -> None:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(number)
            self.report.done_to_it[name] += 1

    def _megabytes(self) -> int:
        """Of the server and its workers now; what reads pages ends by itself."""
        total = 0
        for process in (self._process, *self._process.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                if "dragoman.html.process" not in _command(process):
                    total += process.memory_info().rss
        found = total // 2**20
        self.report.megabytes["peak"] = max(found, self.report.megabytes.get("peak", 0))
        return found

    async def _look(self, client: httpx.AsyncClient) -> None:
        """What is left of requests that have all ended, and how the event loop fared."""
        found = await figures_of(client)
        self.report.left["requests"] = found[key("dragoman_http_requests_open")] - 1  # this one
        self.report.worst_stall_ms = int(found[key("dragoman_loop_worst_stall_seconds")] * 1_000)
        self.report.stalls = {
            least: int(found[key("dragoman_loop_stalls_total", longer_than=least)])
            for least in ("0.05", "0.1", "0.25", "1.0")
        }


def client_of(port: int) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        base_url=f"http://127.0.0.1:{port}",
        timeout=120,
        limits=httpx.Limits(keepalive_expiry=1),  # before the server ends what is idle
    )


async def figures_of(client: httpx.AsyncClient) -> Figures:
    """What the server has counted."""
    return figures((await client.get("/metrics")).text)


def _command(process: psutil.Process) -> str:
    with contextlib.suppress(psutil.Error):
        return " ".join(process.cmdline())
    return ""


def forked() -> None:
    """A fork of a process with a translator ends in a typed error, not in a wait.

    In a process of its own: this one has an event loop that a fork would break.
    """
    script = "from tests.stress.hardening import fork_once; fork_once()"
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)


def fork_once() -> None:
    with Translator(capital_parts()) as translator:
        if translator.translate("ja.").text != "JA.":
            sys.exit("before the fork")
        child = os.fork()
        if not child:
            try:
                translator.translate("nein.")
            except EngineError:
                os._exit(0)
            os._exit(1)
        _, status = os.waitpid(child, 0)
        if status or translator.translate("doch.").text != "DOCH.":
            sys.exit("after the fork")


def soak(requests: int, seed: int) -> Report:
    """The whole of it."""
    command = [sys.executable, "-m", served.__name__]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # as from a shell of its own: its share of the cores is not ours
    ) as process:
        try:
            port = int(process.stdout.readline()) if process.stdout else 0
            return asyncio.run(Soak(process, port, seed).run(requests))
        finally:
            process.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    given = parser.parse_args()
    report = soak(given.requests, given.seed)
    print(json.dumps({"seed": given.seed} | vars(report)))
    if not report.is_clean:
        sys.exit("something was lost, another's or left over")


if __name__ == "__main__":
    main()
