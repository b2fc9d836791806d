"""Errors of the REST API: a code, a status, the figures, and no text of anybody."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from dragoman.config import Limits
from dragoman.engines.fake import HeldEngine
from dragoman.errors import (
    BundleCorruptError,
    BundleError,
    DeadlineError,
    DragomanError,
    EngineError,
    InvalidRequestError,
    LanguagePairError,
    QueueFullError,
    RequestCancelledError,
    SentenceTooLongError,
    TextTooLongError,
)
from dragoman.native.bundles import Parts
from dragoman.server import Settings
from dragoman.server.problems import status_of
from tests.support.helpers import pipeline
from tests.support.hosts import MakeBundle, capital_parts
from tests.support.serving import body, client
from tests.support.waiting import until_told


async def test_a_megabyte_is_refused_with_both_figures(capitals: httpx.AsyncClient) -> None:
    response = await capitals.post("/v1/translate", json=body("x" * 1_000_000))
    assert response.status_code == 413
    assert response.json() == {
        "error": {
            "code": "text-too-long",
            "message": "the text has too many characters: 1,000,000 requested, 500,000 allowed",
            "details": {"requested": 1_000_000, "allowed": 500_000},
        }
    }


async def test_the_longest_text_fits_the_body_however_it_is_escaped() -> None:
    limits = Limits(text_characters=500_000)
    text = "\U0001f600" * limits.text_characters
    content = json.dumps(body(text)).encode()
    assert len(content) < Settings().body_bytes


@pytest.mark.parametrize("chunked", [False, True])
async def test_a_body_over_the_limit_is_refused_before_it_is_parsed(chunked: bool) -> None:
    settings = Settings(body_bytes=1_000)
    content = b"{" * 3_000  # no JSON: nobody looks

    async def chunks() -> AsyncIterator[bytes]:
        for at in range(0, len(content), 100):
            yield content[at : at + 100]

    async with client(lambda *_: capital_parts(), settings) as server:
        response = await server.post(
            "/v1/translate",
            content=chunks() if chunked else content,
            headers={"Content-Type": "application/json"},
        )
    assert response.status_code == 413
    assert response.json() == {
        "error": {
            "code": "body-too-large",
            "message": "the body is too large: 3,000 bytes requested, 1,000 allowed",
            "details": {"requested": 3_000, "allowed": 1_000},
        }
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"text": None}, "text: Input should be a valid string"),
        ({"text": 5}, "text: Input should be a valid string"),
        ({"source": ""}, "source: String should have at least 1 character"),
        ({"source": "x" * 36}, "source: String should have at most 35 characters"),
        ({"alignment": "fuzzy"}, "alignment: Input should be 'none', 'hard' or 'soft'"),
        ({"overlong": 1}, "overlong: Input should be 'wrap' or 'refuse'"),
        ({"ranges": "mile"}, "ranges: Input should be 'utf16', 'codepoint' or 'byte'"),
        (
            {"priority": "soon"},
            "priority: Input should be 'interactive', 'visible', 'near' or 'background'",
        ),
        ({"deadline": 0}, "deadline: Input should be greater than 0"),
        ({"deadline": 1e9}, "deadline: Input should be less than or equal to 86400"),
        ({"whenFull": "panic"}, "whenFull: Input should be 'refuse' or 'wait'"),
        ({"cache": "yes"}, "cache: Input should be a valid boolean"),
        ({"colour": "red"}, "colour: Extra inputs are not permitted"),
    ],
)
async def test_a_wrong_field_is_named(
    capitals: httpx.AsyncClient, changes: dict[str, Any], message: str
) -> None:
    response = await capitals.post("/v1/translate", json={**body("geheim"), **changes})
    assert response.status_code == 422
    assert response.json() == {
        "error": {
            "code": "invalid-request",
            "message": message,
            "details": {"field": next(iter(changes))},
        }
    }


async def test_a_missing_field_is_named(capitals: httpx.AsyncClient) -> None:
    response = await capitals.post("/v1/translate", json={"text": "geheim", "source": "de"})
    assert response.status_code == 422
    assert response.json()["error"]["message"] == "target: Field required"


@pytest.mark.parametrize(
    "content",
    [
        b'{"text": "geheim',
        b'{"text": "\xff"}',
        b"[" * 100_000,
        b"1" * 10_000,
        '{"text": "Grüße"}'.encode("latin-1"),
    ],
)
async def test_a_body_that_is_no_json(capitals: httpx.AsyncClient, content: bytes) -> None:
    response = await capitals.post(
        "/v1/translate", content=content, headers={"Content-Type": "application/json"}
    )
    assert response.status_code == 400
    assert response.json() == {
        "error": {"code": "invalid-request", "message": "the body is not JSON", "details": {}}
    }


@pytest.mark.parametrize("content", [b"", b"null", b"[]", b'"geheim"', b"1"])
async def test_json_that_is_no_request(capitals: httpx.AsyncClient, content: bytes) -> None:
    response = await capitals.post(
        "/v1/translate", content=content, headers={"Content-Type": "application/json"}
    )
    assert response.status_code == 422
    assert response.json()["error"]["code"] == "invalid-request"
    assert "geheim" not in response.text


@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded"])
async def test_a_body_that_is_not_declared_as_json(
    capitals: httpx.AsyncClient, kind: str | None
) -> None:
    headers = {"Content-Type": kind} if kind else {}
    content = json.dumps(body()).encode()
    response = await capitals.post("/v1/translate", content=content, headers=headers)
    assert response.status_code == 415
    assert response.json()["error"]["code"] == "unsupported-media-type"


async def test_an_unknown_pair(make_bundle: MakeBundle) -> None:
    settings = Settings(models=(make_bundle(),))
    async with client(settings=settings) as server:
        response = await server.post("/v1/translate", json=body(source="fr"))
    assert response.status_code == 404
    assert response.json() == {
        "error": {
            "code": "language-pair",
            "message": "there is no model from 'fr' to 'en'; available: de-en",
            "details": {"source": "fr", "target": "en"},
        }
    }


async def test_a_language_with_a_lone_surrogate(capitals: httpx.AsyncClient) -> None:
    content = b'{"text": "x", "source": "\\ud800", "target": "en"}'
    response = await capitals.post(
        "/v1/translate", content=content, headers={"Content-Type": "application/json"}
    )
    assert response.status_code in (404, 422)
    assert response.json()["error"]["code"] in ("language-pair", "invalid-request")


async def test_an_over_long_sentence_may_be_refused(capitals: httpx.AsyncClient) -> None:
    response = await capitals.post("/v1/translate", json=body("wort " * 100, overlong="refuse"))
    assert response.status_code == 422
    assert response.json()["error"]["details"] == {"requested": 499, "allowed": 80}
    response = await capitals.post("/v1/translate", json=body("wort " * 100))
    assert [warning["code"] for warning in response.json()["warnings"]] == ["sentence-wrapped"]


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        ("model.onnx", "bundle-missing-file"),
        ("vocabulary.spm", "bundle-missing-file"),
        ("truncated", "bundle-corrupt"),
        ("no graph", "bundle-corrupt"),
        ("other vocabulary", "bundle-mismatch"),
    ],
)
async def test_a_bundle_that_cannot_be_used(
    make_bundle: MakeBundle, damage: str, code: str
) -> None:
    size = 8000 if damage == "other vocabulary" else 480
    folder = make_bundle(architecture={"vocabulary_size": size, "dimension": 256})
    if damage == "truncated":
        (folder / "model.onnx").write_bytes(b"x")
    elif damage.endswith((".onnx", ".spm")):
        (folder / damage).unlink()
    async with client(settings=Settings(models=(folder,))) as server:
        response = await server.post("/v1/translate", json=body())
        again = await server.post("/v1/translate", json=body())
        health = await server.get("/healthz")
    assert response.status_code == again.status_code == 500
    assert response.json()["error"]["code"] == code
    assert health.status_code == 200


async def test_an_engine_that_fails() -> None:
    engine = HeldEngine()
    async with client(lambda *_: Parts(pipeline(), engine)) as server:
        answer = asyncio.create_task(server.post("/v1/translate", json=body()))
        await until_told(lambda: len(engine.calls) == 1)
        engine.fail("out of memory")
        response = await asyncio.wait_for(answer, 5)
    assert response.status_code == 500
    assert response.json()["error"]["code"] == "engine"


async def test_what_no_one_foresaw_tells_and_logs_no_text(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def load(_: str, __: str) -> Parts:
        raise ZeroDivisionError("geheim")

    async with client(load) as server:
        response = await server.post("/v1/translate", json=body("geheim"))
    assert response.status_code == 500
    assert response.json() == {
        "error": {
            "code": "bundle",
            "message": "the model de-en could not be loaded (ZeroDivisionError)",
            "details": {"source": "de", "target": "en"},
        }
    }
    assert "ZeroDivisionError at test_problems.py:" in caplog.text
    assert "geheim" not in caplog.text


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (TextTooLongError(2, 1), 413),
        (SentenceTooLongError(2, 1), 422),
        (QueueFullError(2, 1), 503),
        (LanguagePairError("a", "b", ""), 404),
        (InvalidRequestError(""), 422),
        (RequestCancelledError(""), 503),
        (DeadlineError(2.5, 3, 40), 504),
        (BundleError(""), 500),
        (BundleCorruptError(""), 500),
        (EngineError(""), 500),
        (DragomanError(""), 500),
    ],
)
def test_every_error_has_a_status(error: DragomanError, status: int) -> None:
    assert status_of(error) == status


async def test_unknown_addresses_and_methods(capitals: httpx.AsyncClient) -> None:
    response = await capitals.get("/v2/translate")
    assert response.status_code == 404
    assert response.json()["error"]["code"] == "not-found"
    response = await capitals.get("/v1/translate")
    assert response.status_code == 405
    assert response.json()["error"]["code"] == "method-not-allowed"
