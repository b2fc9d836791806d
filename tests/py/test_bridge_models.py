"""The door that JavaScript uses: a session is opened, and more models come on demand."""

import asyncio
import json
from array import array
from dataclasses import dataclass
from typing import Any

import pytest

from dragoman.bridge import Session, open_session
from dragoman.errors import (
    BundleError,
    InvalidRequestError,
)
from tests.support.door import (
    TINY,
    TypedArray,
    copying_run,
    outcome,
    request_json,
    strict,
    tiny_manifest,
)
from tests.support.helpers import manifest_data, turns

# --- opening ---------------------------------------------------------------------------------


async def test_open_and_translate() -> None:
    made = open_session(tiny_manifest(), TINY, copying_run, '{"batch_rows": 2}')
    ended = await outcome(made, "the reader.", alignment="soft")
    assert ended["response"]["text"] == "the reader."
    await made.close()


async def test_a_run_that_rejects() -> None:
    async def rejecting(*_: object) -> None:
        raise OSError("the engine worker has gone")

    rejects: Any = rejecting
    made = open_session(tiny_manifest(), TINY, rejects)
    ended = await outcome(made, "the reader.")
    assert ended["error"]["code"] == "engine"
    assert "the engine worker has gone" in ended["error"]["message"]


async def test_a_run_that_gives_broken_buffers() -> None:
    async def breaking(
        ids: Any, lengths: Any, limits: Any, rows: int, width: int, attention: bool
    ) -> Any:
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
async def test_bundles_that_cannot_be_used(manifest_json: str, vocabulary: bytes) -> None:
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
async def test_bad_limits(limits: str) -> None:
    with pytest.raises(InvalidRequestError):
        open_session(tiny_manifest(), TINY, copying_run, limits)


@pytest.mark.parametrize("limits", [None, "", "{}", '{"batch_pieces": 64}'])
async def test_good_limits(limits: str | None) -> None:
    await open_session(tiny_manifest(), TINY, copying_run, limits).close()


# --- several models --------------------------------------------------------------------------


@dataclass
class Loaded:
    """What the page's loader resolves to."""

    manifest: str
    vocabulary: TypedArray
    run: Any
    names: TypedArray | None = None
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


def site_session(**limits: Any) -> tuple[Session, Site]:
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


async def test_a_model_is_loaded_on_demand() -> None:
    made, site = site_session()
    assert (await outcome(made, "the reader."))["response"]["text"] == "the reader."
    assert site.loads == []
    ended = await outcome(made, "the reader.", source="en", target="fr")
    assert ended["response"]["text"] == "the reader."
    await outcome(made, "the reader.", source="en", target="fr")
    assert site.loads == ["en-fr"]
    await made.close()


async def test_a_model_is_loaded_before_it_is_needed() -> None:
    made, site = site_session()
    assert strict(await made.load(1, "en", "fr")) == {"ok": True}
    assert site.loads == ["en-fr"]
    assert strict(await made.load(2, "en", "fr")) == {"ok": True}
    await outcome(made, "the reader.", source="en", target="fr")
    assert site.loads == ["en-fr"]
    assert strict(await made.load(3, "en", "xx"))["error"]["code"] == "bundle"
    assert strict(await made.load(4, "fr", "xx"))["error"]["code"] == "language-pair"
    site.released.clear()
    made.offer('[{"bundle": "en-es", "source": "en", "target": "es", "bytes": 100}]', site.load)
    waiting = asyncio.ensure_future(made.load(5, "en", "es"))
    await turns()
    made.cancel(5)
    assert strict(await asyncio.wait_for(waiting, 5))["error"]["code"] == "cancelled"
    site.released.set()
    await made.close()


class Run:
    """What runs a model's mini-batches, and is told to give its memory back."""

    def __init__(self, name: str, closed: list[str]) -> None:
        self._name, self._closed = name, closed

    def __call__(
        self, ids: Any, lengths: Any, limits: Any, rows: int, width: int, attention: bool, *_: Any
    ) -> Any:
        return copying_run(ids, lengths, limits, rows, width, attention)

    def stop(self) -> None: ...

    def close(self) -> None:
        self._closed.append(self._name)


async def test_a_model_that_nobody_asks_for_any_more_is_unloaded() -> None:
    closed: list[str] = []
    made = open_session(tiny_manifest(), TINY, Run("de-en", closed), None)
    site = Site()
    made.offer('[{"bundle": "de-en", "source": "de", "target": "en", "bytes": 100}]', site.load)
    await made.unload("en", "fr")
    assert closed == []
    await made.unload("de", "en")  # It was never asked for.
    assert closed == ["de-en"]
    assert (await outcome(made, "the reader."))["response"]["text"] == "the reader."
    await made.unload("de", "en")
    await turns()
    await outcome(made, "the reader.")
    assert site.loads == ["de-en", "de-en"]
    await made.close()


async def test_a_pair_without_a_model_goes_over_english() -> None:
    made, site = site_session()
    ended = await outcome(made, "the reader.\n\U0001f600 the reader.", target="fr")
    response = ended["response"]
    assert response["text"] == "the reader.\n\U0001f600 the reader."
    assert [sentence["target"] for sentence in response["sentences"]] == [[0, 11], [12, 26]]
    assert site.loads == ["en-fr"]
    await made.close()


async def test_a_model_that_does_not_come_fails_its_requests_only() -> None:
    made, _ = site_session()
    ended = await outcome(made, "the reader.", source="en", target="xx")
    assert ended["error"]["code"] == "bundle"
    assert (await outcome(made, "the reader."))["ok"]
    ended = await outcome(made, "the reader.", source="fr", target="xx")
    assert ended["error"]["code"] == "language-pair"
    await made.close()


async def test_cancel_while_a_model_is_loading() -> None:
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


async def test_the_first_model_comes_back_when_it_was_unloaded() -> None:
    made, site = site_session(model_bytes=1)
    await outcome(made, "the reader.")
    await outcome(made, "the reader.", source="en", target="fr")
    assert (await outcome(made, "a reader."))["response"]["text"] == "a reader."
    assert site.loads == ["en-fr", "de-en"]
    await made.close()


async def test_models_that_cannot_be_read() -> None:
    made, site = site_session()
    with pytest.raises(InvalidRequestError):
        made.offer('[{"bundle": "x"}]', site.load)
    await made.close()
