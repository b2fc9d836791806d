"""A Chromium that nobody drives.

What drives a browser has it keep the files that a page fetches, up to 10 MB each, in the page's own
process: 25 MB that users do not have. So where memory counts, the page goes through its work by
itself, and what it asks its server for tells how far it is.
"""

from __future__ import annotations

import subprocess
import tempfile
from types import TracebackType
from typing import Self

import psutil

from dragoman.models.measures.in_browser import CHROMIUM_FLAGS, browser_path

END_SECONDS = 20


class Alone:
    """A context manager: a browser without a window, with a profile of its own, on one page."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)

    def __enter__(self) -> Self:
        flags = ("--headless=new", "--no-first-run", f"--user-data-dir={self._profile.name}")
        command = [browser_path("chromium"), *CHROMIUM_FLAGS, *flags, self._url]
        silent = subprocess.DEVNULL
        self._process = subprocess.Popen(command, stdout=silent, stderr=silent)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._process.terminate()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._profile.cleanup()

    def renderers(self) -> tuple[int, ...]:
        """Process ids: the page's own, and a spare one that Chromium keeps empty."""
        children = psutil.Process(self._process.pid).children(recursive=True)
        return tuple(child.pid for child in children if "--type=renderer" in child.cmdline())
