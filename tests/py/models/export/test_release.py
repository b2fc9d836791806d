from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from dragoman.errors import CorpusError, ExportError, TrainingError
from dragoman.marian.shortlist import write_shortlist
from dragoman.models.data.names import WordCount, names_file
from dragoman.models.data.prepared import open_prepared
from dragoman.models.export.average import average_models
from dragoman.models.export.manifest import write_card
from dragoman.models.export.release import (
    BundleFacts,
    export_bundle,
    read_scores,
    training_facts,
)
from dragoman.models.export.shortlist import build_shortlist, linked_pieces
from dragoman.models.network.checkpoint import load_model, load_state, save_model
from dragoman.native.bundles import open_bundle
from dragoman.types import LengthReward
from tests.support.workshop import toy_student


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "scores.json"
    row = {"data": "dev.en-de.tsv", "bleu": 12.5, "chrf": 30.0, "sentences": 24, "seconds": 1.0}
    path.write_text("a line before\n" + json.dumps(row) + "\n")
    return path


def _export(model: Path, prepared: Path, data: Path, output: Path, **options: Any) -> Path:
    settings = {"version": "0.1.0", "precision": "int8", **options}
    return export_bundle(model, prepared, "en", "de", data / "dev.tsv", output, **settings)


def test_a_bundle_and_its_card(
    toy_trained: Path, toy_prepared: Path, toy_data: Path, tmp_path: Path, scores: Path
) -> None:
    written = _export(toy_trained, toy_prepared, toy_data, tmp_path / "en-de", scores=[scores])
    assert written == tmp_path / "en-de" / "manifest.json"
    manifest = open_bundle(written.parent).manifest
    assert (manifest.name, manifest.source, manifest.target) == ("en-de-tiny", "en", "de")
    assert manifest.limits.source_pieces == 40
    assert manifest.beam == 1
    assert manifest.data["scores"] == {"dev": {"bleu": 12.5, "chrf": 30.0, "sentences": 24}}
    training = manifest.data["training"]
    assert isinstance(training, dict)
    assert training["steps"] == 160
    assert training["settings"]["guide_weight"] == 0.5
    card = (written.parent / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert "| dev | 12.5 | 30.0 |  | 24 |" in card
    assert "| digits | CC0-1.0 | free | 300 | 1 |" in card
    assert "dragoman model train build/prepared --pair en-de" in card
    assert "--steps 160" in card
    assert "export build/en-de/best.pt" in card
    assert "of its kind" not in card
    assert str(tmp_path) not in card


def test_exporting_again_gives_the_same_bytes(
    toy_trained: Path, toy_prepared: Path, toy_data: Path, tmp_path: Path
) -> None:
    texts = [
        _export(toy_trained, toy_prepared, toy_data, tmp_path / name).read_text()
        for name in ("one", "two")
    ]
    assert texts[0] == texts[1]


def test_licences_of_older_prepared_data_come_from_the_manifest(
    toy_trained: Path, toy_prepared: Path, toy_data: Path, tmp_path: Path
) -> None:
    old = tmp_path / "old"
    old.mkdir()
    (old / "vocabulary.spm").write_bytes((toy_prepared / "vocabulary.spm").read_bytes())
    meta = json.loads((toy_prepared / "meta.json").read_text())
    del meta["max_pieces"]
    for row in meta["sources"]:
        del row["licence"], row["licence_class"], row["dropped"]
    (old / "meta.json").write_text(json.dumps(meta))
    table = toy_data / "train" / "manifest.tsv"
    written = _export(toy_trained, old, toy_data, tmp_path / "b", manifest=table)
    sources = {row["name"]: row for row in json.loads(written.read_text())["sources"]}
    assert sources["digits"]["licence"] == "CC0-1.0"
    assert sources["digits"]["licence_class"] == "free"
    assert sources["augmented"]["licence_class"] == "own"
    meta["sources"][0]["name"] = "unknown"
    assert "licence" not in meta["sources"][0]
    (old / "meta.json").write_text(json.dumps(meta))
    with pytest.raises(CorpusError, match="no source 'unknown'"):
        _export(toy_trained, old, toy_data, tmp_path / "b", manifest=table)


def test_a_licence_that_the_data_have_is_not_asked_of_the_manifest(
    toy_trained: Path, toy_prepared: Path, toy_data: Path, tmp_path: Path
) -> None:
    """A recipe's own files stand in no manifest, nor does what a band has of a source."""
    own = tmp_path / "own"
    own.mkdir()
    (own / "vocabulary.spm").write_bytes((toy_prepared / "vocabulary.spm").read_bytes())
    meta = json.loads((toy_prepared / "meta.json").read_text())
    meta["sources"][0] |= {"name": "letters", "licence": "MIT"}
    (own / "meta.json").write_text(json.dumps(meta))
    table = toy_data / "train" / "manifest.tsv"
    written = _export(toy_trained, own, toy_data, tmp_path / "b", manifest=table)
    sources = {row["name"]: row for row in json.loads(written.read_text())["sources"]}
    assert sources["letters"]["licence"] == "MIT"


@pytest.mark.parametrize(("made", "listed"), [("en", True), ("de", False)])
def test_the_card_lists_what_a_model_made_where_it_is_a_source_only(
    toy_trained: Path, toy_prepared: Path, toy_data: Path, tmp_path: Path, made: str, listed: bool
) -> None:
    old = tmp_path / "old"
    old.mkdir()
    (old / "vocabulary.spm").write_bytes((toy_prepared / "vocabulary.spm").read_bytes())
    meta = json.loads((toy_prepared / "meta.json").read_text())
    meta["sources"][0] |= {"name": "wiki", "synthetic": made}
    (old / "meta.json").write_text(json.dumps(meta))
    written = _export(toy_trained, old, toy_data, tmp_path / "b")
    assert ("wiki" in {row["name"] for row in json.loads(written.read_text())["sources"]}) is listed
    card = (written.parent / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert ("| wiki (its source made by a model) |" in card) is listed


def test_the_card_says_who_wrote_a_source(
    toy_trained: Path, toy_prepared: Path, toy_data: Path, tmp_path: Path
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "vocabulary.spm").write_bytes((toy_prepared / "vocabulary.spm").read_bytes())
    meta = json.loads((toy_prepared / "meta.json").read_text())
    meta["sources"][0] |= {"name": "phrases", "author": "a language model"}
    (own / "meta.json").write_text(json.dumps(meta))
    written = _export(toy_trained, own, toy_data, tmp_path / "b")
    card = (written.parent / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert "| phrases (both sides written by a language model) |" in card


def test_a_mean_of_models_says_what_it_is_of(
    toy_trained: Path, toy_prepared: Path, toy_data: Path, tmp_path: Path
) -> None:
    average_models([toy_trained, toy_trained], [0.75, 0.25], tmp_path / "mean.pt")
    written = _export(tmp_path / "mean.pt", toy_prepared, toy_data, tmp_path / "b")
    manifest = json.loads(written.read_text())
    name = toy_trained.name
    parts = [{"model": name, "share": 0.75}, {"model": name, "share": 0.25}]
    assert manifest["training"]["averaged"] == parts
    command = f"dragoman model average {name} build/en-de/best.pt --share 0.75 --share 0.25"
    assert any(line.startswith(command) for line in manifest["reproduce"])
    assert str(tmp_path) not in written.read_text()


def test_a_student_of_windows_says_how_it_was_taught(
    toy_trained: Path, toy_prepared: Path, toy_data: Path, tmp_path: Path
) -> None:
    settings = {"budget": 13.0, "rate": 0.0012, "initial": "en-de-tiny 0.10.0"}
    save_model(load_model(toy_trained), tmp_path / "best.pt", {"settings": settings})
    written = _export(tmp_path / "best.pt", toy_prepared, toy_data, tmp_path / "b")
    _, pack, window, *_, export = json.loads(written.read_text())["reproduce"]
    assert pack.startswith("dragoman model pack build/prepared --validation DATA/dev/")
    assert pack.endswith(" --output build/en-de.pack")
    assert window == (
        "dragoman model window build/en-de.pack --pair en-de --run build/en-de --mono en=TEXTS "
        "--mono de=TEXTS --budget 13.0 --rate 0.0012 --initial en-de-tiny-0.10.0 --device cuda"
    )
    assert export.startswith("dragoman model export build/en-de/student/best.pt ")


def test_a_model_that_went_on_from_a_file_wants_a_vocabulary_by_hand(
    toy_trained: Path, toy_prepared: Path, toy_data: Path, tmp_path: Path
) -> None:
    settings = {"steps": 10, "initial": "build/other/best.pt"}
    save_model(load_model(toy_trained), tmp_path / "best.pt", {"settings": settings})
    written = _export(tmp_path / "best.pt", toy_prepared, toy_data, tmp_path / "b")
    prepare, train, *_ = json.loads(written.read_text())["reproduce"]
    assert prepare.endswith(" --output build/prepared --vocabulary VOCABULARY")
    assert train.endswith(" --initial build/other/best.pt")


def test_training_facts_of_an_older_model_come_from_its_log(tmp_path: Path) -> None:
    save_model(toy_student(), tmp_path / "best.pt", {"step": 750, "bleu": 9.5, "chrf": 24.5})
    rows = [
        {"step": 700, "seconds": 3000},
        {"step": 750, "seconds": 3600},
        {"step": 750, "bleu": 9},
        {"step": 800, "seconds": 4000},
    ]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert training_facts(tmp_path / "best.pt", "one core") == {
        "steps": 750,
        "hours": 1.0,
        "hardware": "one core",
        "validation": {"bleu": 9.5, "chrf": 24.5},
    }


def test_what_cannot_be_exported_is_named(
    toy_trained: Path, toy_prepared: Path, toy_data: Path, tmp_path: Path
) -> None:
    with pytest.raises(ExportError, match="'int4' is no precision; known: int8, float16, float32"):
        _export(toy_trained, toy_prepared, toy_data, tmp_path, precision="int4")
    with pytest.raises(TrainingError, match=r"none\.pt"):
        _export(tmp_path / "none.pt", toy_prepared, toy_data, tmp_path)
    with pytest.raises(CorpusError, match="is not prepared data"):
        _export(toy_trained, tmp_path, toy_data, tmp_path)
    french = tmp_path / "french.tsv"
    french.write_text("en\tfr\none\tun\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="holds en-de, not en-fr"):
        export_bundle(
            toy_trained, toy_prepared, "en", "fr", french, tmp_path, version="1", precision="int8"
        )
    save_model(toy_student(99), tmp_path / "other.pt", {})
    with pytest.raises(ExportError, match="has 340 pieces, the model 99"):
        _export(tmp_path / "other.pt", toy_prepared, toy_data, tmp_path)
    damaged = load_state(toy_trained)
    damaged["sizes"]["heads"] = 5
    torch.save(damaged, tmp_path / "damaged.pt")
    with pytest.raises(TrainingError, match="multiple of the 5 heads"):
        _export(tmp_path / "damaged.pt", toy_prepared, toy_data, tmp_path)


@pytest.mark.parametrize("text", ["", "no json", "[1]", '{"bleu": 1}'])
def test_files_that_are_no_scores(tmp_path: Path, text: str) -> None:
    (tmp_path / "s.json").write_text(text)
    with pytest.raises(ExportError, match=r"s\.json is not the output of evaluate --json"):
        read_scores([tmp_path / "s.json"])


def test_a_card_is_made_of_the_manifest_alone(
    toy_trained: Path, toy_prepared: Path, toy_data: Path, tmp_path: Path
) -> None:
    bundle = tmp_path / "en-de"
    _export(toy_trained, toy_prepared, toy_data, bundle, weaknesses=["Negation is lost."])
    card = (bundle / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert "- Negation is lost." in card
    (bundle / "MODEL_CARD.md").unlink()
    assert write_card(bundle) == bundle / "MODEL_CARD.md"
    assert (bundle / "MODEL_CARD.md").read_text(encoding="utf-8") == card
    with pytest.raises(ExportError, match="makes no model card"):
        write_card(tmp_path)


def test_positions_reach_to_the_longest_row() -> None:
    assert BundleFacts("n", "1", "de", "en", "MIT").positions == 172
    assert BundleFacts("n", "1", "de", "en", "MIT", 200, 0.5, 3).positions == 201


def test_a_bundle_names_its_beam(
    toy_trained: Path, toy_prepared: Path, toy_data: Path, tmp_path: Path
) -> None:
    written = _export(toy_trained, toy_prepared, toy_data, tmp_path / "en-de", beam=4)
    assert open_bundle(written.parent).manifest.beam == 4
    card = (written.parent / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert "| search | beam 4 |" in card
    assert "--precision int8 --version 0.1.0 --beam 4" in card
    for precision, beam in (("int8", 17), ("int8", 0), ("float32", 2)):
        with pytest.raises(ExportError, match=f"has a beam of 1 to .*, not {beam}"):
            _export(toy_trained, toy_prepared, toy_data, tmp_path, precision=precision, beam=beam)


def test_a_bundle_names_what_length_is_worth(
    toy_trained: Path, toy_prepared: Path, toy_data: Path, tmp_path: Path
) -> None:
    length = LengthReward(0.6, 1.2)
    written = _export(
        toy_trained, toy_prepared, toy_data, tmp_path / "en-de", beam=4, length=length
    )
    assert open_bundle(written.parent).manifest.length == length
    card = (written.parent / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert "| search | beam 4, up to 0.6 for length, full at 1.2 times the source's" in card
    assert "--beam 4 --length-reward 0.6 --length-ratio 1.2" in card


@pytest.mark.parametrize(
    ("beam", "length", "message"),
    [
        (4, LengthReward(0, 1.2), "up to 4, not 0 and 1.2"),
        (4, LengthReward(0.6, 4.5), "up to 4, not 0.6 and 4.5"),
        (1, LengthReward(0.6, 1.2), "wants a beam above 1"),
    ],
)
def test_a_reward_for_length_that_cannot_be(
    toy_trained: Path,
    toy_prepared: Path,
    toy_data: Path,
    tmp_path: Path,
    beam: int,
    length: LengthReward,
    message: str,
) -> None:
    with pytest.raises(ExportError, match=message):
        _export(toy_trained, toy_prepared, toy_data, tmp_path, beam=beam, length=length)


def test_a_bundle_has_a_shortlist_and_tells_what_made_it(
    toy_trained: Path, toy_prepared: Path, toy_data: Path, tmp_path: Path
) -> None:
    lists = build_shortlist(
        linked_pieces(open_prepared(toy_prepared, "en", "de")), 340, first=0, best=3, common=20
    )
    path = tmp_path / "lists.bin"
    path.write_bytes(write_shortlist(lists))
    written = _export(
        toy_trained, toy_prepared, toy_data, tmp_path / "en-de", beam=4, shortlist=path
    )
    assert open_bundle(written.parent).manifest.files["shortlist"].path == "shortlist.bin"
    assert (written.parent / "shortlist.bin").read_bytes() == path.read_bytes()
    card = (written.parent / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert (
        "dragoman model shortlist build/prepared --pair en-de --first 0 --common 20 --best 3"
        " --output build/en-de/shortlist.bin"
    ) in card
    assert " --shortlist build/en-de/shortlist.bin --output models/en-de" in card


@pytest.mark.parametrize(
    ("content", "precision", "message"),
    [
        (write_shortlist(build_shortlist([], 340)), "float16", "a shortlist goes with int8"),
        (write_shortlist(build_shortlist([], 50)), "int8", "is of 50 pieces, the model has 340"),
        (b"nothing", "int8", "is no shortlist: this is no shortlist: 7 bytes"),
    ],
)
def test_a_shortlist_that_cannot_be(
    toy_trained: Path,
    toy_prepared: Path,
    toy_data: Path,
    tmp_path: Path,
    content: bytes,
    precision: str,
    message: str,
) -> None:
    path = tmp_path / "lists.bin"
    path.write_bytes(content)
    with pytest.raises(ExportError, match=message):
        _export(toy_trained, toy_prepared, toy_data, tmp_path, precision=precision, shortlist=path)


def test_the_card_tells_what_made_the_words_of_a_bundle(
    toy_trained: Path, toy_prepared: Path, toy_data: Path, tmp_path: Path
) -> None:
    counts, table = [WordCount("Oslo", 4, 4), WordCount("Haus", 4, 0)], tmp_path / "names.table"
    learned = "dragoman model names recipes/toy.toml --data DATA --pair en-de"
    told = []
    words = {"lexicon": {"runway": "Startbahn"}}
    parts = {"firsts": {"golf": "Golf"}, "heads": {"tournament": "Turnier"}}
    for tables in ({}, words, {**words, **parts}):
        table.write_bytes(names_file(counts, tables, bits=4))
        _export(toy_trained, toy_prepared, toy_data, tmp_path / "en-de", names=table)
        card = (tmp_path / "en-de" / "MODEL_CARD.md").read_text(encoding="utf-8")
        told.append(
            [line for line in card.splitlines() if "model names" in line or "lexicon" in line]
        )
    assert told[0] == [f"{learned} --output build/en-de/names.table"]
    assert told[1] == [
        "dragoman model lexicon build/prepared --pair en-de --text TEXT"
        " --entries recipes/lexicon/en-de.tsv --output build/en-de/lexicon.tsv",
        f"{learned} --lexicon build/en-de/lexicon.tsv --output build/en-de/names.table",
    ]
    compounds = "--firsts recipes/lexicon/en-de.firsts.tsv --heads recipes/lexicon/en-de.heads.tsv"
    assert all(f" {compounds} --output " in line for line in told[2])
