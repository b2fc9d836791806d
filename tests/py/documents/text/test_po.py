from __future__ import annotations

import pytest

from dragoman.documents.kinds import DocumentKind
from dragoman.documents.passage import Translated
from dragoman.documents.read import DocumentOptions, read_document
from dragoman.documents.text.po import catalogue_encoding
from dragoman.types import PlacedElement, Span
from tests.support.documents import read, written


def test_catalogues_are_wrapped_as_usual() -> None:
    long = "word " * 20
    text = written("po", 'msgid "Lang"\nmsgstr ""\n', long.strip())
    assert text.splitlines()[1] == 'msgstr ""'
    assert max(map(len, text.splitlines())) <= 79
    assert written("po", 'msgid "A\\n"\nmsgstr ""\n', 'B "c"\n') == (
        'msgid "A\\n"\nmsgstr "B \\"c\\"\\n"\n'
    )


def test_messages_without_a_translation_are_passages() -> None:
    text = """msgid ""
msgstr ""
"Language: \\n"

#~ msgid "Alt"
#~ msgstr ""

msgid "Haus"
msgstr ""

msgid "Baum"
msgstr "tree"

msgctxt "Bank"
msgid "%d Datei"
msgid_plural "%d Dateien"
msgstr[0] ""
msgstr[1] ""

msgid "{n, plural, one {ein} other {viele}}"
msgstr ""
"""
    passages = read("po", text).passages
    assert [passage.text for passage in passages] == ["Haus", "%d Datei", "%d Dateien"]
    changed = written("po", text, "house", "a file", "files")
    assert 'msgstr ""\n"Language: en\\n"\n' in changed
    assert 'msgstr[0] "a file"\nmsgstr[1] "files"\n' in changed


@pytest.mark.parametrize(
    ("escaped", "letters"),
    [
        ("f\\303\\274r \\xe2\\x82\\xac 5\\t\\101", "für € 5\tA"),
        ("f\\374r Ja", "für Ja"),  # ISO 8859-1
    ],
)
def test_letters_that_are_written_as_bytes_are_letters(escaped: str, letters: str) -> None:
    (passage,) = read("po", f'msgid "{escaped}"\nmsgstr ""\n').passages
    assert passage.text == letters


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        (b'"Content-Type: text/plain; charset=ISO-8859-1\\n"', "ISO-8859-1"),
        (b'"Content-Type: text/plain; charset=CHARSET\\n"', "utf-8"),
        (b'msgid "a"', "utf-8"),
    ],
)
def test_a_catalogue_says_its_encoding(head: bytes, encoding: str) -> None:
    assert catalogue_encoding(head) == encoding


def test_a_catalogue_says_how_it_is_written() -> None:
    head = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset={}\\n"\n\n'
    text = head + 'msgid "Größe"\nmsgstr ""\n'
    latin = text.format("ISO-8859-1").encode("latin-1")
    options = DocumentOptions(DocumentKind.PO, "de")
    changed = read_document(latin, options).write([Translated("size", (Span(0, 4),))], "en")
    assert changed.decode() == text.format("UTF-8").replace(
        '"Größe"\nmsgstr ""', '"Größe"\nmsgstr "size"'
    )
    marked = b"\xef\xbb\xbf" + text.format("UTF-8").encode()
    changed = read_document(marked, options).write([Translated("size", (Span(0, 4),))], "en")
    assert changed == marked.replace(
        '"Größe"\nmsgstr ""'.encode(), '"Größe"\nmsgstr "size"'.encode()
    )


def test_a_charset_in_a_message_is_none_of_the_catalogue() -> None:
    text = "# " + 8_200 * "x" + '\nmsgid "charset=none in a page"\nmsgstr ""\n'
    assert written("po", text, "y") == text.replace('msgstr ""', 'msgstr "y"')


def test_lines_end_as_those_of_the_catalogue() -> None:
    text = written("po", 'msgid "Lang"\r\nmsgstr ""\r\n', "word " * 20)
    assert text.count("\n") == text.count("\r\n") == 4


def test_the_only_form_is_that_of_all_numbers() -> None:
    text = 'msgid "Ein Ding"\nmsgid_plural "%d Dinge"\nmsgstr[0] ""\n'
    assert [passage.text for passage in read("po", text).passages] == ["%d Dinge"]


def test_a_template_becomes_a_catalogue_that_can_be_compiled() -> None:
    head = (
        '# Titel\n#\n{mark}msgid ""\nmsgstr ""\n"Language: {language}\\n"\n'
        '"Content-Type: text/plain; charset={charset}\\n"\n"Plural-Forms: {plurals}\\n"\n\n'
        '#, fuzzy\nmsgid "Ja"\nmsgstr "{yes}"\n\nmsgid "Nein"\nmsgstr "{no}"\n'
    )
    template = head.format(
        mark="#, fuzzy\n", language="", charset="CHARSET", yes="yes", no="",
        plurals="nplurals=INTEGER; plural=EXPRESSION;",
    )  # fmt: skip
    assert written("po", template, "no") == head.format(
        mark="", language="en", charset="UTF-8", yes="yes", no="no",
        plurals="nplurals=2; plural=(n != 1);",
    )  # fmt: skip


def test_a_mnemonic_is_not_translated_and_not_lost() -> None:
    catalogue = 'msgid "Datei _speichern %s"\nmsgstr ""\n'
    assert read("po", catalogue).passages[0].text == "Datei speichern %s"
    placed = Translated("Save %s file", (Span(0, 5), PlacedElement(0), Span(7, 12)))
    expected = catalogue.replace('""', '"_Save %s file"')
    assert written("po", catalogue, placed) == expected
