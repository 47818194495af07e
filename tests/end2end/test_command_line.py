"""The commands of the contract, as another program would use them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.end2end.conftest import Aipc, files

CONTRACT = (
    "借款合同\n甲方：周明远。乙方：吴海波。\n第一条 借款金额为人民币伍拾万元整。\n"
    "第二条 月利率为1.5%，按季付息。\n第三条 借款期限自2021年3月5日起至2022年3月4日止。\n"
)


def contract(folder: Path, name: str = "借款合同.txt", text: str = CONTRACT) -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def quotes_are_the_pages(aipc: Aipc, answer: dict[str, Any]) -> None:
    for citation in answer["citations"]:
        (shown,) = aipc.json("pages", str(citation["document_id"]), "--page", str(citation["page"]))
        assert shown["pages"][0]["text"][citation["start"] : citation["end"]] == citation["quote"]


def test_every_sample_file_is_indexed_and_listed(aipc: Aipc) -> None:
    added = aipc.json("add", "--case", "借贷", *map(str, files("lending")))
    assert {line["status"] for line in added} == {"indexed"}
    assert all(line["pages"] >= 1 and line["passages"] >= 1 and line["reason"] is None for line in added)
    (cases,) = aipc.json("cases")
    assert cases == {"cases": [{"case": "借贷", "documents": len(added)}]}
    (listed,) = aipc.json("documents", "--case", "借贷")
    assert [d["document"] for d in listed["documents"]] == [p.name for p in files("lending")]


def test_the_same_bytes_twice_are_known_and_shared_between_cases(aipc: Aipc, tmp_path: Path) -> None:
    (first,) = aipc.json("add", "--case", "甲", contract(tmp_path))
    (again,) = aipc.json("add", "--case", "乙", contract(tmp_path, "副本.txt"))
    assert again["status"] == "duplicate"
    assert again["document_id"] == first["document_id"]
    (gone,) = aipc.json("remove", "--case", "甲", str(first["document_id"]))
    assert gone["deleted"] is False
    assert aipc.json("pages", str(first["document_id"]))[0]["pages"][0]["text"].startswith("借款合同")
    (gone,) = aipc.json("remove", "--case", "乙", str(first["document_id"]))
    assert gone["deleted"] is True
    assert aipc.run("pages", str(first["document_id"])).returncode == 1


def test_an_unsupported_file_says_so_and_stops_nothing_else(aipc: Aipc, tmp_path: Path) -> None:
    odd = tmp_path / "model.step"
    odd.write_bytes(bytes(range(256)) * 10)
    lines = aipc.json("add", "--case", "甲", str(odd), contract(tmp_path))
    assert [line["status"] for line in lines] == ["unsupported", "indexed"]
    assert lines[0]["reason"]


def test_search_returns_the_stored_text_and_the_article(aipc: Aipc) -> None:
    aipc.json("add", "--library", *map(str, files("lending", room="library")))
    (found,) = aipc.json("search", "--library", "借款的利息不得预先在本金中扣除", "-k", "5")
    best = found["passages"][0]
    assert best["article"] == "第六百七十条"
    (page,) = aipc.json("pages", str(best["document_id"]), "--page", str(best["page"]))
    assert page["pages"][0]["text"][best["start"] : best["end"]] == best["text"]
    assert best["force"] is None


def test_search_brings_along_what_an_article_names_and_marks_an_older_version(aipc: Aipc, tmp_path: Path) -> None:
    filler = "".join(f"第{number}条 与此无关的内容。\n\n" for number in "三四五六七八")
    for day, share in (("2018-10-26", "二"), ("2023-12-29", "三")):
        named = "第一条 总则。\n\n第二条 逾期还款的，依照本法第九条处理。"
        text = f"# 借贷法\n\n{named}\n\n{filler}第九条 加收百分之{share}的罚息。\n"
        (tmp_path / f"借贷法({day}).md").write_text(text, encoding="utf-8")
    aipc.json("add", "--library", *map(str, sorted(tmp_path.glob("*.md"))))
    (found,) = aipc.json("search", "--library", "逾期还款怎么处理", "-k", "2")
    assert [passage["force"] for passage in found["passages"]] == [None, {"state": "superseded", "by": "2023-12-29"}]
    (first, *_) = found["related"]
    assert (first["article"], first["why"], first["of"]) == ("第九条", "cited", 1)
    assert "百分之三" in first["text"]


def test_reranking_without_a_model_says_where_one_is_chosen(aipc: Aipc) -> None:
    done = aipc.run("search", "--library", "--rerank", "利息")
    assert done.returncode == 1
    assert "no reranking model" in done.stderr and "Settings" in done.stderr


def test_an_answer_is_quoted_and_an_unanswerable_question_refused(asking: Aipc, tmp_path: Path) -> None:
    asking.json("add", "--case", "甲", contract(tmp_path))
    questions = tmp_path / "questions.txt"
    questions.write_text("月利率是多少？\n双方约定由哪家仲裁委员会仲裁？\n", encoding="utf-8")
    answered, refused = asking.json("ask", "--case", "甲", "--questions", str(questions))
    assert answered["refused"] is False
    assert any("1.5%" in c["quote"] for c in answered["citations"])
    quotes_are_the_pages(asking, answered)
    assert refused["refused"] is True
    assert refused["answer"] == "材料中未找到相关内容。"
    assert refused["sentences"] == refused["citations"] == []
    assert refused["nearest"]
    assert isinstance(refused["timing"]["ttft_s"], float)


@pytest.mark.long  # of the engine it is shown in tests/native
def test_the_same_question_gives_the_same_answer(asking: Aipc, tmp_path: Path) -> None:
    asking.json("add", "--case", "甲", contract(tmp_path))
    one, two = (asking.json("ask", "--case", "甲", "借款金额是多少？")[0] for _ in range(2))
    assert one["answer"] == two["answer"]
    assert one["citations"] == two["citations"]


def test_a_conversation_goes_on_but_not_into_another_case(asking: Aipc, tmp_path: Path) -> None:
    asking.json("add", "--case", "甲", contract(tmp_path))
    asking.json("add", "--case", "乙", contract(tmp_path, "另案.txt", CONTRACT.replace("吴海波", "郑小川")))
    (first,) = asking.json("ask", "--case", "甲", "借款期限从哪天开始？")
    (second,) = asking.json("ask", "--case", "甲", "--conversation", str(first["conversation"]), "到哪天结束？")
    assert second["conversation"] == first["conversation"]
    assert any("2022年3月4日" in c["quote"] for c in second["citations"])
    crossed = asking.run("ask", "--case", "乙", "--conversation", str(first["conversation"]), "乙方是谁？")
    assert crossed.returncode == 1
    assert "another case" in crossed.stderr


def test_one_case_never_answers_from_another(asking: Aipc, tmp_path: Path) -> None:
    asking.json("add", "--case", "甲", contract(tmp_path))
    asking.json("add", "--case", "乙", contract(tmp_path, "另案.txt", CONTRACT.replace("吴海波", "郑小川")))
    (answer,) = asking.json("ask", "--case", "乙", "--mode", "retrieval", "乙方是谁？")
    assert {c["document"] for c in answer["citations"]} <= {"另案.txt"}
    assert "吴海波" not in answer["answer"]


def test_wrong_usage_exits_2_and_wrong_names_exit_1(aipc: Aipc) -> None:
    assert aipc.run("ask", "问题").returncode == 2
    assert aipc.run("nonsense").returncode == 2
    missing = aipc.run("documents", "--case", "没有的案件")
    assert missing.returncode == 1
    assert len(missing.stderr.strip().splitlines()) == 1
    assert aipc.run("pages", "77").returncode == 1


def test_help_comes_without_loading_what_it_does_not_need() -> None:
    script = (
        "import sys; sys.argv=['aipc','--help']\nfrom aipc_app.__main__ import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "heavy = ('torch', 'llama_cpp', 'chromadb', 'onnxruntime', 'pypdfium2', 'docx', 'PySide6')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("[]")
