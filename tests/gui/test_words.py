"""The catalogue, and switching language and theme while the window runs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from aipc_app.operations.settings import change_setting
from aipc_app.settings.model import Language, Settings, Theme
from aipc_app.ui import words as words_module
from aipc_app.ui.screens import Screen
from aipc_app.ui.settings.fields import Choice, sections
from aipc_app.ui.theme.tokens import DARK, LIGHT, Tokens
from aipc_app.ui.words import LANGUAGES, Words, load_catalogue
from tests.gui.conftest import Rig

UI = Path(words_module.__file__).parent
CHINESE = re.compile(r"[一-鿿]")
KEPT = {"English", "中文", "Markdown"}  # the same in both


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


def test_both_languages_have_the_same_keys_and_placeholders() -> None:
    chinese, english = (load_catalogue(language) for language in LANGUAGES)
    assert chinese.keys() == english.keys()
    for key in english:
        for half in english[key].split("|") if "{count}" in english[key] else [english[key]]:
            assert placeholders(half) <= placeholders(chinese[key]) | {"name"}, key
        assert placeholders(chinese[key]) <= placeholders(english[key]), key


def literal_keys() -> Iterator[tuple[str, str]]:
    """Every text literal that looks like a key, by file."""
    for path in sorted(UI.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            text = node.value if isinstance(node, ast.Constant) else None
            if isinstance(text, str) and re.fullmatch(r"[a-z]+\.[a-z_]*[a-z]", text):
                yield path.name, text


def test_every_key_in_the_code_is_in_the_catalogue() -> None:
    catalogue = load_catalogue("en")
    tables = {key.split(".")[0] for key in catalogue}
    missing = [(file, key) for file, key in literal_keys() if key.split(".")[0] in tables and key not in catalogue]
    assert not missing


def test_every_setting_has_its_words() -> None:
    catalogue = load_catalogue("zh")
    for section, fields in sections():
        assert f"settings.{section}" in catalogue
        for field in fields:
            key = f"settings.{field.section}_{field.name}"
            assert key in catalogue and f"{key}_hint" in catalogue
            for value in field.values if isinstance(field, Choice) else ():
                assert f"{key}_{value.replace('-', '_')}" in catalogue


def test_a_typo_in_a_key_fails(qapp: object) -> None:
    with pytest.raises(KeyError):
        Words("en")("cases.titel")


def test_one_and_many(qapp: object) -> None:
    words = Words("en")
    assert words("documents.pages", count=1) == "1 page"
    assert words("documents.pages", count=2) == "2 pages"


def visible_texts(root: QWidget) -> list[str]:
    parts = [*root.findChildren(QLabel), *root.findChildren(QAbstractButton)]
    return [part.text() for part in parts if part.isVisible() and part.text().strip()]


def test_the_language_switches_everything_at_once(rig: Rig) -> None:
    """On each screen, first one language, then the other; no word of the first one stays."""
    rig.open_case("Case", contract="Lent: 500,000.")
    for screen in (Screen.CASE, Screen.LIBRARY, Screen.MODELS, Screen.SETTINGS, Screen.CASES, Screen.WELCOME):
        rig.window.show_screen(screen)
        switch(rig, Language.ENGLISH)
        rig.until(lambda: not left_over(rig, "zh"))
        switch(rig, Language.CHINESE)
        rig.until(lambda: not left_over(rig, "en"))
        assert any(CHINESE.search(text) for text in visible_texts(rig.window.stack.currentWidget())), screen


def left_over(rig: Rig, language: str) -> list[str]:
    """What is on screen in a language that is not the chosen one; some cards are read anew, so it may take a moment."""
    shown = visible_texts(rig.window.centralWidget())
    if language == "zh":
        return [text for text in shown if CHINESE.search(text) and text not in KEPT]
    return [text for text in shown if text.strip() in set(load_catalogue("en").values()) - KEPT]


def switch(rig: Rig, language: Language) -> None:
    change_setting(rig.services, section="window", name="language", value=language.value).run()
    rig.until(lambda: rig.desktop.context.words.language == language.value)


def test_the_theme_switches_at_once(rig: Rig) -> None:
    look = rig.desktop.context.look
    assert look.tokens is LIGHT
    change_setting(rig.services, section="window", name="theme", value=Theme.DARK.value).run()
    rig.until(lambda: look.tokens is DARK)
    assert rig.window.palette().window().color().name() == DARK.ground


def luminance(colour: str) -> float:
    """WCAG 2.1 relative luminance."""
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_text_can_be_read_on_its_ground(tokens: Tokens) -> None:
    """WCAG AA for text: 4.5 to 1."""
    grounds = (tokens.surface, tokens.ground, tokens.raised)
    for colour in (tokens.text, tokens.muted):
        for ground in grounds:
            assert contrast(colour, ground) >= 4.5, (colour, ground)
    for colour, soft in ((tokens.good, tokens.good_soft), (tokens.warn, tokens.warn_soft),
                         (tokens.bad, tokens.bad_soft), (tokens.accent, tokens.accent_soft)):
        assert contrast(colour, tokens.surface) >= 4.5, colour
        assert contrast(colour, soft) >= 4.5, (colour, soft)
    assert contrast(tokens.on_accent, tokens.accent) >= 4.5
    assert contrast(tokens.text, tokens.accent_soft) >= 4.5


def test_the_system_language_is_followed(monkeypatch: pytest.MonkeyPatch, qapp: object) -> None:
    words = Words("en")
    monkeypatch.setattr(words_module, "system_language", lambda: "zh")
    words.use(Language.SYSTEM)
    assert words("rail.cases") == "案件"
    assert Settings().window.language is Language.SYSTEM
