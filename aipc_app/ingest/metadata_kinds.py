"""What kind of document it is, told by its title, by what such documents always have, or by the file's name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from aipc_app.domain.fields import DocumentKind
from aipc_app.ingest.headings import title_of
from aipc_app.ingest.statutes import is_statute
from aipc_app.text.layout import display_width

_HEAD_LINES = 14
_LONGEST_TITLE = 90  # columns
_K = DocumentKind
# In titles, spaces may stand between the characters; the first that matches a line wins.
_TITLES: tuple[tuple[DocumentKind, re.Pattern[str]], ...] = (
    (
        _K.EVIDENCE_LIST,
        re.compile(r"证据(?:材料)?(?:目录|清单|一览表)|(?:exhibit|evidence) (?:list|index)|list of exhibits"),
    ),
    (_K.TRANSCRIPT, re.compile(r"笔录|庭审记录|\btranscript\b|\bminutes of\b")),
    (
        _K.JUDGMENT,
        re.compile(r"(?:判决|裁定|裁决|调解|决定)书$|^(?:final )?(?:judgment|judgement|order|arbitral award)\b"),
    ),
    (_K.ANSWER, re.compile(r"答辩(?:状|书|意见)|^answer\b|statement of defen[cs]e")),
    (
        _K.COMPLAINT,
        re.compile(r"(?:起诉|反诉|上诉|申诉)[状书]$|(?:仲裁|再审|执行|支付令)申请书|^complaint\b|statement of claim"),
    ),
    (
        _K.STATEMENT,
        re.compile(
            r"证人证言|情况说明|陈述书|声明书?$|证明书?$|对账单|交易明细|银行流水"
            r"|affidavit|witness statement|bank statement"
        ),
    ),
    (
        _K.CONTRACT,
        re.compile(
            r"(?:合同|协议|协议书|契约|承诺书|担保函|保函|借条|借据|欠条)(?:[（(].{1,20}[)）])?$"
            r"|\b(?:agreement|contract|deed)\b"
        ),
    ),
    (
        _K.STATUTE,
        re.compile(
            r"(?:法|法典|条例|规定|办法|解释|规则|细则|暂行规定|若干问题的(?:意见|规定|解释))(?:[（(].{1,24}[)）])?$"
            r"|\bact\b[\s,]*\d{0,4}$|\b(?:regulations|statute|code)\b"
        ),
    ),
)
_MAIL = re.compile(r"^(?:from|to|subject|date|发件人|收件人|主题)\s*[：:]", re.IGNORECASE | re.MULTILINE)
_ABSTRACT = re.compile(r"^[ \t]*#*[ \t]*(?:abstract|摘\s*要|\[摘要\]|【摘要】)\s*[：:]?", re.IGNORECASE | re.MULTILINE)
_REFERENCES = re.compile(
    r"^[ \t]*#*[ \t]*(?:\d+\.?[ \t]*)?(?:references|bibliography|参\s?考\s?文\s?献)", re.IGNORECASE | re.MULTILINE
)
_VERDICT = re.compile(r"(?:判决|裁定)如下")
_SPACES = re.compile(r"[\s\u3000]+")
_FRONT_MATTER = re.compile(r"\A---\n.{0,4000}?\n---\n", re.DOTALL)
_COURT = re.compile(r"法院$|仲裁委员会$|检察院$")


class FoundKind(Struct, frozen=True):
    """`page` is an index into the pages; None where the name or the whole tells the kind. `title` is a place too."""

    kind: DocumentKind
    page: int | None = None
    start: int = 0
    end: int = 0
    title: tuple[int, int, int] | None = None


def kind_of(name: str, texts: Sequence[str]) -> FoundKind:
    """The kind of a document with this file name and the texts of its readable pages."""
    if not texts:
        return FoundKind(_by_name(name))
    lines = list(_first_lines(texts[0]))
    title = _title(lines)
    if name.lower().endswith((".eml", ".msg")) or len(_MAIL.findall(texts[0][:600])) >= 3:
        return FoundKind(DocumentKind.MAIL, title=title)
    for kind, start, end in _titled(lines):
        if kind is not DocumentKind.STATUTE or is_statute(texts):
            return FoundKind(kind, 0, start, end, _with_court(lines, start, end) or (0, start, end))
    return FoundKind(_by_content(texts) or _by_name(name), title=title)


def _by_content(texts: Sequence[str]) -> DocumentKind | None:
    ends = "\n".join((texts[-2] if len(texts) > 1 else "", texts[-1]))
    if "本院认为" in "".join(texts[:40]) and any(_VERDICT.search(text) for text in texts):
        return DocumentKind.JUDGMENT
    if _ABSTRACT.search(texts[0][:6_000]) and (_REFERENCES.search(ends) or any(map(_REFERENCES.search, texts[2:]))):
        return DocumentKind.PAPER
    return None


def _by_name(name: str) -> DocumentKind:
    stem = _SPACES.sub(" ", name.rsplit("/", 1)[-1].rsplit(".", 1)[0]).casefold().strip()
    for kind, pattern in _TITLES:
        if kind is not DocumentKind.STATUTE and pattern.search(stem):
            return kind
    return DocumentKind.OTHER


def _titled(lines: Sequence[tuple[int, int, str]]) -> Iterator[tuple[DocumentKind, int, int]]:
    for start, end, line in lines:
        bare = _bare(line)
        if not bare or display_width(bare) > _LONGEST_TITLE or bare.endswith(("。", "；", "，", ";", ",")):
            continue
        for kind, pattern in _TITLES:
            if pattern.search(bare):
                yield kind, start, end
                break


def _title(lines: Sequence[tuple[int, int, str]]) -> tuple[int, int, int] | None:
    """The first line, where it looks like a title."""
    if not lines:
        return None
    start, end, line = lines[0]
    return (0, start, end) if title_of(line.lstrip("# ")) is not None else None


def _with_court(lines: Sequence[tuple[int, int, str]], start: int, end: int) -> tuple[int, int, int] | None:
    """某法院 and 民事判决书 on the next line are one title."""
    for (first, _, line), (second, _, _) in pairwise(lines):
        if second == start and _COURT.search(_bare(line)):
            return 0, first, end
    return None


def _first_lines(text: str) -> Iterator[tuple[int, int, str]]:
    front = _FRONT_MATTER.match(text)
    at, count = front.end() if front else 0, 0
    for line in text[at : at + 20_000].split("\n"):
        if line.strip():
            count += 1
            lead = len(line) - len(line.lstrip(" \t\u3000#"))
            yield at + lead, at + len(line.rstrip()), line
            if count >= _HEAD_LINES:
                return
        at += len(line) + 1


def _bare(line: str) -> str:
    """A line as titles are compared: Chinese without spaces, Latin in small letters, without Markdown's marks."""
    text = line.replace("**", "").strip().strip("#*_ 　")
    if any("\u4e00" <= character <= "\u9fff" for character in text):
        text = _SPACES.sub("", text)
    return _SPACES.sub(" ", text).casefold()
