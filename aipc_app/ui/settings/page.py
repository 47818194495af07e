"""Settings, saved at once; made from the settings' own model. About is at the end."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QScrollArea, QWidget

from aipc_app.domain.jobs import Changes
from aipc_app.operations import settings as operations
from aipc_app.ui.context import UiContext
from aipc_app.ui.problems import translate_error
from aipc_app.ui.settings.about import AboutCard
from aipc_app.ui.settings.backup_card import BackupCard
from aipc_app.ui.settings.editors import SettingRow, make_row
from aipc_app.ui.settings.fields import Field, sections
from aipc_app.ui.settings.offline import OfflineCard
from aipc_app.ui.settings.remembered import RememberedCard
from aipc_app.ui.settings.server_card import ServerCard
from aipc_app.ui.settings.serving_card import ServingCard
from aipc_app.ui.widgets.basics import button, column, frame, label, line, row, said, with_icon


class SettingsPage(QWidget):
    """Rows by (section, name) in `rows`."""

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self.setProperty("kind", "ground")
        self.rows: dict[tuple[str, str], SettingRow] = {}
        area = QScrollArea(widgetResizable=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        sheet = QWidget()
        sheet.setProperty("kind", "sheet")
        around = row(sheet)
        inside = column(gap=14)
        inside.setContentsMargins(32, 26, 32, 32)
        holder = QWidget()
        holder.setMaximumWidth(820)
        holder.setLayout(inside)
        around.addWidget(holder, 1000)
        around.addStretch(1)
        inside.addWidget(said(context.words, "settings.title", "title"))
        for name, fields in sections():
            inside.addWidget(said(context.words, f"settings.{name}", "heading"))
            inside.addWidget(self._card(fields))
            if name == "remembering":
                inside.addWidget(said(context.words, "remembered.title", "heading"))
                self.remembered = RememberedCard(context)
                inside.addWidget(self.remembered)
        inside.addWidget(said(context.words, "settings.data", "heading"))
        inside.addWidget(self._data_card())
        self.backup = BackupCard(context)
        self.server = ServerCard(context)
        self.serving = ServingCard(context)
        for key, card in (("backup", self.backup), ("server", self.server), ("serving", self.serving)):
            inside.addWidget(said(context.words, f"{key}.title", "heading"))
            inside.addWidget(card)
        inside.addWidget(said(context.words, "offline.title", "heading"))
        self.offline = OfflineCard(context)
        inside.addWidget(self.offline)
        inside.addWidget(said(context.words, "about.title", "heading"))
        inside.addWidget(AboutCard(context))
        inside.addStretch(1)
        area.setWidget(sheet)
        column(self, gap=0).addWidget(area)
        context.bridge.changed.connect(self._changed)
        self._show()

    def _card(self, fields: tuple[Field, ...]) -> QWidget:
        card = frame("card")
        inside = column(card, gap=11)
        inside.setContentsMargins(18, 13, 18, 13)
        for number, field in enumerate(fields):
            if number:
                inside.addWidget(line())
            made = make_row(self._context, field)
            made.changed.connect(lambda value, field=field: self._save(field, value))
            self.rows[field.section, field.name] = made
            inside.addWidget(made)
        return card

    def _data_card(self) -> QWidget:
        card = frame("card")
        across = row(card, gap=16)
        across.setContentsMargins(18, 13, 18, 13)
        texts = column(gap=1)
        self.folder = label(str(self._context.services.home.root))
        self.folder.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._context.words.bind(self.folder, self.folder.setAccessibleName, "settings.data_folder")
        texts.addWidget(self.folder)
        texts.addWidget(said(self._context.words, "settings.data_hint", "small", wrap=True))
        across.addLayout(texts, 1)
        show = button(self._context.words, "settings.data_open", self._open_folder)
        with_icon(show, self._context.look, "cases")
        across.addWidget(show)
        return card

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._context.services.home.root)))

    def _save(self, field: Field, value: object) -> None:
        bridge, made = self._context.bridge, self.rows[field.section, field.name]
        bridge.start(
            operations.change_setting(bridge.services, section=field.section, name=field.name, value=value), made,
            done=lambda _settings: made.show_error(""),
            failed=lambda error: made.show_error(translate_error(error, self._context.words).sentence))

    def _changed(self, changes: Changes) -> None:
        if changes.settings:
            self._show()

    def _show(self) -> None:
        settings = self._context.services.settings()
        for (section, name), made in self.rows.items():
            if not made.error.isVisible():
                made.show_value(getattr(getattr(settings, section), name))
