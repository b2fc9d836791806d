from __future__ import annotations

import pytest

from dragoman.errors import SignatureError
from dragoman.signing.lines import decoded, key_name, lines_of


def test_the_untrusted_comment_is_left_out() -> None:
    content = b"untrusted comment: x\r\nAAAA\r\nnext"
    assert lines_of(content, "a public key") == ["AAAA", "next"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"untrusted comment: x",
        b"AAAA\nAAAA",
        b"untrusted comment: \xff\nAAAA",
        b"untrusted comment: x\n" + b"A" * 9_980,
    ],
)
def test_what_is_no_such_file(content: bytes) -> None:
    with pytest.raises(SignatureError, match="the file is not a public key of minisign"):
        lines_of(content, "a public key")


def test_base64_of_a_length() -> None:
    assert decoded("AAEC", 3, "a signature") == b"\x00\x01\x02"
    for line in ("AAEC", "AAE", "AA*C", "AAEé", ""):
        with pytest.raises(SignatureError, match="not a signature"):
            decoded(line, 4, "a signature")


def test_a_key_is_named_as_minisign_does() -> None:
    assert key_name(bytes.fromhex("3c2889a6c45ef5ad")) == "ADF55EC4A689283C"
