"""What a fetch is going to bring, and who watches it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Protocol

from dragoman.catalogue.models import PublishedFile, PublishedModel
from dragoman.store.store import Store


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


def plan(models: Iterable[PublishedModel], store: Store, damaged: Collection[str] = ()) -> Plan:
    """What is missing for some models.

    Args:
        damaged: SHA-256 of files that count as missing though they are there.
    """
    chosen = tuple({model.pair: model for model in models}.values())
    missing = {
        file.sha256: file for model in chosen for file in model.files
        if file.sha256 in damaged or not store.has(file)
    }  # fmt: skip
    return Plan(chosen, tuple(missing.values()), sum(map(store.begun, missing)))
