"""LibreTranslate's own client, and what it does not ask."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import httpx
import pytest
from deep_translator import LibreTranslator
from libretranslatepy import LibreTranslateAPI
from pydantic import ValidationError

from dragoman.engines.fake import HeldEngine
from dragoman.native.bundles import Parts
from dragoman.server import Settings, create_app
from dragoman.server.libretranslate import routes
from tests.support.helpers import pipeline
from tests.support.hosts import capital_parts
from tests.support.paths import ROOT
from tests.support.serving import PAIR, client, figures, key, serving

GERMAN = "Heute gehen wir in den Laden, um Brot zu kaufen."


@pytest.fixture(scope="module")
def published() -> Iterator[LibreTranslateAPI]:
    """The published client, and a server that translates into capitals."""
    with serving(create_app(Settings(), lambda *_: capital_parts())) as address:
        yield LibreTranslateAPI(address)


def test_the_published_client_translates(published: LibreTranslateAPI) -> None:
    assert published.translate("Guten Tag.", "de", "en") == "GUTEN TAG."
    assert published.translate(GERMAN, "auto", "en") == GERMAN.upper()


def test_the_published_client_detects(published: LibreTranslateAPI) -> None:
    assert published.detect(GERMAN) == [{"confidence": 100.0, "language": "de"}]
    assert published.detect("123") == []


def test_the_published_client_lists_languages(published: LibreTranslateAPI) -> None:
    languages = {entry["code"]: entry for entry in published.languages()}
    assert languages["de"] == {"code": "de", "name": "German", "targets": ["en"]}


def test_the_published_client_hears_of_a_guess(published: LibreTranslateAPI) -> None:
    with pytest.raises(HTTPError) as raised:
        published.translate("Hotel", "auto", "en")
    assert raised.value.code == 400
    assert json.loads(raised.value.read())["error"].startswith("the language of the text cannot")


def test_a_client_that_asks_in_the_query(published: LibreTranslateAPI) -> None:
    german = LibreTranslator("de", "en", api_key="any", custom_url=published.url)
    assert german.translate("Guten Tag.") == "GUTEN TAG."
    assert german.translate_batch(["Eins.", "Zwei."]) == ["EINS.", "ZWEI."]


def test_the_published_client_for_javascript(published: LibreTranslateAPI) -> None:
    script = """
        import { createRequire } from "node:module";
        const { libreTranslate } = createRequire(import.meta.url)("libretranslate-ts");
        libreTranslate.setApiEndpoint(process.env.SERVER);
        const said = [
          await libreTranslate.translate("Guten Tag.", "de", "en", 2),
          await libreTranslate.translate("Hotel", "auto", "en"),
          await libreTranslate.detect(process.env.GERMAN),
          (await libreTranslate.listLanguages()).some(({ code }) => code === "de"),
        ];
        console.log(JSON.stringify(said));
    """
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", script],
        cwd=ROOT,
        env=os.environ | {"SERVER": published.url.removesuffix("/"), "GERMAN": GERMAN},
        check=True,
        capture_output=True,
        text=True,
    )
    translated, refused, detected, listed = json.loads(done.stdout)
    assert translated == {"status": 200, "translatedText": "GUTEN TAG.", "alternatives": []}
    assert refused["error"].startswith("the language of the text cannot")
    assert detected == {"status": 200, "language": "de", "confidence": 100}
    assert listed


def test_the_client_within_argos_translate_posts_for_languages(
    published: LibreTranslateAPI,
) -> None:
    with urlopen(Request(f"{published.url}languages", data=b"")) as answer:
        assert json.loads(answer.read()) == published.languages()


async def test_forms_in_parts() -> None:
    """What pages send, with FormData."""
    async with client(lambda *_: capital_parts()) as made:
        fields = {"q": "x" * 20_000, "source": "de", "target": "en", "api_key": ""}
        parts = {name: (None, value) for name, value in fields.items()}
        answer = await made.post("/translate", files=parts)
        found = await made.post("/detect", files={"q": (None, GERMAN)})
        none = await made.post(
            "/detect", content=b"--b", headers={"Content-Type": "multipart/form-data; boundary=b"}
        )
    assert answer.json() == {"translatedText": "X" * 20_000}
    assert found.json() == [{"confidence": 100.0, "language": "de"}]
    assert (none.status_code, none.json()) == (400, {"error": "the form is cut off"})


async def posted(path: str, **fields: object) -> httpx.Response:
    async with client(lambda *_: capital_parts()) as made:
        return await made.post(path, json=fields)


async def test_json_and_several_texts() -> None:
    answer = await posted("/translate", q=[GERMAN, "Eins."], source="auto", target="en", format="")
    assert answer.json() == {
        "translatedText": [GERMAN.upper(), "EINS."],
        "detectedLanguage": [{"confidence": 100.0, "language": "de"}] * 2,
    }


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"q": "x", "source": "de"}, "target: Field required"),
        ({"q": 5, "source": "de", "target": "en"}, "q.str: Input should be a valid string"),
        ({"q": ["x"] * 1_001, "source": "de", "target": "en"}, "q: more than 1,000 texts"),
        ({"q": [1] * 1_001, "source": "de", "target": "en"}, "q: more than 1,000 texts"),
        ({"q": ["x", 1], "source": "de", "target": "en"}, "q: it must be a string or strings"),
    ],
)
async def test_errors_are_sentences(fields: dict[str, object], error: str) -> None:
    answer = await posted("/translate", **fields)
    assert (answer.status_code, answer.json()) == (400, {"error": error})


async def test_alternatives_are_whole_texts() -> None:
    answer = await posted("/translate", q="Eins. Zwei.", source="de", target="en", alternatives=2)
    assert (answer.status_code, answer.json()["translatedText"]) == (200, "EINS. ZWEI.")
    assert answer.json()["alternatives"] == []


async def test_a_body_of_another_kind_is_refused() -> None:
    async with client(lambda *_: capital_parts()) as made:
        answer = await made.post(
            "/detect", content=b"[1", headers={"Content-Type": "application/json"}
        )
    expected = {"error": "the body is neither JSON nor a form"}
    assert (answer.status_code, answer.json()) == (400, expected)


def test_validation_ends_at_the_first_text_that_is_none() -> None:
    with pytest.raises(ValidationError) as caught:
        routes._Question.model_validate({"q": [1] * 100_000})
    assert caught.value.error_count() == 1


async def test_a_form_has_few_fields() -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    async with client(lambda *_: capital_parts()) as made:
        answer = await made.post("/detect", content=b"q=123" + b"&a" * 100, headers=form)
        most = await made.post("/detect", content=b"q=123" + b"&a" * 99, headers=form)
    expected = {"error": "the form has more than 100 fields"}
    assert (answer.status_code, answer.json()) == (400, expected)
    assert (most.status_code, most.json()) == (200, [])


async def test_one_text_that_fails_ends_the_others() -> None:
    engine = HeldEngine()
    texts = ["kurz"] * 200 + ["x" * 500_001]
    async with client(lambda *_: Parts(pipeline(), engine)) as made:
        answer = await made.post("/translate", json={**PAIR, "q": texts})
        counted = figures((await made.get("/metrics")).text)
    expected = {"error": "the text has too many characters: 500,001 requested, 500,000 allowed"}
    assert (answer.status_code, answer.json()) == (400, expected)
    assert counted[key("dragoman_translations_total", outcome="cancelled", **PAIR)] == 200
