"""Target pieces a second of training, and where the time goes; prints a line of JSON at the end.

    .venv/bin/python -m tests.bench.training [--vocabulary 16000] [--threads 2] [--profile]

Batches are random pieces with the lengths of everyday sentences, cut as a trainer cuts them; the
figure counts target pieces with their EOS, as the trainer's log does. Set the allocator as
`dragoman model train` does itself: this script starts again with it.
"""

from __future__ import annotations

import argparse
import json
import time
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from dragoman.models.data.batches import NO_TAG, Batch, PreparedData, Ragged
from dragoman.models.training.host import hardware, use_environment
from dragoman.models.training.settings import TrainSettings
from dragoman.models.training.train import Trainer
from dragoman.student.architecture import Architecture

PAIRS = 20_000
WARM_UP = 5  # updates before the clock starts: memory is touched, kernels are chosen


def random_data(vocabulary: int) -> PreparedData:
    """Pairs of about 16 and 18 pieces; a link from each target piece to a source piece."""
    rng = np.random.default_rng(1)
    lengths = np.clip(rng.lognormal(2.65, 0.5, PAIRS), 2, 80).astype(int)
    targets = np.clip(lengths * rng.normal(1.15, 0.15, PAIRS), 2, 80).astype(int)
    sides = [
        [rng.integers(2, vocabulary, size=length).tolist() for length in side]
        for side in (lengths, targets)
    ]
    links = [
        [value for n in range(min(len(a), len(b))) for value in (n, n)]
        for a, b in zip(*sides, strict=True)
    ]
    return PreparedData(
        source=Ragged.of(sides[0], np.uint16),
        target=Ragged.of(sides[1], np.uint16),
        links=Ragged.of(links, np.uint8),
        links_swapped=False,
        source_of=np.zeros(PAIRS, dtype=np.uint8),
        weights=np.ones(1),
        tags=np.array([NO_TAG]),
        vocabulary_size=vocabulary,
    )


def operations(sizes: Architecture, batch: Batch) -> dict[str, float]:
    """Giga multiply-adds of the matrix products of one update, forward and backward.

    The gradients take two products for each of the forward pass.
    """
    d, inner = sizes.dimension, sizes.feed_forward
    source, target = batch.source.size, batch.target.size
    real = int(batch.target_mask.sum())
    attention = 4 * d * d
    counts = {
        "encoder": sizes.encoder_layers * source * (attention + 2 * d * inner),
        "decoder": sizes.decoder_layers
        * (target * (2 * d * d + 2 * d * d + 2 * d * inner) + source * 2 * d * d),
        "output layer": real * d * sizes.vocabulary_size,
    }
    return {name: round(3 * count / 1e9, 1) for name, count in counts.items()}


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    sizes = Architecture(arguments.vocabulary)
    settings = TrainSettings(
        batch_pieces=arguments.batch_pieces,
        bfloat16=not arguments.float32,
        compiled=arguments.compile,
        optimizer=arguments.optimizer,
    )
    data = random_data(arguments.vocabulary)
    vocabulary: Any = None  # there is no validation
    with TemporaryDirectory() as folder:
        trainer = Trainer(Path(folder), data, vocabulary, [("", "")], sizes, settings)
        batches = [place[2] for place in islice(data.batches(settings.plan, 0, 0), 64)]
        for batch in batches[:WARM_UP]:
            trainer._update([batch])
        chosen = (batches * 99)[WARM_UP : WARM_UP + arguments.steps]
        wall, processor = time.perf_counter(), time.process_time()
        for batch in chosen:
            trainer._update([batch])
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        if arguments.profile:
            print_profile(trainer, chosen[:5])
    pieces = sum(int(batch.target_mask.sum()) for batch in chosen)
    padded = sum(batch.target.size for batch in chosen)
    work = [operations(sizes, batch) for batch in chosen]
    total = {name: round(sum(row[name] for row in work) / len(work), 1) for name in work[0]}
    return {
        "pieces_per_second": round(pieces / wall),
        "pieces_per_processor_second": round(pieces / processor),
        "steps": len(chosen),
        "milliseconds_a_step": round(1000 * wall / len(chosen)),
        "padding": round(1 - pieces / padded, 3),
        "giga_multiply_adds_a_step": total,
        "giga_multiply_adds_per_second": round(sum(total.values()) * len(chosen) / wall, 1),
        "vocabulary": arguments.vocabulary,
        "threads": torch.get_num_threads(),
        "hardware": hardware(trainer.device),
    }


def print_profile(trainer: Trainer, batches: list[Batch]) -> None:
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU]) as found:
        for batch in batches:
            trainer._update([batch])
    print(found.key_averages().table(sort_by="self_cpu_time_total", row_limit=25))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vocabulary", type=int, default=16_000)
    parser.add_argument("--batch-pieces", type=int, default=TrainSettings.batch_pieces)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--float32", action="store_true")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--optimizer", default=TrainSettings.optimizer)
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    use_environment()
    torch.set_num_threads(arguments.threads)
    print(json.dumps(measure(arguments)))


if __name__ == "__main__":
    main()
