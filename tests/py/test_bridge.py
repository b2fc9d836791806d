"""The door that JavaScript uses: JSON in, JSON out, UTF-16 outside, never an exception."""

import asyncio
import json
from array import array
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.bridge import Session, open_session
from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine, HeldEngine
from dragoman.errors import (
    BundleError,
    DragomanError,
    InvalidRequestError,
)
from dragoman.types import AlignmentKind, OverlongPolicy, Priority, WhenFull
from dragoman.wire.requests import read_request
from tests.support.bad_texts import BAD_TEXTS
from tests.support.helpers import CharacterTokenizer, manifest_data, pipeline, turns
from tests.support.hosts import TINY_VOCABULARY

TINY = TINY_VOCABULARY.read_bytes()


def session(engine=None, limits=None, **options) -> Session:
    limits = limits or Limits()
    return Session(pipeline(limits=limits, **options), engine or EchoEngine(), limits)


def request_json(text: str, **fields) -> str:
    return json.dumps({"text": text, "source": "de", "target": "en", **fields})


async def outcome(made: Session, text: str, **fields):
    return strict(await asyncio.wait_for(made.translate(1, request_json(text, **fields)), 20))


def strict(text: str):
    """As JavaScript's JSON.parse reads it: no NaN, no Infinity; and plain ASCII on the way."""
    assert text.isascii()

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    return json.loads(text, parse_constant=refuse)


def javascript_slice(text: str, start: int, end: int) -> str:
    encoded = text.encode("utf-16-le", "surrogatepass")
    return encoded[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")


# --- responses -----------------------------------------------------------------------------------


async def test_a_response():
    found = await outcome(session(), "Ja 😀. Nein!")
    assert found["ok"] is True
    response = found["response"]
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


async def test_a_glossary():
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


async def test_no_alignment():
    response = (await outcome(session(), "Ja.", alignment="none"))["response"]
    assert response["alignment"] is None
    assert response["soft"] is None


async def test_soft_alignment():
    response = (await outcome(session(), "𝄞J.\n12", alignment="soft"))["response"]
    assert response["alignment"]["sourceWords"] == [[0, 2], [2, 3], [3, 4], [5, 7]]
    soft = response["soft"][0]
    assert soft["target"] == [[0, 2], [2, 3], [3, 4]]
    assert soft["source"] == [*soft["target"], [4, 4]]  # EOS
    assert soft["matrix"] == [float(t == s) for t in range(3) for s in range(4)]
    assert len(response["soft"]) == len(response["sentences"]) == 2


async def test_a_copied_sentence_has_no_soft_alignment():
    response = (await outcome(session(), "你好。\nJa.", alignment="soft"))["response"]
    assert response["soft"][0] is None
    assert response["soft"][1] is not None
    assert response["warnings"][0]["code"] == "sentence-copied"
    assert response["warnings"][0]["span"] == [0, 3]


async def test_spans_of_warnings_are_utf16():
    response = (await outcome(session(), "😀\n你好。"))["response"]
    assert [warning["span"] for warning in response["warnings"]] == [[3, 6]]


@pytest.mark.parametrize("text", BAD_TEXTS.values(), ids=BAD_TEXTS)
async def test_bad_texts(text):
    response = (await outcome(session(), text, alignment="soft"))["response"]
    assert_ranges(text, response)


@given(st.text(st.one_of(st.characters(exclude_categories=()), st.sampled_from("a. 😀\ud800"))))
@settings(max_examples=150, deadline=None)
def test_any_text_crosses(text):
    # What JavaScript can send: a pair of surrogates is one character.
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")

    async def run():
        made = session()
        try:
            return await outcome(made, text, alignment="soft")
        finally:
            await made.close()

    assert_ranges(text, asyncio.run(run())["response"])


def assert_ranges(text: str, response) -> None:
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


# --- bad requests --------------------------------------------------------------------------------


def test_read_request():
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
async def test_bad_requests(text):
    found = strict(await session().translate(1, text))
    assert found["ok"] is False
    assert found["error"]["code"] == "invalid-request"
    assert len(found["error"]["message"]) < 1_000


async def test_errors_cross_with_code_and_details():
    made = session(limits=Limits(text_characters=5))
    found = await outcome(made, "zu lang")
    assert found == {
        "ok": False,
        "error": {
            "code": "text-too-long",
            "message": "the text has too many characters: 7 requested, 5 allowed",
            "details": {"requested": 7, "allowed": 5},
        },
    }
    found = await outcome(made, "Ja", target="\ud800")
    assert found["error"]["code"] == "language-pair"
    assert found["error"]["details"] == {"source": "de", "target": "\ud800"}


# --- life of a request ---------------------------------------------------------------------------


async def test_progress():
    seen = []
    made = session()
    await made.translate(1, request_json("Ja. Nein."), lambda *progress: seen.append(progress))
    assert seen == [("queued", 0, 2), ("running", 2, 2)]
    assert all(type(state) is str for state, _, _ in seen)


async def test_a_progress_function_that_throws():
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)

    def broken(*_):
        raise RuntimeError("the page has gone")

    made = session()
    found = strict(await asyncio.wait_for(made.translate(1, request_json("Ja."), broken), 10))
    assert found["ok"]


async def test_cancel():
    made = session(HeldEngine())
    waiting = asyncio.ensure_future(made.translate(7, request_json("Ja.")))
    await turns()
    made.cancel(8)  # unknown
    made.cancel(7)
    found = strict(await asyncio.wait_for(waiting, 5))
    assert found["error"]["code"] == "cancelled"
    made.cancel(7)
    assert made._open == {}


async def test_prioritize():
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
    assert all(strict(found)["ok"] for found in await asyncio.gather(*waiting))


async def test_a_deadline_crosses_with_its_figures():
    made = session(HeldEngine())
    found = strict(await asyncio.wait_for(made.translate(7, request_json("Ja.", deadline=0.02)), 5))
    assert found["error"]["code"] == "deadline"
    assert found["error"]["details"] == {"deadline": 0.02, "done": 0, "total": 1}
    assert made._open == {}


async def test_statistics():
    made = session()
    await made.translate(1, request_json("Ja."))
    figures = strict(made.statistics())
    assert (figures["submitted"], figures["done"], figures["open_requests"]) == (1, 1, 0)


async def test_statistics_of_streams_and_graphs():
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


async def test_sentences_that_the_host_keeps():
    first = Session(pipeline(), EchoEngine(), Limits(), "[]")
    await outcome(first, "Ja. Nein.")
    news = strict(first.news(10))
    assert {one["text"] for one in news} == {"Ja.", "Nein."}
    assert {(one["model"], one["dropped"]) for one in news} == {("ab cd", False)}
    assert strict(first.news(10)) == []
    kept = json.dumps([[one["options"], one["text"], one["line"]] for one in news])
    second = Session(pipeline(), HeldEngine(), Limits(), kept)
    found = await outcome(second, "Nein. Ja.")
    assert found["response"]["text"] == "Nein. Ja."
    figures = strict(second.statistics())
    assert (figures["kept_hits"], figures["cache_hits"], figures["mini_batches"]) == (2, 2, 0)
    assert [one["line"] for one in strict(second.news(10))] == [None, None]  # used again
    second.clear_cache()
    assert strict(second.statistics())["cache_entries"] == 0


async def test_a_host_that_keeps_nothing_hears_nothing():
    made = session()
    await outcome(made, "Ja.")
    assert strict(made.news(10)) == []


async def test_close_settles_as_cancelled():
    made = session(HeldEngine())
    waiting = asyncio.ensure_future(made.translate(7, request_json("Ja.")))
    await turns()
    await asyncio.wait_for(made.close(), 5)
    assert strict(await waiting)["error"]["code"] == "cancelled"
    late = strict(await made.translate(8, request_json("Ja.")))
    assert late["error"]["code"] == "cancelled"
    assert made._open == {}


async def test_an_id_used_twice_is_refused_and_the_first_goes_on():
    engine = HeldEngine()
    made = session(engine)
    first = asyncio.ensure_future(made.translate(7, request_json("Ja.")))
    await turns()
    second = strict(await asyncio.wait_for(made.translate(7, request_json("Nein.")), 5))
    assert second["error"]["code"] == "invalid-request"
    engine.release()
    assert strict(await first)["response"]["text"] == "Ja."
    assert made._open == {}


async def test_what_no_one_foresaw_is_an_outcome_too():
    class Broken(CharacterTokenizer):
        def encode(self, sentences):  # noqa: ARG002
            raise MemoryError

    found = await outcome(session(tokenizer=Broken()), "Ja.")
    assert found["error"]["code"] == DragomanError.code


# --- opening -------------------------------------------------------------------------------------


@dataclass
class TypedArray:
    """As Pyodide shows a JavaScript typed array."""

    values: array

    def to_bytes(self) -> bytes:
        return self.values.tobytes()


@dataclass
class RunResult:
    steps: int
    ids: TypedArray
    logProbabilities: TypedArray  # noqa: N815
    attention: TypedArray


async def _copying(ids, lengths, limits, rows, width, attention):
    """What the engine worker would answer if its model copied."""
    assert (len(ids), len(lengths), len(limits)) == (rows * width, rows, rows)
    assert memoryview(ids).itemsize == memoryview(lengths).itemsize == 4
    matrix = array("f", [float(row == column) for _ in range(rows) for row in range(width)
                         for column in range(width)])  # fmt: skip
    return RunResult(
        width,
        TypedArray(array("i", ids)),
        TypedArray(array("f", [0.0]) * (rows * width)),
        TypedArray(matrix if attention else array("f")),
    )


copying_run: Any = _copying
copying_run.close = lambda: None


def tiny_manifest(**changes) -> str:
    from dragoman.text.tokenizer import SentencePieceTokenizer

    size = SentencePieceTokenizer(TINY).size
    return json.dumps(
        manifest_data(architecture={"vocabulary_size": size, "dimension": 256}, **changes)
    )


async def test_open_and_translate():
    made = open_session(tiny_manifest(), TINY, copying_run, '{"batch_rows": 2}')
    found = await outcome(made, "the reader.", alignment="soft")
    assert found["response"]["text"] == "the reader."
    await made.close()


async def test_a_run_that_rejects():
    async def rejecting(*_):
        raise OSError("the engine worker has gone")

    rejects: Any = rejecting
    made = open_session(tiny_manifest(), TINY, rejects)
    found = await outcome(made, "the reader.")
    assert found["error"]["code"] == "engine"
    assert "the engine worker has gone" in found["error"]["message"]


async def test_a_run_that_gives_broken_buffers():
    async def breaking(ids, lengths, limits, rows, width, attention):
        good = await copying_run(ids, lengths, limits, rows, width, attention)
        good.ids.values = array("b", [1, 2, 3])
        return good

    broken: Any = breaking
    made = open_session(tiny_manifest(), TINY, broken)
    assert (await outcome(made, "the reader."))["error"]["code"] == "engine"


@pytest.mark.parametrize(
    ("manifest_json", "vocabulary"),
    [
        ("", TINY),
        ("{}", TINY),
        (json.dumps(manifest_data()), TINY),  # of another size
        (tiny_manifest(), b""),
        (tiny_manifest(), TINY[:-10]),
        (tiny_manifest(), b"not a vocabulary"),
        (tiny_manifest(format=9), TINY),
    ],
)
async def test_bundles_that_cannot_be_used(manifest_json, vocabulary):
    with pytest.raises(BundleError):
        open_session(manifest_json, vocabulary, copying_run)


@pytest.mark.parametrize(
    "limits",
    [
        "{",
        "[]",
        "3",
        '{"batch_row": 2}',
        '{"batch_rows": 0}',
        '{"batch_rows": -1}',
        '{"batch_rows": "2"}',
        '{"batch_rows": 2.5}',
        '{"slice_sentences": null}',
        '{"text_characters": true}',
    ],
)
async def test_bad_limits(limits):
    with pytest.raises(InvalidRequestError):
        open_session(tiny_manifest(), TINY, copying_run, limits)


@pytest.mark.parametrize("limits", [None, "", "{}", '{"batch_pieces": 64}'])
async def test_good_limits(limits):
    await open_session(tiny_manifest(), TINY, copying_run, limits).close()


# --- several models ------------------------------------------------------------------------------


@dataclass
class Loaded:
    """What the page's loader resolves to."""

    manifest: str
    vocabulary: TypedArray
    run: Any
    kept: str | None = None


class Site:
    """A site with more models; `hold` keeps them from coming."""

    def __init__(self) -> None:
        self.loads: list[str] = []
        self.released = asyncio.Event()
        self.released.set()

    async def load(self, bundle: str) -> Any:
        self.loads.append(bundle)
        await self.released.wait()
        if bundle == "broken":
            raise OSError("status 404")
        source, target = bundle.split("-")
        manifest = tiny_manifest(source=source, target=target, name=bundle)
        return Loaded(manifest, TypedArray(array("b", TINY)), copying_run)


def site_session(**limits) -> tuple[Session, Site]:
    made = open_session(tiny_manifest(), TINY, copying_run, json.dumps(limits) if limits else None)
    site = Site()
    models = [
        {"bundle": bundle, "source": source, "target": target, "bytes": 100}
        for bundle, source, target in (
            ("de-en", "de", "en"), ("en-fr", "en", "fr"), ("broken", "en", "xx")
        )
    ]  # fmt: skip
    made.offer(json.dumps(models), site.load)
    return made, site


async def test_a_model_is_loaded_on_demand():
    made, site = site_session()
    assert (await outcome(made, "the reader."))["response"]["text"] == "the reader."
    assert site.loads == []
    found = await outcome(made, "the reader.", source="en", target="fr")
    assert found["response"]["text"] == "the reader."
    await outcome(made, "the reader.", source="en", target="fr")
    assert site.loads == ["en-fr"]
    await made.close()


async def test_a_pair_without_a_model_goes_over_english():
    made, site = site_session()
    found = await outcome(made, "the reader.\n\U0001f600 the reader.", target="fr")
    response = found["response"]
    assert response["text"] == "the reader.\n\U0001f600 the reader."
    assert [sentence["target"] for sentence in response["sentences"]] == [[0, 11], [12, 26]]
    assert site.loads == ["en-fr"]
    await made.close()


async def test_a_model_that_does_not_come_fails_its_requests_only():
    made, _ = site_session()
    found = await outcome(made, "the reader.", source="en", target="xx")
    assert found["error"]["code"] == "bundle"
    assert (await outcome(made, "the reader."))["ok"]
    found = await outcome(made, "the reader.", source="fr", target="xx")
    assert found["error"]["code"] == "language-pair"
    await made.close()


async def test_cancel_while_a_model_is_loading():
    made, site = site_session()
    site.released.clear()
    asked = request_json("the reader.", source="en", target="fr")
    waiting = asyncio.ensure_future(made.translate(7, asked))
    await turns()
    made.prioritize(7, "background")
    made.cancel(7)
    assert strict(await asyncio.wait_for(waiting, 5))["error"]["code"] == "cancelled"
    assert made._open == {}
    site.released.set()
    await made.close()


async def test_the_first_model_comes_back_when_it_was_unloaded():
    made, site = site_session(model_bytes=1)
    await outcome(made, "the reader.")
    await outcome(made, "the reader.", source="en", target="fr")
    assert (await outcome(made, "a reader."))["response"]["text"] == "a reader."
    assert site.loads == ["en-fr", "de-en"]
    await made.close()


async def test_models_that_cannot_be_read():
    made, site = site_session()
    with pytest.raises(InvalidRequestError):
        made.offer('[{"bundle": "x"}]', site.load)
    await made.close()


# --- dependent requests ---------------------------------------------------------------------------


def graph_json(variables, *templates) -> str:
    requests = [{"source": "de", "target": "en", "template": template} for template in templates]
    return json.dumps({"variables": variables, "requests": requests})


async def test_a_graph():
    made = session()
    asked = graph_json(
        {"a": "Ja 😀."}, [{"input": "b"}, {"output": "c"}], ["# ", {"input": "a"}, {"output": "b"}]
    )
    found = strict(await asyncio.wait_for(made.graph(1, asked), 10))
    assert list(found["outputs"]) == ["b", "c"]
    assert found["outputs"]["c"]["response"]["text"] == "# Ja 😀."
    assert found["outputs"]["b"]["response"]["sentences"][0]["source"] == [2, 8]
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
async def test_graphs_that_cannot_be_run(asked, code):
    made = session()
    assert strict(await made.graph(1, asked))["error"]["code"] == code
    await made.close()


async def test_cancelling_a_graph():
    made = session(HeldEngine())
    asked = graph_json({"a": "Ja."}, [{"input": "a"}, {"output": "b"}])
    waiting = asyncio.ensure_future(made.graph(3, asked))
    await turns()
    made.cancel(3)
    assert strict(await asyncio.wait_for(waiting, 5))["error"]["code"] == "cancelled"
    assert made._open == {}
    await made.close()


async def test_each_output_is_told_as_soon_as_it_has_ended():
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


async def test_taking_back_one_output_reaches_exactly_what_depends_on_it():
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


async def test_what_is_cancelled_before_it_has_begun_never_begins():
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


# --- streams -------------------------------------------------------------------------------------


def options_json(**fields) -> str:
    return json.dumps({"source": "de", "target": "en", **fields})


async def streamed(made: Session, chunks, client_id=1, **fields):
    """The pieces of a stream, fed chunk by chunk, and its last outcome."""
    assert strict(made.start(client_id, options_json(**fields))) == {"ok": True}

    async def feed() -> None:
        for chunk in chunks:
            if not await made.feed(client_id, json.dumps(chunk)):
                return
        await made.finish(client_id)

    feeding = asyncio.ensure_future(feed())
    pieces = []
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


async def test_a_stream_fed_one_unit_at_a_time_is_the_text_as_one_request():
    text = "Ja 😀. Um ca. 8 Uhr, 👩‍👩‍👧, z.B. heute!\n\nNein? \ud800 Gut."
    made = session()
    pieces, last = await streamed(made, units(text), alignment="soft")
    assert last == {"ok": True, "piece": None}
    whole = (await outcome(made, text, alignment="soft"))["response"]
    assert "".join(piece["text"] for piece in pieces) == whole["text"]
    assert [one for piece in pieces for one in piece["sentences"]] == whole["sentences"]
    for side in "sourceWords", "targetWords":
        found = [word for piece in pieces for word in piece["alignment"][side]]
        assert found == whole["alignment"][side]
    assert [soft["source"] for piece in pieces for soft in piece["soft"] or ()] == [
        soft["source"] for soft in whole["soft"]
    ]
    ends = [0, *(piece["source"][1] for piece in pieces)]
    assert [piece["source"][0] for piece in pieces] == ends[:-1]
    assert ends[-1] == len(units(text))
    assert made._streams == {}
    await made.close()


async def test_a_sentence_comes_before_the_text_has_ended():
    made = session()
    made.start(1, options_json())
    assert await made.feed(1, json.dumps("Ja. Und dann"))
    waiting = asyncio.ensure_future(made.next_piece(1))
    assert await made.feed(1, json.dumps(" kam"))
    assert strict(await asyncio.wait_for(waiting, 10))["piece"]["text"] == "Ja."
    await made.close()
    assert strict(await made.next_piece(1))["error"]["code"] == "cancelled"


async def test_feeding_waits_for_the_reader():
    made = session(limits=Limits(stream_sentences=2))
    made.start(1, options_json())
    feeding = asyncio.ensure_future(made.feed(1, json.dumps("a.\nb.\nc.\nd.\n")))
    await turns(50)
    assert not feeding.done()
    for letter in "ab":
        assert strict(await made.next_piece(1))["piece"]["text"].strip() == f"{letter}."
    assert await asyncio.wait_for(feeding, 10)
    await made.close()


async def test_a_stream_that_fails_gives_what_came_before_it():
    made = session()
    pieces, last = await streamed(made, ["ja.\n", "wort " * 90, "\nnein.\n"], overlong="refuse")
    assert [piece["text"] for piece in pieces] == ["ja."]
    assert last["error"]["code"] == "sentence-too-long"
    assert made._streams == {}
    assert await made.feed(1, '"x"') is False
    assert await made.finish(1) is False
    await made.close()


@pytest.mark.parametrize("options", ["", "[]", "{}", '{"source": 1, "target": "en"}'])
async def test_streams_that_cannot_begin(options):
    made = session()
    assert strict(made.start(1, options))["error"]["code"] == "invalid-request"
    assert made._streams == {}
    await made.close()


async def test_an_id_of_a_stream_is_used_once():
    made = session(HeldEngine())
    made.start(1, options_json())
    assert strict(made.start(1, options_json()))["error"]["code"] == "invalid-request"
    found = strict(await made.translate(1, request_json("Ja.")))
    assert found["error"]["code"] == "invalid-request"
    await made.close()


async def test_cancelling_a_stream_settles_who_feeds_and_who_reads():
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
