"""The window: the page of its server, and no other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import shiboken6
from PySide6.QtCore import QByteArray, QUrl
from PySide6.QtGui import QCloseEvent, QGuiApplication, QIcon
from PySide6.QtWebEngineCore import (
    QWebEngineDownloadRequest,
    QWebEnginePage,
    QWebEngineProfile,
    QWebEngineSettings,
    QWebEngineUrlRequestInfo,
    QWebEngineUrlRequestInterceptor,
)
from PySide6.QtWebEngineWidgets import QWebEngineView
from PySide6.QtWidgets import QFileDialog, QMainWindow, QWidget

from dragoman.app.addresses import is_own, page_of
from dragoman.app.typist import Typist
from dragoman.server.middleware import TOKEN_HEADER


class Door(QWebEngineUrlRequestInterceptor):
    """Requests to the server carry its token; requests to anybody else are not made."""

    def __init__(self, server: str, token: str) -> None:
        super().__init__()
        self._server = server
        self._token = QByteArray(token.encode())

    def interceptRequest(self, info: QWebEngineUrlRequestInfo) -> None:  # noqa: N802
        address = info.requestUrl().toString()
        if not is_own(address, self._server):
            info.block(True)
        elif address.startswith(f"{self._server}/"):
            info.setHttpHeader(TOKEN_HEADER.encode(), self._token)


class Window(QMainWindow):
    """Shows the page.

    Args:
        kept: folder of what the page keeps: its language, its history where a person wants one.
        onclose: asked when the window is closed; whether it is only hidden.
    """

    def __init__(
        self, server: str, token: str, kept: Path, icon: QIcon, onclose: Callable[[], bool]
    ) -> None:
        super().__init__()
        self.setWindowTitle("Dragoman")
        self.setWindowIcon(icon)
        self.resize(1180, 820)
        self._onclose = onclose
        self._door = Door(server, token)
        self._profile = QWebEngineProfile("dragoman", self)
        self._profile.setPersistentStoragePath(str(kept))
        self._profile.setHttpCacheType(QWebEngineProfile.HttpCacheType.NoCache)
        self._profile.setUrlRequestInterceptor(self._door)
        self._profile.downloadRequested.connect(self._save)
        # The page's own button for copying; it is no page of others.
        copying = QWebEngineSettings.WebAttribute.JavascriptCanAccessClipboard
        self._profile.settings().setAttribute(copying, True)
        self._view = QWebEngineView(self)
        self._page = QWebEnginePage(self._profile, self._view)
        self._view.setPage(self._page)
        self.setCentralWidget(self._view)
        self._typist = Typist(self._page.runJavaScript)
        self._page.loadStarted.connect(self._typist.loading)
        self._page.loadFinished.connect(self._typist.loaded)
        self._page.load(QUrl(page_of(server)))

    def front(self) -> None:
        """Before all other windows, as far as the desktop lets an app put itself there."""
        self.showNormal() if self.isMinimized() else self.show()
        self.raise_()
        self.activateWindow()

    def translate_clipboard(self) -> None:
        """Come to the front with the clipboard's text as what is to be translated."""
        self.front()
        self._typist.type(QGuiApplication.clipboard().text())

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        if self._onclose():
            event.ignore()
            self.hide()
        else:
            event.accept()

    def close_page(self) -> None:
        """Before the end: Qt wants the page gone before its profile, and no event loop is left."""
        shiboken6.delete(self._page)

    def _save(self, download: QWebEngineDownloadRequest) -> None:
        folder = Path(download.downloadDirectory())
        parent: QWidget = self
        name, _ = QFileDialog.getSaveFileName(parent, "", str(folder / download.downloadFileName()))
        if not name:
            download.cancel()
            return
        path = Path(name)
        download.setDownloadDirectory(str(path.parent))
        download.setDownloadFileName(path.name)
        download.accept()
