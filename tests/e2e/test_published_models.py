"""Published models in real browsers: offered, fetched when asked for, kept, verified, deleted."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from dragoman.store.mirror import mirror
from dragoman.store.store import Store
from tests.support.offering import TINY, Gate, fill, offering
from tests.support.pages import READY_MS, WEB, OpenPage
from tests.support.published import make_model

MODELS = """async () => {
  const { Translator } = await import("/dragoman.js");
  return (await Translator.models()).filter(({ kind }) => kind === "published");
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


def test_nothing_is_fetched_before_it_is_asked_for(open_page: OpenPage, gate: Gate) -> None:
    page = blank(open_page, gate)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate('() => import("/dragoman.js")')
    assert asked == [f"{gate.url}/dragoman.js"]
    assert page.evaluate(AVAILABILITY, ["fr", "es"]) == "downloadable"
    assert len(page.evaluate(MODELS)) == 2
    assert gate.asked == []


def test_both_legs_are_fetched_and_kept(open_page: OpenPage, gate: Gate) -> None:
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


def test_an_aborted_fetch_goes_on_where_it_was(open_page: OpenPage, gate: Gate) -> None:
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
    page.close()
    gate.hold_at = None
    again = context.new_page()
    again.goto(gate.url + "/blank.html")
    again.evaluate(DOWNLOAD, ["fr", "en"])
    assert [path for path, _ in gate.asked[:2]] == 2 * [gate.asked[0][0]], gate.asked
    range_ = gate.asked[1][1]
    assert range_ is not None
    assert int(range_[6:-1]) >= 8_000_000
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


def test_a_deleted_model_frees_its_room(open_page: OpenPage, gate: Gate) -> None:
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
