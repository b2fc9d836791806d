"""A translation memory on its way through the pipeline.

    sentence --exact--> its translation, as it is: no model, no glossary, no cache
        `-- else --> the model;  --nearest--> offered beside what it says, where alternatives are

A sentence with an element that begins or ends inside of it, or a literal of the client's, is
nobody's entry: where its elements would go, an entry does not say. Nothing of a memory is in the
cache, so that what the cache has is the same for requests with whatever memory.
"""

from __future__ import annotations

from array import array
from dataclasses import replace

from dragoman.config import Limits
from dragoman.errors import TranslationMemoryTooLargeError
from dragoman.markup.bits import Work
from dragoman.pipeline.memory_index import MemoryIndex
from dragoman.text.align import words
from dragoman.types import (
    AlignedSegment,
    AlignmentKind,
    AnnotatedText,
    DetokenizedText,
    Hypothesis,
    MemoryMatch,
    Segment,
    Span,
    Tag,
    TagKind,
    TranslationMemory,
    TranslationRequest,
)


def check_memory(memory: TranslationMemory, limits: Limits) -> None:
    """Whether a memory is within its limits.

    Raises:
        TranslationMemoryTooLargeError: it has too many entries, or characters, or a sentence that
            is too long.
    """
    count = len(memory.entries)
    if count > limits.memory_entries:
        raise TranslationMemoryTooLargeError(count, limits.memory_entries)
    lengths = [len(side) for entry in memory.entries for side in (entry.source, entry.target)]
    longest, most = max(lengths, default=0), limits.memory_sentence_characters
    if longest > most:
        raise TranslationMemoryTooLargeError(longest, most, "characters of a sentence")
    if sum(lengths) > limits.memory_characters:
        allowed = limits.memory_characters
        raise TranslationMemoryTooLargeError(sum(lengths), allowed, "characters")


class Memories:
    """Those of requests, made ready to be searched."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._latest = MemoryIndex(TranslationMemory())

    def of(self, request: TranslationRequest, annotated: AnnotatedText) -> Work[DraftMemory]:
        """That of a request, bit by bit.

        Raises:
            TranslationMemoryTooLargeError: over a limit of memories.
        """
        memory = request.memory
        # Who asks for a prefix is choosing words.
        if memory is None or request.prefix is not None:
            return DraftMemory(None, request, annotated)
        if memory is not self._latest.memory:  # a client brings the same, again and again
            check_memory(memory, self._limits)
            self._latest = MemoryIndex(memory)
        index = yield from self._latest.built(_wants_near(request))
        return DraftMemory(index, request, annotated)


def _wants_near(request: TranslationRequest) -> bool:
    return bool(request.memory and request.memory.near and request.alternatives)


class DraftMemory:
    """What a memory has for the sentences of a request.

    Args:
        index: None for a request without a memory.
    """

    def __init__(
        self, index: MemoryIndex | None, request: TranslationRequest, annotated: AnnotatedText
    ) -> None:
        self._index, self._annotated = index, annotated
        self._aligned = request.alignment is not AlignmentKind.NONE
        self._wants_near = index is not None and _wants_near(request)
        self._near: dict[Span, tuple[MemoryMatch, ...]] = {}

    def exact(self, span: Span) -> str | None:
        """The translation of a sentence, if the memory has it."""
        if self._index is None or any(
            tag.kind is not TagKind.TEXT for tag in self._annotated.run(span)
        ):
            return None
        return self._index.exact(span.of(self._annotated.text))

    def look(self, span: Span) -> bool:
        """Look for what is like a sentence; whether that took a while."""
        if self._index is None or not self._wants_near:
            return False
        self._near[span] = self._index.nearest(self._annotated.without_stand_ins(span))
        return True

    def segment(self, request: int, index: int, span: Span, target: str) -> AlignedSegment:
        """A sentence as the memory has it: without pieces, as nobody says which word is which.

        Its scores are 1: nothing in it is the model's guess.
        """
        both = (words(span.of(self._annotated.text)), words(target)) if self._aligned else ((), ())
        text = Tag(TagKind.TEXT, -1, Span(0, len(target)))
        return AlignedSegment(
            Hypothesis(Segment(request, index, span, (), 0), (), (), array("f"), finished=True),
            DetokenizedText(target, ()),
            *both,
            links=(),
            word_scores=(1.0,) * len(both[1]),
            score=1.0,
            tags=(text,) if self._annotated.tags else (),
            from_memory=True,
        )

    def with_near(self, part: AlignedSegment) -> AlignedSegment:
        """A translated sentence with what the memory has that is like it."""
        matches = self._near.get(part.hypothesis.segment.span, ())
        others = [match for match in matches if match.entry.target != part.target.text]
        if self._index is None or not others:
            return part
        return replace(part, near=tuple(others[: self._index.memory.near]))
