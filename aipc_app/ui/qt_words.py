"""Qt's own words (buttons of file dialogs, menus of text fields) in the window's language."""

from __future__ import annotations

from PySide6.QtCore import QLibraryInfo, QObject, QTranslator
from PySide6.QtWidgets import QApplication

_FILES = {"zh": "qtbase_zh_CN"}


class QtWords(QObject):
    """Installs Qt's translation while it is wanted."""

    def __init__(self, application: QApplication) -> None:
        super().__init__()
        self._application = application
        self._installed: QTranslator | None = None

    def use(self, language: str) -> None:
        """English is what Qt speaks by itself."""
        if self._installed is not None:
            self._application.removeTranslator(self._installed)
            self._installed = None
        file = _FILES.get(language)
        if file is None:
            return
        translator = QTranslator(self)
        if translator.load(file, QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
            self._application.installTranslator(translator)
            self._installed = translator
