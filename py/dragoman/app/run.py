"""Runs the app: the server, the window, the tray."""

from __future__ import annotations

import signal

from platformdirs import user_data_path
from PySide6.QtCore import QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

from dragoman.app.calls import Call
from dragoman.app.hosted import HostedServer
from dragoman.app.instance import Instance, call_running, instance_name
from dragoman.app.tray import Tray
from dragoman.app.window import Window
from dragoman.server.settings import Settings

# Milliseconds after which Python looks for a signal, such as Ctrl-C, while Qt waits.
SIGNALS_EVERY = 200


def run(settings: Settings, call: Call) -> int:
    """Until the app is quit; or at once, where it runs already. The exit code.

    Args:
        settings: of its server; `web` is the page.

    Raises:
        OSError: the server has no port.
    """
    app = QApplication(["dragoman"])
    app.setApplicationName("Dragoman")
    app.setDesktopFileName("dragoman")
    name = instance_name()
    if call_running(call, name):
        return 0
    server = HostedServer(settings)
    address = server.start()
    has_tray = QSystemTrayIcon.isSystemTrayAvailable()
    app.setQuitOnLastWindowClosed(not has_tray)
    icon = QIcon(str(settings.web / "icon.svg")) if settings.web else QIcon()
    kept = user_data_path("dragoman", appauthor=False) / "app"
    window = Window(address, server.token, kept, icon, lambda: has_tray)
    obey = {Call.SHOW: window.front, Call.CLIPBOARD: window.translate_clipboard}
    instance = Instance(lambda said: obey[said](), name)
    tray = Tray(window, icon, app.quit)
    tray.setVisible(has_tray)
    obey[call]()
    heartbeat = _hear_signals(app)
    try:
        return app.exec()
    finally:
        heartbeat.stop()
        instance.deleteLater()
        window.close_page()
        server.stop()


def _hear_signals(app: QApplication) -> QTimer:
    """Python handles a signal only when it runs, and Qt alone does not let it."""
    for number in signal.SIGINT, signal.SIGTERM:
        signal.signal(number, lambda *_: app.quit())
    timer = QTimer()
    timer.timeout.connect(lambda: None)
    timer.start(SIGNALS_EVERY)
    return timer
