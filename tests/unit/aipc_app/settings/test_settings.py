"""Settings come back as saved; a typo fails with the nearest name."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from aipc_app.errors import StorageError, UserMistake
from aipc_app.settings.file import load, save
from aipc_app.settings.holder import SettingsHolder
from aipc_app.settings.model import Language, Settings, Window


def test_what_is_saved_is_read(tmp_path: Path) -> None:
    settings = Settings(window=Window(language=Language.CHINESE, font_points=13))
    save(tmp_path / "settings.toml", settings)
    assert load(tmp_path / "settings.toml") == settings


def test_no_file_means_defaults(tmp_path: Path) -> None:
    assert load(tmp_path / "settings.toml") == Settings()


def test_a_typo_names_the_nearest_setting(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("[answers]\nmax_token = 3\n")
    with pytest.raises(UserMistake, match="max_tokens"):
        load(tmp_path / "settings.toml")


def test_a_wrong_value_says_where(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('[window]\ntheme = "pink"\n')
    with pytest.raises(UserMistake, match="theme"):
        load(tmp_path / "settings.toml")


def test_a_failed_save_keeps_the_settings_in_force(tmp_path: Path) -> None:
    holder = SettingsHolder(tmp_path / "gone" / "settings.toml")
    changed = msgspec.structs.replace(Settings(), window=Window(welcomed=True))
    with pytest.raises(StorageError):
        holder.replace(changed)
    assert holder() == Settings()
