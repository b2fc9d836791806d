"""Sentences that an earlier visit translated come from IndexedDB, without the engine."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tests.support.pages import OpenPage, Server

BLANK = "/blank.html"
TEXT = "Der Zug kommt heute nicht. Das ist ein Haus 😀."  # no formulas: those are not kept
FIGURES = ("mini_batches", "kept_hits", "cache_hits", "cache_entries")

ROWS = """async () => {
  const opened = indexedDB.open("dragoman-sentences");
  const database = await new Promise((resolve, reject) => {
    opened.onsuccess = () => { resolve(opened.result); };
    opened.onerror = () => { reject(opened.error); };
  });
  const all = database.transaction("sentences").objectStore("sentences").getAll();
  const rows = await new Promise((resolve) => { all.onsuccess = () => { resolve(all.result); }; });
  database.close();
  return rows.length;
}"""
# Ends once as many sentences are written, or after 10 s.
VISIT = """async ({ text, options, rows }) => {
  const { Translator } = await import("/dragoman.js");
  const pair = { sourceLanguage: "de", targetLanguage: "en" };
  const translator = await Translator.create({ ...pair, ...options });
  const response = await translator.translateDetailed(text);
  const statistics = await translator.statistics();
  const state = async () => (await translator.statistics()).persistentCache;
  let after = await state();
  const end = performance.now() + 10_000;
  while (after.state === "on" && rows > 0 && performance.now() < end) {
    if ((await (ROWS)()) >= rows) break;
    after = await state();
  }
  translator.destroy();
  return { response: { ...response, timings: null }, ...statistics, after };
}""".replace("ROWS", ROWS)


def visit(page: Page, rows: int = 0, **options: Any) -> dict[str, Any]:
    given = {"text": TEXT, "options": {"persistentCache": True, **options}, "rows": rows}
    found: dict[str, Any] = page.evaluate(VISIT, given)
    return found


def test_a_second_visit_needs_no_engine_but_for_another_model(
    open_page: OpenPage, two_models: Server, tmp_path: Path
) -> None:
    page = open_page(two_models.url + BLANK).page
    first = visit(page, rows=2)
    assert (first["after"], first["kept_hits"]) == ({"state": "on"}, 0)
    page.reload()
    second = visit(page)
    assert [second[name] for name in FIGURES] == [0, 2, 2, 2]
    assert second["response"] == first["response"]

    # Another request's options are another key; what it brings is kept beside the others.
    other = page.evaluate(
        """async () => {
      const { Translator } = await import("/dragoman.js");
      const pair = { sourceLanguage: "de", targetLanguage: "en", persistentCache: true };
      const translator = await Translator.create(pair);
      await translator.translateDetailed("Der Zug kommt heute nicht.", { alignment: "soft" });
      const { kept_hits } = await translator.statistics();
      await translator.clearCache();
      const { cache_entries } = await translator.statistics();
      translator.destroy();
      return [kept_hits, cache_entries];
    }"""
    )
    assert other == [0, 0]
    assert page.evaluate(ROWS) == 0  # cleared

    visit(page, rows=2)
    # The same model in another version: a byte more in its graph.
    folder = tmp_path / "web" / "models" / "de-en"
    manifest = json.loads((folder / "manifest.json").read_text())
    vocabulary = manifest["files"]["vocabulary"]
    renewed(folder / vocabulary["path"], vocabulary)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    page.reload()
    third = visit(page)
    assert third["kept_hits"] == 0
    assert third["mini_batches"] > 0
    assert third["response"]["text"] == first["response"]["text"]


def renewed(path: Path, entry: dict[str, Any]) -> None:
    """A vocabulary file with an unknown field at its end, which its reader passes over."""
    content = path.read_bytes() + b"\xf8\x7d\x01"  # field 2,000-odd of protobuf, a varint
    path.write_bytes(content)
    entry |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def test_off_by_default_and_without_indexeddb(open_page: OpenPage, two_models: Server) -> None:
    page = open_page(two_models.url + BLANK).page
    off = visit(page, persistentCache=False)
    assert off["persistentCache"] == {"state": "off"}
    names = "async () => (await indexedDB.databases()).map(({ name }) => name)"
    assert page.evaluate(names) == []
    # A later release was here: its database is left alone, and translation goes on.
    page.evaluate(
        """() => new Promise((resolve, reject) => {
      const opened = indexedDB.open("dragoman-sentences", 99);
      opened.onsuccess = () => { opened.result.close(); resolve(); };
      opened.onerror = () => { reject(opened.error); };
    })"""
    )
    newer = visit(page)
    assert newer["persistentCache"]["state"] == "failed"
    assert newer["persistentCache"]["why"] == "newer"
    assert newer["response"]["text"] == off["response"]["text"]


def test_two_tabs_at_once(open_page: OpenPage, two_models: Server) -> None:
    first = open_page(two_models.url + BLANK).page
    second = first.context.new_page()
    second.goto(two_models.url + BLANK)
    start = f"(given) => {{ self.visit = ({VISIT})(given); }}"
    given = {"text": TEXT, "options": {"persistentCache": True}, "rows": 2}
    for page in (first, second):
        page.evaluate(start, given)
    ends = [page.evaluate("() => self.visit") for page in (first, second)]
    assert [end["after"] for end in ends] == [{"state": "on"}] * 2
    assert visit(second)["kept_hits"] == 2
