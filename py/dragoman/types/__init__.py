"""The values that cross from one stage to the next. All are frozen; new ones are derived.

Spans are half-open and count code points, always. UTF-16 exists in `wire` only.
"""

from dragoman.types.glossary import Glossary, Term, TermOutcome, TermUse
from dragoman.types.markup import STAND_IN, AnnotatedText, StandIn, Tag, TagKind
from dragoman.types.memory import MemoryEntry, MemoryMatch, TranslationMemory
from dragoman.types.requests import (
    AlignmentKind,
    Content,
    Element,
    ElementKind,
    LanguagePair,
    OverlongPolicy,
    PlacedElement,
    Priority,
    TextFormat,
    TranslationRequest,
    WhenFull,
)
from dragoman.types.responses import (
    Alternative,
    Notice,
    SentenceCount,
    SentenceTranslation,
    SoftAlignment,
    Timings,
    TranslationResponse,
    WordAlignment,
)
from dragoman.types.search import GREEDY, PrefixStep, Sampling, Search, flat_prefixes, prefix_rows
from dragoman.types.segments import (
    EOS_ID,
    NO_SCORE,
    AlignedSegment,
    CopyReason,
    DetokenizedText,
    EngineOutput,
    Hypothesis,
    MiniBatch,
    Piece,
    Segment,
)
from dragoman.types.spans import Span

__all__ = [
    "EOS_ID",
    "GREEDY",
    "NO_SCORE",
    "STAND_IN",
    "AlignedSegment",
    "AlignmentKind",
    "Alternative",
    "AnnotatedText",
    "Content",
    "CopyReason",
    "DetokenizedText",
    "Element",
    "ElementKind",
    "EngineOutput",
    "Glossary",
    "Hypothesis",
    "LanguagePair",
    "MemoryEntry",
    "MemoryMatch",
    "MiniBatch",
    "Notice",
    "OverlongPolicy",
    "Piece",
    "PlacedElement",
    "PrefixStep",
    "Priority",
    "Sampling",
    "Search",
    "Segment",
    "SentenceCount",
    "SentenceTranslation",
    "SoftAlignment",
    "Span",
    "StandIn",
    "Tag",
    "TagKind",
    "Term",
    "TermOutcome",
    "TermUse",
    "TextFormat",
    "Timings",
    "TranslationMemory",
    "TranslationRequest",
    "TranslationResponse",
    "WhenFull",
    "WordAlignment",
    "flat_prefixes",
    "prefix_rows",
]
