"""What a fetch does: plan, room, lock, files, models.

directions --plan--> models --missing--> files --room?--> one after the other --> installed
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import httpx

from dragoman.catalogue.models import Catalogue, PublishedFile, PublishedModel
from dragoman.errors import NoRoomError
from dragoman.store.fetch import Fetcher, new_client
from dragoman.store.store import Store

MARGIN = 10_000_000  # bytes of the disk that are left free
SOURCE_VARIABLE = "DRAGOMAN_SOURCE"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is wanted, and what of it is missing.

    Attributes:
        models: each once.
        files: not in the store yet, each once.
        begun: bytes of those that came in an earlier try.
    """

    models: tuple[PublishedModel, ...]
    files: tuple[PublishedFile, ...]
    begun: int = 0

    @property
    def download(self) -> int:
        """Bytes of the missing files, those of an earlier try included."""
        return sum(file.download for file in self.files)

    @property
    def room(self) -> int:
        """Bytes that the disk must have: the files unpacked, and the largest beside that packed."""
        packed = max((file.download for file in self.files), default=0)
        return sum(file.size for file in self.files) + packed


class Watcher(Protocol):
    """Hears how a fetch goes on."""

    def waits(self) -> None:
        """Another process fetches; this one waits for it."""
        ...

    def begins(self, total: int) -> None:
        """So many bytes are to be fetched."""
        ...

    def at(self, done: int, file: str) -> None:
        """So many of those have come, and which file comes now."""
        ...


class Silent:
    """Says nothing."""

    def waits(self) -> None: ...

    def begins(self, total: int) -> None: ...

    def at(self, done: int, file: str) -> None: ...


def plan(models: Iterable[PublishedModel], store: Store, fetcher: Fetcher | None = None) -> Plan:
    """What is missing for some models."""
    chosen = tuple({model.pair: model for model in models}.values())
    missing = {file.sha256: file for model in chosen for file in model.files if not store.has(file)}
    begun = sum(fetcher.begun(file) for file in missing.values()) if fetcher else 0
    return Plan(chosen, tuple(missing.values()), begun)


def free_bytes(folder: Path) -> int:
    """Of the disk that a folder is on, or would be."""
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free


@dataclass(frozen=True)
class Getter:
    """Fetches models into a store.

    Attributes:
        mirror: see `Fetcher`.
        client: makes a client; one is made only when something is missing.
        free: bytes that are free where the store is.
        sleep: waits so many seconds.
    """

    store: Store
    catalogue: Catalogue
    mirror: str | None = None
    client: Callable[[], httpx.Client] = new_client
    free: Callable[[Path], int] = free_bytes
    sleep: Callable[[float], None] = time.sleep

    def get(self, models: Iterable[PublishedModel], watcher: Watcher) -> Plan:
        """Bring models into the store; returns what had been missing.

        Raises:
            NoRoomError: the disk is too full; nothing was fetched.
            FetchError: a file could not be fetched; those before it are kept.
            StoreError: what was fetched is no model that can be used.
        """
        wanted = tuple(models)
        with self.store.locked(watcher.waits):
            needed = plan(wanted, self.store)
            self._check_room(needed)
            if needed.files:
                self._fetch(needed, watcher)
            for model in needed.models:
                self.store.install(model, self.catalogue)
        return needed

    def _check_room(self, needed: Plan) -> None:
        if not needed.files:
            return
        free = self.free(self.store.root)
        if free < needed.room + MARGIN:
            raise NoRoomError(needed.room + MARGIN, free, str(self.store.root))

    def _fetch(self, needed: Plan, watcher: Watcher) -> None:
        watcher.begins(needed.download)
        done = 0
        with self.client() as client:
            fetcher = Fetcher(self.store, client, self.sleep, self.mirror)
            for file in needed.files:
                before = done

                def came(count: int, before: int = before, name: str = file.name) -> None:
                    watcher.at(before + count, name)

                came(0)
                fetcher.fetch(file, came)
                done += file.download
                watcher.at(done, file.name)
