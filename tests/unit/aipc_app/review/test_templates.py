"""Templates are read strictly; what is wrong is said with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from aipc_app.domain.review import ItemType, Scope
from aipc_app.errors import UserMistake
from aipc_app.review.templates import (
    ORDER,
    all_templates,
    copy_template,
    find_template,
    read_template,
    shipped_templates,
)

GOOD = """
id = "mine"
title = { zh = "我的", en = "Mine" }
about = { zh = "", en = "" }
notice = { zh = "草稿", en = "Draft" }
[documents.contract]
names = ["合同"]
[[sections]]
title = { zh = "一", en = "1" }
[[sections.items]]
id = "amount"
label = { zh = "金额", en = "Amount" }
type = "money"
documents = ["contract"]
question = { zh = "金额是多少？", en = "How much?" }
[[sections.items]]
id = "fee"
label = { zh = "费用", en = "Fee" }
type = "money"
compute = "court_fee"
inputs = { amount = "amount" }
[[draft]]
title = { zh = "草稿", en = "Draft" }
text = { zh = "金额：{amount}", en = "Amount: {amount}" }
"""


def write(folder: Path, text: str) -> Path:
    file = folder / "mine.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_three_that_ship_are_sound_and_speak_both_languages() -> None:
    templates = shipped_templates()
    assert tuple(template.id for template in templates) == ORDER
    for template in templates:
        for words in (template.title, template.about, template.notice, *(item.label for item in template.items)):
            assert words.zh.strip() and words.en.strip()
        assert any("\u4e00" <= c <= "\u9fff" for c in template.notice.zh)


def test_each_shipped_template_has_what_the_profession_asks_for() -> None:
    judge, credit, paper = shipped_templates()
    assert {item.scope for item in judge.items} == set(Scope)
    assert {"dscr", "leverage", "current_ratio", "revenue_growth"} <= {item.id for item in credit.items}
    assert sum("贡献" in part.title.zh for part in paper.draft) == 3
    assert any(item.type is ItemType.TABLE for item in paper.items)


def test_a_users_copy_is_found_under_its_own_name_and_keeps_its_own_hash(tmp_path: Path) -> None:
    own = tmp_path / "templates"
    path = copy_template(own, "judge", "our-court")
    assert find_template(own, "our-court").own and not find_template(own, "judge").own
    path.write_text(path.read_text(encoding="utf-8").replace("三、事实与证据", "三、事实"), encoding="utf-8")
    changed = find_template(own, "our-court")
    assert changed.hash != find_template(own, "judge").hash
    assert [template.id for template in all_templates(own)] == [*ORDER, "our-court"]


@pytest.mark.parametrize("name", ["judge", "Our Court", "../x", ""])
def test_a_copy_needs_a_plain_new_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserMistake):
        copy_template(tmp_path, "judge", name)


def test_an_unknown_template_is_told_with_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match="judge"):
        find_template(tmp_path, "nope")


def test_a_good_one_is_read(tmp_path: Path) -> None:
    template = read_template(write(tmp_path, GOOD))
    assert [item.id for item in template.items] == ["amount", "fee"] and len(template.hash) == 64


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('type = "money"\ndocuments', 'type = "monie"\ndocuments', "monie"),
        ("question =", "qestion =", "qestion"),
        ('id = "fee"', 'id = "amount"', "same id"),
        ('documents = ["contract"]', 'documents = ["deed"]', "'deed'"),
        ('compute = "court_fee"', 'compute = "court_fees"', "'court_fees'"),
        ('inputs = { amount = "amount" }', "inputs = { }", "lacks the input 'amount'"),
        ('inputs = { amount = "amount" }', 'inputs = { amount = "sum" }', "'sum'"),
        ("金额：{amount}", "金额：{sum}", "'sum'"),
        ('type = "money"\ndocuments', 'type = "choice"\ndocuments', "two options"),
        ('type = "money"\ndocuments', 'type = "table"\ndocuments', "columns"),
        ('id = "mine"', 'id = "My one"', "My one"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in GOOD
    with pytest.raises(UserMistake, match=r"mine\.toml") as caught:
        read_template(write(tmp_path, GOOD.replace(old, new)))
    assert said in caught.value.message
