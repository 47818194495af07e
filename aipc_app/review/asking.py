"""What the model is asked for an item, and how its reply is read. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence

from msgspec import Struct

from aipc_app.answer.material import Source
from aipc_app.answer.prompt import build
from aipc_app.answer.wording import says_not_found
from aipc_app.domain.review import Item, ItemType
from engine.types.prompt import Prompt

_LINES = (ItemType.LIST, ItemType.PARTY)
_SHORT = (ItemType.MONEY, ItemType.DATE, ItemType.RATIO, ItemType.CHOICE)
MAX_TOKENS = {"short": 64, "text": 160, "lines": 320}
_MOST_LINES = 6
_EMPTY = frozenset(
    ("", "无", "空", "未找到", "没有", "未提及", "未写明", "不详", "null", "none", "n/a", "not found", "unknown")
)
_ASK = {
    "zh": {
        "short": "请根据上面的材料回答：{question}\n只写答案本身，照抄原文的数字、日期、名称和单位。"
        "材料没有写明的，answer 留空。用 JSON 回答。",
        "text": "请根据上面的材料回答：{question}\n用材料的原话写一到两句完整的话，写明有关的人名、日期、金额。"
        "材料没有写明的，answer 留空。用 JSON 回答。",
        "lines": "请根据上面的材料回答：{question}\n每一点写一句完整的话，放进 items，用材料的原话，不重复，"
        "最多{limit}点。材料没有写明的，items 留空。用 JSON 回答。",
        "options": "从这些选项里选一个：{options}。",
    },
    "en": {
        "short": "From the material above, answer: {question}\nWrite only the answer itself, with figures, dates, "
        "names and units as the material writes them. Leave answer empty where the material doesn't tell. "
        "Answer in JSON.",
        "text": "From the material above, answer: {question}\nOne or two complete sentences in the material's own "
        "words, with the names, dates and figures concerned. Leave answer empty where the material doesn't tell. "
        "Answer in JSON.",
        "lines": "From the material above, answer: {question}\nOne complete sentence for each point, in the material's "
        "own words, in items, at most {limit}. Leave items empty where the material doesn't tell. Answer in JSON.",
        "options": "Choose one of: {options}.",
    },
}


class Reply(Struct, frozen=True):
    """What the model said, line by line; none when it found nothing."""

    lines: tuple[str, ...]


def shape(item: Item) -> str:
    """ "short", "text" or "lines"."""
    if item.type in _LINES:
        return "lines"
    return "short" if item.type in _SHORT else "text"


def prompt_of(item: Item, sources: Sequence[Source], language: str, *, passages: str = "") -> Prompt:
    """The documents first, as a question about them has them, so that what was read of them is used again."""
    return build(documents=sources, history=(), passages=passages, question=question_of(item, language))


def question_of(item: Item, language: str) -> str:
    words = _ASK[language]
    assert item.question is not None
    text = words[shape(item)].format(question=item.question.of(language), limit=min(item.limit, _MOST_LINES))
    if item.type is ItemType.CHOICE:
        text += words["options"].format(options="、".join(option.of(language) for option in item.options))
    return text


def schema_of(item: Item, language: str) -> str:
    """The JSON schema that holds the reply to its form."""
    if shape(item) == "lines":
        array = {"type": "array", "items": {"type": "string"}, "maxItems": min(item.limit, _MOST_LINES)}
        return _object({"items": array})
    answer: dict[str, object] = {"type": "string"}
    if item.type is ItemType.CHOICE:
        answer = {"enum": ["", *(option.of(language) for option in item.options)]}
    return _object({"answer": answer})


def read_reply(item: Item, text: str) -> Reply | None:
    """None when it is no JSON of the form asked for: it was cut off, say."""
    try:
        raw = json.loads(text, strict=False)
    except ValueError:
        return _cut_off(item, text)
    if not isinstance(raw, dict):
        return None
    said = raw.get("items") if shape(item) == "lines" else [raw.get("answer")]
    if not isinstance(said, list) or not all(isinstance(line, str) for line in said):
        return None
    return Reply(_told(said))


def _cut_off(item: Item, text: str) -> Reply | None:
    """A list that ran into the limit: the lines that are whole."""
    if shape(item) != "lines" or not text.lstrip().startswith("{"):
        return None
    end = text.rfind('",')
    if end < 0:
        return None
    try:
        raw = json.loads(text[: end + 1] + "]}", strict=False)
    except ValueError:
        return None
    return Reply(_told([line for line in raw.get("items", ()) if isinstance(line, str)]))


def _told(lines: Sequence[str]) -> tuple[str, ...]:
    kept = (" ".join(line.split()) for line in lines)
    return tuple(dict.fromkeys(k for k in kept if k.lower().rstrip("。.") not in _EMPTY and not says_not_found(k)))


def _object(properties: dict[str, object]) -> str:
    return json.dumps(
        {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False},
        ensure_ascii=False,
    )
