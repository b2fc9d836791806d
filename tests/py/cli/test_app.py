"""The command: what it writes where, and how it ends."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import os
import pty
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from dragoman import __version__
from dragoman.cli import app as cli
from dragoman.errors import InvalidRequestError
from dragoman.native import files as _files
from dragoman.native.bundles import read_manifest
from dragoman.native.files import (
    LONGEST_PASSAGE,
    TEXT_CHARACTERS,
    cut_position,
    line_passages,
    text_passages,
)
from dragoman.native.translator import Translator
from dragoman.types import Span
from dragoman.wire.responses import RangeUnit, json_bytes, length, text_index
from tests.support.hosts import MakeBundle, capital_parts, interruptible

COMMAND = [sys.executable, "-m", "dragoman"]
SCRIPT = Path(sys.executable).with_name("dragoman")


@pytest.fixture
def capitals(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command translates into capitals."""
    monkeypatch.setattr(cli, "open_translator", lambda *_: Translator(capital_parts()))


def translate(*arguments: Any, stdin: bytes | None = b"") -> Result:
    words = ["translate", "--from", "de", "--to", "en", *map(str, arguments)]
    return CliRunner().invoke(cli.app, words, input=stdin)


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
    one, two = tmp_path / "a.txt.gz", tmp_path / "b.xz"
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


# --- bad input -------------------------------------------------------------------------------


@pytest.mark.usefixtures("capitals")
def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    missing = translate(tmp_path / "nothing.txt")
    assert missing.stderr == f"dragoman: {tmp_path}/nothing.txt: No such file or directory\n"
    assert (missing.stdout, missing.exit_code) == ("", 1)
    folder = translate(tmp_path)
    assert folder.stderr == f"dragoman: {tmp_path}: Is a directory\n"
    assert folder.exit_code == 1


@pytest.mark.usefixtures("capitals")
def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "secret.txt"
    path.write_text("x")
    monkeypatch.setattr(Path, "open", refuse)  # the tests may run as root, who may read all
    result = translate(path)
    assert result.stderr == f"dragoman: {path}: Permission denied\n"
    assert result.exit_code == 1


@pytest.mark.usefixtures("capitals")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"gr\xfc\xdfe", "byte 0xFC at offset 2; name its encoding with --encoding"),
        (b"\xef\xbb\xbfab\xff", "byte 0xFF at offset 5; name its encoding with --encoding"),
        (b"a" * 100_001 + b"\xe4", "byte 0xE4 at offset 100,001; name its encoding"),
        (b"\xed\xa0\x80", "byte 0xED at offset 0; name its encoding with --encoding"),
        ("Grüße".encode("utf-16"), "byte 0xFF at offset 0; it looks like UTF-16: try --encoding"),
    ],
)
def test_bytes_that_are_no_text_are_named(content: bytes, message: str) -> None:
    result = translate(stdin=content)
    assert result.stderr.startswith(f"dragoman: standard input is not utf-8: {message}")
    assert result.stderr.count("\n") == 1
    assert result.exit_code == 1


def test_an_offset_is_right_wherever_the_reads_fall(monkeypatch: pytest.MonkeyPatch) -> None:
    content = "aü€😀".encode() * 3 + b"\xf0\x9f"
    for size in range(1, 12):
        monkeypatch.setattr(_files, "READ_BYTES", size)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        file = _files.InputFile("-", "utf-8")
        with pytest.raises(InvalidRequestError) as caught:
            list(file.texts())
        assert caught.value.details == {"offset": 30}


@pytest.mark.usefixtures("capitals")
@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le", "cp1252", "utf-8-sig"])
def test_other_encodings(encoding: str) -> None:
    result = translate("--encoding", encoding, stdin="für zwei\n".encode(encoding))
    assert result.stdout_bytes == "FÜR ZWEI\n".encode()


@pytest.mark.usefixtures("capitals")
@pytest.mark.parametrize(
    "arguments",
    [
        ["--encoding", "klingon"],
        ["--encoding", "rot13"],
        ["--alignment", "fuzzy"],
        ["--ranges", "miles"],
        ["--threads", "-1"],
        ["--unknown"],
    ],
)
def test_wrong_usage_ends_with_2(arguments: list[str]) -> None:
    result = translate(*arguments)
    assert result.exit_code == 2
    assert "Usage:" in result.stderr
    assert "Traceback" not in result.stderr


def test_languages_are_required() -> None:
    result = CliRunner().invoke(cli.app, ["translate"])
    assert result.exit_code == 2
    assert "--from" in result.stderr


def test_a_failure_from_inside_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "open_translator", lambda *_: 1 / 0)
    result = translate()
    assert result.stderr == "dragoman: internal error: ZeroDivisionError: division by zero\n"
    assert result.exit_code == 1


# --- models ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("manifest.json", "no model from 'de' to 'en'; available: none"),
        ("model.onnx", "model.onnx is missing"),
        ("vocabulary.spm", "vocabulary.spm is missing"),
    ],
)
def test_a_missing_model_file(make_bundle: MakeBundle, name: str, message: str) -> None:
    folder = make_bundle()
    (folder / name).unlink()
    result = translate("--models", folder, stdin=b"eins")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert (result.stdout, result.exit_code) == ("", 1)


def test_a_corrupt_model_and_a_vocabulary_that_does_not_fit(make_bundle: MakeBundle) -> None:
    corrupt = make_bundle("a")
    (corrupt / "model.onnx").write_bytes(b"short")
    assert "model.onnx has 5 bytes" in translate("--models", corrupt).stderr
    no_graph = make_bundle("b")
    result = translate("--models", no_graph)
    assert "the model graph is not an ONNX model" in result.stderr
    assert result.stderr.count("\n") == 1
    other = make_bundle("c", architecture={"vocabulary_size": 8000, "dimension": 256})
    result = translate("--models", other)
    assert result.stderr == "dragoman: the vocabulary has 480 pieces, the model 8,000\n"
    assert result.exit_code == 1


def test_models_lists_what_is_there(make_bundle: MakeBundle) -> None:
    folder = make_bundle(scores={"tatoeba-dev bleu": 43.7})
    result = CliRunner().invoke(cli.app, ["models", "--models", str(folder.parent)])
    assert result.stdout == (
        f"de-en-test 0.1.0          German to English           0.0 MB  {folder}\n"
    )
    assert result.exit_code == 0
    result = CliRunner().invoke(cli.app, ["models", "--json", "--models", str(folder)])
    data = json.loads(result.stdout)
    assert data.pop("bytes") == (folder / "vocabulary.spm").stat().st_size + len(b"no graph")
    assert data == {
        "name": "de-en-test",
        "version": "0.1.0",
        "source": "de",
        "target": "en",
        "scores": {"tatoeba-dev bleu": 43.7},
        "path": str(folder),
    }


def test_models_says_what_is_broken(make_bundle: MakeBundle) -> None:
    folder = make_bundle()
    result = CliRunner().invoke(cli.app, ["models", "--check", "--models", str(folder)])
    assert "the model graph is not an ONNX model" in result.stderr
    assert result.exit_code == 1
    (folder / "manifest.json").write_text("{")
    result = CliRunner().invoke(cli.app, ["models", "--models", str(folder)])
    assert "the manifest cannot be read" in result.stderr
    assert result.exit_code == 1


def test_no_models_is_said(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli.app, ["models", "--models", str(tmp_path)])
    assert result.stderr == f"dragoman: no models in {tmp_path}\n"
    assert result.exit_code == 0


# --- help ------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["translate", "corpus", "models", "serve"])
def test_every_command_has_help_with_examples(command: str) -> None:
    result = CliRunner().invoke(cli.app, [command, "--help"])
    assert result.exit_code == 0
    assert "Examples:" in result.stdout
    assert f"dragoman {command}" in result.stdout


def test_version() -> None:
    assert CliRunner().invoke(cli.app, ["--version"]).stdout == f"dragoman {__version__}\n"


def test_model_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    module = type(sys)("dragoman.cli.model.app")

    def missing(_: str) -> None:
        raise ModuleNotFoundError("No module named 'torch'", name="torch")

    module.__getattr__ = missing
    monkeypatch.setitem(sys.modules, "dragoman.cli.model.app", module)
    result = CliRunner().invoke(cli.app, ["model", "train", "--anything"])
    assert result.stderr == (
        "dragoman: this command needs 'torch': pip install 'dragoman[models]'\n"
    )
    assert result.exit_code == 1


def test_model_tools_are_not_imported_by_other_commands() -> None:
    code = (
        "import sys; from dragoman.cli import app as cli;"
        "print([m for m in ('torch', 'fastapi', 'uvicorn', 'onnxruntime', 'rich.progress',"
        " 'dragoman.models') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


# --- cutting ---------------------------------------------------------------------------------


def blocks(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_line_units(size: int) -> None:
    units = [
        unit for group in line_passages(blocks("a\n\nb\r\nc\rd", size), "de") for unit in group
    ]
    assert [(u.text, u.ending, u.line) for u in units] == [
        ("a", "\n", 1),
        ("", "\n", 2),
        ("b", "\r\n", 3),
        ("c\rd", "", 4),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Ein Satz.\n" * 20_000,
        "Ein Satz. " * 30_000,
        "wort " * 60_000,
        "x" * 300_000,
        "e\u0301" * 150_000,
        "\r\n" * 150_000,
    ],
)
def test_units_are_the_text_and_short_enough(text: str) -> None:
    for cut in text_passages, line_passages:
        units = [unit for group in cut(blocks(text, 30_000), "de") for unit in group]
        assert "".join(unit.text + unit.ending for unit in units) == text
        assert max(len(unit.text) for unit in units) <= LONGEST_PASSAGE + 30_000
    units = [unit for group in text_passages(blocks("Satz.\n" * 9_000, 7), "de") for unit in group]
    assert len(units) > 1
    assert all(len(unit.text) >= TEXT_CHARACTERS - 10 for unit in units[:-1])


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("Eins.\nZwei", "Eins.\n", "Zwei"),
        ("Eins. Zwei", "Eins. ", "Zwei"),
        ("eins zwei", "eins ", "zwei"),
        ("abce\u0301", "abc", "e\u0301"),
        ("ab\r", "ab", "\r"),
    ],
)
def test_a_cut_is_at_the_best_place(text: str, before: str, after: str) -> None:
    at = cut_position(text, "de")
    assert (text[:at], text[at:]) == (before, after)


# --- as a process ----------------------------------------------------------------------------


def process(*arguments: Any, stdin: bytes = b"", **options: Any) -> tuple[str, str, int]:
    words = [*COMMAND, *map(str, arguments)]
    run = subprocess.run(words, input=stdin, capture_output=True, timeout=120, **options)
    return run.stdout.decode(), run.stderr.decode(), run.returncode


def test_the_script_is_installed() -> None:
    run = subprocess.run([SCRIPT, "--version"], capture_output=True, text=True, check=True)
    assert run.stdout == f"dragoman {__version__}\n"


def test_the_real_model_on_a_pipe(real_bundle: Path) -> None:
    words = ["translate", "--from", "de", "--to", "en", "--models", real_bundle, "--threads", 1]
    output, errors, code = process(*words, "--lines", stdin=b"Guten Morgen!\n\nDanke.\n")
    assert code == 0, errors
    first, second, third, rest = output.split("\n")
    assert first.strip()
    assert second == ""
    assert third.strip()
    assert rest == ""


def test_a_wrong_pair_a_corrupt_model_and_bad_bytes(real_bundle: Path, tmp_path: Path) -> None:
    words = ["translate", "--models", real_bundle, "--from", "fr", "--to", "en"]
    _, errors, code = process(*words)
    assert (errors, code) == (
        "dragoman: there is no model from 'fr' to 'en'; available: de-en\n",
        1,
    )
    broken = tmp_path / "de-en"
    shutil.copytree(real_bundle, broken)
    path = broken / read_manifest(broken).file("graph").path
    path.write_bytes(path.read_bytes()[:-1])
    _, errors, code = process("translate", "--models", broken, "--from", "de", "--to", "en")
    assert "bytes, the manifest says" in errors
    assert errors.count("\n") == 1
    assert code == 1
    words = ["translate", "--models", real_bundle, "--from", "de", "--to", "en"]
    _, errors, code = process(*words, stdin=b"\xff")
    assert errors.startswith("dragoman: standard input is not utf-8: byte 0xFF at offset 0")
    assert code == 1


def test_a_reader_that_has_had_enough(real_bundle: Path, tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("Guten Tag.\n" * 20_000)
    words = [*COMMAND, "translate", "--from", "de", "--to", "en", "--models", real_bundle]
    command = " ".join(map(str, [*words, "--lines", path])) + " | head -n 1"
    run = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, timeout=120
    )
    assert run.stdout.count("\n") == 1
    assert (run.stderr, run.returncode) == ("", 0)


def test_ctrl_c_ends_with_130(real_bundle: Path, tmp_path: Path) -> None:
    path, output = tmp_path / "long.txt", tmp_path / "out.txt"
    path.write_text("Das ist ein ganz gewöhnlicher Satz.\n" * 20_000)
    words = ["translate", "--from", "de", "--to", "en", "--models", real_bundle, path, "-o", output]
    with subprocess.Popen(
        [*COMMAND, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=interruptible,
    ) as run:
        _until(lambda: any(part.stat().st_size for part in tmp_path.glob(".out.txt.*.part")))
        run.send_signal(signal.SIGINT)
        out, errors = run.communicate(timeout=30)
    assert (out, errors, run.returncode) == ("", "dragoman: interrupted\n", 130)
    assert list(tmp_path.iterdir()) == [path]


def _until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_the_bar_is_on_a_terminal_only(real_bundle: Path, tmp_path: Path) -> None:
    path, output = tmp_path / "a.txt", tmp_path / "out.txt"
    path.write_text("Das ist ein Satz.\n" * 300)
    words = ["translate", "--from", "de", "--to", "en", "--models", real_bundle, path, "-o", output]
    out, errors, _ = process(*words)
    assert out == ""
    assert "Translating" not in errors
    assert "\x1b" not in errors
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(
        [*COMMAND, *map(str, words), "--threads", "1"],
        stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, env=environment,
    ) as run:  # fmt: skip
        os.close(slave)
        seen = b""
        while True:
            try:
                content = os.read(master, 4096)
            except OSError:  # the other side is closed
                break
            if not content:
                break
            seen += content
    os.close(master)
    assert run.returncode == 0
    assert b"Translating" in seen
    assert b"%" in seen
    assert output.read_text().count("\n") == 300


def test_a_full_disk_and_closed_streams_are_one_line(real_bundle: Path) -> None:
    words = ["translate", "--from", "de", "--to", "en", "--models", real_bundle]
    command = " ".join(map(str, [*COMMAND, *words]))
    for redirection, message in {
        ">/dev/full": "No space left on device",
        ">&-": "standard output is closed",
        "<&-": "standard input is closed",
    }.items():
        run = subprocess.run(
            ["bash", "-c", f"{command} {redirection}"], input=b"Hallo", capture_output=True
        )
        assert run.stderr.decode() == f"dragoman: {message}\n"
        assert run.returncode == 1


def test_nothing_in_nothing_out(real_bundle: Path) -> None:
    words = ["translate", "--from", "de", "--to", "en", "--models", real_bundle]
    assert process(*words, "--json") == ("", "", 0)
