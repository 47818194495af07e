"""A conversation as plain text, Markdown or a document's plan, sources included. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aipc_app.domain.answers import Answer, Citation, SentenceState
from aipc_app.domain.exporting import DocumentPlan, ExportSection, Footnote, Paragraph, Run
from aipc_app.ui.case.conversation.pieces import pieces
from aipc_app.ui.case.conversation.where import where_told
from aipc_app.ui.words import Words

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~])")


def answer_text(answer: Answer, words: Words) -> str:
    """The answer with [1] after its sentences, marks in words, and its sources below."""
    parts = [_body(answer, words)]
    if answer.citations:
        parts.append("\n".join([words("answer.sources"), *(_source(item, words) for item in answer.citations)]))
    return "\n\n".join(parts)


def conversation_text(title: str, answers: Sequence[Answer], words: Words) -> str:
    """All turns as plain text."""
    turns = [f"{words('answer.question')}: {answer.question}\n\n{answer_text(answer, words)}" for answer in answers]
    return "\n\n".join([title, *turns]) + "\n"


def conversation_markdown(title: str, answers: Sequence[Answer], words: Words) -> str:
    """All turns as Markdown; text of documents and models is escaped, quotes stand as block quotes."""
    blocks = [f"# {_escape(title)}"]
    for answer in answers:
        blocks += [f"## {_escape(answer.question)}", _escape(_body(answer, words), keep_numbers=True)]
        blocks += [_markdown_source(item, words) for item in answer.citations]
    return "\n\n".join(blocks) + "\n"


def conversation_plan(title: str, answers: Sequence[Answer], words: Words) -> DocumentPlan:
    """All turns, a section a question, with footnotes for the sources."""
    sections = tuple(ExportSection(answer.question, _paragraphs(answer, words)) for answer in answers)
    return DocumentPlan(
        title=title, language=words.language, sections=sections, notice=words("export.notice"),
        contents=len(answers) > 1,
    )  # fmt: skip


def _paragraphs(answer: Answer, words: Words) -> tuple[Paragraph, ...]:
    """The answer's own paragraphs; notes and marks stand behind the sentence they belong to."""
    if answer.refused:
        return (Paragraph((Run(answer.text),), remark=True),)
    notes = {one.marker: Footnote(document=one.document, page=one.page, quote=one.quote, page_label=one.page_label)
             for one in answer.citations}
    paragraphs: list[list[Run]] = [[]]
    for piece in pieces(answer.text, answer.sentences):
        first, *rest = piece.text.split("\n")
        paragraphs[-1].append(Run(first))
        paragraphs += [[Run(line)] for line in rest]
        sentence = piece.sentence
        if sentence is None:
            continue
        found = tuple(notes[marker] for marker in sentence.citations if marker in notes)
        supported = sentence.state is SentenceState.SUPPORTED
        mark = "" if supported else f" [{words(f'answer.mark_{sentence.state.value}')}]"
        paragraphs[-1].append(Run(mark, notes=found))
    return tuple(Paragraph(tuple(runs)) for runs in paragraphs if any(run.text.strip() for run in runs))


def _body(answer: Answer, words: Words) -> str:
    if answer.refused:
        return answer.text
    parts = []
    for piece in pieces(answer.text, answer.sentences):
        sentence = piece.sentence
        if sentence is None:
            parts.append(piece.text)
            continue
        body = piece.text.rstrip()
        signs = "".join(f" [{marker}]" for marker in sentence.citations)
        if sentence.state is not SentenceState.SUPPORTED:
            signs += f" [{words(f'answer.mark_{sentence.state.value}')}]"
        parts.append(body + signs + piece.text[len(body):])
    return "".join(parts).strip()


def _source(citation: Citation, words: Words) -> str:
    where = where_told(words, citation.document, citation.page, citation.page_label)
    return f"[{citation.marker}] {where}: “{' '.join(citation.quote.split())}”"


def _markdown_source(citation: Citation, words: Words) -> str:
    where = where_told(words, citation.document, citation.page, citation.page_label)
    quote = "\n".join(f"> {_escape(line)}" for line in citation.quote.splitlines() or [""])
    return f"**[{citation.marker}]** {_escape(where)}\n\n{quote}"


def _escape(text: str, *, keep_numbers: bool = False) -> str:
    escaped = _MARKUP.sub(r"\\\1", text)
    return re.sub(r"\\\[(\d+)\\\]", r"[\1]", escaped) if keep_numbers else escaped
