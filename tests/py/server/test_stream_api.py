"""POST /v1/stream with a text that is still arriving, through real sockets."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dragoman.config import Limits
from dragoman.engines.fake import HeldEngine
from dragoman.native.bundles import Parts
from dragoman.server import Settings, create_app
from tests.support.helpers import pipeline
from tests.support.hosts import capital_parts
from tests.support.paths import ROOT
from tests.support.serving import WORKER, client, serving
from tests.support.waiting import until

TEXT = {"Content-Type": "text/plain; charset=utf-8"}
ASKED = "/v1/stream?source=de&target=en&ranges=codepoint"


@pytest.fixture(params=[1, 2], ids=["one process", "worker processes"])
def address(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[str]:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("DRAGOMAN_TEST_FOLDER", str(tmp_path))
    settings = Settings(workers=request.param, body_bytes=100_000)
    with serving(create_app(settings, lambda *_: capital_parts(), WORKER)) as made:
        yield made.removeprefix("http://")


class Sending:
    """A request whose body is sent part by part, and its answer line by line."""

    def __init__(self, address: str, path: str = ASKED) -> None:
        self._connection = http.client.HTTPConnection(address, timeout=60)
        self._connection.putrequest("POST", path)
        for name, value in {**TEXT, "Transfer-Encoding": "chunked"}.items():
            self._connection.putheader(name, value)
        self._connection.endheaders()
        self._answer: http.client.HTTPResponse | None = None

    def send(self, part: bytes) -> None:
        self._connection.send(b"%x\r\n%s\r\n" % (len(part), part))

    def end(self) -> None:
        self._connection.send(b"0\r\n\r\n")

    @property
    def answer(self) -> http.client.HTTPResponse:
        if self._answer is None:
            self._answer = self._connection.getresponse()
        return self._answer

    def line(self) -> Any:
        return json.loads(self.answer.readline())

    def close(self) -> None:
        self._connection.close()
        if self._answer is not None:
            self._answer.close()


def test_sentences_come_back_while_the_body_is_still_being_sent(address: str) -> None:
    with closing(Sending(address)) as sending:
        sending.send("Ja 😀. Und".encode())
        sending.send(b" dann ")
        first = sending.line()["piece"]
        assert (first["text"], first["source"]) == ("JA 😀.", [0, 5])
        letter = "ü".encode()
        sending.send(b"kam " + letter[:1])  # cut inside a character
        sending.send(letter[1:] + b"ber.\nNein. ")
        second = sending.line()["piece"]
        assert (second["text"], second["source"]) == (" UND DANN KAM ÜBER.", [5, 24])
        sending.end()
        assert sending.line()["piece"]["text"] == "\nNEIN."
        assert sending.line()["piece"]["text"] == " "
        assert sending.line() == {"end": {"pieces": 4}}


@pytest.mark.parametrize("declared", [True, False])
def test_a_body_over_the_limit(address: str, declared: bool) -> None:
    error = {"code": "body-too-large", "details": {"requested": 100_001, "allowed": 100_000}}
    if declared:
        with closing(http.client.HTTPConnection(address, timeout=60)) as connection:
            connection.request("POST", ASKED, b"x" * 100_001, TEXT)
            answer = connection.getresponse()
            assert answer.status == 413
            assert json.loads(answer.read())["error"].items() >= error.items()
        return
    with closing(Sending(address)) as sending:
        sending.send(b"Ja.\nNein")
        assert sending.line()["piece"]["text"] == "JA."
        sending.send(b"." + b" " * 99_992)
        lines = [sending.line()]
        while "error" not in lines[-1]:
            lines.append(sending.line())
        assert lines[-1]["error"].items() >= error.items()


def test_a_body_that_is_not_utf8(address: str) -> None:
    with closing(Sending(address)) as sending:
        sending.send(b"Ja. ")
        sending.send(b"\xc3")  # the first half of a letter, and then no other
        sending.send(b"(")
        sending.end()
        lines = [sending.line()]
        while "error" not in lines[-1]:
            lines.append(sending.line())
        assert lines[-1]["error"]["code"] == "invalid-request"
        assert lines[-1]["error"]["message"] == "the body is not UTF-8: byte 0xC3 at 4"


@pytest.mark.parametrize(
    ("query", "status", "code", "message"),
    [
        ("target=en", 422, "invalid-request", "source: Field required"),
        ("source=de&target=en&alignment=no", 422, "invalid-request", None),
        ("source=de&target=en&text=Ja", 422, "invalid-request", None),
        ("source=fr&target=en", 404, "language-pair", None),
    ],
)
async def test_options_that_are_none(
    query: str, status: int, code: str, message: str | None
) -> None:
    async with client(_only_de_en) as server:
        response = await server.post(f"/v1/stream?{query}", content="Ja.", headers=TEXT)
    assert (response.status_code, response.json()["error"]["code"]) == (status, code)
    assert message in (None, response.json()["error"]["message"])


def _only_de_en(source: str, target: str) -> Parts:
    from dragoman.errors import LanguagePairError

    if (source, target) != ("de", "en"):
        raise LanguagePairError(source, target, "de-en")
    return capital_parts()


async def test_options_are_read_from_the_query() -> None:
    query = "source=de&target=en&cache=false&deadline=5&whenFull=wait&alignment=none"
    async with client(lambda *_: capital_parts()) as server:
        response = await server.post(f"/v1/stream?{query}", content="Ja. Nein", headers=TEXT)
    pieces = [json.loads(line) for line in response.text.splitlines()]
    assert [line["piece"]["text"] for line in pieces[:-1]] == ["JA.", " NEIN"]
    assert pieces[0]["piece"]["alignment"] is None


@pytest.mark.parametrize("kind", [None, "text/html", "application/x-www-form-urlencoded"])
async def test_other_kinds_of_bodies(kind: str | None) -> None:
    headers = {} if kind is None else {"Content-Type": kind}
    async with client(lambda *_: capital_parts()) as server:
        response = await server.post(ASKED, content="Ja.", headers=headers)
    assert (response.status_code, response.json()["error"]["code"]) == (
        415, "unsupported-media-type",
    )  # fmt: skip


async def test_a_json_body_that_cannot_be_read() -> None:
    headers = {"Content-Type": "application/json"}
    async with client(lambda *_: capital_parts()) as server:
        for content, status in ("{", 400), ("[" * 100_000, 400), ("[]", 422), ('{"text": 1}', 422):
            response = await server.post("/v1/stream", content=content, headers=headers)
            assert response.status_code == status
            assert response.json()["error"]["code"] == "invalid-request"


@pytest.mark.parametrize("ended", [False, True])
def test_a_client_that_leaves_cancels_the_rest(ended: bool) -> None:
    engine = HeldEngine()
    app = create_app(Settings(), lambda *_: Parts(pipeline(limits=Limits()), engine))
    with serving(app) as address:
        sending = Sending(address.removeprefix("http://"))
        sending.send(b"Ja.\nNein.\n")
        if ended:
            sending.end()
        until(lambda: len(engine.calls) > 0)
        assert any(use.leases for use in app.state.pool.models)
        sending.close()
        until(lambda: not any(use.leases for use in app.state.pool.models))


async def test_a_glossary_that_cannot_be_used_is_refused_before_the_answer_begins() -> None:
    terms = [{"source": "Rechner", "target": ""}]
    body = {"source": "de", "target": "en", "text": "Ja.", "glossary": terms}
    async with client(lambda *_: capital_parts()) as server:
        response = await server.post("/v1/stream", json=body)
    assert (response.status_code, response.json()["error"]["code"]) == (422, "invalid-glossary")
