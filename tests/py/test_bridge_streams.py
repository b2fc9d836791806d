"""The door that JavaScript uses: requests that depend on each other, and streams."""

import asyncio
import json
from collections.abc import Iterable
from typing import Any

import pytest

from dragoman.bridge import Session
from dragoman.config import Limits
from dragoman.engines.fake import HeldEngine
from tests.support.door import outcome, request_json, session, strict
from tests.support.helpers import turns

# --- dependent requests ----------------------------------------------------------------------


def graph_json(variables: dict[str, Any], *templates: list[Any]) -> str:
    requests = [{"source": "de", "target": "en", "template": template} for template in templates]
    return json.dumps({"variables": variables, "requests": requests})


async def test_a_graph() -> None:
    made = session()
    asked = graph_json(
        {"a": "Ja 😀."}, [{"input": "b"}, {"output": "c"}], ["# ", {"input": "a"}, {"output": "b"}]
    )
    answer = strict(await asyncio.wait_for(made.graph(1, asked), 10))
    assert list(answer["outputs"]) == ["b", "c"]
    assert answer["outputs"]["c"]["response"]["text"] == "# Ja 😀."
    assert answer["outputs"]["b"]["response"]["sentences"][0]["source"] == [2, 8]
    await made.close()


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ("", "invalid-request"),
        ("[]", "invalid-request"),
        ('{"requests": 3}', "invalid-request"),
        (graph_json({"a": 1}), "invalid-request"),
        (graph_json({}, [{"input": "a", "output": "b"}]), "invalid-request"),
        (graph_json({}, [3]), "invalid-request"),
        (graph_json({}, [{"input": "a"}, {"output": "b"}]), "unbound-variable"),
        (graph_json({}, [{"input": "a"}, {"output": "a"}]), "graph-cycle"),
    ],
)
async def test_graphs_that_cannot_be_run(asked: str, code: str) -> None:
    made = session()
    assert strict(await made.graph(1, asked))["error"]["code"] == code
    await made.close()


async def test_cancelling_a_graph() -> None:
    made = session(HeldEngine())
    asked = graph_json({"a": "Ja."}, [{"input": "a"}, {"output": "b"}])
    waiting = asyncio.ensure_future(made.graph(3, asked))
    await turns()
    made.cancel(3)
    assert strict(await asyncio.wait_for(waiting, 5))["error"]["code"] == "cancelled"
    assert made._open == {}
    await made.close()


async def test_each_output_is_told_as_soon_as_it_has_ended() -> None:
    engine = HeldEngine()
    made = session(engine)
    heard = []
    asked = graph_json(
        {"a": "Ja.", "b": "Nein."},
        [{"input": "a"}, {"output": "c"}],
        ["z.", {"output": "d"}],
        [{"input": "c"}, {"output": "e"}],
    )
    waiting = asyncio.ensure_future(made.graph(1, asked, lambda *told: heard.append(told)))
    await turns(30)
    assert [(name, strict(end)["response"]["text"]) for name, end in heard] == [("d", "z.")]
    engine.release()
    outputs = strict(await asyncio.wait_for(waiting, 10))["outputs"]  # "e" is in the cache
    assert {name: strict(end) for name, end in heard} == outputs
    assert [name for name, _ in heard] == ["d", "c", "e"]
    await made.close()


async def test_taking_back_one_output_reaches_exactly_what_depends_on_it() -> None:
    engine = HeldEngine()
    made = session(engine)
    asked = graph_json(
        {"a": "Ja.", "x": "Nein."},
        [{"input": "a"}, {"output": "b"}],
        [{"input": "b"}, {"output": "c"}],
        [{"input": "x"}, {"output": "y"}],
        [{"input": "y"}, {"output": "z"}],
    )
    waiting = asyncio.ensure_future(made.graph(4, asked))
    await turns(30)
    made.cancel(4, "b")
    made.cancel(4, "nothing of this name")
    engine.release()
    outputs = strict(await asyncio.wait_for(waiting, 10))["outputs"]
    codes = {name: end["ok"] or end["error"]["code"] for name, end in outputs.items()}
    assert codes == {"b": "cancelled", "c": "cancelled", "y": True, "z": True}
    assert made._open == {}
    await made.close()


async def test_what_is_cancelled_before_it_has_begun_never_begins() -> None:
    engine = HeldEngine()
    made = session(engine)
    asked = graph_json({"a": "Ja."}, [{"input": "a"}, {"output": "b"}], ["z.", {"output": "c"}])
    translated, graphed = made.translate(1, request_json("Ja.")), made.graph(2, asked)
    made.cancel(1)
    made.cancel(2, "b")
    assert strict(await asyncio.wait_for(translated, 10))["error"]["code"] == "cancelled"
    outputs = strict(await asyncio.wait_for(graphed, 10))["outputs"]
    assert outputs["b"]["error"]["code"] == "cancelled"
    assert outputs["c"]["ok"]
    assert engine.calls == []
    assert made._open == {}
    await made.close()


# --- streams ---------------------------------------------------------------------------------


def options_json(**fields: Any) -> str:
    return json.dumps({"source": "de", "target": "en", **fields})


async def streamed(
    made: Session, chunks: Iterable[str], client_id: int = 1, **fields: Any
) -> tuple[list[Any], Any]:
    """The pieces of a stream, fed chunk by chunk, and its last outcome."""
    assert strict(made.start(client_id, options_json(**fields))) == {"ok": True}

    async def feed() -> None:
        for chunk in chunks:
            if not await made.feed(client_id, json.dumps(chunk)):
                return
        await made.finish(client_id)

    feeding = asyncio.ensure_future(feed())
    pieces: list[Any] = []
    while True:
        answer = strict(await asyncio.wait_for(made.next_piece(client_id), 20))
        if not answer["ok"] or answer["piece"] is None:
            await feeding
            return pieces, answer
        pieces.append(answer["piece"])


def units(text: str) -> list[str]:
    """As a JavaScript string is cut into its units: surrogate pairs in halves."""
    data = text.encode("utf-16-le", "surrogatepass")
    pairs = (data[at : at + 2] for at in range(0, len(data), 2))
    return [pair.decode("utf-16-le", "surrogatepass") for pair in pairs]


async def test_a_stream_fed_one_unit_at_a_time_is_the_text_as_one_request() -> None:
    text = "Ja 😀. Um ca. 8 Uhr, 👩‍👩‍👧, z.B. heute!\n\nNein? \ud800 Gut."
    made = session()
    pieces, last = await streamed(made, units(text), alignment="soft")
    assert last == {"ok": True, "piece": None}
    whole = (await outcome(made, text, alignment="soft"))["response"]
    assert "".join(piece["text"] for piece in pieces) == whole["text"]
    assert [one for piece in pieces for one in piece["sentences"]] == whole["sentences"]
    for side in "sourceWords", "targetWords":
        words = [word for piece in pieces for word in piece["alignment"][side]]
        assert words == whole["alignment"][side]
    assert [soft["source"] for piece in pieces for soft in piece["soft"] or ()] == [
        soft["source"] for soft in whole["soft"]
    ]
    ends = [0, *(piece["source"][1] for piece in pieces)]
    assert [piece["source"][0] for piece in pieces] == ends[:-1]
    assert ends[-1] == len(units(text))
    assert made._streams == {}
    await made.close()


async def test_a_sentence_comes_before_the_text_has_ended() -> None:
    made = session()
    made.start(1, options_json())
    assert await made.feed(1, json.dumps("Ja. Und dann"))
    waiting = asyncio.ensure_future(made.next_piece(1))
    assert await made.feed(1, json.dumps(" kam"))
    assert strict(await asyncio.wait_for(waiting, 10))["piece"]["text"] == "Ja."
    await made.close()
    assert strict(await made.next_piece(1))["error"]["code"] == "cancelled"


async def test_feeding_waits_for_the_reader() -> None:
    made = session(limits=Limits(stream_sentences=2))
    made.start(1, options_json())
    feeding = asyncio.ensure_future(made.feed(1, json.dumps("a.\nb.\nc.\nd.\n")))
    await turns(50)
    assert not feeding.done()
    for letter in "ab":
        assert strict(await made.next_piece(1))["piece"]["text"].strip() == f"{letter}."
    assert await asyncio.wait_for(feeding, 10)
    await made.close()


async def test_a_stream_that_fails_gives_what_came_before_it() -> None:
    made = session()
    pieces, last = await streamed(made, ["ja.\n", "wort " * 90, "\nnein.\n"], overlong="refuse")
    assert [piece["text"] for piece in pieces] == ["ja."]
    assert last["error"]["code"] == "sentence-too-long"
    assert made._streams == {}
    assert await made.feed(1, '"x"') is False
    assert await made.finish(1) is False
    await made.close()


@pytest.mark.parametrize("options", ["", "[]", "{}", '{"source": 1, "target": "en"}'])
async def test_streams_that_cannot_begin(options: str) -> None:
    made = session()
    assert strict(made.start(1, options))["error"]["code"] == "invalid-request"
    assert made._streams == {}
    await made.close()


async def test_an_id_of_a_stream_is_used_once() -> None:
    made = session(HeldEngine())
    made.start(1, options_json())
    assert strict(made.start(1, options_json()))["error"]["code"] == "invalid-request"
    answer = strict(await made.translate(1, request_json("Ja.")))
    assert answer["error"]["code"] == "invalid-request"
    await made.close()


async def test_cancelling_a_stream_settles_who_feeds_and_who_reads() -> None:
    made = session(HeldEngine(), limits=Limits(stream_sentences=1))
    made.start(1, options_json())
    feeding = asyncio.ensure_future(made.feed(1, json.dumps("a.\nb.\nc.\n")))
    reading = asyncio.ensure_future(made.next_piece(1))
    await turns(30)
    made.cancel(1)
    assert await asyncio.wait_for(feeding, 10) is False
    assert strict(await asyncio.wait_for(reading, 10))["error"]["code"] == "cancelled"
    await turns(30)
    assert strict(made.statistics())["open_requests"] == 0
    assert made._streams == {}
    await made.close()
