"""Stages 3 and 7: SentencePiece pieces with their spans, and back to text with theirs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Protocol

from dragoman.errors import BundleCorruptError
from dragoman.student.pieces import check_pieces
from dragoman.text.openings import Respaced, openings_of
from dragoman.types import DetokenizedText, Piece, PrefixStep, Span, span_of

_SPACE = "\u2581"  # what a piece has for a space

_NOT_TEXT = "the vocabulary is damaged: one of its pieces is not UTF-8"

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

    def written(self, row: Sequence[int]) -> str:
        """About the text of a row of ids, a space before each word: good enough to be counted."""
        ...

    def prefix(self, text: str) -> tuple[PrefixStep, ...]:
        """How a translation begins with a text, the white space at its end included."""
        ...

    def normalized(self, text: str) -> str:
        """A text as pieces have it: what `prefix` makes a translation begin with."""
        ...


class SentencePieceTokenizer:
    """A vocabulary in SentencePiece's own format; marks that open as it wants them (`openings`).

    Raises:
        BundleCorruptError: the bytes are not a SentencePiece model.
    """

    def __init__(self, model: bytes) -> None:
        # Here and not above: the browser starts from a snapshot of the interpreter with the core
        # imported, which cannot hold an extension module (ADR 7).
        import sentencepiece

        if not model:  # SentencePiece takes nothing for "load later", and fails at the first use
            raise BundleCorruptError("the vocabulary is not a SentencePiece model: it is empty")
        check_pieces(model)
        try:
            self._processor = sentencepiece.SentencePieceProcessor(model_proto=model)
        except UnicodeDecodeError as error:  # SentencePiece's own message quotes a piece
            raise BundleCorruptError(_NOT_TEXT) from error
        except RuntimeError as error:
            message = f"the vocabulary is not a SentencePiece model: {error}"
            raise BundleCorruptError(message) from error
        self._openings = openings_of(model)
        self._known: dict[str, bool] = {}
        self._ids: dict[str, int] = {}
        self._texts: dict[int, str] = {}
        self._counted_texts: dict[int, str] = {}
        self._sorted: list[tuple[str, int]] = []

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
        shown = self._apart(sentence)
        pieces = self._pieces(shown.text)
        if not shown.spaces:
            return pieces
        spans = shown.without([piece.span for piece in pieces])
        return tuple(Piece(piece.id, span) for piece, span in zip(pieces, spans, strict=True))

    def _apart(self, text: str) -> Respaced:
        return Respaced(text, ()) if self._openings is None else self._openings.apart(text)

    def _pieces(self, sentence: str) -> tuple[Piece, ...]:
        # Each piece of a protocol buffer is an object that a call each gives away, a fifth of all
        # Python of a sentence. Where the vocabulary's rules change nothing, pieces have their text.
        written = self._processor.encode(sentence, out_type=str)
        if "".join(written) == _SPACE + sentence.replace(" ", _SPACE):
            return tuple(map(Piece, map(self._id, written), _places(written)))
        encoded = self._processor.encode(sentence, out_type="immutable_proto")
        return tuple(Piece(piece.id, Span(piece.begin, piece.end)) for piece in encoded.pieces)

    def _id(self, written: str) -> int:
        known = self._ids.get(written)
        if known is None:
            known = self._processor.piece_to_id(written)
            if len(self._ids) == _MOST_KNOWN:  # what is unknown is written in as many ways
                self._ids.clear()
            self._ids[written] = known
        return known

    def prefix(self, text: str) -> tuple[PrefixStep, ...]:
        try:
            return self._prefix(text)
        except UnicodeDecodeError as error:
            raise BundleCorruptError(_NOT_TEXT) from error

    def _prefix(self, text: str) -> tuple[PrefixStep, ...]:
        encoded = self._processor.encode(self._apart(text).text, out_type="immutable_proto")
        pieces = [(piece.piece, piece.id) for piece in encoded.pieces]
        if text and text[-1].isspace():
            pieces.append((_SPACE, self._processor.piece_to_id(_SPACE)))
        steps: list[PrefixStep] = []
        rest: str | None = ""  # of byte pieces nothing is known: each stands for itself
        for written, piece in reversed(pieces):
            known = rest is not None and not self._processor.is_byte(piece)
            rest = written + (rest or "") if known else None
            covering = [] if rest is None else self._beginning_with(rest)
            if self._processor.is_unknown(piece) and covering:
                piece = covering[0]  # a vocabulary without a piece for the space alone
            steps.append(PrefixStep(piece, tuple(sorted({piece, *covering}))))
        return tuple(reversed(steps))

    def normalized(self, text: str) -> str:
        (decoded,) = self.decode([self._processor.encode(self._apart(text).text)])
        return decoded.text + (" " if text[-1:].isspace() else "")

    def _beginning_with(self, text: str) -> list[int]:
        """The pieces that begin with a text."""
        if not self._sorted:
            self._sorted = sorted(self._written())
        first = bisect_left(self._sorted, (text, -1))
        last = bisect_left(self._sorted, (text + "\U0010ffff", -1), first)
        return [piece for _, piece in self._sorted[first:last]]

    def _written(self) -> Iterator[tuple[str, int]]:
        own = self._processor
        for piece in range(self.size):
            if not (own.is_control(piece) or own.is_unknown(piece) or own.is_byte(piece)):
                yield own.id_to_piece(piece), piece

    def decode(self, rows: Sequence[Sequence[int]]) -> list[DetokenizedText]:
        return [self._decode(row) for row in rows]

    def _decode(self, row: Sequence[int]) -> DetokenizedText:
        decoded = self._written_as(row)
        if self._openings is None:
            return decoded
        shown = self._openings.together(decoded.text)
        return DetokenizedText(shown.text, shown.without(decoded.spans))

    def _written_as(self, row: Sequence[int]) -> DetokenizedText:
        if not row:
            return DetokenizedText("", ())
        try:
            texts = [self._text(piece) for piece in row]
            text = self._processor.decode(list(row))
            if "".join(texts) == f" {text}":
                return DetokenizedText(text, _places(texts))
            decoded = self._processor.decode(list(row), out_type="immutable_proto")
            text = decoded.text
        except (
            UnicodeDecodeError
        ) as error:  # found here: to look at all would take each start a while
            raise BundleCorruptError(_NOT_TEXT) from error
        return DetokenizedText(
            text, tuple(Span(piece.begin, piece.end) for piece in decoded.pieces)
        )

    def written(self, row: Sequence[int]) -> str:
        try:
            return "".join(map(self._counted, row))
        except UnicodeDecodeError as error:
            raise BundleCorruptError(_NOT_TEXT) from error

    def _counted(self, piece: int) -> str:
        known = self._counted_texts.get(piece)
        if known is None:
            own = self._processor
            is_text = not (own.is_control(piece) or own.is_unknown(piece) or own.is_byte(piece))
            known = self._counted_texts[piece] = self._text(piece) if is_text else "\ufffd"
        return known

    def _text(self, piece: int) -> str:
        """As it is written, with spaces; of a byte, a control or the unknown it is no text."""
        known = self._texts.get(piece)
        if known is None:
            known = self._texts[piece] = self._processor.id_to_piece(piece).replace(_SPACE, " ")
        return known


def _places(pieces: Sequence[str]) -> tuple[Span, ...]:
    """Of pieces that are a text to the letter, with a space before it that the text has not."""
    ends = list(accumulate(map(len, pieces), initial=-1))[1:]
    return tuple(map(span_of, (0, *ends), ends))
