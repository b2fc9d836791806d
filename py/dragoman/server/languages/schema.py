"""What crosses /v1/detect and /v1/models."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Candidate(BaseModel):
    """A language that a text may be in."""

    language: Annotated[str, Field(description="BCP 47; und: none that is known.")]
    confidence: Annotated[float, Field(ge=0, le=1)]


class DetectBody(BaseModel):
    """A text whose language is asked for."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"text": "Guten Morgen! Wie geht es dir?"}}
    )

    text: Annotated[str, Field(description="Of a long text the first 4,000 characters count.")]


class DetectAnswer(BaseModel):
    """Which language a text is in."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "language": "de",
                "confidence": 1.0,
                "candidates": [{"language": "de", "confidence": 1.0}],
            }
        }
    )

    language: Annotated[
        str | None, Field(description="BCP 47; null: not sure, as of short and of mixed texts.")
    ]
    confidence: Annotated[float, Field(ge=0, le=1, description="Of the likeliest.")]
    candidates: Annotated[list[Candidate], Field(description="Best first.")]


class Model(BaseModel):
    """A model on this machine."""

    name: str
    version: str
    source: str
    target: str
    bytes: int
    licence: str | None
    scores: dict[str, object]


class Models(BaseModel):
    """The models on this machine."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "models": [
                    {
                        "name": "de-en-tiny",
                        "version": "0.1.0",
                        "source": "de",
                        "target": "en",
                        "bytes": 11_600_000,
                        "licence": "CC-BY-SA-4.0",
                        "scores": {"tatoeba-dev bleu": 38.3},
                    }
                ]
            }
        }
    )

    models: list[Model]
