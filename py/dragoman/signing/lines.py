"""The lines that files of minisign are made of.

untrusted comment: TEXT     anybody's: what is signed does not cover it
BASE64
"""

from __future__ import annotations

import binascii
from base64 import b64decode

from dragoman.errors import SignatureError

UNTRUSTED = "untrusted comment: "
LONGEST_FILE = 10_000  # bytes; minisign allows comments of 8,192


def lines_of(content: bytes, what: str) -> list[str]:
    """The lines of a file without its untrusted comment.

    Args:
        what: what it is to be, for the error: "a public key".

    Raises:
        SignatureError: it is not text, too long, or begins with no such comment.
    """
    try:
        text = content.decode("utf-8") if len(content) <= LONGEST_FILE else ""
        lines = [line.removesuffix("\r") for line in text.split("\n")]
    except UnicodeDecodeError:
        lines = []
    if len(lines) < 2 or not lines[0].startswith(UNTRUSTED):
        raise SignatureError(f"the file is not {what} of minisign")
    return lines[1:]


def decoded(line: str, length: int, what: str) -> bytes:
    """Bytes of a line of base64.

    Raises:
        SignatureError: it is not base64, or of another length.
    """
    try:
        content = b64decode(line, validate=True)
    except (binascii.Error, ValueError):
        content = b""
    if len(content) != length:
        raise SignatureError(f"the file is not {what} of minisign")
    return content


def key_name(number: bytes) -> str:
    """How minisign writes the number of a key: "ADF55EC4A689283C"."""
    return number[::-1].hex().upper()
