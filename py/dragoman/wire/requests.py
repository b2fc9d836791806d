"""Requests, graphs and limits as the bridge gets them: JSON, ranges in UTF-16 code units.

The layouts are those of ``docs/protocol.md``. Whatever is wrong is an `InvalidRequestError`.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, TypeVar

from dragoman.config import Limits
from dragoman.errors import InvalidRequestError
from dragoman.pipeline.choices import without_prefix
from dragoman.routing.graph import Chunk, Constant, DependentRequest, Input, Output
from dragoman.types import (
    AlignmentKind,
    OverlongPolicy,
    Priority,
    TextFormat,
    TranslationMemory,
    TranslationRequest,
    WhenFull,
)
from dragoman.wire.glossary import read_glossary
from dragoman.wire.responses import RangeUnit, read_elements

# What JSON of any kind can make of reading it.
UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)


def read_request(request_json: str, memory: TranslationMemory | None = None) -> TranslationRequest:
    """Parse a request.

    Args:
        memory: what a request means that says `"memory": true`.

    Raises:
        InvalidRequestError: it is not JSON, lacks a field, or a field has an unknown value.
        InvalidElementsError: an element is not in the text, or begins inside a character.
    """
    try:
        data = json.loads(request_json)
    except UNREADABLE as error:
        raise InvalidRequestError(f"the request cannot be read: {error!r:.200}") from error
    return request_of(data, memory)


def request_of(data: Any, memory: TranslationMemory | None = None) -> TranslationRequest:
    """A request out of parsed JSON.

    Args:
        memory: as in `read_request`.

    Raises:
        InvalidRequestError: it lacks a field, or a field has an unknown value.
        InvalidElementsError: as `read_request`.
    """
    try:
        return _request(data, memory)
    except UNREADABLE as error:
        raise InvalidRequestError(f"the request cannot be read: {error!r:.200}") from error


def read_options(options_json: str, memory: TranslationMemory | None = None) -> TranslationRequest:
    """Parse a request whose text comes later, and is no part of it.

    Raises:
        InvalidRequestError: as `read_request`.
    """
    try:
        return without_prefix(_request({**json.loads(options_json), "text": ""}, memory))
    except UNREADABLE as error:
        raise InvalidRequestError(f"the options cannot be read: {error!r:.200}") from error


def read_graph(
    graph_json: str, memory: TranslationMemory | None = None
) -> tuple[dict[str, str], list[DependentRequest]]:
    """Parse dependent requests: `{"variables": {name: text}, "requests": [...]}`.

    Raises:
        InvalidRequestError: it is not JSON, lacks a field, or a field has an unknown value.
    """
    try:
        data = json.loads(graph_json)
        variables = dict(data.get("variables", {}))
        if not all(isinstance(text, str) for text in variables.values()):
            raise InvalidRequestError("a variable's value is not a string")
        requests = [
            DependentRequest(
                tuple(_read_chunk(chunk) for chunk in request["template"]),
                _request({**request, "text": ""}, memory),
            )
            for request in data["requests"]
        ]
    except UNREADABLE as error:
        raise InvalidRequestError(f"the requests cannot be read: {error!r:.200}") from error
    return variables, requests


def _request(data: dict[str, Any], memory: TranslationMemory | None) -> TranslationRequest:
    for name in ("text", "source", "target"):
        if not isinstance(data[name], str):
            raise InvalidRequestError(f"{name!r} is not a string")
    return TranslationRequest(
        text=data["text"],
        source=data["source"],
        target=data["target"],
        alignment=AlignmentKind(data.get("alignment", "hard")),
        overlong=OverlongPolicy(data.get("overlong", "wrap")),
        priority=Priority(data.get("priority", "interactive")),
        deadline=_read_deadline(data.get("deadline")),
        when_full=WhenFull(data.get("whenFull", "refuse")),
        cache=_read_flag(data.get("cache", True)),
        format=TextFormat(data.get("format", "text")),
        elements=read_elements(data.get("elements") or [], data["text"], RangeUnit.UTF16),
        glossary=read_glossary(data.get("glossary")),
        memory=memory if _wants_memory(data.get("memory", False), memory) else None,
        beam=_read_count(data, "beam", None),
        alternatives=_read_count(data, "alternatives", 0),
        prefix=_read_prefix(data.get("prefix")),
    )


def _read_chunk(chunk: object) -> Chunk:
    match chunk:
        case str():
            return Constant(chunk)
        case {"input": str(name), **rest} if not rest:
            return Input(name)
        case {"output": str(name), **rest} if not rest:
            return Output(name)
    raise InvalidRequestError(f"no chunk of a template: {chunk!r:.100}")


def _read_deadline(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    raise InvalidRequestError(f"the deadline is no number: {value!r:.50}")


Count = TypeVar("Count", int, None)


def _read_count(data: dict[str, Any], name: str, default: Count) -> int | Count:
    value = data.get(name)
    if value is None:
        return default
    if type(value) is not int:
        raise InvalidRequestError(f"{name!r} is no whole number: {value!r:.50}")
    return value


def _read_prefix(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise InvalidRequestError(f"'prefix' is not a string: {value!r:.50}")


def _wants_memory(value: object, memory: TranslationMemory | None) -> bool:
    wanted = _read_flag(value, "memory")
    if wanted and memory is None:
        raise InvalidRequestError("no translation memory was brought when the workers were opened")
    return wanted


def _read_flag(value: object, name: str = "cache") -> bool:
    if isinstance(value, bool):
        return value
    raise InvalidRequestError(f"{name!r} is neither true nor false: {value!r:.50}")


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
