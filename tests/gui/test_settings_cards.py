"""Backup, servers and serving on the settings page; the rail says when text leaves this PC."""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from aipc_app.operations.serving import start_serving
from aipc_app.paths import Home
from aipc_app.store.restoring import complete_restore, is_pending
from aipc_app.ui.screens import Screen
from aipc_app.ui.settings.page import SettingsPage
from engine.client.choice import ChosenEngine
from engine.client.remote import RemoteEngine
from engine.types.model import EngineReady, EngineState, LoadedModel, LoadPlan
from engine.types.remote import RemoteServer
from tests.gui.conftest import Rig


@pytest.fixture
def page(rig: Rig) -> SettingsPage:
    rig.window.show_screen(Screen.SETTINGS)
    found = rig.window.screen_widget(Screen.SETTINGS)
    assert isinstance(found, SettingsPage)
    return found


def click(made: QPushButton) -> None:
    QTest.mouseClick(made, Qt.MouseButton.LeftButton)


def test_a_backup_is_made_and_put_back_at_the_next_start(rig: Rig, page: SettingsPage, tmp_path: Path) -> None:
    rig.services.store.cases.create("甲")
    file, card = tmp_path / "b.aipcbackup", page.backup
    card.back_up_to(file)
    rig.until(lambda: file.exists() and not card.progress.isVisible())
    rig.services.store.cases.create("后来")
    card.ask_restore(file)
    assert card.dialog is not None
    click(card.dialog.accept_button)
    rig.until(card.waiting.isVisible)
    assert is_pending(rig.services.home)
    click(card.drop)
    rig.until(lambda: not card.waiting.isVisible())
    assert not is_pending(rig.services.home) and complete_restore(Home(rig.services.home.root)) is None


def test_what_is_no_backup_is_told_on_the_card(rig: Rig, page: SettingsPage, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("no", encoding="utf-8")
    page.backup.restore_from(tmp_path / "a.txt")
    rig.until(page.backup.note.isVisible)
    assert "no backup of this program" in page.backup.note.text()
    assert page.backup.back_up.isEnabled() and not page.backup.progress.isVisible()


def test_other_programs_are_served_while_it_is_switched_on(rig: Rig, page: SettingsPage) -> None:
    card = page.serving
    card._run(start_serving(rig.services, port=0))
    rig.until(card.open.isVisible)
    assert card.served is not None and card.address.text() == card.served.address
    request = urllib.request.Request(card.served.address + "/models")
    request.add_header("Authorization", f"Bearer {card.served.token}")
    answers: list[bytes] = []

    def ask() -> None:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=20) as reply:
            answers.append(reply.read())

    thread = threading.Thread(target=ask)
    thread.start()
    rig.until(lambda: answers)
    thread.join()
    click(card.stop)
    rig.until(lambda: not card.open.isVisible())


class _Server(BaseHTTPRequestHandler):
    def _reply(self, told: object, status: int = 200) -> None:
        data = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self) -> None:
        self._reply({"data": [{"id": "DeepSeek-V3", "max_model_len": 65536}]})

    def do_POST(self) -> None:
        self._reply({"error": "no"}, 400)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    made = ThreadingHTTPServer(("127.0.0.1", 0), _Server)
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{made.server_address[1]}"
    made.shutdown()
    made.server_close()
    thread.join()


def test_a_server_is_allowed_used_and_left(
    rig: Rig, page: SettingsPage, server: str
) -> None:
    settings, card, chip = rig.services.settings, page.server, rig.window.rail.engine
    remote = RemoteEngine(
        lambda: RemoteServer(address=settings().server.address or "", allowed=settings().server.allowed), lambda _o: ""
    )
    engine = ChosenEngine(rig.engine, remote)
    object.__setattr__(rig.services, "engine", engine)
    told: list[EngineState] = []
    engine.subscribe(told.append)
    engine.subscribe(lambda state: rig.desktop.context.bridge.post(lambda: chip.show_state(state)))
    assert not card.details.isVisible()
    card.address.setText(server)
    click(card.allow)
    assert card.dialog is not None
    click(card.dialog.accept_button)
    rig.until(lambda: server in card.rows and _can_click(card.rows[server].use))
    assert not settings().server.enabled and told == []  # allowed, not used
    click(card.rows[server].use)
    rig.until(lambda: card.rows[server].state.isVisible() and _can_click(card.rows[server].use))
    assert settings().server.enabled and isinstance(engine.state, EngineReady)
    rig.until(lambda: "127.0.0.1" in chip.accessibleName())
    click(card.rows[server].use)  # now: answer on this PC
    rig.until(lambda: not card.rows[server].state.isVisible() and _can_click(card.rows[server].remove))
    assert not settings().server.enabled
    click(card.rows[server].remove)
    rig.until(lambda: not card.rows)
    assert settings().server.allowed == ()


def _can_click(made: QPushButton) -> bool:
    """A row just made has no place yet, and none is to be clicked while a server is tried."""
    return made.isVisible() and made.isEnabled()


def test_the_rail_says_where_text_goes(rig: Rig) -> None:
    plan = LoadPlan(0, 8192, 0, 0, 0, "", ())
    model = LoadedModel(
        "DeepSeek-V3", "http://llm.court.example:8000/v1", "x", "", "", 0, 0, 0, 0, 8192, plan, 0.0,
        host="llm.court.example", encrypted=False,
    )  # fmt: skip
    chip = rig.window.rail.engine
    chip.show_state(EngineReady(model))
    assert "Unencrypted text goes to llm.court.example" in chip.accessibleName()
