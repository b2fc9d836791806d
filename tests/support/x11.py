"""A display of its own for windows, and what a desktop's window manager would do with them."""

from __future__ import annotations

import ctypes
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Of X.h and Xlib.h.
CLIENT_MESSAGE = 33
LONGS = 24


@contextmanager
def display(width: int = 1280, height: int = 900) -> Iterator[str]:
    """The name of an empty screen, which ends with the block."""
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{width}x{height}x24"]
    with subprocess.Popen(
        [*command, "-nolisten", "tcp"], pass_fds=[write],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as server:  # fmt: skip
        os.close(write)
        try:
            with os.fdopen(read) as told:
                yield f":{told.readline().strip()}"
        finally:
            server.terminate()


def window_of(name: str, environment: dict[str, str], timeout: float) -> int:
    """The number of a visible window, as soon as there is one with this title.

    It is asked for again and again: xdotool's own `--sync` ends with an error where a window goes
    while it looks.
    """
    command = ["xdotool", "search", "--onlyvisible", "--name", f"^{name}$"]
    deadline = time.monotonic() + timeout
    while True:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=timeout
        )
        if done.stdout:
            return int(done.stdout.split()[0])
        if time.monotonic() > deadline:
            raise TimeoutError(f"no window {name} after {timeout:.0f} s: {done.stderr}")
        time.sleep(0.2)


def screenshot(path: Path, environment: dict[str, str]) -> None:
    """The whole screen."""
    path.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["import", "-window", "root", str(path)], env=environment, check=True)


def ask_to_close(window: int, name: str) -> None:
    """As the cross in a title bar does (ICCCM 4.2.8.1): the program may refuse."""
    xlib = ctypes.CDLL("libX11.so.6")
    xlib.XOpenDisplay.restype = ctypes.c_void_p
    xlib.XInternAtom.restype = ctypes.c_ulong
    screen = ctypes.c_void_p(xlib.XOpenDisplay(name.encode()))
    protocols, delete = (
        xlib.XInternAtom(screen, atom, False) for atom in (b"WM_PROTOCOLS", b"WM_DELETE_WINDOW")
    )
    # XClientMessageEvent: type, serial, send_event, display, window, message_type, format, data.
    event = (ctypes.c_long * LONGS)(CLIENT_MESSAGE, 0, 1, 0, window, protocols, 32, delete)
    xlib.XSendEvent(screen, ctypes.c_ulong(window), False, ctypes.c_long(0), ctypes.byref(event))
    xlib.XCloseDisplay(screen)
