"""No surface opens a connection before someone says so: the command, Python, the server.

The browser's surfaces: `tests/e2e/test_published_models.py`.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

import dragoman
from dragoman.cli import app as cli
from dragoman.errors import DragomanError, LanguagePairError
from dragoman.server.app import create_app
from dragoman.server.settings import Settings
from tests.support.paths import MODELS

OUTWARD = {"socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname"}
_asked: list[tuple[str, object]] = []


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if event in OUTWARD:
        _asked.append((event, arguments[-1]))


@pytest.fixture(scope="module", autouse=True)
def _heard() -> None:
    sys.addaudithook(_hear)  # it stays for the process; what it hears is looked at here only


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, object]]]:
    """What was asked of the network since the test began: of an empty store, with all defaults."""
    monkeypatch.setenv("DRAGOMAN_STORE", str(tmp_path / "store"))
    for name in ("DRAGOMAN_CATALOGUE", "DRAGOMAN_SOURCE"):
        monkeypatch.delenv(name, raising=False)
    _asked.clear()
    yield _asked
    _asked.clear()


def test_the_ear_hears_a_request(asked: list[tuple[str, object]]) -> None:
    """Port 9 of this machine: nobody is there, or it throws away what comes."""
    with contextlib.suppress(httpx.HTTPError):
        httpx.get("http://127.0.0.1:9/", trust_env=False, timeout=1.0)
    assert asked


@pytest.mark.parametrize(
    "words",
    [
        "models available",
        "models available fr-en --json",
        "models list --licences",
        "models verify",
        "models update --check",
        "models remove fr-en",
        "translate --from fr --to de --text Bonjour",
        "translate --from de --to en --text Haus",
        "translate --from auto --to en --text",
        "detect",
        "--version",
    ],
)
def test_a_command_without_get_or_fetch(words: str, asked: list[tuple[str, object]]) -> None:
    given = words.split()
    if given[-1] == "--text":
        given.append("Das ist ein Haus, und dort steht ein Baum.")
    result = CliRunner().invoke(cli.app, given, input="Das ist ein Haus.")
    assert result.exit_code in (0, 1), result.output
    assert asked == []


def test_python(asked: list[tuple[str, object]]) -> None:
    with pytest.raises(LanguagePairError, match="models get"):
        dragoman.load("fr", "de", threads=1)
    with dragoman.load("de", "en", threads=1) as translator:
        assert translator.translate("Das ist ein Haus.").text
    assert asked == []


def test_the_server(asked: list[tuple[str, object]]) -> None:
    async def ask() -> list[int]:
        app = create_app(Settings(models=(MODELS,), threads=1))
        transport = httpx.ASGITransport(app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://localhost") as client,
        ):
            body = {"text": "Bonjour", "source": "fr", "target": "de"}
            answers = [
                await client.get("/v1/models"),
                await client.get("/languages"),
                await client.get("/published/catalogue.json"),
                await client.get("/healthz"),
                await client.post("/v1/translate", json=body),
                await client.post("/v1/translate", json=body | {"source": "de", "target": "en"}),
            ]
        return [answer.status_code for answer in answers]

    found = asyncio.run(ask())
    assert found[-1] == 200
    assert found[-2] in (404, 422)
    assert asked == []


def test_errors_are_told_without_asking_anyone(asked: list[tuple[str, object]]) -> None:
    for source, target in (("xx", "yy"), ("fr", "en")):
        with pytest.raises(DragomanError):
            dragoman.load(source, target, threads=1)
    assert asked == []
