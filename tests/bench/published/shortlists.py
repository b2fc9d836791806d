r"""What a shortlist costs in quality, and what it brings in speed.

By how many pieces there are to choose among at least.

    .venv/bin/python -m tests.bench.published.shortlists --data ../shared/data \
        --shortlist build/lex.deen.bin

Quality: one of our own models with the shortlist that `dragoman model shortlist` made for it, on
development sets; each sentence alone, and 32 in a mini-batch. Speed: published sizes with random
weights, the published vocabulary and shortlist of `data/formats`, as many pieces out as in.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import eq
from pathlib import Path
from typing import Any

import sacrebleu
import sentencepiece

from dragoman.engines import kernel_model
from dragoman.engines.kernel import KernelEngine
from dragoman.engines.kernel_library import choose_path
from dragoman.engines.kernel_model import PublishedStudent
from dragoman.engines.onnx_file import OnnxFile, read_onnx
from dragoman.marian.layout import published_file
from dragoman.marian.shortlist import Shortlist, read_shortlist
from dragoman.models.data.corpus import read_rows
from tests.bench.published.kernel import mini_batch, targets
from tests.bench.published.load import NETWORKS
from tests.support.paths import MODELS
from tests.support.published import make_model

SETS = ("tatoeba-dev.en-de", "webdocs-dev.en-de", "chat-dev.en-de", "wmt16.en-de")
LEAST = (0, 256, 512, 1024, 2048, 4096)
SIZES = (1, 32)  # sentences a mini-batch
MOST_WORDS = 40


@dataclass(frozen=True)
class Sentences:
    source: list[str]
    reference: list[str]


def sentences(data: Path, source: str, target: str, each: int) -> Sentences:
    """The first ones of each development set."""
    found: list[tuple[str, str]] = []
    for name in SETS:
        header, rows = read_rows(data / "dev" / f"{name}.tsv")
        columns = header.index(source), header.index(target)
        pairs = [(row[columns[0]].strip(), row[columns[1]].strip()) for row in rows]
        found += [pair for pair in pairs if 0 < len(pair[0].split()) <= MOST_WORDS][:each]
    return Sentences(*map(list, zip(*found, strict=True)))


def settings() -> Iterator[tuple[str, int | None, int]]:
    """Name, least columns (None: no shortlist), sentences a mini-batch."""
    for size in SIZES:
        yield f"all, {size}", None, size
        for least in LEAST:
            yield f"{least}, {size}", least, size


class Runs:
    """Mini-batches of one model, with and without its shortlist."""

    def __init__(self, student: OnnxFile | PublishedStudent, lists: Shortlist) -> None:
        self.student, self.lists = student, lists

    def run(
        self, rows: Sequence[list[int]], least: int | None, size: int, extra: int, rounds: int
    ) -> tuple[list[list[int]], float]:
        """Pieces of each row, and the seconds of the processor in the best round."""
        if least is not None:
            kernel_model.LEAST_COLUMNS = least
        engine = KernelEngine(self.student, shortlist=None if least is None else self.lists)
        order = sorted(range(len(rows)), key=lambda row: len(rows[row]))
        best = float("inf")
        for _ in range(rounds):
            said: list[list[int]] = [[] for _ in rows]
            began = time.process_time()
            for start in range(0, len(order), size):
                chosen = order[start : start + size]
                limit = max(len(rows[row]) for row in chosen) * (1 + extra) + extra
                output = engine.run_now(mini_batch([rows[row] for row in chosen], limit), False)
                for row, ids in zip(chosen, targets(output, len(chosen)), strict=True):
                    said[row] = ids
            best = min(best, time.process_time() - began)
        return said, best


def quality(data: Path, shortlist: Path, bundle: Path, each: int) -> Iterator[dict[str, Any]]:
    source, target = bundle.name.split("-")
    texts = sentences(data, source, target, each)
    pieces = sentencepiece.SentencePieceProcessor(str(bundle / "vocabulary.spm"))
    runs = Runs(
        read_onnx((bundle / "model.onnx").read_bytes()), read_shortlist(shortlist.read_bytes())
    )
    rows = [[*pieces.encode(text), 0] for text in texts.source]
    expected, _ = runs.run(rows, None, 1, 1, 1)
    for name, least, size in settings():
        said, seconds = runs.run(rows, least, size, 1, 1)
        found = pieces.decode(said)
        yield {
            "setting": name,
            "sentences": len(rows),
            "bleu": round(sacrebleu.corpus_bleu(found, [texts.reference]).score, 2),
            "chrf": round(sacrebleu.corpus_chrf(found, [texts.reference]).score, 2),
            "as with all": round(sum(map(eq, said, expected)) / len(rows), 4),
            "cpu_s": round(seconds, 2),
        }


def speed(data: Path, shape: str, count: int) -> Iterator[dict[str, Any]]:
    formats = data / "formats"
    vocabulary = gzip.decompress((formats / "vocab.deen.spm.gz").read_bytes())
    lists = read_shortlist(
        gzip.decompress((formats / "lex.50.50.ende.s2t.bin.gz").read_bytes()), verified=True
    )
    made = make_model(replace(NETWORKS[shape], vocabulary_size=lists.sources))
    layout = published_file(made.model).layout()
    assert layout is not None
    runs = Runs(PublishedStudent(made.model, layout, 288), lists)
    texts = sentences(data, "en", "de", count // len(SETS)).source
    pieces = sentencepiece.SentencePieceProcessor(model_proto=vocabulary)
    rows = [[*pieces.encode(text), 0] for text in texts]
    for name, least, size in settings():
        _, seconds = runs.run(rows, least, size, 0, 2)
        words = sum(len(text.split()) for text in texts)
        yield {"shape": shape, "setting": name, "words_s": round(words / seconds)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--shortlist", type=Path, help="Of --bundle; without it, speed alone.")
    parser.add_argument("--bundle", type=Path, default=MODELS / "de-en")
    parser.add_argument("--each", type=int, default=150, help="Sentences of each set.")
    parser.add_argument("--shape", action="append", choices=NETWORKS, help="For speed.")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found: list[Iterator[dict[str, Any]]] = []
    if options.shortlist:
        found.append(quality(options.data, options.shortlist, options.bundle, options.each))
    found += [speed(options.data, shape, 64) for shape in options.shape or ()]
    for results in found:
        for result in results:
            result["path"] = choose_path()
            print(json.dumps(result) if options.json else result, flush=True)


if __name__ == "__main__":
    main()
