from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from dragoman.engines.bundle import parse_manifest
from dragoman.errors import ExportError
from dragoman.models.export.card import model_card
from dragoman.models.export.manifest import add_to_manifest
from tests.support.paths import MODELS


def test_the_cards_of_the_repository_are_what_their_manifests_say() -> None:
    bundles = sorted(path.parent for path in MODELS.glob("*/manifest.json"))
    assert bundles
    for bundle in bundles:
        manifest = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))
        assert (bundle / "MODEL_CARD.md").read_text(encoding="utf-8") == model_card(manifest)


def test_a_fact_is_added_to_manifest_and_card(tmp_path: Path) -> None:
    folder = tmp_path / "de-en"
    shutil.copytree(MODELS / "de-en", folder)
    before = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    fact = {"good_from": 0.5, "share": 0.86, "marked": 0.4, "data": ["a.tsv", "b.tsv"]}
    (folder / "manifest.json.minisig").write_text("of what it was")
    card = add_to_manifest(folder, "reliability", fact)
    assert not (folder / "manifest.json.minisig").exists()
    after = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert after == {**before, "reliability": fact}
    assert parse_manifest((folder / "manifest.json").read_text(encoding="utf-8")).good_from == 0.5
    assert "below 0.5 are marked as doubtful: 40 % of a.tsv, b.tsv" in card.read_text()


def test_a_folder_without_a_bundle_takes_no_fact(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=r"manifest\.json cannot be read"):
        add_to_manifest(tmp_path, "reliability", {})
