"""A sentence as the source says it: texts, and places not known before the program runs."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

PLACE = re.compile(r"\{(\w+)\}")
MOST_SENTENCES = 24  # that one expression may stand for

_WORD = re.compile(r"[A-Za-z]*[a-z]{2}[A-Za-z]*")
_IDENTIFIER = re.compile(r"[\w-]*([._][\w-]+)+")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_FORMAT_PLACE = re.compile(r"\{(\w*)(?:![rsa])?(?::[^{}]*)?\}")


@dataclass(frozen=True)
class Hole:
    """A place of a sentence."""

    name: str


Template = tuple["str | Hole", ...]


def shape(en: str) -> str:
    """A sentence without the names of its places, by which source and catalogue are compared."""
    return PLACE.sub("{}", en)


def literal(template: Template) -> str:
    """All its text."""
    return "".join(part for part in template if isinstance(part, str))


def has_words(template: Template) -> bool:
    """There is something to translate: words of English, not only the name of a file or a field."""
    text = literal(template)
    return bool(_WORD.search(text)) and not _IDENTIFIER.fullmatch(text) and not _CHINESE.search(text)


def is_bare(template: Template) -> bool:
    """Nothing to be translated: a place alone, a number with its unit, a name of a file or a field."""
    text = literal(template)
    only_marks = len(template) > 1 and text.strip() != "" and not any(c.isalnum() for c in text)
    return not has_words(template) and not only_marks


def products(parts: Sequence[list[Template]]) -> list[Template]:
    """Each choice of texts, in one piece; where there would be too many, the widest choice becomes a place."""
    while _count(parts) > MOST_SENTENCES:
        widest = max(range(len(parts)), key=lambda i: len(parts[i]))
        parts = [*parts[:widest], [(Hole("value"),)], *parts[widest + 1 :]]
    return [tuple(itertools.chain.from_iterable(choice)) for choice in itertools.product(*parts)]


def formatted(template: Template, names: Sequence[str]) -> Template:
    """What str.format makes of it: its braces become places, in turn named `names`."""
    parts: list[str | Hole] = []
    left = list(names)
    for part in template:
        if isinstance(part, Hole):
            parts.append(part)
            continue
        for i, text in enumerate(_FORMAT_PLACE.split(part)):
            named = i % 2 == 1
            parts += [Hole(text if text.isidentifier() else left.pop(0) if left else "value")] if named else [text]
    return tuple(part for part in parts if part)


def written(template: Template) -> str:
    """As the catalogue writes it: places in braces, numbered where a name repeats."""
    uses: dict[str, int] = {}
    text = ""
    for part in template:
        if isinstance(part, str):
            text += part
        else:
            uses[part.name] = uses.get(part.name, 0) + 1
            text += "{" + part.name + (str(uses[part.name]) if uses[part.name] > 1 else "") + "}"
    return text.strip()


def _count(parts: Sequence[list[Template]]) -> int:
    total = 1
    for part in parts:
        total *= len(part)
    return total
