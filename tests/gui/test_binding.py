"""The Qt binding itself: what makes a window abort after some minutes."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QPushButton

CALLS = 2_000


class Sender(QObject):
    told = Signal(bool)


def test_calls_into_qt_keep_the_reference_counts_of_none_and_true(qapp: QApplication) -> None:
    """Wheels made for newer Pythons drop one with each call; the program then aborts (ui/decisions/0001)."""
    spare = [None] * 2 * CALLS, [True] * 2 * CALLS  # so that a wrong binding fails here and doesn't abort
    button, sender = QPushButton(), Sender()
    before = sys.getrefcount(None), sys.getrefcount(True)
    for _ in range(CALLS):
        button.setEnabled(True)
        sender.told.emit(True)
    after = sys.getrefcount(None), sys.getrefcount(True)
    button.deleteLater()
    assert all(abs(now - then) < CALLS // 2 for then, now in zip(before, after, strict=True)), (before, after)
    assert len(spare) == 2
