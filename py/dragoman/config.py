"""Limits and defaults, in one place. Every limit has a typed error that carries both figures."""

from __future__ import annotations

from dataclasses import dataclass

# Of the densest pages that people read (tables of links), elements and attributes have 15 to 20.
CHARACTERS_A_NODE = 10


@dataclass(frozen=True, slots=True)
class Limits:
    """What a service accepts.

    Attributes:
        text_characters: longest text of one request, in code points (`TextTooLongError`).
        page_text_characters: of a page, what there is to translate (`TextTooLongError`).
        page_characters: longest page, markup included, in code points (`TextTooLongError`).
        page_nodes: elements and attributes of a page (`PageTooLargeError`); a long one may have one
            for every `CHARACTERS_A_NODE` of it, if that is more.
        page_elements: of a page, those that have text (`PageTooLargeError`).
        page_depth: levels of a page's elements (`PageTooLargeError`).
        queued_sentences: sentences that may wait at a time, at each priority (`QueueFullError`).
        queued_characters: the same in code points of their text. Over-long requests go in bit by
            bit; an empty queue takes at least one slice.
        batch_pieces: padded source pieces of one mini-batch, rows times width.
        batch_rows: sentences of one mini-batch.
        filler_percent: rows of a lower priority that a mini-batch may take along, in percent of
            those it is made for: the most by which it may get slower for them.
        patience: mini-batches of another priority that may go before one that waits.
        gather_milliseconds: longest wait for companions, of an engine that has just been busy.
        elements: of one request (`InvalidElementsError`).
        element_depth: elements around one another (`InvalidElementsError`).
        glossary_terms: of one request (`GlossaryTooLargeError`).
        term_characters: of one side of a term, in code points (`GlossaryTooLargeError`).
        memory_entries: of the translation memory of a request (`TranslationMemoryTooLargeError`, as
            the next two).
        memory_sentence_characters: of one side of an entry, in code points.
        memory_characters: of both sides of all entries together.
        beam: hypotheses that a search follows at a time, at most 16 (`InvalidRequestError`).
        prefix_characters: of what a translation is to begin with (`InvalidRequestError`).
        slice_sentences: sentences that are tokenized before other work gets a turn.
        deadline_seconds: longest deadline of a request (`InvalidRequestError`).
        engine_seconds: longest time that a mini-batch may take (`EngineError`).
        cache_bytes: of the translated sentences that are kept; the least recently used go first.
        persistent_cache_bytes: of the sentences that a browser keeps for later visits, if it was
            asked to; the least recently used go first.
        model_bytes: size of the loaded models, as their bundles say it. A model that is needed is
            always loaded; over this, those that nobody uses are unloaded (`registry`).
        stream_sentences: of one stream that are under way or wait to be read; `feed` waits then.
        graph_chunks: chunks of all templates of a session of variables (`GraphTooLargeError`).
        graph_characters: of all its values together, in code points (`TextTooLongError`).
    """

    text_characters: int = 500_000
    page_text_characters: int = 5_000_000
    page_characters: int = 20_000_000
    page_nodes: int = 200_000
    page_elements: int = 500_000
    page_depth: int = 512
    queued_sentences: int = 100_000
    queued_characters: int = 10_000_000
    batch_pieces: int = 1_024
    batch_rows: int = 64
    filler_percent: int = 25
    patience: int = 8
    gather_milliseconds: int = 5
    elements: int = 50_000
    element_depth: int = 256
    glossary_terms: int = 10_000
    term_characters: int = 200
    memory_entries: int = 100_000
    memory_sentence_characters: int = 2_000
    memory_characters: int = 20_000_000
    beam: int = 16
    prefix_characters: int = 2_000
    slice_sentences: int = 16
    deadline_seconds: int = 86_400
    engine_seconds: int = 120
    cache_bytes: int = 32_000_000
    persistent_cache_bytes: int = 8_000_000
    model_bytes: int = 256_000_000
    stream_sentences: int = 64
    graph_chunks: int = 1_000
    graph_characters: int = 2_000_000


@dataclass(frozen=True, slots=True)
class DocumentLimits:
    """What is accepted as a document; what is beyond is refused before any of it is translated.

    Attributes:
        bytes: of the file (`DocumentTooLargeError`, as the others).
        unpacked_bytes: of all parts of an archive, unpacked.
        part_bytes: of one part that has text, unpacked.
        parts: of an archive.
        depth: elements, or lists and objects, around one another.
        pages: of a PDF.
        stream_bytes: of what draws a page of a PDF, and of other parts of it, unpacked.
        reading_seconds: that a PDF may take to be read, whose size does not tell it.
    """

    bytes: int = 100_000_000
    unpacked_bytes: int = 500_000_000
    part_bytes: int = 50_000_000
    parts: int = 20_000
    depth: int = 500
    pages: int = 5_000
    stream_bytes: int = 10_000_000
    reading_seconds: int = 120


PIVOT = "en"  # Over this language goes what no model translates at once.
