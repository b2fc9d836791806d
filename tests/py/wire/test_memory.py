"""Translation memories as plain data, and requests that have one."""

import json
from typing import Any

import pytest

from dragoman.config import Limits
from dragoman.errors import (
    InvalidRequestError,
    InvalidTranslationMemoryError,
    TranslationMemoryTooLargeError,
)
from dragoman.types import MemoryEntry, TranslationMemory
from dragoman.wire.memory import parse_memory, read_memory
from dragoman.wire.requests import read_graph, read_options, read_request

DATA = [{"source": "Guten Tag!", "target": "Hello!"}]
MEMORY = TranslationMemory((MemoryEntry("Guten Tag!", "Hello!"),))
REQUEST = {"text": "", "source": "de", "target": "en"}


def test_entries() -> None:
    assert read_memory(DATA) == MEMORY
    assert parse_memory(json.dumps(DATA), Limits()) == MEMORY
    assert read_memory([]) == TranslationMemory()


@pytest.mark.parametrize(
    ("data", "entry"),
    [
        ({}, None),
        (None, None),
        (["a"], 0),
        ([*DATA, {"source": "a"}], 1),
        ([{"source": "a", "target": None}], 0),
        ([{"source": "a", "target": "b", "note": "c"}], 0),
        ([{"source": "", "target": "b"}], 0),
    ],
)
def test_what_is_no_memory(data: Any, entry: int | None) -> None:
    with pytest.raises(InvalidTranslationMemoryError) as caught:
        parse_memory(json.dumps(data), Limits())
    assert caught.value.entry == entry


def test_what_is_no_json_and_what_is_too_large() -> None:
    with pytest.raises(InvalidTranslationMemoryError, match="it cannot be read"):
        parse_memory("[" * 100_000, Limits())
    with pytest.raises(TranslationMemoryTooLargeError, match="entries: 2 requested, 1 allowed"):
        parse_memory(json.dumps(DATA * 2), Limits(memory_entries=1))


def test_a_request_says_whether_it_means_the_memory_that_was_brought() -> None:
    asked = json.dumps({**REQUEST, "memory": True})
    assert read_request(asked, MEMORY).memory is MEMORY
    assert read_options(asked, MEMORY).memory is MEMORY
    graph = {"requests": [{**REQUEST, "template": [{"output": "a"}], "memory": True}]}
    assert read_graph(json.dumps(graph), MEMORY)[1][0].options.memory is MEMORY
    assert read_request(json.dumps(REQUEST), MEMORY).memory is None
    assert read_request(json.dumps({**REQUEST, "memory": False}), MEMORY).memory is None


@pytest.mark.parametrize("value", [1, "yes", None, DATA])
def test_it_says_so_by_true_or_false(value: Any) -> None:
    with pytest.raises(InvalidRequestError, match="'memory' is neither true nor false"):
        read_request(json.dumps({**REQUEST, "memory": value}), MEMORY)


def test_none_was_brought() -> None:
    with pytest.raises(InvalidRequestError, match="no translation memory was brought"):
        read_request(json.dumps({**REQUEST, "memory": True}))
