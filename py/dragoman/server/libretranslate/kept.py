"""Translated files that wait to be fetched, in a folder that goes with the server.

    keep ----> in the folder ----> dropped: after `seconds`, by newer ones, or with `close`

They have names that nobody guesses; on the disk nothing says what they were called. Only the event
loop changes what is kept; files are written in threads. `close` is for the owner of the app.
"""

from __future__ import annotations

import asyncio
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from dragoman.errors import DocumentTooLargeError
from dragoman.server.problems import Problem, ProblemError

_RANDOM_BYTES = 24
_NO_ROOM = Problem(
    507, "file-not-kept", "the translation cannot be kept: the temporary folder takes no file"
)


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A translated file.

    Attributes:
        path: where it is.
        media_type: what it is.
        name: what it is called.
        size: bytes.
    """

    path: Path
    media_type: str
    name: str
    size: int


class KeptFiles:
    """Files under names that nobody guesses.

    Args:
        most: files, at a time; the oldest makes room, as it does for `bytes_`.
        bytes_: of all of them.
        seconds: that each is kept.
    """

    def __init__(
        self, most: int = 100, bytes_: int = 500_000_000, seconds: float = 1_800.0
    ) -> None:
        self._most, self._bytes, self._seconds = most, bytes_, seconds
        self._folder: TemporaryDirectory[str] | None = None
        self._files: dict[str, tuple[KeptFile, asyncio.TimerHandle]] = {}  # the oldest first

    def __len__(self) -> int:
        return len(self._files)

    async def keep(self, content: bytes, media_type: str, name: str) -> str:
        """Keep a file; the key that `find` takes.

        Raises:
            DocumentTooLargeError: it is larger than all may be.
            ProblemError: it cannot be written.
        """
        if len(content) > self._bytes:
            raise DocumentTooLargeError(len(content), self._bytes, counted="bytes")
        key = secrets.token_urlsafe(_RANDOM_BYTES)
        try:
            path = self._place() / key
            await asyncio.to_thread(_write, path, content)
        except OSError as error:
            raise ProblemError(_NO_ROOM) from error
        timer = asyncio.get_running_loop().call_later(self._seconds, self._drop, key)
        self._files[key] = KeptFile(path, media_type, name, len(content)), timer
        self._make_room()
        return key

    def find(self, key: str) -> KeptFile | None:
        """The file of a key; None where it is not kept (any more)."""
        entry = self._files.get(key)
        return entry and entry[0]

    def close(self) -> None:
        """Drop all files, and the folder."""
        for key in list(self._files):
            self._drop(key)
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _place(self) -> Path:
        """The folder; a new one where whoever cleans temporary files has taken it.

        Raises:
            OSError: there can be none.
        """
        if self._folder is not None and not Path(self._folder.name).is_dir():
            self.close()
        if self._folder is None:
            self._folder = TemporaryDirectory(prefix="dragoman-")
        return Path(self._folder.name)

    def _make_room(self) -> None:
        while len(self._files) > self._most or self._size() > self._bytes:
            self._drop(next(iter(self._files)))

    def _size(self) -> int:
        return sum(file.size for file, _ in self._files.values())

    def _drop(self, key: str) -> None:
        file, timer = self._files.pop(key)
        timer.cancel()
        with suppress(OSError):  # where it is being sent, and so stays: it goes with the folder
            file.path.unlink()


def _write(path: Path, content: bytes) -> None:
    """
    Raises:
        OSError: it cannot be written; nothing of it is left.
    """
    try:
        path.write_bytes(content)
    except OSError:
        with suppress(OSError):
            path.unlink()
        raise
