"""What a client is answered."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
)
from pydantic.alias_generators import to_camel

from dragoman.server.languages.schema import Candidate
from dragoman.server.schema.bodies import Range, TermBody
from dragoman.types import TermOutcome
from dragoman.wire.responses import RangeUnit


class Alternative(BaseModel):
    """Another translation of a sentence; its ranges are in its own text."""

    model_config = ConfigDict(alias_generator=to_camel)

    text: str
    score: Annotated[float, Field(ge=0, le=1)]
    doubtful: bool
    target_words: list[Range] | None = None
    links: Annotated[
        list[Range] | None, Field(description="[source word of the text, target word], by index.")
    ] = None
    scores: list[float] | None = None
    memory_source: Annotated[
        str | None,
        Field(description="Of a translation memory: what it translates; the score is likeness."),
    ] = None


class Sentence(BaseModel):
    """Where a sentence stands in both texts."""

    model_config = ConfigDict(alias_generator=to_camel)

    source: Range
    target: Range
    score: Annotated[float, Field(ge=0, le=1, description="How sure the model was.")]
    doubtful: Annotated[
        bool, Field(description="The translation is likely to be bad, by a measured threshold.")
    ]
    alternatives: Annotated[
        list[Alternative] | None,
        Field(description="The most probable first; only where some were asked for."),
    ] = None
    from_memory: Annotated[
        bool | None,
        Field(description="Taken from the translation memory; only where there is one."),
    ] = None


class Alignment(BaseModel):
    """Words of both texts, and the links between them."""

    model_config = ConfigDict(alias_generator=to_camel)

    source_words: list[Range]
    target_words: list[Range]
    links: Annotated[list[Range], Field(description="[source word, target word], by index.")]
    scores: Annotated[list[float], Field(description="One a target word, 0 to 1.")]


class Soft(BaseModel):
    """Attention of one sentence."""

    source: Annotated[list[Range], Field(description="Pieces of the source; the last is its end.")]
    target: list[Range]
    matrix: Annotated[list[float], Field(description="Row-major, a row a target piece.")]


class Notice(BaseModel):
    """Something that the client should know."""

    model_config = ConfigDict(title="Warning")

    code: str
    message: str
    span: Range | None


class TermUse(BaseModel):
    """What became of a term of the glossary."""

    term: TermBody
    outcome: Annotated[
        TermOutcome,
        Field(description="said: by the model itself; forced: put in its place; missed."),
    ]
    source: Range | None
    target: Range | None


class Timings(BaseModel):
    """Seconds."""

    queued: float
    tokenize: float
    engine: float
    assemble: float
    total: float


_ANSWER: dict[str, JsonValue] = {
    "text": "Good morning!",
    "unit": "utf16",
    "sentences": [{"source": [0, 13], "target": [0, 13], "score": 0.91, "doubtful": False}],
    "alignment": {
        "sourceWords": [[0, 5], [6, 12], [12, 13]],
        "targetWords": [[0, 4], [5, 12], [12, 13]],
        "links": [[0, 0], [1, 1], [2, 2]],
        "scores": [0.9, 0.95, 0.99],
    },
    "soft": None,
    "content": None,
    "terms": None,
    "warnings": [],
    "timings": {"queued": 0.0, "tokenize": 0.0, "engine": 0.02, "assemble": 0.0, "total": 0.02},
}


class TranslateAnswer(BaseModel):
    """A translation."""

    model_config = ConfigDict(json_schema_extra={"example": _ANSWER})

    text: str
    unit: RangeUnit
    sentences: list[Sentence]
    alignment: Alignment | None
    soft: list[Soft | None] | None = None
    content: Annotated[
        list[object] | None,
        Field(description="Ranges of the text and placed elements, nested; null without elements."),
    ] = None
    terms: Annotated[
        list[TermUse] | None, Field(description="In order; null without a glossary.")
    ] = None
    warnings: list[Notice]
    timings: Timings
    detected: Annotated[
        Candidate | None, Field(description="The language that was found, where it was asked for.")
    ] = None


class Health(BaseModel):
    """The server is up."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"status": "ok", "version": "0.1.0", "ready": True, "restarts": 0}
        }
    )

    status: Literal["ok"]
    version: str
    ready: Annotated[bool, Field(description="Whether a text would be translated now.")]
    restarts: Annotated[
        int,
        Field(
            ge=0,
            description="Times that what translates has failed and begun anew: in this process, or "
            "worker processes that were lost.",
        ),
    ] = 0


class ErrorData(BaseModel):
    """What is wrong."""

    code: Annotated[str, Field(examples=["text-too-long"])]
    message: str
    details: dict[str, str | int | float | bool | None]


class ErrorAnswer(BaseModel):
    """An error."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "error": {
                    "code": "text-too-long",
                    "message": "the text has too many characters: 1,000,000 requested, "
                    "500,000 allowed",
                    "details": {"requested": 1000000, "allowed": 500000},
                }
            }
        }
    )

    error: ErrorData


class Done(BaseModel):
    """A text that was translated."""

    ok: Literal[True]
    response: TranslateAnswer


class Failed(BaseModel):
    """A text that was not."""

    ok: Literal[False]
    error: ErrorData


class BatchAnswer(BaseModel):
    """What became of each text, in order."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "outcomes": [
                    {"ok": True, "response": _ANSWER},
                    {
                        "ok": False,
                        "error": {
                            "code": "text-too-long",
                            "message": "the text has too many characters: 1,000,000 requested, "
                            "500,000 allowed",
                            "details": {"requested": 1000000, "allowed": 500000},
                        },
                    },
                ]
            }
        }
    )

    outcomes: list[Done | Failed]


class GraphAnswer(BaseModel):
    """How each output ended."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"outputs": {"text": {"ok": True, "response": _ANSWER}}}}
    )

    outputs: dict[str, Done | Failed]
