"""dragoman translate with documents: what is written where, and what is refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from dragoman.cli import app as cli
from dragoman.native.translator import Translator
from tests.support.documents import capital_parts, parts_of, samples
from tests.support.pdf import lines_pdf

BY_NAME = {sample.name: sample.content for sample in samples()}


@pytest.fixture(autouse=True)
def capitals(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command translates into capitals."""
    monkeypatch.setattr(cli, "open_translator", lambda *_: Translator(capital_parts()))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in "letter.docx", "readme.md", "comma.csv", "page.html", "plain.txt", "app.json":
        (tmp_path / name).write_bytes(BY_NAME[name])
    return tmp_path


def translate(*arguments: Any, source: str = "de", stdin: str | None = None) -> Result:
    words = ["translate", "--from", source, "--to", "en", *map(str, arguments)]
    return CliRunner().invoke(cli.app, words, input=stdin)


def test_a_document_is_written_beside_its_source(folder: Path) -> None:
    result = translate(folder / "letter.docx")
    assert result.exit_code == 0
    assert result.stderr == f"dragoman: {folder}/letter.docx -> {folder}/letter.en.docx\n"
    text = dict(parts_of((folder / "letter.en.docx").read_bytes()))["word/document.xml"].decode()
    assert "LIEBE ANNA, " in text
    assert (folder / "letter.docx").read_bytes() == BY_NAME["letter.docx"]


def test_a_page_needs_no_option(folder: Path) -> None:
    result = translate(folder / "page.html")
    assert (result.exit_code, "nothing in it" in result.stderr) == (0, False)
    assert "<title>TITEL</title>" in (folder / "page.en.html").read_text()


def test_a_page_without_text_is_told_of(folder: Path) -> None:
    (folder / "empty.html").write_text("<p> </p><code>ein Wort</code>")
    result = translate(folder / "empty.html")
    assert result.stderr.endswith("empty.en.html (nothing in it is to be translated)\n")


def test_several_with_text_among_them_into_a_folder(folder: Path) -> None:
    (folder / "out").mkdir()
    paths = [folder / "readme.md", folder / "plain.txt"]
    assert translate(*paths, "--output", folder / "out", "--quiet").stderr == ""
    assert sorted(path.name for path in (folder / "out").iterdir()) == [
        "plain.en.txt",
        "readme.en.md",
    ]
    result = translate(*paths, "--output", folder / "one.md")
    assert (result.exit_code, "need a folder" in result.stderr) == (1, True)


@pytest.mark.parametrize("name", ["translated/", "deep/translated/", "translated"])
def test_a_folder_that_is_not_there_is_made_for_several(folder: Path, name: str) -> None:
    paths = [folder / "letter.docx", folder / "readme.md", folder / "plain.txt"]
    assert translate(*paths, "--output", f"{folder}/{name}").exit_code == 0
    assert sorted(path.name for path in (folder / name).iterdir()) == [
        "letter.en.docx",
        "plain.en.txt",
        "readme.en.md",
    ]


@pytest.mark.parametrize("name", ["readme.md", "plain.txt"])
def test_a_separator_makes_a_folder_for_one(folder: Path, name: str) -> None:
    assert translate(folder / name, "--output", f"{folder}/out/").exit_code == 0
    written = folder / "out" / name.replace(".", ".en.")
    assert [*(folder / "out").iterdir()] == [written]
    assert "Satz".upper() in written.read_text().upper()


def test_a_stream_has_no_name_in_a_folder(folder: Path) -> None:
    """Standard input, lines, what is packed: no file of the folder's name is written for them."""
    (folder / "plain.txt.gz").write_bytes(gzip.compress(b"Eins."))
    plain, packed = folder / "plain.txt", folder / "plain.txt.gz"
    for words in (), ("--lines", plain), (packed,):
        result = translate(*words, "--output", f"{folder}/out/")
        assert (result.exit_code, "out/ is a folder: name a file" in result.stderr) == (1, True)
    assert not (folder / "out").exists()


def test_a_file_is_no_folder(folder: Path) -> None:
    result = translate(folder / "readme.md", "--output", f"{folder}/plain.txt/")
    assert (result.exit_code, "plain.txt/: it is no folder" in result.stderr) == (1, True)


@pytest.mark.parametrize("words", [[], ["-"]])
def test_standard_input_is_no_document(words: list[str]) -> None:
    result = translate("--format", "json", *words, stdin='{"a": "Eins."}')
    assert (result.exit_code, result.stdout) == (1, "")
    assert "standard input cannot be translated" in result.stderr
    assert translate("--format", "txt", *words, stdin="Eins.").stdout == "EINS."


def test_nothing_beside_a_text_is_left_aside(folder: Path) -> None:
    refused: list[tuple[tuple[Any, ...], str]] = [
        ((folder / "readme.md",), "--text and files do not go together"),
        (("--format", "json"), "--text is plain text, not json"),
    ]
    for words, message in refused:
        result = translate("--text", "Eins.", *words)
        assert (result.exit_code, result.stdout) == (2, "")
        assert message in " ".join(result.stderr.split())
    assert not (folder / "readme.en.md").exists()
    assert translate("--text", "Eins.", "--format", "txt").stdout == "EINS.\n"


def test_text_alone_still_goes_to_standard_output(folder: Path) -> None:
    assert translate(folder / "plain.txt").stdout.startswith("EIN SATZ. NOCH EINER.\n")
    assert not (folder / "plain.en.txt").exists()


def test_a_format_that_is_named(folder: Path) -> None:
    path = folder / "noname"
    path.write_bytes(BY_NAME["readme.md"])
    result = translate("--format", "md", path, "--output", "-")
    assert "\nTITEL\n=====\n" in result.stdout
    result = translate("--format", "txt", folder / "app.json")
    assert '"ID": "ABC-DEF"' in result.stdout.upper()
    assert "there is no format 'nonsense'" in translate("--format", "nonsense", path).stderr


def test_columns(folder: Path) -> None:
    result = translate(folder / "comma.csv")
    assert result.exit_code == 1
    assert "name the columns to translate (--columns): there are id, Titel, Text; or all" in (
        result.stderr
    )
    assert translate("--columns", "Titel, 3", folder / "comma.csv").exit_code == 0
    assert (folder / "comma.en.csv").read_text() == (
        'id,Titel,Text\n1,HAUS,"DAS HAUS, ""ALT"" UND GROß."\n2,BAUM,\n'
    )


def test_json_says_what_was_written(folder: Path) -> None:
    result = translate("--json", folder / "app.json")
    assert json.loads(result.stdout) == {
        "file": f"{folder}/app.json",
        "output": f"{folder}/app.en.json",
        "format": "json",
        "sentences": 5,
        "doubtful": 0,
        "warnings": {},
    }


def test_nothing_that_is_there_is_written_over(folder: Path) -> None:
    path = folder / "letter.docx"
    result = translate(path, "--output", path)
    assert (result.exit_code, "would be written over it" in result.stderr) == (1, True)
    (folder / "letter.en.docx").write_text("mine")
    assert "is there already" in translate(path).stderr
    assert (folder / "letter.en.docx").read_text() == "mine"
    assert translate(path, "--output", folder / "letter.en.docx").exit_code == 0


def test_a_name_that_says_its_language(folder: Path) -> None:
    (folder / "letter.docx").rename(folder / "brief.de.docx")
    assert translate(folder / "brief.de.docx").exit_code == 0
    assert (folder / "brief.en.docx").exists()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.pdf", b"%PDF-1.7", "it is damaged, or no PDF"),
        ("a.xlsx", b"PK", "save it as csv first"),
        ("a.bin", b"\x00\x01", "its structure would be lost"),
        ("a.yaml", b"a: b", "--format"),
        ("a.md.gz", b"", "unpack it first; --format txt"),
        ("a.docx", b"nonsense", "a.docx: the document is no zip archive"),
    ],
)
def test_what_cannot_be_translated_is_refused(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    result = translate(tmp_path / name)
    assert (result.exit_code, result.stdout) == (1, "")
    assert message in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_of_a_pdf_the_text_is_written_and_the_command_says_so(folder: Path) -> None:
    (folder / "bericht.pdf").write_bytes(lines_pdf(["Ein Ab-", "satz."]))
    result = translate(folder / "bericht.pdf")
    assert "bericht.en.html (its text: a PDF does not keep its layout)" in result.stderr
    assert "\n<p>EIN ABSATZ.</p>\n" in (folder / "bericht.en.html").read_text()
    result = translate(folder / "bericht.pdf", "--output", folder / "report.pdf")
    assert (result.exit_code, "what is written is html, not pdf" in result.stderr) == (1, True)


def test_lines_are_for_plain_text(folder: Path) -> None:
    result = translate("--lines", folder / "readme.md")
    assert (result.exit_code, "--format txt takes it as plain text" in result.stderr) == (2, True)


def test_the_language_is_found_out(folder: Path) -> None:
    text = "Wir wohnen seit drei Jahren in diesem alten Haus am Rande der Stadt.\n"
    (folder / "lang.md").write_text(text)
    result = translate(folder / "lang.md", source="auto")
    assert "found to be in German (de)" in result.stderr
    assert (folder / "lang.en.md").read_text() == text.upper()
    (folder / "short.md").write_text("Ok\n")
    result = translate(folder / "short.md", source="auto")
    assert (result.exit_code, f"{folder}/short.md: " in result.stderr) == (1, True)


def test_a_file_that_is_not_there(folder: Path) -> None:
    result = translate(folder / "letter.docx", folder / "missing.txt")
    assert f"{folder}/missing.txt: there is no such file" in result.stderr


@pytest.mark.parametrize("words", [[], ["plain.txt"], ["letter.docx"], ["--html", "comma.csv"]])
def test_columns_are_not_left_aside(folder: Path, words: list[str]) -> None:
    paths = [word if word.startswith("--") else str(folder / word) for word in words]
    result = translate("--columns", "Text", *paths, stdin="Text\nGuten Tag.\n")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--columns is for files of csv or tsv, and there is none" in result.stderr


def test_columns_of_a_file_that_is_not_there(folder: Path) -> None:
    result = translate("--columns", "Text", folder / "none.csv")
    assert result.stderr == f"dragoman: {folder}/none.csv: No such file or directory\n"


@pytest.mark.parametrize(
    ("name", "output", "message"),
    [
        ("readme.md", "readme.docx", "what is written is md, not docx"),
        ("letter.docx", "letter.ODT", "what is written is docx, not odt"),
        ("plain.txt", "plain.docx", "what is written is text, not docx"),
        ("plain.txt", "plain.epub", "what is written is text, not epub"),
    ],
)
def test_a_name_that_promises_another_document(
    folder: Path, name: str, output: str, message: str
) -> None:
    """Nothing would open it."""
    result = translate(folder / name, "-o", folder / output)
    assert result.stderr == f"dragoman: {folder / output}: {message}\n"
    assert (result.exit_code, (folder / output).exists()) == (1, False)


def test_text_may_have_any_other_ending(folder: Path) -> None:
    assert translate(folder / "readme.md", "-o", folder / "out.txt").exit_code == 0
    assert translate(folder / "plain.txt", "-o", folder / "out.md").exit_code == 0
    assert translate(folder / "letter.docx", "-o", folder / "out.docm").exit_code == 0
