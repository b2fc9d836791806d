"""What a client sends."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    FailFast,
    Field,
    model_validator,
)
from pydantic_core import PydanticCustomError

from dragoman.config import Limits
from dragoman.routing.graph import NAME_CHARACTERS, Chunk, Constant, DependentRequest, Input, Output
from dragoman.types import (
    AlignmentKind,
    ElementKind,
    Glossary,
    OverlongPolicy,
    Priority,
    TextFormat,
    TranslationMemory,
    TranslationRequest,
    WhenFull,
)
from dragoman.wire.glossary import read_glossary
from dragoman.wire.memory import read_memory
from dragoman.wire.responses import RangeUnit, read_elements

Range = Annotated[list[int], Field(min_length=2, max_length=2, description="[start, end)")]
Language = Annotated[
    str, Field(min_length=1, max_length=35, description="BCP 47, such as de", examples=["de"])
]
Beam = Annotated[
    int | None,
    Field(
        ge=1,
        le=Limits().beam,
        description="Hypotheses that the search follows at a time. Default: what the model's "
        "bundle says, or what alternatives need.",
    ),
]
Alternatives = Annotated[
    int,
    Field(
        ge=0,
        le=Limits().beam - 1,
        description="Most other translations of each sentence, fewer than the beam.",
    ),
]
Name = Annotated[str, Field(min_length=1, max_length=NAME_CHARACTERS, examples=["title"])]

# Far over what the limits allow: those have errors of their own, which say both figures.
MOST_CHUNKS = 10 * Limits().graph_chunks
MOST_ELEMENTS = 2 * Limits().elements
MOST_TERMS = 10 * Limits().glossary_terms
MOST_ENTRIES = 2 * Limits().memory_entries


class Body(BaseModel):
    """What a client sends. Validation ends at the first error: a megabyte can have a million."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _few_fields(cls, data: Any) -> Any:
        return _checked(data, len(cls.model_fields))


def _checked(data: Any, known: int) -> Any:
    if isinstance(data, dict) and len(data) > known:
        raise PydanticCustomError("extra_forbidden", "it has fields that are not known")
    return data


def _few(most: int, fields: int) -> BeforeValidator:
    """For lists: their length, and the size of what is in them, before they are looked into."""

    def check(data: Any) -> Any:
        if isinstance(data, list) and len(data) > most:
            raise PydanticCustomError("too_long", f"it has more than {most:,} items")
        return [_checked(item, fields) for item in data] if isinstance(data, list) else data

    return BeforeValidator(check)


def _texts(data: Any) -> Any:
    texts = data.values() if isinstance(data, dict) else ()
    if len(texts) > MOST_CHUNKS or not all(isinstance(text, str) for text in texts):
        raise PydanticCustomError("texts", f"it must be strings by name, at most {MOST_CHUNKS:,}")
    return data


Source = Annotated[
    str,
    Field(
        min_length=1,
        max_length=35,
        description="BCP 47, such as de; auto: found out, and refused where it is not sure.",
        examples=["de"],
    ),
]


ELEMENT_SCHEMA: dict[str, Any] = {
    "title": "Element",
    "description": "An element of a text.",
    "type": "object",
    "properties": {
        "range": {
            "type": "array",
            "items": {"type": "integer"},
            "minItems": 2,
            "maxItems": 2,
            "description": "[start, end)",
        },
        "kind": {"type": "string", "enum": [kind.value for kind in ElementKind]},
        "parent": {
            "anyOf": [{"type": "integer"}, {"type": "null"}],
            "description": "Index of the element around it, where that is not clear.",
        },
    },
    "required": ["range", "kind"],
    "additionalProperties": False,
}


class TermBody(Body):
    """A term of a glossary."""

    source: Annotated[str, Field(examples=["Rechner"])]
    target: Annotated[
        str | None, Field(description="Its translation; null: it is not translated.")
    ] = None


ENTRY_SCHEMA: dict[str, Any] = {
    "title": "MemoryEntry",
    "description": "A sentence that was translated before.",
    "type": "object",
    "properties": {
        "source": {"type": "string", "examples": ["Guten Tag!"]},
        "target": {"type": "string", "examples": ["Hello!"]},
    },
    "required": ["source", "target"],
    "additionalProperties": False,
}
# Read by `read_memory`, in a thread, as elements are.
Memory = Annotated[
    list[Any] | None,
    Field(
        max_length=MOST_ENTRIES,
        description="Sentences that are taken as they are: docs/memory.md.",
        json_schema_extra={"items": ENTRY_SCHEMA},
    ),
]


class _Options(Body):
    """How to translate, as far as a query can say it."""

    source: Language
    target: Language
    alignment: Annotated[
        AlignmentKind,
        Field(description="none; hard: words and their links; soft: and attention matrices."),
    ] = AlignmentKind.HARD
    overlong: Annotated[
        OverlongPolicy, Field(description="Cut an over-long sentence, or refuse the text.")
    ] = OverlongPolicy.WRAP
    ranges: Annotated[RangeUnit, Field(description="What all ranges count.")] = RangeUnit.UTF16
    format: Annotated[TextFormat, Field(description="html: a document or a fragment.")] = (
        TextFormat.TEXT
    )

    priority: Annotated[
        Priority, Field(description="Who goes first; background work never holds up a sentence.")
    ] = Priority.INTERACTIVE
    deadline: Annotated[
        float | None,
        Field(
            gt=0,
            le=Limits().deadline_seconds,
            allow_inf_nan=False,
            description="Seconds from the arrival of a text to its translation.",
        ),
    ] = None
    when_full: Annotated[
        WhenFull,
        Field(alias="whenFull", description="When too much waits: refuse, or wait."),
    ] = WhenFull.REFUSE
    cache: Annotated[bool, Field(description="Whether sentences may come from the cache.")] = True
    beam: Beam = None
    alternatives: Alternatives = 0

    def _request(self, text: str) -> TranslationRequest:
        return TranslationRequest(
            text,
            self.source,
            self.target,
            self.alignment,
            self.overlong,
            priority=self.priority,
            deadline=self.deadline,
            when_full=self.when_full,
            cache=self.cache,
            format=self.format,
            beam=self.beam,
            alternatives=self.alternatives,
        )


class _BodyOptions(_Options):
    """How to translate, of a body of JSON."""

    cache: Annotated[
        bool, Field(strict=True, description="Whether sentences may come from the cache.")
    ] = True
    glossary: Annotated[
        list[TermBody] | None,
        FailFast(),
        _few(MOST_TERMS, 2),
        Field(description="Terms that the translation is to use: docs/glossary.md."),
    ] = None

    memory: Memory = None

    def _request(self, text: str) -> TranslationRequest:
        return replace(super()._request(text), glossary=_glossary(self.glossary))


def _glossary(terms: list[TermBody] | None) -> Glossary | None:
    return read_glossary(None if terms is None else [term.model_dump() for term in terms])


def _memory(entries: list[Any] | None) -> TranslationMemory | None:
    return None if entries is None else read_memory(entries)


class TranslateBody(_BodyOptions):
    """A text to translate."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {"text": "Guten Morgen! Wie geht es dir?", "source": "de", "target": "en"}
        },
    )

    source: Source
    text: Annotated[str, Field(description="Any text; its white space is kept.")]
    # Read by `read_elements`, in a thread: pydantic would hold up others for as long as it takes.
    elements: Annotated[
        list[Any],
        Field(
            max_length=MOST_ELEMENTS,
            description="Of a plain text: in document order, nested.",
            json_schema_extra={"items": ELEMENT_SCHEMA},
        ),
    ] = []
    prefix: Annotated[
        str | None,
        Field(
            max_length=Limits().prefix_characters,
            description="What the translation of the text, which is one sentence, begins with; "
            "alternatives then differ in the next word.",
        ),
    ] = None

    def request(self) -> TranslationRequest:
        elements = read_elements(self.elements, self.text, self.ranges)
        request = replace(self._request(self.text), elements=elements, prefix=self.prefix)
        return replace(request, memory=_memory(self.memory))


class BatchBody(_BodyOptions):
    """Texts to translate."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "texts": ["Guten Morgen!", "Wie geht es dir?"],
                "source": "de",
                "target": "en",
                "alignment": "none",
            }
        },
    )

    priority: Annotated[
        Priority, Field(description="Who goes first; a batch gives way to everything else.")
    ] = Priority.BACKGROUND
    texts: Annotated[
        list[str], FailFast(), Field(description="Any texts; their white space is kept.")
    ]

    def requests(self) -> list[TranslationRequest]:
        memory = _memory(self.memory)  # one for all, which is made ready once
        return [replace(self._request(text), memory=memory) for text in self.texts]


class InputChunk(BaseModel):
    """The place of a variable's value, which is translated."""

    model_config = ConfigDict(extra="forbid")

    input: Name


class OutputChunk(BaseModel):
    """A variable that gets what stands before it in the template."""

    model_config = ConfigDict(extra="forbid")

    output: Name


class GraphRequest(BaseModel):
    """A request of a graph: constant text, inputs and outputs."""

    model_config = ConfigDict(extra="forbid")

    source: Language
    target: Language
    template: Annotated[
        list[str | InputChunk | OutputChunk],
        FailFast(),
        _few(MOST_CHUNKS, 1),
        Field(description="A string is constant: it is never translated."),
    ]
    alignment: AlignmentKind = AlignmentKind.HARD
    overlong: OverlongPolicy = OverlongPolicy.WRAP
    glossary: Annotated[list[TermBody] | None, FailFast(), _few(MOST_TERMS, 2)] = None
    memory: Memory = None
    beam: Beam = None
    alternatives: Alternatives = 0

    def dependent(self) -> DependentRequest:
        options = TranslationRequest(
            "",
            self.source,
            self.target,
            self.alignment,
            self.overlong,
            glossary=_glossary(self.glossary),
            memory=_memory(self.memory),
            beam=self.beam,
            alternatives=self.alternatives,
        )
        return DependentRequest(tuple(map(_chunk, self.template)), options)


def _chunk(chunk: str | InputChunk | OutputChunk) -> Chunk:
    match chunk:
        case str():
            return Constant(chunk)
        case InputChunk():
            return Input(chunk.input)
        case OutputChunk():
            return Output(chunk.output)


class GraphBody(Body):
    """Requests that depend on each other through variables."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "variables": {"title": "Guten Morgen!", "body": "Wie geht es dir?"},
                "requests": [
                    {
                        "source": "de",
                        "target": "en",
                        "template": ["# ", {"input": "title"}, {"output": "heading"}],
                    },
                    {
                        "source": "de",
                        "target": "en",
                        "template": [{"input": "body"}, {"output": "text"}],
                        "alignment": "none",
                    },
                ],
            }
        },
    )

    variables: Annotated[
        dict[Name, str], BeforeValidator(_texts), Field(description="Values that are given.")
    ] = {}
    requests: Annotated[list[GraphRequest], FailFast(), _few(MOST_CHUNKS, 8)]
    ranges: RangeUnit = RangeUnit.UTF16


class StreamOptions(_Options):
    """How to translate a text that arrives bit by bit."""

    model_config = ConfigDict(extra="forbid")

    def request(self) -> TranslationRequest:
        return self._request("")


class StreamBody(_BodyOptions):
    """A text to translate sentence by sentence."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {"text": "Guten Morgen! Wie geht es dir?", "source": "de", "target": "en"}
        },
    )

    text: Annotated[str, Field(description="Any text; its white space is kept.")]

    def request(self) -> TranslationRequest:
        return replace(self._request(""), memory=_memory(self.memory))
