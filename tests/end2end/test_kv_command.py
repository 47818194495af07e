"""aipc kv, and what the other commands tell of remembering, with the real engine on the small model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.end2end.conftest import Aipc

CONTRACT = (
    "借款合同\n甲方：周明远。乙方：吴海波。\n第一条 借款金额为人民币伍拾万元整。\n"
    "第二条 月利率为1.5%，按季付息。\n第三条 借款期限自2021年3月5日起至2022年3月4日止。\n"
)
RECORD = "询问笔录\n" + "".join(
    f"问：第{n}次付款是什么时候？\n答：2021年{n}月{n + 3}日，付了{n},000元。\n" for n in range(1, 9)
)


@pytest.fixture
def two_cases(asking: Aipc, tmp_path: Path) -> Aipc:
    """One contract in both cases, a record in the first alone."""
    for name, text in (("合同.txt", CONTRACT), ("笔录.txt", RECORD)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    asking.json("add", "--case", "甲", str(tmp_path / "合同.txt"), str(tmp_path / "笔录.txt"))
    asking.json("add", "--case", "乙", str(tmp_path / "合同.txt"))
    return asking


def kept(aipc: Aipc) -> dict[str, Any]:
    (status,) = aipc.json("kv", "status")
    return status


def bytes_on_disk(aipc: Aipc) -> int:
    return sum(path.stat().st_size for path in (aipc.home / "kv").rglob("*") if path.is_file())


def shares(aipc: Aipc, case: str) -> list[float]:
    (listed,) = aipc.json("documents", "--case", case)
    return [document["remembered"] for document in listed["documents"]]


def test_remember_pin_forget_over_several_starts(two_cases: Aipc) -> None:
    """Each command is a start of its own: what one reads, the next finds on the disk."""
    assert shares(two_cases, "甲") == [0.0, 0.0]
    (read,) = two_cases.json("kv", "remember", "--case", "甲")
    assert read["case"] == "甲" and [d["remembered"] for d in read["documents"]] == [1.0, 1.0]
    assert shares(two_cases, "甲") == [1.0, 1.0]
    (answer,) = two_cases.json("ask", "--case", "甲", "月利率是多少？", "--mode", "whole", "--no-library")
    timing = answer["timing"]
    assert timing["restored_tokens"] > timing["prompt_tokens"] / 2
    assert timing["restored_tokens"] + timing["prefilled_tokens"] == timing["prompt_tokens"]

    (pinned,) = two_cases.json("kv", "pin", "--case", "甲")
    assert pinned == {"case": "甲", "pinned": True}
    status = kept(two_cases)
    (case,) = status["cases"]
    assert (case["case"], case["pinned"]) == ("甲", True)
    assert 0 < case["bytes"] <= status["disk_bytes"] <= status["disk_quota"] and case["tokens"] > 100
    assert [d["document"] for d in case["documents"]] == ["合同.txt", "笔录.txt"]

    (cleared,) = two_cases.json("kv", "clear", "--case", "甲")
    assert cleared["freed_bytes"] > 0
    status = kept(two_cases)
    assert status["cases"] == [] and status["blocks"] == 0
    assert shares(two_cases, "甲") == [0.0, 0.0]


@pytest.mark.long
def test_deleting_takes_the_bytes_along_and_leaves_the_other_case_its_own(two_cases: Aipc) -> None:
    """The contract belongs to both cases; the record's text must be gone from the disk with the record."""
    two_cases.json("kv", "remember", "--case", "甲")
    two_cases.json("kv", "remember", "--case", "乙")
    before = bytes_on_disk(two_cases)
    (listed,) = two_cases.json("documents", "--case", "甲")
    record = next(d["document_id"] for d in listed["documents"] if d["document"] == "笔录.txt")
    two_cases.json("remove", "--case", "甲", str(record))
    after = bytes_on_disk(two_cases)
    assert after < before
    assert shares(two_cases, "乙") == [1.0]
    assert all(case["tokens"] > 0 for case in kept(two_cases)["cases"])

    two_cases.json("cases", "remove", "甲")
    assert [case["case"] for case in kept(two_cases)["cases"]] == ["乙"]
    two_cases.json("cases", "remove", "乙")
    status = kept(two_cases)
    assert status["cases"] == [] and status["blocks"] == 0


@pytest.mark.long
def test_a_question_leaves_what_it_read_on_the_disk(two_cases: Aipc) -> None:
    (first,) = two_cases.json("ask", "--case", "乙", "借款金额是多少？", "--mode", "whole", "--no-library")
    assert first["timing"]["restored_tokens"] == 0
    assert shares(two_cases, "乙") == [1.0]
    (second,) = two_cases.json("ask", "--case", "乙", "借款期限是多久？", "--mode", "whole", "--no-library")
    assert second["timing"]["restored_tokens"] > second["timing"]["prompt_tokens"] / 2


def test_what_is_not_there_is_told(aipc: Aipc) -> None:
    refused = aipc.run("kv", "remember", "--case", "没有")
    assert refused.returncode == 1 and "没有" in refused.stderr
    assert aipc.run("kv", "pin").returncode == 2
    (status,) = aipc.json("kv", "status")
    assert status["enabled"] is True and status["blocks"] == 0 and status["cases"] == []
    (cleared,) = aipc.json("kv", "clear")
    assert cleared["freed_bytes"] == 0
