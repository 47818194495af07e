"""A sentence in nearly its source's own words must not differ from it in what matters. Pure.

Compared word by word with the sentences of the material that share most of its words: a no more or less, one party or
name in the place of another, a figure of the same kind in the place of the source's. A sentence in words of its own is
not looked at here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from aipc_app.answer.align import Span
from aipc_app.answer.claim import Claim
from aipc_app.answer.units import Units, article_of
from aipc_app.text.facts import Fact, FactKind, find_facts, supports
from aipc_app.text.names import find_names, is_thing
from aipc_app.text.normalise import settled
from aipc_app.text.tokens import plain_words

Difference = tuple[str, str]

NEARLY = 0.6  # share of the claim's words that stand in the source in the same order
_AGREES: Difference = ("", "")
_WORTH_COMPARING, _ALMOST, _MOST_COMPARED = 0.5, 0.85, 6
_A_TURN = 3  # words; a longer stretch with a no in it is another clause that one of both leaves out
_NO = ("不", "没", "未", "无", "非", "勿", "莫")
_EXCEPTED = re.compile("不在此限|不受此限")  # a no more than 除外
_VERY_NEARLY = 0.7
_SYNONYMS = frozenset(
    (
        "合同", "协议", "公司", "企业", "单位", "条款", "约定", "规定", "款项", "资金", "钱", "金额", "数额",
        "价款", "价格", "法院", "材料", "文件",
    )
)  # fmt: skip
_STANDS_FOR_ANOTHER = frozenset(("其", "该", "他", "她", "它", "此", "上述", "前述", "对方", "一方", "自己", "当事人"))
_NOT_NO = frozenset(("不动产", "未来", "不仅", "不但", "非常", "无锡", "不过", "除非", "不断", "无论", "不管", "莫某"))
_HAN_ONLY = re.compile("[\u3400-\u9fff]+")
_ENGLISH_NO = frozenset(("not", "no", "never", "without", "cannot", "none", "neither", "nor"))
_PARTIES = (
    frozenset(("原告", "被告")), frozenset(("甲方", "乙方", "丙方")), frozenset(("出借人", "借款人")),
    frozenset(("债权人", "债务人", "保证人")), frozenset(("上诉人", "被上诉人")), frozenset(("申请人", "被申请人")),
    frozenset(("抵押人", "抵押权人")), frozenset(("出卖人", "买受人")), frozenset(("lender", "borrower", "guarantor")),
    frozenset(("plaintiff", "defendant")), frozenset(("buyer", "seller")),
)  # fmt: skip
# Words that turn a sentence as a no does; with a no before one of them the two agree: 不低于 and 高于.
_OPPOSITES = (
    ("以上", "以下"), ("以上", "以内"), ("高于", "低于"), ("超过", "少于"), ("超过", "低于"), ("多于", "少于"),
    ("大于", "小于"), ("至少", "至多"), ("最高", "最低"), ("最多", "最少"), ("之前", "之后"), ("以前", "以后"),
    ("早于", "晚于"), ("增加", "减少"), ("上升", "下降"), ("增长", "下降"), ("提高", "降低"), ("least", "most"),
    ("more", "less"), ("above", "below"), ("before", "after"), ("earlier", "later"), ("minimum", "maximum"),
    ("increased", "decreased"), ("higher", "lower"), ("rose", "fell"),
)  # fmt: skip
_ROLES = frozenset[str]().union(*_PARTIES) | frozenset(("答辩人", "本人", "双方", "对方", "证人", "申请人", "他们"))


def differs(claim: Claim, units: Units, spans: Sequence[Span] = ()) -> Difference | None:
    """(kind, what) of the first difference that matters, None if there is none.

    The kinds: "fact", "party", "bound", "turned", "name", "thing".

    The sentences of the material nearest in words are looked at, and one of them that agrees is enough; then those
    of `spans` that make one quote, where a sentence has the words of several.
    """
    near = [one for index in _nearest(claim, units) if (one := _compare(claim, units, index, index)) is not None]
    if near and _AGREES not in near:
        return near[0]
    quotes = (_compare(claim, units, span.first, span.last) for span in spans if span.last > span.first)
    return next((one for one in quotes if one not in (None, _AGREES)), None)


def _nearest(claim: Claim, units: Units) -> list[int]:
    """Units that have most of the claim's words, figures apart."""
    words = frozenset(token for token in claim.tokens if not any(c.isdigit() for c in token))
    shared = [units.total(words & unit.tokens) for unit in units.items]
    most = max(shared, default=0.0)
    if not most or most < _WORTH_COMPARING * units.total(words):
        return []
    ranked = sorted(range(len(shared)), key=lambda i: -shared[i])
    return [i for i in ranked[:_MOST_COMPARED] if shared[i] >= _ALMOST * most]


def _compare(claim: Claim, units: Units, first: int, last: int) -> Difference | None:
    """None: not nearly the same words. `_AGREES`: no difference that matters."""
    window = units.items[first : last + 1]
    quote = settled("\n".join(unit.text for unit in window))
    said, source = (plain_words(_EXCEPTED.sub("除外", text)) for text in (settled(claim.text), quote))
    codes = SequenceMatcher(None, said, source, autojunk=False).get_opcodes()
    if sum(b - a for tag, a, b, _, _ in codes if tag == "equal") < NEARLY * max(1, len(said)):
        return None
    known = [*(fact for unit in window for fact in unit.facts), *article_of(units, first)]
    counts = tuple(fact for fact in find_facts(claim.text) if fact.kind is FactKind.COUNT)
    if fact := _other_fact((*claim.hard, *counts), known):
        return "fact", fact.text
    for mine, theirs in _changes(codes, said, source):
        if party := _other_party(mine, theirs):
            return "party", party
        denied = max(len(mine), len(theirs)) <= _A_TURN and _nos(mine) != _nos(theirs)
        opposite = _opposite(mine, theirs)
        if opposite and not denied:
            return "bound", opposite
        if denied and not opposite:
            return "turned", ""
    name = _other_name(claim, quote, tuple(_changes(codes, said, source)))
    if name:
        return "name", name
    thing = _other_thing(codes, said, source)
    return ("thing", thing) if thing else _AGREES


def _changes(
    codes: Sequence[tuple[str, int, int, int, int]], said: Sequence[str], source: Sequence[str]
) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """What was put in the place of what, between the first and the last words that both have."""
    equal = [i for i, code in enumerate(codes) if code[0] == "equal"]
    for tag, a, b, c, d in codes[equal[0] : equal[-1] + 1]:
        if tag != "equal":
            yield said[a:b], source[c:d]
    for tag, a, b, c, d in (*codes[: equal[0]], *codes[equal[-1] + 1 :]):
        if tag == "replace":  # at the ends; what only the source has there is not part of the claim
            length = min(b - a, d - c)
            yield (said[b - length : b], source[d - length : d]) if c == 0 else (said[a:b], source[c : c + b - a])


def _nos(words: Sequence[str]) -> int:
    chinese = sum(1 for word in words if word not in _NOT_NO and any(no in word for no in _NO))
    return chinese + sum(1 for word in words if word in _ENGLISH_NO or word.endswith("n't"))


def _other_party(mine: Sequence[str], theirs: Sequence[str]) -> str | None:
    for parties in _PARTIES:
        here, there = parties & set(mine), parties & set(theirs)
        if here and there and not here & there:
            return min(here)
    return None


def _opposite(mine: Sequence[str], theirs: Sequence[str]) -> str | None:
    """A word in the place of its opposite."""
    for one, other in _OPPOSITES:
        here, there = {one, other} & set(mine), {one, other} & set(theirs)
        if len(here) == len(there) == 1 and here != there:
            return min(here)
    return None


def _other_thing(
    codes: Sequence[tuple[str, int, int, int, int]], said: Sequence[str], source: Sequence[str]
) -> str | None:
    """A noun in the place of another where hardly anything else differs: a body, an object, a kind of document.

    Nouns with a character in common are ways to say the same; roles and words that stand for someone are left out,
    since the source may call the same one otherwise.
    """
    if sum(b - a for tag, a, b, _, _ in codes if tag == "equal") < _VERY_NEARLY * len(said):
        return None
    for tag, a, b, c, d in codes:
        mine, theirs = "".join(said[a:b]), "".join(source[c:d])
        words = {*said[a:b], *source[c:d]}
        if tag != "replace" or not _HAN_ONLY.fullmatch(mine + theirs) or set(mine) & set(theirs):
            continue
        if words & (_ROLES | _STANDS_FOR_ANOTHER) or words <= _SYNONYMS:
            continue
        if is_thing(mine) and is_thing(theirs):
            return mine
    return None


def _other_name(claim: Claim, quote: str, changes: Sequence[tuple[Sequence[str], Sequence[str]]]) -> str | None:
    """A name the source lacks where it has one that the claim lacks; or any word put in just such a name's place."""
    theirs = [name for name in find_names(quote) if name.lower() not in claim.text.lower()]
    if not theirs:
        return None
    for name in claim.names:
        if name not in quote:
            return name
    for mine, replaced in changes:
        new = [word for word in mine if len(word) > 1 and word not in quote and word not in _ROLES]
        if new and any(name.lower() == "".join(replaced) for name in theirs):
            return new[0]
    return None


def _other_fact(hard: Sequence[Fact], known: Sequence[Fact]) -> Fact | None:
    """A fact of the claim that the source lacks where the source has one of its kind that the claim lacks."""
    for fact in hard:
        if any(supports(one, fact) for one in known):
            continue
        unmatched = [one for one in known if not any(supports(one, other) for other in hard)]
        if any(one.kind is fact.kind for one in unmatched):
            return fact
    return None
