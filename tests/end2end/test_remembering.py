"""Remembering, as a user meets it: the program is closed and opened again, a case is forgotten."""

from __future__ import annotations

from pathlib import Path

from tests.end2end.conftest import Aipc

LOAN = "借款合同。甲方张三于2021年3月5日向乙方李四出借人民币五十万元，年利率百分之十二，借期一年。" * 6


def blocks(aipc: Aipc) -> list[Path]:
    return sorted((aipc.home / "kv" / "blocks").glob("*/*"))


def ask(aipc: Aipc, question: str) -> dict:  # type: ignore[type-arg]
    (answer,) = aipc.json("ask", "--case", "loan", question, "--mode", "whole", "--no-library", "--max-tokens", "24")
    return answer


def test_a_document_read_once_is_not_read_again_after_a_restart_and_is_gone_with_its_case(
    asking: Aipc, tmp_path: Path
) -> None:
    document = tmp_path / "loan.txt"
    document.write_text(LOAN, encoding="utf-8")
    asking.json("add", "--case", "loan", str(document))
    first = ask(asking, "出借了多少钱？")
    assert first["timing"]["restored_tokens"] < 64 and blocks(asking)
    again = ask(asking, "出借了多少钱？")  # another process
    assert again["timing"]["restored_tokens"] > 0.8 * again["timing"]["prompt_tokens"]
    assert (again["answer"], again["citations"]) == (first["answer"], first["citations"])
    asking.json("cases", "remove", "loan")
    assert blocks(asking) == []
