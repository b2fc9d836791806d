"""Pyodide's door to the core: plain data in, plain data out, UTF-16 outside.

The contract is ``docs/protocol.md``. Text crosses as JSON, which keeps lone surrogates intact in
both directions; ranges are converted here and nowhere else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from dragoman.bundle import parse_manifest
from dragoman.config import Limits
from dragoman.engine import Engine
from dragoman.engines.onnxruntime_web import OnnxRuntimeWebEngine, RunFunction
from dragoman.errors import DragomanError, InvalidRequestError
from dragoman.pipeline import Pipeline
from dragoman.service import Progress, TranslationHandle, TranslationService
from dragoman.tokenizer import SentencePieceTokenizer
from dragoman.types import (
    AlignmentKind,
    OverlongPolicy,
    SoftAlignment,
    TranslationRequest,
    TranslationResponse,
)
from dragoman.utf16 import Utf16Index

ProgressFunction = Callable[[str, int, int], object]


def open_session(
    manifest_json: str, vocabulary: bytes, run: RunFunction, limits_json: str | None = None
) -> Session:
    """Make the core ready; must be called on the event loop that will be used.

    Raises:
        BundleError: the manifest or the vocabulary cannot be used, or they do not fit.
        InvalidRequestError: a limit has an unknown name, or is not a whole number above 0.
    """
    limits = read_limits(limits_json) if limits_json else Limits()
    manifest = parse_manifest(manifest_json)
    pipeline = Pipeline(manifest, SentencePieceTokenizer(bytes(vocabulary)), limits)
    return Session(pipeline, OnnxRuntimeWebEngine(run), limits)


class Session:
    """One loaded model behind JSON."""

    def __init__(self, pipeline: Pipeline, engine: Engine, limits: Limits) -> None:
        self._service = TranslationService(pipeline, engine, limits)
        self._open: dict[int, TranslationHandle] = {}

    async def translate(
        self, client_id: int, request_json: str, on_progress: ProgressFunction | None = None
    ) -> str:
        """The outcome of a request, as JSON; never raises for anything a client can cause."""
        try:
            request = read_request(request_json)
            if client_id in self._open:
                raise InvalidRequestError(f"the id {client_id!r} is in use")
            handle = self._service.submit(request, _listener(on_progress))
            self._open[client_id] = handle
            try:
                response = await handle.response
            finally:
                self._open.pop(client_id, None)
            return json.dumps({"ok": True, "response": response_data(response)})
        except DragomanError as error:
            return json.dumps({"ok": False, "error": error_data(error)})
        except Exception as error:  # Such as MemoryError: the page must hear of it all the same.
            unforeseen = DragomanError(f"an unforeseen error: {error!r}")
            return json.dumps({"ok": False, "error": error_data(unforeseen)})

    def cancel(self, client_id: int) -> None:
        """Cancel a request; an unknown or ended one is ignored."""
        handle = self._open.get(client_id)
        if handle:
            handle.cancel()

    async def close(self) -> None:
        await self._service.close()


def _listener(on_progress: ProgressFunction | None) -> Callable[[Progress], None] | None:
    if on_progress is None:
        return None

    def report(progress: Progress) -> None:
        on_progress(str(progress.state), progress.done, progress.total)

    return report


def read_request(request_json: str) -> TranslationRequest:
    """Parse a request.

    Raises:
        InvalidRequestError: it is not JSON, lacks a field, or a field has an unknown value.
    """
    try:
        data = json.loads(request_json)
        for name in ("text", "source", "target"):
            if not isinstance(data[name], str):
                raise InvalidRequestError(f"{name!r} is not a string")
        return TranslationRequest(
            text=data["text"],
            source=data["source"],
            target=data["target"],
            alignment=AlignmentKind(data.get("alignment", "hard")),
            overlong=OverlongPolicy(data.get("overlong", "wrap")),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidRequestError(f"the request cannot be read: {error!r:.200}") from error


def read_limits(limits_json: str) -> Limits:
    """Parse limits; those that are not named have their defaults.

    Raises:
        InvalidRequestError: a limit has an unknown name, or is not a whole number above 0.
    """
    try:
        data: dict[str, Any] = json.loads(limits_json)
        named = data.items()
    except (ValueError, AttributeError, RecursionError) as error:
        raise InvalidRequestError(f"the limits cannot be read: {error!r:.200}") from error
    known = {limit.name for limit in fields(Limits)}
    for name, value in named:
        if name not in known or type(value) is not int or value < 1:
            raise InvalidRequestError(f"no limit: {name!r} of {value!r}")
    return Limits(**data)


def error_data(error: DragomanError) -> dict[str, Any]:
    return {"code": error.code, "message": error.message, "details": error.details}


def response_data(response: TranslationResponse) -> dict[str, Any]:
    """A response as plain data, every range in UTF-16 code units."""
    source, target = Utf16Index(response.request.text), Utf16Index(response.text)
    soft = response.request.alignment is AlignmentKind.SOFT
    return {
        "text": response.text,
        "sentences": [
            {
                "source": source.range(sentence.source),
                "target": target.range(sentence.target),
                "score": sentence.score,
            }
            for sentence in response.sentences
        ],
        "alignment": _alignment_data(response, source, target),
        "soft": [_soft_data(s.soft, source, target) for s in response.sentences] if soft else None,
        "warnings": [
            {
                "code": notice.code,
                "message": notice.message,
                "span": source.range(notice.span) if notice.span else None,
            }
            for notice in response.warnings
        ],
        "timings": {
            "queued": response.timings.queued,
            "tokenize": response.timings.tokenize,
            "engine": response.timings.engine,
            "assemble": response.timings.assemble,
            "total": response.timings.total,
        },
    }


def _alignment_data(
    response: TranslationResponse, source: Utf16Index, target: Utf16Index
) -> Mapping[str, Any] | None:
    if response.request.alignment is AlignmentKind.NONE:
        return None
    alignment = response.alignment
    return {
        "sourceWords": [source.range(span) for span in alignment.source_words],
        "targetWords": [target.range(span) for span in alignment.target_words],
        "links": alignment.links,
        "scores": alignment.scores,
    }


def _soft_data(
    soft: SoftAlignment | None, source: Utf16Index, target: Utf16Index
) -> Mapping[str, Any] | None:
    if soft is None:
        return None
    return {
        "source": [source.range(span) for span in soft.source],
        "target": [target.range(span) for span in soft.target],
        "matrix": list(soft.matrix),
    }
