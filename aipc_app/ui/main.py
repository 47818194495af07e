"""Starts the window: frame first, then the services behind it, then the screens.

1. QApplication, words and look, from the settings given
2. the frame is shown; the rail and its chips are there, the middle says what is being opened
3. the services are opened on a thread of their own
4. attached: screens appear; first start, the sample case, or the list of cases
5. the window is closed: what runs is cancelled, then the services are closed
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from aipc_app import log
from aipc_app.operations.services import Services
from aipc_app.settings.model import Settings
from aipc_app.ui.desktop import Desktop

ServicesFactory = Callable[[], AbstractContextManager[Services]]


def run(
    services_factory: ServicesFactory, *, sample: bool = False, files: Sequence[Path] = (),
    settings: Settings | None = None,
    on_usable: Callable[[], bool] | None = None, argv: Sequence[str] = (),
) -> int:
    """Open the window and stay until it is closed. Returns the exit status: 1 when the data could not be opened.

    `sample`: open the sample case. `files`: look at these. `settings`: language and look of the frame before the
    services are there. `on_usable`: called once the window can be used; when it returns True the window closes
    (benchmarks).
    """
    application = make_application(argv)
    desktop = Desktop(application, settings or Settings())
    sys.excepthook = desktop.unexpected
    if on_usable is not None:
        desktop.usable.connect(lambda: on_usable() and desktop.window.close())
    # What is there by now stays until the end. Looking at all of it again stops every thread for a tenth of a second.
    desktop.usable.connect(gc.freeze)
    try:
        desktop.open(services_factory, sample=sample, files=files)
        application.exec()
    finally:
        sys.excepthook = sys.__excepthook__
        clean = desktop.close()
        settle_clipboard()
    log.UI.info("window closed%s", "" if clean else "; some work did not end in time")
    return 1 if desktop.failed else 0


def settle_clipboard() -> None:
    """Leave what was copied here as plain text of Qt's own.

    Data that Python made for the clipboard is freed after Python itself at the end, which crashes the program.
    """
    clipboard = QGuiApplication.clipboard()
    # The offscreen platform has a clipboard of its own and says of nothing that it owns it.
    if clipboard.ownsClipboard() or QGuiApplication.platformName() == "offscreen":
        clipboard.setText(clipboard.text())


def make_application(argv: Sequence[str]) -> QApplication:
    """The one QApplication."""
    application = QApplication(["aipc", *argv])
    application.setApplicationName("aipc")
    application.setApplicationDisplayName("AIPC")
    application.setDesktopFileName("aipc")
    return application
