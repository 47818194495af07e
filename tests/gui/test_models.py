"""The plan of a model before it is loaded: bars, reasons, limits that are planned again when moved."""

from __future__ import annotations

from pathlib import Path

import pytest

from aipc_app.operations.models import use_model
from aipc_app.ui.models.page import ModelsPage
from aipc_app.ui.models.parts_bar import PartsBar
from aipc_app.ui.models.preview import PreviewCard
from aipc_app.ui.screens import Screen
from aipc_app.ui.widgets.dialogs import ConfirmDialog
from engine.types.model import EngineReady, LoadRequest
from tests.conftest import TINY_MODEL, model_path
from tests.gui.conftest import Rig

MIB = 1 << 20


@pytest.fixture
def card(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> PreviewCard:
    """The models page on screen, with a real model chosen."""
    use_model(rig.services, name=str(model_path(TINY_MODEL))).run()
    rig.window.show_screen(Screen.MODELS)
    page = rig.window.screen_widget(Screen.MODELS)
    assert isinstance(page, ModelsPage)
    rig.until(lambda: page.preview.preview is not None)
    return page.preview


def texts(card: PreviewCard) -> str:
    return " ".join(label.text() for label in card.findChildren(type(card.state)) if label.isVisibleTo(card))


def test_a_plan_is_shown_before_anything_is_loaded(rig: Rig, card: PreviewCard) -> None:
    assert not isinstance(rig.engine.state, EngineReady)
    assert "tokens a second expected" in card.state.text() and card.load.isEnabled()
    assert not card.vram.isVisibleTo(card) and card.ram.isVisibleTo(card)
    (bar,) = card.findChildren(PartsBar)
    assert "Attention (0-29)" in bar.accessibleName()
    assert "There is no GPU to use." in texts(card)


def test_a_limit_that_is_moved_is_planned_again_and_kept_when_loaded(rig: Rig, card: PreviewCard) -> None:
    before = card.preview
    card.ram.slider.setValue(2)
    rig.until(lambda: card.preview is not before and card.preview is not None and card.preview.plan.fits)
    assert card.preview is not None and card.preview.plan.predicted.ram_bytes <= 512 * MIB
    asked: list[LoadRequest] = []
    load = rig.engine.load
    rig.engine.load = lambda request, progress=None: (asked.append(request), load(request, progress))[1]  # type: ignore
    card.load.click()
    rig.until(lambda: isinstance(rig.engine.state, EngineReady))
    assert asked[0].ram_limit_bytes == 512 * MIB and asked[0].vram_limit_bytes is None
    assert rig.services.settings().models.ram_mib == 512


def test_a_file_that_is_no_model_says_so(rig: Rig, card: PreviewCard, tmp_path: Path) -> None:
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(b"GGUF" + bytes(64))
    use_model(rig.services, name=str(bad)).run()
    rig.until(lambda: "bad.gguf" in card.state.text())
    assert not card.load.isEnabled()
    rig.until(lambda: not card.findChildren(PartsBar))


def test_a_model_is_copied_onto_this_pc_and_removed_again(rig: Rig, card: PreviewCard, tmp_path: Path) -> None:
    page = rig.window.screen_widget(Screen.MODELS)
    assert isinstance(page, ModelsPage)
    stick = tmp_path / "stick"
    stick.mkdir()
    (stick / "mine.gguf").write_bytes(b"GGUF" + bytes(1_000))
    page.bringing.begin(stick / "mine.gguf")
    assert page.bringing.isVisibleTo(page)
    rig.until(lambda: not page.bringing.busy and "mine" in page.cards)
    assert not page.bringing.isVisibleTo(page)
    assert (rig.services.home.models / "mine.gguf").is_file() and (stick / "mine.gguf").is_file()
    assert page.cards["mine"].remove.isVisibleTo(page)
    page.cards["mine"].remove.click()
    dialog = next(found for found in page.findChildren(ConfirmDialog) if found.isVisible())
    dialog.accept()
    rig.until(lambda: "mine" not in page.cards)
    assert not (rig.services.home.models / "mine.gguf").exists()


def test_leaving_while_a_plan_is_made_leaves_nothing_behind(rig: Rig, card: PreviewCard) -> None:
    """The leak police of these tests looks for what is left."""
    card.replan()
