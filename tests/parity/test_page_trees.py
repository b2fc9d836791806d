"""Translated pages, judged by a parser that did not write them: parse5, in Node."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path

import pytest

from tests.support.markup_cases import shouted
from tests.support.paths import SHARED

HERE = Path(__file__).parent
PAGES = sorted((SHARED / "pages").glob("*.html"))
_PARTS = [
    "ja", " nein ", "a&nbsp;b", "&amp;", "1 < 2", "<b>", "</b>", "<i class='x y'>", "</i>", "<p>",
    "</p>", "<div data-x=1>", "</div>", "<br>", "<img src=a alt='Ein Bild'>", "<!-- a -- b -->",
    "<!--x-->", "<noscript><img src=a>&amp;</noscript>", "<script>if (a<b) x('</p>')</script>",
    "<style>p>b{}</style>", "<a href='x?a&b' title=Gut>", "</a>", "<ul><li>", "<li>", "</ul>",
    "<table><tr><td>", "</td>", "</table>", "<button>", "</button>",
    "<textarea>\n x</textarea>", "<pre>\n\n", "</pre>", "<code>x</code>",
    "<svg><path d=x /></svg>", "&#13;", "\r\n", "\u200b", "&shy;", "·", "<template><p>x</template>",
    "<input type=button value=Los disabled>", "<my-tag =x>", "</my-tag>", "<title>x</title>",
]  # fmt: skip


def random_page(number: int) -> str:
    chance = random.Random(number)
    body = "".join(chance.choices(_PARTS, k=chance.randrange(1, 30)))
    start = chance.choice(["<!DOCTYPE html><body>",
                           "<!DOCTYPE html><html lang=de><head><title>x</title><body>",
                           "\n<html><meta charset=latin1><body class=b>"])  # fmt: skip
    return start + body


def differences(pairs: list[tuple[str, str]], folder: Path) -> list[str]:
    file = folder / "pages.json"
    file.write_text(json.dumps(pairs))
    command = ["node", str(HERE / "compare_pages.mjs"), str(file)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not found.returncode, found.stderr
    return json.loads(found.stdout)


def test_random_pages_keep_their_trees(tmp_path: Path) -> None:
    pages = [random_page(number) for number in range(1_000)]
    found = differences([(page, shouted(page)) for page in pages], tmp_path)
    for page, difference in zip(pages, found, strict=True):
        assert not difference, page


def test_random_pages_stay_as_they_are() -> None:
    for number in range(1_000):
        page = random_page(number)
        assert shouted(page, str) == page


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_pages_at_hand_keep_their_trees(path: Path, tmp_path: Path) -> None:
    page = path.read_bytes().decode("utf-8", "replace")
    language = path.name[:2]
    assert shouted(page, str, language=language) == page
    assert differences([(page, shouted(page, language=language))], tmp_path) == [""]
