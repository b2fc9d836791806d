"""The native half of the parity suite: what each case gives here, for the other host to match."""

from __future__ import annotations

import asyncio
import json
from array import array
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dragoman.config import Limits
from dragoman.engines.bundle import parse_manifest
from dragoman.engines.port import Engine
from dragoman.native.bundles import load_parts
from dragoman.pipeline.pipeline import Pipeline
from dragoman.routing.registry import LoadedModel, ModelRegistry
from dragoman.routing.router import Router
from dragoman.types import (
    AlignmentKind,
    EngineOutput,
    LanguagePair,
    MiniBatch,
    Span,
    TranslationMemory,
    TranslationRequest,
    TranslationResponse,
)
from dragoman.wire.responses import RangeUnit, read_elements, response_data
from tests.parity.inspection import parts

CASES = Path(__file__).with_name("cases.jsonl")

Case = dict[str, Any]
Run = dict[str, Any]


@dataclass
class RecordingEngine:
    """An engine that keeps what went in and out, as `run_node.mjs` does."""

    engine: Engine
    runs: list[Run] = field(default_factory=list)

    async def run(self, batch: MiniBatch, *, attention: bool) -> EngineOutput:
        output = await self.engine.run(batch, attention=attention)
        run = {"source": _base64(batch.ids), "steps": output.steps, "ids": _base64(output.ids)}
        run["logProbabilities"] = _base64(output.log_probabilities)
        run["attention"] = _base64(output.attention)
        if not batch.is_greedy:
            run["scores"] = _base64(output.scores)
        self.runs.append(run)
        return output

    async def close(self) -> None:
        await self.engine.close()


class ReplayingEngine:
    """Gives what another host's engine gave, mini-batch by mini-batch."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._runs = iter(runs)

    async def run(self, batch: MiniBatch, *, attention: bool) -> EngineOutput:
        run = next(self._runs)
        assert attention
        assert run["source"] == _base64(batch.ids), "the hosts made different mini-batches"
        return EngineOutput(
            run["steps"],
            values(run, "ids"),
            values(run, "logProbabilities"),
            values(run, "attention"),
            *([values(run, "scores")] if "scores" in run else ()),
        )

    async def close(self) -> None:
        assert next(self._runs, None) is None, "the other host ran more mini-batches"


class _OneModel:
    """The source of a registry."""

    def __init__(self, pipeline: Pipeline, engine: Engine) -> None:
        self._model = LoadedModel(pipeline, engine)
        manifest = pipeline.manifest
        self.pairs = (LanguagePair(manifest.source, manifest.target),)

    def size(self, pair: LanguagePair) -> int:  # noqa: ARG002 - there is one
        return 0

    async def load(self, pair: LanguagePair) -> LoadedModel:  # noqa: ARG002
        return self._model


def _base64(numbers: array[Any]) -> str:
    return b64encode(numbers.tobytes()).decode()


def values(run: Run, name: str) -> array[Any]:
    numbers: array[Any] = array("i" if name in ("ids", "source") else "f")
    numbers.frombytes(b64decode(run[name]))
    return numbers


def read_cases(path: Path = CASES) -> list[Case]:
    # Lines end in \n only: a text may hold other line separators.
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def translate(
    bundle: Path,
    cases: Sequence[Case],
    *,
    shortlist: bool | None = None,
    memory: TranslationMemory | None = None,
) -> list[Case]:
    """Each case with its outcome, its parts, the engine's runs, and the substring at each range.

    The engine is the one that the product takes for the graph; ``$DRAGOMAN_KERNEL`` holds here too.
    """
    parts = load_parts(bundle, threads=1, shortlist=shortlist)
    return asyncio.run(_translate(parts.pipeline, cases, parts.engine, memory))


def graph_of(bundle: Path) -> bytes:
    manifest = parse_manifest((bundle / "manifest.json").read_text())
    return (bundle / manifest.file("graph").path).read_bytes()


def replay(bundle: Path, cases: Sequence[Case], answers: Sequence[Case]) -> list[Case]:
    """The same by this host's core, with what the other host's engine gave."""
    runs = [run for answer in answers for run in answer["runs"]]
    pipeline = load_parts(bundle, threads=1).pipeline
    return asyncio.run(_translate(pipeline, cases, ReplayingEngine(runs)))


async def _translate(
    pipeline: Pipeline,
    cases: Sequence[Case],
    engine: Engine,
    memory: TranslationMemory | None = None,
) -> list[Case]:
    manifest = pipeline.manifest
    recording = RecordingEngine(engine)
    registry = ModelRegistry(_OneModel(pipeline, recording), Limits())
    router = Router(registry, Limits())
    results = []
    for case in cases:  # one after the other, so that both hosts make the same mini-batches
        recording.runs = []
        text = case["text"]
        elements = read_elements(case.get("elements", []), text, RangeUnit.UTF16)
        request = TranslationRequest(
            text,
            manifest.source,
            manifest.target,
            AlignmentKind.SOFT,
            elements=elements,
            memory=memory,
            **case.get("choices", {}),
        )
        response = await router.translate(request)
        results.append(
            {
                **case,
                "outcome": {"ok": True, "response": response_data(response, RangeUnit.UTF16)},
                "parts": parts(pipeline, text),
                "runs": recording.runs,
                "substrings": substrings(response),
            }
        )
    await registry.close()
    # As the other host's come: plain JSON.
    plain: list[Case] = json.loads(json.dumps(results))
    return plain


def substrings(response: TranslationResponse) -> dict[str, list[str]]:
    """What Python cuts out at each range, in code points."""
    source, target = response.request.text, response.text

    def cut(text: str, spans: Sequence[Span]) -> list[str]:
        return [span.of(text) for span in spans]

    return {
        "source": cut(source, [sentence.source for sentence in response.sentences]),
        "target": cut(target, [sentence.target for sentence in response.sentences]),
        "sourceWords": cut(source, response.alignment.source_words),
        "targetWords": cut(target, response.alignment.target_words),
    }
