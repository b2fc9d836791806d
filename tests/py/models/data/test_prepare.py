from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sentencepiece

from dragoman.errors import CorpusError, WorkshopError
from dragoman.models.data.bands import LengthBand
from dragoman.models.data.batches import NO_TAG
from dragoman.models.data.prepare import prepare
from dragoman.models.data.prepared import load_prepared
from dragoman.models.data.recipe import FileSource, Recipe
from dragoman.models.data.vocabulary import read_vocabulary
from dragoman.text.openings import with_openings
from tests.support.workshop import toy_pairs


def test_what_is_prepared_is_the_text(toy_prepared: Path) -> None:
    data = load_prepared(toy_prepared, "en", "de")
    vocabulary = sentencepiece.SentencePieceProcessor(
        model_file=str(toy_prepared / "vocabulary.spm")
    )
    texts = [
        tuple(vocabulary.decode(side.row(n).tolist()) for side in (data.source, data.target))
        for n in range(300)
    ]
    assert sorted(texts) == sorted(toy_pairs(300))
    assert data.vocabulary_size == 340


def test_the_report_counts_every_pair_and_names_every_licence(toy_prepared: Path) -> None:
    meta = json.loads((toy_prepared / "meta.json").read_text())
    by_name = {row["name"]: row for row in meta["sources"]}
    assert by_name["digits"]["pairs"] == 300
    assert by_name["digits"]["licence"] == "CC0-1.0"
    assert by_name["digits"]["licence_class"] == "free"
    assert by_name["digits"]["dropped"] == {"duplicate": 1}
    assert by_name["noise"]["pairs"] == 0
    assert by_name["noise"]["dropped"] == {
        "length ratio": 1, "no letters": 1, "untranslated": 1, "not two columns": 1, "empty": 1
    }  # fmt: skip
    assert "secret" not in by_name
    assert meta["pairs"] == 300 + by_name["augmented"]["pairs"]
    assert meta["max_pieces"] == 40
    assert sum(meta["dropped"].values()) == 6


def test_the_report_for_the_eye(toy_prepared: Path) -> None:
    lines = (toy_prepared / "report.md").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# Data of toy"
    assert lines[2].startswith("| source | licence | class | weight | kept | ")
    assert "duplicate" in lines[2]
    assert "| digits | CC0-1.0 | free | 1 | 300 |" in "\n".join(lines)


def test_preparing_again_gives_the_same_files(
    toy_prepared: Path, toy_data: Path, toy_recipe: Recipe, tmp_path: Path
) -> None:
    prepare(toy_recipe, toy_data, tmp_path, lambda _: None)
    for name in ("first", "second"):
        for part in ("flat", "offsets"):
            file = f"{name}.{part}.npy"
            assert np.array_equal(np.load(tmp_path / file), np.load(toy_prepared / file))


def test_the_aligner_is_asked_for_before_the_work(
    monkeypatch: pytest.MonkeyPatch, toy_data: Path, toy_recipe: Recipe, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "eflomal", None)
    with pytest.raises(WorkshopError, match="dragoman\\[models\\]"):
        prepare(toy_recipe, toy_data, tmp_path / "out", lambda _: None)
    assert not (tmp_path / "out").exists()


def test_nothing_left_is_an_error(toy_data: Path, tmp_path: Path) -> None:
    recipe = Recipe("none", ("en", "de"), weights={"digits": 0}, vocabulary_size=300)
    with pytest.raises(CorpusError, match=r"no pair is left; dropped: .*'empty': 1"):
        prepare(recipe, toy_data, tmp_path, lambda _: None)


def test_a_pair_of_two_sources_is_kept_once_and_caps_hold(toy_data: Path, tmp_path: Path) -> None:
    (toy_data / "more.tsv").write_text("\n".join("\t".join(pair) for pair in toy_pairs(40)))
    recipe = Recipe(
        "toy", ("en", "de"), vocabulary_size=320, max_pieces=40, caps={"digits": 100, "more": 30},
        files=(FileSource("more", "MIT", "free", (str(toy_data / "more.tsv"),)),),
    )  # fmt: skip
    report = prepare(recipe, toy_data, tmp_path, lambda _: None)
    assert str(toy_data) not in json.dumps(report), "prepared data travel, folders stay"
    rows: Any = report["sources"]
    by_name = {row["name"]: row for row in rows}
    digits, more = by_name["digits"], by_name["more"]
    assert digits["pairs"] + digits["dropped"].get("duplicate", 0) == 100
    assert digits["dropped"]["over the cap"] == 201
    assert more["dropped"]["over the cap"] == 10
    assert more["pairs"] == 30 - more["dropped"]["duplicate"]
    assert not (tmp_path / "spools").exists()


def test_pairs_of_a_band_are_a_source_of_their_own(toy_data: Path, tmp_path: Path) -> None:
    pairs = [f"{english}\t{german} acht" for english, german in toy_pairs(40)]
    pairs += [f"{english} six\t{german} sechs" for english, german in toy_pairs(30)]
    (toy_data / "more.tsv").write_text("\n".join(pairs))
    recipe = Recipe(
        "toy", ("en", "de"), weights={"more": 2}, vocabulary_size=300, max_pieces=40,
        files=(FileSource("more", "MIT", "free", (str(toy_data / "more.tsv"),)),),
        bands=(LengthBand("long", ("more",), 3, least=1.1),), augmented_share=0,
    )  # fmt: skip
    meta: Any = prepare(recipe, toy_data, tmp_path, lambda _: None)
    rows = {row["name"]: row for row in meta["sources"]}
    assert [rows[name]["weight"] for name in ("more", "more_long")] == [2, 6]
    assert rows["more_long"]["licence"] == "MIT"
    assert rows["more_long"]["pairs"] == 40

    data = load_prepared(tmp_path, "en", "de")
    number = list(rows).index("more_long")
    for pair in np.flatnonzero(data.source_of == number).tolist():
        assert len(data.target.row(pair)) == len(data.source.row(pair)) + 1


def test_a_band_may_be_of_what_is_made_up(
    toy_data: Path, toy_prepared: Path, tmp_path: Path
) -> None:
    recipe = Recipe(
        "toy", ("en", "de"), max_pieces=40, bands=(LengthBand("all", ("augmented",), 0.5),)
    )
    given = toy_prepared / "vocabulary.spm"
    meta: Any = prepare(recipe, toy_data, tmp_path, lambda _: None, given)
    rows = {row["name"]: row for row in meta["sources"]}
    assert rows["augmented"]["pairs"] == 0 < rows["augmented_all"]["pairs"]
    assert rows["augmented_all"]["weight"] == 0.5


def test_what_a_model_made_is_no_target_and_has_a_tag_as_source(
    toy_data: Path, tmp_path: Path
) -> None:
    pairs = [(f"{english} six", f"sechs {german}") for english, german in toy_pairs(40)]
    (toy_data / "made.tsv").write_text("\n".join("\t".join(pair) for pair in pairs))
    file = FileSource("made", "MIT", "free", ("made.tsv",), synthetic="de")
    recipe = Recipe(
        "toy", ("en", "de"), default_weight=1, vocabulary_size=400, max_pieces=40, files=(file,),
        augmented_share=0.5,
    )  # fmt: skip
    meta: Any = prepare(recipe, toy_data, tmp_path, lambda _: None)
    number = [row["name"] for row in meta["sources"]].index("made")
    towards = load_prepared(tmp_path, "de", "en")
    away = load_prepared(tmp_path, "en", "de")
    assert towards.weights[number] == 1
    assert away.weights[number] == 0
    assert towards.tags.tolist().count(meta["tag"]) == 1
    assert meta["sources"][number]["pairs"] > 40  # with its variants, which train as little
    assert towards.tags[number] == meta["tag"]
    assert set(away.tags.tolist()) == {NO_TAG}


def test_the_report_has_statistics_of_lengths(toy_prepared: Path) -> None:
    meta = json.loads((toy_prepared / "meta.json").read_text())
    assert sum(n for _, _, n in meta["lengths"]["pairs"]) == meta["pairs"]
    assert 0.5 < meta["length_ratio"]["mean"] < 2
    assert "## Lengths" in (toy_prepared / "report.md").read_text(encoding="utf-8")


def test_a_vocabulary_gets_the_marks_of_the_recipe_and_pieces_are_so(
    toy_data: Path, toy_prepared: Path, tmp_path: Path
) -> None:
    (toy_data / "said.tsv").write_text('"one" (two)\t„eins“ (zwei)\n')
    recipe = Recipe(
        "toy", ("en", "de"), vocabulary_size=330, max_pieces=40, openings='„"(', augmented_share=0,
        files=(FileSource("said", "MIT", "free", ("said.tsv",)),), weights={"digits": 0},
    )  # fmt: skip
    given = toy_prepared / "vocabulary.spm"
    prepare(recipe, toy_data, tmp_path, lambda _: None, given)
    assert (tmp_path / "vocabulary.spm").read_bytes() == with_openings(given.read_bytes(), '„"(')
    data, vocabulary = load_prepared(tmp_path, "en", "de"), read_vocabulary(given)
    assert data.source.row(0).tolist() == vocabulary.encode('" one" ( two)')
    assert data.target.row(0).tolist() == vocabulary.encode("„ eins“ ( zwei)")
