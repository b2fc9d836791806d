"""Signatures are those of minisign, to the byte, and none fits what was not signed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dragoman.errors import SignatureError
from dragoman.signing.keys import PublicKey, read_public_key, read_secret_key
from dragoman.signing.signatures import Verdict, judge, read_signature, sign
from tests.support.minisign import CONTENT, HIDDEN_PUBLIC, LEGACY, PUBLIC, SECRET, SIGNATURE

KEY = read_public_key(PUBLIC)
OTHER = read_public_key(HIDDEN_PUBLIC)


def test_what_minisign_signed_is_signed() -> None:
    signature = read_signature(SIGNATURE)
    assert (signature.key_name, signature.prehashed) == ("ADF55EC4A689283C", True)
    assert signature.comment == "a trusted comment"
    assert judge(CONTENT, signature, [OTHER, KEY]) is Verdict.SIGNED


def test_signatures_of_older_versions_too() -> None:
    signature = read_signature(LEGACY)
    assert (signature.prehashed, signature.comment) == (False, "old kind")
    assert judge(CONTENT, signature, [KEY]) is Verdict.SIGNED


def test_it_signs_as_minisign_does() -> None:
    ours = sign(CONTENT, read_secret_key(SECRET), "a trusted comment").decode().split("\n")
    theirs = SIGNATURE.decode().split("\n")
    assert ours[0] == "untrusted comment: signature of Dragoman, by key ADF55EC4A689283C"
    assert ours[1:] == theirs[1:]


def test_other_content_another_comment_another_kind_do_not_fit() -> None:
    signature = read_signature(SIGNATURE)
    assert judge(b"hello bundlE\n", signature, [KEY]) is Verdict.WRONG
    assert judge(CONTENT, replace(signature, comment="a trusty comment"), [KEY]) is Verdict.WRONG
    assert judge(CONTENT, replace(signature, prehashed=False), [KEY]) is Verdict.WRONG
    assert judge(CONTENT, replace(signature, signature=bytes(64)), [KEY]) is Verdict.WRONG


def test_a_key_that_takes_the_number_of_another_does_not_fit() -> None:
    signature = read_signature(SIGNATURE)
    assert judge(CONTENT, signature, [PublicKey(KEY.number, OTHER.key)]) is Verdict.WRONG


def test_a_key_that_nobody_trusts() -> None:
    assert judge(CONTENT, read_signature(SIGNATURE), []) is Verdict.UNKNOWN
    assert judge(CONTENT, read_signature(SIGNATURE), [OTHER]) is Verdict.UNKNOWN


@pytest.mark.parametrize(
    "file", [b"", PUBLIC, SIGNATURE[:-20], SIGNATURE.replace(b"\ntr", b"\nun")]
)
def test_what_is_no_signature(file: bytes) -> None:
    with pytest.raises(SignatureError, match="the file is not a signature of minisign"):
        read_signature(file)


def test_a_signature_of_another_kind() -> None:
    with pytest.raises(SignatureError, match="the signature is not of Ed25519"):
        read_signature(SIGNATURE.replace(b"\nRU", b"\nXX"))


def test_a_comment_is_one_line() -> None:
    with pytest.raises(ValueError, match="a comment is one line"):
        sign(CONTENT, read_secret_key(SECRET), "one\ntwo")
