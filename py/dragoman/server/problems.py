"""What a client is told when something is wrong: ``{"error": {"code", "message", "details"}}``."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from dragoman.errors import (
    DeadlineError,
    DocumentTooLargeError,
    DragomanError,
    GlossaryTooLargeError,
    InvalidRequestError,
    LanguagePairError,
    PageTooLargeError,
    QueueFullError,
    RequestCancelledError,
    RequestError,
    TextTooLongError,
    TranslationMemoryTooLargeError,
    UnsupportedFormatError,
)
from dragoman.wire.responses import error_data, json_bytes

# The first that fits; all other errors are the server's own fault.
_STATUS: tuple[tuple[type[DragomanError], int], ...] = (
    (TextTooLongError, 413),
    (GlossaryTooLargeError, 413),
    (TranslationMemoryTooLargeError, 413),
    (PageTooLargeError, 413),
    (DocumentTooLargeError, 413),
    (UnsupportedFormatError, 415),
    (QueueFullError, 503),
    (LanguagePairError, 404),
    (RequestError, 422),
    (DeadlineError, 504),
    (RequestCancelledError, 503),  # the service closed: a client that left hears nothing
)
_HTTP_CODES = {404: "not-found", 405: "method-not-allowed"}

logger = logging.getLogger("dragoman.server")


@dataclass(frozen=True, slots=True)
class Problem:
    """An error of HTTP; those of translation are `DragomanError`."""

    status: int
    code: str
    message: str
    details: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def data(self) -> dict[str, object]:
        return {"code": self.code, "message": self.message, "details": dict(self.details)}

    def response(self) -> Response:
        return _response(self.status, self.data(), self.headers)


class ProblemError(Exception):
    """A problem, from where there is no response to give back yet."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


INTERNAL = Problem(500, "internal", "the server failed; its log says where")


def status_of(error: DragomanError) -> int:
    """The HTTP status of an error."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def _response(status: int, error: Mapping[str, object], headers: Mapping[str, str]) -> Response:
    return Response(json_bytes({"error": error}), status, headers, "application/json")


def error_response(error: DragomanError) -> Response:
    headers = {"Retry-After": "1"} if isinstance(error, QueueFullError) else {}
    return _response(status_of(error), error_data(error), headers)


def log_failure(error: BaseException) -> None:
    """Where a failure came from, without its message: that may hold a user's text."""
    error = error.__cause__ or error
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    place = "?"
    if traceback is not None:
        place = f"{Path(traceback.tb_frame.f_code.co_filename).name}:{traceback.tb_lineno}"
    logger.error("%s at %s", type(error).__name__, place)


def add_handlers(app: FastAPI) -> None:
    """Give every error of the routes its shape."""
    app.add_exception_handler(DragomanError, _on_dragoman_error)
    app.add_exception_handler(ProblemError, _on_problem)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HTTPException, _on_http)


async def _on_dragoman_error(_: Request, error: Exception) -> Response:
    if not isinstance(error, DragomanError):
        return INTERNAL.response()
    if status_of(error) == 500:
        log_failure(error)
    return error_response(error)


async def _on_problem(_: Request, error: Exception) -> Response:
    return (error.problem if isinstance(error, ProblemError) else INTERNAL).response()


async def _on_invalid(request: Request, error: Exception) -> Response:
    """What pydantic found, but for the values: they may hold the user's text."""
    first: Mapping[str, Any] = {}
    if isinstance(error, RequestValidationError):
        first = next(iter(error.errors()), {})
    if first.get("loc", ("",))[0] != "query" and not _is_json(request):
        return Problem(
            415, "unsupported-media-type", "the body must be JSON (Content-Type: application/json)"
        ).response()
    if first.get("type") == "json_invalid":
        return _not_json()
    name = ".".join(str(part)[:40] for part in first.get("loc", ())[1:])
    message = str(first.get("msg", "the request cannot be read"))
    invalid = InvalidRequestError(f"{name}: {message}" if name else message, field=name or None)
    return error_response(invalid)


def _is_json(request: Request) -> bool:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "application/json"


def _not_json() -> Response:
    return Problem(400, InvalidRequestError.code, "the body is not JSON").response()


async def _on_http(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = getattr(error, "headers", None) or {}
    if status == 400:  # FastAPI's only one: a body that json.loads gave up on in another way
        return _not_json()
    code = _HTTP_CODES.get(status, "http")
    return Problem(status, code, HTTPStatus(status).phrase.lower(), headers=headers).response()
