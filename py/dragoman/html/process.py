"""A process that reads pages and writes them, for one that must not stand still.

    READ   source                    -> text, elements
    WRITE  source, text, content     -> HTML; the source is read again: nothing is kept between two

It ends with its input. What goes wrong with a page is a typed error, by its name and figures.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import BinaryIO

from dragoman.config import Limits
from dragoman.errors import DragomanError
from dragoman.html import HtmlPage
from dragoman.html.crossing import (
    READ,
    Message,
    content_of,
    element_numbers,
    receive,
    send,
    text_bytes,
    text_of,
)


def answer(asked: Message) -> Message:
    """What is answered to a message."""
    try:
        limits = Limits(**asked.head["limits"])
        page = HtmlPage(text_of(asked.parts[0]), asked.head["language"], limits)
        if asked.head["do"] == READ:
            return Message({}, [text_bytes(page.text), element_numbers(page.elements)])
        text, content = text_of(asked.parts[1]), content_of(asked.parts[2])
        return Message({}, [text_bytes(page.write(text, content, asked.head["target"]))])
    except DragomanError as error:
        return Message({"message": error.message, "details": error.details})


def serve(source: BinaryIO, sink: BinaryIO, answered: Callable[[Message], Message]) -> None:
    """Answer what comes, until nothing does."""
    while (asked := receive(source)) is not None:
        send(answered(asked), sink)


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who asks, and ends this one too
    source = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    sink = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve(source, sink, answer)


if __name__ == "__main__":
    main()
