"""Does the text layer say what the page shows? A few lines of each font are read from their picture and compared."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from enum import Enum

import numpy as np
import pypdfium2 as pdfium

from aipc_app.reader.convert.pdf_ocr import Area, draw
from aipc_app.reader.convert.pdf_text import PdfText
from aipc_app.reader.ocr.models import networks
from aipc_app.reader.ocr.reading import Reading, read_line

SAMPLES = 3  # lines of a font on a page
_TRUSTED_AFTER = 2  # lines that said the same
_LEAST_LINE, _MOST_LINE = 6, 24  # characters compared
_SURE = 0.85  # recognition below this decides nothing
_OTHER, _SAME = 0.4, 0.65  # likeness of the two texts
_PLAINLY, _LONG = 0.9, 16  # likeness of a line of so many characters that no second line is needed for
_OF_A_SCAN = 0.75  # another program's recognition with every fourth character wrong is noise
_PIXELS_PER_POINT = 3.0
_COMMON_ENGLISH = re.compile(
    r"\b(?:the|of|and|to|in|a|is|that|for|it|as|was|with|be|by|on|not|he|his|but|at|are|this|have|from|or|had|an|they"
    r"|which|one|you|were|all|her|she|there|would|their|we|him|been|has|when|who|will|no|more|if|out|so)\b"
)
_IDEOGRAPH = re.compile("[\u2e80-\u9fff\uf900-\ufaff]")
_WORD, _VOWEL, _HARD = re.compile("[a-z]{3,}"), re.compile("[aeiouy]"), re.compile("[^aeiouy]{5}")


class Verdict(Enum):
    SAME = "same"
    PLAINLY = "plainly the same"
    OTHER = "other"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class _Place:
    """A line of the page's text."""

    font: str
    start: int
    length: int


@dataclass(frozen=True)
class _Sample:
    """Part of a line: what the layer says, and where."""

    said: str
    area: Area


@dataclass
class FontTrust:
    """What was found out about the fonts of one document; asked page by page."""

    _good: Counter[str] = field(default_factory=Counter)
    _bad: set[str] = field(default_factory=set)
    _tried: Counter[str] = field(default_factory=Counter)  # pages; lines that decide nothing aren't read for ever

    def wrong_share(self, page: pdfium.PdfPage, read: PdfText) -> float:
        """The share of the page's characters that stand in fonts whose text is wrong, from 0 to 1."""
        lengths: Counter[str] = Counter()
        unknown: dict[str, list[_Place]] = {}
        for place in _lines(read):
            lengths[place.font] += place.length
            if place.font not in self._bad and self._good[place.font] < _TRUSTED_AFTER > self._tried[place.font]:
                unknown.setdefault(place.font, []).append(place)
        for font, places in unknown.items():
            longest = sorted(places, key=lambda place: -place.length)[: 2 * SAMPLES]
            self._tried[font] += 1
            self._try(page, font, list(_samples(read, longest)))
        wrong = sum(lengths[font] for font in self._bad)
        return wrong / max(1, lengths.total())

    def _try(self, page: pdfium.PdfPage, font: str, lines: list[_Sample]) -> None:
        """Words that can be spoken need no picture; pictures are read until two lines say the same."""
        latin = not any(_IDEOGRAPH.search(line.said) for line in lines)  # else letters vouch for nothing
        said = [line for line in lines if not (latin and _is_plain_english(line.said))]
        verdicts = Counter({Verdict.SAME: len(lines) - len(said)})
        for line in said[:SAMPLES]:
            if self._good[font] + _vouched(verdicts) >= _TRUSTED_AFTER:
                break
            verdicts[compare(line.said, _recognised(page, line.area))] += 1
        self._good[font] += _vouched(verdicts)
        if verdicts[Verdict.OTHER] and not self._good[font]:
            self._bad.add(font)


def scan_layer_is_noise(page: pdfium.PdfPage, read: PdfText) -> bool:
    """A scan that another program recognised before: whether its text is mostly not what the picture says."""
    lines = list(_samples(read, list(_lines(read))))
    likeness = []
    for line in lines[:: max(1, len(lines) // SAMPLES)][:SAMPLES]:
        seen = _recognised(page, line.area)
        if seen.confidence >= _SURE and len(_plain(seen.text)) >= _LEAST_LINE:
            likeness.append(alike(line.said, seen.text))
        if len(likeness) > 1 and min(likeness) >= _PLAINLY:
            return False
    return bool(likeness) and sum(likeness) / len(likeness) < _OF_A_SCAN


def compare(said: str, seen: Reading) -> Verdict:
    """What the layer says beside what the picture shows."""
    if seen.confidence < _SURE or len(_plain(seen.text)) < _LEAST_LINE - 2:
        return Verdict.UNDECIDED
    likeness = alike(said, seen.text)
    if likeness >= _SAME:
        return Verdict.PLAINLY if likeness >= _PLAINLY and len(_plain(said)) >= _LONG else Verdict.SAME
    return Verdict.OTHER if likeness < _OTHER else Verdict.UNDECIDED


def _vouched(verdicts: Counter[Verdict]) -> int:
    """Lines that said the same; one plainly so is as good as all that are asked for."""
    return verdicts[Verdict.SAME] + _TRUSTED_AFTER * verdicts[Verdict.PLAINLY]


def alike(one: str, other: str) -> float:
    """From 0 to 1, spaces and punctuation left out."""
    return SequenceMatcher(None, _plain(one), _plain(other), autojunk=False).ratio()


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).lower()
    return "".join(char for char in folded if unicodedata.category(char)[0] in "LNC" and char not in "\n\t")


def _is_plain_english(text: str) -> bool:
    """The commonest words, or words that can all be spoken: such a font needs no picture."""
    if not text.isascii():
        return False
    if len(text.split()) >= 4 and len(_COMMON_ENGLISH.findall(text.lower())) >= 2:
        return True
    words = _WORD.findall(text.lower())
    spoken = sum(bool(_VOWEL.search(word)) and not _HARD.search(word) for word in words)
    return len(words) >= 3 and spoken >= 0.9 * len(words)


def _lines(read: PdfText) -> Iterator[_Place]:
    """Lines that are long enough to tell."""
    start = 0
    for line, font in zip(read.text.split("\n"), read.line_fonts, strict=True):
        if len(line) >= _LEAST_LINE:
            yield _Place(font, start, len(line))
        start += len(line) + 1


def _samples(read: PdfText, places: list[_Place]) -> Iterator[_Sample]:
    """The beginning of those of these lines that run across the page and are words or numbers."""
    boxes = np.frombuffer(read.boxes, dtype="<f4").reshape(-1, 4)
    for place in places:
        length = _MOST_LINE if place.length - _MOST_LINE > _LEAST_LINE else min(place.length, 2 * _MOST_LINE)
        part = read.text[place.start : place.start + length]
        placed = boxes[place.start : place.start + length]
        placed = placed[~np.isnan(placed[:, 0])]
        if len(_plain(part)) < _LEAST_LINE or not len(placed):
            continue
        (x0, y0), (x1, y1) = placed[:, :2].min(axis=0).tolist(), placed[:, 2:].max(axis=0).tolist()
        usual = float(np.median(placed[:, 3] - placed[:, 1]))
        if x1 - x0 > 2 * (y1 - y0) and y1 - y0 < 1.7 * usual:
            yield _Sample(part, Area(x0, y0, x1, y1))


def _recognised(page: pdfium.PdfPage, area: Area) -> Reading:
    width, height = page.get_size()
    margin = 0.08 * (area.y1 - area.y0)
    shown = Area(
        max(0.0, area.x0 - margin), max(0.0, area.y0 - margin),
        min(width, area.x1 + margin), min(height, area.y1 + margin),
    )  # fmt: skip
    return read_line(draw(page, shown, _PIXELS_PER_POINT), networks())
