"""The one style sheet, filled with a theme's tokens. Widgets say what they are by the property `kind`."""

from __future__ import annotations

from string import Template

from aipc_app import paths
from aipc_app.ui.theme.tokens import Tokens

_TEMPLATE = Template("""
QWidget { color: $text; }
QMainWindow, QDialog, QWidget[kind="ground"] { background: $ground; }
QFrame[kind="rail"] { background: $rail; border-right: 1px solid $border; }
QFrame[kind="pane"] { background: $surface; border: none; }
QFrame[kind="pane-edge"] { background: $surface; border: none; border-right: 1px solid $border; }
QFrame[kind="bar"] { background: $surface; border: none; border-bottom: 1px solid $border; }
QFrame[kind="foot"] { background: $surface; border: none; border-top: 1px solid $border; }
QFrame[kind="card"] { background: $surface; border: 1px solid $border; border-radius: 8px; }
QFrame[kind="quiet-card"] { background: $raised; border: 1px solid $border; border-radius: 8px; }
QFrame[kind="ask-box"] { background: $surface; border: 1px solid $border_strong; border-radius: 10px; }
QFrame[kind="ask-box"][active="true"] { border: 1px solid $accent; }
QFrame[kind="question"] { background: $accent_soft; border: none; border-radius: 10px; }
QFrame[kind="refusal"] { background: $warn_soft; border: 1px solid $warn; border-radius: 8px; }
QFrame[kind="line"] { background: $border; border: none; max-height: 1px; min-height: 1px; }
QFrame[kind="banner"] { border: none; border-bottom: 1px solid $border; background: $accent_soft; }
QFrame[kind="banner"][tone="bad"] { background: $bad_soft; }
QFrame[kind="banner"][tone="warn"] { background: $warn_soft; }
QFrame[kind="toast"] { background: $text; border-radius: 8px; }
QFrame[kind="toast"] QLabel { color: $ground; }
QFrame[kind="toast"] QPushButton { color: $ground; background: transparent; border: 1px solid $faint; }
QFrame[kind="toast"] QPushButton:hover, QFrame[kind="toast"] QPushButton:focus { border-color: $ground; }
QFrame[kind="drop"] { background: $accent_soft; border: 2px dashed $accent; border-radius: 12px; }
QFrame[kind="drop-choice"] { background: $surface; border: 1px solid $border_strong; border-radius: 10px; }
QFrame[kind="drop-choice"][tone="accent"] { border: 4px solid $accent; }
QFrame[kind="finding"] { background: $surface; border: 1px solid $border; border-radius: 8px; }
QFrame[kind="finding"]:hover { border-color: $border_strong; }
QFrame[kind="finding"]:focus { border: 1px solid $accent; }
QFrame[kind="drop-zone"] { background: transparent; border: 1px dashed $border_strong; border-radius: 8px; }

QLabel { background: transparent; }
QLabel[kind="title"] { font-size: ${title}pt; font-weight: 600; }
QLabel[kind="heading"] { font-size: ${heading}pt; font-weight: 600; }
QLabel[kind="strong"] { font-weight: 600; }
QLabel[kind="muted"] { color: $muted; }
QLabel[kind="small"] { color: $muted; font-size: ${small}pt; }
QLabel[kind="small-strong"] { color: $muted; font-size: ${small}pt; font-weight: 600; }
QLabel[kind="error"] { color: $bad; font-size: ${small}pt; }
QLabel[kind="pill"] { color: $muted; background: $raised; border-radius: 8px; padding: 1px 8px; font-size: ${small}pt; }
QLabel[kind="pill"][tone="good"] { color: $good; background: $good_soft; }
QLabel[kind="pill"][tone="warn"] { color: $warn; background: $warn_soft; }
QLabel[kind="pill"][tone="bad"] { color: $bad; background: $bad_soft; }
QLabel[kind="pill"][tone="accent"] { color: $accent; background: $accent_soft; }

QPushButton { background: $surface; border: 1px solid $border_strong; border-radius: 6px; padding: 5px 12px; }
QPushButton:hover { background: $raised; }
QPushButton:pressed { background: $pressed; }
QPushButton:disabled { color: $faint; border-color: $border; }
QPushButton:focus { border: 1px solid $accent; }
QPushButton[kind="primary"] { background: $accent; color: $on_accent; border-color: $accent; font-weight: 600; }
QPushButton[kind="primary"]:hover { background: $accent_hover; border-color: $accent_hover; }
QPushButton[kind="primary"]:focus { border: 2px solid $text; padding: 4px 11px; }
QPushButton[kind="primary"]:disabled { background: $pressed; border-color: $pressed; color: $faint; }
QPushButton[kind="danger"] { color: $bad; }
QPushButton[kind="plain"] { background: transparent; border: 1px solid transparent; color: $muted; padding: 4px 8px; }
QPushButton[kind="plain"]:hover { background: $raised; color: $text; }
QPushButton[kind="plain"]:focus { border-color: $accent; }
QPushButton[kind="plain"]:checked { background: $accent_soft; color: $accent; }
QPushButton[kind="link"] { background: transparent; border: 1px solid transparent; color: $accent; padding: 2px 1px;
  text-align: left; }
QPushButton[kind="link"]:hover { text-decoration: underline; }
QPushButton[kind="link"]:focus { border-color: $accent; border-radius: 4px; }
QPushButton[kind="rail"] { background: transparent; border: 1px solid transparent; border-radius: 8px;
  padding: 8px 10px; text-align: left; color: $muted; }
QPushButton[kind="rail"]:hover { background: $pressed; color: $text; }
QPushButton[kind="rail"]:checked { background: $surface; color: $text; border-color: $border; font-weight: 600; }
QPushButton[kind="rail"]:focus { border-color: $accent; }
QPushButton[kind="chip"] { background: $surface; border: 1px solid $border; border-radius: 8px; padding: 0; }
QPushButton[kind="chip"]:hover { border-color: $border_strong; }
QPushButton[kind="chip"]:focus { border-color: $accent; }
QPushButton[kind="card"] { background: $surface; border: 1px solid $border; border-radius: 8px; padding: 0;
  text-align: left; }
QPushButton[kind="card"]:hover { border-color: $accent; background: $raised; }
QPushButton[kind="card"]:focus { border: 1px solid $accent; }
QPushButton[kind="card"][tone="not-evidence"] { border: 1px dashed $border_strong; background: transparent; }
QPushButton[kind="card"][tone="not-evidence"]:hover, QPushButton[kind="card"][tone="not-evidence"]:focus {
  border-color: $accent; }

QToolButton { background: transparent; border: 1px solid transparent; border-radius: 6px; padding: 4px; }
QToolButton:hover { background: $raised; }
QToolButton:pressed, QToolButton:checked { background: $pressed; }
QToolButton:focus { border-color: $accent; }
QToolButton::menu-indicator { image: none; }
QToolButton[kind="ask"] { background: $accent; border-color: $accent; border-radius: 8px; padding: 6px; }
QToolButton[kind="ask"]:hover { background: $accent_hover; }
QToolButton[kind="ask"]:focus { border: 2px solid $text; padding: 5px; }
QToolButton[kind="ask"]:disabled { background: $pressed; border-color: $pressed; }
QToolButton[kind="rail-tool"]:hover { background: $pressed; }

QSlider::groove:horizontal { background: $pressed; height: 4px; border-radius: 2px; }
QSlider::sub-page:horizontal { background: $accent; border-radius: 2px; }
QSlider::handle:horizontal { background: $surface; border: 2px solid $accent; width: 12px; margin: -6px 0;
  border-radius: 8px; }
QSlider::handle:horizontal:focus { background: $accent; border: 2px solid $text; }
QLineEdit, QPlainTextEdit, QTextEdit, QComboBox, QSpinBox { background: $surface; border: 1px solid $border_strong;
  border-radius: 6px; padding: 5px 8px; selection-background-color: $accent; selection-color: $on_accent; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QComboBox:focus { border: 1px solid $accent; }
QLineEdit[wrong="true"] { border: 1px solid $bad; }
QLineEdit:disabled, QComboBox:disabled { color: $faint; background: $raised; }
QPlainTextEdit[kind="ask"] { border: none; background: transparent; padding: 2px; }
QTextBrowser[kind="answer"] { border: none; background: transparent; padding: 0; }
QPlainTextEdit[kind="reading"] { border: none; border-radius: 0; background: $surface; padding: 0 12px; }
QComboBox { padding: 4px 8px; min-height: 20px; }
QComboBox::drop-down { border: none; width: 22px; }
QComboBox::down-arrow { image: url("$icons/down-$shade.svg"); width: 12px; height: 12px; }
QComboBox[kind="plain"] { background: transparent; border: 1px solid transparent; color: $muted; }
QComboBox[kind="plain"]:hover { background: $raised; }
QComboBox[kind="plain"]:focus { border-color: $accent; }
QComboBox QAbstractItemView { background: $surface; border: 1px solid $border_strong; padding: 4px; outline: none;
  selection-background-color: $accent_soft; selection-color: $text; }

QCheckBox { spacing: 6px; background: transparent; padding: 2px; border: 1px solid transparent; border-radius: 4px; }
QCheckBox:focus { border-color: $accent; }
QCheckBox::indicator { width: 14px; height: 14px; border: 1px solid $border_strong; border-radius: 4px;
  background: $surface; }
QCheckBox::indicator:checked { background: $accent; border-color: $accent; image: url("$icons/check-$shade.svg"); }
QCheckBox:disabled { color: $faint; }

QListView, QListWidget { background: transparent; border: 1px solid transparent; outline: none; }
QListView:focus { border: 1px solid $accent; border-radius: 6px; }
QTableView { background: $surface; border: 1px solid $border; border-radius: 8px; outline: none;
  selection-background-color: $accent_soft; selection-color: $text; }
QTableView:focus { border: 1px solid $accent; }
QTableView::item { padding: 5px 1px; border: none; border-bottom: 1px solid $border; }
QTableView::item:selected { background: $accent_soft; color: $text; }
QHeaderView { background: transparent; border: none; }
QHeaderView::section { background: $surface; color: $muted; font-size: ${small}pt; border: none;
  border-bottom: 1px solid $border_strong; padding: 5px 7px; }
QTabBar::tab { background: transparent; color: $muted; padding: 6px 12px; border: none;
  border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: $text; border-bottom: 2px solid $accent; font-weight: 600; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:focus { background: $accent_soft; }

QScrollArea, QAbstractScrollArea[kind="pages"] { background: transparent; border: none; }
QScrollArea > QWidget > QWidget[kind="sheet"] { background: transparent; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: $border_strong; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 32px; }
QScrollBar::handle:horizontal { min-width: 32px; }
QScrollBar::handle:hover { background: $faint; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QSplitter::handle { background: $border; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:hover { background: $accent; }
QProgressBar { background: $pressed; border: none; border-radius: 2px; max-height: 4px; min-height: 4px; }
QProgressBar::chunk { background: $accent; border-radius: 2px; }
QMenu { background: $surface; border: 1px solid $border_strong; border-radius: 6px; padding: 4px; }
QMenu::item { padding: 6px 24px 6px 10px; border-radius: 4px; }
QMenu::item:selected { background: $accent_soft; }
QMenu::item:disabled { color: $faint; }
QMenu::separator { height: 1px; background: $border; margin: 4px 6px; }
QMenu::icon { padding-left: 8px; }
QToolTip { background: $surface; color: $text; border: 1px solid $border_strong; padding: 4px 6px; }
""")


def style_sheet(tokens: Tokens, points: int) -> str:
    """The style sheet of a theme, its type sizes following the window's font."""
    return _TEMPLATE.substitute(
        tokens.by_name(),
        small=max(points - 1, 7), heading=points + 1, title=points + 6,
        icons=(paths.assets() / "icons").as_posix(), shade="dark" if tokens.dark else "light",
    )
