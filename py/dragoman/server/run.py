"""Runs the app under uvicorn."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
from typing import Any

import typer
import uvicorn
from fastapi import FastAPI

from dragoman.native.installed import HOW_TO_GET_THE_PAGE
from dragoman.server.app import create_app
from dragoman.server.connection import Connection
from dragoman.server.libretranslate.paths import DOWNLOAD
from dragoman.server.loop.garbage import collect_seldom
from dragoman.server.settings import Settings

# What is under way when the server is told to end gets this long.
GRACE_SECONDS = 3


def run(settings: Settings, port: int) -> None:
    """Serve until Ctrl-C.

    Raises:
        OSError: the address cannot be listened at.
    """
    collect_seldom()
    with contextlib.closing(listen(settings.host, port)) as sock:
        announce(settings, sock)
        try:
            make_server(settings).run(sockets=[sock])
        except KeyboardInterrupt:  # uvicorn has ended in good order, and passes the signal on
            return


def make_server(settings: Settings, **options: Any) -> uvicorn.Server:
    """A server that is not running yet.

    Args:
        options: of `uvicorn.Config`.
    """
    app = create_app(settings)
    config = uvicorn.Config(
        app,
        proxy_headers=False,  # nothing that a client says about itself is believed
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        ws="none",
        http=Connection,
        **options,
    )
    logging.getLogger("uvicorn.access").addFilter(without_query)
    return _Server(config, app)


def without_query(record: logging.LogRecord) -> bool:
    """Takes the query off the address that is logged, and the name of a kept file: they may hold
    what somebody typed, and lead to it."""
    if isinstance(record.args, tuple) and len(record.args) == 5:
        client, method, address, *rest = record.args
        path = str(address).partition("?")[0]
        if path.startswith(DOWNLOAD):
            path = DOWNLOAD
        record.args = (client, method, path, *rest)
    return True


class _Server(uvicorn.Server):
    """Settles every open request before it waits for the connections to end."""

    def __init__(self, config: uvicorn.Config, app: FastAPI) -> None:
        super().__init__(config)
        self._app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._app.state.close()
        await super().shutdown(sockets)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; the port is free, or this fails.

    Raises:
        OSError: it is not, or the host is not this machine's.
    """
    family, _, _, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    sock = socket.socket(family)
    try:
        if os.name == "posix":  # elsewhere it would let two servers share the port
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
        sock.listen()
    except OSError:
        sock.close()
        raise
    return sock


def announce(settings: Settings, sock: socket.socket) -> None:
    """Say on standard error where the server is."""
    name = f"[{settings.host}]" if ":" in settings.host else settings.host
    base = f"http://{name}:{sock.getsockname()[1]}"
    typer.echo(f"Dragoman at {base}/ (API: {base}/docs)", err=True)
    if settings.web is None:
        typer.echo(f"dragoman: the API alone is served, no page: {HOW_TO_GET_THE_PAGE}", err=True)
    if not settings.is_local:
        typer.echo("dragoman: warning: other machines can reach this server, unencrypted", err=True)
