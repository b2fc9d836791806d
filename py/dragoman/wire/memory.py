"""Translation memories as plain data: `[{"source": "Guten Tag!", "target": "Hello!"} ...]`."""

from __future__ import annotations

import json

from dragoman.config import Limits
from dragoman.errors import InvalidTranslationMemoryError
from dragoman.pipeline.memory import check_memory
from dragoman.types import MemoryEntry, TranslationMemory


def read_memory(data: object) -> TranslationMemory:
    """A memory.

    Raises:
        InvalidTranslationMemoryError: it is no list of entries, or one cannot be used.
    """
    if not isinstance(data, list):
        raise InvalidTranslationMemoryError("the translation memory is not a list of entries")
    return TranslationMemory(tuple(_entry(index, item) for index, item in enumerate(data)))


def parse_memory(memory_json: str, limits: Limits) -> TranslationMemory:
    """A memory from JSON.

    Raises:
        InvalidTranslationMemoryError: it is no list of entries, or one cannot be used.
        TranslationMemoryTooLargeError: it is over a limit.
    """
    try:
        data = json.loads(memory_json)
    except (ValueError, RecursionError) as error:
        raise InvalidTranslationMemoryError(f"it cannot be read: {error!r:.200}") from error
    memory = read_memory(data)
    check_memory(memory, limits)
    return memory


def _entry(index: int, data: object) -> MemoryEntry:
    match data:
        case {"source": str(source), "target": str(target), **rest} if not rest:
            return MemoryEntry(source, target)
    raise InvalidTranslationMemoryError("it is no source with a target", index)
