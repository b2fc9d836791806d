"""The native half of the parity suite: what each case gives here, for the other host to match."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspection import parts

from dragoman.bridge import response_data
from dragoman.bundle import parse_manifest
from dragoman.config import Limits
from dragoman.engines.onnxruntime import OnnxRuntimeEngine
from dragoman.pipeline import Pipeline
from dragoman.service import TranslationService
from dragoman.tokenizer import SentencePieceTokenizer
from dragoman.types import (
    AlignmentKind,
    EngineOutput,
    MiniBatch,
    Span,
    TranslationRequest,
    TranslationResponse,
)

CASES = Path(__file__).with_name("cases.jsonl")

Case = dict[str, Any]


@dataclass
class RecordingEngine:
    """The native engine; keeps what went in and out."""

    engine: OnnxRuntimeEngine
    runs: list[dict[str, object]] = field(default_factory=list)

    async def run(self, batch: MiniBatch, *, attention: bool) -> EngineOutput:
        output = await self.engine.run(batch, attention=attention)
        self.runs.append(
            {
                "source": list(batch.ids),
                "steps": output.steps,
                "ids": list(output.ids),
                "logProbabilities": list(output.log_probabilities),
            }
        )
        return output

    async def close(self) -> None:
        await self.engine.close()


def read_cases(path: Path = CASES) -> list[Case]:
    # Lines end in \n only: a text may hold other line separators.
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def translate(bundle: Path, cases: Sequence[Case]) -> list[Case]:
    """Each case with its outcome, pieces, engine runs, and the substring at each range.

    One after the other: the int8 activations of a mini-batch share a scale, so a score depends a
    little on the companions, and these must be the same in both hosts.
    """
    return asyncio.run(_translate(bundle, cases))


async def _translate(bundle: Path, cases: Sequence[Case]) -> list[Case]:
    manifest = parse_manifest((bundle / "manifest.json").read_text())
    graph, vocabulary = (
        (bundle / manifest.file(role).path).read_bytes() for role in ("graph", "vocabulary")
    )
    pipeline = Pipeline(manifest, SentencePieceTokenizer(vocabulary), Limits())
    engine = RecordingEngine(OnnxRuntimeEngine(graph, threads=1))
    service = TranslationService(pipeline, engine, Limits())
    results = []
    for case in cases:
        engine.runs = []
        text = case["text"]
        response = await service.translate(
            TranslationRequest(text, manifest.source, manifest.target, AlignmentKind.SOFT)
        )
        results.append(
            {
                **case,
                "outcome": {"ok": True, "response": response_data(response)},
                "parts": parts(pipeline, text),
                "runs": engine.runs,
                "substrings": substrings(response),
            }
        )
    await service.close()
    # As the other host's come: plain JSON.
    return json.loads(json.dumps(results))


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
