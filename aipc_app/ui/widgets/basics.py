"""Labels, buttons and layouts as all screens make them. Text shown is always plain text."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import TypeVar

import shiboken6
from PySide6.QtCore import QObject, QSize, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from aipc_app.ui.theme.look import Look
from aipc_app.ui.words import Words

ICON = QSize(18, 18)
Layout = TypeVar("Layout", bound=QBoxLayout)


def label(text: str = "", kind: str = "", *, wrap: bool = False) -> QLabel:
    """A label that shows its text as it is, never as markup."""
    made = QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setWordWrap(wrap)
    if kind:
        made.setProperty("kind", kind)
    if kind == "pill":
        made.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
    return made


def said(words: Words, key: str, kind: str = "", *, wrap: bool = False) -> QLabel:
    """A label with a sentence of the catalogue."""
    made = label(kind=kind, wrap=wrap)
    words.bind(made, made.setText, key)
    return made


def button(words: Words, key: str, on_click: Callable[[], object], kind: str = "") -> QPushButton:
    """A button with a text of the catalogue, which is its accessible name too."""
    made = QPushButton()
    if kind:
        made.setProperty("kind", kind)
    words.bind(made, made.setText, key)
    made.clicked.connect(lambda: on_click())
    made.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
    return made


def icon_button(
    words: Words, look: Look, icon: str, key: str, on_click: Callable[[], object] | None = None, colour: str = ""
) -> QToolButton:
    """A square button; its name is its tool tip and what a screen reader says."""
    made = QToolButton()
    made.setIconSize(ICON)
    made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    words.bind(made, made.setToolTip, key)
    words.bind(made, made.setAccessibleName, key)
    themed(made, look, lambda: made.setIcon(look.icon(icon, getattr(look.tokens, colour) if colour else "")))
    if on_click is not None:
        made.clicked.connect(lambda: on_click())
    return made


def with_icon(made: QAbstractButton, look: Look, icon: str, colour: str = "") -> None:
    """Give a button an icon that follows the theme. `colour` is a token's name."""
    made.setIconSize(QSize(16, 16))
    themed(made, look, lambda: made.setIcon(look.icon(icon, getattr(look.tokens, colour) if colour else "")))


def themed(owner: QObject, look: Look, apply: Callable[[], object]) -> None:
    """Call `apply` now and after each switch of theme, for as long as `owner` lives."""
    apply()

    def again() -> None:
        apply()

    def forget() -> None:
        if shiboken6.isValid(look):  # at the end of the program the look may go first
            look.changed.disconnect(again)

    look.changed.connect(again)
    owner.destroyed.connect(forget)


def frame(kind: str, *, name: str = "") -> QFrame:
    """A styled frame."""
    made = QFrame()
    made.setProperty("kind", kind)
    if name:
        made.setObjectName(name)
    return made


def line() -> QFrame:
    """A thin horizontal rule."""
    return frame("line")


def column(parent: QWidget | None = None, *, margin: int = 0, gap: int = 8) -> QVBoxLayout:
    made = QVBoxLayout(parent) if parent is not None else QVBoxLayout()
    return _spaced(made, margin, gap)


def row(parent: QWidget | None = None, *, margin: int = 0, gap: int = 8) -> QHBoxLayout:
    made = QHBoxLayout(parent) if parent is not None else QHBoxLayout()
    return _spaced(made, margin, gap)


def tone(widget: QWidget, value: str, name: str = "tone") -> None:
    """Set a property that the style sheet looks at, and let it look."""
    if widget.property(name) == value:
        return
    widget.setProperty(name, value)
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def tip(text: str) -> str:
    """Text for a tool tip that may come from a document: never taken for markup."""
    return f"<qt>{html.escape(text)}</qt>" if text else ""


def announce(widget: QWidget, text: str) -> None:
    """Let a screen reader say it, wherever the focus is."""
    QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))


def clear(layout: QBoxLayout) -> None:
    """Take out and delete all widgets of a layout."""
    while layout.count():
        item = layout.takeAt(0)
        widget = item.widget() if item is not None else None
        if widget is not None:
            widget.hide()
            widget.deleteLater()


def _spaced(made: Layout, margin: int, gap: int) -> Layout:
    made.setContentsMargins(margin, margin, margin, margin)
    made.setSpacing(gap)
    return made
