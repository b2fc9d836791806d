"""Texts in many languages through each host, with models from German and English and no others.

A line of `tests/golden/languages.jsonl` has a text, the language that it is in ("de+fr": in both;
null: in none), and what is done with it: it is translated ("de-en", "en-de"), refused as there is
no model for it ("no-model"), or the user is asked ("ask"). `tests/web/detection/hosts.test.ts`
reads the same file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dragoman.cli import app as cli
from dragoman.errors import LanguageNotSureError, LanguagePairError
from dragoman.native.translator import Translator
from dragoman.server import Settings
from tests.support.hosts import capital_parts
from tests.support.paths import ROOT, TESTS
from tests.support.serving import client

GOLDEN = TESTS / "golden" / "languages.jsonl"
CASES = [json.loads(line) for line in GOLDEN.read_text("utf-8").splitlines()]
MODELS = ROOT / "models"
# What is done by the text.
EXPECTED = {case["text"]: case["does"] for case in CASES}


def test_nothing_is_translated_from_a_language_without_a_model() -> None:
    translated = {case["does"] for case in CASES if case["does"] in {"de-en", "en-de"}}
    wrong = [case for case in CASES if case["does"] in translated - {_own(case)}]
    assert (translated, wrong) == ({"de-en", "en-de"}, [])


def _own(case: dict[str, Any]) -> str | None:
    """The direction that a text may go."""
    return {"de": "de-en", "en": "en-de"}.get(case["is"] or "")


def test_german_and_english_are_not_refused_and_seldom_asked() -> None:
    own = [case for case in CASES if _own(case)]
    assert {case["does"] for case in own} == {"de-en", "en-de", "ask"}
    assert [case["text"] for case in own if case["does"] == "ask"] == [
        "Guten Morgen",
        "Zimmer frei",
        "Rufen Sie die Funktion `open_file(path)` auf, bevor Sie die Zeilen lesen.",
        "The maître d' brought us the hors d'œuvres and a bottle of Beaujolais.",
    ]


def test_there_are_two_hundred_texts_and_more_in_many_languages() -> None:
    languages = {tag for case in CASES for tag in (case["is"] or "").split("+") if tag}
    assert (len(CASES), len(EXPECTED), len(languages)) == (225, 225, 73)


def test_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    loading = cli.open_translator

    def open_translator(
        source: str, target: str, models: list[Path] | None, *options: Any
    ) -> Translator:
        if {source, target} == {"de", "en"}:
            return Translator(capital_parts())
        return loading(source, target, models, *options)

    monkeypatch.setattr(cli, "open_translator", open_translator)
    assert {text: _by_command(text) for text in EXPECTED} == EXPECTED


def _by_command(text: str) -> str:
    """Into English, and into German what is in English already."""
    into = {"de": "en-de", "en": "de-en"}
    for target in ("en", "de"):
        fixed = ["--from", "auto", "--to", target, "--models", str(MODELS), "--text", text]
        result = CliRunner().invoke(cli.app, ["translate", *fixed])
        if result.exit_code == 0:
            return into[target]
        assert (result.exit_code, result.stdout) == (1, "")
        if "already" not in result.stderr:
            break
    if "cannot be told for sure" in result.stderr:
        return "ask"
    assert "no model" in result.stderr
    return "no-model"


def test_python() -> None:
    by_text = {}
    with Translator(capital_parts()) as translator:
        for text in EXPECTED:
            try:
                by_text[text] = "de-en" if translator.translate(text, source="auto") else ""
            except LanguageNotSureError:
                by_text[text] = "ask"
            except LanguagePairError:
                by_text[text] = "no-model"
    # This one has a model from German only.
    assert by_text == {k: "no-model" if v == "en-de" else v for k, v in EXPECTED.items()}


@pytest.mark.parametrize(("path", "name"), [("/v1/translate", "text"), ("/translate", "q")])
async def test_the_server(path: str, name: str) -> None:
    settings = Settings(models=(MODELS,), threads=1)
    by_text = {}
    async with client(settings=settings) as made:
        for text, does in EXPECTED.items():
            target = "de" if does == "en-de" else "en"
            body = {name: text, "source": "auto", "target": target}
            by_text[text] = _by_server(await made.post(path, json=body), target)
    assert by_text == EXPECTED


def _by_server(answer: Any, target: str) -> str:
    if answer.status_code == 200:
        return {"de": "en-de", "en": "de-en"}[target]
    if "cannot be told for sure" in answer.text:
        return "ask"
    assert "there is no model from" in answer.text
    return "no-model"
