"""Stages 3 and 7: SentencePiece pieces with their spans, and back to text with theirs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from dragoman.errors import BundleCorruptError
from dragoman.types import DetokenizedText, Piece, Span

# Characters of which a tokenizer remembers whether they have a piece.
_MOST_KNOWN = 10_000


class Tokenizer(Protocol):
    """What the pipeline needs of a vocabulary."""

    @property
    def size(self) -> int:
        """Number of pieces."""
        ...

    def has_piece(self, character: str) -> bool:
        """Whether a character, with the marks on it, is one of the vocabulary, not only bytes."""
        ...

    def encode(self, sentences: Sequence[str]) -> list[tuple[Piece, ...]]:
        """Pieces of each sentence, without EOS; spans are relative to the sentence."""
        ...

    def decode(self, rows: Sequence[Sequence[int]]) -> list[DetokenizedText]:
        """Text of each row of ids (without EOS) and the span of each id in it."""
        ...


class SentencePieceTokenizer:
    """A vocabulary in SentencePiece's own format.

    Raises:
        BundleCorruptError: the bytes are not a SentencePiece model.
    """

    def __init__(self, model: bytes) -> None:
        # Here and not above: the browser starts from a snapshot of the interpreter with the core
        # imported, which cannot hold an extension module (ADR 7).
        import sentencepiece

        if not model:  # SentencePiece takes nothing for "load later", and fails at the first use
            raise BundleCorruptError("the vocabulary is not a SentencePiece model: it is empty")
        try:
            self._processor = sentencepiece.SentencePieceProcessor(model_proto=model)
        except RuntimeError as error:
            message = f"the vocabulary is not a SentencePiece model: {error}"
            raise BundleCorruptError(message) from error
        self._known: dict[str, bool] = {}

    @property
    def size(self) -> int:
        return int(self._processor.get_piece_size())

    def has_piece(self, character: str) -> bool:
        known = self._known.get(character)
        if known is None:
            ids = self._processor.encode(character)
            known = not any(map(self._processor.is_byte, ids))
            known = known and not any(map(self._processor.is_unknown, ids))
            if len(self._known) == _MOST_KNOWN:
                self._known.clear()
            self._known[character] = known
        return known

    def encode(self, sentences: Sequence[str]) -> list[tuple[Piece, ...]]:
        # One by one: a list makes SentencePiece start threads, which ends a Pyodide interpreter.
        return [self._encode(sentence) for sentence in sentences]

    def _encode(self, sentence: str) -> tuple[Piece, ...]:
        encoded = self._processor.encode(sentence, out_type="immutable_proto")
        return tuple(Piece(piece.id, Span(piece.begin, piece.end)) for piece in encoded.pieces)

    def decode(self, rows: Sequence[Sequence[int]]) -> list[DetokenizedText]:
        return [self._decode(row) for row in rows]

    def _decode(self, row: Sequence[int]) -> DetokenizedText:
        if not row:
            return DetokenizedText("", ())
        decoded = self._processor.decode(list(row), out_type="immutable_proto")
        spans = tuple(Span(piece.begin, piece.end) for piece in decoded.pieces)
        return DetokenizedText(decoded.text, spans)
