"""The catalogue that ships, and newer ones made of the publisher's indexes."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import jsonschema_rs
import pytest

from dragoman.catalogue.indexes import ATTACHMENTS, Difference, update
from dragoman.catalogue.languages import closest, name_of
from dragoman.catalogue.models import (
    catalogue_data,
    read_catalogue,
    schema,
    shipped,
    total_download,
)
from dragoman.errors import LanguagePairError, StoreError

TEXT = files("dragoman.catalogue").joinpath("catalogue.json").read_text("utf-8")
SHIPPED = shipped()


def test_the_catalogue_that_ships_follows_its_schema() -> None:
    validator = jsonschema_rs.validator_for(schema())
    validator.validate(json.loads(TEXT))
    assert catalogue_data(SHIPPED) == json.loads(TEXT)
    assert len(SHIPPED.models) == 100
    found = [file for model in SHIPPED.models for file in model.files]
    assert len(found) == 305
    assert sum(model.download for model in SHIPPED.models) == 2_201_955_897
    assert {model.licence for model in SHIPPED.models} == {"MPL-2.0"}
    assert all("en" in (model.source, model.target) for model in SHIPPED.models)


def test_shared_files_are_counted_once() -> None:
    norwegian = [SHIPPED.find("no", "en"), SHIPPED.find("nb", "en")]
    models = [model for model in norwegian if model]
    assert len(models) == 2
    assert total_download(models) == models[0].download


def test_what_is_no_catalogue() -> None:
    data = json.loads(TEXT)
    for broken in ("", "[]", json.dumps(data | {"schema": 2})):
        with pytest.raises(StoreError):
            read_catalogue(broken)
    data["models"][0]["files"][0]["sha256"] = "../../x"
    with pytest.raises(StoreError, match="is no file"):
        read_catalogue(json.dumps(data))


@pytest.mark.parametrize(
    ("text", "legs"),
    [
        ("fr-en", ["fr-en"]),
        ("de-fr", ["de-en", "en-fr"]),
        ("de-AT-fr", ["de-en", "en-fr"]),
        ("zh-TW-en", ["zh-Hant-en"]),
        ("zh-en", ["zh-Hans-en"]),
        ("en:zh-Hant", ["en-zh-Hant"]),
        ("zh-Hant-zh-Hans", ["zh-Hant-en", "en-zh-Hans"]),
        ("hr-en", ["hbs-en"]),
        ("en-hr", ["en-hr"]),
        ("nb-de", ["nb-en", "en-de"]),
        ("iw-en", ["he-en"]),
    ],
)
def test_directions_as_they_are_typed(text: str, legs: list[str]) -> None:
    assert [model.pair for model in SHIPPED.plan(*SHIPPED.pair(text))] == legs


@pytest.mark.parametrize("text", ["", "fr", "fr-", "xx-yy", "-", "../..-en"])
def test_what_is_no_direction(text: str) -> None:
    with pytest.raises(StoreError, match="no published models translate"):
        SHIPPED.pair(text)


@pytest.mark.parametrize("target", ["de", "de-AT"])
def test_no_way_leads_to_the_same_language(target: str) -> None:
    """Over English there would be one, which nothing takes."""
    with pytest.raises(LanguagePairError):
        SHIPPED.plan("de", target)


def test_a_direction_without_models() -> None:
    with pytest.raises(LanguagePairError):
        SHIPPED.plan("tlh", "en")


@pytest.mark.parametrize(
    ("wanted", "available", "expected"),
    [
        ("de-AT", ["en", "de"], "de"),
        ("no", ["nb", "en"], "nb"),
        ("nb", ["no", "en"], "no"),
        ("zh-CN", ["zh-Hant", "zh-Hans"], "zh-Hans"),
        ("zh-HK", ["zh-Hant", "zh-Hans"], "zh-Hant"),
        ("pt-BR", ["pt"], "pt"),
        ("sr", ["hbs"], "hbs"),
        ("ca", ["es"], None),
        ("af", ["nl"], None),
        ("no such tag", ["nl"], None),
    ],
)
def test_the_closest_tag(wanted: str, available: list[str], expected: str | None) -> None:
    assert closest(wanted, available) == expected


def test_names_are_in_the_users_language() -> None:
    assert name_of("fr", "de") == "Französisch"
    assert name_of("zh-Hant", "fr") == "chinois (traditionnel)"
    assert name_of("hbs", "de") == "Bosnisch, Kroatisch, Serbisch"


# --- newer ones ----------------------------------------------------------------------------------


def record(kind: str, sha256: str, **changes: object) -> dict[str, Any]:
    """Of index B."""
    return {
        "name": f"{kind}.fren.bin", "version": "3.1", "fileType": kind,
        "architecture": "base-memory",
        "sourceLanguage": "fr", "targetLanguage": "en", "decompressedSize": 99,
        "decompressedHash": sha256, "filter_expression": "",
        "attachment": {"hash": "e" * 64, "size": 77, "filename": f"{kind}.zst",
                       "location": f"main/{kind}.zst", "mimetype": "application/zstd"},
    } | changes  # fmt: skip


def test_index_b_replaces_a_model_and_says_so() -> None:
    records = [record("model", "a" * 64), record("lex", "b" * 64), record("vocab", "c" * 64)]
    newer, differences = update(SHIPPED, json.dumps({"data": records}), "2026-12-01")
    assert [(d.kind, d.pair) for d in differences] == [("changed", "fr-en")]
    assert differences[0].what.endswith(f"to fr-en/base-memory/{'a' * 12}: new lex, model, vocab")
    model = newer.find("fr", "en")
    assert model is not None
    assert (model.version, model.download, model.score) == ("3.1", 3 * 77, None)
    assert model.files[0].sources[0].url == f"{ATTACHMENTS}/main/model.zst"
    assert newer.generated == "2026-12-01"
    assert len(newer.models) == 100
    jsonschema_rs.validator_for(schema()).validate(catalogue_data(newer))


def test_index_b_leaves_out_what_is_not_for_this_program() -> None:
    """Other major versions and trial ones, models without a vocabulary, smaller kinds."""
    for changes in (
        {"version": "4.0"}, {"version": "3.0a1"}, {"architecture": "tiny"},
    ):  # fmt: skip
        kinds = ("model", "lex", "vocab")
        records = [record(kind, "a" * 64, **changes) for kind in kinds]
        assert update(SHIPPED, json.dumps({"data": records}), "x")[1] == []
    alone = {"data": [record("model", "a" * 64)]}
    assert update(SHIPPED, json.dumps(alone), "x")[1] == []


def index_a(sha256: str, path: str = "models/fr-en/new/model.gz") -> str:
    files = {"model": {"path": path, "uncompressedHash": sha256, "uncompressedSize": 9}}
    files |= {
        kind: {"path": f"models/fr-en/new/{kind}.gz"} for kind in ("lexicalShortlist", "vocab")
    }
    build = {
        "architecture": "base-memory", "releaseStatus": "Release", "sourceLanguage": "fr",
        "targetLanguage": "en", "files": files, "metrics": {"flores200-plus": {"comet22": 0.9}},
    }  # fmt: skip
    return json.dumps({"baseUrl": "https://example.org/b", "models": {"fr-en": [build]}})


def test_index_a_moves_files_and_brings_scores() -> None:
    old = SHIPPED.find("fr", "en")
    assert old is not None
    newer, differences = update(SHIPPED, index_a(old.files[0].sha256), "2026-12-01")
    assert differences == [Difference("changed", "fr-en", f"{old.id}: the same files, other facts")]
    model = newer.find("fr", "en")
    assert model is not None
    assert model.score == 0.9
    assert model.files[0].sources[0].url == "https://example.org/b/models/fr-en/new/model.gz"
    assert model.files[0].sources[1:] == old.files[0].sources


def test_index_a_alone_cannot_bring_a_new_model() -> None:
    """It has the hash of the model only; what cannot be verified is not taken."""
    newer, differences = update(SHIPPED, index_a("f" * 64), "2026-12-01")
    assert [(d.kind, d.pair) for d in differences] == [("left out", "fr-en")]
    assert newer.models == SHIPPED.models


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"data": [{}]}', '{"baseUrl": "x"}'])
def test_what_is_no_index(text: str) -> None:
    with pytest.raises(StoreError):
        update(SHIPPED, text, "x")
