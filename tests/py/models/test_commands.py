"""The whole path by the commands of docs/models.md, on the toy pair, in this process."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import pytest
import typer
from typer.testing import CliRunner, Result

from dragoman.cli.app import app as whole
from dragoman.cli.model.app import app
from dragoman.errors import CorpusError, ExportError, TrainingError
from dragoman.models.training.host import environment
from dragoman.models.training.reporting import read_log
from dragoman.native import translator as native
from dragoman.types import AlignmentKind
from tests.support.paths import ROOT
from tests.support.workshop import RECIPE

Command = Callable[..., Result]


@pytest.fixture
def dragoman(monkeypatch: pytest.MonkeyPatch) -> Command:
    for name, value in environment().items():  # or `train` would start this process again
        monkeypatch.setenv(name, value)

    def run(*arguments: Any) -> Result:
        return CliRunner().invoke(
            app, [str(argument) for argument in arguments], catch_exceptions=False
        )

    return run


TINY = (
    "--dimension", 32, "--feed-forward", 64, "--heads", 4, "--encoder-layers", 2,
    "--decoder-layers", 2, "--threads", 1, "--float32",
)  # fmt: skip


def test_prepare_train_evaluate_export_translate(
    dragoman: Command, toy_data: Path, tmp_path: Path
) -> None:
    recipe, prepared, run = tmp_path / "toy.toml", tmp_path / "prepared", tmp_path / "run"
    recipe.write_text(RECIPE, encoding="utf-8")
    result = dragoman("prepare", recipe, "--data", toy_data, "--output", prepared)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout.splitlines()[-1])["vocabulary_size"] == 340

    train = (
        "train", prepared, "--pair", "de-en", "--run", run, "--validation", toy_data / "dev.tsv",
        "--steps", 30, "--warm-up", 10, "--cooldown", 5, "--batch-pieces", 300, *TINY,
    )  # fmt: skip
    result = dragoman(*train, "--minutes", 0.001)
    assert result.exit_code == 0, result.output
    assert "time up: saved at step " in result.stderr
    assert "the same command goes on from there" in result.stderr
    result = dragoman(*train)
    assert "going on after step " in result.stderr
    assert "finished: saved at step 30 of 30" in result.stderr
    assert read_log(run / "log.jsonl")[-1]["step"] == 30
    assert (run / "curve.svg").read_text(encoding="utf-8").count("<svg ") == 1
    again = dragoman("curve", run, "--output", tmp_path / "again.svg")
    assert again.stdout.strip() == str(tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_bytes() == (run / "curve.svg").read_bytes()

    export = (
        "export", run / "best.pt", "--prepared", prepared, "--pair", "de-en",
        "--calibration", toy_data / "dev.tsv", "--output", tmp_path / "models" / "de-en",
    )  # fmt: skip
    assert dragoman(*export).exit_code == 0
    evaluate = ("evaluate", "--pair", "de-en", "--data", toy_data / "dev.tsv",
                "--models", tmp_path / "models")  # fmt: skip
    result = dragoman(*evaluate, "--json", "--output", tmp_path / "new" / "hypotheses.txt")
    scores = json.loads(result.stdout.splitlines()[-1])
    assert {"bleu", "chrf", "sentences", "seconds"} <= scores.keys()
    assert scores["sentences"] == 24
    assert len((tmp_path / "new" / "hypotheses.txt").read_text(encoding="utf-8").splitlines()) == 24
    tables = ("--table", tmp_path / "m" / "t.md", "--picture", tmp_path / "s" / "t.svg")
    assert "sentences          24" in dragoman(*evaluate, *tables).stdout
    assert "| dev.tsv | 24 |" in (tmp_path / "m" / "t.md").read_text(encoding="utf-8")
    assert ">this model</text>" in (tmp_path / "s" / "t.svg").read_text(encoding="utf-8")

    (tmp_path / "dev.json").write_text(result.stdout)
    given = ("--scores", tmp_path / "dev.json", "--licence", "CC0-1.0")
    assert dragoman(*export, *given).exit_code == 0
    card = (tmp_path / "models" / "de-en" / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert f"| dev | {scores['bleu']} |" in card
    assert "| licence | CC0-1.0 |" in card

    with native.Translator.load("de", "en", folders=[tmp_path / "models"], threads=1) as translator:
        response = translator.translate("Eins zwei. Drei 😀", alignment=AlignmentKind.HARD)
    assert len(response.sentences) == 2
    assert response.sentences[0].source.of(response.request.text) == "Eins zwei."

    result = dragoman("inspect", tmp_path / "models" / "de-en")
    assert result.stdout.startswith("de-en-tiny 0.1.0, de to en\n\ntensor ")
    tensors = json.loads(dragoman("inspect", tmp_path / "models" / "de-en", "--json").stdout)
    assert {"name": "embedding", "kind": "int8", "shape": [340, 32], "bytes": 10_880} in tensors[
        "tensors"
    ]


def test_alignment_error_by_command(
    dragoman: Command, toy_prepared: Path, toy_trained: Path, toy_data: Path, tmp_path: Path
) -> None:
    links = tmp_path / "links.tsv"
    links.write_text("en\tde\tsure_links_en-de_0based\none two\tzwei eins\t0-1 1-0\n")
    options = ("--pair", "en-de", "--data", links, "--prepared", toy_prepared)
    result = dragoman("align-error", *options, "--model", toy_trained, "--json")
    figures = json.loads(result.stdout)
    assert figures["expected"] == 2
    assert 0 <= figures["aer"] <= 1
    table = dragoman("align-error", *options, "--model", toy_trained, "--thresholds").stdout
    assert "best: target" in table
    bundle = tmp_path / "models" / "en-de"
    dragoman(
        "export", toy_trained, "--prepared", toy_prepared, "--pair", "en-de",
        "--calibration", toy_data / "dev.tsv", "--output", bundle,
    )  # fmt: skip
    evaluate = ("evaluate", "--pair", "en-de", "--models", bundle.parent, "--json", "--data")
    data = json.loads(dragoman(*evaluate, links, "--model", toy_trained).stdout)
    assert data["aer"] == figures["aer"]
    shipped = json.loads(dragoman(*evaluate, links).stdout)
    assert shipped["aer"] == pytest.approx(figures["aer"], abs=0.51)  # int8; of two links in all
    dev = toy_data / "dev.tsv"
    assert "aer" not in json.loads(dragoman(*evaluate, dev, "--model", toy_trained).stdout)


def test_an_alignment_head_by_command(
    dragoman: Command, toy_prepared: Path, toy_trained: Path, toy_data: Path, tmp_path: Path
) -> None:
    links, aligned = tmp_path / "links.tsv", tmp_path / "new" / "aligned.pt"
    links.write_text("en\tde\tsure_links_en-de_0based\none two\tzwei eins\t0-1 1-0\n")
    train = ("train-alignment", toy_trained, "--prepared", toy_prepared, "--pair", "en-de")
    options = ("--steps", 4, "--size", 16, "--batch-pieces", 200, "--rate", 0.01, "--threads", 1)
    result = dragoman(*train, *options, "--check", links, "--output", aligned)
    assert result.exit_code == 0, result.output
    row = json.loads(result.stdout.splitlines()[-1])
    assert (row["step"], set(row)) == (4, {"step", "guide", "aer"})

    bundle = tmp_path / "models" / "en-de"
    export = ("--prepared", toy_prepared, "--pair", "en-de", "--calibration", toy_data / "dev.tsv")
    assert dragoman("export", aligned, *export, "--output", bundle).exit_code == 0
    card = (bundle / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert "an alignment head of 16" in card
    assert (
        "train-alignment build/en-de/best.pt --prepared build/prepared --pair en-de --steps 4"
        " --size 16 --batch-pieces 200 --rate 0.01 --lower-case 0.5 --seed 1"
        " --output build/en-de/aligned.pt\n"
    ) in card
    assert "export build/en-de/aligned.pt" in card
    kinds = {entry.key: entry.value for entry in onnx.load(bundle / "model.onnx").metadata_props}
    assert kinds == {"dragoman.kind": "student-int8-aligned"}
    with native.Translator.load("en", "de", folders=[tmp_path / "models"], threads=1) as translator:
        assert translator.translate("one two", alignment=AlignmentKind.SOFT).sentences

    with pytest.raises(TrainingError, match="is a folder; name a file in it, such as aligned"):
        dragoman(*train, "--output", tmp_path)
    with pytest.raises(TrainingError, match="at most the dimension, 32"):
        dragoman(*train, "--size", 40, "--output", aligned)


def test_wrong_use(dragoman: Command, tmp_path: Path) -> None:
    result = dragoman("evaluate", "--pair", "deen", "--data", "x.tsv")
    assert result.exit_code == 2
    assert "'deen' is no pair; write it as de-en" in result.output
    with pytest.raises(CorpusError, match="is not prepared data"):
        dragoman("align-error", "--pair", "de-en", "--data", "x", "--model", "m.pt",
                 "--prepared", tmp_path)  # fmt: skip
    with pytest.raises(ExportError):
        dragoman("inspect", tmp_path / "none.onnx")
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("en\tde\none\teins\n", encoding="utf-8")
    result = dragoman("train", pairs, "--pair", "en-de", "--run", "r", "--validation", pairs)
    assert result.exit_code == 2
    assert "to train from it needs --vocabulary" in " ".join(result.output.split())


def _commands(group: typer.Typer) -> dict[str, Any]:
    made: Any = typer.main.get_command(group)
    return dict(made.commands)


def test_every_command_and_option_in_the_documentation_exists() -> None:
    text = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    of_models, of_all = _commands(app), _commands(whole)
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    assert len(lines) >= 6
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for line in lines:
        if line.startswith("make "):
            assert f"\n{line.split()[1]}:" in makefile
            continue
        if line.startswith(("cat ", "minisign ")):  # other programs
            continue
        line = line.removeprefix(".venv/bin/dragoman ")
        commands = of_models if line.startswith("model ") else of_all
        name, *arguments = line.removeprefix("model ").split()
        command = commands[name]
        command = getattr(command, "commands", {}).get(arguments[0], command)
        known = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in arguments if word.startswith("--")} <= known
    outer = [*of_all.values(), *of_models.values()]
    inner = [c for group in outer for c in getattr(group, "commands", {}).values()]
    options = {o for c in (*outer, *inner) for p in c.params for o in (*p.opts, *p.secondary_opts)}
    assert set(re.findall(r"--[a-z][a-z0-9-]+", text)) <= options


@pytest.mark.parametrize(
    "command",
    [
        "prepare", "train", "curve", "shortlist", "export", "import", "evaluate", "align-error",
        "robustness", "card", "inspect",
    ],
)  # fmt: skip
def test_every_command_has_help_and_an_example(dragoman: Command, command: str) -> None:
    result = dragoman(command, "--help")
    assert result.exit_code == 0
    assert f"Example: dragoman model {command}" in " ".join(result.output.split())


def test_a_run_goes_to_another_machine(
    dragoman: Command, toy_prepared: Path, toy_data: Path, tmp_path: Path
) -> None:
    dev = toy_data / "dev.tsv"
    packed = dragoman(
        "pack", toy_prepared, "--validation", dev, "--parts-mb", 0.05, "--output", tmp_path / "p"
    )
    facts = json.loads(packed.stdout)
    assert facts["pairs"] == facts["of"]
    assert [Path(file).name for file in facts["files"]] == ["p.01", "p.02"]
    told = dragoman("unpack", tmp_path / "p", "--output", tmp_path / "there")
    assert told.stdout.endswith(f"{facts['pairs']:,} pairs, without links of words\n")
    train = (
        "train", tmp_path / "there", "--pair", "de-en", "--validation", dev, "--steps", 8,
        "--warm-up", 2, "--cooldown", 1, "--batch-pieces", 300, *TINY,
    )  # fmt: skip
    dragoman(*train, "--run", tmp_path / "one", "--minutes", 0.0001)
    made = json.loads(dragoman("slim", tmp_path / "one", "--output", tmp_path / "s").stdout)
    assert (made["form"], made["step"]) == ("both", 1)
    result = dragoman(*train, "--run", tmp_path / "other", "--resume", tmp_path / "s")
    assert "a new optimizer warms up over 100 updates" in result.stderr
    assert "finished: saved at step 8 of 8" in result.stderr
    small = ("--teacher-dimension", 32, "--teacher-feed-forward", 64, "--teacher-heads", 4)
    texts = tmp_path / "mono.txt"
    texts.write_text("one two three four\n", encoding="utf-8")
    window = dragoman(
        "window", tmp_path / "p", "--pair", "de-en", "--run", tmp_path / "w", "--minutes", 0.01,
        "--carry", tmp_path / "c", "--mono", f"en={texts}", *small, "--teacher-layers", 1,
        "--teacher-rows", 4, "--places", 64, "--float32",
    )  # fmt: skip
    assert window.exit_code == 0, window.output
    assert "next: teacher; the same command goes on" in window.stderr
    assert (tmp_path / "c" / "teacher.slim").exists()
    wrong = dragoman("window", tmp_path / "p", "--pair", "de-en", "--run", "w", "--mono", "fr=x")
    assert wrong.exit_code == 2
    assert "'fr=x': write it as de=FILE or en=FILE" in wrong.stderr


def test_a_length_ratio_goes_with_a_reward(tmp_path: Path) -> None:
    written = tmp_path / "en-de"
    words = ["export", str(tmp_path / "best.pt"), "--output", str(written)]
    result = CliRunner().invoke(app, [*words, "--length-ratio", "1.3"])
    assert result.exit_code == 2
    assert "--length-ratio goes with --length-reward" in " ".join(result.output.split())
    assert not written.exists()
