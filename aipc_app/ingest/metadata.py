"""What a document is: kind, title, case number, parties, dates, recognised by rules, each with its place.

Rules look at the first page, where documents say what they are, and at the end, where they are signed. What they
don't find stays empty: a wrong field is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from aipc_app.domain.documents import Page
from aipc_app.domain.fields import DocumentField, DocumentKind, FieldName
from aipc_app.ingest.metadata_kinds import kind_of
from aipc_app.ingest.metadata_parties import parties_in
from aipc_app.ingest.passages import READABLE
from aipc_app.text.facts import find_facts
from aipc_app.text.values import DateValue, Fact, FactKind

_HEAD_CHARS, _TAIL_CHARS = 4_000, 1_500
_MOST_DATES, _MOST_PARTIES = 3, 12
_LONE_DATE = re.compile(
    r"^[ \t\u3000]*(?:(?:签订|签署|出具|立案|落款|裁判|判决)?(?:日期|时间|日)[：:\s]*|dated?[:\s]+"
    r"|date of [a-z ]{1,20}[:\s]+)?"
    r"(?P<date>[^\n，,。；;]{6,40}?)[ \t\u3000]*$",
    re.MULTILINE | re.IGNORECASE,
)
_EFFECTIVE = (
    re.compile(r"自\s*(?P<date>[^，。；\n]{6,24}?)\s*(?:起|开始)(?:施行|实施|生效|执行)"),
    re.compile(r"(?P<date>[^，。；\n]{6,24}?)\s*(?:起施行|起实施|生效)"),
    re.compile(r"(?:施行日期|实施日期|生效日期|生效日)\s*[：:]\s*(?P<date>[^，。；\n]{6,24})"),
    re.compile(
        r"(?:comes?|came|enters?|shall come) into (?:force|operation|effect) on (?:the )?(?P<date>[^.;\n]{6,40})",
        re.IGNORECASE,
    ),
    re.compile(r"effective (?:as of|date:?|from) (?:the )?(?P<date>[^.;\n(]{6,40})", re.IGNORECASE),
    re.compile(r"(?P<date>[^.;\n]{6,60}?)\s*\(\s*(?:the\s+)?[“\"]Effective Date[”\"]", re.IGNORECASE),
)
_SPACES = re.compile(r"[\s\u3000]+")
_BETWEEN_HAN = re.compile(r"(?<=[\u4e00-\u9fff])[\s\u3000]+(?=[\u4e00-\u9fff])")


def recognise(name: str, pages: Sequence[Page]) -> tuple[DocumentField, ...]:
    """The fields of a document with this name and these pages, KIND always among them."""
    readable = [page for page in pages if page.state in READABLE and page.text.strip()]
    found = kind_of(name, [page.text for page in readable])
    fields = [_field(FieldName.KIND, found.kind.value, readable, found.page, found.start, found.end)]
    if found.title is not None:
        page, start, end = found.title
        fields.append(_field(FieldName.TITLE, _tidy(readable[page].text[start:end]), readable, page, start, end))
    elif not readable:
        return (*fields, DocumentField(name=FieldName.TITLE, value=PurePosixPath(name).stem))
    if readable:
        fields += _case_number(readable, found.kind)
        fields += _parties(readable, found.kind)
        fields += _dates(readable, found.kind)
        fields += _effective_date(readable)
    return tuple(fields)


def _field(
    name: FieldName, value: str, pages: Sequence[Page], page: int | None, start: int = 0, end: int = 0
) -> DocumentField:
    """`page` is an index into the readable pages."""
    if page is None:
        return DocumentField(name=name, value=value)
    return DocumentField(name=name, value=value, page=pages[page].number, start=start, end=end)


def _case_number(pages: Sequence[Page], kind: DocumentKind) -> Iterator[DocumentField]:
    """The first one near the beginning; where a document only cites cases it stands far down."""
    head = pages[0].text[: 800 if kind is not DocumentKind.JUDGMENT else _HEAD_CHARS]
    for fact in find_facts(head):
        if fact.kind is FactKind.CASE_NUMBER:
            value = _SPACES.sub("", head[fact.start : fact.end])
            yield _field(FieldName.CASE_NUMBER, value, pages, 0, fact.start, fact.end)
            return


def _parties(pages: Sequence[Page], kind: DocumentKind) -> Iterator[DocumentField]:
    if kind in (DocumentKind.STATUTE, DocumentKind.PAPER):
        return
    seen: set[str] = set()
    for party in parties_in(pages[0].text[:_HEAD_CHARS]):
        value = f"{party.role}：{_tidy(party.name)}" if not party.role.isascii() else f"{party.role}: {party.name}"
        if value not in seen and len(seen) < _MOST_PARTIES:
            seen.add(value)
            yield _field(FieldName.PARTY, value, pages, 0, party.start, party.end)


def _dates(pages: Sequence[Page], kind: DocumentKind) -> Iterator[DocumentField]:
    """Whole dates that stand alone on a line: the day of a letter, a judgment, a signature."""
    if kind is DocumentKind.STATUTE:
        return
    seen: set[str] = set()
    last = len(pages) - 1
    tail = max(0, len(pages[last].text) - _TAIL_CHARS)
    places = [(0, 0, _HEAD_CHARS)] + ([(last, tail, len(pages[last].text))] if last or tail else [])
    for page, start, end in places:
        text = pages[page].text
        for match in _LONE_DATE.finditer(text, start, min(end, len(text))):
            fact = _whole_date(match["date"])
            if fact is None or len(fact.text) < 0.6 * len(match["date"].strip()):
                continue
            value = iso_date(fact)
            if value not in seen and len(seen) < _MOST_DATES:
                seen.add(value)
                at = match.start("date")
                yield _field(FieldName.DATE, value, pages, page, at + fact.start, at + fact.end)


def _effective_date(pages: Sequence[Page]) -> Iterator[DocumentField]:
    """Said at the top of a statute, in its last article, or in an agreement's first lines."""
    last = len(pages) - 1
    looked = {0: (0, _HEAD_CHARS)} | {last: (max(0, len(pages[last].text) - 2 * _TAIL_CHARS), len(pages[last].text))}
    looked = {0: (0, len(pages[0].text))} if last == 0 and len(pages[0].text) < 60_000 else looked
    for page, (start, end) in looked.items():
        text = pages[page].text
        for pattern in _EFFECTIVE:
            for match in pattern.finditer(text, start, min(end, len(text))):
                fact = _whole_date(match["date"])
                if fact is not None:
                    at = match.start("date")
                    yield _field(
                        FieldName.EFFECTIVE_DATE, iso_date(fact), pages, page, at + fact.start, at + fact.end
                    )
                    return


def _whole_date(text: str) -> Fact | None:
    """The last whole date in a short text."""
    whole = [fact for fact in find_facts(text) if iso_date(fact)]
    return whole[-1] if whole else None


def iso_date(fact: Fact) -> str:
    """YYYY-MM-DD of a whole date; "" of anything else."""
    date = fact.value
    if not isinstance(date, DateValue) or not (date.year and date.month and date.day):
        return ""
    return f"{date.year:04}-{date.month:02}-{date.day:02}"


def _tidy(text: str) -> str:
    """On one line, without the marks of Markdown and the spaces between Chinese characters."""
    return _BETWEEN_HAN.sub("", _SPACES.sub(" ", text.replace("**", "").strip().lstrip("# ")).strip())
