"""Every error that Dragoman raises on purpose.

DragomanError                     .code crosses every wire; .details are plain data
|-- RequestError                  the request cannot be served as it is
|   |-- TextTooLongError          "text-too-long": requested and allowed
|   |-- PageTooLargeError         "page-too-large": requested and allowed, and what is counted
|   |-- SentenceTooLongError      "sentence-too-long": requested and allowed (policy: refuse)
|   |-- LanguagePairError         "language-pair": no model for the pair
|   |-- LanguageNotSureError      "language-not-sure": it was to be found out, and cannot be
|   |-- QueueFullError            "queue-full": requested and allowed, and what is counted
|   |-- GraphTooLargeError        "graph-too-large": requested and allowed
|   |-- GraphError                "graph": requests that do not fit together
|   |   |-- GraphCycleError       "graph-cycle": variables that need each other
|   |   |-- UnboundVariableError  "unbound-variable": an input that nothing gives a value
|   |   `-- WrittenTwiceError     "written-twice": a variable of two values
|   |-- DependencyError           "dependency": an input of the request failed
|   |-- InvalidRequestError       "invalid-request": a field is missing or malformed
|   |-- InvalidElementsError      "invalid-elements": they overlap, or are out of range or order
|   |-- InvalidGlossaryError      "invalid-glossary": a term, or a file of terms, cannot be used
|   |-- GlossaryTooLargeError     "glossary-too-large": requested and allowed, and what is counted
|   |-- InvalidTranslationMemoryError   "invalid-translation-memory": an entry, or a file of them,
|   |                                   cannot be used
|   |-- TranslationMemoryTooLargeError  "translation-memory-too-large": requested and allowed, and
|   |                                   what is counted
|   |-- UnsupportedFormatError    "unsupported-format": this host cannot read it
|   |-- DocumentError             "document": damaged, encrypted, or made to do harm
|   `-- DocumentTooLargeError     "document-too-large": requested and allowed, and what is counted
|-- RequestCancelledError         "cancelled": the client took it back, or the service closed
|-- DeadlineError                 "deadline": not ready in the time that the client gave it
|-- BundleError                   "bundle": a model bundle cannot be used
|   |-- BundleMissingFileError    "bundle-missing-file"
|   |-- BundleCorruptError        "bundle-corrupt": a size or a hash is not the manifest's
|   `-- BundleMismatchError       "bundle-mismatch": files that do not fit each other
|-- SignatureError                "signature": a key or a signature cannot be read or used
|-- StoreError                    "store": models cannot be fetched, kept or carried
|   |-- FetchError                "fetch": a file could not be fetched
|   |   |-- FetchNetworkError     "fetch-network": no connection, or it broke and stayed broken
|   |   |-- FetchStatusError      "fetch-status": every source answered with an HTTP error
|   |   `-- FetchCorruptError     "fetch-corrupt": what came is not the file: size or SHA-256
|   |-- NoRoomError               "no-room": requested and allowed, in bytes
|   `-- ArchiveError              "archive": models that were carried here cannot be taken in
|-- EngineError                   "engine": the engine failed, went away or gave nonsense
`-- WorkshopError                 "workshop": model building
    |-- RecipeError
    |-- CorpusError
    |-- TrainingError
    |-- ModelFileError            a model file of another program cannot be read
    `-- ExportError
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from typing import Any, ClassVar, cast

Detail = str | int | float | bool | None


class DragomanError(Exception):
    """Base of all. Each can be pickled, with its cause: it crosses processes as it is.

    Attributes:
        code: a stable name that clients can switch on.
        details: figures and names that belong to the message, as plain data.
    """

    code: ClassVar[str] = "error"

    def __init__(self, message: str, **details: Detail) -> None:
        super().__init__(message)
        self.message = message
        self.details = details

    def __reduce__(self) -> tuple[Any, ...]:
        # Not by calling the class again: the constructors take figures, not the message.
        return _restored, (type(self), self.args, dict(vars(self)), _portable(self.__cause__))


def _restored(
    cls: type[DragomanError],
    args: tuple[Any, ...],
    state: Mapping[str, Any],
    cause: BaseException | None,
) -> DragomanError:
    """An error that another process pickled."""
    error = cls.__new__(cls)
    error.args = args
    vars(error).update(state)
    error.__cause__ = cause
    return error


def _portable(cause: BaseException | None) -> BaseException | None:
    """A cause that can be pickled and read again; where it cannot, what it says of itself."""
    if cause is None:
        return None
    try:
        return cast(BaseException, pickle.loads(pickle.dumps(cause)))  # noqa: S301 (our own)
    except Exception:  # whatever the class of a library does there
        return RuntimeError(repr(cause))


class RequestError(DragomanError):
    code = "request"


class _LimitError(RequestError):
    """A figure over a limit: says what was asked for and what is allowed."""

    what: ClassVar[str]

    def __init__(self, requested: int, allowed: int, **details: Detail) -> None:
        super().__init__(
            f"{self.what.format(**details)}: {requested:,} requested, {allowed:,} allowed",
            requested=requested,
            allowed=allowed,
            **details,
        )
        self.requested, self.allowed = requested, allowed


class TextTooLongError(_LimitError):
    code = "text-too-long"
    what = "the text has too many characters"


class PageTooLargeError(_LimitError):
    """`counted` is "elements and attributes", "elements with text" or "levels"."""

    code = "page-too-large"
    what = "the page has too many {counted}"

    def __init__(self, requested: int, allowed: int, counted: str = "levels") -> None:
        super().__init__(requested, allowed, counted=counted)
        self.counted = counted


class SentenceTooLongError(_LimitError):
    code = "sentence-too-long"
    what = "a sentence has too many pieces"


class QueueFullError(_LimitError):
    """`counted` is "sentences", "characters" or, of a whole host, "requests"."""

    code = "queue-full"
    what = "too many {counted} wait"

    def __init__(self, requested: int, allowed: int, counted: str = "sentences") -> None:
        super().__init__(requested, allowed, counted=counted)
        self.counted = counted


class GraphTooLargeError(_LimitError):
    code = "graph-too-large"
    what = "the templates of dependent requests have too many chunks"


class GraphError(RequestError):
    """Dependent requests that do not fit together; `details` names the variables."""

    code = "graph"


class GraphCycleError(GraphError):
    code = "graph-cycle"

    def __init__(self, *names: str) -> None:
        path = " -> ".join(names)
        super().__init__(f"variables need each other: {path}", variables=path)


class UnboundVariableError(GraphError):
    code = "unbound-variable"

    def __init__(self, name: str, output: str) -> None:
        super().__init__(
            f"{output!r} needs the variable {name!r}, which nothing gives a value",
            variable=name,
            output=output,
        )


class WrittenTwiceError(GraphError):
    code = "written-twice"

    def __init__(self, name: str) -> None:
        super().__init__(f"the variable {name!r} is given two values", variable=name)


class DependencyError(RequestError):
    """An input failed; `details` has the variable where that began, and the code of its error."""

    code = "dependency"

    def __init__(self, variable: str, cause: str, message: str) -> None:
        super().__init__(
            f"it needs {variable!r}, which failed: {message}", variable=variable, cause=cause
        )
        self.variable, self.cause = variable, cause


class LanguagePairError(RequestError):
    """`available` names what there is; `advice`, where it is known, how to get the model."""

    code = "language-pair"

    def __init__(self, source: str, target: str, available: str, advice: str = "") -> None:
        super().__init__(
            f"there is no model from {source!r} to {target!r}; available: {available or 'none'}"
            + (f". {advice}" if advice else ""),
            source=source,
            target=target,
        )
        self.source, self.target, self.available = source, target, available


class LanguageNotSureError(RequestError):
    """Nothing is translated from a guess.

    Args:
        likely: languages that it may be, best first, such as "de 63%, no 22%"; may be empty.
    """

    code = "language-not-sure"

    def __init__(self, likely: str) -> None:
        maybe = f"; maybe {likely}" if likely else ""
        super().__init__(
            f"the language of the text cannot be told for sure{maybe}: name it", likely=likely
        )


class InvalidRequestError(RequestError):
    code = "invalid-request"


class InvalidElementsError(RequestError):
    """Elements that are none of the text, or not properly nested.

    Attributes:
        element: index of the first one that is wrong.
        reason: "range", "surrogate", "order", "nesting", "void", "count", "depth" or "format".
    """

    code = "invalid-elements"

    def __init__(self, element: int, reason: str, message: str, **details: Detail) -> None:
        super().__init__(f"element {element}: {message}", element=element, reason=reason, **details)
        self.element, self.reason = element, reason


class InvalidGlossaryError(RequestError):
    """A term that cannot be used, by its index; or a file, by its line.

    Attributes:
        term: index of the term; None where the file as a whole cannot be read.
    """

    code = "invalid-glossary"

    def __init__(self, message: str, term: int | None = None, **details: Detail) -> None:
        where = "" if term is None else f"term {term}: "
        super().__init__(f"{where}{message}", term=term, **details)
        self.term = term


class GlossaryTooLargeError(_LimitError):
    """`counted` is "terms", or "characters" of one term."""

    code = "glossary-too-large"
    what = "the glossary has too many {counted}"

    def __init__(self, requested: int, allowed: int, counted: str = "terms") -> None:
        super().__init__(requested, allowed, counted=counted)
        self.counted = counted


class InvalidTranslationMemoryError(RequestError):
    """An entry that cannot be used, by its index; or a file, by its line.

    Attributes:
        entry: index of the entry; None where the file as a whole cannot be read.
    """

    code = "invalid-translation-memory"

    def __init__(self, message: str, entry: int | None = None, **details: Detail) -> None:
        where = "" if entry is None else f"entry {entry}: "
        super().__init__(f"{where}{message}", entry=entry, **details)
        self.entry = entry


class TranslationMemoryTooLargeError(_LimitError):
    """`counted` is "entries", "characters", "characters of a sentence", and of a file "bytes" or
    "levels of elements".
    """

    code = "translation-memory-too-large"
    what = "the translation memory has too many {counted}"

    def __init__(self, requested: int, allowed: int, counted: str = "entries") -> None:
        super().__init__(requested, allowed, counted=counted)
        self.counted = counted


class UnsupportedFormatError(RequestError):
    code = "unsupported-format"

    def __init__(self, format_: str, advice: str) -> None:
        super().__init__(f"this host cannot read {format_!r}: {advice}", format=format_)


class DocumentError(RequestError):
    """A document that cannot be read as what it is.

    Attributes:
        reason: "damaged", "encrypted", "no-text", "limit", "entities", "path", "columns" or
            "source".
    """

    code = "document"

    def __init__(self, reason: str, message: str, **details: Detail) -> None:
        super().__init__(message, reason=reason, **details)
        self.reason = reason


class DocumentTooLargeError(_LimitError):
    """`counted` is "bytes", "unpacked bytes", "parts", "levels of elements", or of a PDF "pages",
    "bytes of text", "seconds of reading".
    """

    code = "document-too-large"
    what = "the document has too many {counted}"

    def __init__(self, requested: int, allowed: int, counted: str) -> None:
        super().__init__(requested, allowed, counted=counted)
        self.counted = counted


class RequestCancelledError(DragomanError):
    code = "cancelled"


class DeadlineError(DragomanError):
    """Seconds that were given, and sentences done of all when they were over."""

    code = "deadline"

    def __init__(self, deadline: float, done: int, total: int) -> None:
        super().__init__(
            f"not ready within {deadline:g} s: {done:,} of {total:,} sentences were done",
            deadline=deadline,
            done=done,
            total=total,
        )
        self.deadline, self.done, self.total = deadline, done, total


class BundleError(DragomanError):
    code = "bundle"


class BundleMissingFileError(BundleError):
    code = "bundle-missing-file"


class BundleCorruptError(BundleError):
    code = "bundle-corrupt"


class BundleMismatchError(BundleError):
    code = "bundle-mismatch"


class SignatureError(DragomanError):
    code = "signature"


class StoreError(DragomanError):
    code = "store"


class FetchError(StoreError):
    """Nothing that was fetched before is lost: the next try goes on from there."""

    code = "fetch"


class FetchNetworkError(FetchError):
    code = "fetch-network"


class FetchStatusError(FetchError):
    """`details` has the HTTP status."""

    code = "fetch-status"


class FetchCorruptError(FetchError):
    code = "fetch-corrupt"


class NoRoomError(StoreError):
    code = "no-room"

    def __init__(self, requested: int, allowed: int, path: str) -> None:
        super().__init__(
            f"there is no room for the models in {path}: {requested / 1e6:,.1f} MB are needed, "
            f"{allowed / 1e6:,.1f} MB are free",
            requested=requested,
            allowed=allowed,
            path=path,
        )


class ArchiveError(StoreError):
    code = "archive"


class EngineError(DragomanError):
    code = "engine"


class WorkshopError(DragomanError):
    code = "workshop"


class RecipeError(WorkshopError):
    code = "recipe"


class CorpusError(WorkshopError):
    code = "corpus"


class TrainingError(WorkshopError):
    code = "training"


class ModelFileError(WorkshopError):
    code = "model-file"


class ExportError(WorkshopError):
    code = "export"


_UNFORESEEN = "it failed for an unforeseen reason, which is a mistake of the program"


def typed(error: BaseException) -> DragomanError:
    """The error itself, or one for what nobody foresaw (memory, a mistake of ours): it ends one
    request only. Its cause is the error, which is for those who mend it: what it says of our
    insides, or quotes of a text, is in no message."""
    if isinstance(error, DragomanError):
        return error
    failure = DragomanError(_UNFORESEEN)
    failure.__cause__ = error
    return failure
