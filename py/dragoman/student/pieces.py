"""What is looked for in a vocabulary's file before SentencePiece gets it.

The file is `ModelProto` of sentencepiece_model.proto; its encoding is that of protobuf.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dragoman.errors import BundleCorruptError

# Of `ModelProto` and of `SentencePiece` in it (sentencepiece_model.proto); wire types of protobuf.
_PIECES = _PIECE = 1
_VARINT, _EIGHT_BYTES, _LENGTH, _FOUR_BYTES = 0, 1, 2, 5
# Pieces as SentencePiece writes them: a text without NUL, a score, often a type. All that are so,
# which are nearly all, are passed at the speed of one expression.
_USUAL = re.compile(
    b"(?:%s)*+"
    % b"|".join(
        b"\n%s\n%s[^\0]{%d}\x15[\\s\\S]{4}%s"
        % (re.escape(bytes([size + rest])), re.escape(bytes([size])), size, kind)
        for size in range(1, 100)
        for rest, kind in ((7, b""), (9, rb"\x18[\x00-\x7f]"))
    )
)


def check_pieces(model: bytes) -> None:
    """SentencePiece ends the process where a piece begins with NUL: it is looked for before.

    What is no message of protobuf is left to SentencePiece, which says so.

    Raises:
        BundleCorruptError: a piece has a NUL in it, or there is what nobody has written for years
            (groups), behind which pieces could be.
    """
    usual = _USUAL.match(model)
    rest = memoryview(model)[usual.end() if usual else 0 :]
    for number, piece in _fields(rest):
        if number != _PIECES:
            continue
        if any(0 in text for inner, text in _fields(piece) if inner == _PIECE):
            raise BundleCorruptError("the vocabulary is damaged: one of its pieces has a NUL")


def _fields(message: memoryview) -> Iterator[tuple[int, memoryview]]:
    """Numbers and contents of the fields that have a length, as far as there are any."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        kind, size = tag & 7, 0
        if kind == _VARINT:
            _, at = _varint(message, at)
        elif kind == _LENGTH:
            size, at = _varint(message, at)
            yield tag >> 3, message[at : at + size]
        elif kind in (_EIGHT_BYTES, _FOUR_BYTES):
            size = 8 if kind == _EIGHT_BYTES else 4
        else:
            raise BundleCorruptError("the vocabulary is damaged: there is a group in it")
        at += size


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """A number, and where it ends."""
    value = shift = 0
    while at < len(message):
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    return value, at
