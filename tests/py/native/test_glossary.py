"""Glossaries from files."""

from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman.config import Limits
from dragoman.errors import GlossaryTooLargeError, InvalidGlossaryError
from dragoman.types import Term

MARTIF = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">
<martif type="TBX" xml:lang="en"><text><body>
<termEntry id="1">
  <langSet xml:lang="de-AT"><tig><term>Rechner</term></tig>
    <ntig><termGrp><term>elektrischer
      Rechner</term></termGrp></ntig></langSet>
  <langSet xml:lang="en"><tig><term>box</term>
      <termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></tig>
    <tig><term>computer</term></tig><tig><term>machine</term></tig></langSet>
</termEntry>
<termEntry id="2"><langSet xml:lang="de"><tig><term>Haus</term></tig></langSet></termEntry>
</body></text></martif>"""
TBX_3 = """<tbx xmlns="urn:iso:std:iso:30042:ed-2" type="TBX-Basic"><text><body>
<conceptEntry><langSec xml:lang="de"><termSec><term>Rechner</term></termSec></langSec>
<langSec xml:lang="en"><termSec><term>computer</term></termSec></langSec></conceptEntry>
</body></text></tbx>"""


def read(tmp_path: Path, name: str, content: str | bytes, *arguments: Any) -> tuple[Term, ...]:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return dragoman.Glossary.read(path, *arguments).terms


def test_tsv(tmp_path: Path) -> None:
    text = "\ufeffRechner\tcomputer\ta note\r\n\nAnna\n C++ \t\n"
    assert read(tmp_path, "a.tsv", text) == (
        Term("Rechner", "computer"),
        Term("Anna", "Anna"),
        Term("C++", "C++"),
    )
    assert read(tmp_path, "b.tsv", "") == ()


def test_tbx_of_both_forms(tmp_path: Path) -> None:
    assert read(tmp_path, "a.tbx", MARTIF, "de", "en-US") == (
        Term("Rechner", "computer"),
        Term("elektrischer Rechner", "computer"),
    )
    assert read(tmp_path, "b.tbx", TBX_3, "de", "en") == (Term("Rechner", "computer"),)
    assert read(tmp_path, "c.tbx", TBX_3, "de", "fr") == ()


def test_sections_within_sections_are_read_once(tmp_path: Path) -> None:
    """Read for each of those around them, 3,000 took 20 s and gave each term 3,000 times."""
    sections = "".join(
        f"<langSec xml:lang='de'><termSec><term>Wort {number}</term></termSec>"
        for number in range(3_000)
    )
    english = "<langSec xml:lang='en'><termSec><term>word</term></termSec></langSec>"
    text = f"<tbx><conceptEntry>{english}{sections}{'</langSec>' * 3_000}</conceptEntry></tbx>"
    terms = read(tmp_path, "a.tbx", text, "de", "en")
    assert terms == tuple(Term(f"Wort {number}", "word") for number in range(3_000))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", b"Rechner\tcomputer\n\xff\n", "a.tsv: line 2 is not UTF-8"),
        ("a.tsv", "Haus\thouse\n\t computer", "a.tsv: line 2 has no term in its first column"),
        ("a.tsv", "Haus\t?", "a.tsv: term 0: the target needs a letter or figure"),
        ("a.tbx", "<tbx>", "a.tbx: it is not XML: no element found"),
        ("a.tbx", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "a.tbx: it declares entities"),
        (
            "a.tbx",
            '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
            "a.tbx: it declares entities",
        ),
        (
            "a.tbx",
            '<?xml version="1.0" encoding="foo"?><tbx/>',
            "a.tbx: its encoding cannot be read: unknown encoding: foo",
        ),
        (
            "a.tbx",
            '<?xml version="1.0" encoding="shift_jis"?><tbx/>',
            "a.tbx: its encoding cannot be read: multi-byte encodings are not supported",
        ),
        (
            "a.tbx",
            '<?xml version="1.0" encoding="undefined"?><tbx/>',
            "a.tbx: its encoding cannot be read: ",
        ),
    ],
)
def test_files_that_are_no_glossary(
    tmp_path: Path, name: str, content: bytes | str, message: str
) -> None:
    with pytest.raises(InvalidGlossaryError) as caught:
        read(tmp_path, name, content, "de", "en")
    assert caught.value.message.startswith(message)
    assert caught.value.details["file"] == name


def test_a_file_that_is_not_there_and_languages_that_are_not_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidGlossaryError, match="No such file"):
        dragoman.Glossary.read(tmp_path / "a.tsv")
    with pytest.raises(InvalidGlossaryError, match="null"):
        dragoman.Glossary.read("a\0b.tsv")
    with pytest.raises(InvalidGlossaryError, match="many languages"):
        read(tmp_path, "a.tbx", TBX_3)


def test_a_file_of_too_many_terms(tmp_path: Path) -> None:
    with pytest.raises(GlossaryTooLargeError) as caught:
        read(tmp_path, "a.tsv", "a\nb\nc\nd\n", None, None, Limits(glossary_terms=2))
    assert (caught.value.requested, caught.value.allowed) == (3, 2)


def test_a_translator_uses_it(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("Buch\ttome\nSchwarz\n")
    glossary = dragoman.Glossary.read(tmp_path / "a.tsv")
    with dragoman.load("de", "en") as translator:
        response = translator.translate("Herr Schwarz hat ein Buch.", glossary=glossary)
    assert [use.target and use.target.of(response.text) for use in response.terms] == [
        "Schwarz",
        "tome",
    ]
