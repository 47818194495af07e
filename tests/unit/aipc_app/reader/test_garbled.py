"""Garbled text is told from unusual but good text."""

from __future__ import annotations

import pytest

from aipc_app.reader.convert.garbled import has_private_runs, is_garbled
from aipc_app.reader.convert.radicals import IDEOGRAPH_OF_RADICAL

FRENCH = "Le créancier a mis en demeure le débiteur défaillant; à défaut, il sera procédé à la vente forcée."


@pytest.mark.parametrize(
    "text",
    [
        "犯罪嫌疑人的状态、独立证据、狂犬病疫苗与狗的饲养情况",
        FRENCH,
        "\u2022 first\n\uf0b7 second item of a list\n\uf0b7 third item of a list",
        "Σ∫∂x ≤ ±½ → ∀ε>0 ∃δ",
        "1 2 3",
        "",
    ],
)
def test_good_text_is_not_garbled(text: str) -> None:
    assert not is_garbled(text)


@pytest.mark.parametrize(
    "text",
    [
        "犐犛犛犖 １００１－９０８１ 犆犖 犜犘 犑狅狌狉狀犪犾",
        "\ue001\ue002\ue003\ue004\ue005\ue006\ue007\ue008\ue009\ue00a\ue00b\ue00c",
        "ÄãºÃ£¬ÖÐ»ªÈËÃñ¹²ºÍ¹úÃñ·¨µä",
        "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd borrower \ufffd\ufffd",
    ],
)
def test_unreadable_text_is_garbled(text: str) -> None:
    assert is_garbled(text)


def test_words_of_private_characters_are_told_from_single_ones() -> None:
    assert has_private_runs("借款人\ue3a1\ue512\ue5b0\ue620于2021年借款")
    assert not has_private_runs("原告张\ue3a1诉被告李\ue3a1借款合同纠纷一案")  # rare names
    assert not has_private_runs("\uf0b7 第一项 \uf0e8\uf0e8\uf0e8 第二项 \uf0fe\uf0fe\uf0fe\uf0fe")  # bullets
    assert not has_private_runs("目录\ue001\ue001\ue001\ue001\ue001\ue001\ue001\ue001 1")  # leaders


def test_glyphs_that_gave_no_character_count() -> None:
    assert is_garbled("a few words", lost=40)
    assert is_garbled("", lost=1)
    assert not is_garbled("a line of text with one odd glyph", lost=1)


def test_every_radical_gives_one_ordinary_ideograph() -> None:
    assert len(IDEOGRAPH_OF_RADICAL) == 214 + 114
    assert all(len(char) == 1 and not 0x2E80 <= ord(char) < 0x2FE0 for char in IDEOGRAPH_OF_RADICAL.values())
    radicals = (0x2F00, 0x2FD5, 0x2E81, 0x2EA0, 0x2EC4, 0x2EDB, 0x2EF3)
    assert [IDEOGRAPH_OF_RADICAL[code] for code in radicals] == list("一龠厂民西风龟")
