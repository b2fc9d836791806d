"""What a large translation memory costs: python -m tests.bench.memory [--entries 100000]

Sentences of 4 to 30 words, drawn by Zipf's law from 50,000; those that are looked up are entries
with a word changed. Writes JSON: seconds of the processor, milliseconds a sentence, bytes.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
import tracemalloc
from collections.abc import Callable
from itertools import accumulate

from dragoman.markup.bits import at_once
from dragoman.pipeline.memory_index import MemoryIndex
from dragoman.types import MemoryEntry, TranslationMemory

WORDS = 50_000
LOOKED_UP = 200


def sentences(count: int) -> list[list[str]]:
    chance = random.Random(39)
    words = [f"wort{number:x}" for number in range(WORDS)]
    weights = list(accumulate(1 / rank for rank in range(1, WORDS + 1)))
    return [
        [*chance.choices(words, cum_weights=weights, k=chance.randint(4, 30)), "."]
        for _ in range(count)
    ]


def measured(count: int) -> dict[str, float]:
    made = sentences(count)
    memory = TranslationMemory(
        tuple(MemoryEntry(" ".join(words), str(number)) for number, words in enumerate(made))
    )
    found: dict[str, float] = {"entries": count}
    for name, near in (("exact", False), ("near", True)):
        start = time.process_time()
        index = at_once(MemoryIndex(memory).built(near))
        found[f"{name}_build_seconds"] = time.process_time() - start
    chance = random.Random(40)
    changed = []
    for words in chance.sample(made, LOOKED_UP):
        other = list(words)
        other[chance.randrange(len(words))] = "neu"
        changed.append(" ".join(other))
    exact = _milliseconds(index.exact, changed)
    nearest = _milliseconds(index.nearest, changed)
    found["exact_milliseconds"] = statistics.median(exact)
    found["near_milliseconds"] = statistics.median(nearest)
    found["near_milliseconds_worst"] = max(nearest)
    found["near_found"] = sum(bool(index.nearest(text)) for text in changed) / len(changed)
    for name, wanted in (("exact", False), ("near", True)):
        tracemalloc.start()
        kept = at_once(MemoryIndex(memory).built(wanted))
        found[f"{name}_bytes"] = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        del kept
    return found


def _milliseconds(look: Callable[[str], object], texts: list[str]) -> list[float]:
    times = []
    for text in texts:
        start = time.process_time()
        look(text)
        times.append(1000 * (time.process_time() - start))
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=100_000)
    print(json.dumps(measured(parser.parse_args().entries), indent=2))


if __name__ == "__main__":
    main()
