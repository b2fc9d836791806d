"""What the server says of itself to LibreTranslate's clients."""

from __future__ import annotations

import json
from importlib.resources import files

import httpx

from dragoman.server import Settings
from dragoman.server.libretranslate.paths import is_libre
from tests.support.hosts import MakeBundle, capital_parts
from tests.support.serving import client


async def got(path: str) -> httpx.Response:
    async with client(lambda *_: capital_parts()) as made:
        return await made.get(path)


async def test_the_settings_of_a_page() -> None:
    settings = (await got("/frontend/settings")).json()
    formats = settings.pop("supportedFilesFormat")
    assert {".docx", ".odt", ".pdf", ".txt"} < set(formats)
    assert settings == {
        "apiKeys": False,
        "keyRequired": False,
        "charLimit": 500_000,
        "frontendTimeout": 500,
        "suggestions": False,
        "filesTranslation": True,
        "language": {
            "source": {"code": "auto", "name": "Auto Detect"},
            "target": {"code": "en", "name": "English"},
        },
    }


async def test_languages_and_what_each_is_translated_into(make_bundle: MakeBundle) -> None:
    bundles = (make_bundle(), make_bundle("en-fr", source="en", target="fr"))
    async with client(settings=Settings(models=bundles)) as made:
        answer = await made.get("/languages")
    assert answer.json() == [
        {"code": "de", "name": "German", "targets": ["en", "fr"]},
        {"code": "en", "name": "English", "targets": ["fr"]},
        {"code": "fr", "name": "French", "targets": []},
    ]


async def test_it_is_up() -> None:
    assert (await got("/health")).json() == {"status": "ok"}


async def test_suggestions_are_not_taken() -> None:
    async with client(lambda *_: capital_parts()) as made:
        answer = await made.post("/suggest", data={"q": "a", "s": "b"})
    expected = {"error": "this server keeps no suggestions"}
    assert (answer.status_code, answer.json()) == (403, expected)


async def test_every_route_is_described_and_there() -> None:
    spec = (await got("/spec")).json()
    assert spec["info"]["version"] != "VERSION"
    assert list(spec["paths"]) == [
        "/translate", "/detect", "/translate_file", "/download_file/{name}", "/languages",
        "/frontend/settings", "/health", "/suggest", "/spec",
    ]  # fmt: skip
    async with client(lambda *_: capital_parts()) as made:
        for path, methods in spec["paths"].items():
            for method in methods:
                answer = await made.request(method, path)
                known = methods[method]["responses"]
                assert is_libre(path)
                assert str(answer.status_code) in known
                if answer.status_code >= 400:
                    assert set(answer.json()) == {"error"}


def test_references_lead_somewhere() -> None:
    text = files("dragoman.server.libretranslate").joinpath("spec.json").read_text("utf-8")
    spec = json.loads(text)
    texts: list[str] = []

    def visit(value: object) -> None:
        if isinstance(value, dict):
            texts.extend(v for k, v in value.items() if k == "$ref")
            for inner in value.values():
                visit(inner)
        elif isinstance(value, list):
            for inner in value:
                visit(inner)

    visit(spec)
    assert {name.rpartition("/")[2] for name in texts} == set(spec["components"]["schemas"])
