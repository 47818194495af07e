"""Where the articles of a statute or a contract begin: lines that open with 第…条 or Article 5."""

import re
from collections.abc import Iterator, Sequence

import msgspec

from aipc_app.text.articles import article_number

_NUMERAL = r"[一二三四五六七八九十百千零〇两\d０-９][一二三四五六七八九十百千零〇两\d０-９ \u3000]{0,14}"
_CHINESE = re.compile(
    rf"[ \t\u3000]*(?:\*\*)?(?P<label>第[ \u3000]?(?P<number>{_NUMERAL})条"
    r"(?:[ \u3000]?之[ \u3000]?(?P<sub>[一二三四五六七八九十\d]{1,3}))?)"
    r"(?P<rest>.{0,2})"
)
_ENGLISH = re.compile(
    r"[ \t]*(?:\*\*)?(?P<label>(?:Article|ARTICLE|Section|SECTION|Clause|CLAUSE)\s+"
    r"(?P<number>\d{1,4}(?:\.\d{1,3}){0,3}[A-Z]?))(?:[.:\s—-]|$)"
)
# What follows a number that is only cited, at the start of a line that was merely wrapped.
_CITED = re.compile(r"[的、，,；;。）)》”第款项至和或及与之所中以规约件]")
_ENDED = re.compile(r"[。；：！？;:.!?”」』》）)】]\s*$")
_SPACE = re.compile(r"[\s\u3000]+")
_FEWEST_ARTICLES = 3
_LONGEST_MEAN = 1500  # characters an article
_SHORT_PREAMBLE = 200
_LATEST_START = 0.4  # of the text may stand before the first article, else articles are only quoted


class ArticleMark(msgspec.Struct, frozen=True):
    """An article as it is written at the start of a line, without spaces, and its number."""

    label: str
    number: str


def article_mark(line: str) -> ArticleMark | None:
    """The article that a line opens, or seems to: `ArticleSequence` knows whether it is only cited."""
    match = _CHINESE.match(line)
    if match is None:
        return _english_mark(line)
    number = article_number(_SPACE.sub("", match["number"]), match["sub"])
    if number is None or (match["rest"] and _CITED.match(match["rest"])):
        return None
    return ArticleMark(_SPACE.sub("", match["label"]), number)


class ArticleSequence:
    """Tells articles that begin from articles that are cited where a line happens to start."""

    def __init__(self) -> None:
        self._last = 0

    def begins(self, line: str, *, after: str, after_blank: bool) -> ArticleMark | None:
        """The article that begins on this line, given the line before it; None if none does."""
        mark = article_mark(line)
        if mark is None:
            return None
        number = int(re.split(r"\D", mark.number)[0])
        expected = number in (self._last, self._last + 1)
        if not (expected or after_blank or not after or _ENDED.search(after)):
            return None
        self._last = number
        return mark


def is_statute(texts: Sequence[str]) -> bool:
    """Whether the pages are a statute, or a contract in articles: many article lines, from near the start on.

    A short one may have a long preamble, if its articles are 1, 2, 3 and so on to the end.
    """
    starts = list(_article_starts(texts))
    total = sum(map(len, texts))
    if len(starts) < _FEWEST_ARTICLES - 1:
        return False
    first, mean = starts[0][0], (total - starts[0][0]) / len(starts)
    if len(starts) >= _FEWEST_ARTICLES and first <= total * _LATEST_START:
        return mean <= _LONGEST_MEAN
    counted = [number for _, number in starts] == [str(count) for count in range(1, len(starts) + 1)]
    return (counted or first <= _SHORT_PREAMBLE) and mean <= _LONGEST_MEAN / 3


def _article_starts(texts: Sequence[str]) -> Iterator[tuple[int, str]]:
    sequence, offset = ArticleSequence(), 0
    for text in texts:
        at, before, blank = offset, "", True
        for line in text.split("\n"):
            mark = sequence.begins(line, after=before, after_blank=blank)
            if mark is not None:
                yield at, mark.number
            blank = not line.strip()
            before = before if blank else line
            at += len(line) + 1
        offset += len(text)


def _english_mark(line: str) -> ArticleMark | None:
    match = _ENGLISH.match(line)
    if match is None:
        return None
    return ArticleMark(_SPACE.sub(" ", match["label"]), match["number"])
