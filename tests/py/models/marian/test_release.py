from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner, Result

from dragoman.cli.model.app import app
from dragoman.errors import ExportError, ModelFileError
from dragoman.marian.model import read_marian
from dragoman.marian.shortlist import Shortlist, read_shortlist
from dragoman.models.export.quantized import of_graph
from dragoman.models.export.shortlist import LinkedPieces, build_shortlist
from dragoman.models.marian.release import write_marian
from dragoman.native.bundles import open_bundle
from dragoman.student.architecture import read_architecture
from tests.support.paths import MODELS
from tests.support.workshop import quantized_student

EMBEDDED = MODELS / "de-en"


def dragoman(*arguments: object) -> Result:
    given = [str(argument) for argument in arguments]
    return CliRunner().invoke(app, given, catch_exceptions=False)


def empty_shortlist(size: int) -> Shortlist:
    no_links: list[LinkedPieces] = []
    return build_shortlist(no_links, size)


def test_the_embedded_model_by_command(tmp_path: Path) -> None:
    result = dragoman("export", EMBEDDED, "--format", "marian", "--output", tmp_path)
    model = tmp_path / "model.deen.intgemm.alphas.bin"
    assert result.stdout.strip() == str(model)
    opened = open_bundle(EMBEDDED)
    assert (tmp_path / "vocab.deen.spm").read_bytes() == opened.vocabulary
    sizes = read_architecture(opened.manifest.data["architecture"])
    exported, own = read_marian(model), of_graph(opened.graph, sizes)
    assert sizes.alignment == 64  # for which Marian's format has no place
    assert exported.config.sizes == replace(sizes, alignment=0)
    head = {"alignment.key", "alignment.query"}
    expected = {name: value for name, value in own.ranges.items() if name not in head}
    assert exported.ranges == pytest.approx(expected, rel=1e-6)
    settings = yaml.safe_load((tmp_path / "config.yml").read_text())
    assert settings["models"] == ["model.deen.intgemm.alphas.bin"]
    assert settings["gemm-precision"] == "int8shiftAlphaAll"
    assert "shortlist" not in settings
    assert settings["max-length-break"] == opened.manifest.limits.source_pieces == 80
    listed = dragoman("inspect", model).stdout
    assert "Wemb" in listed
    assert "intgemm8" in listed


def test_what_the_engine_does_not_know_of_marks_that_open_is_told(tmp_path: Path) -> None:
    result = dragoman("export", EMBEDDED, "--format", "marian", "--output", tmp_path)
    assert "note: the model wants a space behind marks that open ( \" '" in result.stderr
    assert "bergamot-translator neither puts in nor takes out" in result.stderr
    first, *_ = (tmp_path / "config.yml").read_text(encoding="utf-8").splitlines()
    assert first == f"# {result.stderr.strip().removeprefix('note: ')}"
    files = write_marian(tmp_path, "deen", quantized_student(), b"spm", None, 96)
    assert (files.openings, files.loss) == ("", None)
    written = files.config.read_text(encoding="utf-8")
    assert written.startswith("relative-paths: true\n")
    assert yaml.safe_load(written)["max-length-break"] == 96


@pytest.mark.parametrize(
    "options",
    [
        ("--format", "marian", "--precision", "float32"),
        ("--format", "marian", "--beam", "1"),
        ("--format", "marian", "--length-reward", "0.6"),
        ("--format", "marian", "--names", "names.table"),
        ("--shortlist", "lex.bin"),
        (),
    ],
)
def test_an_option_that_would_have_no_effect_is_refused(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    result = dragoman("export", EMBEDDED, "--output", tmp_path / "out", *options)
    assert result.exit_code == 2
    assert "marian" in result.output.lower()
    assert not (tmp_path / "out").exists()


def test_a_shortlist_goes_with_it(tmp_path: Path) -> None:
    files = write_marian(tmp_path, "deen", quantized_student(), b"spm", empty_shortlist(344))
    assert files.shortlist == tmp_path / "lex.50.50.deen.s2t.bin"
    assert read_shortlist(files.shortlist.read_bytes()).sources == 344
    settings = yaml.safe_load(files.config.read_text())
    assert settings["shortlist"] == ["lex.50.50.deen.s2t.bin", False]


def test_what_does_not_fit(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="the shortlist has 8 source pieces, the model 344"):
        write_marian(tmp_path, "deen", quantized_student(), b"spm", empty_shortlist(8))
    damaged = tmp_path / "lex.bin"
    damaged.write_bytes(b"no shortlist")
    options = ("--format", "marian", "--output", tmp_path / "out", "--shortlist")
    with pytest.raises(ModelFileError, match="this is no shortlist: 12 bytes"):
        dragoman("export", EMBEDDED, *options, damaged)
    with pytest.raises(ExportError, match=r"none\.bin: No such file"):
        dragoman("export", EMBEDDED, *options, tmp_path / "none.bin")
    with pytest.raises(ExportError, match="does not name all sizes"):
        read_architecture({"dimension": 256})
    result = dragoman("export", tmp_path / "m.pt", "--format", "marian", "--output", tmp_path)
    assert result.exit_code == 2
    assert "a trained model needs --prepared" in result.output
    assert not (tmp_path / "out").exists()
