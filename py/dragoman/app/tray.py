"""The symbol in the desktop's tray, where there is one."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from dragoman.app.window import Window


class Tray(QSystemTrayIcon):
    """Shows the window, translates the clipboard, ends the app."""

    def __init__(self, window: Window, icon: QIcon, quit_app: Callable[[], None]) -> None:
        super().__init__(icon)
        self.setToolTip("Dragoman")
        self._menu = QMenu()  # Qt does not take it over
        self._menu.addAction("Show Dragoman", window.front)
        self._menu.addAction("Translate the clipboard", window.translate_clipboard)
        self._menu.addSeparator()
        self._menu.addAction("Quit", quit_app)
        self.setContextMenu(self._menu)
        self.activated.connect(
            lambda reason: window.front() if reason == self.ActivationReason.Trigger else None
        )
