"""Search and ask."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from aipc_app.domain.answers import Answer, Conversation, Question, Turn
from aipc_app.domain.documents import LIBRARY_ID, Evidence, SearchResult, Stage
from aipc_app.domain.jobs import Changes
from aipc_app.errors import AipcError, UserMistake
from aipc_app.log import SEARCH
from aipc_app.operations.models import ensure_loaded
from aipc_app.operations.op import Op, simply
from aipc_app.operations.services import Services
from aipc_app.search.everyday import legal_words
from aipc_app.text.tokens import query_tokens, search_tokens


def prepare_search(services: Services) -> Op[bool]:
    """Wait until search by meaning can take part; False when it can't here, and search goes by keyword."""

    def work() -> bool:
        try:
            services.encoder.wait_ready()
        except AipcError as error:
            SEARCH.warning("search by keyword only: %s", type(error).__name__)
            return False
        return True

    return simply("prepare search", work)


def search_passages(services: Services, *, query: str, cases: Sequence[int], limit: int = 10) -> Op[SearchResult]:
    """The best passages of these cases (LIBRARY_ID for the law library), each stage's rank kept."""
    return simply("search", lambda: services.search.search(query, cases=tuple(cases), limit=limit))


def rerank_passages(services: Services, *, query: str, result: SearchResult) -> Op[SearchResult]:
    """What a search found, its first sorted anew by the reranking model of the settings. Takes seconds."""

    return Op("rerank", lambda _emit, cancel: services.search.rerank(query, result, cancel))


def ask(services: Services, *, question: Question) -> Op[Answer]:
    """Work out an answer. Emits AnswerEvent; cancel keeps what was said. Loads the model if need be."""

    def work(emit, cancel):  # type: ignore[no-untyped-def]
        if not any(character.isalnum() for character in question.text):
            raise UserMistake("The question is empty; write what you want to know.")
        _check_documents(services, question)
        with services.ahead.question(question.cases):
            ensure_loaded(services).run(emit, cancel)
            answer = services.answers.ask(question, emit, cancel)
        services.changes.publish(Changes(conversations=True))
        return answer

    return Op("ask", work)


def list_conversations(services: Services, *, case_id: int | None = None) -> Op[tuple[Conversation, ...]]:
    """Conversations about a case (LIBRARY_ID: about the library alone), the latest first."""
    return simply("list conversations", lambda: services.store.conversations.list(case_id))


def read_conversation(services: Services, *, conversation_id: int) -> Op[tuple[Turn, ...]]:
    return simply("read conversation", lambda: services.store.conversations.turns(conversation_id))


def delete_conversation(services: Services, *, conversation_id: int) -> Op[None]:
    def work() -> None:
        services.store.conversations.delete(conversation_id)
        services.changes.publish(Changes(conversations=True))

    return simply("delete conversation", work)


def scope(*, cases: Sequence[int], library: bool) -> tuple[int, ...]:
    """What a question searches: the cases, and the library last."""
    return (*cases, LIBRARY_ID) if library and LIBRARY_ID not in cases else tuple(cases)


def _check_documents(services: Services, question: Question) -> None:
    """Documents that were named must be there, or an answer would silently rest on less."""
    own = {d.id for case in question.cases for d in services.store.documents.of_case(case)}
    strange = sorted((question.documents or frozenset()) - own)
    if strange:
        raise UserMistake(f"Document {strange[0]} does not belong to what is asked; 'aipc documents' lists them.")


class StageFound(Struct, frozen=True, kw_only=True):
    """One way of searching: the place it gave a passage (from 1, None if it did not find it), and how much of the
    score comes from that place, from 0 to 1."""

    stage: Stage
    rank: int | None
    share: float


class FoundWhy(Struct, frozen=True, kw_only=True):
    """Why a passage is evidence. `words`: of the query, as they are searched, that stand in it; `legal_words`: the
    words of statutes for the query's that do, where words found it."""

    stages: tuple[StageFound, ...]
    score: float
    words: tuple[str, ...]
    legal_words: tuple[str, ...] = ()


def why_found(*, query: str, evidence: Evidence) -> Op[FoundWhy]:
    """Each stage's part in a passage's score, and the words of the query in it."""
    return simply("why found", lambda: _why(query, evidence))


def _why(query: str, evidence: Evidence) -> FoundWhy:
    parts = evidence.shares
    whole = sum(parts.values()) or 1.0
    passage = evidence.passage
    inside = frozenset(search_tokens(f"{passage.heading or ''} {passage.article or ''} {passage.text}"))
    words = tuple(token for token in query_tokens(query) if token in inside and len(token) > 1)
    legal = legal_words(query) if Stage.KEYWORD in evidence.ranks else ()
    return FoundWhy(
        stages=tuple(
            StageFound(stage=stage, rank=evidence.ranks.get(stage), share=parts.get(stage, 0.0) / whole)
            for stage in Stage
            if stage is not Stage.RERANK or stage in evidence.ranks
        ),
        score=evidence.score,
        words=words,
        legal_words=tuple(word for word in legal if inside.issuperset(search_tokens(word))),
    )
