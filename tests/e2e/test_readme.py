"""The JavaScript of README.md and of the first steps, in a page that has the packages' names."""

from __future__ import annotations

import re

import pytest

from tests.support.pages import OpenPage, Server
from tests.support.paths import ROOT


def blocks(path: str) -> list[str]:
    text = (ROOT / path).read_text(encoding="utf-8")
    return re.findall(r"^```js\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


(README,) = blocks("README.md")
_, FOLLOWED, DEPENDENT, DETECTED = blocks("docs/start/javascript.md")
MADE = README.partition("console.log")[0]
# The site has its models beside `dragoman.js`: the package with the model has nothing to add there.
NAMES = '{"imports": {"dragoman": "/dragoman.js", "dragoman-model-de-en": "data:text/javascript,"}}'
ISOLATED = {
    "content-type": "text/html; charset=utf-8",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
}


def page_of(script: str) -> str:
    return f"""<!doctype html><title>README</title><link rel=icon href="data:,">
<script type="importmap">{NAMES}</script>
<script>
  const told = [];
  console.log = (...words) => told.push(words.map(String).join(" "));
</script>
<script type="module">{script}
document.title = "done";</script>"""


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (README, ["Good morning!"]),
        (FOLLOWED, ["1 of 1", "Ich → I", "habe → have"]),
        (MADE + DEPENDENT, ["Good evening.", " Thank you.", "Good morning!"]),
        (DETECTED, ["de 1", "null"]),
    ],
    ids=["translate", "progress", "streams and graphs", "detect"],
)
def test_an_example(open_page: OpenPage, server: Server, script: str, said: list[str]) -> None:
    watched = open_page(f"{server.url}/icon.svg")  # it has no icon, and is asked for one
    watched.expect_error("404 (Not Found)")
    page, body = watched.page, page_of(script)
    page.route("**/readme.html", lambda route: route.fulfill(body=body, headers=ISOLATED))
    page.route("**/letter.txt", lambda route: route.fulfill(body="Guten Abend. Danke."))
    page.goto(f"{server.url}/readme.html")
    page.wait_for_function("document.title === 'done'")
    told = page.evaluate("told")
    assert [text for text in said if text not in told] == [], told
