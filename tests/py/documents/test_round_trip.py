"""Forty documents there and back: nothing is lost, doubled or restyled, and only text changes."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polib
import pytest
import srt
import webvtt
from lxml import etree
from markdown_it import MarkdownIt

from dragoman.documents.kinds import WRITTEN_AS, DocumentKind, kind_of
from dragoman.native.translator import Translator
from tests.support.documents import (
    Sample,
    capital_parts,
    capitals,
    echo_parts,
    parts_of,
    samples,
    seen,
)

SAMPLES = samples()
PACKED = [sample for sample in SAMPLES if sample.content.startswith(b"PK")]
# Their translations stand beside the sources, which stay.
BESIDE = (DocumentKind.PO, DocumentKind.XLIFF)


@pytest.fixture(scope="module")
def echo() -> Iterator[Translator]:
    with Translator(echo_parts()) as translator:
        yield translator


@pytest.fixture(scope="module")
def shout() -> Iterator[Translator]:
    with Translator(capital_parts()) as translator:
        yield translator


def translated(translator: Translator, sample: Sample) -> bytes:
    done = translator.translate_document(sample.content, name=sample.name, columns=["all"])
    return done.content


def each(*kinds: str) -> pytest.MarkDecorator:
    chosen = [sample for sample in SAMPLES if sample.ending in kinds]
    return pytest.mark.parametrize("sample", chosen, ids=lambda sample: sample.name)


def test_there_are_forty_of_all_kinds() -> None:
    assert len(SAMPLES) >= 40
    assert {sample.kind for sample in SAMPLES} == set(DocumentKind) - set(WRITTEN_AS)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_the_kind_is_found_by_name(sample: Sample) -> None:
    assert kind_of(sample.name, sample.content) is sample.kind


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_a_translation_that_says_the_same_changes_nothing(sample: Sample, echo: Translator) -> None:
    result = translated(echo, sample)
    if sample.kind not in BESIDE:
        assert result == sample.content


@pytest.mark.parametrize("sample", PACKED, ids=lambda sample: sample.name)
def test_every_character_keeps_what_is_around_it(sample: Sample, shout: Translator) -> None:
    before, after = dict(parts_of(sample.content)), dict(parts_of(translated(shout, sample)))
    assert list(before) == list(after)
    changed = [name for name in before if before[name] != after[name]]
    assert changed
    for name in changed:
        expected, written = seen(before[name]), seen(after[name])
        assert [(capitals(text), around) for text, around in written] == [
            (capitals(text), around) for text, around in expected
        ], name
    texts = "".join(text for name in changed for text, _ in seen(after[name]))
    assert sum(map(str.isupper, texts)) > sum(map(str.islower, texts)) or sample.kind == "epub"


@each("md")
def test_markdown_reads_as_the_same_blocks(sample: Sample, shout: Translator) -> None:
    def shape(content: bytes) -> list[tuple[str, str]]:
        parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
        result = []
        for token in parser.parse(content.decode()):
            inline = [child for child in token.children or () if child.type != "softbreak"]
            code = token.content if token.type in ("fence", "code_block", "html_block") else ""
            result.append((token.type, code))
            result += [
                (child.type, str(child.attrs.get("href", "")) + child.markup)
                for child in inline
                if child.type != "text"
            ]
        return result

    result = translated(shout, sample)
    assert shape(result) == shape(sample.content)


@each("json")
def test_json_keeps_keys_and_everything_that_is_no_text(sample: Sample, shout: Translator) -> None:
    before, after = json.loads(sample.content), json.loads(translated(shout, sample))
    assert shape_of(after) == shape_of(before)
    if sample.name in ("app.json", "escaped.json"):
        assert after == {
            "title": "GUTEN MORGEN",
            "id": "abc-def",
            "list": ["WILLKOMMEN, {name}!", "%d DATEIEN GEWÄHLT", 3, None, "https://example.org/x"],
            "html": 'BITTE <a href="/x">HIER</a> KLICKEN.<br>DANKE.',
            "plural": "{n, plural, one {# Datei} other {# Dateien}}",
            "@title": {"description": "Nur für Übersetzer"},
        }


def shape_of(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: shape_of(value) for key, value in data.items()}
    if isinstance(data, list):
        return list(map(shape_of, data))
    return data.lower() if isinstance(data, str) else data


@each("po")
def test_catalogues_get_what_is_missing(sample: Sample, echo: Translator) -> None:
    before = polib.pofile(sample.content.decode())
    after = polib.pofile(translated(echo, sample).decode())
    assert [entry.msgid for entry in after] == [entry.msgid for entry in before]
    assert after.metadata["Language"] == "en"
    for old, new in zip(before, after, strict=True):
        assert (new.comment, new.flags, new.occurrences) == (
            old.comment,
            old.flags,
            old.occurrences,
        )
        assert new.msgstr == (old.msgstr or ("" if old.msgid_plural else old.msgid))
        if old.msgid_plural:
            assert new.msgstr_plural == {0: old.msgid, 1: old.msgid_plural}


@each("xlf")
def test_units_get_what_is_missing(sample: Sample, echo: Translator) -> None:
    before, after = (
        etree.fromstring(content) for content in (sample.content, translated(echo, sample))
    )
    for old, new in zip(units(before), units(after), strict=True):
        source, target = new.find("{*}source"), new.find("{*}target")
        assert inside(source) == inside(old.find("{*}source"))
        had = old.find("{*}target")
        if had is not None and had.text:
            assert inside(target) == inside(had)
        elif new.get("translate") == "no":
            assert target is None
        else:
            assert inside(target).split() == inside(source).split()


def units(root: Any) -> list[Any]:
    return [*root.iter("{*}trans-unit"), *root.iter("{*}segment")]


def inside(element: Any) -> str:
    text: str = etree.tostring(element, encoding="unicode", with_tail=False)
    return text.partition(">")[2].rpartition("<")[0]


@each("srt")
def test_subtitles_keep_their_times(sample: Sample, shout: Translator) -> None:
    before = list(srt.parse(sample.content.decode("utf-8-sig").replace("\r\n", "\n")))
    result = translated(shout, sample)
    after = list(srt.parse(result.decode("utf-8-sig").replace("\r\n", "\n")))
    times = [(cue.index, cue.start, cue.end) for cue in before]
    assert [(cue.index, cue.start, cue.end) for cue in after] == times
    assert [cue.content.split() for cue in after] == [
        capitals(cue.content).replace("<I>", "<i>").replace("</I>", "</i>").split()
        for cue in before
    ]
    assert result.count(b"\r\n") == sample.content.count(b"\r\n")
    assert result.startswith(b"\xef\xbb\xbf") == sample.content.startswith(b"\xef\xbb\xbf")


@each("vtt")
def test_web_subtitles_keep_their_times(sample: Sample, shout: Translator, tmp_path: Path) -> None:
    def times(content: bytes) -> list[tuple[str, str, str]]:
        path = tmp_path / "a.vtt"
        path.write_bytes(content)
        return [(cue.start, cue.end, cue.text.lower()) for cue in webvtt.read(str(path)).captions]

    result = translated(shout, sample)
    assert times(result) == times(sample.content)
    if sample.name == "styled.vtt":
        assert result.decode() == sample.content.decode().replace(
            "Guten Morgen, <c.laut>Bert", "GUTEN MORGEN, <c.laut>BERT"
        ).replace("Wie geht es dir <00:04.000>heute", "WIE GEHT ES DIR <00:04.000>HEUTE")


@each("csv", "tsv")
def test_tables_keep_their_cells(sample: Sample, shout: Translator) -> None:
    def rows(content: bytes) -> list[list[str]]:
        text = content.decode("utf-8-sig")
        separator = {"comma.csv": ",", "semicolon.csv": ";"}.get(sample.name, "\t")
        if separator == "\t":
            return [line.split(separator) for line in text.splitlines()]
        return list(csv.reader(io.StringIO(text, ""), delimiter=separator))

    result = translated(shout, sample)
    assert rows(result) == [[capitals(cell) for cell in row] for row in rows(sample.content)]
    assert result.count(b'"') == sample.content.count(b'"')


@each("txt", "html")
def test_text_and_pages(sample: Sample, shout: Translator) -> None:
    result = translated(shout, sample).decode()
    expected = {
        "plain.txt": "EIN SATZ. NOCH EINER.\n\n  EINGERÜCKT.\r\n",
        "page.html": (
            '<!DOCTYPE html>\n<html lang="en"><head><title>TITEL</title></head><body>'
            "<p class=x>EIN <b>FETTES</b> WORT.<!-- bleibt --></p>"
            "<script>let a = 'nein';</script></body></html>\n"
        ),
    }
    if sample.name in expected:
        assert result == expected[sample.name]
    else:
        assert "DAS HAUS IST <strong>SEHR ALT</strong>" in result
