"""Where fetched models lie.

    STORE/files/SHA256                 each file once, whatever models use it
    STORE/fr-en/manifest.json          a model: a bundle whose files are those above
    STORE/partial/SHA256.*             what has come so far of a file that is being fetched
    STORE/catalogue.json               a newer catalogue than the program's, if one was taken
    STORE/.lock                        held by who changes the store

Invariants: a file has its name only when its size and SHA-256 were right; a manifest is written
after the files that it names. So whoever reads the store needs no lock, and a process that is
killed at any moment leaves nothing wrong behind.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from dragoman.catalogue.models import (
    LEX,
    MODEL,
    SCORED_BY,
    SCORED_ON,
    SHA256,
    SOURCE_VOCAB,
    TARGET_VOCAB,
    VOCAB,
    Catalogue,
    PublishedFile,
    PublishedModel,
    catalogue_of,
    shipped,
)
from dragoman.engines.bundle import FORMAT, MANIFEST, Manifest
from dragoman.engines.described import LIMITS
from dragoman.errors import BundleError, FetchCorruptError, ModelFileError, StoreError
from dragoman.native.bundles import (
    KEPT_FILES,
    BrokenBundle,
    FoundBundle,
    find_bundles,
    read_manifest,
)

CATALOGUE, LOCK, PARTIAL = "catalogue.json", ".lock", "partial"
PUBLISHED = "published"  # what only the store's own manifests have
IMPORTED = "imported"  # the architecture of a model that no catalogue names, and its mark
NOT_RECORDED = "not recorded"
# A tag becomes a part of a folder's name.
TAG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
# What a bundle calls the files of an index.
ROLES = {
    MODEL: "model",
    VOCAB: "vocabulary",
    SOURCE_VOCAB: "vocabulary",
    TARGET_VOCAB: "target_vocabulary",
    LEX: "shortlist",
}


@dataclass(frozen=True, slots=True)
class Damage:
    """What is wrong with a file of the store, or with a model.

    Attributes:
        sha256: of the file that would mend it; empty where it takes more than a file.
    """

    path: Path
    reason: str
    sha256: str = ""


class Store:
    """Args:
    root: its folder; made when something is put there.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    # Files.

    def path(self, sha256: str) -> Path:
        """Where a file is, or will be."""
        return self.root / KEPT_FILES / sha256

    def has(self, file: PublishedFile) -> bool:
        """Whether a file is there, by name and size: its hash was right when it got the name."""
        path = self.path(file.sha256)
        return path.is_file() and path.stat().st_size == file.size

    def partial(self, name: str) -> Path:
        """Where something unfinished goes."""
        folder = self.root / PARTIAL
        folder.mkdir(parents=True, exist_ok=True)
        return folder / name

    def begun(self, sha256: str) -> int:
        """Bytes of a file that came in an earlier try, packed as its source has it."""
        parts = (self.root / PARTIAL).glob(f"{sha256}-*.part")
        return max((part.stat().st_size for part in parts), default=0)

    def keep(self, unpacked: Path, file: PublishedFile) -> None:
        """Give an unpacked file its name, if it is the right one; it is moved, or deleted.

        Raises:
            FetchCorruptError: its size or SHA-256 differs.
        """
        size, computed = unpacked.stat().st_size, digest(unpacked)
        if (size, computed) != (file.size, file.sha256):
            unpacked.unlink()
            raise FetchCorruptError(
                f"{file.name} is not the published file: {size:,} bytes, SHA-256 {computed}; "
                f"expected are {file.size:,} and {file.sha256}",
                expected=file.sha256,
                found=computed,
            )
        goal = self.path(file.sha256)
        goal.parent.mkdir(parents=True, exist_ok=True)
        _flushed(unpacked)
        unpacked.replace(goal)

    # Models.

    @property
    def models(self) -> tuple[FoundBundle, ...]:
        """The models that are there, whole or not."""
        return tuple(
            b for b in self._bundles()
            if isinstance(b, FoundBundle) and PUBLISHED in b.manifest.data
        )  # fmt: skip

    def _bundles(self) -> tuple[FoundBundle | BrokenBundle, ...]:
        """All bundles in the folder, those that somebody else put there too."""
        return find_bundles([self.root]) if self.root.is_dir() else ()

    def complete(self, bundle: FoundBundle) -> bool:
        """Whether all files of a model are there."""
        return all(
            self.path(file.sha256).is_file() and self.path(file.sha256).stat().st_size == file.bytes
            for file in bundle.manifest.files.values()
        )

    def install(self, model: PublishedModel, catalogue: Catalogue) -> Path:
        """Make a model of files that are all there; returns its folder.

        Raises:
            StoreError: the files are no model that can be used, or a bundle of somebody else is
                in its folder.
        """
        if not (TAG.fullmatch(model.source) and TAG.fullmatch(model.target)):
            raise StoreError(f"{model.source!r} to {model.target!r} is no direction")
        folder = self.root / model.pair
        refuse_foreign(folder)
        folder.mkdir(parents=True, exist_ok=True)
        manifest = _manifest(model, catalogue, *self._checked(model))
        content = json.dumps(manifest, indent=1) + "\n"
        written = self.partial(f"{model.pair}.json")
        written.write_text(content, encoding="utf-8")
        _flushed(written)
        written.replace(folder / MANIFEST)
        return folder

    def _checked(self, model: PublishedModel) -> tuple[int, dict[str, Any]]:
        """Pieces of the vocabulary of both sides, and the network's sizes."""
        # Heavy (YAML, SentencePiece): only who installs a model needs them.
        from dragoman.marian.layout import published_file
        from dragoman.marian.vocabulary import vocabulary_of

        source = model.file(VOCAB) or model.file(SOURCE_VOCAB)
        target, network = model.file(TARGET_VOCAB), model.file(MODEL)
        if network is None or source is None:
            raise StoreError(f"{model.pair} lacks its model file or its vocabulary")
        try:
            config = published_file(self.path(network.sha256).read_bytes()).config
            vocabulary = vocabulary_of(
                self.path(source.sha256).read_bytes(),
                self.path(target.sha256).read_bytes() if target else None,
                config,
            )
        except ModelFileError as error:
            raise StoreError(f"{model.pair} cannot be used: {error.message}") from error
        return vocabulary.size, asdict(config.sizes)

    def remove(self, pair: str) -> int:
        """Delete a model, and those of its files that no other model uses; returns bytes freed.

        What somebody else put into its folder stays.

        Raises:
            StoreError: there is no such model, or it is not the store's.
        """
        known = {b.folder.name: b for b in self.models if b.folder.name == _pair(b.manifest)}
        if pair not in known:
            refuse_foreign(self.root / pair)
            raise StoreError(
                f"there is no model {pair} in the store; there are: {', '.join(known) or 'none'}"
            )
        folder, files = known[pair].folder, known[pair].manifest.files.values()
        (folder / MANIFEST).unlink()
        with suppress(OSError):  # it is not empty, or a link
            folder.rmdir()
        unused = {file.sha256 for file in files} - self._needed()
        return _delete(map(self.path, unused))

    def sweep(self, keep: Collection[str] = ()) -> int:
        """Delete files that no model uses; returns their bytes.

        Args:
            keep: SHA-256 of files that stay, such as those of a fetch that goes on later.
        """
        there = {path.name for path in self._files()}
        return _delete(map(self.path, there - self._needed() - set(keep)))

    def _needed(self) -> set[str]:
        """The files that bundles use; all, while one cannot say which are its."""
        bundles = self._bundles()
        found = [b for b in bundles if isinstance(b, FoundBundle) and b.folder != self.root]
        if len(found) < len(bundles):  # a manifest in the store's own folder hides all others
            return {path.name for path in self._files()}
        return {file.sha256 for b in found for file in b.manifest.files.values()}

    def verify(self, progress: Callable[[int], None] | None = None) -> Iterator[Damage]:
        """Read every file and check its SHA-256; and that no model lacks one, or its manifest.

        Args:
            progress: gets the bytes of each file that was read.
        """
        for path in self._files():
            computed = digest(path)
            if computed != path.name:
                yield Damage(path, f"its SHA-256 is {computed}", path.name)
            if progress:
                progress(path.stat().st_size)
        yield from self.incomplete()

    def incomplete(self) -> Iterator[Damage]:
        """Manifests that cannot be read, and files that models lack; reads no file."""
        for bundle in self._bundles():
            if isinstance(bundle, BrokenBundle):
                where = f"{bundle.folder / MANIFEST}: "
                yield Damage(bundle.folder / MANIFEST, bundle.error.message.removeprefix(where))
            elif PUBLISHED in bundle.manifest.data:
                for file in bundle.manifest.files.values():
                    if not self.path(file.sha256).is_file():
                        yield Damage(bundle.folder, f"its {file.path} is missing", file.sha256)

    def _files(self) -> list[Path]:
        folder = self.root / KEPT_FILES
        return sorted(folder.iterdir()) if folder.is_dir() else []

    # The catalogue.

    def catalogue(self) -> Catalogue:
        """The program's, or a newer one that was taken.

        Raises:
            StoreError: the one that was taken cannot be read.
        """
        path = self.root / CATALOGUE
        try:
            taken = catalogue_of(path)
        except FileNotFoundError:
            return shipped()
        return taken if taken.generated >= shipped().generated else shipped()

    @contextmanager
    def locked(self, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Alone with the store: one process changes it, others wait.

        Args:
            waiting: called once if another process has it.
        """
        self.root.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.root / LOCK)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            waiting()
            lock.acquire()
        try:
            yield
        finally:
            lock.release()


def refuse_foreign(folder: Path) -> None:
    """See that a folder of a store has no bundle of somebody else, which must stay.

    Raises:
        StoreError: it has one.
    """
    try:
        data = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):  # none, or one that nobody can use
        return
    if isinstance(data, dict) and PUBLISHED not in data:
        raise StoreError(
            f"{folder} holds a bundle that was neither fetched nor imported: it stays as it is. "
            "Move it elsewhere, or name another folder by --store"
        )


def refuse_imported(folder: Path) -> None:
    """See that a folder of a store has no model that the user imported, which has no other copy.

    Raises:
        StoreError: it has one.
    """
    try:
        manifest = read_manifest(folder)
    except BundleError:  # none, or one that nobody can use
        return
    if PUBLISHED in manifest.data and not from_catalogue(manifest):
        raise StoreError(
            f"{folder.name} was imported, and stays as it is: "
            f"dragoman models remove {folder.name} takes it away"
        )


def _manifest(
    model: PublishedModel, catalogue: Catalogue, vocabulary: int, architecture: dict[str, Any]
) -> dict[str, Any]:
    scores = {} if model.score is None else {SCORED_ON: {SCORED_BY: model.score}}
    mark = {IMPORTED: True} if model.architecture == IMPORTED else {}
    return {
        "format": FORMAT,
        "name": f"{model.pair}-{model.architecture}",
        "version": model.version or "not numbered",
        "source": model.source,
        "target": model.target,
        "files": {
            ROLES[file.type]: {"path": file.name, "bytes": file.size, "sha256": file.sha256}
            for file in model.files
        },
        "architecture": architecture | {"vocabulary_size": vocabulary},
        "limits": LIMITS,
        "precision": "int8",
        "licence": model.licence,
        "scores": scores,
        PUBLISHED: {
            "id": model.id,
            "publisher": catalogue.publisher,
            "home": catalogue.home,
            "status": model.status,
            "catalogue": catalogue.generated,
        }
        | mark,
    }


def _delete(paths: Iterable[Path]) -> int:
    """Delete files of a store; returns their bytes. What has no name of the store's stays."""
    freed = 0
    for path in paths:
        if SHA256.fullmatch(path.name) and path.is_file():
            freed += path.stat().st_size
            path.unlink()
    return freed


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def from_catalogue(manifest: Manifest) -> bool:
    """Whether a model is one that a catalogue named, and not one that the user brought.

    Manifests of before the mark say it by their names only.
    """
    published = manifest.data.get(PUBLISHED)
    if not isinstance(published, dict) or not published.get("catalogue"):
        return False
    return not published.get(IMPORTED) and manifest.name != f"{_pair(manifest)}-{IMPORTED}"


def _pair(manifest: Manifest) -> str:
    return f"{manifest.source}-{manifest.target}"


def attribution(manifest: Manifest) -> str:
    """Who made a model, and under what licence; a line.

    Raises:
        BundleError: the manifest names no publisher.
    """
    published = manifest.data.get(PUBLISHED)
    if not isinstance(published, dict):
        raise BundleError(f"{manifest.name} was not published by others")
    licence = manifest.data.get("licence")
    if not from_catalogue(manifest):
        return f"publisher {NOT_RECORDED}, licence {licence}"
    return (
        f"Firefox Translations, {published.get('publisher')} and contributors, "
        f"{licence}, {published.get('home')}"
    )


def _flushed(path: Path) -> None:
    """On the disk before its name is: a power failure leaves no empty file of the right name."""
    with path.open("rb+") as stream:
        os.fsync(stream.fileno())
