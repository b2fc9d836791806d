"""Every block of Python, shell and JavaScript in the documentation runs, or says why not."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from playwright.sync_api import Browser, Page, Route

from dragoman.cli.app import app
from dragoman.cli.model.app import app as workshop
from dragoman.documents.kinds import MEDIA_TYPES, DocumentKind
from tests.docs.blocks import BLOCKS, PAGES, RUN, SHOWN, Block
from tests.docs.workspace import Workspace, workspace
from tests.support.pages import READY_MS, WEB
from tests.support.paths import ROOT

# What a block of JavaScript may take for granted: bare names as a bundler resolves them, and a
# translator.
HOST = """<!doctype html><meta charset="utf-8"><title>-</title><link rel="icon" href="data:,">
<script type="importmap">{"imports": {
  "dragoman": "/dragoman.js", "dragoman-model-de-en": "data:text/javascript,"
}}</script>"""
TRANSLATOR = """import { Translator } from "/dragoman.js";
const translator = await Translator.create({ sourceLanguage: "de", targetLanguage: "en" });
"""
GIVEN = """const input = "Guten Morgen!";
const { signal } = new AbortController();
const show = console.log, onprogress = console.log;
const link = document.createElement("a");
const letter = new File([await (await fetch("/brief.docx")).blob()], "brief.docx");
"""


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path, *languages: str) -> list[Block]:
    return [b for b in BLOCKS if b.page == page and b.language in languages and b.reason is None]


def pages(*languages: str) -> list[Path]:
    return [page for page in PAGES if blocks(page, *languages)]


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Workspace]:
    with workspace(tmp_path) as made:
        yield made


def test_every_block_is_of_a_language_that_is_known() -> None:
    assert [b.place for b in BLOCKS if b.language not in RUN | SHOWN] == []


def test_only_what_could_be_run_says_why_it_is_not() -> None:
    assert [b.place for b in BLOCKS if b.reason and b.language not in RUN] == []


@pytest.mark.parametrize("page", pages("python", "sh"), ids=name)
def test_python_and_shell(page: Path, there: Workspace) -> None:
    """From top to bottom, in one folder."""
    for block in blocks(page, "python", "sh"):
        done = there.python(block.text) if block.language == "python" else there.shell(block.text)
        assert done.returncode == 0, f"{block.place}\n{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("page", pages("js"), ids=name)
def test_javascript(page: Path, there: Workspace, chromium: Browser) -> None:
    if not (WEB / "dragoman.js").exists():
        pytest.fail(f"{WEB} is not built: run `make build`")
    for pair in ("fr-en", "en-de"):
        assert there.shell(f"dragoman models get {pair} --quiet").returncode == 0
    context = chromium.new_context()
    try:
        tab = context.new_page()
        tab.set_default_timeout(READY_MS)
        for block in blocks(page, "js"):
            assert ran(tab, block, there) is None, block.place
    finally:
        context.close()


def answering(body: str | bytes, kind: str) -> Callable[[Route], None]:
    return lambda route: route.fulfill(body=body, content_type=kind)


def ran(tab: Page, block: Block, there: Workspace) -> str | None:
    """What went wrong with a block, in a page of its own."""
    told: list[str] = []
    begins = "Translator.create" not in block.text and "translator" in block.text
    script = (TRANSLATOR + GIVEN if begins else "") + block.text
    served: dict[str, tuple[str | bytes, str]] = {
        "block.html": (HOST, "text/html"),
        "block.js": (script, "text/javascript"),
        "brief.docx": ((there.folder / "brief.docx").read_bytes(), MEDIA_TYPES[DocumentKind.DOCX]),
        "letter.txt": ((there.folder / "letter.txt").read_text(), "text/plain"),
    }
    for path, (body, kind) in served.items():
        tab.unroute(f"**/{path}")
        tab.route(f"**/{path}", answering(body, kind))
    tab.once("pageerror", lambda error: told.append(str(error)))
    tab.goto(f"{there.address}/block.html")
    tab.evaluate(
        "void import('/block.js').then(() => '', String).then((end) => { self.end = end; })"
    )
    tab.wait_for_function("self.end !== undefined")
    told += [end] if (end := tab.evaluate("self.end")) else []
    return "\n".join(told) or None


SKIPPED = [b for b in BLOCKS if b.reason and b.language == "sh"]


@pytest.mark.parametrize("block", SKIPPED, ids=lambda block: block.place)
def test_what_is_not_run_is_a_command_all_the_same(block: Block) -> None:
    """It parses as shell does, and every option of `dragoman` in it exists."""
    done = subprocess.run(
        ["bash", "-n"], input=block.text, text=True, capture_output=True, check=False
    )
    assert done.stderr == ""
    for words in commands(block.text):
        assert unknown_options(words) == [], words


def unknown_options(words: list[str]) -> list[str]:
    """The options that the command, or the one below it that the words name, does not have."""
    command: Any = typer.main.get_command(workshop if words[0] == "model" else app)
    words = (
        words[1:] if words[0] == "model" else words
    )  # the workshop is imported when it is asked for
    while words and words[0] in getattr(command, "commands", {}):
        command, words = command.commands[words[0]], words[1:]
    known = {name for parameter in command.params for name in parameter.opts}
    given = [word.partition("=")[0] for word in words if word.startswith("-")]
    return [option for option in given if option not in known]


def commands(text: str) -> Iterator[list[str]]:
    """The words after `dragoman`, of each line that begins with it."""
    for line in text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words and Path(words[0]).name == "dragoman":
            yield words[1:]
