"""Mirrors: what browsers read, and what `--source` takes."""

import gzip
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import jsonschema_rs
import pytest

from dragoman.catalogue.models import schema
from dragoman.errors import StoreError
from dragoman.store.get import Getter
from dragoman.store.mirror import kept_catalogue, mirror
from dragoman.store.plan import Silent
from dragoman.store.store import Store
from tests.support.publisher import World, world
from tests.support.sites import serve


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[tuple[World, Store]]:
    """A store with fr-en and en-de."""
    with world(tmp_path) as published:
        store = Store(tmp_path / "store")
        pairs = (("fr", "en"), ("en", "de"))
        models = [m for pair in pairs if (m := published.catalogue.find(*pair))]
        Getter(store, published.catalogue, sleep=lambda _: None).get(models, Silent())
        yield published, store


def test_a_mirror_has_each_file_under_the_hash_of_its_content(
    filled: tuple[World, Store], tmp_path: Path
) -> None:
    _, store = filled
    size = mirror(store, store.models, tmp_path / "m")
    files = list((tmp_path / "m" / "files").iterdir())
    assert len(files) == 5  # two models, two shortlists, one vocabulary
    assert size == sum(path.stat().st_size for path in files)
    for path in files:
        unpacked = gzip.decompress(path.read_bytes())
        assert hashlib.sha256(unpacked).hexdigest() == path.name


def test_its_catalogue_has_relative_sources_and_says_who_published(
    filled: tuple[World, Store], tmp_path: Path
) -> None:
    _, store = filled
    mirror(store, store.models, tmp_path / "m")
    data = json.loads((tmp_path / "m" / "catalogue.json").read_text())
    jsonschema_rs.validator_for(schema()).validate(data)
    assert [(m["from"], m["to"], m["comet22"]) for m in data["models"]] == [
        ("en", "de", 0.8),
        ("fr", "en", 0.8),
    ]
    assert data["models"][0]["publisher"] == "Testers"
    for file in data["models"][0]["files"]:
        (source,) = file["sources"]
        assert source["url"] == f"files/{file['sha256']}"
        assert source["compression"] == "gzip"
        assert source["size"] == (tmp_path / "m" / source["url"]).stat().st_size


def test_a_second_mirror_of_the_same_files_has_the_same_bytes(
    filled: tuple[World, Store], tmp_path: Path
) -> None:
    _, store = filled
    for name in ("one", "two"):
        mirror(store, store.models, tmp_path / name)
    for path in (tmp_path / "one" / "files").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / "files" / path.name).read_bytes()


def test_a_mirror_holds_what_was_named_and_packs_nothing_twice(
    filled: tuple[World, Store], tmp_path: Path
) -> None:
    _, store = filled
    en_de, fr_en = store.models
    packed: list[str] = []
    mirror(store, [en_de, fr_en], tmp_path / "m", packed.append)
    assert len(packed) == 5
    packed.clear()
    mirror(store, [fr_en], tmp_path / "m", packed.append)
    assert packed == []
    wanted = {file.sha256 for file in fr_en.manifest.files.values()}
    assert {path.name for path in (tmp_path / "m" / "files").iterdir()} == wanted


def test_a_damaged_file_is_not_mirrored(filled: tuple[World, Store], tmp_path: Path) -> None:
    _, store = filled
    store.path(store.models[0].manifest.files["model"].sha256).write_bytes(b"damaged")
    with pytest.raises(StoreError, match="damaged"):
        mirror(store, store.models, tmp_path / "m")
    assert not (tmp_path / "m" / "catalogue.json").exists()


def test_the_command_fetches_from_a_mirror(filled: tuple[World, Store], tmp_path: Path) -> None:
    published, store = filled
    mirror(store, store.models, tmp_path / "m")
    running = serve(tmp_path / "m")
    try:
        other = Store(tmp_path / "other")
        address = f"http://127.0.0.1:{running.server_address[1]}"
        asked = len(published.publisher.requests)
        getter = Getter(other, published.catalogue, address, httpx.Client, sleep=lambda _: None)
        getter.get([m for m in (published.catalogue.find("fr", "en"),) if m], Silent())
    finally:
        running.shutdown()
    assert [b.folder.name for b in other.models if other.complete(b)] == ["fr-en"]
    assert len(published.publisher.requests) == asked


def test_a_store_says_what_it_has_whole(filled: tuple[World, Store]) -> None:
    _, store = filled
    store.path(store.models[0].manifest.files["model"].sha256).unlink()
    data = kept_catalogue(store)
    jsonschema_rs.validator_for(schema()).validate(data)
    assert [(m["from"], m["to"]) for m in data["models"]] == [("fr", "en")]
    assert data["models"][0]["files"][0]["sources"][0]["compression"] == "none"


def test_an_empty_store_has_an_empty_catalogue(tmp_path: Path) -> None:
    assert kept_catalogue(Store(tmp_path / "none"))["models"] == []
