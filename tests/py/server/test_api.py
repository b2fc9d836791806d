"""The REST API, in this process."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine, HeldEngine
from dragoman.native.bundles import Parts, load_parts
from dragoman.server import Settings, create_app
from dragoman.server.schema import BatchBody, TranslateBody
from tests.support.helpers import pipeline, request, turns
from tests.support.hosts import MakeBundle, capital_parts
from tests.support.serving import body, client
from tests.support.waiting import until_told

BASE = "http://127.0.0.1:8765"


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


async def test_the_time_that_a_text_has_is_for_the_loading_too() -> None:
    loading, may_load = threading.Event(), threading.Event()

    def load(*_: str) -> Parts:
        loading.set()
        may_load.wait(60)
        return capital_parts()

    async with client(load) as api:
        response = await api.post("/v1/translate", json=body(deadline=0.05))
        assert loading.is_set()
        assert response.status_code == 504
        assert response.json()["error"]["details"] == {"deadline": 0.05, "done": 0, "total": 0}
        may_load.set()
        assert (await api.post("/v1/translate", json=body())).status_code == 200


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


async def test_alternatives_and_a_prefix(real_bundle: Path) -> None:
    async with client(lambda *_: load_parts(real_bundle, 1)) as made:
        asked = body("Das Wetter ist heute schön.", alternatives=2, ranges="codepoint")
        answer = (await made.post("/v1/translate", json=asked)).json()
        (sentence,) = answer["sentences"]
        assert [other["text"] for other in sentence["alternatives"]] == [
            "The weather is beautiful today.",
            "The weather's nice today.",
        ]
        first = sentence["alternatives"][0]
        assert first["targetWords"][3] == [15, 24]
        assert [3, 4] in first["links"] or [4, 3] in first["links"]
        begun = body("Das Wetter ist heute schön.", prefix="Today")
        assert (await made.post("/v1/translate", json=begun)).json()["text"].startswith("Today")
        none = (await made.post("/v1/translate", json=body("Ja."))).json()
        assert "alternatives" not in none["sentences"][0]


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({"beam": 17}, 422),
        ({"beam": 0}, 422),
        ({"alternatives": 16}, 422),
        ({"alternatives": 4, "beam": 4}, 422),
        ({"prefix": "x" * 2_001}, 422),
        ({"prefix": 1}, 422),
    ],
)
async def test_a_search_over_its_limits_is_refused(
    capitals: httpx.AsyncClient, options: dict[str, Any], status: int
) -> None:
    answer = await capitals.post("/v1/translate", json=body(**options))
    assert answer.status_code == status
    assert answer.json()["error"]["code"] == "invalid-request"


async def test_a_translation_memory(capitals: httpx.AsyncClient) -> None:
    entries = {"Guten Tag!": "Hello 😀", "So ist es.": "So."}
    memory = [{"source": source, "target": target} for source, target in entries.items()]
    asked = body("Guten Tag! So ist er.", memory=memory, alternatives=1)
    answer = (await capitals.post("/v1/translate", json=asked)).json()
    assert answer["text"] == "Hello 😀 SO IST ER."
    first, second = answer["sentences"]
    assert (first["fromMemory"], first["score"], first["target"]) == (True, 1.0, [0, 8])
    (other,) = second["alternatives"]
    assert (second["fromMemory"], other["text"], other["score"]) == (False, "So.", 0.75)
    assert (other["memorySource"], other["links"]) == ("So ist es.", [])
    asked = {"texts": ["Guten Tag!", "Ja."], "source": "de", "target": "en", "memory": memory}
    both = await capitals.post("/v1/batch", json=asked)
    assert [one["response"]["text"] for one in both.json()["outcomes"]] == ["Hello 😀", "JA."]


async def test_a_memory_over_its_limits_and_one_that_is_none(capitals: httpx.AsyncClient) -> None:
    memory = [{"source": f"a{number}", "target": "b"} for number in range(100_001)]
    response = await capitals.post("/v1/translate", json=body("ja", memory=memory))
    assert response.status_code == 413
    assert response.json()["error"]["details"] == {
        "requested": 100_001,
        "allowed": 100_000,
        "counted": "entries",
    }
    for wrong in ([{"source": "a"}], ["a"], [{"source": "", "target": "b"}]):
        response = await capitals.post("/v1/translate", json=body("a", memory=wrong))
        code = response.json()["error"]["code"]
        assert (response.status_code, code) == (422, "invalid-translation-memory")


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
        response = await server.post("/v1/translate", json=body(deadline=1))
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
    asked = TranslateBody(**body(**options)).request()
    assert (asked.priority, asked.deadline, asked.cache) == ("near", 60, False)
    assert asked.when_full == "wait"
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
            await until_told(lambda: len(engine.calls) == 1)
            asyncio.get_running_loop().call_later(0.2, engine.release)
        response = await asyncio.wait_for(answer, 10)
        assert response.status_code == 503
        assert response.json()["error"]["code"] == "cancelled"
        late = await server.post("/v1/translate", json=body())
        assert late.status_code == 503


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
        await until_told(lambda: len(engine.calls) == 1)
        second = asyncio.create_task(app(scope, events.get, send))
        await until_told(events.empty)
        await turns()
        await events.put({"type": "http.disconnect"})
        await asyncio.wait_for(second, 5)
        assert sent[0]["status"] == 499
        engine.release()
        response = await asyncio.wait_for(first, 5)
        assert response.json()["text"] == "Der erste."
        await turns()
    assert len(engine.calls) == 1  # the second one never reached the engine


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
