"""Numbers of articles, clauses, paragraphs and other counted places: 第六百八十条第二款, Article 680, 第三章."""

import re
from collections.abc import Iterator

from aipc_app.text.numbers import ZH_NUMERAL, parse_number
from aipc_app.text.values import ArticleNumber, FactKind, Found, Quantity

NUMERAL = rf"(?:\d{{1,5}}(?:\.\d{{1,3}}){{0,4}}|[{ZH_NUMERAL}]{{1,12}})"
_SUB = rf"(?:\s?之\s?(?P<sub>[{ZH_NUMERAL}]{{1,3}}|\d{{1,3}})(?![{ZH_NUMERAL}\d]*分))?"
_PARAGRAPH = rf"(?:\s?第\s?(?P<paragraph>{NUMERAL})\s?款)?"
_ITEM = rf"(?:\s?第\s?[(]?(?P<item>{NUMERAL})[)]?\s?项)?"
_ARTICLE = re.compile(
    rf"第\s?(?P<article>{NUMERAL})(?P<more>(?:\s?[、,，和及至到-]\s?(?:第\s?)?{NUMERAL}){{0,12}})\s?条(?!约|件|款)"
    rf"{_SUB}{_PARAGRAPH}{_ITEM}"
)
_PARAGRAPH_ALONE = re.compile(rf"第\s?(?P<paragraph>{NUMERAL})\s?款{_ITEM}")
_ITEM_ALONE = re.compile(rf"第\s?[(]?(?P<item>{NUMERAL})[)]?\s?项(?!目)")
_MORE = re.compile(NUMERAL)
_ENGLISH = re.compile(
    r"(?:\b(?:articles?|arts?\.|clauses?|sections?|secs?\.|paragraphs?|paras?\.)|§{1,2})\s?"
    r"(?P<article>\d{1,4}(?:\.\d{1,3}){0,4}(?:[A-Z](?![a-z]))?)(?P<groups>(?:\s?\([0-9a-z]{1,4}\)){0,3})"
    r"(?P<more>(?:(?:,|,?\s(?:and|or|to))\s\d{1,4}(?:\.\d{1,3}){0,4}(?![\d%.]*\d|\s?%)(?:[A-Z](?![a-z]))?){0,12})",
    re.IGNORECASE,
)
_ENGLISH_MORE = re.compile(r"\d{1,4}(?:\.\d{1,3}){0,4}(?:[A-Za-z](?![a-z]))?")
_PLACE = "编章节部分页次期届号批审级层栋幢单元年季轮组类种点卷册届位名"
_ORDINAL = re.compile(rf"第\s?(?P<number>{NUMERAL})\s?(?P<unit>[{_PLACE}])")
_ENGLISH_PLACES = {"chapter": "章", "part": "编", "page": "页", "pages": "页", "p.": "页", "pp.": "页"}
_ENGLISH_ORDINAL = re.compile(r"\b(?P<unit>chapter|part|pages?|pp?\.)\s?(?P<number>\d{1,4})(?![\d.]*\d)", re.IGNORECASE)


def find_articles(text: str) -> Iterator[Found]:
    """Article and clause numbers in folded text; 第六百八十条、第六百八十一条 and 第680、681条 are two each."""
    for match in _ARTICLE.finditer(text):
        yield from _chinese(match)
    for match in _ENGLISH.finditer(text):
        article = match["article"].upper() + match["groups"].replace(" ", "").lower()
        yield Found(FactKind.ARTICLE, ArticleNumber(article), match.start(), match.end("groups"))
        for more in _ENGLISH_MORE.finditer(match["more"]):
            start = match.start("more") + more.start()
            yield Found(FactKind.ARTICLE, ArticleNumber(more[0].upper()), start, start + len(more[0]))


def find_paragraphs(text: str) -> Iterator[Found]:
    """第二款 and 第三项 that stand without their article."""
    for pattern in (_PARAGRAPH_ALONE, _ITEM_ALONE):
        for match in pattern.finditer(text):
            groups = match.groupdict()
            value = ArticleNumber("", _whole(groups.get("paragraph")), _whole(groups.get("item")))
            yield Found(FactKind.ARTICLE, value, *match.span())


def find_ordinals(text: str) -> Iterator[Found]:
    """第三章, 第2页, page 2: the place counted, with what is counted as the unit."""
    for match in _ORDINAL.finditer(text):
        yield from _ordinal(match, match["unit"])
    for match in _ENGLISH_ORDINAL.finditer(text):
        yield from _ordinal(match, _ENGLISH_PLACES[match["unit"].lower()])


def article_number(numeral: str, sub: str | None = None) -> str | None:
    """The number in Arabic digits, 120-1 for 第一百二十条之一; None if the numeral is malformed."""
    main = numeral if re.fullmatch(r"[\d.]+", numeral) else _plain(numeral)
    if main is None or not sub:
        return main
    second = _plain(sub)
    return None if second is None else f"{main}-{second}"


def article_within(claim: ArticleNumber, source: ArticleNumber) -> bool:
    """Whether the source names the article, and the paragraph and item too where the claim names them."""
    if claim.article and not _same_or_under(claim.article, source.article):
        return False
    pairs = ((claim.paragraph, source.paragraph), (claim.item, source.item))
    return all(said is None or said == known for said, known in pairs)


def _same_or_under(claimed: str, known: str) -> bool:
    return known == claimed or (known.startswith(claimed) and known[len(claimed)] == "(")


def _chinese(match: re.Match[str]) -> Iterator[Found]:
    numerals = [(match["article"], match.start("article"), match.end("article"))]
    offset = match.start("more")
    numerals += [(more[0], offset + more.start(), offset + more.end()) for more in _MORE.finditer(match["more"])]
    for index, (numeral, start, end) in enumerate(numerals):
        last = index == len(numerals) - 1
        article = article_number(numeral, match["sub"] if last else None)
        if article is None:
            continue
        paragraph, item = (_whole(match["paragraph"]), _whole(match["item"])) if last else (None, None)
        begin = match.start() if index == 0 else start
        yield Found(FactKind.ARTICLE, ArticleNumber(article, paragraph, item), begin, match.end() if last else end)


def _ordinal(match: re.Match[str], unit: str) -> Iterator[Found]:
    value = parse_number(match["number"])
    if value is not None:
        yield Found(FactKind.ORDINAL, Quantity(value, unit), *match.span())


def _plain(numeral: str) -> str | None:
    value = parse_number(numeral)
    return None if value is None else str(int(value))


def _whole(numeral: str | None) -> int | None:
    value = parse_number(numeral) if numeral else None
    return None if value is None else int(value)
