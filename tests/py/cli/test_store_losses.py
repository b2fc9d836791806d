"""`dragoman models` and what the user has: nothing is lost that no command was asked to delete."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from dragoman.cli import app as cli
from dragoman.store.store import Store
from tests.support.published import make_model
from tests.support.publisher import World, catalogue_text, publish, status, world


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    with world(tmp_path) as made:
        monkeypatch.setenv("DRAGOMAN_STORE", str(tmp_path / "store"))
        monkeypatch.setenv("DRAGOMAN_CATALOGUE", str(made.path))
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.delenv("DRAGOMAN_SOURCE", raising=False)
        yield made


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def dragoman(*words: Any) -> Result:
    return CliRunner().invoke(cli.app, [str(word) for word in words])


def spoil(path: Path) -> bytes:
    """Damage a file of the store, its size as it was; returns what is in it now."""
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    return path.read_bytes()


@pytest.fixture
def own(tmp_path: Path) -> list[Path]:
    """A model that no catalogue names, with a vocabulary of its own."""
    made = make_model(source_pieces=360, seed=77)
    folder = tmp_path / "own"
    folder.mkdir()
    contents = {"model": made.model, "srcvocab": made.vocabulary, "trgvocab": b""}
    contents["trgvocab"] = made.target_vocabulary or b""
    for kind, content in contents.items():
        (folder / f"{kind}.own.{'bin' if kind == 'model' else 'spm'}").write_bytes(content)
    return sorted(folder.iterdir())


def test_an_update_leaves_an_imported_model(there: World, store: Store, own: list[Path]) -> None:
    """Though the catalogue has one of its direction; a manifest of before the mark too."""
    dragoman("models", "get", "en-de")
    assert dragoman("models", "import", *own, "--pair", "fr-en").exit_code == 0
    path = store.root / "fr-en" / "manifest.json"
    data = json.loads(path.read_text())
    assert data["published"].pop("imported") is True
    for published in (
        data["published"] | {"imported": True},
        data["published"] | {"catalogue": "2026-01-01", "publisher": "Testers"},
    ):
        path.write_text(json.dumps(data | {"published": published}))
        before, files = path.read_bytes(), sorted((store.root / "files").iterdir())
        result = dragoman("models", "update")
        assert result.exit_code == 0, result.stderr
        assert "imported, stay as they are: fr-en" in result.stderr
        assert path.read_bytes() == before
        assert sorted((store.root / "files").iterdir()) == files
        licences = dragoman("models", "list", "--licences").stdout
        assert "fr-en: publisher not recorded, licence not recorded; " in licences
    result = dragoman("models", "update", "fr-en")
    assert result.exit_code == 1
    assert "fr-en was imported; an update would put another model in its place" in result.stderr
    assert not any("fren" in request.path for request in there.publisher.requests)


def foreign_bundle(folder: Path) -> dict[str, bytes]:
    """A bundle as the user may put it into the store's folder: nothing in it says "published"."""
    folder.mkdir(parents=True)
    manifest = {
        "format": 1, "name": "own", "version": "1", "source": "en", "target": "de", "files": {},
        "architecture": {"vocabulary_size": 9, "dimension": 8},
        "limits": {"source_pieces": 9, "target_factor": 2, "target_extra": 9},
    }  # fmt: skip
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "model.onnx").write_bytes(b"mine")
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_bundle_of_the_user_is_not_written_over(
    there: World, store: Store, own: list[Path]
) -> None:
    folder = store.root / "en-de"
    before = foreign_bundle(folder)
    for words in (["get", "fr-de"], ["import", *own, "--pair", "en-de"], ["remove", "en-de"]):
        result = dragoman("models", *words)
        assert result.exit_code == 1
        assert "holds a bundle that was neither fetched nor imported" in result.stderr
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert not there.publisher.requests


@pytest.mark.usefixtures("there")
def test_remove_deletes_only_what_the_store_wrote(store: Store) -> None:
    dragoman("models", "get", "fr-de")
    (store.root / "en-de" / "notes.txt").write_text("mine")
    for pair in ("en-de", "fr-en"):
        assert dragoman("models", "remove", pair).exit_code == 0
    assert [path.name for path in (store.root / "en-de").iterdir()] == ["notes.txt"]
    assert not (store.root / "fr-en").exists()
    assert not list((store.root / "files").iterdir())


def test_a_check_deletes_nothing(there: World, store: Store) -> None:
    dragoman("models", "get", "fr-en")
    path = store.path(there.catalogue.models[0].files[0].sha256)
    content = spoil(path)
    there.publisher.requests.clear()
    result = dragoman("models", "update", "--check", "--repair")
    assert result.exit_code == 0
    assert f"{path}: its SHA-256 is " in result.stderr
    assert "; it would be fetched anew" in result.stderr
    assert "dragoman: fr-en: 0.2 MB to fetch" in result.stderr
    assert path.read_bytes() == content
    assert not there.publisher.requests


def test_a_repair_deletes_nothing_that_it_cannot_fetch(
    there: World, store: Store, own: list[Path]
) -> None:
    dragoman("models", "get", "fr-de")
    dragoman("models", "import", *own, "--pair", "sv-en")
    english, german = (store.path(m.files[0].sha256) for m in there.catalogue.plan("fr", "de"))
    (swedish,) = (b for b in store.models if b.folder.name == "sv-en")
    mine = store.path(swedish.manifest.files["model"].sha256)
    kept = {path: spoil(path) for path in (english, german, mine)}
    result = dragoman("models", "update", "--repair", "fr-en")
    assert result.exit_code == 1
    assert str(english) not in result.stderr
    for path in (german, mine):
        assert f"{path}: its SHA-256 is " in result.stderr
        assert path.read_bytes() == kept[path]
    result = dragoman("models", "update", "--repair")
    assert result.exit_code == 1
    assert mine.read_bytes() == kept[mine]
    assert [damage.path for damage in store.verify()] == [mine]


def test_a_repair_without_a_network_keeps_what_is_there(there: World, store: Store) -> None:
    dragoman("models", "get", "fr-en")
    path = store.path(there.catalogue.models[0].files[0].sha256)
    content = spoil(path)
    there.path.write_text(
        there.path.read_text().replace(there.publisher.address, "http://127.0.0.1:9")
    )
    assert dragoman("models", "update", "--repair").exit_code == 1
    assert path.read_bytes() == content


@pytest.mark.usefixtures("there")
def test_an_update_of_what_is_not_there_is_an_error() -> None:
    dragoman("models", "get", "en-de")
    for pair, message in (
        ("xx-yy", "no published models translate 'xx-yy'"),
        ("fr-en", "not in the store: fr-en; dragoman models get fr-en fetches it"),
        ("fr-CA-en", "not in the store: fr-en"),
    ):
        result = dragoman("models", "update", pair)
        assert result.exit_code == 1
        assert message in result.stderr
    assert dragoman("models", "update", "en-de-AT").exit_code == 0


@pytest.mark.usefixtures("there")
def test_a_broken_manifest_is_damage_and_costs_no_file(store: Store) -> None:
    dragoman("models", "get", "fr-de")
    manifest = store.root / "fr-en" / "manifest.json"
    manifest.write_text("{")
    files = sorted((store.root / "files").iterdir())
    result = dragoman("models", "verify")
    assert result.exit_code == 1
    assert f"{manifest}: the manifest cannot be read: " in result.stderr
    assert dragoman("models", "update").exit_code == 0
    result = dragoman("models", "update", "--repair")
    assert result.exit_code == 1
    assert str(manifest) in result.stderr
    result = dragoman("models", "remove", "en-de")
    assert "files stay while a manifest cannot be read" in result.stderr
    assert sorted((store.root / "files").iterdir()) == files
    assert dragoman("models", "get", "fr-en").exit_code == 0
    assert dragoman("models", "verify").stdout == "1 models are whole\n"


def test_what_an_interrupted_get_brought_stays(there: World, store: Store) -> None:
    dragoman("models", "get", "en-de")
    there.publisher.fail("/lex.50.50.fren", status(404))
    for path in there.publisher.paths("/main-workspace"):
        del there.publisher.files[path]
    assert dragoman("models", "get", "fr-en").exit_code == 1
    model = store.path(there.catalogue.models[0].files[0].sha256)
    assert model.is_file()
    assert dragoman("models", "update").exit_code == 0
    assert dragoman("models", "remove", "en-de").exit_code == 0
    assert model.is_file()


def test_files_of_another_name_and_of_an_own_bundle_stay(there: World, store: Store) -> None:
    """A bundle of the user's may have its files among the store's."""
    dragoman("models", "get", "en-de")
    foreign_bundle(store.root / "own")
    path = store.root / "own" / "manifest.json"
    model = there.catalogue.models[1].files[0]
    named = {"path": model.name, "bytes": model.size, "sha256": model.sha256}
    path.write_text(json.dumps(json.loads(path.read_text()) | {"files": {"model": named}}))
    (store.root / "files" / "notes.txt").write_text("mine")
    assert dragoman("models", "remove", "en-de").exit_code == 0
    assert dragoman("models", "update").exit_code == 0
    names = {path.name for path in (store.root / "files").iterdir()}
    assert {model.sha256, "notes.txt"} <= names


def test_an_import_says_where_its_pair_is_cut(store: Store, own: list[Path], there: World) -> None:
    assert dragoman("models", "import", *own, "--pair", "zh-Hans-en").exit_code == 0
    (bundle,) = store.models
    assert (bundle.manifest.source, bundle.manifest.target) == ("zh-Hans", "en")
    result = dragoman("models", "import", *own, "--pair", "fr")
    assert result.exit_code == 1
    assert "'fr' is no direction such as fr-en" in result.stderr
    assert not there.publisher.requests


def test_damage_that_goes_with_an_older_model_is_mended(there: World, store: Store) -> None:
    """The catalogue has a newer one: the damaged file is needed no more."""
    dragoman("models", "get", "fr-en")
    path = store.path(there.catalogue.models[0].files[0].sha256)
    spoil(path)
    there.entries[0] = publish(there.publisher, ("fr", "en"), make_model(seed=8))
    there.path.write_text(catalogue_text(there.entries))
    result = dragoman("models", "update", "--repair")
    assert result.exit_code == 0, result.stderr
    assert not path.exists()
    assert not list(store.verify())


@pytest.mark.usefixtures("there")
def test_the_mark_is_carried(
    store: Store, own: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dragoman("models", "import", *own, "--pair", "fr-en")
    (made,) = store.models
    target = tmp_path / "carried"
    for path in (made.folder / "manifest.json", *(store.root / "files").iterdir()):
        goal = target / path.relative_to(store.root)
        goal.parent.mkdir(parents=True, exist_ok=True)
        goal.write_bytes(path.read_bytes())
    monkeypatch.setenv("DRAGOMAN_STORE", str(tmp_path / "other"))
    assert dragoman("models", "import", target).exit_code == 0
    (carried,) = Store(tmp_path / "other").models
    assert carried.manifest.data == made.manifest.data


@pytest.mark.usefixtures("there")
def test_an_imported_model_is_not_fetched_over(store: Store, own: list[Path]) -> None:
    dragoman("models", "import", *own, "--pair", "fr-en")
    before = sorted(path.read_bytes() for path in store.root.rglob("*") if path.is_file())
    result = dragoman("models", "get", "fr-en")
    assert result.exit_code == 1
    assert "fr-en was imported, and stays as it is" in result.stderr
    after = sorted(path.read_bytes() for path in store.root.rglob("*") if path.is_file())
    assert after == before


@pytest.mark.usefixtures("there")
def test_the_store_is_no_mirror_of_a_part_of_itself(store: Store) -> None:
    dragoman("models", "get", "fr-en", "en-de")
    before = sorted(store.root.rglob("*"))
    result = dragoman("models", "mirror", store.root, "fr-en")
    assert result.exit_code == 1
    assert "is the store: name another folder for the mirror" in result.stderr
    assert sorted(store.root.rglob("*")) == before
