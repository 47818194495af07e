"""A sign outside of the window: its entry in the task bar asks for attention, and the tray, if there is one, tells."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QMainWindow, QSystemTrayIcon

from aipc_app.ui.notices import Arrival


class Caller(QObject):
    """Calls only while the window isn't looked at. The tray icon is there from the first call to the next look."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._tray: QSystemTrayIcon | None = None
        self.called: list[Arrival] = []
        QApplication.instance().applicationStateChanged.connect(self._looked)  # type: ignore[union-attr]

    def call(self, arrival: Arrival) -> None:
        self.called.append(arrival)
        if self._window.isActiveWindow():
            return
        QApplication.alert(self._window)
        if QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages():
            if self._tray is None:
                self._tray = QSystemTrayIcon(self._window.windowIcon(), self)
                self._tray.messageClicked.connect(self._show)
                self._tray.activated.connect(lambda _reason: self._show())
            self._tray.show()
            self._tray.showMessage(arrival.title, arrival.sentence, self._window.windowIcon())

    def close(self) -> None:
        """Take the icon away."""
        if self._tray is not None:
            self._tray.hide()

    def _looked(self, _state: object) -> None:
        if self._window.isActiveWindow():
            self.close()

    def _show(self) -> None:
        self._window.showNormal() if self._window.isMinimized() else self._window.show()
        self._window.raise_()
        self._window.activateWindow()
        self.close()
