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
    from dragoman.config import DocumentLimits, Limits
    from dragoman.detection.detector import Candidate, Detection
    from dragoman.detection.shipped import detect
    from dragoman.documents.kinds import DocumentKind
    from dragoman.documents.translate import TranslatedDocument
    from dragoman.engines.bundle import Manifest
    from dragoman.errors import (
        BundleCorruptError,
        BundleError,
        BundleMismatchError,
        BundleMissingFileError,
        DeadlineError,
        DependencyError,
        DocumentError,
        DocumentTooLargeError,
        DragomanError,
        EngineError,
        GlossaryTooLargeError,
        GraphCycleError,
        GraphError,
        GraphTooLargeError,
        InvalidElementsError,
        InvalidGlossaryError,
        InvalidRequestError,
        InvalidTranslationMemoryError,
        LanguageNotSureError,
        LanguagePairError,
        QueueFullError,
        RequestCancelledError,
        RequestError,
        SentenceTooLongError,
        TextTooLongError,
        TranslationMemoryTooLargeError,
        UnboundVariableError,
        UnsupportedFormatError,
        WrittenTwiceError,
    )
    from dragoman.native.asynchronous import AsyncSubmission, AsyncTranslator
    from dragoman.native.bundles import find_bundles, open_bundle
    from dragoman.native.glossary import Glossary
    from dragoman.native.memory import TranslationMemory
    from dragoman.native.submission import Submission
    from dragoman.native.translator import Translator, load
    from dragoman.routing.graph import Constant, DependentRequest, Input, Output
    from dragoman.routing.registry import ModelRegistry
    from dragoman.routing.router import Router
    from dragoman.routing.stream import StreamPiece, TranslationStream
    from dragoman.routing.variables import VariableScope
    from dragoman.service.service import (
        Progress,
        RequestState,
        Statistics,
        TranslationHandle,
        TranslationService,
    )
    from dragoman.types import (
        AlignmentKind,
        Alternative,
        Element,
        ElementKind,
        LanguagePair,
        MemoryEntry,
        Notice,
        OverlongPolicy,
        PlacedElement,
        Priority,
        SentenceTranslation,
        SoftAlignment,
        Span,
        Term,
        TermOutcome,
        TermUse,
        TextFormat,
        Timings,
        TranslationRequest,
        TranslationResponse,
        WhenFull,
        WordAlignment,
    )

__all__ = [
    "AlignmentKind",
    "Alternative",
    "AsyncSubmission",
    "AsyncTranslator",
    "BundleCorruptError",
    "BundleError",
    "BundleMismatchError",
    "BundleMissingFileError",
    "Candidate",
    "Constant",
    "DeadlineError",
    "DependencyError",
    "DependentRequest",
    "Detection",
    "DocumentError",
    "DocumentKind",
    "DocumentLimits",
    "DocumentTooLargeError",
    "DragomanError",
    "Element",
    "ElementKind",
    "EngineError",
    "Glossary",
    "GlossaryTooLargeError",
    "GraphCycleError",
    "GraphError",
    "GraphTooLargeError",
    "Input",
    "InvalidElementsError",
    "InvalidGlossaryError",
    "InvalidRequestError",
    "InvalidTranslationMemoryError",
    "LanguageNotSureError",
    "LanguagePair",
    "LanguagePairError",
    "Limits",
    "Manifest",
    "MemoryEntry",
    "ModelRegistry",
    "Notice",
    "Output",
    "OverlongPolicy",
    "PlacedElement",
    "Priority",
    "Progress",
    "QueueFullError",
    "RequestCancelledError",
    "RequestError",
    "RequestState",
    "Router",
    "SentenceTooLongError",
    "SentenceTranslation",
    "SoftAlignment",
    "Span",
    "Statistics",
    "StreamPiece",
    "Submission",
    "Term",
    "TermOutcome",
    "TermUse",
    "TextFormat",
    "TextTooLongError",
    "Timings",
    "TranslatedDocument",
    "TranslationHandle",
    "TranslationMemory",
    "TranslationMemoryTooLargeError",
    "TranslationRequest",
    "TranslationResponse",
    "TranslationService",
    "TranslationStream",
    "Translator",
    "UnboundVariableError",
    "UnsupportedFormatError",
    "VariableScope",
    "WhenFull",
    "WordAlignment",
    "WrittenTwiceError",
    "__version__",
    "detect",
    "find_bundles",
    "load",
    "open_bundle",
]

_HOMES = {
    "dragoman.detection.detector": ("Candidate", "Detection"),
    "dragoman.detection.shipped": ("detect",),
    "dragoman.engines.bundle": ("Manifest",),
    "dragoman.native.asynchronous": ("AsyncSubmission", "AsyncTranslator"),
    "dragoman.native.bundles": ("find_bundles", "open_bundle"),
    "dragoman.config": ("DocumentLimits", "Limits"),
    "dragoman.documents.kinds": ("DocumentKind",),
    "dragoman.documents.translate": ("TranslatedDocument",),
    "dragoman.routing.graph": ("Constant", "DependentRequest", "Input", "Output"),
    "dragoman.native.translator": ("Translator", "load"),
    "dragoman.service.service": (
        "Progress",
        "RequestState",
        "Statistics",
        "TranslationHandle",
        "TranslationService",
    ),
    "dragoman.native.glossary": ("Glossary",),
    "dragoman.native.memory": ("TranslationMemory",),
    "dragoman.native.submission": ("Submission",),
    "dragoman.routing.registry": ("ModelRegistry",),
    "dragoman.routing.router": ("Router",),
    "dragoman.routing.variables": ("VariableScope",),
    "dragoman.routing.stream": ("StreamPiece", "TranslationStream"),
    "dragoman.types": (
        "AlignmentKind",
        "Alternative",
        "LanguagePair",
        "Element",
        "ElementKind",
        "MemoryEntry",
        "Notice",
        "OverlongPolicy",
        "Priority",
        "PlacedElement",
        "SentenceTranslation",
        "SoftAlignment",
        "Span",
        "Term",
        "TermOutcome",
        "TermUse",
        "TextFormat",
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
