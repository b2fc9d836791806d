"""What one start of the app tells the one that is running."""

from __future__ import annotations

from enum import StrEnum

from dragoman.errors import InvalidRequestError


class Call(StrEnum):
    """Come to the front; and with CLIPBOARD, translate what is in the clipboard."""

    SHOW = "show"
    CLIPBOARD = "clipboard"


def read_call(data: bytes) -> Call:
    """A call as it came over the socket.

    Raises:
        InvalidRequestError: it is none.
    """
    try:
        return Call(data.decode("ascii"))
    except ValueError as error:
        raise InvalidRequestError("another start of the app said something unreadable") from error
