"""How far a request is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class RequestState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Progress:
    """Sentences (parts) done of all; `total` grows while a long text is still being split up."""

    state: RequestState
    done: int
    total: int


ProgressListener = Callable[[Progress], None]
