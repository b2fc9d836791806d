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
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from dragoman.catalogue.models import (
    LEX,
    MODEL,
    SCORED_BY,
    SCORED_ON,
    SOURCE_VOCAB,
    TARGET_VOCAB,
    VOCAB,
    Catalogue,
    PublishedFile,
    PublishedModel,
    read_catalogue,
    shipped,
)
from dragoman.engines.bundle import FORMAT, MANIFEST, Manifest
from dragoman.engines.described import LIMITS
from dragoman.errors import BundleError, FetchCorruptError, ModelFileError, StoreError
from dragoman.native.bundles import KEPT_FILES, FoundBundle, find_bundles

CATALOGUE, LOCK, PARTIAL = "catalogue.json", ".lock", "partial"
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
    """A file of the store that is not what its name says."""

    path: Path
    reason: str


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
        if not self.root.is_dir():
            return ()
        bundles = find_bundles([self.root])
        return tuple(
            b for b in bundles if isinstance(b, FoundBundle) and "published" in b.manifest.data
        )

    def complete(self, bundle: FoundBundle) -> bool:
        """Whether all files of a model are there."""
        return all(
            self.path(file.sha256).is_file() and self.path(file.sha256).stat().st_size == file.bytes
            for file in bundle.manifest.files.values()
        )

    def install(self, model: PublishedModel, catalogue: Catalogue) -> Path:
        """Make a model of files that are all there; returns its folder.

        Raises:
            StoreError: the files are no model that can be used.
        """
        if not (TAG.fullmatch(model.source) and TAG.fullmatch(model.target)):
            raise StoreError(f"{model.source!r} to {model.target!r} is no direction")
        folder = self.root / model.pair
        folder.mkdir(parents=True, exist_ok=True)
        content = json.dumps(self._manifest(model, catalogue), indent=1) + "\n"
        written = self.partial(f"{model.pair}.json")
        written.write_text(content, encoding="utf-8")
        _flushed(written)
        written.replace(folder / MANIFEST)
        return folder

    def _manifest(self, model: PublishedModel, catalogue: Catalogue) -> dict[str, Any]:
        vocabulary, architecture = self._checked(model)
        scores = {} if model.score is None else {SCORED_ON: {SCORED_BY: model.score}}
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
            "published": {
                "id": model.id,
                "publisher": catalogue.publisher,
                "home": catalogue.home,
                "status": model.status,
                "catalogue": catalogue.generated,
            },
        }

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

        Raises:
            StoreError: there is no such model.
        """
        known = {f"{b.manifest.source}-{b.manifest.target}": b.folder for b in self.models}
        if pair not in known:
            raise StoreError(
                f"there is no model {pair} in the store; there are: {', '.join(known) or 'none'}"
            )
        shutil.rmtree(known[pair])
        return self.sweep()

    def sweep(self) -> int:
        """Delete files that no model uses; returns their bytes."""
        used = {file.sha256 for b in self.models for file in b.manifest.files.values()}
        freed = 0
        for path in self._files():
            if path.name not in used:
                freed += path.stat().st_size
                path.unlink()
        return freed

    def verify(self, progress: Callable[[int], None] | None = None) -> Iterator[Damage]:
        """Read every file and check its SHA-256; and that no model lacks one.

        Args:
            progress: gets the bytes of each file that was read.
        """
        for path in self._files():
            computed = digest(path)
            if computed != path.name:
                yield Damage(path, f"its SHA-256 is {computed}")
            if progress:
                progress(path.stat().st_size)
        for bundle in self.models:
            for file in bundle.manifest.files.values():
                if not self.path(file.sha256).is_file():
                    yield Damage(bundle.folder, f"its {file.path} is missing")

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
            taken = read_catalogue(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return shipped()
        except StoreError as error:
            raise StoreError(f"{path}: {error.message}") from error
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


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def attribution(manifest: Manifest) -> str:
    """Who made a model, and under what licence; a line.

    Raises:
        BundleError: the manifest names no publisher.
    """
    published = manifest.data.get("published")
    if not isinstance(published, dict):
        raise BundleError(f"{manifest.name} was not published by others")
    return (
        f"Firefox Translations, {published.get('publisher')} and contributors, "
        f"{manifest.data.get('licence')}, {published.get('home')}"
    )


def _flushed(path: Path) -> None:
    """On the disk before its name is: a power failure leaves no empty file of the right name."""
    with path.open("rb+") as stream:
        os.fsync(stream.fileno())
