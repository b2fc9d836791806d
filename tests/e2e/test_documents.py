"""Documents in the browser: what the worker writes is what the command writes, to the byte."""

from __future__ import annotations

import base64
import io
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

import dragoman
from dragoman.documents.kinds import WRITTEN_AS
from dragoman.documents.passage import translated_name
from tests.support.documents import pdf_samples, samples
from tests.support.pages import OpenPage
from tests.support.pdf import pages_pdf

BY_NAME = {sample.name: sample for sample in samples() + pdf_samples()}
# One of each kind at least.
NAMES = [
    next(name for name in BY_NAME if name.endswith(ending))
    for ending in (".docx", ".odt", ".pptx", ".epub", ".md", ".html", ".srt", ".vtt", ".po",
                   ".xlf", ".json", ".csv", ".tsv", ".txt", ".pdf")
]  # fmt: skip

TRANSLATE = """async (files) => {
  const { Translator } = await import("/dragoman.js");
  const translator = await Translator.create({ sourceLanguage: "de", targetLanguage: "en" });
  const encode = async (blob) => {
    const reader = new FileReader();
    await new Promise((resolve) => { reader.onload = resolve; reader.readAsDataURL(blob); });
    return reader.result.slice(reader.result.indexOf(",") + 1);
  };
  const told = [];
  for (const { name: given, content, columns } of files) {
    const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
    const seen = { beginning: null, last: null };
    const onbeginning = (text) => { seen.beginning = text; };
    const onprogress = (progress) => { seen.last = progress; };
    try {
      const options = { name: given, columns, onbeginning, onprogress };
      const { file, ...rest } = await translator.translateDocument(new Blob([bytes]), options);
      const { name, type } = file;
      told.push({ ...rest, ...seen, name, type, content: await encode(file) });
    } catch ({ code, message, requested, quota }) {
      told.push({ code, message, requested, quota });
    }
  }
  translator.destroy();
  return told;
}"""


@pytest.fixture(scope="module")
def native() -> Iterator[dragoman.Translator]:
    with dragoman.load("de", "en") as translator:
        yield translator


def in_the_browser(page: Page, *files: tuple[str, bytes]) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = page.evaluate(
        TRANSLATE,
        [
            {"name": name, "content": base64.b64encode(content).decode(), "columns": ["all"]}
            for name, content in files
        ],
    )
    return told


def parts(content: bytes) -> dict[str, bytes]:
    """Of an archive, whose dates are those of its writing; else the whole."""
    if not content.startswith(b"PK"):
        return {"": content}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_every_kind_is_what_the_command_writes(
    open_page: OpenPage, native: dragoman.Translator
) -> None:
    page = open_page().page
    found = in_the_browser(page, *((name, BY_NAME[name].content) for name in NAMES))
    for name, told in zip(NAMES, found, strict=True):
        assert "content" in told, (name, told)
        expected = native.translate_document(BY_NAME[name].content, name=name, columns=("all",))
        assert told["name"] == translated_name(name, "de", "en", WRITTEN_AS.get(told["kind"], ""))
        assert parts(base64.b64decode(told["content"])) == parts(expected.content), name
        assert (told["sentences"], told["doubtful"]) == (expected.sentences, expected.doubtful)
        assert told["last"]["done"] == told["last"]["total"] > 0
        assert told["beginning"].strip()


def test_what_cannot_be_read_is_told_with_its_code(open_page: OpenPage) -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b" " * 300_000_000)
    entities = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aa">]><xliff version="1.2"/>'
    found = in_the_browser(
        open_page().page,
        ("plan.rtf", b"{\\rtf1}"),
        ("plan.pdf", b"%PDF-1.7"),
        ("deep.pdf", pages_pdf([b"[" * 100_000])),
        ("letter.docx", b"nonsense"),
        ("bomb.docx", bomb.getvalue()),
        ("deep.json", b"[" * 1_000),
        ("bad.xlf", entities),
        ("good.txt", b"Guten Morgen!"),
    )
    assert [told.get("code") for told in found] == [
        "unsupported-format",
        "document",
        "document",
        "document",
        "document-too-large",
        "document-too-large",
        "document",
        None,
    ]
    assert (found[4]["requested"], found[4]["quota"]) == (300_000_000, 250_000_000)
    assert base64.b64decode(found[7]["content"]) == b"Good morning!"
