"""Dragoman: translation of text and web pages that never leaves the user's machine.

    import dragoman

    with dragoman.load("de", "en") as translator:
        print(translator.translate("Guten Morgen!").text)

Importing the package imports nothing else: the same wheel runs under Pyodide, where there is no
onnxruntime. A name is fetched from its module when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from dragoman.bundle import Manifest
    from dragoman.config import Limits
    from dragoman.errors import (
        BundleCorruptError,
        BundleError,
        BundleMismatchError,
        BundleMissingFileError,
        DeadlineError,
        DragomanError,
        EngineError,
        InvalidRequestError,
        LanguagePairError,
        QueueFullError,
        RequestCancelledError,
        RequestError,
        SentenceTooLongError,
        TextTooLongError,
    )
    from dragoman.native import Translator, find_bundles, load, open_bundle
    from dragoman.service import (
        Progress,
        RequestState,
        Statistics,
        TranslationHandle,
        TranslationService,
    )
    from dragoman.submission import Submission
    from dragoman.types import (
        AlignmentKind,
        Notice,
        OverlongPolicy,
        Priority,
        SentenceTranslation,
        SoftAlignment,
        Span,
        Timings,
        TranslationRequest,
        TranslationResponse,
        WhenFull,
        WordAlignment,
    )

__all__ = [
    "AlignmentKind",
    "BundleCorruptError",
    "BundleError",
    "BundleMismatchError",
    "BundleMissingFileError",
    "DeadlineError",
    "DragomanError",
    "EngineError",
    "InvalidRequestError",
    "LanguagePairError",
    "Limits",
    "Manifest",
    "Notice",
    "OverlongPolicy",
    "Priority",
    "Progress",
    "QueueFullError",
    "RequestCancelledError",
    "RequestError",
    "RequestState",
    "SentenceTooLongError",
    "SentenceTranslation",
    "SoftAlignment",
    "Span",
    "Statistics",
    "Submission",
    "TextTooLongError",
    "Timings",
    "TranslationHandle",
    "TranslationRequest",
    "TranslationResponse",
    "TranslationService",
    "Translator",
    "WhenFull",
    "WordAlignment",
    "__version__",
    "find_bundles",
    "load",
    "open_bundle",
]

_HOMES = {
    "dragoman.bundle": ("Manifest",),
    "dragoman.config": ("Limits",),
    "dragoman.native": ("Translator", "find_bundles", "load", "open_bundle"),
    "dragoman.service": (
        "Progress",
        "RequestState",
        "Statistics",
        "TranslationHandle",
        "TranslationService",
    ),
    "dragoman.submission": ("Submission",),
    "dragoman.types": (
        "AlignmentKind",
        "Notice",
        "OverlongPolicy",
        "Priority",
        "SentenceTranslation",
        "SoftAlignment",
        "Span",
        "Timings",
        "TranslationRequest",
        "TranslationResponse",
        "WhenFull",
        "WordAlignment",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name) or ("dragoman.errors" if name in __all__ else None)
    if home is None:
        raise AttributeError(f"module 'dragoman' has no attribute {name!r}")
    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
