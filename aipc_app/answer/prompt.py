"""The prompt, stable part first. Pure: same material and question, same prompt; no clock, no random id.

System text, then the documents in the case's own order: that prefix is the same for every question. History
follows as it was sent; then what was found for this question alone, then how to answer, then the question. How to
answer is a segment of its own, so that where nothing was found for the question it is remembered with the documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from aipc_app.answer.material import Source
from aipc_app.answer.wording import DOCUMENT_HEAD, PAGE_HEAD, SYSTEM, Wording, split_instruction
from aipc_app.domain.answers import Turn
from aipc_app.domain.remembering import document_label
from engine.types.prompt import ChatMessage, Prompt, Role, Segment, SegmentKind


def build(
    *,
    documents: Sequence[Source],
    history: Sequence[Turn],
    passages: str,
    question: str,
    passage_source: str = "",
) -> Prompt:
    """`documents` in whole mode, else empty; the texts as `passages_text` and `question_text` made them.

    Each document is a segment whose source is its label; `passage_source` names those the passages are of.
    """
    messages = [ChatMessage(Role.SYSTEM, (Segment(SegmentKind.SYSTEM, SYSTEM), *_document_segments(documents)))]
    for turn in history:
        messages.append(_user(turn.sent_passages, turn.sent_question, SegmentKind.HISTORY))
        messages.append(ChatMessage(Role.ASSISTANT, (Segment(SegmentKind.HISTORY, turn.said),)))
    messages.append(_user(passages, question, SegmentKind.QUESTION, passage_source))
    return Prompt(tuple(messages))


def replace_question(prompt: Prompt, question: str) -> Prompt:
    """The same prompt with another question at its end, and nothing about how to answer."""
    *before, last = prompt.messages
    passages = tuple(segment for segment in last.segments if segment.kind is SegmentKind.PASSAGES)
    segments = (*passages, Segment(SegmentKind.QUESTION, question, last.segments[-1].source))
    return Prompt((*before, ChatMessage(last.role, segments)), prompt.answer_start)


def passages_text(sources: Iterable[Source], words: Wording) -> str:
    """Found passages as the model reads them: the case's first, then the library's under a head of their own."""
    found = tuple(sources)
    case = [_passage(s, words) for s in found if not s.library]
    library = [_passage(s, words) for s in found if s.library]
    parts = [
        head + "\n".join(items) + "\n\n" for head, items in ((words.passages, case), (words.library, library)) if items
    ]
    return "".join(parts)


def question_text(question: str, words: Wording) -> str:
    return f"{words.instruction}\n{words.question}{question.strip()}"


def document_texts(sources: Sequence[Source]) -> tuple[str, ...]:
    """One text per document, with its name and page marks, in the order given."""
    return tuple(_texts_by_document(sources).values())


def sources_label(sources: Iterable[Source]) -> str:
    """Whose text these are, as one label: each document once, in their order."""
    return "+".join(dict.fromkeys(document_label(source.document_id) for source in sources))


def _texts_by_document(sources: Sequence[Source]) -> dict[int, str]:
    texts: dict[int, str] = {}
    for source in sources:
        head = "" if source.document_id in texts else DOCUMENT_HEAD.format(name=source.document)
        body = PAGE_HEAD.format(page=source.page) + source.text.strip() + "\n"
        texts[source.document_id] = texts.get(source.document_id, "") + head + body
    return texts


def _document_segments(sources: Sequence[Source]) -> tuple[Segment, ...]:
    texts = _texts_by_document(sources)
    return tuple(Segment(SegmentKind.DOCUMENTS, text, document_label(id_)) for id_, text in texts.items())


def _user(passages: str, question: str, kind: SegmentKind, source: str = "") -> ChatMessage:
    found = (Segment(SegmentKind.PASSAGES, passages, source),) if passages else ()
    instruction, asked = split_instruction(question)
    how = (Segment(SegmentKind.SYSTEM, instruction),) if instruction else ()
    return ChatMessage(Role.USER, (*found, *how, Segment(kind, asked)))


def _passage(source: Source, words: Wording) -> str:
    place = f"{source.document} {words.page.format(page=source.page)} {source.label}".strip()
    along = f"（{words.along}）" if source.along else ""
    return f"【{place}{along}】{source.text.strip()}"
