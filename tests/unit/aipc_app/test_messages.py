"""Everything that a person may read as an error, reason or problem is said in Chinese too."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from aipc_app.messages import Catalogue, system_language, translate

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))

import messages as extraction  # noqa: E402
from sentences.sites import Sentence  # noqa: E402
from sentences.template import PLACE  # noqa: E402

KNOWN = extraction.known()
LEAST_LETTERS = 5  # of its own words; a sentence with fewer would be seen in many others


def zh(sentence: str) -> str:
    return translate(sentence, "zh")


def filled(template: str) -> str:
    """Each place holds a word of its own, so that an exchange shows."""
    return PLACE.sub(lambda place: f"<{place[1]}>", template)


# -- the catalogue -------------------------------------------------------------------------------


def test_no_two_entries_are_for_the_same_sentence() -> None:
    shapes = [extraction.shape(en) for en in KNOWN]
    assert len(shapes) == len(set(shapes))
    text = extraction.CATALOGUE.read_text(encoding="utf-8")
    assert text.count("[[message]]") == len(KNOWN)


def test_an_entry_has_the_same_places_as_its_english() -> None:
    assert [en for en, chinese in KNOWN.items() if sorted(PLACE.findall(en)) != sorted(PLACE.findall(chinese))] == []
    assert [en for en in KNOWN if len(set(PLACE.findall(en))) != len(PLACE.findall(en)) or "}{" in en] == []


def test_an_entry_has_enough_words_of_its_own_to_be_recognised() -> None:
    assert [en for en in KNOWN if sum(map(str.isalpha, PLACE.sub("", en))) < LEAST_LETTERS] == []
    assert [(en, zh(filled(en))) for en, chinese in KNOWN.items() if zh(filled(en)) != filled(chinese)] == []


def test_the_chinese_is_chinese() -> None:
    assert [en for en, chinese in KNOWN.items() if not re.search(r"[\u4e00-\u9fff]", chinese)] == []
    assert [en for en, chinese in KNOWN.items() if re.search(r"[,;?!] |\w\.$", chinese)] == []
    assert [en for en, chinese in KNOWN.items() if en.endswith(".") != chinese.endswith("。")] == []


def test_the_chinese_says_no_english_that_the_english_does_not_say() -> None:
    def words(text: str) -> set[str]:
        return set(re.findall(r"[A-Za-z]+", PLACE.sub(" ", text)))

    assert [(en, words(chinese) - words(en)) for en, chinese in KNOWN.items() if words(chinese) - words(en)] == []


# -- real sentences ------------------------------------------------------------------------------

EXAMPLES = [
    (
        "The data folder /srv/案件 can't be written (Read-only file system); choose another one with --home or make "
        "it writable.",
        "无法写入数据文件夹 /srv/案件（文件系统只读）；请用 --home 指定其他文件夹，或授予写入权限。",
    ),
    (
        "This is a .mp3 file, which can't be read; PDF, OFD, pictures, office files, mail, web pages, text and "
        "archives can.",
        "无法读取 .mp3 文件；可读取的有 PDF、OFD、图片、办公文档、邮件、网页、文本和压缩包。",
    ),
    (
        "There is no case named '王某诉李某'; there are: 张某诉赵某, 借款案.",
        "没有名为“王某诉李某”的案件；现有案件：张某诉赵某, 借款案。",
    ),
    (
        "A context of 16384 tokens needs 3.4 GiB, but only 1.2 GiB of memory are free; close other programs or "
        "choose a smaller context.",
        "16384 词元的上下文需要 3.4 GiB 内存，现在只有 1.2 GiB 可用；请关闭其他程序，或选择较小的上下文。",
    ),
    (
        "settings.toml: Expected `int` >= 8 - at `$.window.font_points`; correct it or delete the line.",
        "settings.toml：应为不小于 8 的整数（位于 `$.window.font_points`）；请更正或删除这一行。",
    ),
    ("Expected `int` >= 8 - at `$.window.font_points`.", "应为不小于 8 的整数（位于 `$.window.font_points`）。"),
    ("Reading this file made the reader crash; try once more.", "读取该文件时读取程序崩溃；请再试一次。"),
]


@pytest.mark.parametrize(("said", "shown"), EXAMPLES)
def test_a_sentence_with_values_is_translated(said: str, shown: str) -> None:
    assert zh(said) == shown


def test_english_is_left_alone() -> None:
    assert all(translate(said, "en") == said for said, _ in EXAMPLES)


def test_a_status_and_a_second_reason_are_translated_one_by_one() -> None:
    said = (
        "2 of 14 pages have no text: 3, 7. 1 of 14 pages could not be read: 9. "
        "It is found by keyword only so far, because the part that compares meanings is not running."
    )
    assert zh(said) == (
        "共 14 页，2 页没有文字：第 3, 7 页。共 14 页，1 页无法读取：第 9 页。"
        "目前只能按词语检索，因为语义检索组件没有运行。"
    )


def test_two_sentences_that_are_one_entry_are_kept_together_among_others() -> None:
    both = "The engine stopped unexpectedly. It is started again with the same model at the next question."
    assert zh(f"{both} Cancelled.") == "引擎意外停止。下次提问时会用同一模型重新启动。已取消。"
    assert zh(f"Cancelled. {both}") == "已取消。引擎意外停止。下次提问时会用同一模型重新启动。"


def test_a_place_at_the_end_does_not_swallow_the_sentence_after_it() -> None:
    said = "An unknown message came over the wire: x. No GPU was found."
    assert zh(said) == "进程间通信收到未知消息：x. 未发现 GPU。"


def test_a_sentence_that_holds_a_sentence_without_its_full_stop() -> None:
    said = (
        "The part of the program that reads documents could not be started (Parts of the program are of different "
        "versions; install it again); try again, and install the program again if this stays."
    )
    assert zh(said) == (
        "文件读取组件无法启动（程序各部分的版本不一致；请重新安装）；请重试，若仍无法启动，请重新安装程序。"
    )


def test_an_unknown_sentence_stays_and_its_neighbours_are_translated() -> None:
    assert zh("Something nobody foresaw: 5 of 7.") == "Something nobody foresaw: 5 of 7."
    assert zh("Something nobody foresaw. No GPU was found.") == "Something nobody foresaw. 未发现 GPU。"
    assert zh("No GPU was found. Something nobody foresaw.") == "未发现 GPU。 Something nobody foresaw."
    assert zh("") == ""


def test_what_people_named_themselves_is_never_translated() -> None:
    assert "“Permission denied”" in zh("There is no case named 'Permission denied'; there are: x.")


@pytest.mark.parametrize(
    "name",
    ["{name}", "{0}{known!r}", "a{b", "}{", ".*(?P<x>[", r"\1\g<0>$^", "行一\n行二", "%s %(name)s", "it's; there", " "],
)
def test_a_hostile_name_goes_through_unchanged(name: str) -> None:
    assert zh(f"There is no case named '{name}'; there are: {name}.") == f"没有名为“{name}”的案件；现有案件：{name}。"


def test_a_long_hostile_name_goes_through_too() -> None:
    name = "'; add " * 5_000 + ". " * 5_000 + "(" * 5_000
    shown = f"没有名为“{name}”的案件；请先添加文件：aipc add --case NAME FILE。"
    assert zh(f"There is no case named '{name}'; add files to it first: aipc add --case NAME FILE.") == shown


def test_sentences_nested_without_end_are_left_at_some_depth() -> None:
    said = "x"
    for _ in range(2_000):
        said = f"The engine can't be started ({said}); install the program again."
    assert zh(said).startswith("无法启动引擎（无法启动引擎（")


# -- how a sentence is recognised ----------------------------------------------------------------


def test_the_most_literal_of_two_that_match_wins_in_any_order() -> None:
    entries = {"The {what} is full.": "general {what}", "The disk of {what} is full.": "special {what}"}
    for order in (entries, dict(reversed(entries.items()))):
        assert Catalogue(order).translate("The disk of x is full.") == "special x"
        assert Catalogue(order).translate("The cup is full.") == "general cup"


def test_a_place_takes_as_little_as_it_can_and_may_be_empty() -> None:
    catalogue = Catalogue({"'{a}' is {b}, not {c}.": "{c}|{b}|{a}"})
    assert catalogue.translate("'x' is y, not z, not w.") == "z, not w|y|x"
    assert catalogue.translate("'' is , not .") == "||"
    assert catalogue.translate("'x' is y.") == "'x' is y."


def test_literals_of_a_short_text_may_not_overlap() -> None:
    assert Catalogue({"ab{x}bc": "{x}!"}).translate("abc") == "abc"


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "en_GB.UTF-8"}, "en"),
        ({"LC_ALL": "en_US.UTF-8", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LC_ALL": "", "LC_MESSAGES": "zh_TW", "LANG": "en_US.UTF-8"}, "zh"),
        ({"LANG": "C"}, "en"),
    ],
)
def test_the_terminal_says_its_language(
    environment: dict[str, str], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(key, raising=False)
    for key, value in environment.items():
        monkeypatch.setenv(key, value)
    assert system_language() == language


# -- how sentences are found in the source -------------------------------------------------------

SOURCE = '''
class AipcError(Exception): ...
class Odd(AipcError): ...
_FULL = "The jar is full; empty it."
_KINDS = {1: "an apple", 2: "a pear"}
_ROWS = (("a", "is ripe", "are ripe"), ("b", "is sour", "are sour"))

def first(name: str, count: int) -> None:
    _LOG.error("nothing for a person")
    if count:
        raise Odd(f"'{name}' has {count:.1f} spots; "
                  "take another.")
    raise Odd(_FULL if count else "The jar is empty" + _end())

def _end() -> str:
    return "; fill it."

def second(error: OSError, n: int) -> tuple[int, str]:
    for kind, one, many in _ROWS:
        words = one if n == 1 else many
    return n, f"{n} fruits {words}."

def third(error: OSError) -> None:
    number, reason = second(error, 1)
    report(number, reason=next((r for r in reasons(error) if r), "No fruit has a reason."))
    report(number, reason=reason)
    raise AipcError("This is {}, no fruit.".format(_KINDS[number]))

def fourth() -> None:
    problems = []
    problems.append(_why("too hot"))
    problems.append(_why("too cold"))

def _why(what: str) -> str:
    return f"The jar is {what}."
'''


def test_sentences_are_followed_to_where_they_were_written(tmp_path: Path) -> None:
    (tmp_path / "aipc_app" / "ui").mkdir(parents=True)
    (tmp_path / "aipc_app" / "fruit.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "aipc_app" / "ui" / "own.py").write_text("raise AipcError('The window says it.')", encoding="utf-8")
    found = [s for s in extraction.extract(tmp_path) if s.sites != ("a library",)]
    assert {sentence.en for sentence in found} == {
        "'{name}' has {count} spots; take another.",
        "The jar is full; empty it.",
        "The jar is empty; fill it.",
        "No fruit has a reason.",
        "{n} fruits is ripe.",
        "{n} fruits are ripe.",
        "{n} fruits is sour.",
        "{n} fruits are sour.",
        "This is {number}, no fruit.",
        "The jar is too hot.",
        "The jar is too cold.",
    }
    assert found[0].sites == ("aipc_app/fruit.py:13",)


@pytest.mark.parametrize(
    ("gone", "added", "status"),
    [("No GPU was found.", "", 1), ("", "Nobody says this.", 1), ("", "", 0)],
)
def test_the_script_fails_when_a_sentence_lacks_its_chinese_or_an_entry_its_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], gone: str, added: str, status: int
) -> None:
    """Over the source itself `scripts/check` runs it."""
    monkeypatch.setattr(extraction, "extract", lambda _root: [Sentence(en, ("x.py:1",)) for en in KNOWN])
    entries = {en: zh for en, zh in KNOWN.items() if en != gone} | ({added: "没有人这样说。"} if added else {})
    monkeypatch.setattr(extraction, "known", lambda: entries)
    assert extraction.main([]) == status
    printed = capsys.readouterr()
    assert (extraction.entry(gone, "") in printed.out) == bool(gone)
    assert (f"any more: {added}" in printed.err) == bool(added)
