"""What the browser's kernel reaches, stage by stage, of what its products can reach: one thread.

The ceiling is the rate of the stage that is nothing but products: the decoder's keys and values of
all source pieces (`batch_remember`), over one large mini-batch. Counted are the multiplications and
additions of the products alone, so that a stage's share of the ceiling says what everything else in
it costs (attention, normalization, quantization, the choice of a piece), and what few rows cost.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dragoman.native.bundles import open_bundle
from dragoman.text.tokenizer import SentencePieceTokenizer
from tests.bench.peers.bergamot import BUNDLE, Bench
from tests.bench.texts import Supply
from tests.support.paths import ROOT

ROWS = 32
SCRIPT = "/bench/kernel_stages.mjs"
TURNS = 4


def measure(bench: Bench, supply: Supply, quick: bool) -> dict[str, dict[str, float]]:
    """By stage: milliseconds a mini-batch, share of the time, GFLOP/s, share of the ceiling."""
    bench.site.mounts = {SCRIPT: _bundled(), **bench.site.mounts}
    opened = open_bundle(BUNDLE)
    tokenizer = SentencePieceTokenizer(opened.vocabulary)
    texts = sorted(supply.sentences(ROWS * (2 if quick else 20)), key=len)
    rows = [[piece.id for piece in pieces] for pieces in tokenizer.encode(texts)]
    batches = [_batch(rows[start : start + ROWS]) for start in range(0, len(rows), ROWS)]
    size: Any = opened.manifest.data["architecture"]
    model = f"/models/{BUNDLE.name}/{opened.manifest.file('graph').path}"
    found = _timed(bench, model, batches)
    large = _timed(bench, model, [_batch(sorted(rows, key=len)[-256:])])
    flop = _operations(size, found["pieces"], found["steps"])
    remembered = _operations(size, large["pieces"], large["steps"])["keys and values"]
    ceiling = remembered / large["seconds"]["batch_remember"]
    seconds = {
        "encoder": found["seconds"]["batch_encode"] + found["seconds"]["batch_embed"],
        "keys and values": found["seconds"]["batch_remember"],
        "decoder and output layer": found["seconds"]["batch_decode"],
    }
    whole = sum(seconds.values())
    table = {
        name: _row(spent, whole, flop[name], ceiling, len(batches))
        for name, spent in seconds.items()
    }
    table["all"] = _row(whole, whole, sum(flop.values()), ceiling, len(batches))
    table["ceiling"] = {"gflop_s": round(ceiling / 1e9, 1), "of_ceiling": 1.0}
    return table


def _row(
    seconds: float, whole: float, operations: float, ceiling: float, batches: int
) -> dict[str, float]:
    return {
        "ms_a_mini_batch": round(seconds / batches * 1000, 2),
        "share": round(seconds / whole, 4),
        "gflop_s": round(operations / seconds / 1e9, 1),
        "of_ceiling": round(operations / seconds / ceiling, 3),
    }


def _operations(size: dict[str, int], pieces: int, steps: int) -> dict[str, float]:
    """Multiplications and additions of the products, two a weight and row."""
    d, inner = size["dimension"], size["feed_forward"]
    feed_forward = 2 * d * inner
    layer = size["decoder_layers"] * (4 * d * d + feed_forward)  # SSRU 2, attention 2
    return {
        "encoder": 2.0 * pieces * size["encoder_layers"] * (4 * d * d + feed_forward),
        "keys and values": 2.0 * pieces * size["decoder_layers"] * 2 * d * d,
        "decoder and output layer": 2.0 * steps * (layer + size["vocabulary_size"] * d),
    }


def _timed(bench: Bench, model: str, batches: Sequence[dict[str, Any]]) -> dict[str, Any]:
    script = f"async (given) => (await import('{SCRIPT}')).measure(given)"
    given = {"model": model, "batches": list(batches), "turns": TURNS}
    found: dict[str, Any] = bench.page.evaluate(script, given)
    return found


def _batch(rows: Sequence[Sequence[int]]) -> dict[str, Any]:
    width = max(map(len, rows)) + 1
    lengths = [len(row) + 1 for row in rows]
    ids = [piece for row in rows for piece in [*row, *[0] * (width - len(row))]]
    limits = [length * 2 + 10 for length in lengths]
    return {"ids": ids, "lengths": lengths, "limits": limits, "width": width}


def _bundled() -> bytes:
    source = Path(__file__).with_suffix(".ts")
    command = ["npx", "--no-install", "esbuild", str(source), "--bundle", "--format=esm"]
    command += ['--define:ENGINE_THREAD=""']  # what is measured has one thread
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
