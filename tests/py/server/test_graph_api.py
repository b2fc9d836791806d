"""POST /v1/graph and /v1/stream."""

from __future__ import annotations

import json
import threading
import urllib.request
from typing import Any

import httpx
import pytest

from dragoman.config import Limits
from dragoman.engines.fake import HeldEngine
from dragoman.native.bundles import Parts
from dragoman.server import Settings, create_app
from dragoman.server.schema import bodies
from dragoman.types import TranslationMemory
from dragoman.wire.memory import read_memory
from tests.support.helpers import pipeline
from tests.support.hosts import capital_parts
from tests.support.serving import client, serving
from tests.support.waiting import until


def graph(variables: dict[str, str], *templates: list[Any], **changes: Any) -> dict[str, Any]:
    requests = [{"source": "de", "target": "en", "template": t, **changes} for t in templates]
    return {"variables": variables, "requests": requests}


async def post(path: str, body: Any, **options: Any) -> httpx.Response:
    async with client(lambda *_: capital_parts(), **options) as server:
        return await server.post(path, json=body)


# --- graphs ----------------------------------------------------------------------------------


async def test_outputs_feed_inputs() -> None:
    body = graph(
        {"a": "ja."}, [{"input": "b"}, {"output": "c"}], ["# ", {"input": "a"}, {"output": "b"}]
    )
    outputs = (await post("/v1/graph", body)).json()["outputs"]
    assert list(outputs) == ["b", "c"]
    assert outputs["c"]["response"]["text"] == "# JA."
    assert outputs["b"]["response"]["sentences"] == [
        {"source": [2, 5], "target": [2, 5], "score": 1.0, "doubtful": False}
    ]


async def test_each_output_has_its_own_outcome() -> None:
    body = graph({"a": "ja."}, [{"input": "a"}, {"output": "b"}])
    body["requests"] += [
        {"source": "x", "target": "y", "template": [{"input": "a"}, {"output": "c"}]},
        {"source": "de", "target": "en", "template": [{"input": "c"}, {"output": "d"}]},
    ]
    async with client(_only_de_en) as server:
        outputs = (await server.post("/v1/graph", json=body)).json()["outputs"]
    assert outputs["b"]["ok"]
    assert outputs["c"]["error"]["code"] == "language-pair"
    assert outputs["d"]["error"]["code"] == "dependency"
    assert outputs["d"]["error"]["details"] == {"variable": "c", "cause": "language-pair"}


def _only_de_en(source: str, target: str) -> Parts:
    from dragoman.errors import LanguagePairError

    if (source, target) != ("de", "en"):
        raise LanguagePairError(source, target, "de-en")
    return capital_parts()


@pytest.mark.parametrize(
    ("templates", "code"),
    [
        ([[{"input": "b"}, {"output": "b"}]], "graph-cycle"),
        ([[{"input": "x"}, {"output": "b"}]], "unbound-variable"),
        ([[{"input": "a"}, {"output": "a"}]], "written-twice"),
        ([[{"input": "a"}]], "graph"),
        ([["x"] * 1_001], "graph-too-large"),
        ([[{"inputs": "a"}]], "invalid-request"),
        ([[{"input": ""}]], "invalid-request"),
    ],
)
async def test_mistakes(templates: list[list[Any]], code: str) -> None:
    response = await post("/v1/graph", graph({"a": "ja."}, *templates))
    assert (response.status_code, response.json()["error"]["code"]) == (422, code)


async def test_a_value_over_the_limit() -> None:
    settings = Settings(limits=Limits(text_characters=3))
    response = await post("/v1/graph", graph({"a": "zu lang"}), settings=settings)
    assert (response.status_code, response.json()["error"]["code"]) == (413, "text-too-long")


async def test_a_memory_is_read_while_others_are_served(monkeypatch: pytest.MonkeyPatch) -> None:
    readers = []

    def noted(entries: list[Any]) -> TranslationMemory:
        readers.append(threading.current_thread())
        return read_memory(entries)

    monkeypatch.setattr(bodies, "read_memory", noted)
    memory = [{"source": "ja.", "target": "Yes."}]
    body = graph({"a": "ja."}, [{"input": "a"}, {"output": "b"}], memory=memory)
    outputs = (await post("/v1/graph", body)).json()["outputs"]
    assert outputs["b"]["response"]["text"] == "Yes."
    assert len(readers) == 1
    assert readers[0] is not threading.current_thread()


async def test_a_memory_that_cannot_be_read() -> None:
    body = graph({"a": "ja."}, [{"input": "a"}, {"output": "b"}], memory=[{"source": "ja."}])
    response = await post("/v1/graph", body)
    assert (response.status_code, response.json()["error"]["code"]) == (
        422, "invalid-translation-memory",
    )  # fmt: skip


# --- streams ---------------------------------------------------------------------------------


def stream(text: str, **changes: Any) -> dict[str, Any]:
    return {"text": text, "source": "de", "target": "en", **changes}


@pytest.mark.parametrize(
    ("unit", "places"),
    [
        ("utf16", [[0, 6], [6, 12], [12, 13]]),
        ("codepoint", [[0, 5], [5, 11], [11, 12]]),
        ("byte", [[0, 8], [8, 14], [14, 15]]),
    ],
)
async def test_a_line_a_sentence(unit: str, places: list[list[int]]) -> None:
    response = await post("/v1/stream", stream("Ja 😀. Nein!\n", ranges=unit, alignment="soft"))
    assert response.headers["content-type"] == "application/x-ndjson"
    *pieces, end = map(json.loads, response.text.splitlines())
    assert end == {"end": {"pieces": 3}}
    assert [line["piece"]["text"] for line in pieces] == ["JA 😀.", " NEIN!", "\n"]
    assert [line["piece"]["source"] for line in pieces] == places
    second = pieces[1]["piece"]
    start = places[1][0] + 1
    assert second["sentences"][0]["source"] == [start, start + 5]
    assert second["alignment"]["targetWords"][0] == [start, start + 4]
    assert second["soft"][0]["source"][0] == [start, start + 1]


async def test_a_stream_of_nothing() -> None:
    assert (await post("/v1/stream", stream(""))).text == '{"end":{"pieces":0}}\n'


async def test_a_stream_that_cannot_begin() -> None:
    settings = Settings(limits=Limits(text_characters=3))
    response = await post("/v1/stream", stream("zu lang"), settings=settings)
    assert (response.status_code, response.json()["error"]["code"]) == (413, "text-too-long")
    async with client(_only_de_en) as server:
        response = await server.post("/v1/stream", json=stream("ja", target="fr"))
    assert (response.status_code, response.json()["error"]["code"]) == (404, "language-pair")


async def test_a_stream_that_fails_says_so_in_its_last_line() -> None:
    response = await post("/v1/stream", stream("ja.\n" + "wort " * 90, overlong="refuse"))
    first, last = map(json.loads, response.text.splitlines())
    assert first["piece"]["text"] == "JA."
    assert last["error"]["code"] == "sentence-too-long"


def test_a_client_that_leaves_a_stream_cancels_the_rest() -> None:
    engine = HeldEngine()
    limits = Limits(batch_rows=1)
    app = create_app(Settings(limits=limits), lambda *_: Parts(pipeline(limits=limits), engine))
    with serving(app) as address:
        body = json.dumps(stream("ja.\nnein.\n")).encode()
        request = urllib.request.Request(
            f"{address}/v1/stream", body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=20):
            until(lambda: len(engine.calls) > 0)
            assert any(use.leases for use in app.state.pool.models)
        until(lambda: not any(use.leases for use in app.state.pool.models))
