"""The errors of each route, for the documentation: what clients may meet, with an example each."""

from __future__ import annotations

from typing import Any, NamedTuple

from dragoman.server.schema import ErrorAnswer


class _Example(NamedTuple):
    code: str
    message: str
    details: dict[str, str | int | float | None]


_DESCRIPTIONS = {
    400: "The body is not JSON.",
    403: "The page is of another origin, or called the server by another name.",
    404: "There is no model for the pair of languages.",
    405: "The address knows no such method.",
    408: "Nothing more of the body came.",
    413: "The text, the body, the batch, the glossary or the memory is too long.",
    415: "The body is not declared as JSON.",
    422: "A field is missing or wrong, or a sentence is too long.",
    500: "The model cannot be used, or its engine failed.",
    503: "Too much is waiting, or the server is starting or closing.",
    504: "The text was not translated by its deadline.",
}
_SIZES: dict[str, str | int | float | None] = {"requested": 1_000_000, "allowed": 500_000}
_EXAMPLES: dict[int, tuple[_Example, ...]] = {
    400: (_Example("invalid-request", "the body is not JSON", {}),),
    403: (
        _Example(
            "origin-not-allowed", "pages of other origins may not ask; see --allow-origin", {}
        ),
        _Example("host-not-allowed", "the server does not go by this name; see --allow-host", {}),
    ),
    404: (
        _Example(
            "language-pair", "there is no model from 'fr' to 'en'; available: de-en",
            {"source": "fr", "target": "en"},
        ),
    ),
    405: (_Example("method-not-allowed", "method not allowed", {}),),
    408: (
        _Example("body-timeout", "nothing more of the body came within 30 s", {"allowed": 30}),
    ),
    413: (
        _Example(
            "text-too-long",
            "the text has too many characters: 1,000,000 requested, 500,000 allowed", _SIZES,
        ),
        _Example(
            "page-too-large",
            "the page has too many levels: 600 requested, 512 allowed",
            {"requested": 600, "allowed": 512, "counted": "levels"},
        ),
        _Example(
            "body-too-large",
            "the body is too large: 19,000,000 bytes requested, 16,000,000 allowed",
            {"requested": 19_000_000, "allowed": 16_000_000},
        ),
        _Example(
            "glossary-too-large",
            "the glossary has too many terms: 12,000 requested, 10,000 allowed",
            {"requested": 12_000, "allowed": 10_000, "counted": "terms"},
        ),
        _Example(
            "translation-memory-too-large",
            "the translation memory has too many entries: 120,000 requested, 100,000 allowed",
            {"requested": 120_000, "allowed": 100_000, "counted": "entries"},
        ),
        _Example(
            "batch-too-large", "the batch has too many texts: 2,000 requested, 1,000 allowed",
            {"requested": 2_000, "allowed": 1_000},
        ),
    ),
    415: (
        _Example(
            "unsupported-media-type", "the body must be JSON (Content-Type: application/json)", {}
        ),
    ),
    422: (
        _Example("invalid-request", "target: Field required", {"field": "target"}),
        _Example(
            "invalid-glossary",
            "term 3: the source needs a letter or figure, and no space around it", {"term": 3},
        ),
        _Example(
            "invalid-translation-memory",
            "entry 3: the source is empty, or has white space around it", {"entry": 3},
        ),
        _Example(
            "sentence-too-long", "a sentence has too many pieces: 120 requested, 96 allowed",
            {"requested": 120, "allowed": 96},
        ),
    ),
    500: (
        _Example("engine", "the engine failed: out of memory", {}),
        _Example(
            "bundle-corrupt", "model.onnx has 5 bytes, the manifest says 11,200,000",
            {"path": "model.onnx", "expected": 11_200_000, "found": 5},
        ),
        _Example("internal", "the server failed; its log says where", {}),
    ),
    503: (
        _Example(
            "queue-full", "too many sentences wait: 100,001 requested, 100,000 allowed",
            {"requested": 100_001, "allowed": 100_000},
        ),
        _Example(
            "server-busy", "too many requests at once: 257 requested, 256 allowed",
            {"requested": 257, "allowed": 256},
        ),
        _Example("cancelled", "the server is closing", {}),
        _Example("not-ready", "there is no model on this machine", {}),
        _Example("worker-gone", "the process that translated this went away, twice", {}),
    ),
    504: (
        _Example(
            "deadline", "not ready within 2.5 s: 3 of 40 sentences were done",
            {"deadline": 2.5, "done": 3, "total": 40},
        ),
    ),
}  # fmt: skip


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The errors of a route, as FastAPI's `responses`; every route has those of the door, and where
    there is a body (of some type: 415) it may not come to its end."""
    body = {408} if 415 in statuses else set()
    return {status: _described(status) for status in sorted({403, 405, *body, *statuses})}


def _described(status: int) -> dict[str, Any]:
    examples = {
        example.code: {"value": {"error": example._asdict()}} for example in _EXAMPLES[status]
    }
    return {
        "model": ErrorAnswer,
        "description": _DESCRIPTIONS[status],
        "content": {"application/json": {"examples": examples}},
    }
