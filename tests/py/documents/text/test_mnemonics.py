"""Marks of labels are taken out, and stand in the translation before their letter."""

from __future__ import annotations

import pytest

from dragoman.documents.text.mnemonics import Mnemonic, with_mnemonic, without_mnemonic


@pytest.mark.parametrize(
    ("text", "plain", "mnemonic"),
    [
        ("Save _As...", "Save As...", ("_", "a")),
        ("_Datei", "Datei", ("_", "d")),
        ("&Bearbeiten", "Bearbeiten", ("&", "b")),
        ("&Öffnen …", "Öffnen …", ("&", "ö")),
        ("Forma&t", "Format", ("&", "t")),
        ("Save &file %s as", "Save file %s as", ("&", "f")),
        ("E_xit", "Exit", ("_", "x")),
        ("<b>_Datei</b>", "<b>Datei</b>", ("_", "d")),
        ("Find & _Replace", "Find & Replace", ("_", "r")),
        ("文件(&F)", "文件", ("&", "f")),
        ("Datei (_D)...", "Datei...", ("_", "d")),
    ],
)
def test_a_mark_is_taken_out(text: str, plain: str, mnemonic: tuple[str, str]) -> None:
    assert without_mnemonic(text) == (plain, Mnemonic(*mnemonic))


@pytest.mark.parametrize(
    "text",
    [
        "Save && exit", "file_name", "Is the file_name set?", "R&D", "Q&A", "AT&T", "Barnes&Noble",
        "Find & replace", "That is _now_.", "_init()", "?a=1&b=2", "https://a.b/?c&d=1", "a&nbsp;b",
        "&amp; more", "Drag&drop the file", "Set the field _id.",
        "One of _these is one of six",
        "_private_name", "&One or &two", "$_x", "_", "&", "", "Salz &Pfeffer &Co",
    ],
)  # fmt: skip
def test_what_is_no_mark_stays(text: str) -> None:
    assert without_mnemonic(text) == (text, None)


@pytest.mark.parametrize(
    ("texts", "mnemonic", "expected"),
    [
        (["Speichern als..."], ("_", "a"), ["Speichern _als..."]),
        (["File"], ("_", "d"), ["_File"]),
        (["Edit"], ("&", "t"), ["Edi&t"]),
        (["Über uns"], ("&", "a"), ["&Über uns"]),
        (["Datei ", " speichern"], ("&", "s"), ["Datei ", " &speichern"]),
        (["Öffnen"], ("&", "ö"), ["&Öffnen"]),
        (["Файл"], ("&", "f"), ["&Файл"]),
        (["文件…"], ("&", "f"), ["文件(&F)…"]),
        ([""], ("_", "f"), ["(_F)"]),
    ],
)
def test_a_mark_is_put_back(
    texts: list[str], mnemonic: tuple[str, str], expected: list[str]
) -> None:
    assert with_mnemonic(texts, Mnemonic(*mnemonic)) == expected
