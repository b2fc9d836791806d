"""The REST API, in this process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine, HeldEngine
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
from dragoman.server import Settings, create_app
from dragoman.server.problems import status_of
from dragoman.server.schema import BatchBody, TranslateBody
from tests.support.helpers import pipeline, request
from tests.support.hosts import MakeBundle, capital_parts
from tests.support.serving import client

BASE = "http://127.0.0.1:8765"


@pytest.fixture
async def capitals() -> AsyncIterator[httpx.AsyncClient]:
    """A server that translates into capitals."""
    async with client(lambda *_: capital_parts()) as made:
        yield made


def body(text: str = "Guten Tag.", **changes: Any) -> dict[str, Any]:
    return {"text": text, "source": "de", "target": "en", **changes}


# --- translation -----------------------------------------------------------------------------


async def test_translate(capitals: httpx.AsyncClient) -> None:
    response = await capitals.post("/v1/translate", json=body("😀 Eins."))
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    data = response.json()
    assert data.pop("timings").keys() == {"queued", "tokenize", "engine", "assemble", "total"}
    assert data == {
        "text": "😀 EINS.",
        "unit": "utf16",
        "sentences": [{"source": [0, 8], "target": [0, 8], "score": 1.0, "doubtful": False}],
        "alignment": {
            "sourceWords": [[0, 2], [3, 7], [7, 8]],
            "targetWords": [[0, 2], [3, 7], [7, 8]],
            "links": [[0, 0], [1, 1], [2, 2]],
            "scores": [1.0, 1.0, 1.0],
        },
        "soft": None,
        "content": None,
        "terms": None,
        "warnings": [],
    }


async def test_a_glossary(capitals: httpx.AsyncClient) -> None:
    glossary = [{"source": "Rechner", "target": "computer"}, {"source": "Anna"}]
    response = await capitals.post(
        "/v1/translate", json=body("😀 Rechner von Anna", glossary=glossary)
    )
    assert response.json()["text"] == "😀 Computer VON Anna"
    assert response.json()["terms"] == [
        {
            "term": {"source": "Rechner", "target": "computer"},
            "outcome": "forced",
            "source": [3, 10],
            "target": [3, 11],
        },
        {
            "term": {"source": "Anna", "target": "Anna"},
            "outcome": "forced",
            "source": [15, 19],
            "target": [16, 20],
        },
    ]


async def test_a_glossary_over_its_limits_and_one_that_is_none(capitals: httpx.AsyncClient) -> None:
    glossary = [{"source": f"a{number}"} for number in range(10_001)]
    response = await capitals.post("/v1/translate", json=body("ja", glossary=glossary))
    assert response.status_code == 413
    assert response.json()["error"]["details"] == {
        "requested": 10_001,
        "allowed": 10_000,
        "counted": "terms",
    }
    response = await capitals.post("/v1/batch", json=body(texts=["a"], glossary=[{"source": "?"}]))
    assert response.status_code == 422


@pytest.mark.parametrize(
    ("unit", "words"),
    [
        ("utf16", [[0, 2], [3, 6]]),
        ("codepoint", [[0, 1], [2, 5]]),
        ("byte", [[0, 4], [5, 9]]),
    ],
)
async def test_ranges_count_what_was_asked_for(
    capitals: httpx.AsyncClient, unit: str, words: Any
) -> None:
    response = await capitals.post("/v1/translate", json=body("😀 für", ranges=unit))
    assert response.json()["unit"] == unit
    assert response.json()["alignment"]["sourceWords"] == words


async def test_alignment_is_what_was_asked_for(capitals: httpx.AsyncClient) -> None:
    response = await capitals.post("/v1/translate", json=body("ab", alignment="none"))
    assert response.json()["alignment"] is None
    response = await capitals.post("/v1/translate", json=body("ab", alignment="soft"))
    assert response.json()["soft"] == [
        {
            "source": [[0, 1], [1, 2], [2, 2]],
            "target": [[0, 1], [1, 2]],
            "matrix": [1.0, 0.0, 0.0, 0.0, 1.0, 0.0],
        }
    ]


@pytest.mark.parametrize(
    ("text", "translation"),
    [
        ("", ""),
        (" \n\t ", " \n\t "),
        ("\x00\x07", "\x00\x07"),
        ("\ud800", "\ud800"),
        ("e\u0301 👩‍👩‍👧", "E\u0301 👩‍👩‍👧"),
        ("שלום עולם", "שלום עולם"),
        ("中文。", "中文。"),
        ("x" * 5000, "X" * 5000),
    ],
)
async def test_any_text_gives_an_answer(
    capitals: httpx.AsyncClient, text: str, translation: str
) -> None:
    content = json.dumps(body(text))  # escapes what has no UTF-8
    response = await capitals.post(
        "/v1/translate", content=content, headers={"Content-Type": "application/json"}
    )
    assert response.status_code == 200
    assert json.loads(response.content)["text"] == translation


async def test_lone_surrogates_and_nul_within_words(capitals: httpx.AsyncClient) -> None:
    content = b'{"text": "eins \\ud83d zwei\\u0000drei \\udc00", "source": "de", "target": "en"}'
    response = await capitals.post(
        "/v1/translate", content=content, headers={"Content-Type": "application/json"}
    )
    assert response.status_code == 200
    text = json.loads(response.content)["text"]
    assert text.startswith("EINS ")
    assert "ZWEI" in text
    assert "DREI" in text


async def test_a_deadline_is_a_typed_error_and_takes_the_text_back() -> None:
    engine = HeldEngine()
    async with client(lambda *_: Parts(pipeline(), engine)) as server:
        response = await server.post("/v1/translate", json=body(deadline=0.05))
    assert response.status_code == 504
    error = response.json()["error"]
    assert error["code"] == "deadline"
    assert (error["details"]["done"], error["details"]["total"]) == (0, 1)


async def test_options_reach_the_service() -> None:
    options: dict[str, Any] = {
        "priority": "near",
        "deadline": 60,
        "whenFull": "wait",
        "cache": False,
    }
    found = TranslateBody(**body(**options)).request()
    assert (found.priority, found.deadline, found.cache) == ("near", 60, False)
    assert found.when_full == "wait"
    assert TranslateBody(**body()).request() == request("Guten Tag.")
    batch = BatchBody(texts=["a", "b"], source="de", target="en").requests()
    assert [(made.text, made.priority) for made in batch] == [
        ("a", "background"),
        ("b", "background"),
    ]


async def test_concurrent_requests_share_batches() -> None:
    engine = EchoEngine()
    async with client(lambda *_: Parts(pipeline(), engine)) as server:
        texts = [f"Satz {number:02}." for number in range(40)]
        answers = await asyncio.gather(
            *(server.post("/v1/translate", json=body(text)) for text in texts)
        )
    assert [answer.json()["text"] for answer in answers] == texts
    assert len(engine.batches) < 40


async def test_a_model_is_loaded_once() -> None:
    loads = 0

    def load(source: str, target: str) -> Parts:
        nonlocal loads
        loads += 1
        assert (source, target) == ("de", "en")
        return capital_parts()

    async with client(load) as server:
        answers = await asyncio.gather(
            *(server.post("/v1/translate", json=body()) for _ in range(5))
        )
    assert [answer.status_code for answer in answers] == [200] * 5
    assert loads == 1


async def test_the_engine_is_closed_with_the_server() -> None:
    engine = EchoEngine()
    async with client(lambda *_: Parts(pipeline(), engine)) as server:
        await server.post("/v1/translate", json=body())
        assert not engine.closed
    assert engine.closed


async def test_closing_the_server_settles_what_is_open() -> None:
    engine = HeldEngine()
    app = create_app(Settings(), lambda *_: Parts(pipeline(), engine))
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url=BASE) as server:
        async with app.router.lifespan_context(app):
            answer = asyncio.create_task(server.post("/v1/translate", json=body()))
            await _until(lambda: len(engine.calls) == 1)
            asyncio.get_running_loop().call_later(0.2, engine.release)
        response = await asyncio.wait_for(answer, 10)
        assert response.status_code == 503
        assert response.json()["error"]["code"] == "cancelled"
        late = await server.post("/v1/translate", json=body())
        assert late.status_code == 503


async def _until(condition: Any) -> None:
    for _ in range(2_000):
        if condition():
            return
        await asyncio.sleep(0.005)
    pytest.fail("it never came")


async def test_a_client_that_leaves_takes_its_request_back() -> None:
    """A raw ASGI conversation, since httpx has no way to leave."""
    engine = HeldEngine()
    app = create_app(Settings(), lambda *_: Parts(pipeline(limits=Limits(batch_rows=1)), engine))
    events: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    content = json.dumps(body("Der zweite.")).encode()
    await events.put({"type": "http.request", "body": content, "more_body": False})
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/v1/translate",
        "raw_path": b"/v1/translate",
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8765),
    }
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url=BASE) as server,
    ):
        first = asyncio.create_task(server.post("/v1/translate", json=body("Der erste.")))
        await _until(lambda: len(engine.calls) == 1)
        second = asyncio.create_task(app(scope, events.get, send))
        await asyncio.sleep(0.1)
        await events.put({"type": "http.disconnect"})
        await asyncio.wait_for(second, 5)
        assert sent[0]["status"] == 499
        engine.release()
        response = await asyncio.wait_for(first, 5)
        assert response.json()["text"] == "Der erste."
        await asyncio.sleep(0.05)
    assert len(engine.calls) == 1  # the second one never reached the engine


# --- errors ----------------------------------------------------------------------------------


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
        await _until(lambda: len(engine.calls) == 1)
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
    assert "ZeroDivisionError at test_api.py:" in caplog.text
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


# --- the rest --------------------------------------------------------------------------------


async def test_models_are_listed_without_their_paths(make_bundle: MakeBundle) -> None:
    folder = make_bundle(scores={"bleu": 40.1}, licence="CC-BY-SA-4.0")
    broken = make_bundle("broken")
    (broken / "manifest.json").write_text("{")
    async with client(settings=Settings(models=(folder.parent,))) as server:
        response = await server.get("/v1/models")
    (model,) = response.json()["models"]
    assert model.pop("bytes") > 0
    assert model == {
        "name": "de-en-test",
        "version": "0.1.0",
        "source": "de",
        "target": "en",
        "licence": "CC-BY-SA-4.0",
        "scores": {"bleu": 40.1},
    }
    assert str(folder) not in response.text


async def test_the_real_model(real_bundle: Path) -> None:
    async with client(settings=Settings(models=(real_bundle,), threads=1)) as server:
        response = await server.post("/v1/translate", json=body("Guten Morgen! 😀 Wie geht's?"))
    data = response.json()
    assert response.status_code == 200
    assert data["text"].strip()
    encoded = data["text"].encode("utf-16-le")
    last = data["sentences"][-1]["target"][1]
    assert last * 2 <= len(encoded)
