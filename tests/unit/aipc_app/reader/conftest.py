"""A real reader process, and reading a file with it in one line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from aipc_app.domain.documents import Page, PageState
from aipc_app.domain.reader_wire import FileRead, Opened, PageRead
from aipc_app.workers.reader import Reader
from aipc_app.workers.spawn import child_command


@dataclass(frozen=True)
class Outcome:
    """What reading a file gave."""

    opened: Opened
    read: tuple[PageRead, ...]
    end: FileRead

    @property
    def page(self) -> Page:
        """The only page."""
        (only,) = self.read
        return only.page

    @property
    def text(self) -> str:
        return self.page.text

    @property
    def states(self) -> list[PageState]:
        return [one.page.state for one in self.read]


ReadFile = Callable[..., Outcome]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    opened = Reader(child_command("reader"), tmp_path_factory.mktemp("logs"))
    yield opened
    opened.close()


@pytest.fixture
def read(reader: Reader) -> ReadFile:
    """read(path, name=None, password=None, limits=None) -> Outcome, through the real process."""

    def read_file(path: Path, name: str | None = None, **options: object) -> Outcome:
        pages: list[PageRead] = []
        opened: list[Opened] = []
        end = reader.read(path, name or path.name, on_page=pages.append, on_opened=opened.append, **options)  # type: ignore[arg-type]
        return Outcome(opened[0], tuple(pages), end)

    return read_file


@pytest.fixture(scope="module")
def outcomes() -> dict[Path, Outcome]:
    return {}


@pytest.fixture
def read_once(read: ReadFile, outcomes: dict[Path, Outcome]) -> Callable[[Path], Outcome]:
    """`read`, for a file that several of a module's tests look at."""

    def read_file(path: Path) -> Outcome:
        if path not in outcomes:
            outcomes[path] = read(path)
        return outcomes[path]

    return read_file
