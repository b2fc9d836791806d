"""Fetching and keeping published models, whatever the network does."""

from __future__ import annotations

import errno
import hashlib
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dragoman.catalogue.models import total_download
from dragoman.errors import (
    FetchCorruptError,
    FetchNetworkError,
    FetchStatusError,
    NoRoomError,
    StoreError,
)
from dragoman.native.bundles import load_parts
from dragoman.native.translator import Translator
from dragoman.store import fetch
from dragoman.store.get import Getter
from dragoman.store.plan import Silent, plan
from dragoman.store.store import Store, attribution, digest
from dragoman.store.unpack import unpack
from tests.support.published import make_model
from tests.support.publisher import (
    World,
    changed,
    cut,
    instead,
    longer,
    publish,
    redirect,
    status,
    world,
)


@pytest.fixture
def there(tmp_path: Path) -> Iterator[World]:
    with world(tmp_path) as made:
        yield made


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


class Heard(Silent):
    def __init__(self) -> None:
        self.total = 0
        self.figures: list[int] = []
        self.waited = threading.Event()

    def waits(self) -> None:
        self.waited.set()

    def begins(self, total: int) -> None:
        self.total = total

    def at(self, done: int, file: str) -> None:  # noqa: ARG002
        self.figures.append(done)


def get(
    there: World, store: Store, *pairs: str, heard: Heard | None = None, **options: Any
) -> list[float]:
    """Fetch, and return the pauses that were made."""
    pauses: list[float] = []
    catalogue = there.catalogue
    models = [m for pair in pairs for m in catalogue.plan(*catalogue.pair(pair))]
    getter = Getter(store, catalogue, sleep=pauses.append, **options)
    getter.get(models, heard or Silent())
    return pauses


def whole(store: Store) -> bool:
    """Every file has the hash that is its name, and every model its files."""
    return not list(store.verify())


def test_both_legs_are_fetched_and_translate(there: World, store: Store) -> None:
    heard = Heard()
    get(there, store, "fr-de", heard=heard)
    assert sorted(b.folder.name for b in store.models) == ["en-de", "fr-en"]
    assert whole(store)
    assert heard.total == total_download(there.catalogue.plan("fr", "de"))
    assert heard.figures == sorted(heard.figures)
    assert heard.figures[-1] == heard.total
    assert not list((store.root / "partial").iterdir())
    with Translator.load("fr", "de", [store.root], threads=1) as translator:
        assert [str(leg) for leg in translator.legs] == ["fr-en", "en-de"]
        assert translator.translate("bade figo kula.").text
    with Translator(load_parts(store.root / "fr-en", threads=1)) as translator:
        assert translator.manifest.data["licence"] == "MPL-2.0"
        assert attribution(translator.manifest) == (
            "Firefox Translations, Testers and contributors, MPL-2.0, https://example.org/models"
        )


def test_what_is_there_is_not_fetched_again(there: World, store: Store) -> None:
    get(there, store, "fr-en")
    before = len(there.publisher.requests)
    get(there, store, "fr-en")
    assert len(there.publisher.requests) == before


def test_shared_files_are_kept_once_and_go_with_the_last_model(there: World, store: Store) -> None:
    """The vocabulary is that of all three models."""
    get(there, store, "fr-en", "en-de", "en-es")
    assert len(list((store.root / "files").iterdir())) == 3 * 2 + 1
    assert sum("vocab" in r.path for r in there.publisher.requests) == 1
    store.remove("fr-en")
    assert len(list((store.root / "files").iterdir())) == 2 * 2 + 1
    assert whole(store)
    with Translator(load_parts(store.root / "en-de", threads=1)) as translator:
        assert translator.translate("bade").text
    with pytest.raises(StoreError, match="no model fr-en in the store; there are: en-de, en-es"):
        store.remove("fr-en")


# --- what goes wrong -----------------------------------------------------------------------------


def test_a_broken_connection_goes_on_where_it_was(there: World, store: Store) -> None:
    there.publisher.fail("model.fren", cut(30_000), cut(40_000))
    heard = Heard()
    pauses = get(there, store, "fr-en", heard=heard)
    assert [r.start for r in there.publisher.resumed()] == [30_000, 70_000]
    assert pauses == [0.5, 0.5]  # each brought something
    assert heard.figures == sorted(heard.figures)
    assert whole(store)


def test_without_ranges_it_begins_again(there: World, store: Store) -> None:
    there.publisher.ranges = False
    there.publisher.fail("model.fren", cut(30_000))
    get(there, store, "fr-en")
    assert whole(store)


def test_without_a_validator_nothing_is_put_together(there: World, store: Store) -> None:
    there.publisher.tags = False
    there.publisher.fail("model.fren", cut(30_000))
    get(there, store, "fr-en")
    assert not there.publisher.resumed()
    assert whole(store)


def test_a_file_that_changes_between_two_requests(there: World, store: Store) -> None:
    """Its first half is of another file: the next source has the right one."""
    (path,) = there.publisher.paths("model.fren")
    other = bytes(there.publisher.files[path].content[::-1])
    there.publisher.fail("model.fren", changed(there.publisher, path, other, 30_000))
    get(there, store, "fr-en")
    assert whole(store)


def test_a_server_that_lies_about_its_tag(there: World, store: Store) -> None:
    """The rest of another file under the same tag: found by its hash, and fetched from zero."""
    (path,) = there.publisher.paths("model.fren")
    served = there.publisher.files[path]
    wrong = served.content[:30_000] + bytes(len(served.content) - 30_000)
    there.publisher.fail("model.fren", cut(30_000), instead(wrong))
    get(there, store, "fr-en")
    starts = [r.start for r in there.publisher.requests if r.path == path]
    assert starts == [None, None, 30_000, 30_000, None] or starts.count(None) >= 2
    assert whole(store)


@pytest.mark.parametrize(
    "fault",
    [instead(b"<html>Please sign in</html>"), instead(b"\x1f\x8bnothing"), status(404),
     status(403), instead(b"")],
)  # fmt: skip
def test_the_next_source_is_taken(there: World, store: Store, fault: Any) -> None:
    there.publisher.fail("/model.fren", *[fault] * 6)
    get(there, store, "fr-en")
    assert any(r.path.startswith("/main-workspace") for r in there.publisher.requests)
    assert whole(store)


def test_a_server_that_says_more_comes_than_does(there: World, store: Store) -> None:
    """Asked for the rest it says that there is none: the file is whole, as its hash says."""
    there.publisher.fail("/model.fren", longer(9))
    get(there, store, "fr-en")
    assert [request.bytes for request in there.publisher.resumed()] == [0]
    assert whole(store)


def test_a_server_that_is_busy_is_asked_again_later(there: World, store: Store) -> None:
    there.publisher.fail("/model.fren", status(503), status(429, Retry_After="7"), status(500))
    assert get(there, store, "fr-en") == [0.5, 7.0, 2.0]
    assert whole(store)


def test_a_server_that_stays_busy(there: World, store: Store) -> None:
    for part in ("/model.fren", "/main-workspace"):
        there.publisher.fail(part, *[status(503)] * 5)
    with pytest.raises(FetchStatusError, match="answers 503") as caught:
        get(there, store, "fr-en")
    assert caught.value.details["status"] == 503
    assert not store.models


def test_redirects_are_followed_but_not_in_circles(there: World, store: Store) -> None:
    (path,) = there.publisher.paths("/model.fren")
    there.publisher.files["/moved.gz"] = there.publisher.files[path]
    there.publisher.fail("/model.fren", redirect("/moved.gz"))
    there.publisher.fail("/vocab.fren", *[redirect(there.publisher.paths("/vocab.fren")[0])] * 30)
    get(there, store, "fr-en")
    assert "/moved.gz" in [r.path for r in there.publisher.requests]
    assert whole(store)


def test_no_network(there: World, store: Store) -> None:
    there.path.write_text(
        there.path.read_text().replace(there.publisher.address, "http://127.0.0.1:9")
    )
    with pytest.raises(FetchNetworkError, match=r"no connection to 127\.0\.0\.1"):
        get(there, store, "fr-en")


def test_what_came_before_an_error_is_kept(there: World, store: Store) -> None:
    there.publisher.fail("/lex.50.50.fren", status(404))
    for path in there.publisher.paths("/main-workspace"):
        del there.publisher.files[path]
    with pytest.raises(FetchStatusError, match=r"lex\.50\.50\.fren\.s2t\.bin could not be fetched"):
        get(there, store, "fr-en")
    assert len(list((store.root / "files").iterdir())) == 1
    before = len(there.publisher.requests)
    get(there, store, "fr-en")
    assert not any("model.fren" in r.path for r in there.publisher.requests[before:])
    assert whole(store)


def test_wrong_bytes_from_everywhere(there: World, store: Store) -> None:
    for part in ("/model.fren", "/main-workspace"):
        for path in there.publisher.paths(part):
            there.publisher.put(path, make_model(seed=9).model)
    with pytest.raises(FetchCorruptError, match="is not the published file"):
        get(there, store, "fr-en")
    assert not (store.root / "files").exists()
    assert not store.models


def test_bytes_without_end(there: World, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "SLACK", 1000)
    for part in ("/model.fren", "/main-workspace"):
        for path in there.publisher.paths(part):
            there.publisher.put(path, bytes(900_000))
    with pytest.raises(FetchCorruptError, match="more than"):
        get(there, store, "fr-en")


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    import gzip

    packed = tmp_path / "bomb.gz"
    packed.write_bytes(gzip.compress(bytes(50_000_000)))
    with pytest.raises(FetchCorruptError, match="more than 1,000 bytes"):
        unpack(packed, tmp_path / "out", 1000, "bomb")
    assert not (tmp_path / "out").exists()


def test_no_room_is_said_before_anything_is_fetched(there: World, store: Store) -> None:
    needed = plan(there.catalogue.plan("fr", "en"), store).room + 10_000_000
    with pytest.raises(NoRoomError) as caught:
        get(there, store, "fr-en", free=lambda _: needed - 1)
    assert caught.value.details["requested"] == needed
    assert caught.value.details["allowed"] == needed - 1
    assert not there.publisher.requests
    get(there, store, "fr-en", free=lambda _: needed)


def test_a_disk_that_fills_up_meanwhile(
    there: World, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(fetch, "unpack", full)
        with pytest.raises(NoRoomError):
            get(there, store, "fr-en")
    get(there, store, "fr-en")
    assert all(request.start is None or request.start > 0 for request in there.publisher.requests)
    assert whole(store)


def test_one_fetches_while_the_other_waits(there: World, store: Store) -> None:
    """The second finds everything there."""
    begun, go_on = threading.Event(), threading.Event()

    def hold(_: int) -> None:
        begun.set()
        assert go_on.wait(60)

    there.publisher.on_block = hold
    failures: list[BaseException] = []

    def run(heard: Heard) -> None:
        try:
            get(there, store, "fr-en", heard=heard)
        except BaseException as error:
            failures.append(error)

    first, second = Heard(), Heard()
    threads = [threading.Thread(target=run, args=(heard,)) for heard in (first, second)]
    threads[0].start()
    assert begun.wait(60)
    threads[1].start()
    assert second.waited.wait(60)
    go_on.set()
    for thread in threads:
        thread.join(60)
    assert not failures
    assert second.total == 0
    assert len(there.publisher.requests) == 3
    assert whole(store)


def test_a_mirror_is_asked_in_place_of_the_publisher(
    there: World, store: Store, tmp_path: Path
) -> None:
    """In the layout of an export, and in the publisher's own; nobody else is asked."""
    entries = there.catalogue.plan("fr", "en")[0].files
    for file in entries:
        path = next(p for p in there.publisher.paths(file.name))
        there.publisher.files[f"/mirror/own{path.removeprefix('/bucket')}"] = there.publisher.files[
            path
        ]
    get(there, store, "fr-en", mirror=f"{there.publisher.address}/mirror/own")
    assert all(r.path.startswith("/mirror/own") for r in there.publisher.requests)
    assert whole(store)
    there.publisher.requests.clear()
    for file in entries:
        there.publisher.put(f"/mirror/files/{file.sha256}", store.path(file.sha256).read_bytes())
    other = Store(tmp_path / "other")
    get(there, other, "fr-en", mirror=f"{there.publisher.address}/mirror/")
    assert len(there.publisher.requests) == 3
    assert whole(other)


def test_verify_finds_what_is_damaged_and_what_is_missing(there: World, store: Store) -> None:
    get(there, store, "fr-en")
    model = there.catalogue.plan("fr", "en")[0]
    path = store.path(model.files[0].sha256)
    content = bytearray(path.read_bytes())
    content[9000] ^= 1
    path.write_bytes(content)
    store.path(model.files[1].sha256).unlink()
    damages = [f"{damage.path.name}: {damage.reason}" for damage in store.verify()]
    found = hashlib.sha256(content).hexdigest()
    assert damages == [
        f"{path.name}: its SHA-256 is {found}", "fr-en: its lex.50.50.fren.s2t.bin is missing",
    ]  # fmt: skip


def test_an_update_fetches_only_what_changed(there: World, store: Store) -> None:
    get(there, store, "fr-en")
    there.publisher.requests.clear()
    there.entries[0] = publish(there.publisher, ("fr", "en"), make_model(seed=8))
    from tests.support.publisher import catalogue_text

    there.path.write_text(catalogue_text(there.entries))
    get(there, store, "fr-en")
    assert not any("vocab" in request.path for request in there.publisher.requests)
    assert store.sweep() > 0
    assert whole(store)


def test_a_model_of_another_kind_is_refused(there: World, store: Store) -> None:
    made = make_model(seed=7)
    from dataclasses import replace

    from tests.support.publisher import catalogue_text

    wrong = replace(made, vocabulary=make_model(source_pieces=360).vocabulary)
    there.entries[0] = publish(there.publisher, ("fr", "en"), wrong)
    there.path.write_text(catalogue_text(there.entries))
    with pytest.raises(StoreError, match="fr-en cannot be used: the vocabulary has 360 pieces"):
        get(there, store, "fr-en")
    assert not store.models


def test_digest_is_that_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    assert digest(path) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@pytest.mark.parametrize(
    "mirror", ["", "mirror.example.org", "/srv/models", "ftp://a/b", "http://a:b"]
)
def test_a_mirror_that_is_no_address_is_not_tried(there: World, store: Store, mirror: str) -> None:
    with pytest.raises(FetchNetworkError, match="is no address"):
        get(there, store, "fr-en", mirror=mirror)
    assert not there.publisher.requests


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ALL_PROXY", "socks5://127.0.0.1:1080"),  # its package is not installed
        ("HTTPS_PROXY", "gopher://127.0.0.1"),
        ("HTTPS_PROXY", "http://127.0.0.1:port"),
        ("SSL_CERT_FILE", "/nowhere"),
    ],
)
def test_an_environment_that_cannot_be_used(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    monkeypatch.setitem(sys.modules, "socksio", None)
    with pytest.raises(FetchNetworkError, match="that the environment names cannot be used: "):
        fetch.new_client()
