"""Plans of documents: lines and footnotes as text."""

from __future__ import annotations

from aipc_app.domain.exporting import EXPORT_WORDS, Footnote, Run, footnote_text, lines_of

NOTE = Footnote(document="a.pdf", page=2, quote="one\n two", page_label="ii")


def test_a_break_begins_a_paragraph_and_notes_stay_at_the_end_of_their_run() -> None:
    runs = (Run("one\ntwo", True, (NOTE,)), Run(" three\r\n\nfour"))
    assert lines_of(runs) == (
        (Run("one", True),),
        (Run("two", True, (NOTE,)), Run(" three")),
        (Run("four"),),
    )


def test_a_footnote_is_one_line_with_the_page_as_it_is_printed() -> None:
    assert footnote_text(NOTE, EXPORT_WORDS["en"]) == "a.pdf, page ii: “one two”"
    assert footnote_text(Footnote(document="甲", page=3), EXPORT_WORDS["zh"]) == "《甲》第3页"
