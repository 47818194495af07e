"""Puts the window together and passes things between its screens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import cast

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from aipc_app.domain.answers import Answer
from aipc_app.domain.documents import Case
from aipc_app.domain.jobs import Changes
from aipc_app.operations import models
from aipc_app.operations.backup import SUFFIX as BACKUP_SUFFIX
from aipc_app.operations.library import SUFFIX as LIBRARY_SUFFIX
from aipc_app.operations.services import Services
from aipc_app.settings.model import Settings
from aipc_app.ui.awake import StayAwake
from aipc_app.ui.bridge.bridge import Bridge
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.brought import Doorstep
from aipc_app.ui.caller import Caller
from aipc_app.ui.case.page import CasePage
from aipc_app.ui.cases.page import CasesPage
from aipc_app.ui.context import UiContext
from aipc_app.ui.keys import Keyboard
from aipc_app.ui.leaving import Leaving
from aipc_app.ui.library.page import LibraryPage
from aipc_app.ui.models.page import ModelsPage
from aipc_app.ui.notices import Notices
from aipc_app.ui.opening import Opening
from aipc_app.ui.problems import Remedy, translate_error
from aipc_app.ui.qt_words import QtWords
from aipc_app.ui.screens import Screen
from aipc_app.ui.settings.page import SettingsPage
from aipc_app.ui.starting import StartingPage
from aipc_app.ui.theme.look import Look
from aipc_app.ui.welcome.page import WelcomePage
from aipc_app.ui.window import Window
from aipc_app.ui.words import Words, system_language

ServicesFactory = Callable[[], AbstractContextManager[Services]]


class Desktop(QObject):
    """The window and all it needs. `open` once, `close` once.

    Signals:
        usable: the services are there, the screen is shown and the event loop is idle again.
    """

    usable = Signal()

    def __init__(self, application: QApplication, settings: Settings) -> None:
        super().__init__()
        words = Words(system_language())
        self.context = UiContext(Bridge(), words, Look(application), Notices(words), StayAwake())
        self.failed = False
        self._qt_words = QtWords(application)
        self._opening: Opening | None = None
        self._doorstep: Doorstep | None = None
        self._apply(settings)
        self.window = Window(self.context)
        self.keyboard = Keyboard(self.window, self.context)
        self.caller = Caller(self.window)
        self.leaving = Leaving(self.window, self.context)
        self._add_screens()
        self._connect()

    def open(
        self, services_factory: ServicesFactory, *, sample: bool = False, files: Sequence[Path] = ()
    ) -> None:
        """Show the frame, then open the services behind it."""
        self.window.show_screen(Screen.STARTING)
        self.window.show()
        self._opening = Opening(services_factory, self.context.bridge.post)
        self._opening.start(
            lambda services: self.attach(services, sample=sample, files=files), self._failed_to_open
        )

    def attach(self, services: Services, *, sample: bool = False, files: Sequence[Path] = ()) -> None:
        """The services are there: show what the user came for."""
        self._apply(services.settings())
        self.context.bridge.attach(services)
        if sample:
            self.welcome.open_sample()
        self.window.show_screen(Screen.WELCOME if not (sample or services.settings().window.welcomed) else Screen.CASES)
        self._doorstep = Doorstep(self, services.home, self.look_at)
        if files:
            self.look_at(files)
        self.context.bridge.post(self.usable.emit)

    def close(self, timeout_s: float = 3.0) -> bool:
        """Stop what runs, close the services. True when everything ended in time."""
        self.context.awake.close()
        self.caller.close()
        if self._doorstep is not None:
            self._doorstep.close()
        clean = self.context.bridge.close(timeout_s)
        if self._opening is not None:
            self._opening.close()
        return clean

    def unexpected(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """A bug in the window itself: logged and told, the window stays."""
        self.context.notices.show_error(error)

    @property
    def welcome(self) -> WelcomePage:
        return cast(WelcomePage, self.window.screen_widget(Screen.WELCOME))

    @property
    def case(self) -> CasePage:
        return cast(CasePage, self.window.screen_widget(Screen.CASE))

    def open_case(self, case: Case, paths: list[Path] | None = None) -> None:
        """Look at a case; put files into it, if there are any."""
        self.case.open(case)
        self.window.show_screen(Screen.CASE)
        if paths:
            self.case.bench.documents.add_paths(paths)

    def look_at(self, files: Sequence[Path]) -> None:
        """What was opened from the desktop: a law library is taken in, a backup asked about, documents make a case."""
        libraries = [file for file in files if file.suffix.lower() == LIBRARY_SUFFIX]
        backups = [file for file in files if file.suffix.lower() == BACKUP_SUFFIX]
        documents = [file for file in files if file not in (*libraries, *backups)]
        if documents:
            self.window.show_screen(Screen.CASES)
            cast(CasesPage, self.window.screen_widget(Screen.CASES)).take(documents)
        if libraries:
            self.window.show_screen(Screen.LIBRARY)
            cast(LibraryPage, self.window.screen_widget(Screen.LIBRARY)).handing.take_all(libraries)
        if backups:
            self.window.show_screen(Screen.SETTINGS)
            cast(SettingsPage, self.window.screen_widget(Screen.SETTINGS)).backup.ask_restore(backups[-1])
        self.window.come_forward()

    def review_files(self, case: Case, paths: list[Path], template: str) -> None:
        """Look at a new case, take the files in and review it once they are read."""
        self.open_case(case)
        self.case.middle.go_to("review")
        if self.case.middle.review is not None:
            self.case.middle.review.begin_with_files(paths, template)

    def _add_screens(self) -> None:
        window, context = self.window, self.context
        window.add_screen(Screen.STARTING, lambda: StartingPage(context, window.close))
        window.add_screen(Screen.CASES, self._make_cases)
        window.add_screen(Screen.CASE, self._make_case)
        window.add_screen(Screen.LIBRARY, self._make_library)
        window.add_screen(Screen.MODELS, lambda: ModelsPage(context))
        window.add_screen(Screen.SETTINGS, lambda: SettingsPage(context))
        window.add_screen(Screen.WELCOME, self._make_welcome)

    def _make_cases(self) -> CasesPage:
        page = CasesPage(self.context)
        page.opened.connect(self.open_case)
        page.opened_with_files.connect(self.open_case)
        page.review_wanted.connect(self.review_files)
        return page

    def _make_case(self) -> CasePage:
        page = CasePage(self.context)
        page.left.connect(lambda: self.window.show_screen(Screen.CASES))
        page.conversation.answered.connect(self._note_speed)
        return page

    def _make_welcome(self) -> WelcomePage:
        page = WelcomePage(self.context)
        page.opened.connect(self.open_case)
        page.suggested.connect(lambda questions: self.case.conversation.suggest(questions))
        page.skipped.connect(lambda: self.window.show_screen(Screen.CASES))
        return page

    def _make_library(self) -> LibraryPage:
        page = LibraryPage(self.context)
        page.conversation.answered.connect(self._note_speed)
        return page

    def _note_speed(self, answer: Answer) -> None:
        self.window.rail.engine.show_speed(answer.timing.decode_tokens_per_s)

    def _connect(self) -> None:
        context = self.context
        context.bridge.failed.connect(context.notices.show_error)
        context.bridge.changed.connect(self._changed)
        context.notices.arrived.connect(self.caller.call)
        self.window.remedy.connect(self._remedy)
        self.window.rail.chosen.connect(self._go)
        self.window.rail.engine.clicked.connect(lambda: self._go(Screen.MODELS))
        self.window.rail.help_wanted.connect(self.keyboard.show_help)

    def _go(self, screen: Screen) -> None:
        """Only once there is something to show."""
        if self.context.bridge.ready:
            self.window.show_screen(screen)

    def _changed(self, changes: Changes) -> None:
        if changes.settings:
            self._apply(self.context.services.settings())

    def _apply(self, settings: Settings) -> None:
        self.context.words.use(settings.window.language)
        self._qt_words.use(self.context.words.language)
        self.context.look.use(settings.window.theme, settings.window.font_points)

    def _remedy(self, remedy: Remedy) -> None:
        if remedy is Remedy.RELOAD:
            bridge = self.context.bridge
            bridge.start(models.ensure_loaded(bridge.services), self.window, lane=Lane.ASK)

    def _failed_to_open(self, error: BaseException) -> None:
        self.failed = True
        page = cast(StartingPage, self.window.screen_widget(Screen.STARTING))
        page.show_failure(translate_error(error, self.context.words).sentence)
