"""What a fetch is going to bring: files once, bytes to fetch, room on the disk."""

from __future__ import annotations

from pathlib import Path

from dragoman.catalogue.models import PublishedFile, PublishedModel, Source
from dragoman.store.plan import Plan, plan
from dragoman.store.store import Store


def file(name: str, size: int, download: int) -> PublishedFile:
    sources = (Source(f"https://example.org/{name}", "gzip", download),)
    return PublishedFile("model", name, size, name * 64, sources)


def model(pair: str, *files: PublishedFile) -> PublishedModel:
    source, target = pair.split("-")
    return PublishedModel(
        f"{pair}-tiny", source, target, "tiny", None, None, None, "MPL-2.0", files
    )


ONE, TWO, BOTH = file("a", 100, 40), file("b", 300, 90), file("c", 20, 10)


def test_nothing_is_there(tmp_path: Path) -> None:
    made = plan([model("de-en", ONE, BOTH), model("en-fr", TWO, BOTH)], Store(tmp_path))
    assert [each.pair for each in made.models] == ["de-en", "en-fr"]
    assert made.files == (ONE, BOTH, TWO)
    assert made.download == 140
    # 420 bytes unpacked, beside the largest of them packed.
    assert made.room == 510
    assert made.begun == 0


def test_what_is_there_is_not_fetched(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.path(ONE.sha256).parent.mkdir(parents=True)
    store.path(ONE.sha256).write_bytes(bytes(100))
    store.path(BOTH.sha256).write_bytes(bytes(19))  # of another size: it is not this file
    made = plan([model("de-en", ONE, BOTH)], store)
    assert made.files == (BOTH,)
    assert (made.download, made.room) == (10, 30)


def test_bytes_of_an_earlier_try_count_once_and_only_of_what_is_missing(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.partial(f"{TWO.sha256}-0.part").write_bytes(bytes(30))
    store.partial(f"{TWO.sha256}-1.part").write_bytes(bytes(50))
    store.partial(f"{'f' * 64}-0.part").write_bytes(bytes(7))
    assert plan([model("en-fr", TWO)], store).begun == 50


def test_a_direction_that_is_asked_for_twice(tmp_path: Path) -> None:
    made = plan([model("de-en", ONE), model("de-en", ONE)], Store(tmp_path))
    assert (len(made.models), made.files) == (1, (ONE,))


def test_nothing_to_fetch_needs_no_room() -> None:
    assert (Plan((), ()).download, Plan((), ()).room) == (0, 0)
