"""Short invented texts with questions that they answer and questions of the same kind that they don't.

A model is put to the test with them before its own check is believed (calibration.py). They are of no sample and of
no test set; an unanswered question asks for what such a text usually has, so that its subject alone gives nothing away.
"""

from __future__ import annotations

from msgspec import Struct


class JudgingCase(Struct, frozen=True):
    """One text; `answered` and `unanswered` are questions in its language."""

    language: str
    text: str
    answered: tuple[str, ...]
    unanswered: tuple[str, ...]


CASES = (
    JudgingCase(
        "zh",
        "仓库租赁合同。出租人海棠物流园，承租人启明食品厂。租赁面积1,200平方米，月租金每平方米18元，按季度预付。"
        "租期自2022年6月1日起三年。承租人负责屋面以外的日常维修。",
        ("月租金每平方米多少钱？", "租期从哪一天开始？"),
        ("押金是多少？", "承租人提前退租要付多少违约金？"),
    ),
    JudgingCase(
        "zh",
        "事故认定书。2020年11月2日18时40分，杜某驾驶轻型货车在环城北路右转时与直行的电动自行车相撞，骑车人骨折。"
        "杜某未按规定让行，负主要责任；骑车人未走非机动车道，负次要责任。",
        ("谁负主要责任？", "事故发生在哪条路上？"),
        ("货车投保的是哪家保险公司？", "骑车人的医疗费是多少？"),
    ),
    JudgingCase(
        "zh",
        "解除劳动合同通知书。因你自2019年8月12日起连续旷工九日，违反员工手册第4.3条，公司决定自2019年8月26日起解除劳动合同。"
        "请于三日内办理工作交接，工资结算至离职当日。",
        ("解除劳动合同的理由是什么？", "劳动合同自哪一天起解除？"),
        ("该员工的月工资是多少？", "公司支付多少经济补偿？"),
    ),
    JudgingCase(
        "zh",
        "钢结构工程验收记录。施工单位北岭建设，监理单位恒正监理。第三跨檩条间距偏差8毫米，超过允许偏差5毫米，要求十日内整改。"
        "其余各项合格。记录日期2021年4月19日。",
        ("哪一项不合格？", "整改期限是几日？"),
        ("工程总造价是多少？", "设计单位是哪一家？"),
    ),
    JudgingCase(
        "zh",
        "董事会决议摘要。应到董事七人，实到六人。会议以五票同意、一票弃权通过设立西南分公司的议案，注册地为渝州，"
        "由副总经理程雁任负责人。",
        ("西南分公司的负责人是谁？", "有几票弃权？"),
        ("分公司的注册资本是多少？", "缺席的董事是谁？"),
    ),
    JudgingCase(
        "zh",
        "水质检测报告。样品于2023年2月7日取自三号井。铁含量0.42毫克每升，限值0.3；锰含量0.06毫克每升，限值0.1。"
        "检测方法为原子吸收分光光度法。",
        ("锰含量的限值是多少？", "样品取自哪口井？"),
        ("三号井有多深？", "检测费用由谁承担？"),
    ),
    JudgingCase(
        "en",
        "Charter note. The vessel Northern Wren is let for ninety days from 4 May 2021 at 11,500 dollars a day, fuel "
        "for the charterer's account. Delivery is at Halden; redelivery at any safe port in the Baltic.",
        ("What is the daily hire?", "Where is the vessel delivered?"),
        ("What is the vessel's tonnage?", "Who is the master of the vessel?"),
    ),
    JudgingCase(
        "en",
        "Licence schedule. The licensee may install the software on forty workstations. Support calls are answered "
        "within two business hours. The annual fee rises by three percent on each "
        "anniversary. Source code is not delivered.",
        ("On how many workstations may the software be installed?", "By how much does the fee rise each year?"),
        ("Which court has jurisdiction over disputes?", "How long is the notice period for termination?"),
    ),
    JudgingCase(
        "en",
        "Trial summary. Of 212 patients enrolled at three clinics, 18 left before week twelve. The primary outcome was "
        "change in grip strength, which rose by 2.4 kilograms in the treated group and by 0.9 in the control group.",
        ("How many patients left before week twelve?", "What was the primary outcome?"),
        ("What was the mean age of the patients?", "Who paid for the trial?"),
    ),
    JudgingCase(
        "en",
        "Survey of Lot 7, Marlow Road. The house, built in 1931, has a slate roof in fair order. Damp was found in the "
        "north wall of the cellar, and the wiring is of the old kind with rubber sheathing and should be renewed.",
        ("Where was damp found?", "When was the house built?"),
        ("What is the asking price of the house?", "Who owns the house next door?"),
    ),
)
