"""The vocabularies of a published model, as the one that a tokenizer wants.

With a vocabulary a side they are merged: the source's pieces under their own ids, then those of the
target that the source lacks. These are marked unused: no source text is ever cut into them, but
they decode. Plain Python: it runs under Pyodide too.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dragoman.errors import BundleCorruptError, ModelFileError
from dragoman.student.architecture import EOS, UNK
from dragoman.student.pieces import check_pieces

if TYPE_CHECKING:  # it takes YAML, which not everyone needs
    from dragoman.marian.config import MarianConfig

SPECIAL = 2  # </s> and <unk> have the same ids on both sides
FIRST_BYTE = "<0x00>"  # a piece of those that fall back to bytes
# Of SentencePiece's ModelProto and its pieces: field numbers with their wire types, and a type.
_PIECES, _PIECE, _TYPE = b"\x0a", b"\x0a", b"\x18"
_UNUSED = b"\x05"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a tokenizer wants.

    Attributes:
        model: in SentencePiece's format.
        size: its pieces.
        ids: of each of the target's pieces, its id here; None: the same.
    """

    model: bytes
    size: int
    ids: array[int] | None = None


def vocabulary_of(
    source: bytes,
    target: bytes | None,
    config: MarianConfig,
    names: tuple[str, str] = ("the vocabulary", "the target vocabulary"),
) -> Vocabulary:
    """The vocabulary of both sides, checked against the model.

    Args:
        target: that of the target side, where the model has one a side.
        names: what errors call the two.

    Raises:
        ModelFileError: one is missing or too many, or does not fit the model.
    """
    _check(source, config.source_vocabulary_size, names[0])
    if config.shared:
        if target is not None:
            raise ModelFileError("the model has one vocabulary for both languages")
        return Vocabulary(source, config.source_vocabulary_size)
    if target is None:
        raise ModelFileError("the model has a vocabulary a side: the target's is needed too")
    _check(target, config.sizes.vocabulary_size, names[1])
    return merge_vocabularies(source, target)


def merge_vocabularies(source: bytes, target: bytes) -> Vocabulary:
    """One vocabulary that encodes as the source's and decodes the target's pieces.

    Raises:
        ModelFileError: one of them is no SentencePiece model, or they cannot be merged.
    """
    own, other = (
        _processor(source, "the source vocabulary"),
        _processor(target, "the target vocabulary"),
    )
    if _has_bytes(own) != _has_bytes(other):
        raise ModelFileError("only one of the vocabularies falls back to bytes")
    known = {piece: number for number, piece in enumerate(_pieces(own, "the source vocabulary"))}
    ids, more = array("i", range(SPECIAL)), bytearray(source)
    for piece in _pieces(other, "the target vocabulary")[SPECIAL:]:
        if piece not in known:
            known[piece] = len(known)
            more += _unused(piece)
        ids.append(known[piece])
    merged = _processor(bytes(more), "the merged vocabulary")
    if merged.get_piece_size() != len(known):
        raise ModelFileError("the vocabularies cannot be merged: a piece is there twice")
    return Vocabulary(bytes(more), len(known), ids)


def _unused(piece: str) -> bytes:
    """A piece more, to stand at a model's end: of a repeated field all parts count."""
    text = piece.encode()
    content = _PIECE + _varint(len(text)) + text + _TYPE + _UNUSED
    return _PIECES + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    groups = bytearray()
    while number > 127:
        groups.append(number & 127 | 128)
        number >>= 7
    return bytes([*groups, number])


def _pieces(processor: Any, what: str) -> list[str]:
    try:
        return list(processor.id_to_piece(list(range(processor.get_piece_size()))))
    except UnicodeDecodeError as error:
        raise ModelFileError(f"{what} has a piece that is not UTF-8") from error


def _has_bytes(processor: Any) -> bool:
    number = processor.piece_to_id(FIRST_BYTE)
    return number != processor.unk_id() and bool(processor.is_byte(number))


def _processor(content: bytes, what: str) -> Any:
    # Here and not above: see `text.tokenizer`.
    import sentencepiece

    try:
        check_pieces(content)
        return sentencepiece.SentencePieceProcessor(model_proto=content)
    # Its message may quote a damaged piece: it is not told.
    except (BundleCorruptError, RuntimeError, UnicodeDecodeError) as error:
        raise ModelFileError(f"{what} is not a SentencePiece model") from error


def _check(content: bytes, size: int, what: str) -> None:
    processor = _processor(content, what)
    if processor.get_piece_size() != size:
        raise ModelFileError(
            f"{what} has {processor.get_piece_size():,} pieces, the model {size:,}",
            requested=processor.get_piece_size(),
            allowed=size,
        )
    if (processor.eos_id(), processor.unk_id()) != (EOS, UNK):
        raise ModelFileError(f"{what}: </s> must be piece {EOS} and <unk> piece {UNK}")
