"""ADR 1: the greedy loop inside the graph against a step graph that the host drives.

Source words a second at 1 and 32 sentences, natively and in Chromium, one thread. The weights are
random (speed does not depend on them) and every sentence has 12 words, 18 source pieces and 16
steps, so both designs do the same work. Prints a table and writes build/decoding_loop.json.

    .venv/bin/python -m tests.bench.graph.decoding_loop
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import onnxruntime
import torch
from numpy.typing import NDArray

from dragoman.models.network.student import Architecture, Student
from dragoman.student.exporter import Exporter, Precision, translation_graph
from tests.bench.graph.chromium import measure_in_chromium
from tests.bench.graph.step_graph import encoder_graph, step_graph
from tests.support.paths import ROOT

WORDS, PIECES, STEPS, DIMENSION = 12, 18, 16, 256
ROWS = (1, 32)
WARM_UP_SECONDS, SECONDS = 3.0, 6.0


class AnyRange(dict[str, float]):
    """The same activation range for every product: it changes no speed."""

    def __missing__(self, key: str) -> float:
        return 6.0


def graphs() -> dict[str, bytes]:
    torch.manual_seed(0)
    exporter = Exporter(Student(Architecture()), Precision.INT8, AnyRange(unused=1.0))
    return {
        "loop": translation_graph(exporter).SerializeToString(),
        "encoder": encoder_graph(exporter).SerializeToString(),
        "step": step_graph(exporter).SerializeToString(),
    }


def inputs(rows: int) -> dict[str, NDArray[np.int32]]:
    ids = np.random.default_rng(0).integers(300, 8000, (rows, PIECES)).astype(np.int32)
    ids[:, -1] = 0
    return {
        "source_ids": ids,
        "lengths": np.full(rows, PIECES, np.int32),
        "limits": np.full(rows, STEPS, np.int32),
    }


def session(graph: bytes) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(graph, options)


def native_loop(models: dict[str, bytes]) -> Callable[[int], None]:
    loop = session(models["loop"])
    return lambda rows: loop.run(None, inputs(rows))


def native_step(models: dict[str, bytes]) -> Callable[[int], None]:
    encoder, step = session(models["encoder"]), session(models["step"])
    names = [output.name for output in encoder.get_outputs()]
    value = onnxruntime.OrtValue.ortvalue_from_numpy

    def run(rows: int) -> None:
        given = inputs(rows)
        memory = dict(
            zip(
                names,
                encoder.run_with_ort_values(
                    names, {name: value(given[name]) for name in ("source_ids", "lengths")}
                ),
                strict=True,
            )
        )
        ids = value(np.full(rows, -1, np.int32))
        states = [value(np.zeros((rows, DIMENSION), np.float32))] * 2
        wanted = ["best", "log_probability", "weights", "next_state.0", "next_state.1"]
        for number in range(STEPS):
            results = step.run_with_ort_values(
                wanted,
                {
                    **memory,
                    "ids": ids,
                    "step": value(np.array(number, np.int64)),
                    "state.0": states[0],
                    "state.1": states[1],
                },
            )
            ids, states = results[0], results[3:5]

    return run


def median_seconds(run: Callable[[int], None], rows: int) -> float:
    end = time.perf_counter() + WARM_UP_SECONDS
    while time.perf_counter() < end:
        run(rows)
    times: list[float] = []
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        start = time.perf_counter()
        run(rows)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def in_chromium(models: dict[str, bytes]) -> dict[str, dict[str, float]]:
    sizes = {"rows": ROWS, "pieces": PIECES, "steps": STEPS, "dimension": DIMENSION}
    timing = {"warmUp": WARM_UP_SECONDS * 1000, "run": SECONDS * 1000}
    figures: dict[str, dict[str, float]] = measure_in_chromium(
        "decoding_loop.mjs", models, {**sizes, **timing}
    )
    return figures


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    torch.set_num_threads(1)
    models = graphs()
    results: dict[str, dict[str, float]] = {}
    for name, run in (("native loop", native_loop(models)), ("native step", native_step(models))):
        results[name] = {str(rows): median_seconds(run, rows) * 1000 for rows in ROWS}
    for name, times in in_chromium(models).items():
        results[f"chromium {name}"] = times
    report: dict[str, Any] = {
        "machine": platform.processor() or platform.machine(),
        "onnxruntime": onnxruntime.__version__,
        "milliseconds": results,
        "words_per_second": {
            name: {rows: WORDS * int(rows) / ms * 1000 for rows, ms in times.items()}
            for name, times in results.items()
        },
    }
    output = ROOT / "build" / "decoding_loop.json"
    output.write_text(json.dumps(report, indent=1), encoding="utf-8")
    print(f"{'source words a second':24}" + "".join(f"{rows:>6} rows" for rows in ROWS))
    for name, speeds in report["words_per_second"].items():
        print(f"{name:24}" + "".join(f"{speed:11.0f}" for speed in speeds.values()))


if __name__ == "__main__":
    main()
