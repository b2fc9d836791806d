"""`dragoman detect`, `--from auto`, languages by name, `--text`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from dragoman.cli import app as cli
from dragoman.native.translator import Translator
from tests.support.hosts import capital_parts

GERMAN = "Heute gehen wir in den Laden, um Brot zu kaufen."
ENGLISH = "Today we are going to the shop to buy bread."


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Pairs that translators were opened for; they translate into capitals."""
    pairs = []

    def open_translator(source: str, target: str, *_: object) -> Translator:
        pairs.append((source, target))
        return Translator(capital_parts())

    monkeypatch.setattr(cli, "open_translator", open_translator)
    return pairs


def run(*arguments: Any, stdin: str = "") -> Result:
    return CliRunner().invoke(cli.app, [*map(str, arguments)], input=stdin)


def test_the_language_is_found_and_said(asked: list[tuple[str, str]]) -> None:
    result = run("translate", "--from", "auto", "--to", "en", "--text", GERMAN)
    assert result.stdout == GERMAN.upper() + "\n"
    assert result.stderr == "dragoman: found to be in German (de)\n"
    assert asked == [("de", "en")]


def test_standard_input_is_translated_from_its_beginning(asked: list[tuple[str, str]]) -> None:
    text = f"{GERMAN}\n" * 2_000
    result = run("translate", "--from", "auto", "--to", "en", "--quiet", stdin=text)
    assert (result.stdout, result.stderr) == (text.upper(), "")
    assert asked == [("de", "en")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Hotel", "the text: the language of the text cannot be told for sure; maybe "),
        ("12,50 €", "cannot be told for sure: name it with --from"),
        (ENGLISH, "the text is in English (en) already"),
    ],
)
def test_nothing_is_translated_from_a_guess(
    asked: list[tuple[str, str]], text: str, message: str
) -> None:
    result = run("translate", "--from", "auto", "--to", "en", "--text", text)
    assert (result.exit_code, result.stdout, asked) == (1, "", [])
    assert message in result.stderr


def test_a_language_without_a_model_says_what_to_fetch() -> None:
    french = "Aujourd'hui nous allons au magasin pour acheter du pain."
    result = run("translate", "--from", "auto", "--to", "en", "--text", french)
    assert result.exit_code == 1
    assert "found to be in French (fr)" in result.stderr
    assert "dragoman models get fr-en fetches it" in result.stderr


def test_files_in_several_languages_are_named(asked: list[tuple[str, str]], tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text(GERMAN)
    two.write_text("Aujourd'hui nous allons au magasin pour acheter du pain.")
    result = run("translate", "--from", "auto", "--to", "en", one, two)
    assert (result.exit_code, asked) == (1, [])
    assert f"({one} in German (de), {two} in French (fr))" in result.stderr


def test_a_page_is_judged_by_what_its_readers_see(
    asked: list[tuple[str, str]], tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    page.write_text(f"<html><script>{ENGLISH * 9}</script><p class='the shop'>{GERMAN}</p></html>")
    assert run("detect", "--html", page).stdout == "de  German  100%\n"
    run("translate", "--from", "auto", "--to", "en", "--html", page)
    assert asked == [("de", "en")]


@pytest.mark.parametrize("name", ["de", "DE", "de_AT", "deu", "German", "Deutsch"])
def test_a_language_may_be_named_in_any_usual_way(asked: list[tuple[str, str]], name: str) -> None:
    assert run("translate", "--from", name, "--to", "english", "--text", "Eins.").exit_code == 0
    assert asked == [("de-AT" if "AT" in name else "de", "en")]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--from", "Gibberish", "--to", "en", "--text", "x"),
        ("--from", "de", "--to", "auto", "--text", "x"),
        ("--from", "de", "--to", "en", "--text", "x", "a.txt"),
    ],
)
def test_wrong_usage(asked: list[tuple[str, str]], arguments: tuple[str, ...]) -> None:
    assert (run("translate", *arguments).exit_code, asked) == (2, [])


def test_detect() -> None:
    result = run("detect", "--text", GERMAN)
    assert (result.stdout, result.exit_code) == ("de  German  100%\n", 0)


def test_detect_says_when_it_is_not_sure() -> None:
    result = run("detect", "--text", "Guten Morgen")
    assert (result.stdout, result.exit_code) == (
        "not sure: German (de) 63%, Norwegian (no) 22%, Dutch (nl) 8%\n", 1,
    )  # fmt: skip
    assert run("detect", "--text", "123").stdout == "not sure\n"


def test_detect_names_files_and_gives_json(tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text(GERMAN)
    two.write_text(ENGLISH)
    assert run("detect", one, two).stdout == f"{one}: de  German  100%\n{two}: en  English  100%\n"
    lines = [json.loads(line) for line in run("detect", "--json", one, two).stdout.splitlines()]
    assert lines[1] == {
        "file": str(two), "language": "en", "confidence": 1.0,
        "candidates": [{"language": "en", "confidence": 1.0}],
    }  # fmt: skip
