"""The command: its help, the models that it finds, and how it ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dragoman import __version__
from dragoman.cli import app as cli
from dragoman.native.translator import Translator
from tests.support.hosts import MakeBundle, capital_parts
from tests.support.processes.command import translate

# --- bad input -------------------------------------------------------------------------------


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
    assert result.stderr == (
        "dragoman: it failed for an unforeseen reason, which is a mistake of the program "
        "(DRAGOMAN_DEBUG=1 shows where)\n"
    )
    assert result.exit_code == 1


@pytest.mark.parametrize(
    ("words", "wanted"), [((), None), (("--shortlist",), True), (("--all-pieces",), False)]
)
def test_what_models_choose_among_is_an_option(
    words: tuple[str, ...], wanted: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = []

    def load(*_: object, shortlist: bool | None) -> Translator:
        opened.append(shortlist)
        return Translator(capital_parts())

    monkeypatch.setattr(Translator, "load", load)
    result = translate(*words, "--text", "Haus")
    assert (result.exit_code, opened) == (0, [wanted])


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

    monkeypatch.setattr(module, "__getattr__", missing, raising=False)
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
