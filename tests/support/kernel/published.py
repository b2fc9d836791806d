"""Small published students, and what an engine gave of their mini-batches."""

from __future__ import annotations

from dataclasses import replace

from dragoman.engines.kernel_model import PublishedStudent
from dragoman.marian.layout import published_file
from dragoman.marian.vocabulary import Vocabulary, vocabulary_of
from dragoman.student.architecture import Architecture
from tests.support.published import SMALL, PublishedModel, sentences

COUNT, LIMIT, POSITIONS = 300, 16, 288
# The shapes of the published models, small; the last has a vocabulary a side.
SHAPES = {
    "tiny": (SMALL, None),
    "base-memory": (replace(SMALL, decoder_layers=4, vocabulary_size=600), None),
    "base": (Architecture(400, 128, 256, 8, 2, 2), None),
    "two vocabularies": (SMALL, 360),
}


def vocabulary(made: PublishedModel) -> Vocabulary:
    return vocabulary_of(made.vocabulary, made.target_vocabulary, made.config)


def student(made: PublishedModel) -> PublishedStudent:
    layout = published_file(made.model).layout()
    assert layout is not None
    return PublishedStudent(made.model, layout, POSITIONS, vocabulary(made).ids)


def rows_of(made: PublishedModel, count: int) -> list[list[int]]:
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor(model_proto=made.vocabulary)
    return [[*processor.encode(text), 0] for text in sentences(count, longest=4)]
