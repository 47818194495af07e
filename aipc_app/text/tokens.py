"""Tokens for keyword search, alike for both Chinese scripts, English, and every way to write a figure.

Each token is of letters and digits only, so that any full-text tokeniser keeps it whole: 五十万元 and
500,000 both give 500000, 15.4% gives 15d4, 第六百八十条 gives 第680条, 2021-03-05 gives 2021年3月5日 and its parts.
"""

import logging
import re
import threading
from collections.abc import Iterator
from decimal import Decimal
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from aipc_app.text.facts import find_in_folded
from aipc_app.text.normalise import settled
from aipc_app.text.stopwords import CHINESE_STOP_WORDS, ENGLISH_STOP_WORDS
from aipc_app.text.values import ArticleNumber, DateValue, FactKind, Found, Quantity

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002fa1f"
_RUN = re.compile(rf"(?P<han>[{_HAN}]+)|(?P<word>[^\W_{_HAN}]+(?:'[^\W\d_]{{1,2}}(?![^\W_]))?)")
_NOT_ALPHANUMERIC = re.compile(r"[\W_]+")
_LONGEST_TOKEN = 64
# jieba's tables grow with the square of a run without punctuation only in memory, but its search stays
# linear; a bound keeps one monstrous page from holding gigabytes.
_LONGEST_RUN = 5000
_lock = threading.Lock()
_cache_dir: Path | None = None


def configure(cache_dir: Path) -> None:
    """Name the folder for jieba's dictionary cache; to be called before the first use, creates nothing."""
    global _cache_dir
    _cache_dir = cache_dir


def warm_up() -> None:
    """Load the dictionary now (about a second, then 0.3 s from its cache), so that no search waits for it."""
    search_tokens("借款合同 contracts")


def search_tokens(text: str) -> list[str]:
    """Tokens of a passage for the keyword index, in text order. Any thread may call this."""
    folded = settled(text)
    tokens: list[str] = []
    at = 0
    for found in find_in_folded(folded):
        if found.kind is FactKind.TITLE:
            continue
        tokens += _words(folded[at : found.start])
        tokens += _fact_tokens(found)
        at = found.end
    tokens += _words(folded[at:])
    return tokens


def plain_words(text: str) -> list[str]:
    """The words of a text in order, folded and lower case, figures and all; for comparing two texts word by word."""
    words = (segmenter().cut(run[0]) for run in re.finditer(r"[^\W_]+", settled(text).lower()))
    return [word for run in words for word in run]


def query_tokens(text: str) -> list[str]:
    """Tokens of a question, each once, without stop words; with them if nothing else would be left."""
    tokens = list(dict.fromkeys(search_tokens(text)))
    kept = [token for token in tokens if token not in CHINESE_STOP_WORDS and token not in _english_stop_tokens()]
    return kept or tokens


def _words(text: str) -> Iterator[str]:
    for match in _RUN.finditer(text.lower()):
        if match.lastgroup == "han":
            for start in range(0, len(match[0]), _LONGEST_RUN):
                yield from _chinese(match[0][start : start + _LONGEST_RUN])
        else:
            yield _english(match[0][:_LONGEST_TOKEN])


def _chinese(run: str) -> Iterator[str]:
    """jieba's search tokens; what its dictionary doesn't know (names above all) also as pairs of characters.

    It may cut an unknown name differently in a question and in a document, or with a character of its
    neighbour's; the pairs meet all the same.
    """
    jieba_words = segmenter()
    known = jieba_words.FREQ
    unknown_end = ""  # the last character before, if it belongs to no word of the dictionary
    for word in jieba_words.cut("".join(filter(str.isalnum, run))):
        unknown = len(word) == 1 or not known.get(word)
        if unknown and unknown_end:
            yield unknown_end + word[0]
        yield from _parts(word, known, unknown=unknown)
        yield word
        unknown_end = word[-1] if unknown else ""


def _parts(word: str, known: dict[str, int], *, unknown: bool) -> Iterator[str]:
    """The words of the dictionary inside a longer one, and every pair of an unknown one."""
    for size in (2, 3):
        for start in range(len(word) - size + 1 if len(word) > size else 0):
            part = word[start : start + size]
            if known.get(part) or (unknown and size == 2):
                yield part


@lru_cache(maxsize=50_000)
def _english(word: str) -> str:
    bare = word.split("'")[0]
    if not bare.isascii() or not bare.isalpha():
        return bare
    with _lock:  # the stemmer keeps the word it works on in itself
        return str(_stemmer().stemWord(bare))


def _fact_tokens(found: Found) -> list[str]:
    match found.value:
        case Quantity() as quantity:
            return [_quantity_token(found.kind, quantity)]
        case DateValue() as date:
            return _date_tokens(date)
        case ArticleNumber() as article:
            return _article_tokens(article)
        case str() as text:
            bare = _NOT_ALPHANUMERIC.sub("", text.rpartition("*")[2].lower())
            return [bare] if bare else []


def _quantity_token(kind: FactKind, quantity: Quantity) -> str:
    figure = _figure(quantity.amount)
    if kind is FactKind.DURATION:
        return figure + quantity.unit.replace(" ", "")
    return f"第{figure}{quantity.unit}" if kind is FactKind.ORDINAL else figure


def _figure(amount: Decimal) -> str:
    plain = f"{abs(amount):f}"
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    return plain.replace(".", "d")


def _date_tokens(date: DateValue) -> list[str]:
    year = f"{date.year}年" if date.year else ""
    month = f"{date.month}月" if date.month else ""
    day = f"{date.day}日" if date.day else ""
    forms = (year + month + day, year + month, year, month + day)
    return [form for form in dict.fromkeys(forms) if form and form != day]


def _article_tokens(article: ArticleNumber) -> list[str]:
    number = article.article.lower().replace(".", "d").replace("-", "之")
    whole = _NOT_ALPHANUMERIC.sub("", number)
    forms = [f"第{whole}条" if whole else "", f"第{number.partition('(')[0]}条" if "(" in number else ""]
    forms += [f"第{article.paragraph}款" if article.paragraph else "", f"第{article.item}项" if article.item else ""]
    return [form for form in forms if form]


@cache
def segmenter() -> Any:
    """jieba's segmenter, loaded once; its cache file goes to the configured folder, its talk nowhere."""
    with _lock:
        import jieba

        jieba.setLogLevel(logging.CRITICAL)
        loaded = jieba.Tokenizer()
        if _cache_dir is not None:
            loaded.tmp_dir = str(_cache_dir)
        loaded.initialize()
    return loaded


@cache
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")


@cache
def _english_stop_tokens() -> frozenset[str]:
    return frozenset(map(_english, ENGLISH_STOP_WORDS)) | ENGLISH_STOP_WORDS
