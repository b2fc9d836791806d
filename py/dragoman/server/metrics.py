"""What the server counts, for Prometheus: figures only, nothing that a user wrote.

Each app has a registry of its own, so that two apps in one process do not add to each other. What a
worker process counts, it tells the front (`figures`).
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dragoman.errors import DragomanError, RequestCancelledError
from dragoman.server.middleware import HttpMiddleware
from dragoman.types import TranslationRequest, TranslationResponse

OTHER = "other"
CLIENT_GONE = 499  # the status of a request whose client left before there was an answer

# Seconds: from a word to a long page.
_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS"})


class Requests:
    """Counts of HTTP, whatever the requests were for.

    Args:
        paths: those that have a row of their own; what clients make up has not.
    """

    def __init__(self, registry: CollectorRegistry, paths: Iterable[str]) -> None:
        self._paths = frozenset(paths)
        self._count = Counter(
            "dragoman_http_requests", "Requests answered.", ["path", "method", "status"],
            registry=registry,
        )  # fmt: skip
        self._seconds = Histogram(
            "dragoman_http_request_seconds", "From the head of a request to the end of its answer.",
            ["path"], registry=registry, buckets=_SECONDS,
        )  # fmt: skip
        self.open = Gauge(
            "dragoman_http_requests_open", "Requests that are being answered.", registry=registry
        )
        ProcessCollector(registry=registry)

    def answered(self, path: str, method: str, status: int, seconds: float) -> None:
        known = path if path in self._paths else OTHER
        self._count.labels(known, method if method in _METHODS else OTHER, str(status)).inc()
        self._seconds.labels(known).observe(seconds)


class Translations:
    """Counts of the translation itself, by pair of languages."""

    def __init__(self, registry: CollectorRegistry) -> None:
        pair = ["source", "target"]
        self._count = Counter(
            "dragoman_translations", "Texts, by how they ended: done, or the code of the error.",
            [*pair, "outcome"], registry=registry,
        )  # fmt: skip
        self._characters = Counter(
            "dragoman_characters", "Characters of translated texts.", pair, registry=registry
        )
        self._sentences = Counter(
            "dragoman_sentences", "Translated sentences.", pair, registry=registry
        )
        self._seconds = Counter(
            "dragoman_stage_seconds", "Seconds that texts spent in each stage.",
            [*pair, "stage"], registry=registry,
        )  # fmt: skip
        self._warnings = Counter(
            "dragoman_warnings", "Warnings in responses.", ["code"], registry=registry
        )

    def done(self, response: TranslationResponse) -> None:
        pair = response.request.source, response.request.target
        self._count.labels(*pair, "done").inc()
        self._characters.labels(*pair).inc(len(response.request.text))
        self._sentences.labels(*pair).inc(len(response.sentences))
        for stage in "queued", "tokenize", "engine", "assemble":
            self._seconds.labels(*pair, stage).inc(getattr(response.timings, stage))
        for warning in response.warnings:
            self._warnings.labels(warning.code).inc()

    def failed(self, request: TranslationRequest, error: DragomanError) -> None:
        self._count.labels(request.source, request.target, error.code).inc()

    def left(self, request: TranslationRequest) -> None:
        """The client took it back."""
        self._count.labels(request.source, request.target, RequestCancelledError.code).inc()

    def refused(self, error: DragomanError) -> None:
        """A pair without a model: its languages are whatever the client made up."""
        self._count.labels(OTHER, OTHER, error.code).inc()


class Metered(HttpMiddleware):
    """Counts every request, how it was answered and how long that took."""

    def __init__(self, app: ASGIApp, requests: Requests) -> None:
        super().__init__(app)
        self._requests = requests

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        status = CLIENT_GONE
        started = time.perf_counter()

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        with self._requests.open.track_inprogress():
            try:
                await self._app(scope, receive, watched)
            finally:
                seconds = time.perf_counter() - started
                self._requests.answered(scope["path"], scope["method"], status, seconds)
