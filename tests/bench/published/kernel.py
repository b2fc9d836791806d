"""Published shapes in the kernel: whether it says what the file's arithmetic says, and how fast.

    .venv/bin/python -m tests.bench.published.kernel --json

Random models of the published sizes. Of `--sentences` each (0 leaves it out): how many the kernel
translates as NumPy does in the kernel's order of float32 operations, and as NumPy does in its own.
Speed is source words a second of the processor, one thread, kernel and onnxruntime in turn.
"""

from __future__ import annotations

import argparse
import json
import time
from array import array
from collections.abc import Iterator, Sequence
from operator import eq
from typing import Any

import sentencepiece

from dragoman.engines.kernel import KernelEngine
from dragoman.engines.kernel_library import choose_path
from dragoman.engines.kernel_model import PublishedStudent
from dragoman.engines.onnxruntime import OnnxRuntimeEngine
from dragoman.marian.layout import published_file
from dragoman.marian.model import parse_marian
from dragoman.marian.published import graph_of
from dragoman.marian.vocabulary import vocabulary_of
from dragoman.types import EngineOutput, MiniBatch
from tests.bench.published.load import SHAPES
from tests.support.published import PublishedModel, make_model, sentences
from tests.support.reference.kernel_order import EXACT, KernelOrder
from tests.support.reference.marian_arithmetic import ReferenceEngine

POSITIONS, LIMIT = 288, 24


def mini_batch(rows: Sequence[Sequence[int]], limit: int = LIMIT) -> MiniBatch:
    """Rows of pieces that end with EOS."""
    width = max(map(len, rows))
    flat = [piece for row in rows for piece in [*row, *[0] * (width - len(row))]]
    segments: Any = (None,) * len(rows)  # an engine reads none
    lengths, limits = array("i", map(len, rows)), array("i", [limit] * len(rows))
    return MiniBatch(segments, array("i", flat), lengths, limits, width)


def targets(output: EngineOutput, rows: int) -> Iterator[list[int]]:
    """Pieces of each row, without EOS."""
    for row in range(rows):
        ids = output.ids[row * output.steps : (row + 1) * output.steps].tolist()
        yield ids[: ids.index(0)] if 0 in ids else ids


class Compared:
    def __init__(self, made: PublishedModel) -> None:
        file = published_file(made.model)
        vocabulary = vocabulary_of(made.vocabulary, made.target_vocabulary, file.config)
        layout = file.layout()
        assert layout is not None
        self.made, self.names = made, vocabulary.ids
        began = time.process_time()
        self.kernel = KernelEngine(PublishedStudent(made.model, layout, POSITIONS, vocabulary.ids))
        self.placing = time.process_time() - began
        self.vocabulary = vocabulary
        self.processor = sentencepiece.SentencePieceProcessor(model_proto=made.vocabulary)

    def rows(self, texts: Sequence[str]) -> list[list[int]]:
        return [[*self.processor.encode(text), 0] for text in texts]

    def both(self, count: int) -> tuple[list[list[int]], list[list[int]]]:
        """What the kernel says, and what NumPy says in the kernel's order."""
        rows = self.rows(sentences(count, longest=4))
        output = self.kernel.run_now(mini_batch(rows), False)
        expected = KernelOrder(parse_marian(self.made.model)).translate_all(rows, LIMIT)
        return list(targets(output, count)), list(map(self._outside, expected))

    def identity(self, count: int, other_order: int) -> dict[str, int]:
        said, expected = self.both(count)
        found = {"sentences": count, "in the kernel's order": sum(map(eq, said, expected))}
        rows = self.rows(sentences(count, longest=4))
        other = ReferenceEngine(parse_marian(self.made.model), EXACT)
        differ = [self._outside(other.translate(row, LIMIT)) for row in rows[:other_order]]
        return found | {"in NumPy's order": sum(map(eq, said, differ)), "of": len(differ)}

    def _outside(self, ids: Sequence[int]) -> list[int]:
        return list(ids) if self.names is None else [self.names[number] for number in ids]

    def speed(self, rounds: int) -> dict[str, int]:
        """Words a second; the best of so many rounds, the engines in turn."""
        graph = graph_of(self.made.model, self.vocabulary, POSITIONS)
        engines: dict[str, KernelEngine | OnnxRuntimeEngine] = {
            "kernel": self.kernel,
            "onnxruntime": OnnxRuntimeEngine(graph, 1),
        }
        texts = sentences(64, seed=9)
        rows, words = self.rows(texts), sum(len(text.split()) for text in texts)
        best: dict[str, float] = {}
        for _ in range(rounds):
            for name, engine in engines.items():
                for size in (32, 1):
                    began = time.process_time()
                    for start in range(0, len(rows), size):
                        engine.run_now(mini_batch(rows[start : start + size]), False)
                    key, taken = f"{name} {size}", time.process_time() - began
                    best[key] = min(best.get(key, taken), taken)
        return {name: round(words / taken) for name, taken in best.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--other-order", type=int, default=100, help="That reference is slow.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--shape", action="append", choices=SHAPES, help="All, unless named.")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for name in options.shape or SHAPES:
        sizes, source = SHAPES[name]
        compared = Compared(make_model(sizes, source_pieces=source))
        found: dict[str, Any] = {"shape": name, "path": choose_path()}
        found["placing_cpu_s"] = round(compared.placing, 3)
        if options.rounds:
            found |= compared.speed(options.rounds)
        if options.sentences:
            found |= compared.identity(options.sentences, options.other_order)
        print(json.dumps(found) if options.json else found, flush=True)


if __name__ == "__main__":
    main()
