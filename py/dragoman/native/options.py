"""What a caller says of how a text is translated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from types import NoneType
from typing import TypedDict

from dragoman.errors import InvalidRequestError
from dragoman.pipeline.choices import without_prefix
from dragoman.types import (
    AlignmentKind,
    Element,
    Glossary,
    OverlongPolicy,
    Priority,
    TextFormat,
    TranslationMemory,
    TranslationRequest,
    WhenFull,
)

MOST_THREADS = 1_024  # of an engine: each has buffers of its own


class RequestOptions(TypedDict, total=False):
    """How a text is translated, with the defaults of `TranslationRequest`.

    Attributes:
        source, target: other languages than the translator's own; their models are loaded at the
            first request. The source "auto" is the text's, which is found out (of no stream).
        alignment ... cache: see `TranslationRequest`.
        text_format: its `format`.
        elements: of this text; not for several texts, or streams.
        glossary: terms of it.
        memory: sentences that were translated before, and are taken as they are.
        beam, alternatives: of the search; over a pivot alternatives are of the last model.
        prefix: of this text; not for several texts, or streams.
    """

    source: str | None
    target: str | None
    alignment: AlignmentKind | str
    overlong: OverlongPolicy | str
    priority: Priority | str
    deadline: float | None
    when_full: WhenFull | str
    cache: bool
    text_format: TextFormat | str
    elements: Sequence[Element]
    glossary: Glossary | None
    memory: TranslationMemory | None
    beam: int | None
    alternatives: int
    prefix: str | None


# What would be met far from who gave it, in the thread that translates.
_KINDS: Mapping[str, tuple[str, tuple[type, ...]]] = {
    "text": ("a str", (str,)),
    "prefix": ("a str", (str, NoneType)),
    "element": ("an Element", (Element,)),
    "glossary": ("a Glossary", (Glossary, NoneType)),
    "memory": ("a TranslationMemory", (TranslationMemory, NoneType)),
    "beam": ("a whole number", (Integral, NoneType)),
    "alternatives": ("a whole number", (Integral,)),
    "threads": ("a whole number", (Integral,)),
}


def check_kinds(**given: object) -> None:
    """Whether what a caller says is of the kind that its name wants.

    Raises:
        InvalidRequestError: something is not.
    """
    for name, value in given.items():
        words, kinds = _KINDS[name]
        if not isinstance(value, kinds):
            raise InvalidRequestError(f"{name} is of type {type(value).__name__}, not {words}")


def check_names(method: str, options: Mapping[str, object]) -> None:
    """Whether a request has options of these names.

    Args:
        method: which was called with them.

    Raises:
        TypeError: it has not, as for any argument that a function does not have.
    """
    for name in options:
        if name not in RequestOptions.__annotations__:
            raise TypeError(f"{method}() got an unexpected keyword argument {name!r}")


def check_threads(threads: int) -> int:
    """A number of threads that an engine may have.

    Raises:
        InvalidRequestError: it is below 0, or over `MOST_THREADS`.
    """
    check_kinds(threads=threads)
    if not 0 <= threads <= MOST_THREADS:
        raise InvalidRequestError(
            f"threads is {threads:,}, not from 0 (the engine chooses) to {MOST_THREADS:,}",
            requested=threads,
            allowed=MOST_THREADS,
        )
    return threads


def several(texts: object) -> None:
    """Look whether they can be texts.

    Raises:
        InvalidRequestError: it is one text, which would be taken letter by letter.
    """
    if isinstance(texts, str):
        raise InvalidRequestError("texts is one text: put it into a list", field="texts")


def of_several(options: TranslationRequest) -> TranslationRequest:
    """Options of several texts, or of the sentences of a stream.

    Raises:
        InvalidRequestError: they have elements or a prefix, which are of one text.
    """
    if options.elements:
        raise InvalidRequestError("elements are of one text: batches and streams have none")
    return without_prefix(options)
