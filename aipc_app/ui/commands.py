"""What the keyboard can ask for, and with which keys."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from aipc_app.ui.screens import Screen


class Command(StrEnum):
    """Given to the screen looked at; it says whether it took it."""

    NEW = "new"
    ADD = "add"
    FIND = "find"
    ASK = "ask"
    REVIEW = "review"
    NEW_CONVERSATION = "new_conversation"
    HISTORY = "history"
    NEXT_PANE = "next_pane"
    STOP = "stop"
    COPY_ANSWER = "copy_answer"
    EXPORT = "export"
    BACK = "back"


@dataclass(frozen=True)
class Keys:
    """A key sequence in Qt's portable writing."""

    sequence: str
    command: Command


KEYS = (
    Keys("Ctrl+N", Command.NEW),
    Keys("Ctrl+O", Command.ADD),
    Keys("Ctrl+F", Command.FIND),
    Keys("Ctrl+L", Command.ASK),
    Keys("Ctrl+R", Command.REVIEW),
    Keys("Ctrl+Shift+N", Command.NEW_CONVERSATION),
    Keys("Ctrl+H", Command.HISTORY),
    Keys("F6", Command.NEXT_PANE),
    Keys("Esc", Command.STOP),
    Keys("Ctrl+Shift+C", Command.COPY_ANSWER),
    Keys("Ctrl+E", Command.EXPORT),
    Keys("Alt+Left", Command.BACK),
)

SCREEN_KEYS = (
    ("Ctrl+1", Screen.CASES), ("Ctrl+2", Screen.LIBRARY), ("Ctrl+3", Screen.MODELS), ("Ctrl+4", Screen.SETTINGS),
)
HELP_KEY = "F1"
