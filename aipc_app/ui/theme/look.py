"""The theme in force: follows the system or the setting, while the window runs."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory

from aipc_app.settings.model import Theme
from aipc_app.ui.theme.fonts import window_font
from aipc_app.ui.theme.icons import Icons
from aipc_app.ui.theme.sheet import style_sheet
from aipc_app.ui.theme.tokens import DARK, LIGHT, Tokens


class Look(QObject):
    """Tokens, icons and fonts in force. `changed` after each switch. Window's thread only."""

    changed = Signal()

    def __init__(self, application: QApplication) -> None:
        super().__init__()
        self._application = application
        self.icons = Icons()
        self.tokens: Tokens = LIGHT
        self._theme, self._points = Theme.SYSTEM, 0
        application.setStyle(QStyleFactory.create("Fusion"))
        application.styleHints().colorSchemeChanged.connect(self._system_changed)

    @property
    def points(self) -> int:
        """The window's font size."""
        return self._points

    def use(self, theme: Theme, points: int) -> None:
        """Switch to a theme and a font size."""
        tokens = self._choose(theme)
        if tokens is self.tokens and points == self._points:
            self._theme = theme
            return
        self._theme, self._points, self.tokens = theme, points, tokens
        self._application.setFont(window_font(points))
        self._application.setPalette(_palette(tokens))
        self._application.setStyleSheet(style_sheet(tokens, points))
        self.changed.emit()

    def icon(self, name: str, colour: str = "") -> QIcon:
        """An icon in a colour, by default that of quiet text."""
        return self.icons.icon(name, colour or self.tokens.muted)

    def _choose(self, theme: Theme) -> Tokens:
        if theme is Theme.SYSTEM:
            dark = self._application.styleHints().colorScheme() == Qt.ColorScheme.Dark
        else:
            dark = theme is Theme.DARK
        return DARK if dark else LIGHT

    def _system_changed(self) -> None:
        if self._theme is Theme.SYSTEM and self._points:
            self.use(self._theme, self._points)


def _palette(tokens: Tokens) -> QPalette:
    """For what the style sheet does not reach: selections, placeholders, system dialogs."""
    palette, role = QPalette(), QPalette.ColorRole
    colours = {
        role.Window: tokens.ground, role.WindowText: tokens.text, role.Base: tokens.surface,
        role.AlternateBase: tokens.raised, role.Text: tokens.text, role.Button: tokens.surface,
        role.ButtonText: tokens.text, role.Highlight: tokens.accent, role.HighlightedText: tokens.on_accent,
        role.ToolTipBase: tokens.surface, role.ToolTipText: tokens.text, role.PlaceholderText: tokens.faint,
        role.Link: tokens.accent, role.Mid: tokens.border, role.Dark: tokens.border_strong,
        role.Light: tokens.raised,
    }
    for which, colour in colours.items():
        palette.setColor(which, QColor(colour))
    for which in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, which, QColor(tokens.faint))
    return palette
