"""A server of the organisation: which may be reached at all, which is used, with what token."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QFrame, QLineEdit, QPushButton, QWidget

from aipc_app.domain.jobs import Changes
from aipc_app.operations import servers
from aipc_app.settings.model import Server
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.context import UiContext
from aipc_app.ui.problems import translate_error
from aipc_app.ui.widgets.basics import button, clear, column, label, line, row, said, tone
from aipc_app.ui.widgets.dialogs import ConfirmDialog, confirm
from aipc_app.ui.widgets.elided import ElidedLabel
from engine.types.model import LoadedModel


class ServerCard(QFrame):
    """`rows` by address; `dialog` while one asks."""

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self.rows: dict[str, ServerRow] = {}
        self.dialog: ConfirmDialog | None = None
        self._trying = False
        self._shown: tuple[tuple[str, bool], ...] = ()
        self.setProperty("kind", "card")
        words = context.words
        inside = column(self, gap=11)
        inside.setContentsMargins(18, 13, 18, 13)
        inside.addWidget(said(words, "server.hint", "small", wrap=True))
        self.address, self.allow = self._field("server.address"), button(words, "server.allow", self._ask_allow)
        self.address.returnPressed.connect(self._ask_allow)
        across = row(gap=8)
        across.addWidget(self.address, 1)
        across.addWidget(self.allow)
        inside.addLayout(across)
        self.error = label(kind="error", wrap=True)
        self.error.hide()
        inside.addWidget(self.error)
        self._list = column(gap=8)
        inside.addLayout(self._list)
        self.details = QWidget()
        fields = row(self.details, gap=8)
        self.token, self.model, self.ca_file = (self._field(f"server.{key}") for key in ("token", "model", "ca_file"))
        self.token.setEchoMode(QLineEdit.EchoMode.Password)
        for field in (self.token, self.model, self.ca_file):
            fields.addWidget(field, 1)
        inside.addWidget(self.details)
        self.note = said(words, "server.trying", "muted", wrap=True)
        self.note.hide()
        inside.addWidget(self.note)
        context.bridge.changed.connect(self._changed)
        words.changed.connect(self._show_rows)
        self._show_rows()

    def use(self, address: str) -> None:
        """Keep the token that was entered, then reach the server and use it."""
        bridge, token = self._context.bridge, self.token.text()
        self._busy(True)
        if not token:
            self._reach(address)
            return
        bridge.start(
            servers.keep_token(bridge.services, address=address, token=token), self, lane=Lane.WORK,
            done=lambda kept: self._token_kept(kept, address), failed=self._failed)

    def leave(self) -> None:
        """Answer on this PC again."""
        bridge = self._context.bridge
        bridge.start(servers.use_this_computer(bridge.services), self, lane=Lane.WORK, failed=self._failed)

    def forbid(self, address: str) -> None:
        """Off the list."""
        bridge = self._context.bridge
        bridge.start(servers.allow_server(bridge.services, address=address, allowed=False), self, lane=Lane.WORK,
                     failed=self._failed)

    def _field(self, key: str) -> QLineEdit:
        made, words = QLineEdit(), self._context.words
        words.bind(made, made.setPlaceholderText, key)
        words.bind(made, made.setAccessibleName, key)
        return made

    def _ask_allow(self) -> None:
        address, words = self.address.text().strip(), self._context.words
        if address:
            self.dialog = confirm(
                self, words, words("server.allow_title", address=address), words("server.allow_sentence"),
                "server.allow", lambda: self._allow(address))

    def _allow(self, address: str) -> None:
        bridge = self._context.bridge
        bridge.start(servers.allow_server(bridge.services, address=address), self, lane=Lane.WORK,
                     done=lambda _status: self.address.clear(), failed=self._failed)

    def _token_kept(self, kept: bool, address: str) -> None:
        self.token.clear()
        if not kept:
            self._context.notices.tell(self._context.words("server.no_keyring"))
        self._reach(address)

    def _reach(self, address: str) -> None:
        bridge = self._context.bridge
        operation = servers.use_server(
            bridge.services, address=address, model=self.model.text().strip() or None,
            ca_file=self.ca_file.text().strip() or None)
        bridge.start(operation, self, lane=Lane.WORK, done=self._used, failed=self._failed,
                     ended=lambda: self._busy(False))

    def _used(self, model: LoadedModel) -> None:
        self._show_error("")
        self._context.notices.tell(self._context.words("server.used", name=model.name, host=model.host))

    def _failed(self, error: BaseException) -> None:
        self._busy(False)
        self._show_error(translate_error(error, self._context.words).sentence)

    def _show_error(self, sentence: str) -> None:
        self.error.setText(sentence)
        self.error.setVisible(bool(sentence))

    def _busy(self, on: bool) -> None:
        self._trying = on
        self.note.setVisible(on)
        for shown in self.rows.values():
            shown.setEnabled(not on)

    def _changed(self, changes: Changes) -> None:
        if changes.settings:
            self._show_error("")
            self._show()

    def _show(self) -> None:
        server = self._context.services.settings().server
        if self._shown != _listed(server):  # else a button would be taken from under the pointer at every setting
            self._show_rows()

    def _show_rows(self) -> None:
        self._shown = _listed(self._context.services.settings().server)
        clear(self._list)
        self.rows = {}
        for address, used in self._shown:
            self._list.addWidget(line())
            self.rows[address] = made = ServerRow(self._context, address, used, self)
            made.setEnabled(not self._trying)
            self._list.addWidget(made)
        self.details.setVisible(bool(self._shown))


class ServerRow(QWidget):
    """One allowed address."""

    def __init__(self, context: UiContext, address: str, used: bool, card: ServerCard) -> None:
        super().__init__()
        words = context.words
        across = row(self, gap=10)
        across.addWidget(ElidedLabel(address, "strong", middle=True), 1)
        self.state = label(words("server.in_use") if used else "", "pill")
        tone(self.state, "accent")
        self.state.setVisible(used)
        across.addWidget(self.state)
        self.use = self._button(words("server.leave" if used else "server.use"), address,
                                card.leave if used else lambda: card.use(address))
        self.remove = self._button(words("server.forbid"), address, lambda: card.forbid(address))
        across.addWidget(self.use)
        across.addWidget(self.remove)

    def _button(self, text: str, address: str, then: Callable[[], object]) -> QPushButton:
        made = QPushButton(text)
        made.setAccessibleName(f"{text}: {address}")
        made.clicked.connect(lambda: then())
        return made


def _listed(server: Server) -> tuple[tuple[str, bool], ...]:
    """Each address of the list, and whether it is used."""
    return tuple((one, server.enabled and (server.address or "").startswith(one + "/")) for one in server.allowed)
