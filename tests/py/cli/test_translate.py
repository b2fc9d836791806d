"""`dragoman translate`: what it writes where."""

from __future__ import annotations

import gzip
import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from dragoman.types import Span
from dragoman.wire.responses import RangeUnit, json_bytes, length, text_index
from tests.support.processes.command import translate

# --- glossaries ------------------------------------------------------------------------------


@pytest.mark.usefixtures("capitals")
def test_terms_of_files_and_words_to_keep(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("Rechner\tbox\nHaus\thouse\n")
    (tmp_path / "b.tsv").write_text("Rechner\tcomputer\n")
    options = ["--glossary", tmp_path / "a.tsv", "--glossary", tmp_path / "b.tsv"]
    result = translate(*options, "--keep", "Anna", stdin=b"Annas Rechner steht im Haus.\n")
    assert result.stdout == "Annas computer STEHT IM house.\n"
    assert result.exit_code == 0


@pytest.mark.usefixtures("capitals")
def test_a_file_that_is_no_glossary(tmp_path: Path) -> None:
    result = translate("--glossary", tmp_path / "none.tsv", stdin=b"Ja.")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "none.tsv: No such file or directory" in result.stderr


@pytest.mark.usefixtures("capitals")
def test_translation_memories(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("de\ten\nGuten Tag!\tHello!\nSo ist es.\tSo it is.\n")
    (tmp_path / "b.tsv").write_text("Guten Tag!\tGood day!\n")
    options = ["--memory", tmp_path / "a.tsv", "--memory", tmp_path / "b.tsv"]
    result = translate(*options, stdin=b"Guten Tag! Ja. So ist es.\n")
    assert (result.stdout, result.exit_code) == ("Good day! JA. So it is.\n", 0)
    result = translate(*options, "--json", stdin=b"Guten Tag! Ja.\n")
    found = json.loads(result.stdout)["sentences"]
    assert [sentence["fromMemory"] for sentence in found] == [True, False]


@pytest.mark.usefixtures("capitals")
def test_a_file_that_is_no_memory(tmp_path: Path) -> None:
    result = translate("--memory", tmp_path / "none.tmx", stdin=b"Ja.")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "none.tmx: No such file or directory" in result.stderr


# --- beams and alternatives ------------------------------------------------------------------


def test_alternatives_of_each_sentence(real_bundle: Path) -> None:
    options = ["--models", real_bundle, "--beam", "4", "--alternatives", "2", "--json"]
    result = translate(*options, stdin="Das Wetter ist heute schön.\n".encode())
    (sentence,) = json.loads(result.stdout)["sentences"]
    others = [other["text"] for other in sentence["alternatives"]]
    assert others == ["The weather is beautiful today.", "The weather's nice today."]
    assert result.exit_code == 0


def test_a_prefix(real_bundle: Path) -> None:
    options = ["--models", real_bundle, "--prefix", "Today", "--text"]
    result = translate(*options, "Das Wetter ist heute schön.")
    assert result.stdout == "Today's weather is nice today.\n"


def test_a_file_with_a_prefix_is_one_sentence(real_bundle: Path, tmp_path: Path) -> None:
    file = tmp_path / "brief.txt"
    file.write_text("Das Wetter ist heute schön.\n")
    result = translate("--models", real_bundle, "--prefix", "Today", file)
    assert result.stdout == "Today's weather is nice today.\n"


@pytest.mark.usefixtures("capitals")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--alternatives", "2"], "told by --json only"),
        (["--html", "--json", "--alternatives", "2"], "for plain text"),
        (["--html", "--prefix", "The"], "for plain text"),
        (["--lines", "--prefix", "The"], "for one sentence"),
        (["--beam", "17"], "the beam is 17, not 1 to 16"),
    ],
)
def test_what_does_not_go_together_is_wrong_usage(options: list[str], message: str) -> None:
    result = translate(*options, stdin=b"Ja.")
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


# --- text ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("capitals")
@pytest.mark.parametrize(
    ("text", "translation"),
    [
        ("", ""),
        ("\n", "\n"),
        (" \t\n\n ", " \t\n\n "),
        ("Guten Tag.", "GUTEN TAG."),
        ("Eins. Zwei.\r\n\r\n  Drei\n", "EINS. ZWEI.\r\n\r\n  DREI\n"),
        ("\ufeffEins", "EINS"),
        ("Grüße 😀 e\u0301 👩‍👩‍👧", "GRÜßE 😀 E\u0301 👩‍👩‍👧"),
        ("中文。\nשלום", "中文。\nשלום"),
        ("\x00\x00", "\x00\x00"),
    ],
)
@pytest.mark.parametrize("mode", ["--quiet", "--lines"])
def test_translate_keeps_everything_but_the_words(text: str, translation: str, mode: str) -> None:
    result = translate(mode, stdin=text.encode())
    assert result.stdout_bytes == translation.encode()
    assert result.exit_code == 0


@pytest.mark.usefixtures("capitals")
def test_nul_and_control_characters_do_no_harm() -> None:
    result = translate(stdin=b"eins\x00zwei\x07 drei")
    assert result.stdout.startswith("EINS")
    assert result.stdout.endswith("DREI")
    assert result.exit_code == 0


@pytest.mark.usefixtures("capitals")
def test_several_files_and_standard_input(tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("eins\n")
    two.write_text("zwei\n")
    assert translate(one, "-", two, stdin=b"mitte\n").stdout == "EINS\nMITTE\nZWEI\n"


@pytest.mark.usefixtures("capitals")
@pytest.mark.parametrize("mode", ["--quiet", "--lines"])
def test_compressed_files(tmp_path: Path, mode: str) -> None:
    text = "Grün ist der Wald.\n" * 5_000
    one, two = tmp_path / "a.txt.GZ", tmp_path / "b.xz"
    one.write_bytes(gzip.compress(text.encode()))
    two.write_bytes(lzma.compress(text.encode()))
    result = translate(mode, one, two)
    assert result.exit_code == 0
    assert result.stdout == 2 * text.upper()


@pytest.mark.usefixtures("capitals")
def test_a_damaged_compressed_file_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"eins\n" * 1_000)[:-4])
    result = translate(path)
    assert result.stderr.startswith(f"dragoman: {path} is damaged: ")
    assert (result.stderr.count("\n"), result.exit_code) == (1, 1)


@pytest.mark.usefixtures("capitals")
def test_a_megabyte_is_translated_in_parts() -> None:
    text = "Das ist ein ganz gewöhnlicher Satz. " * 20 + "\n"
    text *= 1_000_000 // len(text) + 1
    for mode in "--quiet", "--lines":
        result = translate(mode, stdin=text.encode())
        assert result.exit_code == 0
        assert result.stdout == text.upper()


@pytest.mark.usefixtures("capitals")
def test_one_line_of_a_megabyte_is_cut_between_sentences() -> None:
    text = "Das ist ein Satz. " * 60_000
    assert len(text) > 1_000_000
    result = translate("--lines", stdin=text.encode())
    assert result.exit_code == 0
    assert result.stdout == text.upper()


@pytest.mark.usefixtures("capitals")
def test_a_word_of_5000_characters() -> None:
    result = translate(stdin=b"x" * 5000)
    assert result.stdout == "X" * 5000
    assert result.stderr == "dragoman: warning: 1 sentence over-long and cut into parts\n"


@pytest.mark.usefixtures("capitals")
def test_quiet_says_nothing() -> None:
    assert translate("--quiet", stdin=b"x" * 5000).stderr == ""


@pytest.mark.usefixtures("capitals")
def test_refuse_long_says_where(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("kurz\n" + "lang " * 100 + "\n")
    result = translate("--refuse-long", "--lines", path)
    assert result.exit_code == 1
    assert result.stdout == "KURZ\n"
    assert result.stderr == (
        f"dragoman: {path}, from line 2: a sentence has too many pieces: "
        "499 requested, 80 allowed\n"
    )


# --- json ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("capitals")
def test_json_gives_an_object_a_line_with_ranges_and_scores(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("😀 Eins.\r\nzwei".encode())
    first, second = (
        json.loads(line) for line in translate("--json", "--lines", path).stdout.splitlines()
    )
    assert first.pop("timings").keys() == {"queued", "tokenize", "engine", "assemble", "total"}
    assert first == {
        "file": str(path),
        "line": 1,
        "offset": 0,
        "source": "😀 Eins.",
        "text": "😀 EINS.",
        "unit": "codepoint",
        "sentences": [{"source": [0, 7], "target": [0, 7], "score": 1.0, "doubtful": False}],
        "alignment": {
            "sourceWords": [[0, 1], [2, 6], [6, 7]],
            "targetWords": [[0, 1], [2, 6], [6, 7]],
            "links": [[0, 0], [1, 1], [2, 2]],
            "scores": [1.0, 1.0, 1.0],
        },
        "soft": None,
        "content": None,
        "terms": None,
        "warnings": [],
    }
    assert (second["line"], second["offset"], second["source"]) == (2, 9, "zwei")


@pytest.mark.usefixtures("capitals")
@pytest.mark.parametrize(
    ("unit", "words", "offset"),
    [
        ("codepoint", [[0, 1], [2, 5]], 6),
        ("utf16", [[0, 2], [3, 6]], 7),
        ("byte", [[0, 4], [5, 9]], 10),
    ],
)
def test_ranges_count_what_was_asked_for(unit: str, words: Any, offset: int) -> None:
    result = translate("--json", "--lines", "--ranges", unit, stdin="😀 für\nx".encode())
    first, second = (json.loads(line) for line in result.stdout.splitlines())
    assert first["unit"] == unit
    assert first["alignment"]["sourceWords"] == words
    assert second["offset"] == offset


@pytest.mark.usefixtures("capitals")
def test_json_of_a_text_is_one_object_for_each_part() -> None:
    text = "Ein Satz mit Umlaut: ü.\n" * 5_000
    result = translate("--json", "--alignment", "none", stdin=text.encode())
    parts = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(parts) > 2
    assert "".join(part["source"] for part in parts) == text
    assert [part["offset"] for part in parts[:2]] == [0, len(parts[0]["source"])]
    assert parts[1]["line"] == parts[0]["source"].count("\n") + 1
    assert parts[0]["alignment"] is None


@pytest.mark.usefixtures("capitals")
def test_soft_alignment_is_given_when_asked_for() -> None:
    (line,) = translate("--json", "--alignment", "soft", stdin=b"ab").stdout.splitlines()
    (soft,) = json.loads(line)["soft"]
    assert soft == {
        "source": [[0, 1], [1, 2], [2, 2]],
        "target": [[0, 1], [1, 2]],
        "matrix": [1.0, 0.0, 0.0, 0.0, 1.0, 0.0],
    }


def test_lone_surrogates_are_escaped_in_json() -> None:
    assert json_bytes({"text": "ü\ud800"}) == b'{"text":"\\u00fc\\ud800"}'
    assert json_bytes({"text": "ü"}) == '{"text":"ü"}'.encode()
    assert length("a\ud800😀", RangeUnit.BYTE) == 8
    assert length("a\ud800😀", RangeUnit.UTF16) == 4
    assert text_index("a\ud800😀", RangeUnit.BYTE).range(Span(1, 2)) == [1, 4]


# --- output ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("capitals")
def test_output_may_be_the_input(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("eins\n")
    path.chmod(0o640)
    result = translate(path, "--output", path)
    assert (result.stdout, result.stderr, result.exit_code) == ("", "", 0)
    assert path.read_text() == "EINS\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.usefixtures("capitals")
def test_output_stays_as_it_was_when_something_goes_wrong(tmp_path: Path) -> None:
    good, bad, output = tmp_path / "good.txt", tmp_path / "bad.txt", tmp_path / "out.txt"
    good.write_text("eins\n")
    bad.write_bytes(b"zwei \xff\n")
    output.write_text("before")
    assert translate(good, bad, "-o", output).exit_code == 1
    assert output.read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.usefixtures("capitals")
def test_output_to_a_folder_that_is_missing(tmp_path: Path) -> None:
    output = tmp_path / "nowhere" / "out.txt"
    result = translate("-o", output, stdin=b"eins")
    assert result.exit_code == 1
    assert result.stderr == f"dragoman: {output}: No such file or directory\n"
