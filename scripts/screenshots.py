"""Pictures of the real window, taken offscreen: each screen in Chinese and English, light and dark.

    .venv/bin/python scripts/screenshots.py --out assets/screenshots            with the real model
    .venv/bin/python scripts/screenshots.py --out /tmp/shots --fake             scripted answers, for a quick look

Each picture is of one data folder made for it: the sample case is opened, one of its questions asked, and the page
of the first citation shown.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from aipc_app.app import opened
from aipc_app.operations.samples import Sample, list_samples, open_sample
from aipc_app.operations.settings import change_setting
from aipc_app.paths import Home
from aipc_app.settings.file import save
from aipc_app.settings.model import Language, Models, Settings, Theme, Window
from aipc_app.ui.desktop import Desktop
from aipc_app.ui.library.page import LibraryPage
from aipc_app.ui.main import make_application
from aipc_app.ui.screens import Screen
from aipc_app.ui.theme.tokens import Tokens
from engine.client.base import EngineClient
from engine.client.fake import FakeEngine

PATIENCE_S = 600.0
SETTLE_MS = 400
LARGEST_BYTES = 300_000
FINDINGS = 8


@dataclass(frozen=True)
class Story:
    """What is shown in a language: a sample, a question, what the fake engine answers, a review, what is looked up."""

    language: Language
    sample: str
    question: str
    fake_answer: str
    template: str
    lookup: str


STORIES = (
    Story(Language.CHINESE, "lending", "借款合同约定的借款金额是多少？",
          "借款合同约定的借款金额为人民币500,000元。借款期限为十二个月，自2021年3月5日起至2022年3月4日止。"
          "借款月利率为1.5%，按季付息。合同由双方在公证处签署。", "judge", "逾期利率"),
    Story(Language.ENGLISH, "paper", "By how much did air temperature fall for each additional 10 points of canopy?",
          "Air temperature fell by 0.48 °C for each additional 10 percentage points of canopy. "
          "The study was paid for by the national railway.", "paper", "利率"),
)


def main() -> int:
    """Take all pictures; exit status 1 when one is larger than it may be."""
    arguments = _arguments()
    arguments.out.mkdir(parents=True, exist_ok=True)
    application = make_application(())
    for story in STORIES:
        if story.language.value in arguments.languages:
            Photographer(application, story, arguments).take_all()
    large = [path.name for path in arguments.out.glob("*.png") if path.stat().st_size > LARGEST_BYTES]
    if large:
        print(f"over {LARGEST_BYTES:,} bytes: {', '.join(large)}", file=sys.stderr)
    return 1 if large else 0


class Photographer:
    """One language: a home of its own, every screen in each theme."""

    def __init__(self, application: QApplication, story: Story, arguments: argparse.Namespace) -> None:
        self._application, self._story, self._arguments = application, story, arguments
        self._themes = tuple(Theme(name) for name in arguments.themes)

    def take_all(self) -> None:
        with tempfile.TemporaryDirectory(prefix="aipc-") as folder, self._desktop(Path(folder)) as desktop:
            self._until(lambda: desktop.welcome.machine.known)
            self._each_theme(desktop, "welcome")
            self._show_case(desktop)
            self._each_theme(desktop, "case")
            self._show_review(desktop)
            self._each_theme(desktop, "review")
            self._stop_review(desktop)
            self._show_library(desktop)
            self._each_theme(desktop, "library")
            for screen in (Screen.CASES, Screen.MODELS, Screen.SETTINGS):
                desktop.window.show_screen(screen)
                self._each_theme(desktop, screen.value)

    @contextmanager
    def _desktop(self, folder: Path) -> Iterator[Desktop]:
        home = Home(folder / "aipc")
        home.create()
        fake = self._arguments.fake
        settings = Settings(window=Window(language=self._story.language, theme=self._themes[0]),
                            models=Models(chat="fake.gguf" if fake else self._arguments.model))
        save(home.settings, settings)
        engine: EngineClient | None = None
        if fake:
            (folder / "models").mkdir()
            (folder / "models" / "fake.gguf").write_bytes(b"GGUF")
            os.environ["AIPC_MODELS"] = str(folder / "models")
            engine = FakeEngine(lambda _request: self._story.fake_answer, loaded=False)
        desktop = Desktop(self._application, settings)
        desktop.window.resize(*self._arguments.size)
        desktop.open(lambda: opened(home, engine))
        self._until(lambda: desktop.context.bridge.ready or desktop.failed)
        try:
            yield desktop
        finally:
            desktop.window.close()
            desktop.close()

    def _show_case(self, desktop: Desktop) -> None:
        """The sample, all of it indexed, one question answered, the first source open."""
        services = desktop.context.services
        sample = next(sample for sample in list_samples() if sample.id == self._story.sample)
        self._add_others(desktop, sample)
        opened_sample = open_sample(services, sample=sample, language=self._story.language.value).run()
        desktop.open_case(opened_sample.case)
        rows = desktop.case.bench.documents.model
        self._until(lambda: bool(rows.rows) and all(row.document.status.settled for row in rows.rows))
        self._until(lambda: not desktop.window.rail.jobs.tally.busy)
        conversation = desktop.case.conversation
        conversation.ask(self._story.question)
        self._until(lambda: not conversation.busy)
        conversation.turns[-1].open_first_source()
        viewer = desktop.case.bench.viewer
        self._until(lambda: viewer.body.currentWidget() is not viewer.nothing)
        if viewer.body.currentWidget() is viewer.canvas:
            self._until(lambda: viewer.canvas.settled)

    def _add_others(self, desktop: Desktop, shown: Sample) -> None:
        """So that the list of cases is one."""
        for sample in list_samples():
            if sample.id != shown.id:
                open_sample(desktop.context.services, sample=sample, language=self._story.language.value).run()

    def _show_review(self, desktop: Desktop) -> None:
        """The review of the sample while it is worked out: what code finds is there, the model has begun."""
        middle = desktop.case.middle
        middle.go_to("review")
        pane = middle.review
        assert pane is not None
        pane.begin(self._story.template)
        self._until(lambda: sum(row.finding is not None for row in pane.table.rows.values()) >= FINDINGS)

    def _stop_review(self, desktop: Desktop) -> None:
        pane = desktop.case.middle.review
        assert pane is not None
        pane.run.stop()
        self._until(lambda: not pane.busy)

    def _show_library(self, desktop: Desktop) -> None:
        desktop.window.show_screen(Screen.LIBRARY)
        page = desktop.window.screen_widget(Screen.LIBRARY)
        assert isinstance(page, LibraryPage)
        page.finder.field.setText(self._story.lookup)
        page.finder.search()
        self._until(lambda: page.finder.cards > 0)
        page.finder.open_first()
        self._until(lambda: page.bench.viewer.body.currentWidget() is not page.bench.viewer.nothing)

    def _each_theme(self, desktop: Desktop, name: str) -> None:
        for theme in self._themes:
            change_setting(desktop.context.services, section="window", name="theme", value=theme.value).run()
            QTest.qWait(SETTLE_MS)
            path = self._arguments.out / f"{name}-{self._story.language.value}-{theme.value}.png"
            _few_colours(desktop.window.grab().toImage(), desktop.context.look.tokens).save(str(path))
            print(path)

    @staticmethod
    def _until(condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError("the window did not get there in time")
            QTest.qWait(50)


def _few_colours(image: QImage, tokens: Tokens) -> QImage:
    """The theme's colours and the most frequent others, 256 in all: a third of the bytes."""
    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(plain.constBits(), np.uint32).reshape(plain.height(), -1)
    colours, counts = np.unique(pixels, return_counts=True)
    themed = [QColor(colour).rgb() for colour in tokens.by_name().values()]
    frequent = [int(colour) for colour in colours[np.argsort(-counts)]]
    table = list(dict.fromkeys(themed + frequent))[:256]
    return plain.convertToFormat(QImage.Format.Format_Indexed8, table)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--fake", action="store_true", help="scripted answers instead of a model")
    parser.add_argument("--model", default=None, help="another model than the default one")
    parser.add_argument("--languages", nargs="+", default=["zh", "en"], choices=["zh", "en"])
    parser.add_argument("--themes", nargs="+", default=["light", "dark"], choices=["light", "dark"])
    parser.add_argument("--size", nargs=2, type=int, default=[1280, 800])
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
