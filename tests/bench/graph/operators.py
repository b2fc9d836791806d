"""ADR 3: what single operators cost, natively and in Chromium, one thread.

Microseconds an operator at 1 and 32 rows; each graph repeats its operator, so calls weigh little.

    .venv/bin/python -m tests.bench.graph.operators
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
import onnxruntime

from dragoman.student.builder import FLOAT, GraphBuilder, TensorType
from tests.bench.graph.chromium import measure_in_chromium

DIMENSION, INNER, PIECES = 256, 1536, 8000
QUERIES, KEYS = 64, 40
ROWS = (1, 32)
REPEATS = 8
SECONDS = 2.0

Emit = Callable[[GraphBuilder, str, int], str]


def _weight(g: GraphBuilder, number: int) -> str:
    values = np.random.default_rng(number).integers(-127, 127, (DIMENSION, INNER))
    return g.constant(f"weight.{number}", values.astype(np.int8))


def dynamic_product(g: GraphBuilder, x: str, number: int) -> str:
    scale = g.constant("weight_scale", np.float32(0.01))
    return g.microsoft("DynamicQuantizeMatMul", x, _weight(g, number), scale)


def static_product(g: GraphBuilder, x: str, number: int) -> str:
    scale, zero = g.constant("scale", np.float32(0.02)), g.constant("zero", np.uint8(128))
    weight_scale = g.constant("weight_scale", np.float32(0.01))
    quantized = g.op("QuantizeLinear", x, scale, zero)
    weight = _weight(g, number)
    return g.microsoft("MatMulIntegerToFloat", quantized, weight, scale, weight_scale, zero)


def _norm(g: GraphBuilder) -> tuple[str, str]:
    ones, zeros = np.ones(DIMENSION, np.float32), np.zeros(DIMENSION, np.float32)
    return g.constant("ones", ones), g.constant("zeros", zeros)


def skip_layer_normalization(g: GraphBuilder, x: str, number: int) -> str:
    shifted = g.constant(f"shift.{number}", np.float32(number))
    return g.microsoft("SkipLayerNormalization", x, g.op("Add", x, shifted), *_norm(g))


def add_layer_normalization(g: GraphBuilder, x: str, number: int) -> str:
    shifted = g.op("Add", x, g.constant(f"shift.{number}", np.float32(number)))
    return g.op("LayerNormalization", g.op("Add", x, shifted), *_norm(g), axis=-1)


def arg_max(g: GraphBuilder, x: str, number: int) -> str:
    shifted = g.op("Add", x, g.constant(f"shift.{number}", np.float32(number)))
    last = g.constant("last", np.array([-1]))
    best = g.op("Cast", g.op("ArgMax", shifted, axis=-1, keepdims=1), to=FLOAT)
    return g.op("Add", best, g.op("ReduceLogSumExp", shifted, last))


def blocked_max(g: GraphBuilder, x: str, number: int) -> str:
    shifted = g.op("Add", x, g.constant(f"shift.{number}", np.float32(number)))
    last = g.constant("last", np.array([-1]))
    shape = g.constant("shape", np.array([0, 80, 100]))
    cells = g.op("Reshape", g.op("Softmax", shifted, axis=-1), shape)
    tops = g.op("ReduceMax", cells, last, keepdims=0)
    block = g.op("ArgMax", tops, axis=-1, keepdims=1)
    within = g.op("ArgMax", g.op("GatherND", cells, block, batch_dims=1), axis=-1, keepdims=1)
    best = g.op("Cast", g.op("Add", block, within), to=FLOAT)
    return g.op("Add", best, g.op("Log", g.op("ReduceMax", tops, last)))


def _scores(g: GraphBuilder, x: str, number: int) -> str:
    """As far apart as those of a trained model: up to 400."""
    scaled = g.op("Mul", x, g.constant(f"spread.{number}", np.float32(400 - number)))
    return g.op("Reshape", scaled, g.constant("shape.scores", np.array([0, QUERIES, KEYS])))


def plain_softmax(g: GraphBuilder, x: str, number: int) -> str:
    return g.op("Softmax", _scores(g, x, number), axis=-1)


def bounded_softmax(g: GraphBuilder, x: str, number: int) -> str:
    scores = _scores(g, x, number)
    best = g.op("ReduceMax", scores, g.constant("last", np.array([-1])), keepdims=1)
    least = g.op("Sub", best, g.constant("farthest", np.float32(64)))
    return g.op("Softmax", g.op("Max", scores, least), axis=-1)


OPERATORS: dict[str, tuple[Emit, int]] = {
    "DynamicQuantizeMatMul 256x1536": (dynamic_product, DIMENSION),
    "QuantizeLinear + MatMulIntegerToFloat 256x1536": (static_product, DIMENSION),
    "SkipLayerNormalization 256": (skip_layer_normalization, DIMENSION),
    "Add + LayerNormalization 256": (add_layer_normalization, DIMENSION),
    "ArgMax + ReduceLogSumExp 8000": (arg_max, PIECES),
    "Softmax + maximum by blocks 8000": (blocked_max, PIECES),
    "Softmax 64x40, scores far apart": (plain_softmax, QUERIES * KEYS),
    "Max (best - 64) + Softmax 64x40": (bounded_softmax, QUERIES * KEYS),
}


def graph(emit: Emit, width: int) -> bytes:
    g = GraphBuilder()
    results = [emit(g, "x", number) for number in range(REPEATS)]
    total = [g.op("ReduceMax", result, keepdims=0) for result in results]
    for number, value in enumerate(total):
        g.rename(value, f"y.{number}")
    outputs = [TensorType(f"y.{number}", FLOAT, ()) for number in range(REPEATS)]
    model = g.model("operator", [TensorType("x", FLOAT, ("M", width))], outputs)
    content: bytes = model.SerializeToString()
    return content


def native_microseconds(model: bytes, width: int, rows: int) -> float:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options)
    x = np.random.default_rng(0).random((rows, width), dtype=np.float32)
    times: list[float] = []
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        start = time.perf_counter()
        session.run(None, {"x": x})
        times.append(time.perf_counter() - start)
    return statistics.median(times) / REPEATS * 1e6


def main() -> None:
    names = {f"operator-{i}": name for i, name in enumerate(OPERATORS)}
    models = {key: graph(*OPERATORS[name]) for key, name in names.items()}
    widths = {key: OPERATORS[name][1] for key, name in names.items()}
    given = {"widths": widths, "rows": ROWS, "run": SECONDS * 1000, "repeats": REPEATS}
    browser = measure_in_chromium("operators.mjs", models, given)
    print(f"{'microseconds an operator':50}" + "".join(f"{h:>13}" for h in _headings()))
    for key, name in names.items():
        native = [native_microseconds(models[key], widths[key], rows) for rows in ROWS]
        cells = [*native, *(browser[key][str(rows)] for rows in ROWS)]
        print(f"{name:50}" + "".join(f"{cell:13.1f}" for cell in cells))


def _headings() -> list[str]:
    return [f"{host} {rows}" for host in ("native", "Chromium") for rows in ROWS]


if __name__ == "__main__":
    main()
