"""The sample cases are what they say: every file is there, generated files carry their sources' text, key
facts stand in the documents named for them, and nothing answers the questions said to have no answer."""

from __future__ import annotations

import json
import os
import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import docx
import pypdfium2
import pytest
from bs4 import BeautifulSoup

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "assets" / "samples"
CASES = sorted(path.parent.name for path in SAMPLES.glob("*/case.toml"))
LAWS = Path(os.environ.get("AIPC_TEST_DATA") or ROOT.parent / "shared") / "data" / "laws" / "cn"
LARGEST_FILE = 400_000

# What an answer to each unanswerable question would look like, were it anywhere in the case's files, and a
# sentence of that kind.
ANSWERS_THAT_MUST_NOT_STAND = {
    "lending-33": (
        r"(?:第.|市|区|云桥|学府路)(?:中学|小学|高中)|大学|学院|幼儿园",
        "孙慧敏系云桥区第二小学教师",
    ),
    "lending-34": (
        r"(?:第二次|再次|下次)开庭(?:时间|日期|定于|为|：)*[^，。]*\d+[月日]",
        "再次开庭时间为2024年7月3日",
    ),
    "lending-35": (
        r"适用[^，。]*(?:国|地区|大陆)法律|governing law|准据法",
        "本合同适用中华人民共和国法律",
    ),
    "lending-36": (r"(?:房|成交|售价|卖)[^。\n]{0,12}\d+(?:\.\d+)?万?元|成交价", "那套房子卖了86万元"),
    "lending-37": (r"3876号[^。]*受理费[^。]*\d", "3876号案件受理费8800元"),
    "lending-38": (r"委托代理合同[^|。]{0,12}\d{4}", "委托代理合同（2024年4月1日签订）"),
    "loan-36": (r"提前(?:还款|归还|清偿|还贷)|prepay|early repayment", "提前还款的，收取1%违约金"),
    "loan-37": (r"林启航[^。|]{0,20}(?:岁|出生)|19[4-9]\d年|born", "林启航，1974年生"),
    "loan-38": (
        r"审批委员会[^。]{0,20}\d+[月日]|(?:批准|审批通过)[^。]{0,10}\d{4}年|approved on",
        "信贷审批委员会于2024年4月18日审议通过",
    ),
    "loan-39": (r"租赁[^。\n]*(?:利率|年化|%)", "融资租赁年化利率7.2%"),
    "loan-40": (r"arbitrat|jurisdiction|courts? of|仲裁", "Disputes go to arbitration."),
    "loan-41": (r"东辰[^。|\n]*注册资本|注册资本[^。|\n]*东辰", "东辰汽车部件注册资本5000万元"),
    "paper-13": (r"accepted|published|publication|in press", "Accepted 3 March 2023."),
    "paper-14": (r"fund(?:ed|ing|er)|grant|sponsor|supported by|financ", "Funded by the city."),
    "paper-15": (r"species|\b(?:oak|plane|maple|lime|linden|elm|ash|birch|pine)s?\b", "Plant plane trees."),
}
# Files of another matter, whose figures may look like an answer to a question about the case itself.
OTHER_MATTERS = "判决书"


@dataclass(frozen=True)
class Question:
    """One line of questions.json."""

    id: str
    question: str
    language: str
    answerable: bool
    key_facts: list[list[str]]
    documents: list[str]


@cache
def manifest(case: str) -> dict[str, Any]:
    return tomllib.loads((SAMPLES / case / "case.toml").read_text("utf-8"))


def files(case: str) -> list[Path]:
    named = (*manifest(case)["documents"], *manifest(case).get("library", []))
    return [SAMPLES / case / name for name in named]


@cache
def questions(case: str) -> list[Question]:
    text = (SAMPLES / case / manifest(case)["questions"]).read_text("utf-8")
    return [Question(**item) for item in json.loads(text)]


def all_files() -> list[Path]:
    return [path for case in CASES for path in files(case)]


def source_of(path: Path) -> Path:
    case, _, name = path.relative_to(SAMPLES).as_posix().partition("/")
    return (SAMPLES / "sources" / case / name).with_suffix(".md")


def generated() -> list[Path]:
    return [path for path in all_files() if path.suffix in {".docx", ".pdf"}]


def plain_text(path: Path) -> str:
    """The readable text a document was made from, or its own where it is text."""
    if path.suffix in {".docx", ".pdf"}:
        return source_of(path).read_text("utf-8")
    text = path.read_text("utf-8")
    return BeautifulSoup(text, "lxml").get_text(" ") if path.suffix == ".html" else text


def comparable(text: str) -> str:
    """Without marks of layout: widths folded, no white space, no thousands commas, lower case."""
    folded = re.sub(r"\s", "", unicodedata.normalize("NFKC", text)).replace("**", "").lower()
    return re.sub(r"(?<=\d),(?=\d{3})", "", folded)


def words_of(source: str) -> str:
    """A source without its Markdown."""
    lines = [line for line in source.split("\n") if not re.fullmatch(r"[|\s-]+", line)]
    return re.sub(r"\s", "", "".join(re.sub(r"^(#+|>) |\*\*|\|", "", line) for line in lines))


def docx_words(path: Path) -> str:
    parts = []
    for item in docx.Document(str(path)).iter_inner_content():
        if isinstance(item, docx.table.Table):
            parts += [cell.text for row in item.rows for cell in row.cells]
        else:
            parts.append(item.text)
    return re.sub(r"\s", "", "".join(parts))


def pdf_pages(path: Path) -> list[str]:
    document = pypdfium2.PdfDocument(path)
    pages = [page.get_textpage().get_text_range().rstrip() for page in document]
    document.close()
    return pages


@pytest.mark.parametrize("path", all_files(), ids=lambda path: path.name)
def test_file_is_there_and_small(path: Path) -> None:
    assert 0 < path.stat().st_size < LARGEST_FILE


@pytest.mark.parametrize("case", CASES)
def test_folder_holds_no_file_that_the_case_does_not_name(case: str) -> None:
    held = {path for folder in ("documents", "library") for path in (SAMPLES / case / folder).glob("*")}
    assert held == set(files(case))


@pytest.mark.parametrize("path", generated(), ids=lambda path: path.name)
def test_generated_file_carries_its_source(path: Path) -> None:
    wanted = words_of(plain_text(path).replace("**", ""))
    if path.suffix == ".docx":
        assert docx_words(path) == wanted
        return
    pages = pdf_pages(path)
    assert [page.split()[-1] for page in pages] == [str(number + 1) for number in range(len(pages))]
    text = "".join(page[: -len(str(number + 1))] for number, page in enumerate(pages))
    assert re.sub(r"\s|\u0002|\ufffe", "", text) == wanted


@pytest.mark.parametrize("path", generated(), ids=lambda path: path.name)
def test_generated_file_has_no_radicals_in_place_of_characters(path: Path) -> None:
    text = docx_words(path) if path.suffix == ".docx" else "".join(pdf_pages(path))
    assert not re.findall("[\u2e80-\u2fdf\uf900-\ufaff]", text)


@pytest.mark.parametrize("case", CASES)
def test_questions_are_enough_and_well_formed(case: str) -> None:
    asked = questions(case)
    unanswerable = sum(not question.answerable for question in asked)
    if case == "paper":
        assert (len(asked), unanswerable) == (15, 3)
    else:
        assert len(asked) >= 25 and unanswerable in {5, 6}
    assert len({question.id for question in asked}) == len({question.question for question in asked}) == len(asked)
    names = {path.name for path in files(case)}
    for question in asked:
        assert question.language in {"zh", "en"}
        assert bool(question.key_facts) == bool(question.documents) == question.answerable
        assert all(question.key_facts)
        assert set(question.documents) <= names


@pytest.mark.parametrize("case", CASES)
def test_some_questions_are_in_the_other_language(case: str) -> None:
    other = sum(question.language != manifest(case)["language"] for question in questions(case))
    assert 3 <= other <= 6


@pytest.mark.parametrize("case", CASES)
def test_demonstration_questions_have_an_answer(case: str) -> None:
    answerable = {question.id for question in questions(case) if question.answerable}
    assert len(manifest(case)["questions_demo"]) == 3
    assert set(manifest(case)["questions_demo"]) <= answerable


@pytest.mark.parametrize("question", [q for case in CASES for q in questions(case)], ids=lambda q: q.id)
def test_key_facts_stand_in_the_documents_named(question: Question) -> None:
    case = question.id.partition("-")[0]
    texts = {path.name: comparable(plain_text(path)) for path in files(case) if path.name in question.documents}
    for alternatives in question.key_facts:
        assert any(comparable(form) in text for form in alternatives for text in texts.values()), alternatives
    for name, text in texts.items():
        forms = [form for alternatives in question.key_facts for form in alternatives]
        assert any(comparable(form) in text for form in forms), f"{name} holds no fact of {question.id}"


@pytest.mark.parametrize(
    "question", [q for case in CASES for q in questions(case) if not q.answerable], ids=lambda q: q.id
)
def test_unanswerable_questions_have_no_answer_anywhere(question: Question) -> None:
    pattern, example = ANSWERS_THAT_MUST_NOT_STAND[question.id]
    assert re.search(pattern, example, re.IGNORECASE), "the pattern could not find an answer"
    for path in files(question.id.partition("-")[0]):
        if not path.name.startswith(OTHER_MATTERS):
            text = re.sub(r"(?<=\d),(?=\d{3})", "", plain_text(path).replace("**", ""))
            assert not re.search(pattern, text, re.IGNORECASE), path.name


# The statutes


def articles(text: str) -> dict[str, str]:
    """Each article's words, white space aside, by its number."""
    result: dict[str, str] = {}
    current = ""
    for line in text.splitlines():
        start = re.match(r"(第[一二三四五六七八九十百千零]+条(?:之[一二三])?)\s", line)
        if start:
            current = start[1]
        elif line.startswith("#"):
            current = ""
        if current:
            result[current] = result.get(current, "") + re.sub(r"\s", "", line)
    return result


INTERPRETATION = "最高人民法院关于审理民间借贷案件适用法律若干问题的规定(2020-12-29)"
STATUTES = {
    "民法典_总则编_诉讼时效_节选.md": "民法典/总则.md",
    "民法典_合同编_借款与保证_节选.md": "民法典/合同编.md",
    "民法典_物权编_抵押权_节选.md": "民法典/物权编.md",
    "民间借贷司法解释_节选.md": f"司法解释/{INTERPRETATION}.md",
    "民事诉讼法_节选.md": "诉讼与非诉讼程序法/民事诉讼法(2023-09-01).md",
}


def test_every_statute_is_checked_against_the_official_text() -> None:
    held = {path.name for path in all_files() if path.suffix == ".md" and path.stem.endswith("_节选")}
    assert held == set(STATUTES)


@pytest.mark.data
@pytest.mark.skipif(not LAWS.is_dir(), reason=f"the official texts are not there: {LAWS}")
@pytest.mark.parametrize("name", STATUTES)
def test_articles_are_the_official_text(name: str) -> None:
    (path,) = (path for path in all_files() if path.name == name)
    excerpt = articles(path.read_text("utf-8"))
    official = articles((LAWS / STATUTES[name]).read_text("utf-8"))
    assert excerpt
    for number, words in excerpt.items():
        assert words == official[number]
