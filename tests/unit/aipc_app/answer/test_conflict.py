"""Two documents that say the same thing with different figures are shown as such, both quoted."""

from __future__ import annotations

from aipc_app.answer.attribute import attribute
from aipc_app.answer.claim import make_claim
from aipc_app.answer.units import Units, cut_units
from aipc_app.domain.answers import SentenceState
from tests.unit.aipc_app.answer.material import source

ORDER = "采购单\n设备单价为12,000元，共20台。交货日期为2023年4月6日。\n"
NOTICE = "到货通知\n设备单价为13,500元，共20台。\n"


def units(second: str = NOTICE) -> Units:
    return cut_units((source(ORDER, name="采购单.txt"), source(second, document_id=2, name="到货通知.txt")))


def test_the_sentence_is_in_doubt_and_both_documents_are_quoted() -> None:
    verdict = attribute(make_claim("设备单价为12,000元。"), units())
    assert verdict.state is SentenceState.IN_DOUBT
    assert {span.source for span in verdict.spans} == {0, 1}
    for part in ("采购单.txt", "12,000元", "到货通知.txt", "13,500元"):
        assert part in verdict.reason


def test_what_only_one_of_them_tells_is_no_contradiction() -> None:
    assert attribute(make_claim("交货日期为2023年4月6日。"), units()).state is SentenceState.SUPPORTED


def test_a_sentence_that_tells_both_figures_is_true() -> None:
    verdict = attribute(make_claim("采购单写的设备单价为12,000元，到货通知写的设备单价为13,500元。"), units())
    assert verdict.state is SentenceState.SUPPORTED, verdict.reason


def test_a_document_that_reports_both_contradicts_nobody() -> None:
    both = "到货通知\n设备单价为13,500元，共20台。采购单原为12,000元。\n"
    assert attribute(make_claim("设备单价为12,000元。"), units(both)).state is SentenceState.SUPPORTED


def test_another_thing_with_another_figure_is_no_contradiction() -> None:
    other = "到货通知\n安装服务费用为13,500元，分两期支付。\n"
    assert attribute(make_claim("设备单价为12,000元。"), units(other)).state is SentenceState.SUPPORTED
