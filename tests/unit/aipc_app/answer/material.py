"""A small invented file, shared by this folder's tests."""

from __future__ import annotations

from aipc_app.answer.material import Source
from aipc_app.answer.units import Units, cut_units

CONTRACT = (
    "借款合同\n"
    "甲方（出借人）：周明远。乙方（借款人）：吴海波。\n"
    "第一条　借款金额为人民币伍拾万元整（¥500,000.00）。\n"
    "第二条　借款期限自二〇二一年三月五日起至2022年3月4日止。\n"
    "第三条　月利率1.5%，按季付息。\n"
    "第四条　乙方以其名下车辆提供担保，双方未办理抵押登记。\n"
)
RECEIPT = "转账凭证\n日期 | 金额 | 收款人\n2021-03-05 | 470,000.00 | 吴海波\n"
ENGLISH = (
    "The borrower shall keep a debt service coverage ratio of at least 1.25x. The audit was completed by Harlow LLP."
)


def source(text: str, *, document_id: int = 1, name: str = "合同.txt", library: bool = False) -> Source:
    """A one-page document."""
    return Source(
        document_id=document_id, document=name, page=1, page_text=text, start=0, end=len(text), library=library
    )


def chinese() -> Units:
    """The contract and the receipt."""
    return cut_units((source(CONTRACT), source(RECEIPT, document_id=2, name="凭证.txt")))


def english() -> Units:
    """The English text alone."""
    return cut_units((source(ENGLISH, name="loan.txt"),))
