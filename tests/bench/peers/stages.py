"""Where the time goes, stage by stage.

In the browser, from what responses say of themselves: Python's stages, the engine with the crossing
to its worker and back, and the rest (messages from page to worker, scheduling). Inside the engine,
from onnxruntime's own profile of the native run: encoder, decoder, output layer, and operators.
"""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime

from dragoman.native.bundles import open_bundle
from dragoman.text.tokenizer import SentencePieceTokenizer
from tests.bench.peers.bergamot import BUNDLE, Bench
from tests.bench.texts import Supply

ROWS = 32
LOOPS = ("Loop", "If", "Scan")  # their time is that of what is in them
SMALLEST = 0.005


def in_browser(bench: Bench, supply: Supply, quick: bool) -> dict[str, dict[str, float]]:
    """Shares of the time of a call, one thread, by what is translated."""
    bench.call("open", {"name": "profile", "peer": "ours", "options": {"threads": 1}})
    bench.call("run", {"name": "profile", "texts": supply.sentences(64), "perCall": 64})
    wanted = {
        "a sentence": supply.sentences(10 if quick else 100),
        "a page": [supply.page(150 if quick else 1_500)],
    }
    found = {name: _shares(bench.call("stages", {"name": "profile", "texts": texts}))
             for name, texts in wanted.items()}  # fmt: skip
    bench.call("shut", {"name": "profile"})
    return found


def _shares(timings: list[dict[str, float]]) -> dict[str, float]:
    sums: dict[str, float] = defaultdict(float)
    for row in timings:
        for name, seconds in row.items():
            sums[name] += seconds
    page, total = sums["page"], sums["total"]
    known = {name: sums[name] for name in ("tokenize", "engine", "assemble")}
    known["queue and scheduling"] = max(0.0, total - sum(known.values()))
    known["page to worker and back"] = max(0.0, page - total)
    return {name: round(seconds / page, 4) for name, seconds in known.items()}


def in_engine(supply: Supply, sentences: int) -> dict[str, dict[str, float]]:
    """Shares of the engine's time: by part of the search, and by operator."""
    graph = open_bundle(BUNDLE).graph
    part_of = parts(onnx.load_model_from_string(graph))
    by_part: dict[str, float] = defaultdict(float)
    by_operator: dict[str, float] = defaultdict(float)
    for name, kind, duration in _events(graph, supply.sentences(sentences)):
        by_operator[kind] += duration
        by_part[part_of.get(name, "other")] += duration
    return {"parts": _fractions(by_part), "operators": _fractions(by_operator)}


def parts(model: onnx.ModelProto) -> dict[str, str]:
    """The part of the search that each node belongs to, by its name.

    The encoder is outside of the loop; in it, the output layer is what reads its weights, and
    whatever depends on that.
    """
    found = {node.name: "encoder" for node in model.graph.node}
    for body in _bodies(model.graph):
        results: set[str] = set()
        for node in body.node:
            last = any(name.startswith("output.") or name in results for name in node.input)
            if last:
                results.update(node.output)
            found[node.name] = "output layer and choice" if last else "decoder"
    return found


def _bodies(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield attribute.g
                yield from _bodies(attribute.g)


def _events(graph: bytes, texts: list[str]) -> list[tuple[str, str, float]]:
    """Node, operator, microseconds of each kernel that ran."""
    bundle = open_bundle(BUNDLE)
    longest = bundle.manifest.limits.source_pieces
    # The product wraps longer ones.
    rows = [
        [p.id for p in row][:longest]
        for row in SentencePieceTokenizer(bundle.vocabulary).encode(texts)
    ]
    rows.sort(key=len)
    with tempfile.TemporaryDirectory() as folder:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.enable_profiling = True
        options.profile_file_prefix = str(Path(folder) / "profile")
        session = onnxruntime.InferenceSession(graph, options)
        for start in range(0, len(rows), ROWS):
            batch = rows[start : start + ROWS]
            ids = np.zeros((len(batch), len(batch[-1]) + 1), np.int32)
            for number, row in enumerate(batch):
                ids[number, : len(row)] = row
            lengths = np.array([len(row) + 1 for row in batch], np.int32)
            feed = {"source_ids": ids, "lengths": lengths, "limits": lengths * 2 + 10}
            session.run(["target_ids", "log_probabilities"], feed)
        events = json.loads(Path(session.end_profiling()).read_text(encoding="utf-8"))
    suffix = "_kernel_time"
    return [
        (event["name"].removesuffix(suffix), event["args"]["op_name"], float(event["dur"]))
        for event in events
        if event["name"].endswith(suffix) and event["args"]["op_name"] not in LOOPS
    ]


def _fractions(sums: dict[str, float]) -> dict[str, float]:
    whole = sum(sums.values())
    ordered = sorted(sums.items(), key=lambda item: -item[1])
    return {name: round(v / whole, 4) for name, v in ordered if v / whole >= SMALLEST}


def measure(bench: Bench, supply: Supply, quick: bool) -> dict[str, Any]:
    return {
        "profile": {
            "browser, shares of a call": in_browser(bench, supply, quick),
            "engine, native, shares": in_engine(supply, 64 if quick else 640),
        }
    }
