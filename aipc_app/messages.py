"""Sentences for people in their language.

Rooms write each sentence once, in English, where it arises; assets/translations/messages_zh.toml holds the Chinese
for each, with the same places in braces. A sentence is recognised by its words, so that one stored yesterday (why a
document failed) or sent by a child is shown in today's language too. scripts/messages.py tells which are missing.
"""

from __future__ import annotations

import locale
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from aipc_app import paths

_PLACE = re.compile(r"\{(\w+)\}")
_BETWEEN = re.compile(r"(?<=[.!?])(\s+)")
_QUOTES = tuple("'\"`‘“")
_CLOSED = tuple("。！？；：，、）…")  # after these Chinese goes on without a space
_MOST_DEEP = 4  # sentences inside places inside sentences
_MOST_JOINED = 12  # sentences tried in groups; more are one, or each is taken alone


@dataclass(frozen=True)
class _Found:
    """A translation, and how many characters of the original were recognised."""

    text: str
    weight: int


@dataclass(frozen=True)
class _Template:
    """A sentence with places: `literals` are the texts before, between and after them."""

    literals: tuple[str, ...]
    names: tuple[str, ...]
    translated: str
    weight: int

    def match(self, text: str) -> dict[str, str] | None:
        """What stands in the places, each as short as can be; linear in the text, whatever that holds."""
        first, last = self.literals[0], self.literals[-1]
        if not text.startswith(first) or not text.endswith(last) or len(text) < self.weight:
            return None
        at, end, held = len(first), len(text) - len(last), []
        for literal in self.literals[1:-1]:
            found = text.find(literal, at, end)
            if found < 0:
                return None
            held.append(text[at:found])
            at = found + len(literal)
        return dict(zip(self.names, [*held, text[at:end]], strict=True))

    def is_quoted(self, name: str) -> bool:
        """Between quotes stands what people named themselves: it is never translated."""
        return self.literals[self.names.index(name)].endswith(_QUOTES)


class Catalogue:
    """English sentences with {places} and what they become. Safe to use from any thread."""

    def __init__(self, sentences: Mapping[str, str]) -> None:
        self._plain = {english: text for english, text in sentences.items() if not _PLACE.search(english)}
        templates = [_template(english, text) for english, text in sentences.items() if english not in self._plain]
        self._templates = sorted(templates, key=lambda template: -template.weight)

    def translate(self, sentence: str) -> str:
        """The sentence, or each of several joined ones, in the other language; unknown ones stay as they are."""
        return self._translate(sentence, 0)

    def _translate(self, text: str, depth: int) -> str:
        if depth > _MOST_DEEP:
            return text
        parts = _BETWEEN.split(text)
        pieces, gaps = parts[::2], parts[1::2]
        if len(pieces) <= _MOST_JOINED:
            return self._best(pieces, gaps, depth)
        whole = self._known(text, depth)
        return whole.text if whole else _joined([self._known(p, depth) or _Found(p, 0) for p in pieces], gaps)

    def _best(self, pieces: list[str], gaps: list[str], depth: int) -> str:
        """The division into known sentences that leaves the least text unrecognised."""
        best: list[tuple[int, list[_Found], list[str]]] = [(0, [], [])]
        for end in range(1, len(pieces) + 1):
            choices = []
            for start in range(end):
                text = "".join(p + g for p, g in zip(pieces[start:end], [*gaps[start : end - 1], ""], strict=True))
                found = self._known(text, depth) or (_Found(text, 0) if end - start == 1 else None)
                if found is not None:
                    weight, before, between = best[start]
                    choices.append((weight + found.weight, [*before, found], between + gaps[start - 1 : start]))
            best.append(max(choices, key=lambda choice: (choice[0], -len(choice[1]))))
        return _joined(best[-1][1], best[-1][2])

    def _known(self, text: str, depth: int) -> _Found | None:
        """A known sentence, with or without its full stop."""
        if text in self._plain:
            return _Found(self._plain[text], len(text))
        found = [self._exact(text, depth)]
        if text.endswith("."):
            stopped = self._exact(text[:-1], depth)
            found.append(stopped and _Found(stopped.text + "。", stopped.weight))
        elif text:
            open_ = self._exact(text + ".", depth)
            found.append(open_ and _Found(open_.text.removesuffix("。"), open_.weight))
        return max((one for one in found if one is not None), key=lambda one: one.weight, default=None)

    def _exact(self, text: str, depth: int) -> _Found | None:
        if text in self._plain:
            return _Found(self._plain[text], len(text))
        for template in self._templates:
            held = template.match(text)
            if held is not None:
                return _Found(self._filled(template, held, depth), template.weight)
        return None

    def _filled(self, template: _Template, held: Mapping[str, str], depth: int) -> str:
        shown = {
            name: text if template.is_quoted(name) else self._translate(text, depth + 1) for name, text in held.items()
        }
        return _PLACE.sub(lambda place: shown[place[1]], template.translated)


def translate(sentence: str, language: str) -> str:
    """`language` "zh" or "en"."""
    return _in_chinese(sentence) if language == "zh" else sentence


def system_language() -> str:
    """The language of the terminal: "zh" or "en"."""
    named = next((value for key in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := os.environ.get(key))), None)
    return "zh" if (named or locale.getlocale()[0] or "").startswith(("zh", "Chinese")) else "en"


@lru_cache(maxsize=1024)  # lists ask for the same sentences at every repaint
def _in_chinese(sentence: str) -> str:
    return _chinese().translate(sentence)


@cache
def _chinese() -> Catalogue:
    raw = tomllib.loads((paths.assets() / "translations" / "messages_zh.toml").read_text(encoding="utf-8"))
    return Catalogue({entry["en"]: entry["zh"] for entry in raw["message"]})


def _template(english: str, translated: str) -> _Template:
    parts = _PLACE.split(english)
    return _Template(tuple(parts[::2]), tuple(parts[1::2]), translated, sum(map(len, parts[::2])))


def _joined(found: list[_Found], gaps: list[str]) -> str:
    text = found[0].text
    for gap, piece in zip(gaps, found[1:], strict=True):
        seamless = gap == " " and piece.weight and text.endswith(_CLOSED)
        text += ("" if seamless else gap) + piece.text
    return text
