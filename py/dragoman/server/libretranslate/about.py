"""What the server can, as LibreTranslate's clients ask: /languages, /frontend/settings, /health,
/spec; and /suggest, which it does not take."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from dragoman import __version__
from dragoman.catalogue.languages import name_of
from dragoman.config import PIVOT
from dragoman.documents.kinds import ENDINGS
from dragoman.native.bundles import FoundBundle, find_bundles
from dragoman.native.sources import AUTO
from dragoman.routing.router import route
from dragoman.server.libretranslate.paths import HEALTH, LANGUAGES, SETTINGS, SPEC, SUGGEST
from dragoman.server.libretranslate.routes import json_response
from dragoman.server.problems import Problem, ProblemError
from dragoman.server.settings import Settings
from dragoman.types import LanguagePair

# Milliseconds that a page waits for more to be typed.
_TYPING = 500
_NO_SUGGESTIONS = Problem(403, "no-suggestions", "this server keeps no suggestions")


def about_routes(settings: Settings) -> APIRouter:
    """They are not in our API's description: /spec is theirs."""
    router = APIRouter(include_in_schema=False)
    spec = files("dragoman.server.libretranslate").joinpath("spec.json").read_text("utf-8")
    spec = spec.replace("VERSION", __version__)

    @router.post(LANGUAGES)  # the client within Argos Translate asks so
    @router.get(LANGUAGES)
    def languages() -> Response:
        return json_response([
            {**_named(source), "targets": targets}
            for source, targets in _targets(settings).items()
        ])  # fmt: skip

    @router.get(SETTINGS)
    def frontend_settings() -> Response:
        targets = {target for known in _targets(settings).values() for target in known}
        first = PIVOT if PIVOT in targets or not targets else min(targets)
        return json_response({
            "apiKeys": False,
            "keyRequired": False,
            "charLimit": settings.limits.text_characters,
            "frontendTimeout": _TYPING,
            "suggestions": False,
            "filesTranslation": True,
            "supportedFilesFormat": sorted(f".{ending}" for ending in ENDINGS),
            "language": {
                "source": {"code": AUTO, "name": "Auto Detect"},
                "target": _named(first),
            },
        })  # fmt: skip

    @router.get(HEALTH)
    def health() -> Response:
        return json_response({"status": "ok"})

    @router.get(SPEC)
    def description() -> Response:
        return Response(spec, media_type="application/json")

    @router.post(SUGGEST)
    def suggest() -> Response:
        raise ProblemError(_NO_SUGGESTIONS)

    return router


def _targets(settings: Settings) -> dict[str, list[str]]:
    """Of each language, those that it is translated into, be it over the pivot."""
    bundles = [b.manifest for b in find_bundles(settings.models) if isinstance(b, FoundBundle)]
    pairs = {LanguagePair(manifest.source, manifest.target) for manifest in bundles}
    known = sorted({language for pair in pairs for language in pair})
    return {
        source: [target for target in known if pairs.issuperset(route(pairs, source, target))]
        for source in known
    }


def _named(language: str) -> dict[str, Any]:
    return {"code": language, "name": name_of(language, "en")}
