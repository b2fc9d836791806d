"""Source words a second of the native core: one thread, 32 sentences a batch, loading excluded."""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from typing import Any

from dragoman.config import Limits
from dragoman.native.bundles import load_parts
from dragoman.native.translator import Translator, share_interpreter
from dragoman.types import AlignmentKind
from tests.bench.peers.bergamot import BUNDLE
from tests.bench.peers.throughput import spread
from tests.bench.texts import Supply, words

ROWS = 32
BATCH = Limits(batch_rows=ROWS, batch_pieces=ROWS * 128)


def measure(supply: Supply, sentences: int, runs: int) -> dict[str, Any]:
    """Medians over runs, each on sentences of its own."""
    share_interpreter()  # as the command does
    speeds, by_stage = [], defaultdict[str, float](float)
    with Translator(load_parts(BUNDLE, threads=1, limits=BATCH), BATCH) as translator:
        list(
            translator.translate_many(
                supply.sentences(ROWS * 4), alignment=AlignmentKind.NONE, beam=1
            )
        )
        for _ in range(runs):
            texts = supply.sentences(sentences)
            start = time.perf_counter()
            responses = list(translator.translate_many(texts, alignment=AlignmentKind.NONE, beam=1))
            seconds = time.perf_counter() - start
            speeds.append(words(texts) / seconds)
            for name in ("tokenize", "assemble"):
                by_stage[name] += sum(getattr(r.timings, name) for r in responses)
    return {
        "native_wps": round(statistics.median(speeds), 1),
        "native": {"quartiles": spread(speeds), "rows": ROWS, "threads": 1, "runs": runs,
                   "sentences": sentences, "seconds_by_stage": dict(by_stage)},
    }  # fmt: skip
