"""Published models in real browsers: offered, fetched when asked for, kept, verified, deleted."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

import dragoman
from dragoman.store.carry import export
from dragoman.store.mirror import mirror
from dragoman.store.store import Store
from tests.support.offering import TINY, Gate, fill, offering
from tests.support.pages import (
    READY_MS,
    WEB,
    OpenPage,
    Server,
    ready_or_reload,
    translated,
    wait_until_ready,
)
from tests.support.published import make_model, sentences

TEXT = " ".join(sentences(3))
MODELS = """async () => {
  const { Translator } = await import("/dragoman.js");
  return (await Translator.models()).filter(({ kind }) => kind === "published");
}"""
KEPT = """async (bytes) => {
  const { Translator } = await import("/dragoman.js");
  return (await Translator.models()).some(({ fetched }) => fetched >= bytes);
}"""
DOWNLOAD = """async ([sourceLanguage, targetLanguage]) => {
  const { Translator } = await import("/dragoman.js");
  const seen = [];
  const onprogress = (progress) => seen.push(progress);
  await Translator.download({ sourceLanguage, targetLanguage, onprogress });
  return seen;
}"""
START = """async ([sourceLanguage, targetLanguage]) => {
  const { Translator } = await import("/dragoman.js");
  window.stopping = new AbortController();
  window.ended = Translator.download({
    sourceLanguage, targetLanguage, signal: stopping.signal,
    onprogress: ({ loaded }) => { window.loaded = loaded; },
  }).then(() => "done", (error) => error.name);
}"""
TRANSLATE = """async ([sourceLanguage, targetLanguage, text]) => {
  const { Translator } = await import("/dragoman.js");
  const translator = await Translator.create({ sourceLanguage, targetLanguage });
  const translation = await translator.translate(text);
  translator.destroy();
  return translation;
}"""
# A byte of the largest file is another one.
DAMAGE = """async () => {
  const root = await (await navigator.storage.getDirectory()).getDirectoryHandle("dragoman");
  const folder = await root.getDirectoryHandle("files");
  for await (const handle of folder.values()) {
    const { size } = await handle.getFile();
    if (size < 10_000_000) continue;
    const writable = await handle.createWritable({ keepExistingData: true });
    await writable.write({ type: "write", position: 5_000_000, data: new Uint8Array([1, 2, 3]) });
    await writable.close();
  }
}"""
AVAILABILITY = """async ([sourceLanguage, targetLanguage]) => {
  const { Translator } = await import("/dragoman.js");
  return Translator.availability({ sourceLanguage, targetLanguage });
}"""


@pytest.fixture(scope="session")
def models_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with fr-en and en-es, of the tiny shape."""
    store = Store(tmp_path_factory.mktemp("published") / "store")
    fill(store, {("fr", "en"): make_model(TINY, seed=1), ("en", "es"): make_model(TINY, seed=2)})
    return store.root


# Tests name it before `open_page`: pages close first, and ask nobody who is gone.
@pytest.fixture
def gate(models_folder: Path, tmp_path: Path) -> Iterator[Gate]:
    site = tmp_path / "web"
    shutil.copytree(WEB, site)
    (site / "blank.html").write_text('<!doctype html><title>-</title><link rel=icon href="data:,">')
    with offering(Store(models_folder), site) as found:
        yield found


def blank(open_page: OpenPage, gate: Gate) -> Page:
    return open_page(gate.url + "/blank.html").page


def held(page: Page, gate: Gate, pair: list[str], at: int = 9_000_000) -> None:
    """Begin a fetch, and wait until nothing more comes."""
    gate.hold_at = at
    page.evaluate(START, pair)
    page.wait_for_function("() => window.loaded > 8_500_000")


def test_nothing_is_fetched_before_it_is_asked_for(gate: Gate, open_page: OpenPage) -> None:
    page = blank(open_page, gate)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate('() => import("/dragoman.js")')
    assert asked == [f"{gate.url}/dragoman.js"]
    assert page.evaluate(AVAILABILITY, ["fr", "es"]) == "downloadable"
    assert len(page.evaluate(MODELS)) == 2
    assert gate.asked == []


def test_both_legs_are_fetched_and_kept(gate: Gate, open_page: OpenPage) -> None:
    page = blank(open_page, gate)
    seen = page.evaluate(DOWNLOAD, ["fr", "es"])
    assert seen[0]["loaded"] == 0
    assert seen[-1]["loaded"] == seen[-1]["total"] > 34_000_000
    assert len(gate.asked) == 5  # two models, two shortlists, one vocabulary
    assert page.evaluate(AVAILABILITY, ["fr", "es"]) == "available"
    page.reload()
    assert page.evaluate(AVAILABILITY, ["fr", "es"]) == "available"
    for model in page.evaluate(MODELS):
        assert model["availability"] == "available"
        assert model["score"] == 0.8512
        assert model["attribution"] == {
            "publisher": "Testers",
            "licence": "MPL-2.0",
            "home": "https://example.org/models",
        }
    assert len(gate.asked) == 5


def test_a_pivot_translates_as_on_the_desktop(
    gate: Gate, open_page: OpenPage, models_folder: Path
) -> None:
    page = blank(open_page, gate)
    for source, target in (("fr", "en"), ("fr", "es")):
        with dragoman.load(source, target, [models_folder]) as translator:
            expected = translator.translate(TEXT).text
        assert page.evaluate(TRANSLATE, [source, target, TEXT]) == expected != ""
    assert len(gate.asked) == 5


def test_a_damaged_file_is_fetched_anew(gate: Gate, open_page: OpenPage) -> None:
    page = blank(open_page, gate)
    before = page.evaluate(TRANSLATE, ["fr", "en", TEXT])
    page.evaluate(DAMAGE)
    assert page.evaluate(TRANSLATE, ["fr", "en", TEXT]) == before
    assert len(gate.asked) == 4


def test_an_aborted_fetch_goes_on_where_it_was(gate: Gate, open_page: OpenPage) -> None:
    page = blank(open_page, gate)
    held(page, gate, ["fr", "en"])
    assert page.evaluate("() => { stopping.abort(); return ended; }") == "AbortError"
    gate.hold_at = None
    (model,) = [m for m in page.evaluate(MODELS) if m["sourceLanguage"] == "fr"]
    assert model["availability"] == "downloadable"
    assert model["fetched"] > 8_500_000
    page.evaluate(DOWNLOAD, ["fr", "en"])
    assert gate.asked[1][1] == f"bytes={model['fetched']}-"
    assert page.evaluate(AVAILABILITY, ["fr", "en"]) == "available"


def test_a_closed_tab_loses_little(browser: Browser, gate: Gate) -> None:
    context = browser.new_context()
    context.set_default_timeout(READY_MS)
    page = context.new_page()
    page.goto(gate.url + "/blank.html")
    held(page, gate, ["fr", "en"])
    page.wait_for_function(KEPT, arg=4_000_000)
    page.close()
    gate.hold_at = None
    again = context.new_page()
    again.goto(gate.url + "/blank.html")
    again.evaluate(DOWNLOAD, ["fr", "en"])
    assert [path for path, _ in gate.asked[:2]] == 2 * [gate.asked[0][0]], gate.asked
    range_ = gate.asked[1][1]
    assert range_ is not None
    assert int(range_[6:-1]) >= 4_000_000
    assert again.evaluate(AVAILABILITY, ["fr", "en"]) == "available"
    context.close()


def test_two_tabs_fetch_once(browser: Browser, gate: Gate) -> None:
    context = browser.new_context()
    context.set_default_timeout(READY_MS)
    pages = [context.new_page(), context.new_page()]
    for page in pages:
        page.goto(gate.url + "/blank.html")
    held(pages[0], gate, ["fr", "en"])
    pages[1].evaluate(START, ["fr", "en"])
    pages[1].wait_for_function("() => window.loaded >= 4_000_000")  # as far as the other one is
    gate.hold_at = None
    assert [page.evaluate("() => ended") for page in pages] == ["done", "done"]
    assert len(gate.asked) == 3
    context.close()


def test_a_deleted_model_frees_its_room(gate: Gate, open_page: OpenPage) -> None:
    page = blank(open_page, gate)
    page.evaluate(DOWNLOAD, ["fr", "es"])
    before = page.evaluate("async () => (await navigator.storage.estimate()).usage")
    page.evaluate(
        """async () => {
          const { Translator } = await import("/dragoman.js");
          await Translator.deleteModel({ sourceLanguage: "fr", targetLanguage: "en" });
        }"""
    )
    assert page.evaluate(AVAILABILITY, ["fr", "en"]) == "downloadable"
    assert page.evaluate(AVAILABILITY, ["en", "es"]) == "available"
    after = page.evaluate("async () => (await navigator.storage.estimate()).usage")
    assert before - after > 16_000_000


def test_a_mirror_on_any_web_server(
    open_page: OpenPage, models_folder: Path, tmp_path: Path
) -> None:
    store = Store(models_folder)
    site = tmp_path / "web"
    shutil.copytree(WEB, site)
    (site / "blank.html").write_text('<!doctype html><title>-</title><link rel=icon href="data:,">')
    mirror(store, store.models, site / "published")
    with offering(Store(tmp_path / "empty"), site) as found:
        page = blank(open_page, found)
        page.evaluate(DOWNLOAD, ["fr", "en"])
        assert page.evaluate(AVAILABILITY, ["fr", "en"]) == "available"


# --- the demo -----------------------------------------------------------------------------------


OPTIONS = """([side, group]) => [...document.querySelectorAll(`#${side}-language optgroup`)]
  .filter(({ label }) => label === group)
  .flatMap(({ children }) => [...children]).map(({ text }) => text)"""


def options(page: Page, side: str, group: str) -> list[str]:
    shown: list[str] = page.evaluate(OPTIONS, [side, group])
    return shown


def wait_for_options(page: Page, side: str, group: str, wanted: list[str]) -> None:
    """They come with the next look at what is kept."""
    page.wait_for_function(
        f"([asked, wanted]) => JSON.stringify(({OPTIONS})(asked)) === JSON.stringify(wanted)",
        arg=[[side, group], wanted],
    )


def test_by_clicks_and_then_without_a_network(open_page: OpenPage, models_folder: Path) -> None:
    with dragoman.load("fr", "es", [models_folder]) as translator:
        expected = translator.translate(TEXT).text
    with offering(Store(models_folder)) as gate:
        watched = open_page(gate.url + "/")
        page = watched.page
        ready_or_reload(page)
        assert options(page, "source", "On this machine") == ["English", "German"]
        assert options(page, "source", "To be fetched") == ["French · 19.5 MB"]
        page.select_option("#source-language", "fr")
        page.select_option("#target-language", "es")
        page.locator("#source").fill(TEXT)
        page.wait_for_selector("#fetching", state="visible")
        assert "over English: 2 models" in page.locator("#fetching .what").inner_text()
        assert gate.asked == []
        page.get_by_role("button", name="Fetch 38.1 MB").click()
        wait_until_ready(page)
        assert translated(page) == expected
        assert options(page, "source", "To be fetched") == []
        page.wait_for_selector("#offline[data-state='ready']", state="visible")
    # The server is gone.
    watched.expect_error("Failed to load resource")
    page.goto(gate.url + "/?again")
    ready_or_reload(page)
    page.locator("#source").fill(TEXT)
    assert translated(page) == expected


def test_offline_is_said_of_directions_that_are_kept(gate: Gate, open_page: OpenPage) -> None:
    page = open_page(gate.url + "/").page
    ready_or_reload(page)
    page.wait_for_selector("#offline[data-state='ready']", state="visible")
    page.select_option("#target-language", "es")
    page.wait_for_selector("#fetching", state="visible")
    assert page.locator("#offline").is_hidden()


def test_a_fetch_is_paused_and_gone_on_with(gate: Gate, open_page: OpenPage) -> None:
    page = open_page(gate.url + "/").page
    ready_or_reload(page)
    page.select_option("#source-language", "fr")
    gate.hold_at = 9_000_000
    page.get_by_role("button", name="Fetch").click()
    page.wait_for_function("() => document.querySelector('#fetching progress').value > 8_500_000")
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Go on").wait_for()
    assert "Paused: " in page.locator("#fetching .bytes").inner_text()
    gate.hold_at = None
    page.get_by_role("button", name="Go on").click()
    page.wait_for_selector("#fetching", state="hidden")
    wait_for_options(page, "source", "To be fetched", [])  # so that there are no groups
    listed = page.locator("#source-language > option").all_inner_texts()
    assert listed == ["English", "French", "German"]
    assert (gate.asked[1][1] or "").startswith("bytes=")


def test_a_fetch_goes_on_in_another_language_of_the_page(gate: Gate, open_page: OpenPage) -> None:
    page = open_page(gate.url + "/").page
    ready_or_reload(page)
    page.select_option("#source-language", "fr")
    gate.hold_at = 9_000_000
    page.get_by_role("button", name="Fetch").click()
    page.wait_for_function("() => document.querySelector('#fetching progress').value > 8_500_000")
    page.locator("#page-language").select_option("de")
    title = page.locator("#fetching h2").inner_text()
    assert title == "Französisch – Englisch ist noch nicht auf diesem Rechner"
    assert page.locator("#fetching .pause").is_visible()
    assert page.locator("#status").inner_text() == "Lädt"
    gate.hold_at = None
    page.wait_for_selector("#fetching", state="hidden")
    assert [part for _, part in gate.asked if part] == []  # nothing was asked for a second time


def test_the_panel_lists_fetches_and_deletes(gate: Gate, open_page: OpenPage) -> None:
    page = open_page(gate.url + "/").page
    ready_or_reload(page)
    page.get_by_role("button", name="Languages", exact=True).click()
    offered = page.locator("#library .offered li")
    offered.first.wait_for()
    page.get_by_role("searchbox", name="Find a language").fill("span")
    assert offered.locator("visible=true").locator(".name").all_inner_texts() == [
        "English to Spanish"
    ]
    facts = offered.locator("visible=true").locator(".facts").inner_text()
    assert facts == "19.5 MB, score 85.1, Testers and contributors, MPL-2.0, source"
    page.get_by_role("button", name="Fetch: English to Spanish").click()
    page.get_by_role("button", name="Delete English to Spanish").wait_for()
    assert (
        "1 model fetched, 19.5 MB. 2 models built in."
        in page.locator("#library .total").inner_text()
    )
    page.get_by_role("button", name="Delete English to Spanish").click()
    page.get_by_role("button", name="Fetch: English to Spanish").wait_for(state="attached")
    page.keyboard.press("Escape")
    assert page.locator("#library").is_hidden()
    wait_for_options(page, "target", "To be fetched", ["Spanish · 19.5 MB"])


def test_an_exported_file_is_taken_in(
    open_page: OpenPage, models_folder: Path, tmp_path: Path, server: Server
) -> None:
    store = Store(models_folder)
    export(store, store.models, tmp_path / "models.tar")
    page = open_page(server.url + "/").page
    ready_or_reload(page)
    page.get_by_role("button", name="Languages", exact=True).click()
    page.locator("#library .files").set_input_files(tmp_path / "models.tar")
    page.wait_for_function(
        "() => document.querySelector('#library .total').textContent.startsWith('Added')"
    )
    page.keyboard.press("Escape")
    page.select_option("#source-language", "fr")
    page.select_option("#target-language", "es")
    page.locator("#source").fill(TEXT)
    wait_until_ready(page)
    assert translated(page) != ""


def test_files_that_are_no_model_are_named(
    open_page: OpenPage, tmp_path: Path, server: Server
) -> None:
    (tmp_path / "letter.txt").write_text("Dear reader")
    page = open_page(server.url + "/").page
    ready_or_reload(page)
    page.get_by_role("button", name="Languages", exact=True).click()
    page.locator("#library .files").set_input_files(tmp_path / "letter.txt")
    page.wait_for_selector("#library .problem", state="visible")
    assert "These files are no model" in page.locator("#library .problem").inner_text()
