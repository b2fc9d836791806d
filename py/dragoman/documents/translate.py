"""A document translated: its passages as requests, some of which are under way at a time."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from dragoman.documents.passage import Document, Passage, Translated
from dragoman.types import AlignmentKind, TranslationRequest, TranslationResponse

Translate = Callable[[TranslationRequest], Awaitable[TranslationResponse]]
# Characters that are translated, of all.
DocumentListener = Callable[[int, int], None]

# What is under way at a time: enough to fill mini-batches.
_OPEN_CHARACTERS = 50_000
_OPEN_REQUESTS = 500


@dataclass(frozen=True, slots=True)
class TranslatedDocument:
    """A translated document.

    Attributes:
        content: the file.
        sentences: that it has.
        doubtful: those whose translation is likely to be bad.
        warnings: how often each was given.
    """

    content: bytes
    sentences: int
    doubtful: int
    warnings: dict[str, int]


async def translate_document(
    document: Document,
    translate: Translate,
    pattern: TranslationRequest,
    listener: DocumentListener = lambda _, __: None,
) -> TranslatedDocument:
    """Translate; cancelling the task that waits cancels what is under way.

    Args:
        pattern: the request that each passage becomes, but for its text.

    Raises:
        DragomanError: the first error of a passage, which ends all.
    """
    responses = await translated_passages(document, translate, pattern, listener)
    return finished(document, responses, pattern.target)


def finished(
    document: Document, responses: Sequence[TranslationResponse], language: str
) -> TranslatedDocument:
    """The document of the translations of its passages.

    Args:
        language: of the translations, BCP 47.
    """
    warnings = Counter(notice.code for response in responses for notice in response.warnings)
    counts = [response.count for response in responses]
    translated = [Translated(response.text, response.content) for response in responses]
    # Writing holds the processor: it has no place in the loop that serves others.
    content = document.write(translated, language)
    sentences = sum(count.all for count in counts)
    doubtful = sum(count.doubtful for count in counts)
    return TranslatedDocument(content, sentences, doubtful, dict(warnings))


async def translated_passages(
    document: Document,
    translate: Translate,
    pattern: TranslationRequest,
    listener: DocumentListener = lambda _, __: None,
) -> list[TranslationResponse]:
    """The translations of a document's passages; else as `translate_document`."""
    passages = document.passages
    total = sum(len(passage.text) for passage in passages)
    open_: deque[tuple[Passage, asyncio.Task[TranslationResponse]]] = deque()
    responses: list[TranslationResponse] = []
    done = waiting = 0
    listener(0, total)

    async def settle() -> None:
        nonlocal done, waiting
        passage, task = open_[0]
        responses.append(await task)
        open_.popleft()
        done += len(passage.text)
        waiting -= len(passage.text)
        listener(done, total)

    try:
        for passage in passages:
            request = _request(passage, pattern)
            open_.append((passage, asyncio.create_task(_run(translate, request))))
            waiting += len(passage.text)
            while waiting >= _OPEN_CHARACTERS or len(open_) >= _OPEN_REQUESTS:
                await settle()
        while open_:
            await settle()
    finally:
        for _, task in open_:
            task.cancel()
        await asyncio.gather(*(task for _, task in open_), return_exceptions=True)
    return responses


async def _run(translate: Translate, request: TranslationRequest) -> TranslationResponse:
    return await translate(request)


def _request(passage: Passage, pattern: TranslationRequest) -> TranslationRequest:
    return replace(
        pattern,
        text=passage.text,
        elements=passage.elements,
        format=passage.format,
        alignment=AlignmentKind.NONE,
    )
