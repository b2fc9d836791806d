"""Bundles that translate together, and those that cannot."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from pathlib import Path

import pytest

from dragoman.errors import BundleMismatchError, EngineError
from dragoman.native.bundles import read_manifest
from dragoman.native.ensembles import ensemble_manifest, load_ensemble
from dragoman.native.translator import Translator
from dragoman.types import Sampling
from tests.support.paths import MODELS

BUNDLE = MODELS / "de-en"


def copied(folder: Path) -> Path:
    return Path(shutil.copytree(BUNDLE, folder))


def with_vocabulary(folder: Path, content: bytes) -> None:
    (folder / "vocabulary.spm").write_bytes(content)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    digest = hashlib.sha256(content).hexdigest()
    manifest["files"]["vocabulary"] |= {"bytes": len(content), "sha256": digest}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def test_without_onnxruntime_it_is_a_typed_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Macs with an Intel processor, where it came out as `ModuleNotFoundError`."""
    monkeypatch.delitem(sys.modules, "dragoman.engines.onnxruntime", raising=False)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(EngineError, match="needs onnxruntime, which is not installed"):
        load_ensemble([BUNDLE])


def test_two_bundles_translate_together(tmp_path: Path) -> None:
    with Translator(load_ensemble([BUNDLE, copied(tmp_path / "two")], 1)) as translator:
        both = translator.translate("Der Hund schläft im Garten.")
    with Translator(load_ensemble([BUNDLE], 1)) as translator:
        one = translator.translate("Der Hund schläft im Garten.")
    assert (both.text, both.alignment.links) == (one.text, one.alignment.links)
    assert "dog" in both.text


def test_what_is_drawn_depends_on_the_seed_alone() -> None:
    seen = []
    for seed in (1, 1, 2):
        parts = load_ensemble([BUNDLE], 1, sampling=Sampling(seed, top_k=10))
        with Translator(parts) as translator:
            seen.append(translator.translate("Wir gehen heute Abend in die Stadt.").text)
    assert seen[0] == seen[1] != seen[2]


def test_another_vocabulary_is_refused(tmp_path: Path) -> None:
    other = copied(tmp_path / "other")
    with_vocabulary(other, (BUNDLE / "vocabulary.spm").read_bytes() + b"\0")
    with pytest.raises(BundleMismatchError) as caught:
        load_ensemble([BUNDLE, other])
    assert "make no ensemble: their vocabulary is not the same (SHA-256 " in caught.value.message
    assert caught.value.details["found"] != caught.value.details["expected"]


def test_another_direction_is_refused() -> None:
    with pytest.raises(BundleMismatchError, match=r"their direction is not the same \(en-de, de-e"):
        load_ensemble([BUNDLE, MODELS / "en-de"])


def test_an_ensemble_is_told_from_its_members() -> None:
    one, two = read_manifest(BUNDLE), read_manifest(MODELS / "en-de")
    assert ensemble_manifest([one]) == one
    assert ensemble_manifest([one, two]).model not in (one.model, two.model)
