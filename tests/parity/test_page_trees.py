"""Translated pages, judged by a parser that did not write them: parse5, in Node.

Three engines: one that copies, one that says every word in capitals, and one that does anything
(`Chaos`), which takes elements to other places. `make test-trees` takes more pages.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from dragoman.config import Limits
from dragoman.html import HtmlPage
from dragoman.types import TranslationRequest
from tests.support.cases.markup_cases import Chaos, respond, shouted
from tests.support.cases.random_pages import random_page
from tests.support.helpers import WordTokenizer, pipeline
from tests.support.paths import SHARED

HERE = Path(__file__).parent
PAGES = sorted((SHARED / "pages").glob("*.html"))
# Generated pages of each engine, in shards with seeds of their own.
CASES = int(os.environ.get("DRAGOMAN_CASES", "1000"))
SEED = int(os.environ.get("DRAGOMAN_SEED", "0"))
NUMBERS = range(SEED * CASES, (SEED + 1) * CASES)


class _PageTokenizer(WordTokenizer):
    size = 100_000  # words of a whole page


def jumbled(source: str, seed: int, language: str = "de") -> str:
    """A page as an engine leaves it that does anything."""
    page = HtmlPage(source, language)
    made = pipeline(_PageTokenizer(), Limits(element_depth=1_000, text_characters=10**7))
    request = TranslationRequest(page.text, "de", "en", elements=page.elements)
    response = respond(made, request, Chaos(seed))
    return page.write(response.text, response.content, "en")


def differences(pairs: list[tuple[str, str]], folder: Path, *options: str) -> list[str]:
    file = folder / "pages.json"
    file.write_text(json.dumps(pairs))
    command = ["node", str(HERE / "compare_pages.mjs"), str(file), *options]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not found.returncode, found.stderr
    lines: list[str] = json.loads(found.stdout)
    return lines


def test_the_judge_sees_what_left_its_block(tmp_path: Path) -> None:
    pairs = [
        ("<p><b>x</b></p><p>y</p>", "<p>x</p><p><b>y</b></p>"),
        ("<p>a<br>b</p>", "<p>ab</p>"),
        ("<p><a><b>x</b> y</a></p>", "<p><a>x y</a><b></b></p>"),
        ("<p><b>x</b> <i>y</i></p>", "<p><i>y</i> <b>x</b></p>"),
    ]
    found = differences(pairs, tmp_path, "--moved")
    assert [bool(difference) for difference in found] == [True, True, True, False]


def test_random_pages_keep_their_trees(tmp_path: Path) -> None:
    pages = [random_page(number) for number in NUMBERS]
    found = differences([(page, shouted(page)) for page in pages], tmp_path)
    for page, difference in zip(pages, found, strict=True):
        assert not difference, page


def test_random_pages_keep_their_nodes_whatever_an_engine_does(tmp_path: Path) -> None:
    pairs = [(page := random_page(number), jumbled(page, number)) for number in NUMBERS]
    for pair, difference in zip(pairs, differences(pairs, tmp_path, "--moved"), strict=True):
        assert not difference, pair


def test_random_pages_stay_as_they_are() -> None:
    for number in NUMBERS:
        page = random_page(number)
        assert shouted(page, str) == page


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_pages_at_hand_keep_their_trees(path: Path, tmp_path: Path) -> None:
    page = path.read_bytes().decode("utf-8", "replace")
    language = path.name[:2]
    assert shouted(page, str, language=language) == page
    assert differences([(page, shouted(page, language=language))], tmp_path) == [""]
    pairs = [(page, jumbled(page, seed, language)) for seed in range(3)]
    assert differences(pairs, tmp_path, "--moved") == [""] * 3
