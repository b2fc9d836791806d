"""Signatures of minisign, made and checked.

untrusted comment: TEXT
BASE64               "ED"  number 8  signature 64   of BLAKE2b-512 of the file ("Ed": of the file)
trusted comment: TEXT
BASE64               signature 64                   of the signature above, the trusted comment
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from dragoman.errors import SignatureError
from dragoman.signing.keys import ED25519, NUMBER, PublicKey, SecretKey
from dragoman.signing.lines import UNTRUSTED, decoded, key_name, lines_of

PREHASHED = b"ED"
TRUSTED = "trusted comment: "
SIGNATURE = 64  # bytes


class Verdict(StrEnum):
    """What is to be thought of a file."""

    SIGNED = "signed"  # by a key that is trusted, and so is the comment
    UNKNOWN = "unknown"  # by a key that is not trusted: nothing was checked
    WRONG = "wrong"  # in the name of a trusted key, which has not signed this
    UNSIGNED = "unsigned"


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature file.

    Attributes:
        number: of the key, 8 bytes.
        prehashed: whether a hash of the file is signed; older ones sign the file.
        signature: 64 bytes.
        comment: the trusted one.
        comment_signature: 64 bytes, of `signature` and `comment`.
    """

    number: bytes
    prehashed: bool
    signature: bytes
    comment: str
    comment_signature: bytes

    @property
    def key_name(self) -> str:
        return key_name(self.number)


def read_signature(content: bytes) -> Signature:
    """A signature file.

    Raises:
        SignatureError: it is none.
    """
    what = "a signature"
    lines = lines_of(content, what)
    if len(lines) < 3 or not lines[1].startswith(TRUSTED):
        raise SignatureError("the file is not a signature of minisign")
    data = decoded(lines[0], 2 + NUMBER + SIGNATURE, what)
    if data[:2] not in (ED25519, PREHASHED):
        raise SignatureError("the signature is not of Ed25519")
    return Signature(
        data[2 : 2 + NUMBER], data[:2] == PREHASHED, data[2 + NUMBER :],
        lines[1].removeprefix(TRUSTED), decoded(lines[2], SIGNATURE, what),
    )  # fmt: skip


def sign(content: bytes, key: SecretKey, comment: str) -> bytes:
    """The signature file of some content: equal for equal content, key and comment.

    Args:
        comment: the trusted one, one line.

    Raises:
        ValueError: the comment is of several lines.
    """
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    if "\n" in comment or "\r" in comment:
        raise ValueError("a comment is one line")
    signs = Ed25519PrivateKey.from_private_bytes(key.seed).sign
    signature = signs(_hashed(content))
    of_comment = signs(signature + comment.encode())
    lines = (
        f"{UNTRUSTED}signature of Dragoman, by key {key.name}",
        b64encode(PREHASHED + key.number + signature).decode(),
        f"{TRUSTED}{comment}",
        b64encode(of_comment).decode(),
    )
    return "".join(f"{line}\n" for line in lines).encode()


def judge(content: bytes, signature: Signature, trusted: Iterable[PublicKey]) -> Verdict:
    """Whether one of the trusted keys has signed some content, and the comment with it."""
    keys = [key for key in trusted if key.number == signature.number]
    if not keys:
        return Verdict.UNKNOWN
    fits = any(_fits(content, signature, key) for key in keys)
    return Verdict.SIGNED if fits else Verdict.WRONG


def _fits(content: bytes, signature: Signature, key: PublicKey) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    checks = Ed25519PublicKey.from_public_bytes(key.key).verify
    try:
        checks(signature.signature, _hashed(content) if signature.prehashed else content)
        checks(signature.comment_signature, signature.signature + signature.comment.encode())
    except InvalidSignature:
        return False
    return True


def _hashed(content: bytes) -> bytes:
    return hashlib.blake2b(content).digest()
