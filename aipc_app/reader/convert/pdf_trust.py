"""Does the text layer say what the page shows? A few lines of each font are read from their picture and compared."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from enum import Enum

import pypdfium2 as pdfium

from aipc_app.reader.convert.pdf_sample import (
    LEAST_LINE,
    Place,
    Sample,
    alike,
    has_ideographs,
    lines_of,
    plain,
    recognised,
    samples,
    weight,
)
from aipc_app.reader.convert.pdf_text import PdfText
from aipc_app.reader.ocr.reading import Reading

SAMPLES = 3  # lines of a font on a page
_TRUSTED_AFTER = 2  # lines that said the same
_SURE = 0.85  # recognition below this decides nothing
_OTHER, _SAME = 0.4, 0.65  # likeness of the two texts
_PLAINLY, _LONG = 0.9, 16  # likeness of a line of so much weight that no second line is needed for
_OF_A_SCAN = 0.75  # another program's recognition with every fourth character wrong is noise
_COMMON_ENGLISH = re.compile(
    r"\b(?:the|of|and|to|in|a|is|that|for|it|as|was|with|be|by|on|not|he|his|but|at|are|this|have|from|or|had|an|they"
    r"|which|one|you|were|all|her|she|there|would|their|we|him|been|has|when|who|will|no|more|if|out|so)\b"
)
_WORD, _VOWEL, _HARD = re.compile("[a-z]{3,}"), re.compile("[aeiouy]"), re.compile("[^aeiouy]{5}")


class Verdict(Enum):
    SAME = "same"
    PLAINLY = "plainly the same"
    OTHER = "other"
    UNDECIDED = "undecided"


@dataclass
class LayerTrust:
    """What was found out about the text layer of one document; asked page by page, in order."""

    _good: Counter[str] = field(default_factory=Counter)
    _bad: set[str] = field(default_factory=set)
    _tried: Counter[str] = field(default_factory=Counter)  # pages; lines that decide nothing aren't read for ever
    _plain_scans: int = 0  # pages in a row whose recognition by another program is plainly right

    def wrong_share(self, page: pdfium.PdfPage, read: PdfText) -> float:
        """The share of the page's characters that stand in fonts whose text is wrong, from 0 to 1."""
        lengths: Counter[str] = Counter()
        unknown: dict[str, list[Place]] = {}
        for place in lines_of(read):
            lengths[place.font] += place.length
            if place.font not in self._bad and self._good[place.font] < _TRUSTED_AFTER > self._tried[place.font]:
                unknown.setdefault(place.font, []).append(place)
        for font, places in unknown.items():
            longest = sorted(places, key=lambda place: -place.length)[: 2 * SAMPLES]
            self._tried[font] += 1
            self._try(page, font, list(samples(read, longest)))
        wrong = sum(lengths[font] for font in self._bad)
        return wrong / max(1, lengths.total())

    def scan_is_noise(self, page: pdfium.PdfPage, read: PdfText) -> bool:
        """A scan that another program recognised before: whether its text is mostly not what the picture says.

        Two lines that say plainly the same are enough; one, once the two pages before did.
        """
        enough = 1 if self._plain_scans >= _TRUSTED_AFTER else _TRUSTED_AFTER
        lines = list(samples(read, list(lines_of(read))))
        apart = max(1, len(lines) // SAMPLES)
        likeness: list[float] = []
        for line in lines[apart // 2 :: apart][:SAMPLES]:
            seen = recognised(page, line.area)
            if seen.confidence >= _SURE and len(plain(seen.text)) >= LEAST_LINE:
                likeness.append(alike(line.said, seen.text))
            if len(likeness) >= enough and min(likeness) >= _PLAINLY:
                self._plain_scans += 1
                return False
        self._plain_scans = 0
        return bool(likeness) and sum(likeness) / len(likeness) < _OF_A_SCAN

    def _try(self, page: pdfium.PdfPage, font: str, lines: list[Sample]) -> None:
        """Words that can be spoken need no picture; pictures are read until two lines say the same."""
        latin = not any(has_ideographs(line.said) for line in lines)  # else letters vouch for nothing
        said = [line for line in lines if not (latin and _is_plain_english(line.said))]
        verdicts = Counter({Verdict.SAME: len(lines) - len(said)})
        for line in said[:SAMPLES]:
            if self._good[font] + _vouched(verdicts) >= _TRUSTED_AFTER:
                break
            verdicts[compare(line.said, recognised(page, line.area))] += 1
        self._good[font] += _vouched(verdicts)
        if verdicts[Verdict.OTHER] and not self._good[font]:
            self._bad.add(font)


def compare(said: str, seen: Reading) -> Verdict:
    """What the layer says beside what the picture shows."""
    if seen.confidence < _SURE or len(plain(seen.text)) < LEAST_LINE - 2:
        return Verdict.UNDECIDED
    likeness = alike(said, seen.text)
    if likeness >= _SAME:
        return Verdict.PLAINLY if likeness >= _PLAINLY and weight(said) >= _LONG else Verdict.SAME
    return Verdict.OTHER if likeness < _OTHER else Verdict.UNDECIDED


def _vouched(verdicts: Counter[Verdict]) -> int:
    """Lines that said the same; one plainly so is as good as all that are asked for."""
    return verdicts[Verdict.SAME] + _TRUSTED_AFTER * verdicts[Verdict.PLAINLY]


def _is_plain_english(text: str) -> bool:
    """The commonest words, or words that can all be spoken: such a font needs no picture."""
    if not text.isascii():
        return False
    if len(text.split()) >= 4 and len(_COMMON_ENGLISH.findall(text.lower())) >= 2:
        return True
    words = _WORD.findall(text.lower())
    spoken = sum(bool(_VOWEL.search(word)) and not _HARD.search(word) for word in words)
    return len(words) >= 3 and spoken >= 0.9 * len(words)
