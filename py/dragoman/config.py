"""Limits and defaults, in one place. Every limit has a typed error that carries both figures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What a service accepts.

    Attributes:
        text_characters: longest text of one request, in code points (`TextTooLongError`).
        queued_sentences: sentences that may wait at a time (`QueueFullError`).
        batch_pieces: padded source pieces of one mini-batch, rows times width.
        batch_rows: sentences of one mini-batch.
        slice_sentences: sentences that are tokenized before other work gets a turn.
    """

    text_characters: int = 500_000
    queued_sentences: int = 100_000
    batch_pieces: int = 1_024
    batch_rows: int = 64
    slice_sentences: int = 64
