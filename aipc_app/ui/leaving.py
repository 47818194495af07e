"""Before the window closes: page corrections that were typed and not saved are saved, dropped, or gone back to."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog

from aipc_app.operations import details
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.case.viewer.editor import PageEditor
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import button, column, label, row
from aipc_app.ui.window import Window


class LeaveDialog(QDialog):
    """`accepted`: save them, then close. The other button closes without saving."""

    def __init__(self, window: Window, context: UiContext, count: int) -> None:
        super().__init__(window)
        words = context.words
        self.setWindowTitle(words("leave.title"))
        self.setMinimumWidth(440)
        inside = column(self, margin=20, gap=10)
        inside.addWidget(label(words("leave.title"), "heading", wrap=True))
        inside.addWidget(label(words("leave.sentence", count=count), wrap=True))
        self.save_button = button(words, "leave.save", self.accept, "primary")
        self.save_button.setDefault(True)
        self.drop_button = button(words, "leave.drop", lambda: self.done(_DROP), "danger")
        stay = button(words, "dialog.cancel", self.reject)
        buttons = row()
        buttons.addWidget(self.drop_button)
        buttons.addStretch(1)
        buttons.addWidget(stay)
        buttons.addWidget(self.save_button)
        inside.addLayout(buttons)


_DROP = 2  # beside QDialog's own Rejected and Accepted


class Leaving(QObject):
    """Holds the window open while it asks."""

    def __init__(self, window: Window, context: UiContext) -> None:
        super().__init__(window)
        self._window, self._context = window, context
        self._sure = False
        self.dialog: LeaveDialog | None = None
        window.may_close = self.may_close

    def may_close(self) -> bool:
        """False while there is something to lose; the user is asked, and the window closes after the answer."""
        count = sum(len(editor.drafts) for editor in self._editors())
        if self._sure or not count or not self._context.bridge.ready:
            return True
        if self.dialog is None:
            self.dialog = LeaveDialog(self._window, self._context, count)
            self.dialog.finished.connect(self._answered)
            self.dialog.open()
        return False

    def _editors(self) -> list[PageEditor]:
        return self._window.findChildren(PageEditor)

    def _answered(self, answer: int) -> None:
        dialog, self.dialog = self.dialog, None
        if dialog is not None:
            dialog.deleteLater()
        if answer == _DROP:
            self._close()
        elif answer == QDialog.DialogCode.Accepted:
            self._save()

    def _save(self) -> None:
        """One after the other; what can't be saved is told, and the window stays."""
        for editor in self._editors():
            for key, text in editor.drafts.items():
                self._save_one(editor, key, text)
                return
        self._close()

    def _save_one(self, editor: PageEditor, key: tuple[int, int], text: str) -> None:
        def saved(_none: None) -> None:
            editor.forget(key)
            self._save()

        bridge, (document_id, page) = self._context.bridge, key
        op = details.correct_page(bridge.services, document_id=document_id, page=page, text=text)
        bridge.start(op, self, lane=Lane.WORK, done=saved)

    def _close(self) -> None:
        self._sure = True
        self._window.close()
