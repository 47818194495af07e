"""The answer comes in the language of the question."""

import pytest

from aipc_app.text.language import language_of, scripts


@pytest.mark.parametrize("text", ["借款金额是多少？", "LPR的四倍是多少", "请解释 force majeure 的含义", "680?", ""])
def test_chinese(text: str) -> None:
    assert language_of(text) == "zh"


@pytest.mark.parametrize("text", ["What is the interest rate?", "What does 违约金 mean in this contract?", "LPR"])
def test_english(text: str) -> None:
    assert language_of(text) == "en"


def test_scripts_are_named() -> None:
    assert scripts("借款 loan заём 대출 ローン") == {"han", "latin", "cyrillic", "hangul", "kana"}
    assert scripts("123") == frozenset()
