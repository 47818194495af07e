"""The order in which requests are served, and that each gets exactly one reply."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from msgspec import Struct

from aipc_app.domain.encoder_wire import (
    CancelEncode,
    Embed,
    Embedded,
    EncodeFailed,
    EncoderRequest,
    IndexAdd,
    IndexCount,
    IndexDone,
    IndexSearch,
    Neighbours,
    Rerank,
    TextKind,
)
from aipc_app.encoder.embedder import Matrix
from aipc_app.encoder.lanes import Desk, Lanes
from aipc_app.encoder.memory import MemoryIndex
from aipc_app.encoder.service import EncoderService


class Letters:
    """Counts a's and b's; does what a test wants in the middle of its work."""

    identity, geometry, dimensions, batch = "letters-1", "as-embedded", 2, 4

    def __init__(self) -> None:
        self.worked_on: list[tuple[str, ...]] = []
        self.during: Callable[[], None] = lambda: None

    def embed(self, texts: Sequence[str], kind: TextKind) -> Matrix:
        self.worked_on.append(tuple(texts))
        self.during()
        if "crash" in texts:
            raise ValueError("about the user's secret text")
        return np.array([[text.count("a"), text.count("b")] for text in texts], dtype=np.float32)

    def for_index(self, rows: Matrix, kind: TextKind) -> Matrix:
        return rows


class Bench:
    def __init__(self) -> None:
        self.letters, self.lanes, self.replies = Letters(), Lanes(), list[Struct]()
        self.service = EncoderService(self.letters, MemoryIndex(), self.lanes, self.replies.append)

    def serve(self, *requests: EncoderRequest, until: int) -> list[Struct]:
        """Put all in, then work until there are so many replies."""
        for request in requests:
            self.lanes.put(request)
        while len(self.replies) < until:
            self.service.turn()
        return self.replies


@pytest.fixture
def bench() -> Bench:
    return Bench()


def passages(id_: int, count: int) -> Embed:
    return Embed(id_, tuple("a" * (number + 1) for number in range(count)), TextKind.PASSAGE)


def question(id_: int) -> Embed:
    return Embed(id_, ("bb",), TextKind.QUERY)


def ids(replies: list[Struct]) -> list[int]:
    return [reply.id for reply in replies]  # type: ignore[attr-defined]


def test_rows_come_back_in_the_order_of_the_texts(bench: Bench) -> None:
    (reply,) = bench.serve(Embed(1, ("aaa", "b", "aaaaaaaa", "", "ab", "a" * 5), TextKind.PASSAGE), until=1)
    assert isinstance(reply, Embedded)
    assert np.frombuffer(reply.vectors, "<f4").reshape(-1, 2)[:, 0].tolist() == [3, 0, 8, 0, 1, 5]


def test_a_question_that_comes_during_a_long_batch_is_answered_before_its_next_step(bench: Bench) -> None:
    def ask_once() -> None:
        bench.letters.during = lambda: None
        bench.lanes.put(question(2))

    bench.letters.during = ask_once
    assert ids(bench.serve(passages(1, 20), until=2)) == [2, 1]
    assert bench.letters.worked_on[1] == ("bb",)


def test_two_long_batches_take_turns(bench: Bench) -> None:
    assert ids(bench.serve(passages(1, 100), passages(2, 12), until=2)) == [2, 1]


def test_cancelled_work_stops_after_its_step_and_says_so(bench: Bench) -> None:
    bench.letters.during = lambda: bench.lanes.put(CancelEncode(1))
    (reply,) = bench.serve(passages(1, 100), until=1)
    assert reply == EncodeFailed(id=1, kind="cancelled", reason="Cancelled.")
    assert len(bench.letters.worked_on) == 1


def test_a_cancel_that_comes_too_late_does_nothing_to_later_requests(bench: Bench) -> None:
    bench.serve(question(1), until=1)
    replies = bench.serve(CancelEncode(1), question(1), until=2)
    assert all(isinstance(reply, Embedded) for reply in replies)


def test_an_error_is_told_without_the_users_words_and_the_next_request_is_served(bench: Bench) -> None:
    failed, done = bench.serve(Embed(1, ("crash",), TextKind.QUERY), question(2), until=2)
    assert isinstance(failed, EncodeFailed)
    assert failed.kind == "error"
    assert "secret" not in failed.reason
    assert isinstance(done, Embedded)


def test_vectors_of_another_size_are_refused(bench: Bench) -> None:
    wrong = IndexAdd(1, "case-2", (1, 2), (1, 1), b"\0" * 24)
    failed, count = bench.serve(wrong, IndexCount(2, "case-2"), until=2)[::-1]
    assert isinstance(failed, EncodeFailed)
    assert count == IndexDone(id=2, count=0)


def test_added_vectors_are_found(bench: Bench) -> None:
    rows = np.eye(2, dtype="<f4")
    bench.serve(IndexAdd(1, "case-2", (7, 8), (1, 1), rows.tobytes()), until=1)
    found = bench.serve(IndexSearch(2, "case-2", rows[1].tobytes(), 1), until=2)[1]
    assert found == Neighbours(id=2, passage_ids=(8,), similarities=(1.0,))


def test_long_texts_are_embedded_in_smaller_steps(bench: Bench) -> None:
    bench.serve(Embed(1, ("a" * 1000,) * 20, TextKind.PASSAGE), until=1)
    assert {len(texts) for texts in bench.letters.worked_on} == {1}


def test_long_embedding_and_everything_else_go_to_different_threads() -> None:
    desk = Desk()
    for request in (passages(1, 20), question(2), IndexCount(3, "case-2"), passages(4, 2), CancelEncode(1)):
        desk.put(request)
    assert desk.embedding.take(wait=False) == passages(1, 20)
    assert desk.embedding.take(wait=False) is None
    assert desk.embedding.is_cancelled(1)
    assert [desk.serving.take(wait=False).id for _ in range(3)] == [2, 3, 4]  # type: ignore[union-attr]


def test_reranking_has_a_thread_of_its_own_and_a_cancel_reaches_it() -> None:
    desk = Desk()
    for request in (Rerank(1, "q", ("a", "b")), question(2), CancelEncode(1)):
        desk.put(request)
    assert desk.serving.take(wait=False) == question(2)
    assert desk.reranking.take(wait=False) == Rerank(1, "q", ("a", "b"))
    assert desk.reranking.is_cancelled(1)


def test_reranking_stops_after_the_text_at_which_it_was_cancelled() -> None:
    lanes, replies, read = Lanes(), list[Struct](), list[str]()

    class Reading:
        def score(self, query: str, text: str) -> float:
            read.append(text)
            lanes.put(CancelEncode(1))
            return 0.0

    service = EncoderService(Letters(), MemoryIndex(), lanes, replies.append, Reading())
    lanes.put(Rerank(1, "q", ("a", "b", "c")))
    while not replies:
        service.turn()
    assert replies == [EncodeFailed(id=1, kind="cancelled", reason="Cancelled.")]
    assert read == ["a"]


def test_without_a_reranking_model_the_request_is_refused_in_a_sentence(bench: Bench) -> None:
    (failed,) = bench.serve(Rerank(1, "q", ("a",)), until=1)
    assert isinstance(failed, EncodeFailed) and "no reranking model" in failed.reason


def test_nothing_to_embed_or_add_is_answered(bench: Bench) -> None:
    replies = bench.serve(Embed(1, (), TextKind.PASSAGE), IndexAdd(2, "case-2", (), (), b""), until=2)
    assert {type(reply) for reply in replies} == {Embedded, IndexDone}
