"""A store with one lending case in plain text, the shipped fake engine, and what a review emitted."""

from __future__ import annotations

import hashlib
import threading

from aipc_app.domain.documents import LIBRARY_ID, DocumentStatus, Page, PageState
from aipc_app.domain.fields import DocumentField, DocumentKind, FieldName
from aipc_app.domain.review import Review, ReviewEvent, Template
from aipc_app.ingest.passages import drafts_of, index_passage
from aipc_app.paths import Home
from aipc_app.review.run import ReviewRunner
from aipc_app.review.tasks.plan import template_of
from aipc_app.review.tasks.run import TaskRunner
from aipc_app.search.service import SearchService
from aipc_app.settings.model import Settings
from aipc_app.store import Store
from aipc_app.workers.encoder import Encoder
from engine.client.fake import FakeEngine
from engine.types.model import EngineReady, LoadedModel

COMPLAINT = """民事起诉状
原告：钱一，男，1970年1月1日出生，住甲市。
被告：孙二，女，1980年2月2日出生，住乙市。
诉讼请求
一、判令被告归还借款本金100,000元；
二、判令被告按年利率12%支付利息。
事实与理由
2022年1月10日，被告向原告借款100,000元。
2022年6月1日，被告支付20,000元，称是利息。
此致
甲市人民法院
具状人：钱一
2023年3月1日
"""
ANSWER = """民事答辩状
答辩人：孙二
一、答辩人实际收到的借款为90,000元
原告预先扣下10,000元。
二、答辩人已还款20,000元
2022年6月1日归还本金20,000元。
2023年4月1日
"""
NOTE = """借款合同
出借人：钱一　借款人：孙二
借款金额：人民币100,000元。借款年利率为12%。
借款期限为一年，自2022年1月10日起至2023年1月9日止。
签订日期：2022年1月10日
"""
BANK = """甲市银行交易明细
| 交易时间 | 付款人 | 收款人 | 金额（元） | 附言 |
| 2022-01-10 | 钱一 | 孙二 | 90,000.00 | 借款 |
| 2022-06-01 | 孙二 | 钱一 | 20,000.00 | 还款 |
"""
LAW = "# 民法典\n\n第六百七十条　借款的利息不得预先在本金中扣除。\n\n第六百八十条　禁止高利放贷。\n"
JUDGMENT = """甲市人民法院 民事判决书
原告李某与被告周某民间借贷纠纷一案。
本院认为，利息预先在本金中扣除的，本金按实际出借的金额认定。
判决如下：
被告周某归还原告李某借款本金90,000元。
案件受理费1,000元，由被告负担。
"""
KINDS = {"起诉状": DocumentKind.COMPLAINT, "答辩状": DocumentKind.ANSWER, "合同": DocumentKind.CONTRACT}


class Bench:
    """`files`: name → text of the case's documents, all of them by default."""

    def __init__(self, home: Home, engine: FakeEngine, files: dict[str, str] | None = None) -> None:
        self.store, self.engine, self.events = Store.open(home), engine, list[ReviewEvent]()
        encoder = Encoder([], home.logs)
        encoder.close()  # search goes by keyword
        search = SearchService(self.store, encoder)
        self.runner = ReviewRunner(self.store, search, engine, encoder, Settings)
        self.tasks = TaskRunner(self.store, search, engine, encoder, Settings)
        self.case = self.store.cases.create("甲").id
        everything = {"起诉状.txt": COMPLAINT, "答辩状.txt": ANSWER, "借款合同.txt": NOTE, "银行交易明细.txt": BANK}
        for name, text in (files if files is not None else everything).items():
            self.add(name, text)
        self.add("民法典.md", LAW, LIBRARY_ID)
        self.add("判决书_甲.txt", JUDGMENT, LIBRARY_ID, DocumentKind.JUDGMENT)

    def add(self, name: str, text: str, case: int | None = None, kind: DocumentKind | None = None) -> int:
        document = self.store.documents.add(name=name, sha256=hashlib.sha256(text.encode()).hexdigest(), size=len(text))
        page = Page(number=1, text=text, state=PageState.TEXT)
        self.store.documents.save_read(
            document.id, pages=(page,), passages=tuple(index_passage(one.draft) for one in drafts_of((page,))),
            status=DocumentStatus.INDEXED, reason=None, has_layout=False,
        )  # fmt: skip
        self.store.documents.link(case or self.case, document.id)
        told = kind or next((kind for word, kind in KINDS.items() if word in name), None)
        if told is not None:
            self.store.fields.save_found(document.id, [DocumentField(name=FieldName.KIND, value=told.value)])
        return document.id

    @property
    def model(self) -> LoadedModel:
        assert isinstance(self.engine.state, EngineReady)
        return self.engine.state.model

    def begin(self, template: Template) -> Review:
        return self.store.reviews.create(self.case, template, language="zh", model=self.model.name, documents=())

    def run(self, review: Review, cancel: threading.Event | None = None) -> Review:
        return self.runner.run(review, self.model, self.events.append, cancel or threading.Event())

    def begin_task(self, task: str, language: str = "zh") -> Review:
        template = template_of(task)
        return self.store.reviews.create(
            self.case, template, language=language, model=self.model.name, documents=()
        )

    def do(self, review: Review, cancel: threading.Event | None = None) -> Review:
        return self.tasks.run(review, self.model, self.events.append, cancel or threading.Event())
