"""What is looked for in a vocabulary's file before SentencePiece gets it.

The file is `ModelProto` of sentencepiece_model.proto; its encoding is that of protobuf.
"""

from __future__ import annotations

import re
import sys
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
_SPECS = (3, 5)  # normalizer_spec and denormalizer_spec, and in each of them:
_CHARSMAP = 2


def check_pieces(model: bytes) -> None:
    """Look for what makes SentencePiece end the process: a piece that begins with NUL, for one.

    What is no message of protobuf is left to SentencePiece, which says so.

    Raises:
        BundleCorruptError: a piece has a NUL in it, the table that normalizes texts leads out of
            itself (natively), or there is what nobody has written for years
            (groups), behind which pieces could be.
    """
    usual = _USUAL.match(model)
    rest = memoryview(model)[usual.end() if usual else 0 :]
    for number, piece in fields(rest):
        if number in _SPECS:
            _check_specs(piece)
        if number != _PIECES:
            continue
        if any(0 in text for inner, text in fields(piece) if inner == _PIECE):
            raise BundleCorruptError("the vocabulary is damaged: one of its pieces has a NUL")


def _check_specs(spec: memoryview) -> None:
    """SentencePiece follows the places in this table wherever they lead: out of its memory, too.

    In WebAssembly nothing but its own memory can be read, and NumPy is not there: what comes of it
    is an error, or a wrong text.
    """
    if sys.platform == "emscripten":
        return
    for number, content in fields(spec):
        if number == _CHARSMAP and len(content) and not _is_charsmap(bytes(content)):
            raise BundleCorruptError("the vocabulary is damaged: its normalization leads nowhere")


def _is_charsmap(content: bytes) -> bool:
    """Whether every place that a text can lead to is in the table.

    It is a size, a double array of so many bytes (Darts-clone, `DoubleArrayUnit`), and texts that
    end at a NUL. A unit that has no value leads to the 256 ones around its own place xor its
    offset; a value is where a text begins.
    """
    import numpy as np

    size = int.from_bytes(content[:4], "little")
    texts = content[4 + size :]
    if len(content) < 4 or size % 4 or not texts.endswith(b"\0"):
        return False
    units = np.frombuffer(content, "<u4", size // 4, 4).astype(np.int64)
    values = units >> 31 == 1
    offsets = (units >> 10) << ((units >> 6) & 8)
    reached = (np.arange(len(units)) ^ offsets) | 0xFF
    return bool(
        np.all((reached < len(units)) | values)
        and np.all(((units & 0x7FFFFFFF) < len(texts)) | ~values)
    )


def fields(message: memoryview) -> Iterator[tuple[int, memoryview]]:
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
            raise BundleCorruptError("the vocabulary is not a SentencePiece model: it has groups")
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
