"""`dragoman models` and `translate --fetch` as they are typed, against a publisher on loopback."""

from __future__ import annotations

import errno
import io
import json
import os
import random
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner, Result

from dragoman.catalogue.models import total_download
from dragoman.cli import app as cli
from dragoman.store.store import Store
from tests.support.published import make_model
from tests.support.publisher import World, world

COMMAND = [sys.executable, "-m", "dragoman"]
KILLS = int(os.environ.get("DRAGOMAN_KILLS", "6"))


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    with world(tmp_path) as made:
        monkeypatch.setenv("DRAGOMAN_STORE", str(tmp_path / "store"))
        monkeypatch.setenv("DRAGOMAN_CATALOGUE", str(made.path))
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setenv("LANG", "de_DE.UTF-8")
        monkeypatch.delenv("LC_ALL", raising=False)
        monkeypatch.delenv("DRAGOMAN_SOURCE", raising=False)
        yield made


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def dragoman(*words: Any, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(cli.app, [str(word) for word in words], input=stdin)


@pytest.fixture
def nothing(tmp_path: Path) -> Path:
    """A folder without models: those of the repository are not to be found."""
    folder = tmp_path / "nothing"
    folder.mkdir()
    return folder


def test_a_pivot_from_an_empty_store(there: World, store: Store, nothing: Path) -> None:
    """As a user types it: nothing is there, two models are fetched, the text is translated."""
    words = ["translate", "--from", "fr", "--to", "de", "--models", nothing, "--threads", 1]
    result = dragoman(*words, stdin=b"bade figo.")
    assert result.exit_code == 1
    assert not there.publisher.requests
    result = dragoman(*words, "--fetch", stdin=b"bade figo.")
    assert result.exit_code == 0, result.stderr
    assert result.stdout
    assert "dragoman: fr-en, en-de: " in result.stderr
    assert "translating fr to en, then en to de" in result.stderr
    before = len(there.publisher.requests)
    again = dragoman(*words[:-4], "--models", store.root, "--threads", 1, stdin=b"bade figo.")
    assert again.stdout == result.stdout
    assert len(there.publisher.requests) == before


def test_without_the_model_it_says_what_to_type(there: World) -> None:
    result = dragoman("translate", "--from", "fr-CA", "--to", "es", stdin=b"bade.")
    assert result.exit_code == 1
    assert "dragoman models get fr-es fetches it (over English: fr-en, en-es): 0." in result.stderr
    assert result.stderr.rstrip().endswith("MB; or say --fetch")
    assert not there.publisher.requests


def test_nothing_but_get_and_fetch_makes_a_request(there: World) -> None:
    for words in (
        ["models"], ["models", "list", "--licences"], ["models", "available"],
        ["models", "available", "fr-de", "--json"], ["models", "verify"],
        ["models", "update"], ["models", "update", "--check"],
    ):  # fmt: skip
        assert dragoman(*words).exit_code == 0, words
    assert not there.publisher.requests
    dragoman("models", "get", "fr-en")
    there.publisher.requests.clear()
    dragoman("translate", "--from", "fr", "--to", "en", stdin=b"bade.")
    dragoman("models", "verify")
    assert not there.publisher.requests


def test_available_is_a_line_a_direction(there: World) -> None:
    rows = [
        json.loads(line) for line in dragoman("models", "available", "--json").stdout.splitlines()
    ]
    assert [(row["pair"], row["names"], row["here"]) for row in rows] == [
        ("fr-en", ["Französisch", "Englisch"], False),
        ("en-de", ["Englisch", "Deutsch"], False),
        ("en-es", ["Englisch", "Spanisch"], False),
    ]
    assert rows[0]["download"] == there.catalogue.models[0].download
    dragoman("models", "get", "fr-en", "-q")
    assert "Französisch to Englisch  here" in dragoman("models", "available").stdout


@pytest.mark.usefixtures("there")
def test_get_says_the_sum_of_both_legs_first(store: Store) -> None:
    result = dragoman("models", "get", "fr-de")
    assert result.exit_code == 0, result.stderr
    first, last = result.stderr.splitlines()
    assert first.startswith("dragoman: fr-de: fr-en, en-de: 0.5 MB to fetch, ")
    assert last == f"dragoman: 0.5 MB fetched into {store.root}"
    assert dragoman("models", "get", "fr-de").stderr.startswith(
        "dragoman: fr-de: fr-en, en-de: all files are there"
    )
    result = dragoman("models", "get", "fr-xx")
    assert result.exit_code == 1
    assert "no published models translate 'fr-xx'" in result.stderr


def test_licences_name_publisher_licence_and_files(there: World) -> None:
    dragoman("models", "get", "fr-en")
    lines = dragoman("models", "list", "--licences").stdout.splitlines()
    assert lines[0].startswith("fr-en: Firefox Translations, Testers and contributors, MPL-2.0, ")
    model = there.catalogue.models[0].files[0]
    assert f"  {model.name}  {model.sha256}" in lines


def test_verify_and_repair(there: World, store: Store) -> None:
    dragoman("models", "get", "fr-en")
    path = store.path(there.catalogue.models[0].files[0].sha256)
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    result = dragoman("models", "verify")
    assert result.exit_code == 1
    assert "its SHA-256 is" in result.stderr
    result = dragoman("translate", "--from", "fr", "--to", "en", stdin=b"bade.")
    assert "has the SHA-256" in result.stderr
    assert dragoman("models", "update", "--repair").exit_code == 0
    assert dragoman("models", "verify").stdout == "1 models are whole\n"
    assert dragoman("models", "remove", "fr-en").exit_code == 0
    assert not store.models


# --- carried -------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["carried.tar", "carried"])
def test_exported_and_imported(
    there: World, tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    dragoman("models", "get", "fr-de")
    result = dragoman("models", "export", tmp_path / form, "fr-de")
    assert result.exit_code == 0, result.stderr
    monkeypatch.setenv("DRAGOMAN_STORE", str(tmp_path / "other"))
    there.publisher.requests.clear()
    result = dragoman("models", "import", tmp_path / form)
    assert result.exit_code == 0, result.stderr
    other = Store(tmp_path / "other")
    assert [bundle.folder.name for bundle in other.models] == ["en-de", "fr-en"]
    assert not list(other.verify())
    before, after = (Store(tmp_path / name).models for name in ("store", "other"))
    assert [b.manifest.data for b in before] == [b.manifest.data for b in after]
    assert not there.publisher.requests


def test_published_files_are_known_by_their_hashes(there: World, tmp_path: Path) -> None:
    folder = tmp_path / "loose"
    folder.mkdir()
    for path, served in there.publisher.files.items():
        if "/fr-en/" in path and "lex" not in path:
            (folder / path.rpartition("/")[2]).write_bytes(served.content)
    result = dragoman("models", "import", *folder.iterdir())
    assert result.exit_code == 0, result.stderr
    (bundle,) = Store(tmp_path / "store").models
    assert bundle.manifest.name == "fr-en-tiny"
    assert sorted(bundle.manifest.files) == ["model", "vocabulary"]


@pytest.mark.usefixtures("there")
def test_files_that_nobody_knows_need_their_direction(tmp_path: Path) -> None:
    made = make_model(source_pieces=360, seed=9)
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "model.own.bin").write_bytes(made.model)
    (folder / "srcvocab.own.spm").write_bytes(made.vocabulary)
    (folder / "trgvocab.own.spm").write_bytes(made.target_vocabulary or b"")
    result = dragoman("models", "import", folder)
    assert result.exit_code == 1
    assert "the catalogue knows no model of these files" in result.stderr
    result = dragoman("models", "import", folder, "--pair", "tlh-en")
    assert result.exit_code == 0, result.stderr
    result = dragoman("translate", "--from", "tlh", "--to", "en", stdin=b"bade figo.")
    assert result.exit_code == 0, result.stderr


def archive(path: Path, members: dict[str, bytes], links: dict[str, str] | None = None) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
        for name, target in (links or {}).items():
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.SYMTYPE, target
            tar.addfile(info)
    return path


def members(**settings: Any) -> dict[str, bytes]:
    made = make_model(seed=11)
    named = {"models": ["model.bin"], "vocabs": ["vocab.spm", "vocab.spm"]} | settings
    return {
        "fren/config.intgemm8bitalpha.yml": yaml.safe_dump(named).encode(),
        "fren/model_info.json": json.dumps({"shortName": "fr-en-tiny"}).encode(),
        "fren/model.bin": made.model,
        "fren/vocab.spm": made.vocabulary,
    }


@pytest.mark.usefixtures("there")
def test_an_archive_of_translate_locally(tmp_path: Path) -> None:
    result = dragoman("models", "import", archive(tmp_path / "a.tar.gz", members()))
    assert result.exit_code == 0, result.stderr
    result = dragoman("translate", "--from", "fr", "--to", "en", stdin=b"bade figo.")
    assert result.exit_code == 0, result.stderr


@pytest.mark.parametrize(
    ("names", "links", "settings", "message"),
    [
        ({"../../evil": b"x"}, {}, {}, "cannot be unpacked"),
        ({"/etc/evil": b"x"}, {}, {}, None),  # taken as a relative name, and not looked at
        ({}, {"fren/link": "/etc/passwd"}, {}, "holds a link or a device"),
        ({}, {}, {"models": ["../../../etc/passwd"]}, "which is not in the archive"),
        ({}, {}, {"models": []}, "does not name a model"),
        ({}, {}, {"vocabs": ["none.spm", "none.spm"]}, "which is not in the archive"),
        ({"fren/model_info.json": b'{"shortName": "../../x-en"}'}, {}, {}, "does not say its"),
        ({"fren/model_info.json": b'{"srcTags": {"../x": 1}, "trgTag": "en"}'}, {}, {},
         "is no direction"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("there")
def test_hostile_archives_are_refused(
    tmp_path: Path,
    names: dict[str, bytes],
    links: dict[str, str],
    settings: dict[str, Any],
    message: str | None,
) -> None:
    path = archive(tmp_path / "a.tar.gz", members(**settings) | names, links)
    result = dragoman("models", "import", path)
    if message is None:
        assert result.exit_code == 0
    else:
        assert result.exit_code == 1
        assert message in result.stderr
        assert not Store(tmp_path / "store").models
    assert not Path("/etc/evil").exists()
    assert {p.name for p in tmp_path.iterdir()} <= {"a.tar.gz", "store", "catalogue.json"}


@pytest.mark.usefixtures("there")
def test_a_damaged_archive(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.tar.gz", members())
    path.write_bytes(path.read_bytes()[:50_000])
    result = dragoman("models", "import", path)
    assert result.exit_code == 1
    assert "cannot be unpacked" in result.stderr
    assert "there is no" in dragoman("models", "import", tmp_path / "none").stderr


# --- what is asked for --------------------------------------------------------------------------


@pytest.mark.usefixtures("there")
def test_a_key_is_not_left_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    result = dragoman("models", "verify", "--trusted-key", "none.pub")
    assert result.exit_code == 2
    assert "--trusted-key is for bundles that are named" in result.stderr
    monkeypatch.setenv("DRAGOMAN_TRUSTED_KEYS", "none.pub")  # of all commands: not asked for here
    assert dragoman("models", "verify").stdout == "0 models are whole\n"


@pytest.mark.usefixtures("there")
def test_names_in_a_language_that_is_named() -> None:
    result = dragoman("models", "available", "fr-en", "--language", "Spanish")
    assert "francés to inglés" in result.stdout
    result = dragoman("models", "available", "--language", "???")
    assert result.exit_code == 2
    assert "there is no language '???'" in result.stderr


def test_a_source_that_is_no_address(there: World) -> None:
    result = dragoman("models", "get", "fr-en", "--source", "mirror.example.org/models")
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1] == (
        "dragoman: the source 'mirror.example.org/models' is no address such as "
        "https://example.org/models; a folder is taken in by dragoman models import"
    )
    assert not there.publisher.requests


@pytest.mark.parametrize("name", ["models.tar.gz", "models.tgz", "models.ZIP"])
@pytest.mark.usefixtures("there")
def test_an_archive_that_is_not_written(tmp_path: Path, name: str) -> None:
    assert dragoman("models", "get", "fr-en", "-q").exit_code == 0
    result = dragoman("models", "export", tmp_path / name)
    assert result.exit_code == 1
    assert "are written to a folder, or to a file that ends in .tar" in result.stderr
    assert not (tmp_path / name).exists()


@pytest.mark.usefixtures("there")
def test_an_export_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    assert dragoman("models", "get", "fr-en", "-q").exit_code == 0
    monkeypatch.setattr(tarfile.TarFile, "add", full)
    result = dragoman("models", "export", tmp_path / "models.tar")
    assert (result.exit_code, result.stderr) == (1, "dragoman: No space left on device\n")
    assert {path.name for path in tmp_path.iterdir()} == {"catalogue.json", "store"}


# --- killed --------------------------------------------------------------------------------------


def begun(store: Store, there: World) -> dict[str, int]:
    """By the path of its source: how much of each file has come."""
    paths = {
        file.sha256: file.sources[0].url.removeprefix(there.publisher.address)
        for model in there.catalogue.models
        for file in model.files
    }
    parts = (store.root / "partial").glob("*.part")
    return {paths[part.name.partition("-")[0]]: part.stat().st_size for part in parts}


def kill_after(there: World, count: int) -> None:
    """Fetch all, and kill -9 when the publisher has sent so many bytes."""
    reached, go_on = threading.Event(), threading.Event()

    def hold(sent: int) -> None:
        if sent >= count:
            reached.set()
            go_on.wait(60)

    there.publisher.on_block = hold
    process = subprocess.Popen([*COMMAND, "models", "get", "fr-de", "fr-es", "-q"])

    def wait() -> None:
        process.wait()
        reached.set()

    ended = threading.Thread(target=wait)
    ended.start()
    assert reached.wait(120)
    process.kill()
    ended.join()
    there.publisher.on_block = lambda _: None
    go_on.set()


def test_killed_at_random_moments(there: World, store: Store) -> None:
    """Whatever the moment: nothing wrong in the store, and what has come is not fetched again."""
    publisher, choose = there.publisher, random.Random(20)
    total = total_download(there.catalogue.models)
    came: dict[str, int] = {}
    for kill in range(KILLS):
        seen = len(publisher.requests)
        left = total * (kill + 1) // (KILLS + 1) - publisher.sent
        kill_after(there, publisher.sent + choose.randrange(1, max(2, left)))
        assert not list(store.verify())
        for request in publisher.requests[seen:]:
            expected = came.pop(request.path, 0)
            assert (request.start or 0) == expected, request
        came |= {path: size for path, size in begun(store, there).items() if size}
    seen = len(publisher.requests)
    result = dragoman("models", "get", "fr-de", "fr-es")
    assert result.exit_code == 0, result.stderr
    assert len(store.models) == 3
    assert not list(store.verify())
    for request in publisher.requests[seen:]:
        assert (request.start or 0) == came.pop(request.path, 0), request
