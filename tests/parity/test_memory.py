"""Translation memories: the same sentences and the same near ones in Pyodide as natively."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import asdict
from itertools import islice
from pathlib import Path

import pytest

from dragoman.types import MemoryEntry, TranslationMemory
from tests.parity.compare import SAME, compare
from tests.parity.native import Case, read_cases, translate
from tests.parity.node_host import in_node

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def asked() -> list[Case]:
    """Every sixth text of the corpus that is one line, one in two with alternatives."""
    cases = [case for case in read_cases() if "\n" not in case["text"] and case["text"].strip()]
    return [
        {**case, "choices": {"alternatives": 2 * (number % 2)}}
        for number, case in enumerate(islice(cases, 0, None, 6))
    ]


def memory_of(cases: list[Case]) -> TranslationMemory:
    """Of each text itself, or with a word of it left out, or exchanged."""
    chance = random.Random(39)
    entries = []
    for number, case in enumerate(cases):
        words = case["text"].split()
        if number % 3 == 1 and len(words) > 4:
            del words[chance.randrange(len(words))]
        elif number % 3 == 2:
            words[chance.randrange(len(words))] = "Näherung"
        source = " ".join(words)
        if source.isprintable():
            entries.append(MemoryEntry(source, f"Entry {number} 😀."))
    return TranslationMemory(tuple(entries))


def test_what_the_memory_has_is_the_same(
    bundle: Path, wheel: Path, tmp_path: Path, say: Callable[[str], None]
) -> None:
    cases = asked()
    memory = memory_of(cases)
    path = tmp_path / "memory.json"
    path.write_text(json.dumps([asdict(entry) for entry in memory.entries]))
    native = translate(bundle, cases, memory=memory)
    other = in_node(bundle, wheel, cases, tmp_path, "--memory", str(path))
    for one, another in zip(native, other, strict=True):
        assert one["runs"] == another["runs"], one["id"]
    found = compare(native, other)
    sentences = [s for case in native for s in case["outcome"]["response"]["sentences"]]
    taken = sum(sentence["fromMemory"] for sentence in sentences)
    near = sum("memorySource" in other for s in sentences for other in s.get("alternatives", ()))
    say(f"{len(cases)} texts, {taken} sentences of the memory, {near} near: {found.report()}")
    assert found.unlike == []
    assert max(found.largest.values()) <= SAME
    assert taken >= 10
    assert near >= 10
