"""Pairs that a model makes, by the commands: the same bytes again, also after a kill."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from dragoman.cli.model.app import app
from dragoman.errors import CorpusError, InvalidRequestError
from dragoman.models.data.prepare import prepare
from dragoman.models.data.prepared import open_prepared
from dragoman.models.data.recipe import FileSource, read_recipe
from dragoman.models.synthesis.fragment import Fragment
from tests.support.paths import MODELS
from tests.support.waiting import until
from tests.support.workshop import RECIPE, write_data

WORDS = ("der", "alte", "Hund", "schläft", "heute", "im", "Garten", "und", "weckt", "niemand")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with German text of two sources."""
    folder = write_data(tmp_path / "data")
    (folder / "mono" / "de").mkdir(parents=True)
    (folder / "mono" / "manifest.tsv").write_text(
        "language\tname\tclass\tlicence\nde\tbuch\tfree\tCC0\nde\tzeitung\tfree\tCC-BY 2.5\n"
    )
    chance = random.Random(5)
    for name, count in (("buch", 60), ("zeitung", 20)):
        lines = [" ".join(chance.choices(WORDS, k=6)).capitalize() + "." for _ in range(count)]
        (folder / "mono" / "de" / f"{name}.txt").write_text("\n".join([*lines, "Zu kurz."]))
    (folder / "toy.toml").write_text(RECIPE)
    return folder


def arguments(command: str, data: Path, output: Path, *more: str) -> list[str]:
    options = ["--data", data, "--pair", "de-en", "--models", MODELS / "de-en", "--workers", 1]
    return [command, *map(str, [data / "toy.toml", *options, "--output", output]), *more]


def run(command: str, data: Path, output: Path, *more: str) -> Result:
    return CliRunner().invoke(app, arguments(command, data, output, *more), catch_exceptions=False)


def written(output: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(output.iterdir()) if path.is_file()}


def test_back_translation_goes_through_prepare(data: Path, tmp_path: Path) -> None:
    output = data / "made" / "back"
    result = run("back-translate", data, output, "--sentences", "24", "--sample", "--seed", "3")
    assert result.exit_code == 0, result.output
    made = {one["name"]: one["pairs"] + sum(one["dropped"].values()) for one in _last(result)}
    assert made == {"buch": 18, "zeitung": 6}  # their shares
    recipe = data / "toy.toml"
    recipe.write_text(RECIPE + (output / "files.toml").read_text())
    files = read_recipe(recipe).files
    assert files == tuple(
        FileSource(
            f"{name}_back",
            licence,
            "free",
            (f"made/back/{name}.en", f"made/back/{name}.de"),
            synthetic="en",
        )
        for name, licence in (("buch", "CC0"), ("zeitung", "CC-BY 2.5"))
    )
    prepare(read_recipe(recipe), data, tmp_path / "prepared", lambda _: None)
    towards_german = open_prepared(tmp_path / "prepared", "en", "de")
    towards_english = open_prepared(tmp_path / "prepared", "de", "en")
    names = [row["name"] for row in _sources(tmp_path / "prepared")]
    at = names.index("buch_back")
    assert (towards_german.weights[at], towards_english.weights[at]) == (1.0, 0.0)
    # The same command again has nothing to do, and the same seed gives the same bytes.
    before = written(output)
    assert (
        run(
            "back-translate", data, output, "--sentences", "24", "--sample", "--seed", "3"
        ).exit_code
        == 0
    )
    assert written(output) == before
    again = tmp_path / "again"
    run("back-translate", data, again, "--sentences", "24", "--sample", "--seed", "3")
    assert {name: content for name, content in written(again).items() if "toml" not in name} == {
        name: content for name, content in before.items() if "toml" not in name
    }


def test_forward_translation_trains_towards_what_was_made(data: Path) -> None:
    output = data / "made" / "forward"
    result = run("forward-translate", data, output, "--sentences", "4", "--source", "buch")
    assert result.exit_code == 0, result.output
    assert len((output / "buch.en").read_text().splitlines()) == 4
    (data / "toy.toml").write_text(RECIPE + (output / "files.toml").read_text())
    paths = ("made/forward/buch.en", "made/forward/buch.de")
    assert read_recipe(data / "toy.toml").files == (
        FileSource("buch_forward", "CC0", "free", paths, distilled="en"),
    )


def test_what_the_model_is_not_sure_of_is_dropped(data: Path, tmp_path: Path) -> None:
    sure, unsure = "Guten Morgen!", "Wecktest hund der niemand blau."
    (data / "mono" / "de" / "buch.txt").write_text("\n".join([sure, unsure]))
    asked = ["--source", "buch", "--least-words", "2", "--least-score"]
    output = tmp_path / "out"
    result = run("back-translate", data, output, *asked, "0.7")
    assert _last(result) == [{"name": "buch", "pairs": 1, "dropped": {"score too low": 1}}]
    assert (output / "buch.de").read_text() == f"{sure}\n"
    assert (
        "made of de by a model, beam 1, with a score from 0.7."
        in (output / "files.toml").read_text()
    )
    rows = (output / "work" / "translated" / "buch.txt.tsv").read_text().splitlines()
    scores = [float(row.split("\t")[2]) for row in rows]
    assert [score >= 0.7 for score in scores] == [True, False]
    with pytest.raises(CorpusError, match="the least score is 54, not 0 to 1"):
        run("back-translate", data, tmp_path / "other", *asked, "54")


def test_another_seed_in_the_same_folder_is_refused(data: Path, tmp_path: Path) -> None:
    run("back-translate", data, tmp_path / "out", "--source", "zeitung", "--sample")
    with pytest.raises(InvalidRequestError, match="was begun with another decoding: drawn among"):
        run("back-translate", data, tmp_path / "out", "--source", "zeitung", "--beam", "2")


def test_what_is_distilled_trains_towards_its_own_language(data: Path, tmp_path: Path) -> None:
    result = run(
        "distill", data, tmp_path / "out", "--sentences", "12", "--beam", "3", "--least-words", "2",
        "--models", str(MODELS / "de-en"),
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    fragment = (tmp_path / "out" / "files.toml").read_text()
    assert "made of de by 2 models, beam 3, the closest to the reference." in fragment
    assert 'name = "digits_distilled"' in fragment
    assert 'distilled = "en"' in fragment
    chosen = (tmp_path / "out" / "work" / "chosen" / "digits.txt").read_text().splitlines()
    assert len(chosen) == 12
    rows = (tmp_path / "out" / "work" / "translated" / "digits.txt.nbest").read_text()
    assert {row.count("\t") for row in rows.splitlines()} <= {0, 1, 2}
    assert "\t" in rows


def test_a_run_that_was_killed_goes_on_to_the_same_bytes(data: Path, tmp_path: Path) -> None:
    for name, count in (("buch", 20), ("zeitung", 300)):
        lines = [f"Der Hund Nummer {number} schläft im Garten." for number in range(count)]
        (data / "mono" / "de" / f"{name}.txt").write_text("\n".join(lines))

    def told(output: Path) -> list[str]:
        command = arguments("back-translate", data, output, "--sample", "--top-k", "5")
        return [sys.executable, "-m", "dragoman", "model", *command]

    first = tmp_path / "killed" / "work" / "translated" / "buch.txt"
    process = subprocess.Popen(told(tmp_path / "killed"), stderr=subprocess.DEVNULL)
    try:
        until(lambda: first.exists() or process.poll() is not None)
        assert process.poll() is None, "it ended before it could be killed"
        process.send_signal(signal.SIGKILL)
    finally:
        process.kill()
        process.communicate()
    assert written(tmp_path / "killed") == {}
    for output in (tmp_path / "killed", tmp_path / "whole"):
        subprocess.run(told(output), check=True, capture_output=True, timeout=300)
    killed, whole = written(tmp_path / "killed"), written(tmp_path / "whole")
    assert sorted(killed) == ["buch.de", "buch.en", "files.toml", "zeitung.de", "zeitung.en"]
    assert {name: killed[name] == whole[name] for name in killed if "toml" not in name} == {
        "buch.de": True,
        "buch.en": True,
        "zeitung.de": True,
        "zeitung.en": True,
    }
    assert killed["zeitung.en"].count(b"\n") > 100


def test_options_that_do_not_go_together(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    for more, message in (
        (["--beam", "40"], "the beam is 40, not 1 to 16"),
        (["--beam", "4", "--sample"], "--sample follows one hypothesis, --beam 4 more"),
        (["--temperature", "0.5"], "--temperature and --top-k are of --sample"),
    ):
        with pytest.raises(InvalidRequestError, match=message):
            run("back-translate", data, out, *more)
    with pytest.raises(CorpusError, match="no sentence of the sources is taken"):
        run("back-translate", data, out, "--least-words", "50")
    assert not (out / "files.toml").exists()


def test_names_of_a_fragment_are_escaped() -> None:
    file = FileSource('a"b', "CC\\BY", "free", ("x ü.en",), distilled="de")
    assert Fragment("One.\nTwo.", [file]).toml() == (
        '# One.\n# Two.\n[[files]]\nname = "a\\"b"\nlicence = "CC\\\\BY"\nclass = "free"\n'
        'paths = ["x ü.en"]\ndistilled = "de"\n'
    )


def _last(result: Result) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(result.stdout.splitlines()[-1])
    return found


def _sources(prepared: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads((prepared / "meta.json").read_text())["sources"]
    return found
