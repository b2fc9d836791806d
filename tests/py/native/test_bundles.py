"""Bundles on a disk: found, chosen, checked and opened."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from dragoman.errors import (
    BundleCorruptError,
    BundleError,
    BundleMismatchError,
    BundleMissingFileError,
    InvalidRequestError,
    LanguagePairError,
)
from dragoman.native.bundles import (
    BrokenBundle,
    BundleSource,
    FoundBundle,
    checked_file,
    choose_bundle,
    find_bundles,
    load_parts,
    open_bundle,
    read_manifest,
    search_path,
    store_folder,
)
from tests.support.hosts import TINY_SIZE, MakeBundle


def test_find_bundles_in_folders_and_as_folders(make_bundle: MakeBundle) -> None:
    one = make_bundle("de-en")
    two = make_bundle("en-de", source="en", target="de")
    (one.parent / "not-a-bundle").mkdir()
    bundles = find_bundles([one.parent])
    assert [bundle.folder for bundle in bundles] == [one, two]
    assert all(isinstance(bundle, FoundBundle) for bundle in bundles)
    assert [bundle.folder for bundle in find_bundles([two])] == [two]


def test_find_bundles_names_what_is_broken(make_bundle: MakeBundle) -> None:
    folder = make_bundle()
    (folder / "manifest.json").write_text('{"format": 7}')
    (broken,) = find_bundles([folder])
    assert isinstance(broken, BrokenBundle)
    assert broken.error.message == (
        f"{folder}/manifest.json: the bundle has format 7; this version reads 1"
    )


def test_find_bundles_refuses_a_named_folder_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(BundleMissingFileError, match="there is no folder"):
        find_bundles([tmp_path / "nowhere"])


def test_search_path_begins_with_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    monkeypatch.setenv("DRAGOMAN_MODELS", os.pathsep.join([str(two), "", "/nowhere", str(one)]))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    (tmp_path / "dragoman" / "models").mkdir(parents=True)
    assert search_path()[:2] == (two, one)
    # What the user fetched goes before what is built in.
    assert search_path()[2] == tmp_path / "dragoman" / "models"
    monkeypatch.setenv("DRAGOMAN_STORE", str(one))
    assert search_path()[:2] == (two, one)
    assert tmp_path / "dragoman" / "models" not in search_path()


def test_a_home_that_is_not_there_is_a_typed_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAGOMAN_STORE", "~nobody-of-this-name/models")
    with pytest.raises(BundleError, match=r"\$DRAGOMAN_STORE names ~nobody-of-this-name/models: "):
        store_folder()
    monkeypatch.delenv("DRAGOMAN_STORE")
    monkeypatch.setenv("DRAGOMAN_MODELS", "~nobody-of-this-name")
    with pytest.raises(BundleError, match=r"\$DRAGOMAN_MODELS names ~nobody-of-this-name: "):
        search_path()


def test_a_folder_that_cannot_be_looked_at_is_none(
    make_bundle: MakeBundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Up to Python 3.13 `is_file` and `is_dir` raise what they cannot tell: one such folder hid all
    others."""
    good, long = make_bundle(), "a" * 5_000
    monkeypatch.setenv("DRAGOMAN_MODELS", os.pathsep.join([long, str(good)]))
    assert search_path()[0] == good
    with pytest.raises(BundleMissingFileError, match="there is no folder"):
        find_bundles([Path(long)])
    closed = good.parent / "closed"
    closed.mkdir()
    is_file = Path.is_file

    def looked_at(path: Path) -> bool:
        if closed in path.parents:
            raise PermissionError(13, "Permission denied")
        return is_file(path)

    monkeypatch.setattr(Path, "is_file", looked_at)
    assert [bundle.folder for bundle in find_bundles([good.parent])] == [good]


def test_choose_bundle_takes_the_first_of_the_pair(make_bundle: MakeBundle) -> None:
    first, second = make_bundle("a"), make_bundle("b")
    assert choose_bundle("de", "en", [second, first]) == second
    assert choose_bundle("de", "en", [first.parent]) == first


def test_choose_bundle_says_what_there_is(make_bundle: MakeBundle) -> None:
    folder = make_bundle()
    with pytest.raises(LanguagePairError) as caught:
        choose_bundle("fr", "en", [folder])
    assert caught.value.message == "there is no model from 'fr' to 'en'; available: de-en"
    assert caught.value.details == {"source": "fr", "target": "en"}


def test_choose_bundle_tells_of_the_broken_one_that_was_meant(make_bundle: MakeBundle) -> None:
    broken = make_bundle("de-en")
    other = make_bundle("en-de", source="en", target="de")
    (broken / "manifest.json").write_text("{")
    with pytest.raises(BundleError, match="the manifest cannot be read"):
        choose_bundle("de", "en", [broken.parent])
    with pytest.raises(LanguagePairError):
        choose_bundle("fr", "en", [broken.parent])
    assert choose_bundle("en", "de", [broken.parent]) == other


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "cannot be read"),
        (b"null", "cannot be read"),
        (b"[]", "cannot be read"),
        (b"\xff\xfe{}", "is not UTF-8"),
        (b'{"format": 1}', "cannot be read: KeyError"),
        (b"[" * 100_000, "cannot be read"),
    ],
)
def test_a_broken_manifest_is_a_typed_error(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(BundleError, match=message):
        read_manifest(tmp_path)


def test_a_manifest_with_an_endless_number_is_a_typed_error(make_bundle: MakeBundle) -> None:
    limits = {"source_pieces": float("inf"), "target_factor": 2.0, "target_extra": 12}
    folder = make_bundle(limits=limits)
    with pytest.raises(BundleError, match="cannot be read"):
        read_manifest(folder)


def test_open_bundle_gives_what_was_checked(make_bundle: MakeBundle) -> None:
    bundle = open_bundle(make_bundle(graph=b"abc"))
    assert (bundle.manifest.source, bundle.manifest.target) == ("de", "en")
    assert bundle.graph == b"abc"
    assert len(bundle.vocabulary) == bundle.manifest.file("vocabulary").bytes
    assert bundle.names is None


@pytest.mark.parametrize("name", ["manifest.json", "model.onnx", "vocabulary.spm"])
def test_a_missing_file_is_named(make_bundle: MakeBundle, name: str) -> None:
    folder = make_bundle()
    (folder / name).unlink()
    with pytest.raises(BundleMissingFileError, match=f"{name} is missing") as caught:
        open_bundle(folder)
    assert caught.value.details == {"path": str(folder / name)}


def test_a_folder_in_place_of_a_file_is_a_typed_error(make_bundle: MakeBundle) -> None:
    folder = make_bundle()
    (folder / "model.onnx").unlink()
    (folder / "model.onnx").mkdir()
    with pytest.raises(BundleError, match=r"model\.onnx is not a regular file"):
        open_bundle(folder)


def test_a_truncated_file_is_a_typed_error(make_bundle: MakeBundle) -> None:
    folder = make_bundle(graph=b"0123456789")
    (folder / "model.onnx").write_bytes(b"01234")
    with pytest.raises(BundleCorruptError) as caught:
        open_bundle(folder)
    assert caught.value.message == "model.onnx has 5 bytes, the manifest says 10"


def test_a_changed_file_is_a_typed_error(make_bundle: MakeBundle) -> None:
    folder = make_bundle(graph=b"0123456789")
    (folder / "model.onnx").write_bytes(b"012345678x")
    with pytest.raises(BundleCorruptError, match=r"model\.onnx has the SHA-256"):
        open_bundle(folder)


def test_a_graph_that_is_none_is_a_typed_error(make_bundle: MakeBundle) -> None:
    with pytest.raises(BundleCorruptError, match="the model graph is not an ONNX model"):
        load_parts(make_bundle())


def test_a_vocabulary_that_is_none_is_a_typed_error(make_bundle: MakeBundle) -> None:
    with pytest.raises(BundleCorruptError, match="the vocabulary is not a SentencePiece model"):
        load_parts(make_bundle(vocabulary=b"no vocabulary"))


def test_a_vocabulary_of_another_size_is_a_typed_error(make_bundle: MakeBundle) -> None:
    folder = make_bundle(architecture={"vocabulary_size": 8000, "dimension": 256})
    with pytest.raises(BundleMismatchError) as caught:
        load_parts(folder)
    assert caught.value.message == "the vocabulary has 480 pieces, the model 8,000"
    assert caught.value.details == {"vocabulary": TINY_SIZE, "model": 8000}


def test_a_pipe_is_no_file_of_a_bundle(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "manifest.json")
    with pytest.raises(BundleError, match="is not a regular file"):
        read_manifest(tmp_path)


def test_a_file_is_read_no_further_than_the_manifest_says(make_bundle: MakeBundle) -> None:
    folder = make_bundle()
    manifest = read_manifest(folder)
    path = folder / manifest.file("graph").path
    with path.open("ab") as stream:
        stream.truncate(1 << 33)  # without blocks on the disk
    with pytest.raises(BundleCorruptError, match="the manifest says"):
        checked_file(folder, manifest, "graph")


@pytest.mark.parametrize(
    ("threads", "said"),
    [
        (-1, "threads is -1, not from 0 (the engine chooses) to 1,024"),
        (1_025, "threads is 1,025, not from 0 (the engine chooses) to 1,024"),
        (2.5, "threads is of type float, not a whole number"),
    ],
)
def test_a_number_of_threads_that_no_engine_has(threads: Any, said: str) -> None:
    with pytest.raises(InvalidRequestError) as raised:
        BundleSource(threads=threads)
    assert raised.value.message == said
