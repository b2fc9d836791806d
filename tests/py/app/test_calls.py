import pytest

from dragoman.app.calls import Call, read_call
from dragoman.errors import InvalidRequestError


@pytest.mark.parametrize("call", Call)
def test_a_call_comes_as_it_was_sent(call: Call) -> None:
    assert read_call(call.encode("ascii")) is call


@pytest.mark.parametrize("data", [b"", b"SHOW", b"\xff", b"show clipboard"])
def test_anything_else_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidRequestError, match="something unreadable"):
        read_call(data)
