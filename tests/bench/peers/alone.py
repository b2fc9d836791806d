"""A Chromium that nobody drives.

What drives a browser has it keep the files that a page fetches, up to 10 MB each, in the page's own
process: 25 MB that users do not have. So where memory counts, the page goes through its work by
itself, and what it asks its server for tells how far it is.
"""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

from dragoman.models.measures.in_browser import CHROMIUM_FLAGS, browser_path

END_SECONDS = 20


@contextmanager
def alone(url: str) -> Iterator[psutil.Process]:
    """A browser without a window, with a profile of its own, on one page."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        flags = ("--headless=new", "--no-first-run", f"--user-data-dir={profile}")
        process = psutil.Popen(
            [browser_path("chromium"), *CHROMIUM_FLAGS, *flags, url],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(END_SECONDS)
            except psutil.TimeoutExpired:
                process.kill()


def pages(browser: psutil.Process) -> tuple[int, ...]:
    """Process ids of its renderers: the page's own, and a spare one that Chromium keeps empty."""
    children = browser.children(recursive=True)
    return tuple(child.pid for child in children if _is_renderer(child))


def _is_renderer(process: psutil.Process) -> bool:
    """One that has just ended, and waits for the browser to notice, has no command line."""
    with contextlib.suppress(psutil.NoSuchProcess):  # or a zombie, which is one of these
        return "--type=renderer" in process.cmdline()
    return False
