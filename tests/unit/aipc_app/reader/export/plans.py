"""Plans as reviews make them, for the tests of the writers."""

from __future__ import annotations

from aipc_app.domain.exporting import (
    Cell,
    DocumentPlan,
    ExportSection,
    Footnote,
    Heading,
    Paragraph,
    Run,
    Table,
    Typography,
)

CONTRACT = Footnote(document="03_借款合同.pdf", page=1, quote="借款本金为人民币伍拾万元整（￥500,000元）")
TRANSCRIPT = Footnote(document="06_庭审笔录.pdf", page=3, quote="利息先扣了两万，实际到账四十八万。")
NOTICE = "本稿由程序自动生成，仅供法官参考，不具有任何法律效力"
FACT = "2021年3月1日，原告陈某与被告赵某签订借款合同，约定借款本金500,000元，借款期限十二个月，年利率12%。"


def judge_plan(rows: int = 3, facts: int = 1) -> DocumentPlan:
    """A Chinese draft of a judgment, as long as wanted."""
    amounts = Table(
        header=("项目", "金额（元）", "计算过程", "状态"),
        rows=tuple(
            (
                Cell((Run(f"第{i + 1}期利息"),)),
                Cell((Run("15,123.29", notes=(CONTRACT,)),), number=15123.29),
                Cell((Run("500,000 × 12% × 92 ÷ 365 = 15,123.29"),)),
                Cell((Run("已核实" if i % 2 else "存疑", notes=(TRANSCRIPT,) if i % 2 else ()),)),
            )
            for i in range(rows)
        ),
        widths=(2, 1.5, 4, 1),
    )
    told = tuple(
        Paragraph((Run(f"{FACT}", notes=(CONTRACT,)), Run("出借时预先扣除利息20,000元。", notes=(TRANSCRIPT,))))
        for _ in range(facts)
    )
    return DocumentPlan(
        title="陈某诉赵某民间借贷纠纷案\n审查报告",
        subtitle=("案件：陈某诉赵某", "模型：Qwen2.5-1.5B  2026年12月1日"),
        notice=NOTICE,
        language="zh",
        typography=Typography.OFFICIAL,
        sections=(
            ExportSection(
                "未能查明的事项", (Paragraph((Run("被告是否已偿还部分本金，卷宗中未找到。"),), remark=True),)
            ),
            ExportSection("当事人", (Paragraph((Run("原告："), Run("陈某", bold=True), Run("，男。"))),)),
            ExportSection("事实与理由", (Heading("双方无争议的事实"), *told, Heading("利息的计算"), amounts)),
            ExportSection(
                "判决如下", (Heading("主文", 3), Paragraph((Run("一、被告赵某于本判决生效之日起十日内偿还。"),)))
            ),
        ),
    )


def paper_plan() -> DocumentPlan:
    """An English, plain one."""
    note = Footnote(document="attention.pdf", page=8, quote="28.4 BLEU on the WMT 2014 task", page_label="viii")
    return DocumentPlan(
        title="What the paper contributes",
        language="en",
        notice="Drafted by a program; check the sources",
        sections=(
            ExportSection(
                "Contributions",
                (
                    Paragraph((Run("The model reaches a new best score.", notes=(note,)), Run(" It trains faster."))),
                    Table(
                        ("Task", "BLEU"),
                        ((Cell((Run("EN-DE"),)), Cell((Run("28.4", notes=(note,)),), number=28.4)),),
                    ),
                ),
            ),
        ),
    )
