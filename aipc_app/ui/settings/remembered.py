"""What is remembered per case: its size, kept or not, forgotten when the user wants it."""

from __future__ import annotations

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QProgressBar, QWidget

from aipc_app.domain.documents import LIBRARY_ID
from aipc_app.domain.jobs import Changes
from aipc_app.domain.remembering import CaseShare, MemoryStatus
from aipc_app.operations import remembering
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import button, clear, column, label, line, row, said
from aipc_app.ui.widgets.dialogs import ConfirmDialog, confirm
from aipc_app.ui.widgets.elided import ElidedLabel
from aipc_app.ui.widgets.figures import memory

_MOST = 100  # cases drawn


class RememberedCard(QFrame):
    """Looked up when it is shown and when something changed; `rows` by the case's name, `dialog` while one asks."""

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self._looking = self._stale = False
        self._shown: MemoryStatus | None = None
        self.rows: dict[str, RememberedRow] = {}
        self.dialog: ConfirmDialog | None = None
        self.setProperty("kind", "card")
        inside = column(self, gap=11)
        inside.setContentsMargins(18, 13, 18, 13)
        inside.addWidget(said(context.words, "remembered.hint", "small", wrap=True))
        self.bars = tuple(_Quota(context, key) for key in ("remembered.ram", "remembered.disk"))
        for bar in self.bars:
            inside.addWidget(bar)
        self.note = said(context.words, "remembered.looking", "muted", wrap=True)
        inside.addWidget(self.note)
        self._list = column(gap=8)
        inside.addLayout(self._list)
        foot = row()
        foot.addStretch(1)
        self.all = button(context.words, "remembered.forget_all", self._ask_all, "danger")
        foot.addWidget(self.all)
        inside.addLayout(foot)
        self.all.hide()
        context.bridge.changed.connect(self._changed)
        context.words.changed.connect(lambda: self._show(self._shown) if self._shown is not None else None)

    def reload(self) -> None:
        """Ask the engine's process; it is started if need be."""
        if self._looking:
            self._stale = True
            return
        self._looking, self._stale = True, False
        bridge = self._context.bridge
        bridge.start(remembering.memory_status(bridge.services), self, lane=Lane.WORK, done=self._show,
                     ended=self._looked)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.reload()

    def _looked(self) -> None:
        self._looking = False
        if self._stale and self.isVisible():
            self.reload()

    def _changed(self, changes: Changes) -> None:
        if (changes.remembering or changes.cases) and self.isVisible():
            self.reload()

    def _show(self, status: MemoryStatus) -> None:
        self._shown = status
        self.bars[0].show_quota(status.ram_bytes, status.ram_quota)
        self.bars[1].show_quota(status.disk_bytes, status.disk_quota)
        words = self._context.words
        notes = [] if status.cases else [words("remembered.none")]
        notes += [] if status.enabled else [words("remembered.disabled")]
        notes += [words.sentence(status.problem)] if status.problem else []
        self.note.setText("\n".join(notes))
        self.note.setVisible(bool(notes))
        self.all.setVisible(bool(status.blocks))
        clear(self._list)
        self.rows = {}
        for share in sorted(status.cases, key=lambda one: -one.bytes)[:_MOST]:
            self._list.addWidget(line())
            self.rows[share.case] = made = RememberedRow(self._context, share, self)
            self._list.addWidget(made)

    def ask_forget(self, share: CaseShare) -> None:
        """Ask, then forget."""
        words = self._context.words
        self.dialog = confirm(
            self, words, words("remembered.forget_title", case=share.case), words("remembered.forget_sentence"),
            "remembered.forget", lambda: self._forget(share.case_ids))

    def _ask_all(self) -> None:
        words = self._context.words
        self.dialog = confirm(
            self, words, words("remembered.forget_all_title"), words("remembered.forget_sentence"),
            "remembered.forget_all", self._forget_all)

    def _forget(self, case_ids: tuple[int, ...]) -> None:
        bridge = self._context.bridge
        for case_id in case_ids:
            bridge.start(remembering.forget_case(bridge.services, case_id=case_id), self, lane=Lane.WORK,
                         done=self._forgotten)

    def _forget_all(self) -> None:
        bridge = self._context.bridge
        bridge.start(remembering.forget_everything(bridge.services), self, lane=Lane.WORK, done=self._forgotten)

    def _forgotten(self, freed: int) -> None:
        self._context.notices.tell(self._context.words("remembered.forgotten", size=memory(freed)))
        self.reload()


class RememberedRow(QWidget):
    """One case."""

    def __init__(self, context: UiContext, share: CaseShare, card: RememberedCard) -> None:
        super().__init__()
        words = context.words
        across = row(self, gap=12)
        texts = column(gap=1)
        name = words("library.title") if share.case_ids == (LIBRARY_ID,) else share.case
        texts.addWidget(ElidedLabel(name, "strong", middle=True))
        self.figures = label(words("remembered.case", size=memory(share.bytes), count=f"{share.tokens:,}"), "small")
        texts.addWidget(self.figures)
        across.addLayout(texts, 1)
        self.pin = QCheckBox(words("remembered.pin"))
        self.pin.setChecked(share.pinned)
        self.pin.setToolTip(words("remembered.pin_hint"))
        self.pin.setAccessibleName(words("remembered.pin_name", case=share.case))
        bridge = context.bridge
        self.pin.clicked.connect(lambda on: [
            bridge.start(remembering.pin_case(bridge.services, case_id=case_id, on=bool(on)), card, lane=Lane.WORK)
            for case_id in share.case_ids])
        across.addWidget(self.pin)
        self.forget = button(words, "remembered.forget", lambda: card.ask_forget(share))
        self.forget.setAccessibleName(words("remembered.forget_name", case=share.case))
        across.addWidget(self.forget)


class _Quota(QWidget):
    """How much of a quota is used."""

    def __init__(self, context: UiContext, key: str) -> None:
        super().__init__()
        self._words = context.words
        inside = column(self, gap=3)
        across = row(gap=8)
        across.addWidget(said(context.words, key))
        across.addStretch(1)
        self.figures = label(kind="small")
        across.addWidget(self.figures)
        inside.addLayout(across)
        self.bar = QProgressBar(textVisible=False)
        self.bar.setRange(0, 1000)
        context.words.bind(self.bar, self.bar.setAccessibleName, key)
        inside.addWidget(self.bar)

    def show_quota(self, used: int, quota: int) -> None:
        self.figures.setText(self._words("remembered.of", used=memory(used), quota=memory(quota)))
        self.bar.setValue(int(1000 * min(used / quota, 1.0)) if quota else 0)
