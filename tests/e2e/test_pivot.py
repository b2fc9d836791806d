"""Two models in one pair of workers: a pair of languages without a model goes over English."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import pages
from pages import WEB, OpenPage, Server

TEXT = "Guten Morgen! 😀\nDas ist ein Haus."

PIVOT = """async (text) => {
  const { Translator } = await import("/dragoman.js");
  const pair = { sourceLanguage: "de", targetLanguage: "fr" };
  const before = await Translator.availability(pair);
  const translator = await Translator.create(pair);
  const response = await translator.translateDetailed(text);
  const direct = await translator.translate(text);
  translator.destroy();
  return { before, response, direct, length: response.text.length };
}"""


@pytest.fixture
def two_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The site, with the German model a second time as if it went from English to French."""
    site = tmp_path / "web"
    shutil.copytree(WEB, site)
    (site / "blank.html").write_text('<!doctype html><title>-</title><link rel=icon href="data:,">')
    models = site / "models"
    shutil.copytree(models / "de-en", models / "en-fr")
    pair = {"source": "en", "target": "fr"}
    manifest = json.loads((models / "de-en" / "manifest.json").read_text())
    (models / "en-fr" / "manifest.json").write_text(json.dumps({**manifest, **pair}))
    index = json.loads((models / "index.json").read_text())
    (entry,) = [model for model in index["models"] if model["bundle"] == "de-en"]
    both = {"models": [entry, {**entry, **pair, "bundle": "en-fr"}]}
    (models / "index.json").write_text(json.dumps(both))
    monkeypatch.setattr(pages, "WEB", site)
    running = Server()
    running.start()
    yield running
    running.stop()


def test_a_pair_without_a_model_goes_over_english(open_page: OpenPage, two_models: Server) -> None:
    found = open_page(two_models.url + "/blank.html").page.evaluate(PIVOT, TEXT)
    response = found["response"]
    assert found["before"] == "downloadable"
    assert found["direct"] == response["text"] != ""
    units = TEXT.encode("utf-16-le")
    target = response["text"].encode("utf-16-le")
    read = written = 0
    for sentence in response["sentences"]:
        (start, end), (to, until) = sentence["source"], sentence["target"]
        assert units[2 * read : 2 * start] == target[2 * written : 2 * to]
        read, written = end, until
    assert units[2 * read :] == target[2 * written :]
    assert len(response["sentences"]) == 2
    words = response["alignment"]["sourceWords"], response["alignment"]["targetWords"]
    assert response["alignment"]["links"]
    for source_word, target_word in response["alignment"]["links"]:
        assert source_word < len(words[0])
        assert target_word < len(words[1])
