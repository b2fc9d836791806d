"""The server as a process, with the real model."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psutil
import pytest

from dragoman.server.settings import BODY_BYTES
from tests.support.waiting import until

COMMAND = [sys.executable, "-m", "dragoman", "serve"]
BODY = {"text": "Guten Morgen!", "source": "de", "target": "en"}
# No sentence twice: what was translated before comes out of the cache.
LONG = "".join(f"Dies ist ein langer Satz Nummer {n} über das Wetter. " for n in range(8_000))


class Live:
    """A server under way."""

    def __init__(self, folder: Path, log: Path, *options: str) -> None:
        self.log = log
        self.process = subprocess.Popen(
            [*COMMAND, "--port", "0", "--models", folder, "--threads", "1", *options],
            stdout=log.open("w"),
            stderr=subprocess.STDOUT,
        )
        self.port = int(self.wait_for(r"http://127\.0\.0\.1:(\d+)/ "))
        self.wait_for("(startup complete)")
        self.base = f"http://127.0.0.1:{self.port}"

    def wait_for(self, pattern: str) -> str:
        until(lambda: re.search(pattern, self.log.read_text()), self.log.read_text)
        match = re.search(pattern, self.log.read_text())
        assert match is not None
        return match[1]


@pytest.fixture
def live(real_bundle: Path, tmp_path: Path) -> Iterator[Live]:
    made = Live(real_bundle, tmp_path / "log.txt")
    try:
        yield made
    finally:
        made.process.kill()
        made.process.wait()


def test_translations_errors_and_the_end(live: Live) -> None:
    with httpx.Client(base_url=live.base, timeout=60) as client:
        response = client.post("/v1/translate", json=BODY)
        assert response.status_code == 200
        assert response.json()["text"].strip()
        assert "server" not in response.headers
        assert client.get("/v1/models").json()["models"][0]["source"] == "de"
        assert client.post("/v1/translate", json={"text": "Geheimnis"}).status_code == 422
        too_long = client.post("/v1/translate", json={**BODY, "text": "Geheimnis " * 100_000})
        assert too_long.status_code == 413
        assert too_long.json()["error"]["code"] == "text-too-long"
        too_large = client.post("/v1/translate", content=b"Geheimnis" * (BODY_BYTES // 9 + 1))
        assert too_large.status_code == 413
        assert too_large.json()["error"]["code"] == "body-too-large"
        evil = client.get("/healthz", headers={"Host": "evil.example"})
        assert evil.status_code == 403
        with ThreadPoolExecutor(8) as pool:
            texts = [{**BODY, "text": f"Das ist Satz {number}."} for number in range(16)]
            answers = list(pool.map(lambda body: client.post("/v1/translate", json=body), texts))
        assert [answer.status_code for answer in answers] == [200] * 16
        alone = client.post("/v1/translate", json=texts[3]).json()["text"]
        assert answers[3].json()["text"] == alone
    live.process.send_signal(signal.SIGINT)
    assert live.process.wait(20) == 0
    log = live.log.read_text()
    assert '"POST /v1/translate HTTP/1.1" 200' in log
    assert "Geheimnis" not in log
    assert "Guten" not in log
    assert "Traceback" not in log


def test_a_client_that_leaves_frees_the_engine(live: Live) -> None:
    with httpx.Client(base_url=live.base, timeout=60) as client:
        client.post("/v1/translate", json=BODY)
        body = json.dumps({**BODY, "text": LONG}).encode()
        head = (
            f"POST /v1/translate HTTP/1.1\r\nHost: 127.0.0.1:{live.port}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", live.port)) as connection:
            connection.sendall(head.encode() + body)
            until(lambda: "dragoman_http_requests_open 2.0" in client.get("/metrics").text)
        cancelled = 'outcome="cancelled",source="de",target="en"} 1.0'
        until(lambda: cancelled in client.get("/metrics").text)
        assert client.post("/v1/translate", json=BODY).status_code == 200


def test_ending_while_a_request_runs(live: Live) -> None:
    with ThreadPoolExecutor(1) as pool, httpx.Client(base_url=live.base, timeout=60) as client:
        answer = pool.submit(client.post, "/v1/translate", json={**BODY, "text": LONG})
        until(lambda: "dragoman_http_requests_open 2.0" in client.get("/metrics").text)
        live.process.send_signal(signal.SIGINT)
        response = answer.result(30)
        assert response.status_code == 503
        assert response.json()["error"]["code"] == "cancelled"
        assert live.process.wait(30) == 0
    assert "Traceback" not in live.log.read_text()


def test_a_port_that_is_taken_is_one_line(real_bundle: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        run = subprocess.run(
            [*COMMAND, "--port", str(port), "--models", real_bundle],
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
    assert run.stderr == (
        f"dragoman: cannot listen at 127.0.0.1, port {port}: Address already in use\n"
    )
    assert run.returncode == 1


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (["--host", "no.such.host.invalid"], "cannot listen at no.such.host.invalid", 1),
        (["--web", "/nowhere"], "there is no folder /nowhere", 1),
        (["--allow-origin", "example.org"], "is not an origin", 2),
        (["--port", "70000"], "less than or equal to 65535", 2),
    ],
)
def test_wrong_settings_end_at_once(arguments: list[str], message: str, code: int) -> None:
    run = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=60)
    assert message in run.stderr
    assert "Traceback" not in run.stderr
    assert run.returncode == code


# --- worker processes ------------------------------------------------------------------------


@pytest.fixture
def live_workers(real_bundle: Path, tmp_path: Path) -> Iterator[Live]:
    made = Live(real_bundle, tmp_path / "log.txt", "--workers", "2")
    try:
        yield made
    finally:
        made.process.kill()
        made.process.wait()


def _children(live: Live) -> list[psutil.Process]:
    children: list[psutil.Process] = psutil.Process(live.process.pid).children(recursive=True)
    return children


def _translate_with_both(live: Live) -> list[psutil.Process]:
    """Translate until both processes are up; they are returned."""
    with httpx.Client(base_url=live.base, timeout=120) as client:
        until(lambda: "dragoman_workers 2.0" in client.get("/metrics").text)
        batch = {"texts": ["Guten Morgen!", "Geheimnis."], "source": "de", "target": "en"}
        answer = client.post("/v1/batch", json=batch)
        assert answer.status_code == 200
        assert all(outcome["response"]["text"] for outcome in answer.json()["outcomes"])
    return _children(live)


def test_ctrl_c_ends_all_processes(live_workers: Live) -> None:
    children = _translate_with_both(live_workers)
    assert len(children) == 2
    live_workers.process.send_signal(signal.SIGINT)
    assert live_workers.process.wait(60) == 0
    _, alive = psutil.wait_procs(children, timeout=60)
    assert alive == []
    log = live_workers.log.read_text()
    assert "Traceback" not in log
    assert "Geheimnis" not in log


def test_no_process_outlives_a_front_that_was_killed(live_workers: Live) -> None:
    children = _translate_with_both(live_workers)
    live_workers.process.kill()
    _, alive = psutil.wait_procs(children, timeout=60)
    assert alive == []
