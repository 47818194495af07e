"""Asking in the window: evidence, the streaming answer, its marks, its sources, stopping, errors."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextCharFormat, QTextCursor
from PySide6.QtTest import QTest

from aipc_app.domain.answers import AnswerCleared, AnswerDelta, Sentence, SentenceReady, SentenceState
from aipc_app.ui.case.conversation.turn import TurnView
from tests.gui.conftest import ANSWER, CONTRACT, QUESTION, Rig


def format_at(turn: TurnView, words: str) -> QTextCharFormat:
    """How these words of the answer are drawn."""
    document = turn.view.document()
    place = document.find(words)
    assert not place.isNull(), f"{words!r} is not in {document.toPlainText()!r}"
    cursor = QTextCursor(document)
    cursor.setPosition(place.selectionStart() + 1)
    return cursor.charFormat()


def test_evidence_is_there_before_the_first_word(rig: Rig) -> None:
    """Passages show while the engine has not said anything yet."""
    rig.open_case()
    rig.engine.hold_after(0)
    rig.case_page.conversation.ask(QUESTION)
    rig.until(lambda: rig.turn.evidence is not None)
    evidence = rig.turn.evidence
    rig.until(evidence.isVisible)
    assert evidence.cards > 0 and evidence.y() < rig.turn.progress.y()
    assert rig.turn.view.text == ""
    rig.engine.release()
    rig.until(lambda: not rig.case_page.conversation.busy)
    assert rig.turn.view.text == ANSWER


def test_enter_asks_and_shift_enter_breaks_the_line(rig: Rig) -> None:
    rig.open_case()
    field = rig.case_page.conversation.composer.field
    field.setFocus()
    QTest.keyClicks(field, "a")
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(field, "b")
    assert field.toPlainText() == "a\nb"
    QTest.keyClick(field, Qt.Key.Key_Return)
    rig.until(lambda: rig.turn.answer is not None)
    assert rig.turn.question == "a\nb"
    assert field.toPlainText() == ""


def test_a_citation_opens_its_page_with_the_span_marked(rig: Rig) -> None:
    """The click on a chip shows the document's text with exactly the quote marked."""
    rig.open_case()
    rig.ask()
    citation = rig.turn.answer.citations[0]
    with rig.qtbot.waitSignal(rig.case_page.bench.viewer.shown):
        click_chip(rig, citation.marker)
    viewer = rig.case_page.bench.viewer
    assert viewer.body.currentWidget() is viewer.text
    assert viewer.text.marked_text == citation.quote
    assert viewer.text.marked_text in CONTRACT
    assert viewer.bar.name.text() == citation.document
    assert citation.quote in viewer.text.accessibleDescription()


def click_chip(rig: Rig, marker: int) -> None:
    """A real mouse click on the chip's place in the text."""
    view = rig.turn.view
    cursor = QTextCursor(view.document())
    for place in range(view.document().characterCount() - 1):
        cursor.setPosition(place + 1)
        if cursor.charFormat().anchorHref() == f"source:{marker}":
            cursor.setPosition(place)
            spot = view.cursorRect(cursor).center()
            QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot + spot.__class__(6, 0))
            return
    raise AssertionError(f"no chip {marker} in {view.toPlainText()!r}")


def test_a_chip_can_be_reached_and_opened_by_keys(rig: Rig) -> None:
    rig.open_case()
    rig.ask()
    view = rig.turn.view
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Tab)
    with rig.qtbot.waitSignal(rig.case_page.bench.viewer.shown):
        QTest.keyClick(view, Qt.Key.Key_Return)


def test_an_unsupported_sentence_is_marked_by_more_than_colour(rig: Rig) -> None:
    """It has a wavy line, a sign, its reason, and a sentence below; the supported one has none of them."""
    rig.answer = ANSWER + "赵立新已于2023年8月9日归还700,000元。"
    rig.open_case()
    rig.ask()
    turn = rig.turn
    assert [sentence.state for sentence in turn.answer.sentences] == ["supported", "unsupported"]
    marked, plain = format_at(turn, "赵立新"), format_at(turn, "甲方")
    assert marked.underlineStyle() is QTextCharFormat.UnderlineStyle.WaveUnderline
    assert turn.answer.sentences[1].reason in marked.toolTip()
    assert plain.underlineStyle() is QTextCharFormat.UnderlineStyle.NoUnderline
    assert "[not supported]" in turn.as_text()
    view = turn.view
    view.selectAll()
    assert "[1]" in view.createMimeDataFromSelection().text()
    assert "[not supported]" in view.createMimeDataFromSelection().text()


def test_a_refusal_is_told_with_passages_that_are_not_evidence(rig: Rig) -> None:
    rig.answer = "赵立新住在北京市海淀区。"
    rig.open_case()
    rig.ask("赵立新住在哪里？")
    assert rig.turn.answer.refused
    assert rig.turn.findChild(object, "refusal") is not None
    assert not rig.turn.view.isVisible()
    cards = [card for card in rig.turn.findChildren(object) if getattr(card, "property", None)
             and card.property("tone") == "not-evidence"]
    assert len(cards) == min(len(rig.turn.answer.nearest), 3) > 0


def test_stop_keeps_what_was_said(rig: Rig) -> None:
    rig.answer = ANSWER * 40
    rig.open_case()
    rig.engine.hold_after(12)
    rig.case_page.conversation.ask(QUESTION)
    rig.until(lambda: rig.turn.view.text)
    composer = rig.case_page.conversation.composer
    assert composer.send.accessibleName() == "Stop"
    QTest.mouseClick(composer.send, Qt.MouseButton.LeftButton)
    rig.until(lambda: not rig.case_page.conversation.busy)
    assert rig.turn.answer is not None and rig.turn.answer.stopped
    assert composer.send.accessibleName() == "Ask"


def test_escape_stops_too(rig: Rig) -> None:
    rig.answer = ANSWER * 40
    rig.open_case()
    rig.engine.hold_after(12)
    rig.case_page.conversation.ask(QUESTION)
    rig.until(lambda: rig.turn.view.text)
    QTest.keyClick(rig.window, Qt.Key.Key_Escape)
    rig.until(lambda: not rig.case_page.conversation.busy)
    assert rig.turn.answer.stopped


def test_the_engine_dies_and_the_window_stays_usable(rig: Rig) -> None:
    """A sentence in the turn and a banner with a remedy; the next question is answered."""
    rig.open_case()
    rig.engine.hold_after(3)
    rig.case_page.conversation.ask(QUESTION)
    rig.until(lambda: rig.turn.view.text)
    rig.engine.die()
    rig.until(lambda: not rig.case_page.conversation.busy)
    banner = rig.window.banner
    assert banner.isVisible() and "stopped unexpectedly" in banner.text.text()
    assert banner.action.isVisible() and banner.action.text() == "Load the model again"
    assert rig.turn.findChild(object, "turnError") is not None
    assert rig.window.rail.engine.accessibleName().startswith("Engine: Engine stopped")
    rig.engine.release()
    rig.ask()
    assert rig.turn.view.text == ANSWER


def test_a_bug_is_told_as_one_and_logged(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    rig.engine.fail_next(ZeroDivisionError("secret text of a document"))  # type: ignore[arg-type]
    rig.open_case()
    with caplog.at_level("ERROR", "aipc.ui"):
        rig.ask()
    assert "ZeroDivisionError" in rig.window.banner.text.text()
    assert "secret" not in rig.window.banner.text.text()
    assert caplog.records


def test_a_cancelled_action_is_silent(rig: Rig) -> None:
    """Stopped while the model loads: no banner, no error in the turn."""
    rig.open_case()
    rig.engine.hold_load()
    rig.case_page.conversation.ask(QUESTION)
    rig.until(lambda: "Loading" in rig.turn.progress.text.text())
    rig.case_page.conversation.stop()
    rig.engine.release()
    rig.until(lambda: not rig.case_page.conversation.busy)
    assert not rig.window.banner.isVisible()
    assert rig.turn.findChild(object, "turnError") is None


def test_the_conversation_goes_on_and_comes_back(rig: Rig) -> None:
    """A second question belongs to the same conversation; reopening the case shows both."""
    case = rig.open_case()
    rig.ask()
    first = rig.case_page.conversation.conversation
    rig.ask("借款期限到哪一天？")
    assert rig.case_page.conversation.conversation == first
    rig.desktop.open_case(case)
    rig.until(lambda: len(rig.case_page.conversation.turns) == 2)
    assert [turn.question for turn in rig.case_page.conversation.turns] == [QUESTION, "借款期限到哪一天？"]


def test_another_case_shows_nothing_of_the_last_one(rig: Rig) -> None:
    rig.open_case()
    rig.ask()
    rig.open_case("另一案", 说明="无关的内容。")
    assert rig.case_page.conversation.turns == []
    assert rig.case_page.bench.viewer.place is None
    assert [row.document.name for row in rig.case_page.bench.documents.model.rows] == ["说明.txt"]


def test_model_text_is_never_taken_for_markup(rig: Rig) -> None:
    rig.answer = "<b>甲方</b>向乙方出借人民币500,000元。<img src=x>"
    rig.open_case()
    rig.ask()
    shown = rig.turn.view.document().toPlainText()
    assert "<b>甲方</b>" in shown or rig.turn.answer.refused


def test_copying_takes_the_sources_along(rig: Rig) -> None:
    rig.open_case()
    rig.ask()
    rig.case_page.conversation.copy_last()
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith(ANSWER) and "[1]" in copied and "合同.txt, page 1" in copied





def sentence(text: str, state: SentenceState) -> Sentence:
    return Sentence(text=text, state=state)


def test_a_sentence_judged_again_keeps_the_ones_after_it(rig: Rig) -> None:
    turn = TurnView(rig.desktop.context, QUESTION)
    rig.qtbot.addWidget(turn)
    turn.take((AnswerDelta("First said. Then this."),))
    good, doubt = SentenceState.SUPPORTED, SentenceState.IN_DOUBT
    turn.take((
        SentenceReady(0, sentence("First said.", good), ()), SentenceReady(1, sentence("Then this.", good), ()),
    ))
    turn.take((SentenceReady(0, sentence("First said.", doubt), ()),))
    assert [s.state for s in turn.view.sentences] == [doubt, good]


def test_what_the_case_does_not_bear_out_is_taken_back(rig: Rig) -> None:
    turn = TurnView(rig.desktop.context, QUESTION)
    rig.qtbot.addWidget(turn)
    turn.take((AnswerDelta("Invented."), SentenceReady(0, sentence("Invented.", SentenceState.UNSUPPORTED), ())))
    turn.take((AnswerDelta(" More."), AnswerCleared(), AnswerDelta("From the library.")))
    assert turn.view.text == "From the library."
    assert turn.view.sentences == ()


def test_a_question_asked_at_once_is_not_lost_to_the_last_conversation(rig: Rig) -> None:
    """Opening a case fetches its last conversation; who asks before it is there begins a new one."""
    case = rig.open_case()
    rig.ask()
    first = rig.case_page.conversation.conversation
    rig.desktop.open_case(case)
    rig.ask("借款期限到哪一天？")
    assert [turn.question for turn in rig.case_page.conversation.turns] == ["借款期限到哪一天？"]
    assert rig.case_page.conversation.conversation not in (None, first)
