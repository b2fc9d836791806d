"""The server of a window: in a thread of the same process, for nobody else.

HostedServer(settings).start() --> address         the thread runs uvicorn
                      .stop()                      open requests are settled, the thread has ended
"""

from __future__ import annotations

import contextlib
import secrets
import socket
import threading
from dataclasses import replace

from dragoman.server.run import listen, make_server
from dragoman.server.settings import Settings

# The first choice: what a page keeps (its history, its language) belongs to its address.
PORT = 8766


class HostedServer:
    """Answers only requests with its token, which is new each time.

    Attributes:
        token: what a request must carry in `middleware.TOKEN_HEADER`.
        address: such as "http://127.0.0.1:8766", once it was started.
    """

    def __init__(self, settings: Settings) -> None:
        self.token = secrets.token_urlsafe(32)
        self.address = ""
        self._settings = replace(settings, host="127.0.0.1", token=self.token)
        self._server = make_server(self._settings, access_log=False, log_level="warning")
        self._thread = threading.Thread(target=self._run, name="dragoman-app-server", daemon=True)
        self._socket: socket.socket | None = None

    def start(self) -> str:
        """Listen, and answer from now on; the address.

        Raises:
            OSError: this machine has no free port.
        """
        self._socket = _free_socket(PORT)
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread.start()
        return self.address

    def stop(self) -> None:
        """Settle what is open, and wait for the end."""
        self._server.should_exit = True
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        if self._socket is not None:
            with contextlib.closing(self._socket) as sock:
                self._server.run(sockets=[sock])


def _free_socket(port: int) -> socket.socket:
    try:
        return listen("127.0.0.1", port)
    except OSError:
        return listen("127.0.0.1", 0)
