"""Exports a conversation to a file the user chooses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from aipc_app.domain.answers import Answer
from aipc_app.errors import StorageError
from aipc_app.operations.exporting import write_document
from aipc_app.operations.op import simply
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.case.conversation.export import conversation_markdown, conversation_plan, conversation_text
from aipc_app.ui.context import UiContext

_KINDS = (("docx", "review.format_docx"), ("pdf", "review.format_pdf"), ("md", "export.markdown"),
          ("txt", "export.text"))  # fmt: skip


def save_conversation(owner: QWidget, context: UiContext, answers: Sequence[Answer]) -> QFileDialog | None:
    """Ask where and as what, then write. None when there is nothing to save."""
    if not answers:
        context.notices.tell(context.words("export.nothing"))
        return None
    dialog = QFileDialog(owner, context.words("export.title"))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    filters = {f"{context.words(key)} (*.{ending})": ending for ending, key in _KINDS}
    dialog.setNameFilters(list(filters))
    dialog.setDefaultSuffix(_KINDS[0][0])
    dialog.filterSelected.connect(lambda chosen: dialog.setDefaultSuffix(filters[chosen]))
    dialog.fileSelected.connect(lambda name: write_conversation(owner, context, answers, Path(name)))
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
    return dialog


def write_conversation(owner: QWidget, context: UiContext, answers: Sequence[Answer], path: Path) -> None:
    """Off the window's thread: the disk may be a slow one."""
    def told(_written: object) -> None:
        context.notices.tell(context.words("export.done", name=path.name))

    if path.suffix.lower() in (".docx", ".pdf"):
        plan = conversation_plan(answers[0].question, answers, context.words)
        context.bridge.start(write_document(context.services, plan=plan, path=path), owner, lane=Lane.WORK, done=told)
        return
    make = conversation_text if path.suffix.lower() == ".txt" else conversation_markdown
    content = make(answers[0].question, answers, context.words)

    def write() -> None:
        try:
            path.write_text(content, encoding="utf-8")
        except OSError as error:
            raise StorageError(f"{path.name} can't be written ({error.strerror}); choose another folder.") from error

    context.bridge.start(simply("export conversation", write), owner, lane=Lane.WORK, done=told)
