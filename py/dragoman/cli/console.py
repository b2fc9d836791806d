"""What every command shares: how it ends, and what it says on standard error.

Exit codes: 0 all went well (also when the reader of a pipe has had enough, as with ``| head``), 1
something is wrong with the input or the model, 2 wrong usage, 130 interrupted; SIGTERM ends it by
that signal. Messages are one line each; `DRAGOMAN_DEBUG=1` adds the traceback.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

import typer

from dragoman.errors import DragomanError, typed
from dragoman.native.files import reason
from dragoman.wire.responses import json_bytes

_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class _TerminatedError(SystemExit):
    """SIGTERM came. Loops of events let no other end through."""


@contextmanager
def terminable() -> Iterator[None]:
    """Within it, SIGTERM leaves nothing half written; the process ends by it all the same."""

    def unwind(number: int, _: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)  # a second one ends at once
        raise _TerminatedError

    if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:  # who started it wants it otherwise
        yield
        return
    signal.signal(signal.SIGTERM, unwind)
    try:
        yield
    except _TerminatedError:
        signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def reported() -> Iterator[None]:
    """Every error becomes one line on standard error and the documented exit code."""
    try:
        yield
    except KeyboardInterrupt:
        end("interrupted", 130)
    except BrokenPipeError:
        _silence_output()
        raise typer.Exit(0) from None
    except DragomanError as error:
        _debug()
        end(error.message, 1)
    except (typer.Exit, typer.Abort, typer.BadParameter):
        raise
    except OSError as error:  # a disk that is full, a folder that may not be read
        _debug()
        end(f"{error.filename}: {reason(error)}" if error.filename else reason(error), 1)
    except Exception as error:
        _debug()
        end(f"{typed(error).message} (DRAGOMAN_DEBUG=1 shows where)", 1)


def echo(message: str, err: bool = False) -> None:
    """Print a line. Names of files and models may be anybody's: what a terminal would obey, what
    turns the direction of text, and what the stream's encoding has not, is written out."""
    text = _UNPRINTABLE.sub(lambda match: ascii(match.group())[1:-1], message)
    try:
        typer.echo(text, err=err)
    except UnicodeEncodeError:  # a pipe of Windows is of the old code page
        encoding = (sys.stderr if err else sys.stdout).encoding
        typer.echo(text.encode(encoding, "backslashreplace").decode(encoding), err=err)


def echo_json(data: object) -> None:
    """Print a line of JSON, in UTF-8 whatever the locale."""
    typer.echo(json_bytes(data))


def end(message: str, code: int) -> NoReturn:
    echo(f"dragoman: {' '.join(message.split())}", err=True)
    raise typer.Exit(code) from None


def _debug() -> None:
    if os.environ.get("DRAGOMAN_DEBUG"):
        traceback.print_exc()


def _silence_output() -> None:
    """What the interpreter flushes at its end has no reader either: let it go nowhere."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # the stream of a test has no descriptor
        return


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Say what to install when a package of an optional extra is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("dragoman"):
            end(f"this installation has no {error.name}", 1)
        end(f"this command needs {error.name!r}: pip install 'dragoman[{name}]'", 1)
