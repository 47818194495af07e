"""What the window says, in Chinese and English; switched while it runs."""

from __future__ import annotations

import tomllib
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QLocale, QObject, Signal

from aipc_app import paths
from aipc_app.messages import translate
from aipc_app.settings.model import Language

Setter = Callable[[str], Any]
LANGUAGES = ("zh", "en")


def system_language() -> str:
    """The system's language if the window speaks it, else English."""
    return "zh" if QLocale.system().language() == QLocale.Language.Chinese else "en"


def load_catalogue(language: str, folder: Path | None = None) -> dict[str, str]:
    """Sentences by dotted key, from assets/translations/<language>.toml."""
    path = (folder or paths.assets() / "translations") / f"{language}.toml"
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    return {f"{table}.{key}": text for table, entries in tables.items() for key, text in entries.items()}


class Words(QObject):
    """The catalogue in force. Window's thread only. An unknown key raises KeyError: a typo must fail."""

    changed = Signal()

    def __init__(self, language: str = "en") -> None:
        super().__init__()
        self.language = language
        self._catalogue = load_catalogue(language)
        self._bound: dict[int, _Bound] = {}
        self._next = 0

    def __call__(self, key: str, **values: object) -> str:
        """The sentence of `key`. With `count`, the half before `|` is for one, the other for more."""
        text = self._catalogue[key]
        if "count" in values and "|" in text:
            one, many = text.split("|", 1)
            text = one if values["count"] == 1 else many
        return text.format(**values) if values else text

    def sentence(self, english: str | None) -> str:
        """A sentence that a lower room wrote (why a file failed, say) in the window's language."""
        return translate(english, self.language) if english else ""

    def bind(self, owner: QObject, setter: Setter, key: str, **values: object) -> None:
        """Call `setter` with the sentence now and after each switch, for as long as `owner` lives."""
        setter(self(key, **values))
        token, self._next = self._next, self._next + 1
        self._bound[token] = _Bound(setter, key, values)
        store = weakref.ref(self)

        def forget(*_args: object) -> None:
            words = store()
            if words is not None:
                words._bound.pop(token, None)

        owner.destroyed.connect(forget)

    def use(self, setting: Language) -> None:
        """Speak the language of the setting; SYSTEM follows the system."""
        language = system_language() if setting is Language.SYSTEM else setting.value
        if language == self.language:
            return
        self.language, self._catalogue = language, load_catalogue(language)
        for bound in tuple(self._bound.values()):
            bound.setter(self(bound.key, **bound.values))
        self.changed.emit()


class _Bound:
    """One text on screen and where it comes from."""

    __slots__ = ("key", "setter", "values")

    def __init__(self, setter: Setter, key: str, values: dict[str, object]) -> None:
        self.setter, self.key, self.values = setter, key, values
