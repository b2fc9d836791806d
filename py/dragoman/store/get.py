"""What a fetch does: plan, room, lock, files, models.

directions --plan--> models --missing--> files --room?--> one after the other --> installed
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

import httpx

from dragoman.catalogue.models import Catalogue, PublishedModel
from dragoman.errors import NoRoomError
from dragoman.store.fetch import Fetcher, new_client
from dragoman.store.plan import Plan, Watcher, plan
from dragoman.store.store import Store, refuse_foreign, refuse_imported

MARGIN = 10_000_000  # bytes of the disk that are left free


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
        damaged: SHA-256 of files that are fetched though they are there. Each stays until the
            right one has come.
    """

    store: Store
    catalogue: Catalogue
    mirror: str | None = None
    client: Callable[[], httpx.Client] = new_client
    free: Callable[[Path], int] = free_bytes
    sleep: Callable[[float], None] = time.sleep
    damaged: Collection[str] = ()

    def get(self, models: Iterable[PublishedModel], watcher: Watcher) -> Plan:
        """Bring models into the store; returns what had been missing.

        Raises:
            NoRoomError: the disk is too full; nothing was fetched.
            FetchError: a file could not be fetched; those before it are kept.
            StoreError: what was fetched is no model that can be used, or a bundle of somebody
                else, or an imported model, is where a model goes; then nothing was fetched.
        """
        wanted = tuple(models)
        with self.store.locked(watcher.waits):
            needed = plan(wanted, self.store, self.damaged)
            for model in needed.models:
                refuse_foreign(self.store.root / model.pair)
                refuse_imported(self.store.root / model.pair)
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
                fetcher.fetch(file, came, anew=file.sha256 in self.damaged)
                done += file.download
                watcher.at(done, file.name)
