"""The bridge as JavaScript sees it: sessions without a model, and JSON read strictly."""

from __future__ import annotations

import asyncio
import json
from array import array
from dataclasses import dataclass
from typing import Any

from dragoman.bridge import Session
from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine
from dragoman.engines.port import Engine
from tests.support.helpers import manifest_data, pipeline
from tests.support.hosts import TINY_VOCABULARY

TINY = TINY_VOCABULARY.read_bytes()


def session(engine: Engine | None = None, limits: Limits | None = None, **options: Any) -> Session:
    limits = limits or Limits()
    return Session(pipeline(limits=limits, **options), engine or EchoEngine(), limits)


def request_json(text: str, **fields: Any) -> str:
    return json.dumps({"text": text, "source": "de", "target": "en", **fields})


async def outcome(made: Session, text: str, **fields: Any) -> Any:
    return strict(await asyncio.wait_for(made.translate(1, request_json(text, **fields)), 20))


def strict(text: str) -> Any:
    """As JavaScript's JSON.parse reads it: no NaN, no Infinity; and plain ASCII on the way."""
    assert text.isascii()

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    return json.loads(text, parse_constant=refuse)


def javascript_slice(text: str, start: int, end: int) -> str:
    encoded = text.encode("utf-16-le", "surrogatepass")
    return encoded[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")


@dataclass
class TypedArray:
    """As Pyodide shows a JavaScript typed array."""

    values: array[Any]

    def to_bytes(self) -> bytes:
        return self.values.tobytes()


@dataclass
class RunResult:
    steps: int
    ids: TypedArray
    logProbabilities: TypedArray  # noqa: N815
    attention: TypedArray

    def release(self) -> None:
        """Nothing is held here."""


async def _copying(
    ids: Any, lengths: Any, limits: Any, rows: int, width: int, attention: bool
) -> RunResult:
    """What the engine worker would answer if its model copied."""
    assert (len(ids), len(lengths), len(limits)) == (rows * width, rows, rows)
    assert memoryview(ids).itemsize == memoryview(lengths).itemsize == 4
    matrix = array("f", [float(row == column) for _ in range(rows) for row in range(width)
                         for column in range(width)])  # fmt: skip
    return RunResult(
        width,
        TypedArray(array("i", ids)),
        TypedArray(array("f", [0.0]) * (rows * width)),
        TypedArray(matrix if attention else array("f")),
    )


copying_run: Any = _copying
copying_run.close = lambda: None


def tiny_manifest(**changes: Any) -> str:
    from dragoman.text.tokenizer import SentencePieceTokenizer

    size = SentencePieceTokenizer(TINY).size
    return json.dumps(
        manifest_data(architecture={"vocabulary_size": size, "dimension": 256}, **changes)
    )
