"""The models of a session: the one that was there first, and those that are loaded on demand."""

from __future__ import annotations

import json
from functools import partial

from dragoman.config import Limits
from dragoman.engines.browser import BrowserEngine, LoadFunction
from dragoman.engines.bundle import Manifest, parse_manifest
from dragoman.errors import (
    BundleError,
    InvalidRequestError,
    LanguagePairError,
    UnsupportedFormatError,
)
from dragoman.pipeline.page import Page
from dragoman.pipeline.pipeline import Pipeline
from dragoman.routing.registry import LoadedModel
from dragoman.service.cache import SentenceCache
from dragoman.text.terms.names import read_names
from dragoman.text.tokenizer import SentencePieceTokenizer
from dragoman.types import LanguagePair, TextFormat
from dragoman.wire.requests import UNREADABLE


class SessionModels:
    """The models of a site, for a registry."""

    def __init__(self, first: LoadedModel, limits: Limits, cache: SentenceCache) -> None:
        self._cache = cache
        manifest = first.pipeline.manifest
        self._first_pair = LanguagePair(manifest.source, manifest.target)
        self._first: LoadedModel | None = first
        self._limits = limits
        size = sum(file.bytes for file in manifest.files.values())
        self._sizes = {self._first_pair: size}
        self._bundles: dict[LanguagePair, str] = {}
        self._load: LoadFunction | None = None

    def offer(self, models_json: str, load: LoadFunction) -> None:
        try:
            for model in json.loads(models_json):
                pair = LanguagePair(str(model["source"]), str(model["target"]))
                self._sizes.setdefault(pair, int(model["bytes"]))
                self._bundles.setdefault(pair, str(model["bundle"]))
        except UNREADABLE as error:
            raise InvalidRequestError(f"the models cannot be read: {error!r:.200}") from error
        self._load = load

    @property
    def pairs(self) -> tuple[LanguagePair, ...]:
        return tuple(self._sizes)

    def size(self, pair: LanguagePair) -> int:
        if pair not in self._sizes:
            raise LanguagePairError(*pair, ", ".join(map(str, self._sizes)))
        return self._sizes[pair]

    async def forget(self, pair: LanguagePair) -> None:
        """Give the first model back, if it is of this pair and was never asked for."""
        first = self._take_first(pair)
        if first is not None:
            await first.engine.close()

    def _take_first(self, pair: LanguagePair) -> LoadedModel | None:
        if pair != self._first_pair:
            return None
        first, self._first = self._first, None
        return first

    async def load(self, pair: LanguagePair) -> LoadedModel:
        first = self._take_first(pair)
        if first is not None:
            return first
        if self._load is None or pair not in self._bundles:
            raise BundleError(f"the model {pair} is no longer there", **pair._asdict())
        loaded = await self._load(self._bundles[pair])
        names = None if loaded.names is None else loaded.names.to_bytes()
        manifest, vocabulary = parse_manifest(loaded.manifest), loaded.vocabulary.to_bytes()
        pipeline = pipeline_of(manifest, vocabulary, self._limits, names)
        restore(self._cache, pipeline, loaded.kept)
        return LoadedModel(pipeline, BrowserEngine(loaded.run))


def pipeline_of(
    manifest: Manifest, vocabulary: bytes, limits: Limits, names: bytes | None
) -> Pipeline:
    tokenizer = SentencePieceTokenizer(vocabulary)
    table = None if names is None else read_names(names)
    return Pipeline(manifest, tokenizer, limits, partial(_read_page, limits), table)


async def _read_page(limits: Limits, text: str, language: str) -> Page:
    """A page, which is a document: what reads those is not there before the first one."""
    try:
        from dragoman.html.short_page import ShortPage
    except ImportError as error:
        raise UnsupportedFormatError(TextFormat.HTML, "send its text with elements") from error
    return ShortPage(text, language, limits)


def restore(cache: SentenceCache, pipeline: Pipeline, kept_json: str | None) -> None:
    """Take back what the host has kept for a model."""
    kept = json.loads(kept_json or "[]")
    cache.restore(((pipeline.model, options, text), line) for options, text, line in kept)
