"""What the tests of the native hosts (translator, command, server) share."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine
from dragoman.native.bundles import Parts
from tests.support.helpers import FIRST_ID, pipeline
from tests.support.paths import TESTS

TINY_VOCABULARY = TESTS / "fixtures" / "tiny.spm"
TINY_SIZE = 480

MakeBundle = Callable[..., Path]


def capital(piece: int) -> int:
    """The id of the capital of a letter, where it is one code point; for `CharacterTokenizer`."""
    upper = chr(piece - FIRST_ID).upper()
    return ord(upper) + FIRST_ID if len(upper) == 1 else piece


def capital_parts(limits: Limits | None = None) -> Parts:
    """A model that translates "Guten Tag." as "GUTEN TAG."."""
    return Parts(pipeline(limits=limits), EchoEngine(capital))


def interruptible() -> None:
    """For `preexec_fn`: a child of a background job starts with SIGINT ignored otherwise."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
