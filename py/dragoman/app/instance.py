"""One running app for each user: a second start calls the first and ends."""

from __future__ import annotations

import getpass
import hashlib
from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from dragoman.app.calls import Call, read_call
from dragoman.errors import InvalidRequestError

# Milliseconds that the first one has to answer; else it hangs, and a new one takes its place.
PATIENCE = 2_000
# Bytes; a call is shorter.
LONGEST_CALL = 64


def instance_name() -> str:
    """Of the local socket; users of one machine have one each."""
    return f"dragoman-app-{hashlib.sha256(getpass.getuser().encode()).hexdigest()[:16]}"


class Instance(QObject):
    """Hears the calls of other starts; the socket is this user's alone."""

    def __init__(self, oncall: Callable[[Call], None], name: str) -> None:
        super().__init__()
        self._oncall = oncall
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        QLocalServer.removeServer(name)  # what one that was killed has left
        self._server.listen(name)
        self._server.newConnection.connect(self._accept)

    def _accept(self) -> None:
        connection = self._server.nextPendingConnection()
        connection.readyRead.connect(lambda: self._receive(connection))
        connection.disconnected.connect(connection.deleteLater)

    def _receive(self, connection: QLocalSocket) -> None:
        data = bytes(connection.read(LONGEST_CALL).data())
        connection.disconnectFromServer()
        try:
            call = read_call(data)
        except InvalidRequestError:  # of another release: it still wants the window
            call = Call.SHOW
        self._oncall(call)


def call_running(call: Call, name: str) -> bool:
    """Tell the running app; False: there is none."""
    socket = QLocalSocket()
    socket.connectToServer(name)
    if not socket.waitForConnected(PATIENCE):
        return False
    socket.write(call.encode("ascii"))
    sent = socket.waitForBytesWritten(PATIENCE)
    socket.disconnectFromServer()
    return sent
