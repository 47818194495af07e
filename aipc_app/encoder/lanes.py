"""Requests waiting inside the encoder: a question goes before the indexing of documents."""

from __future__ import annotations

import threading
from collections import deque

from aipc_app.domain.encoder_wire import CancelEncode, Embed, EncoderRequest, IndexCount, IndexSearch, Rerank

_FEW_TEXTS = 8  # so few passages are not worth letting a person wait


class Lanes:
    """Two queues, first come first served in each. `put` is for the reading thread, the rest for the working one."""

    def __init__(self) -> None:
        self._urgent: deque[EncoderRequest] = deque()
        self._bulk: deque[EncoderRequest] = deque()
        self._cancelled: set[int] = set()
        self._known: set[int] = set()
        self._changed = threading.Condition()

    def put(self, request: EncoderRequest) -> None:
        """Queue a request, or note that one is no longer wanted. A cancel of what is already done is ignored."""
        with self._changed:
            if isinstance(request, CancelEncode):
                self._cancelled |= {request.id} & self._known
                return
            self._known.add(request.id)
            (self._urgent if is_urgent(request) else self._bulk).append(request)
            self._changed.notify()

    def take(self, *, wait: bool) -> EncoderRequest | None:
        """The next one, urgent first. `wait`: until there is one; else None when there is none."""
        with self._changed:
            if wait:
                self._changed.wait_for(lambda: self._urgent or self._bulk)
            waiting = self._urgent or self._bulk
            return waiting.popleft() if waiting else None

    def is_cancelled(self, request_id: int) -> bool:
        with self._changed:
            return request_id in self._cancelled

    def done(self, request_id: int) -> None:
        """It was answered; forget it."""
        with self._changed:
            self._known.discard(request_id)
            self._cancelled.discard(request_id)


class Desk:
    """Where requests arrive: long embedding and reranking have threads of their own, so that no question waits for
    a step of theirs."""

    def __init__(self) -> None:
        self.serving, self.embedding, self.reranking = Lanes(), Lanes(), Lanes()

    def put(self, request: EncoderRequest) -> None:
        """To the lanes of the thread that serves it; a cancel to all, as only one knows its request."""
        if isinstance(request, CancelEncode):
            for lanes in (self.serving, self.embedding, self.reranking):
                lanes.put(request)
        elif isinstance(request, Rerank):
            self.reranking.put(request)
        else:
            is_long = isinstance(request, Embed) and not is_urgent(request)
            (self.embedding if is_long else self.serving).put(request)


def is_urgent(request: EncoderRequest) -> bool:
    """Whether somebody waits for it: questions, look-ups, the few sentences of an answer."""
    if isinstance(request, Embed):
        return len(request.texts) <= _FEW_TEXTS
    return isinstance(request, IndexSearch | IndexCount)
