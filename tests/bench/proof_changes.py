"""Ways to say a sentence of a material again, truly or falsely, by rule. For proof_pairs.py."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import opencc

from aipc_app.answer.material import Source
from aipc_app.text.facts import find_facts
from aipc_app.text.names import find_names
from aipc_app.text.numbers import parse_chinese
from aipc_app.text.sentences import split_sentences
from aipc_app.text.values import DateValue, FactKind

SEED = 20_240_612
LEAST, MOST = 12, 120  # characters of a sentence worth changing
DIGITS = "〇一二三四五六七八九"
PARTIES = (("原告", "被告"), ("甲方", "乙方"), ("出借人", "借款人"), ("债权人", "债务人"), ("lender", "borrower"))
NEGATED = ("应当", "可以", "已经", "已", "是", "有")
BOUNDS = (
    ("不少于", "不超过"), ("不低于", "不高于"), ("至少", "至多"), ("高于", "低于"), ("多于", "少于"),
    ("at least", "at most"), ("more than", "less than"), ("no later than", "no earlier than"),
)  # fmt: skip
# The same in other words; what a careful reader would accept without a look at the context.
SAME_WORDS = (
    ("应当", "必须"), ("不得", "不可以"), ("或者", "或"), ("以及", "和"), ("之日起", "那天起"), ("按照", "依照"),
    ("给予", "予以"), ("没有", "无"), ("所需", "需要的"), ("除外", "不在此限"), ("向社会公布", "对外公布"),
    ("shall", "must"), ("prior to", "before"), ("in accordance with", "under"), ("such", "these"),
)  # fmt: skip
_SUBJECT = re.compile(
    r"^(?:第[一二三四五六七八九十百千]+条[\s　]*)?(?P<subject>[\u4e00-\u9fff]{2,8}?)"
    r"(?=应当|不得|可以|有权|负责|对|依法)"
)
_NO_SUBJECT = re.compile(r"[的在由按对依]|^(?:有|不|国家|本|其|前款|下列|任何)")
_CHINESE_FIGURE = re.compile(
    r"(?<![〇一二三四五六七八九十百千万第之])([一二三四五六七八九十百]{1,5})(?=个?[日月年]|万?元|人|倍)"
)


@dataclass(frozen=True)
class Pair:
    kind: str
    true: bool
    sentence: str
    of: str
    material: str


Maker = Callable[[str], str | None]


def pairs_of(material: str, sources: tuple[Source, ...], most: int = 40) -> Iterator[Pair]:
    """Each sentence of the material (of `most`, drawn), said truly and falsely in the ways that fit it."""
    rng = random.Random(f"{SEED} {material}")
    text = "\n".join(source.text for source in sources)
    sentences = [s for source in sources for s in _sentences(source.text)]
    everyone = sorted({subject for s in sentences if (subject := _subject(s))})
    if len(sentences) > most:
        sentences = rng.sample(sentences, most)
    makers = _makers(text, everyone, rng)
    for sentence in sentences:
        for true, kind, make in makers:
            made = make(sentence)
            if made is None or (made == sentence and kind != "as it stands"):
                continue
            if not true and _says(made, text):
                continue  # the change gives another true sentence of the material
            yield Pair(kind, true, made, sentence, material)


def _makers(text: str, everyone: list[str], rng: random.Random) -> tuple[tuple[bool, str, Maker], ...]:
    names = [name for name in find_names(text) if 2 <= len(name) <= 4 and not name.isascii()]
    return (
        (True, "as it stands", lambda s: s),
        (True, "other numerals", _other_numerals),
        (True, "date in characters", _date_in_characters),
        (True, "traditional script", _traditional),
        (True, "reporting head", lambda s: f"材料写明，{s}" if _is_chinese(s) else f"It says that {s}"),
        (True, "arabic figures", arabic_figures),
        (True, "other words", other_words),
        (False, "number", lambda s: _number(s, rng)),
        (False, "number in characters", number_in_characters),
        (False, "date", _date),
        (False, "name", lambda s: _name(s, names, rng)),
        (False, "party", lambda s: _swapped(s, PARTIES)),
        (False, "subject", lambda s: _other_subject(s, everyone, rng)),
        (False, "article", _article),
        (False, "negation", negation),
        (False, "bound", _other_bound),
        (False, "unit", _unit),
    )


def _sentences(text: str) -> Iterator[str]:
    for span in split_sentences(text):
        sentence = text[span.start : span.end].strip("#*-> \n　")
        if LEAST <= len(sentence) <= MOST and "|" not in sentence and not sentence.endswith(("?", "？", "：", ":")):
            yield sentence


def _is_chinese(text: str) -> bool:
    return bool(re.search(r"[\u4e00-\u9fff]", text))


def _says(sentence: str, text: str) -> bool:
    return sentence.strip("。.") in text


def _other_numerals(sentence: str) -> str | None:
    def in_ten_thousands(match: re.Match[str]) -> str:
        value = int(match[1].replace(",", ""))
        return f"{value // 10_000}万元" if value % 10_000 == 0 and value else match[0]

    return re.sub(r"(\d{1,3}(?:,\d{3})+|\d{5,})元", in_ten_thousands, sentence)


def _date_in_characters(sentence: str) -> str | None:
    def spelt(match: re.Match[str]) -> str:
        return "".join(DIGITS[int(d)] for d in match[1]) + f"年{_spelt(match[2])}月{_spelt(match[3])}日"

    return re.sub(r"(\d{4})年(\d{1,2})月(\d{1,2})日", spelt, sentence)


def _spelt(number: str) -> str:
    tens, ones = divmod(int(number), 10)
    return {0: "", 1: "十"}.get(tens, DIGITS[tens] + "十") + (DIGITS[ones] if ones else "")


def _traditional(sentence: str) -> str | None:
    return str(opencc.OpenCC("s2t").convert(sentence)) if _is_chinese(sentence) else None


def arabic_figures(sentence: str) -> str | None:
    """三十日 as 30日, 二万元 as 20000元."""

    def arabic(match: re.Match[str]) -> str:
        value = parse_chinese(match[1])
        return match[0] if value is None else str(value)

    return _CHINESE_FIGURE.sub(arabic, sentence)


def other_words(sentence: str) -> str | None:
    for one, other in SAME_WORDS:
        sentence = re.sub(rf"\b{one}\b" if one.isascii() else one, other, sentence)
    return sentence


def _number(sentence: str, rng: random.Random) -> str | None:
    kinds = (FactKind.AMOUNT, FactKind.PERCENT, FactKind.NUMBER)
    facts = [f for f in find_facts(sentence) if f.kind in kinds and re.search(r"[1-9]", f.text)]
    if not facts:
        return None
    fact = rng.choice(facts)
    at = next(m.start() for m in re.finditer(r"[1-9]", fact.text))
    digit = str(int(fact.text[at]) % 9 + 1)
    return sentence[: fact.start] + fact.text[:at] + digit + fact.text[at + 1 :] + sentence[fact.end :]


def number_in_characters(sentence: str) -> str | None:
    """五日内 as 六日内, 十年 as 二十年: the figures statutes are made of."""
    found = _CHINESE_FIGURE.search(sentence)
    if found is None:
        return None
    first = found[1][0]
    other = "二十" if first in "十百" else DIGITS[DIGITS.index(first) % 9 + 1]
    return sentence[: found.start(1)] + other + found[1][1:] + sentence[found.end(1) :]


def _date(sentence: str) -> str | None:
    for fact in find_facts(sentence):
        if isinstance(fact.value, DateValue) and (day := re.search(r"(\d{1,2})日", fact.text)):
            other = int(day[1]) % 28 + 1
            changed = fact.text[: day.start(1)] + str(other) + fact.text[day.end(1) :]
            return sentence[: fact.start] + changed + sentence[fact.end :]
    return None


def _name(sentence: str, names: list[str], rng: random.Random) -> str | None:
    mine = [name for name in names if name in sentence]
    others = [name for name in names if name not in sentence and len(name) > 2]
    if not mine or not others:
        return None
    return sentence.replace(rng.choice(mine), rng.choice(others))


def _swapped(sentence: str, pairs: tuple[tuple[str, str], ...]) -> str | None:
    for one, other in pairs:
        if one in sentence or other in sentence:
            return sentence.replace(one, "\0").replace(other, one).replace("\0", other)
    return None


def _other_bound(sentence: str) -> str | None:
    """A least for a most. 以上 counts behind a figure alone: 以下载方式 has none."""
    turned = re.sub(r"(?<=[元份人次日年月倍%岁以])以上", "\0", sentence)
    turned = re.sub(r"(?<=[元份人次日年月倍%岁以])以下", "以上", turned).replace("\0", "以下")
    return turned if turned != sentence else _swapped(sentence, BOUNDS)


def _subject(sentence: str) -> str | None:
    """Who does it, where the sentence begins with that and its verb."""
    found = _SUBJECT.match(sentence)
    return None if found is None or _NO_SUBJECT.search(found["subject"]) else found["subject"]


def _other_subject(sentence: str, everyone: list[str], rng: random.Random) -> str | None:
    mine = _subject(sentence)
    others = [one for one in everyone if mine and one not in sentence and mine not in one]
    return sentence.replace(mine, rng.choice(others), 1) if mine and others else None


def _article(sentence: str) -> str | None:
    found = re.search(r"第([一二三四五六七八九])条", sentence)
    if not found:
        return None
    return sentence[: found.start(1)] + DIGITS[DIGITS.index(found[1]) % 9 + 1] + sentence[found.end(1) :]


def negation(sentence: str) -> str | None:
    if not _is_chinese(sentence):
        changed = re.sub(r"\b(was|is|were|are|has|shall|must)\b (?!not)", r"\1 not ", sentence, count=1)
        return changed if changed != sentence else None
    if found := re.search(r"没有|未|不得|不", sentence):
        turned = {"没有": "有", "未": "已", "不得": "可以", "不": ""}[found[0]]
        return sentence[: found.start()] + turned + sentence[found.end() :]
    for word in NEGATED[:4]:
        if word in sentence:
            turned = {"应当": "不应当", "可以": "不得", "已经": "没有", "已": "未"}[word]
            return sentence.replace(word, turned, 1)
    return None


def _unit(sentence: str) -> str | None:
    for one, other in (("万元", "万美元"), ("元", "美元"), ("个月", "年"), ("日内", "个月内"), ("年内", "个月内")):
        if found := re.search(rf"(?<=[\d一二三四五六七八九十]){one}", sentence):
            return sentence[: found.start()] + other + sentence[found.end() :]
    return None
