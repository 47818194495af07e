"""Who is party to a case or an agreement, as the first page names them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

_ROLES = (
    "反诉原告|反诉被告|原审原告|原审被告|再审申请人|被申请人|申请人|被上诉人|上诉人|原告|被告|第三人|公诉机关|被告人|"
    "甲方|乙方|丙方|丁方|出借人|借款人|贷款人|保证人|担保人|抵押人|抵押权人|出租人|承租人|出卖人|买受人|发包人|承包人|"
    "委托人|受托人|转让方|受让方|被询问人|申请执行人|被执行人|债权人|债务人"
)
_NAME = r"[\u4e00-\u9fffA-Za-z·（）()&. \-]{2,50}?"
_CHINESE = re.compile(
    rf"^[ \t\u3000]*(?:\*\*)?(?P<role>{_ROLES})(?:\*\*)?(?P<note>[（(][^（）()\n]{{1,30}}[)）])?"
    rf"(?:[：:][ \t\u3000]*|[ \t\u3000]+|(?=[\u4e00-\u9fff]{{2,4}}[，,]))(?P<name>{_NAME})"
    r"(?=[，,。；;\n\t]|$|[ \u3000]{2,}|（以下|\(以下)",
    re.MULTILINE,
)
_ENGLISH_LABELLED = re.compile(
    r"^[ \t]*(?P<role>Plaintiff|Defendant|Claimant|Respondent|Appellant|Appellee|Petitioner|Lender|Borrower|Guarantor|"
    r"Landlord|Tenant|Seller|Buyer|Licensor|Licensee)s?[ \t]*:[ \t]*(?P<name>[^\n,;(]{2,80})",
    re.MULTILINE | re.IGNORECASE,
)
_DEFINED = re.compile(
    r"(?P<name>[A-Z][\w&.'’\- ]{1,70}?)(?:,[^(“\"\n]{0,160})?[ ]?\([ ]?(?:hereinafter )?(?:referred to as )?"
    r"(?:the )?[“\"](?P<role>[A-Z][A-Za-z ]{2,24})[”\"]"
)
_NOT_A_ROLE = re.compile(
    r"agreement|date|part(?:y|ies)\b|confidential|purpose|information|program|act\b|effective|business|territory",
    re.IGNORECASE,
)
_VERSUS = re.compile(
    r"^[ \t]*(?P<one>[A-Z][^\n,;]{1,60}?) vs?\.? (?P<other>[A-Z][^\n,;]{1,60}?)[ \t]*$", re.MULTILINE
)
_LEADING = re.compile(r"^(?:by and between|between|and|among)\s+", re.IGNORECASE)
_NO_NAME = re.compile(r"[诉辩述]称|请求|应当|认为|[_＿]{2}|^[的之与和及]|住所|地址|代表人")


class Party(Struct, frozen=True):
    """A role and a name as written; `start` and `end` are the name's place."""

    role: str
    name: str
    start: int
    end: int


def parties_in(text: str) -> Iterator[Party]:
    """The parties that a first page names, in order of place within each way of naming them."""
    for match in _CHINESE.finditer(text):
        name = match["name"].strip()
        if name and not _NO_NAME.search(name):
            start = match.start("name")
            yield Party(match["role"], name, start, start + len(match["name"].rstrip()))
    for match in _ENGLISH_LABELLED.finditer(text):
        yield Party(match["role"].capitalize(), match["name"].strip(), *_span(match, "name"))
    for match in _DEFINED.finditer(text):
        if not _NOT_A_ROLE.search(match["role"]):
            lead = _LEADING.match(match["name"])
            start = match.start("name") + (lead.end() if lead else 0)
            yield Party(match["role"], text[start : match.end("name")].strip(), start, match.end("name"))
    for match in _VERSUS.finditer(text[:1_500]):
        yield Party("Plaintiff", match["one"].strip(), *_span(match, "one"))
        yield Party("Defendant", match["other"].strip(), *_span(match, "other"))


def _span(match: re.Match[str], group: str) -> tuple[int, int]:
    return match.start(group), match.start(group) + len(match[group].rstrip())
