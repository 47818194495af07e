"""Text layers that look right and read wrong are noticed and replaced; sound ones are left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from aipc_app.domain.documents import PageState
from tests.unit.aipc_app.reader.conftest import ReadFile
from tests.unit.aipc_app.reader.scans import CHINESE, ENGLISH, SANS, SERIF, Wrong, require_fonts, right_share, text_pdf

LINES = [line[:30] for line in CHINESE[1:10]]
_USED = sorted(set("".join(LINES)))
_NEXT = {char: _USED[(i + 1) % len(_USED)] for i, char in enumerate(_USED)}
_MIRROR = {char: _USED[-1 - i] for i, char in enumerate(_USED)}
_COMMON = "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方"


def shifted_latin(char: str) -> str:
    """As one typesetting system writes Latin letters: 书犐犆犛."""
    return chr(0x7283 + ord(char) % 80)


BROKEN: dict[str, tuple[Path, Wrong, bool]] = {
    "each character says the next one of the text": (SERIF, lambda c: _NEXT.get(c, c), True),
    "private use": (SANS, lambda c: chr(0xE000 + ord(c) % 4000), True),
    "common characters in no order": (SANS, lambda c: _COMMON[ord(c) * 7 % len(_COMMON)], True),
    "shifted latin": (SERIF, shifted_latin, True),
    "mirrored among the characters used": (SANS, lambda c: _MIRROR.get(c, c), True),
    "ideographs shifted by a few code points": (SERIF, lambda c: chr(ord(c) + 3), True),
    "cyrillic for ideographs": (SERIF, lambda c: chr(0x410 + ord(c) % 60), True),
    "latin letters for ideographs": (SANS, lambda c: chr(0x61 + ord(c) % 26), True),
    "no map at all": (SERIF, lambda c: c, False),
    "replacement characters": (SANS, lambda c: "\ufffd", True),
}
SOUND: dict[str, tuple[Path, str]] = {
    "plain": (SERIF, "\n".join(LINES)),
    "rare names": (SERIF, "原告：龔喆、犇鑫淼、赟昶旻\n被告：亓官奭、仝燚、乜垚、郄甄璟\n第三人：玥婳、祎珺、彧翾"),
    "formulas": (SANS, "其中 ∑(x − μ)² ÷ n = σ²，且 α ≤ β\n∫f(x)dx ≈ 0.6931，误差 ±0.5%\n√2 × π ≠ e，当 n → ∞ 时成立"),
    "old characters": (SERIF, "臺灣臺北地方法院民事判決書\n謹將應償還之欵項開列於後\n緣兩造於民國三十八年間訂立契約"),
    "english": (SANS, "\n".join(ENGLISH[1:8])),
    "numbers": (SANS, "2021-03-05 500,000.00 6.5%\n2022-08-19 18,000.00 4.35%\n合计 518,000.00 元"),
    "classical": (SERIF, "子曰：學而時習之，不亦說乎\n有朋自遠方來，不亦樂乎\n人不知而不慍，不亦君子乎"),
    "japanese": (SERIF, "本契約の当事者は次のとおり合意する\n甲は乙に対し金五十万円を貸し付けた\n返済期日までに支払う"),
    "mixed": (SANS, "甲方 Harbour Lane Ltd. 代码 91310000MA1K\nIFRS 9 与 CAS 22 关于金融工具\nLPR+150bp 按季付息"),
    "bullets": (SANS, "● 第一项 借款用途\n■ 第二项 还款来源\n◆ 第三项 担保方式 ○ 抵押 □ 质押"),
}
IN_SHORT = ("each character says the next one of the text", "private use", "no map at all")
SOUND_IN_SHORT = ("plain", "rare names", "formulas")


def cases(names: dict[str, object] | list[str], short: tuple[str, ...]) -> list[object]:
    return [name if name in short else pytest.param(name, marks=pytest.mark.long) for name in names]


@pytest.mark.parametrize("name", cases(list(BROKEN), IN_SHORT))
def test_a_wrong_text_layer_is_noticed_and_replaced(tmp_path: Path, read: ReadFile, name: str) -> None:
    require_fonts()
    font, says, mapped = BROKEN[name]
    outcome = read(text_pdf(LINES, tmp_path / "a.pdf", font, says, mapped=mapped))
    assert outcome.states == [PageState.OCR]
    assert "from the picture" in outcome.page.problem
    assert right_share(outcome.text, LINES) >= 0.97
    assert (outcome.page.confidence or 0) > 0.9


@pytest.mark.parametrize("name", cases(list(SOUND), SOUND_IN_SHORT))
def test_a_sound_text_layer_is_left_alone(tmp_path: Path, read: ReadFile, name: str) -> None:
    require_fonts()
    font, text = SOUND[name]
    lines = text.splitlines()
    outcome = read(text_pdf(lines, tmp_path / "a.pdf", font, lambda char: char))
    assert outcome.states == [PageState.TEXT]
    assert right_share(outcome.text, lines) == 1.0
    assert outcome.page.confidence is None and not outcome.page.problem
