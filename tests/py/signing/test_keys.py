"""Keys that minisign made are read; damaged ones and greedy ones are refused."""

from __future__ import annotations

from base64 import b64decode, b64encode

import pytest

from dragoman.errors import SignatureError
from dragoman.signing.keys import needs_password, read_public_key, read_secret_key
from tests.support.minisign import HIDDEN, HIDDEN_PUBLIC, PASSWORD, PUBLIC, SECRET, SIGNATURE


def with_bytes(file: bytes, at: int, content: bytes) -> bytes:
    """A file of minisign whose second line has other bytes at a place."""
    comment, line, *_ = file.split(b"\n")
    data = bytearray(b64decode(line))
    data[at : at + len(content)] = content
    return comment + b"\n" + b64encode(data) + b"\n"


def test_a_public_key_has_the_name_that_minisign_gives_it() -> None:
    key = read_public_key(PUBLIC)
    assert key.name == "ADF55EC4A689283C"
    assert key.key.hex() == "0ab890928c04ceaedd0bad6c0db959fa1f4bec7540b0cf294acfdcf320f2809e"
    assert read_public_key(PUBLIC.split(b"\n")[1]) == key
    assert read_public_key(PUBLIC.replace(b"\n", b"\r\n")) == key


def test_a_secret_key_without_a_password() -> None:
    assert not needs_password(SECRET)
    key = read_secret_key(SECRET)
    assert key.name == "ADF55EC4A689283C"
    assert repr(key) == "SecretKey(number=b'<(\\x89\\xa6\\xc4^\\xf5\\xad')"


def test_a_secret_key_with_a_password() -> None:
    assert needs_password(HIDDEN)
    assert read_secret_key(HIDDEN, PASSWORD).name == read_public_key(HIDDEN_PUBLIC).name
    with pytest.raises(SignatureError, match="the password is not that of the key"):
        read_secret_key(HIDDEN, "another")


def test_a_damaged_secret_key() -> None:
    with pytest.raises(SignatureError, match="the key is damaged"):
        read_secret_key(with_bytes(SECRET, 70, b"\0\1\2\3"))


def test_a_key_that_wants_too_much() -> None:
    greedy = with_bytes(HIDDEN, 46, (1 << 40).to_bytes(8, "little"))
    with pytest.raises(SignatureError, match="the secret key wants 1,099,511,627,776 bytes and"):
        read_secret_key(greedy, PASSWORD)


@pytest.mark.parametrize(
    "file", [b"", b"\n\n", b"x", SIGNATURE, SECRET, b"\xff\n\xff", PUBLIC[:-10], b"x\n" * 10_000]
)
def test_what_is_no_public_key(file: bytes) -> None:
    with pytest.raises(SignatureError, match="the file is not a public key of minisign"):
        read_public_key(file)


@pytest.mark.parametrize("file", [b"", PUBLIC, SIGNATURE])
def test_what_is_no_secret_key(file: bytes) -> None:
    with pytest.raises(SignatureError, match="the file is not a secret key of minisign"):
        read_secret_key(file)


def test_keys_of_another_kind() -> None:
    with pytest.raises(SignatureError, match="the public key is not of Ed25519"):
        read_public_key(with_bytes(PUBLIC, 0, b"XX"))
    with pytest.raises(SignatureError, match="of a kind that is not known here"):
        read_secret_key(with_bytes(SECRET, 4, b"XX"))
