"""Where things lie. The only module that knows; creates nothing but what `Home.create` says."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from aipc_app.errors import StorageError


@dataclass(frozen=True)
class Home:
    """One data folder (design.md §4)."""

    root: Path

    @property
    def database(self) -> Path:
        return self.root / "aipc.sqlite"

    @property
    def vectors(self) -> Path:
        return self.root / "vectors"

    @property
    def originals(self) -> Path:
        return self.root / "originals"

    @property
    def kv(self) -> Path:
        return self.root / "kv"

    @property
    def models(self) -> Path:
        return self.root / "models"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def settings(self) -> Path:
        return self.root / "settings.toml"

    @property
    def lock(self) -> Path:
        return self.root / "lock"

    @property
    def doorstep(self) -> Path:
        """Where a second start lays what the open window should look at (store.doorstep)."""
        return self.root / "doorstep"

    @property
    def templates(self) -> Path:
        """The user's own templates of reviews."""
        return self.root / "templates"

    @property
    def network_log(self) -> Path:
        """A line for each attempt to reach a network (engine.wire.offline)."""
        return self.logs / "network.log"

    @property
    def caches(self) -> Path:
        """For libraries' own caches (jieba's dictionary)."""
        return self.root / "caches"

    @property
    def measured(self) -> Path:
        """What was measured on this machine: speeds, dry runs, how far predictions were off. It may be deleted."""
        return self.caches / "measured"

    def create(self) -> None:
        """Make the folder and its rooms, readable by the user alone. Raises StorageError."""
        try:
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.root.chmod(0o700)
            for folder in (self.originals, self.logs, self.caches):
                folder.mkdir(exist_ok=True)
        except OSError as error:
            raise StorageError(
                f"The data folder {self.root} can't be written ({error.strerror}); "
                "choose another one with --home or make it writable."
            ) from error


def home(named: str | None = None) -> Home:
    """The data folder: as named, else $AIPC_HOME, else the system's place for user data."""
    if named == "":
        raise StorageError("--home needs the name of a folder.")
    chosen = named or os.environ.get("AIPC_HOME")
    root = Path(chosen) if chosen else Path(platformdirs.user_data_dir("aipc", appauthor=False))
    return Home(root.expanduser().absolute())


def checkout() -> Path | None:
    """The source checkout this runs from, or None in an installed build."""
    root = Path(__file__).resolve().parent.parent
    return root if (root / "pyproject.toml").is_file() else None


def installation() -> Path | None:
    """The folder of an installed build, which holds its Python and all that it brings; None in a checkout."""
    root = Path(sys.prefix).parent
    return root if (root / "installation.json").is_file() else None


def assets() -> Path:
    """Icons, translations, samples, models.toml."""
    frozen = getattr(sys, "_MEIPASS", None)
    return Path(frozen) / "assets" if frozen else Path(__file__).resolve().parent.parent / "assets"


def model_folders(home_: Home) -> tuple[Path, ...]:
    """Where models are looked for, in order: $AIPC_MODELS, the home, a checkout's .models or an installation's."""
    named = os.environ.get("AIPC_MODELS")
    root = checkout()
    found = [Path(named)] if named else []
    found.append(home_.models)
    if root is not None:
        found.append(root / ".models")
    installed = installation()
    if installed is not None:
        found.append(installed / "models")  # of the complete bundle, or put there for everybody on this PC
    return tuple(found)
