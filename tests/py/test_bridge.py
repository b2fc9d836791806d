"""The door that JavaScript uses: JSON in, JSON out, UTF-16 outside, never an exception."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any, NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.bridge import Session
from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine, HeldEngine
from dragoman.errors import (
    DragomanError,
)
from dragoman.types import (
    AlignmentKind,
    MemoryEntry,
    OverlongPolicy,
    Priority,
    TranslationMemory,
    WhenFull,
)
from dragoman.wire.requests import read_request
from tests.support.cases.bad_texts import BAD_TEXTS
from tests.support.door import javascript_slice, outcome, request_json, session, strict
from tests.support.helpers import CharacterTokenizer, pipeline, turns

# --- responses -------------------------------------------------------------------------------


async def test_a_response() -> None:
    ended = await outcome(session(), "Ja 😀. Nein!")
    assert ended["ok"] is True
    response = ended["response"]
    assert response.pop("timings").keys() == {"queued", "tokenize", "engine", "assemble", "total"}
    assert response == {
        "text": "Ja 😀. Nein!",
        "unit": "utf16",
        "sentences": [
            {"source": [0, 6], "target": [0, 6], "score": 1.0, "doubtful": False},
            {"source": [7, 12], "target": [7, 12], "score": 1.0, "doubtful": False},
        ],
        "alignment": {
            "sourceWords": [[0, 2], [3, 5], [5, 6], [7, 11], [11, 12]],
            "targetWords": [[0, 2], [3, 5], [5, 6], [7, 11], [11, 12]],
            "links": [[0, 0], [1, 1], [2, 2], [3, 3], [4, 4]],
            "scores": [1.0] * 5,
        },
        "soft": None,
        "content": None,
        "terms": None,
        "warnings": [],
    }


async def test_a_glossary() -> None:
    glossary = [{"source": "Rechner", "target": "𝄞 computer"}, {"source": "Anna"}]
    response = (await outcome(session(), "😀 Rechner, Anna", glossary=glossary))["response"]
    assert response["text"] == "😀 𝄞 computer, Anna"
    assert response["terms"] == [
        {
            "term": {"source": "Rechner", "target": "𝄞 computer"},
            "outcome": "forced",
            "source": [3, 10],
            "target": [3, 14],
        },
        {
            "term": {"source": "Anna", "target": "Anna"},
            "outcome": "said",
            "source": [12, 16],
            "target": [16, 20],
        },
    ]


async def test_a_translation_memory() -> None:
    entries = (MemoryEntry("Guten 😀 Tag!", "Hello 𝄞!"), MemoryEntry("So ist es.", "So."))
    made = Session(pipeline(), EchoEngine(), Limits(), memory=TranslationMemory(entries))
    asked = {"memory": True, "alternatives": 1}
    response = (await outcome(made, "Guten 😀 Tag! So ist er.", **asked))["response"]
    assert response["text"] == "Hello 𝄞! So ist er."
    assert response["sentences"] == [
        {
            "source": [0, 13],
            "target": [0, 9],
            "score": 1.0,
            "doubtful": False,
            "alternatives": [],
            "fromMemory": True,
        },
        {
            "source": [14, 24],
            "target": [10, 20],
            "score": 1.0,
            "doubtful": False,
            "alternatives": [
                {
                    "text": "So.",
                    "score": 0.75,
                    "doubtful": False,
                    "targetWords": [[0, 2], [2, 3]],
                    "links": [],
                    "scores": [1.0, 1.0],
                    "memorySource": "So ist es.",
                }
            ],
            "fromMemory": False,
        },
    ]
    without = (await outcome(made, "So ist es."))["response"]["sentences"]
    assert without == [{"source": [0, 10], "target": [0, 10], "score": 1.0, "doubtful": False}]


async def test_no_alignment() -> None:
    response = (await outcome(session(), "Ja.", alignment="none"))["response"]
    assert response["alignment"] is None
    assert response["soft"] is None


async def test_soft_alignment() -> None:
    response = (await outcome(session(), "𝄞J.\n12", alignment="soft"))["response"]
    assert response["alignment"]["sourceWords"] == [[0, 2], [2, 3], [3, 4], [5, 7]]
    soft = response["soft"][0]
    assert soft["target"] == [[0, 2], [2, 3], [3, 4]]
    assert soft["source"] == [*soft["target"], [4, 4]]  # EOS
    assert soft["matrix"] == [float(t == s) for t in range(3) for s in range(4)]
    assert len(response["soft"]) == len(response["sentences"]) == 2


async def test_a_copied_sentence_has_no_soft_alignment() -> None:
    response = (await outcome(session(), "你好。\nJa.", alignment="soft"))["response"]
    assert response["soft"][0] is None
    assert response["soft"][1] is not None
    assert response["warnings"][0]["code"] == "sentence-copied"
    assert response["warnings"][0]["span"] == [0, 3]


async def test_spans_of_warnings_are_utf16() -> None:
    response = (await outcome(session(), "😀\n你好。"))["response"]
    assert [warning["span"] for warning in response["warnings"]] == [[3, 6]]


@pytest.mark.parametrize("text", BAD_TEXTS.values(), ids=BAD_TEXTS)
async def test_bad_texts(text: str) -> None:
    response = (await outcome(session(), text, alignment="soft"))["response"]
    assert_ranges(text, response)


@given(st.text(st.one_of(st.characters(exclude_categories=()), st.sampled_from("a. 😀\ud800"))))
@settings(max_examples=150, deadline=None)
def test_any_text_crosses(text: str) -> None:
    # What JavaScript can send: a pair of surrogates is one character.
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")

    async def run() -> Any:
        made = session()
        try:
            return await outcome(made, text, alignment="soft")
        finally:
            await made.close()

    assert_ranges(text, asyncio.run(run())["response"])


def assert_ranges(text: str, response: dict[str, Any]) -> None:
    """Ranges are in order and cover both texts as JavaScript counts; gaps are the same."""
    read = written = 0
    for sentence in response["sentences"]:
        (start, end), (to, until) = sentence["source"], sentence["target"]
        assert read <= start <= end
        assert written <= to <= until
        assert javascript_slice(text, read, start) == javascript_slice(
            response["text"], written, to
        )
        read, written = end, until
    assert javascript_slice(text, read, 1 << 30) == javascript_slice(
        response["text"], written, 1 << 30
    )
    last = 0
    for start, end in response["alignment"]["sourceWords"]:
        assert last <= start < end
        last = end
        assert javascript_slice(text, start, end).strip()
    assert last <= len(text.encode("utf-16-le", "surrogatepass")) // 2


# --- bad requests ----------------------------------------------------------------------------


def test_read_request() -> None:
    read = read_request(request_json("Ja", alignment="soft", overlong="refuse"))
    assert (read.text, read.source, read.target) == ("Ja", "de", "en")
    assert read.alignment is AlignmentKind.SOFT
    assert read.overlong is OverlongPolicy.REFUSE
    options = {"priority": "near", "deadline": 2, "whenFull": "wait", "cache": False}
    read = read_request(request_json("Ja", **options))
    assert (read.priority, read.deadline) == (Priority.NEAR, 2.0)
    assert (read.when_full, read.cache) == (WhenFull.WAIT, False)
    defaults = read_request(request_json("Ja"))
    assert (defaults.alignment, defaults.overlong) == (AlignmentKind.HARD, OverlongPolicy.WRAP)
    assert (defaults.priority, defaults.deadline) == (Priority.INTERACTIVE, None)
    assert (defaults.when_full, defaults.cache) == (WhenFull.REFUSE, True)


BAD_REQUESTS = {
    "empty": "",
    "no JSON": "{",
    "null": "null",
    "list": "[]",
    "string": '"text"',
    "number": "1",
    "no text": '{"source": "de", "target": "en"}',
    "no languages": '{"text": "Ja"}',
    "text is a number": '{"text": 3, "source": "de", "target": "en"}',
    "text is null": '{"text": null, "source": "de", "target": "en"}',
    "source is null": '{"text": "", "source": null, "target": "en"}',
    "source is a list": '{"text": "", "source": ["de"], "target": "en"}',
    "alignment": '{"text": "", "source": "de", "target": "en", "alignment": "yes"}',
    "alignment is a list": '{"text": "", "source": "de", "target": "en", "alignment": []}',
    "overlong": '{"text": "", "source": "de", "target": "en", "overlong": 1}',
    "priority": '{"text": "", "source": "de", "target": "en", "priority": "soon"}',
    "deadline is a word": '{"text": "", "source": "de", "target": "en", "deadline": "soon"}',
    "deadline is true": '{"text": "", "source": "de", "target": "en", "deadline": true}',
    "deadline is past": '{"text": "", "source": "de", "target": "en", "deadline": -1}',
    "deadline is huge": '{"text": "", "source": "de", "target": "en", "deadline": 1e999}',
    "deadline is more": '{"text": "", "source": "de", "target": "en", "deadline": 1'
    + "0" * 400
    + "}",
    "cache": '{"text": "", "source": "de", "target": "en", "cache": 1}',
    "whenFull": '{"text": "", "source": "de", "target": "en", "whenFull": "shout"}',
    "deep": "[" * 200_000,
    "a huge number": '{"text": 1' + "0" * 10_000 + "}",
    "surrogates": '"\ud800"',
}


@pytest.mark.parametrize("text", BAD_REQUESTS.values(), ids=BAD_REQUESTS)
async def test_bad_requests(text: Any) -> None:
    answer = strict(await session().translate(1, text))
    assert answer["ok"] is False
    assert answer["error"]["code"] == "invalid-request"
    assert len(answer["error"]["message"]) < 1_000


async def test_errors_cross_with_code_and_details() -> None:
    made = session(limits=Limits(text_characters=5))
    ended = await outcome(made, "zu lang")
    assert ended == {
        "ok": False,
        "error": {
            "code": "text-too-long",
            "message": "the text has too many characters: 7 requested, 5 allowed",
            "details": {"requested": 7, "allowed": 5},
        },
    }
    ended = await outcome(made, "Ja", target="\ud800")
    assert ended["error"]["code"] == "language-pair"
    assert ended["error"]["details"] == {"source": "de", "target": "\ud800"}


# --- life of a request -----------------------------------------------------------------------


async def test_progress() -> None:
    seen = []
    made = session()
    await made.translate(1, request_json("Ja. Nein."), lambda *progress: seen.append(progress))
    assert seen == [("queued", 0, 2), ("running", 2, 2)]
    assert all(type(state) is str for state, _, _ in seen)


async def test_a_progress_function_that_throws() -> None:
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)

    def broken(*_: object) -> None:
        raise RuntimeError("the page has gone")

    made = session()
    answer = strict(await asyncio.wait_for(made.translate(1, request_json("Ja."), broken), 10))
    assert answer["ok"]


async def test_cancel() -> None:
    made = session(HeldEngine())
    waiting = asyncio.ensure_future(made.translate(7, request_json("Ja.")))
    await turns()
    made.cancel(8)  # unknown
    made.cancel(7)
    answer = strict(await asyncio.wait_for(waiting, 5))
    assert answer["error"]["code"] == "cancelled"
    made.cancel(7)
    assert made._open == {}


async def test_prioritize() -> None:
    engine = HeldEngine()
    made = session(engine, Limits(batch_rows=1))
    waiting = [
        asyncio.ensure_future(made.translate(number, request_json(text, priority="background")))
        for number, text in enumerate(["Ja.", "Na.", "So."])
    ]
    await turns()
    made.prioritize(2, "visible")
    made.prioritize(9, "visible")  # unknown
    with pytest.raises(ValueError, match="soon"):
        made.prioritize(2, "soon")
    for _ in range(3):
        engine.release()
        await turns()
    assert [batch.segments[0].request for batch, *_ in engine.calls] == [1, 3, 2]
    assert all(strict(answer)["ok"] for answer in await asyncio.gather(*waiting))


async def test_a_deadline_crosses_with_its_figures() -> None:
    made = session(HeldEngine())
    answer = strict(
        await asyncio.wait_for(made.translate(7, request_json("Ja.", deadline=0.02)), 5)
    )
    assert answer["error"]["code"] == "deadline"
    assert answer["error"]["details"] == {"deadline": 0.02, "done": 0, "total": 1}
    assert made._open == {}


async def test_statistics() -> None:
    made = session()
    await made.translate(1, request_json("Ja."))
    figures = strict(made.statistics())
    assert (figures["submitted"], figures["done"], figures["open_requests"]) == (1, 1, 0)


async def test_statistics_of_streams_and_graphs() -> None:
    made = session(HeldEngine())
    options = json.dumps({"source": "de", "target": "en"})
    template = [{"input": "a"}, {"output": "b"}]
    request = {"source": "de", "target": "en", "template": template}
    made.start(1, options)
    graph = made.graph(2, json.dumps({"variables": {"a": "Ja."}, "requests": [request]}))
    await turns(50)
    figures = strict(made.statistics())
    assert (figures["open_streams"], figures["open_graphs"], figures["open_requests"]) == (1, 1, 1)
    made.cancel(1)
    made.cancel(2)
    await graph
    figures = strict(made.statistics())
    assert (figures["open_streams"], figures["open_graphs"], figures["open_requests"]) == (0, 0, 0)


async def test_sentences_that_the_host_keeps() -> None:
    first = Session(pipeline(), EchoEngine(), Limits(), "[]")
    await outcome(first, "Ja. Nein.")
    news = strict(first.news(10))
    assert {one["text"] for one in news} == {"Ja.", "Nein."}
    assert {(one["model"], one["dropped"]) for one in news} == {("ab cd", False)}
    assert strict(first.news(10)) == []
    kept = json.dumps([[one["options"], one["text"], one["line"]] for one in news])
    second = Session(pipeline(), HeldEngine(), Limits(), kept)
    ended = await outcome(second, "Nein. Ja.")
    assert ended["response"]["text"] == "Nein. Ja."
    figures = strict(second.statistics())
    assert (figures["kept_hits"], figures["cache_hits"], figures["mini_batches"]) == (2, 2, 0)
    assert [one["line"] for one in strict(second.news(10))] == [None, None]  # used again
    second.clear_cache()
    assert strict(second.statistics())["cache_entries"] == 0


async def test_a_host_that_keeps_nothing_hears_nothing() -> None:
    made = session()
    await outcome(made, "Ja.")
    assert strict(made.news(10)) == []


async def test_close_settles_as_cancelled() -> None:
    made = session(HeldEngine())
    waiting = asyncio.ensure_future(made.translate(7, request_json("Ja.")))
    await turns()
    await asyncio.wait_for(made.close(), 5)
    assert strict(await waiting)["error"]["code"] == "cancelled"
    late = strict(await made.translate(8, request_json("Ja.")))
    assert late["error"]["code"] == "cancelled"
    assert made._open == {}


async def test_an_id_used_twice_is_refused_and_the_first_goes_on() -> None:
    engine = HeldEngine()
    made = session(engine)
    first = asyncio.ensure_future(made.translate(7, request_json("Ja.")))
    await turns()
    second = strict(await asyncio.wait_for(made.translate(7, request_json("Nein.")), 5))
    assert second["error"]["code"] == "invalid-request"
    engine.release()
    assert strict(await first)["response"]["text"] == "Ja."
    assert made._open == {}


async def test_what_no_one_foresaw_is_an_outcome_too() -> None:
    class Broken(CharacterTokenizer):
        def encode(self, sentences: Sequence[str]) -> NoReturn:  # noqa: ARG002
            raise MemoryError

    ended = await outcome(session(tokenizer=Broken()), "Ja.")
    assert ended["error"]["code"] == DragomanError.code
