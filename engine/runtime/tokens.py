"""A rendered prompt as tokens, and where its prefill may be cut."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Protocol

from engine.runtime.template import Rendered
from engine.types.prompt import Segment, SegmentKind

SHORTEST_PIECE = 32
_OF_THE_QUESTION = (SegmentKind.PASSAGES, SegmentKind.QUESTION)
_OF_A_TURN = (SegmentKind.HISTORY, *_OF_THE_QUESTION)


class Vocabulary(Protocol):
    """What is asked of a model's vocabulary."""

    bos: int
    adds_bos: bool

    def tokenize(self, text: str, *, parse_special: bool) -> list[int]: ...
    def piece(self, token: int, *, special: bool = False) -> bytes: ...
    def is_special(self, token: int) -> bool: ...
    def is_control(self, token: int) -> bool: ...


@dataclass(frozen=True)
class Span:
    """Where a segment's tokens are."""

    segment: Segment
    start: int
    end: int


@dataclass(frozen=True)
class PromptTokens:
    """`cuts` are the ends of the prefill's pieces, ascending; the last is the prompt's end.

    `lasting` are those cuts that a longer prompt with the same segments has too, up to the last segment's end.
    """

    tokens: tuple[int, ...]
    cuts: tuple[int, ...]
    thinking: bool
    lasting: tuple[int, ...] = ()
    spans: tuple[Span, ...] = ()

    def before_question(self) -> PromptTokens:
        """The prompt up to the last lasting cut before its first passages or question."""
        ends = [span.start for span in self.spans if span.segment.kind in _OF_THE_QUESTION]
        first = min(ends, default=len(self.tokens))
        end = max((cut for cut in self.lasting if cut <= first), default=0)
        lasting = tuple(cut for cut in self.lasting if cut <= end)
        spans = tuple(span for span in self.spans if span.end <= end)
        return PromptTokens(self.tokens[:end], lasting, self.thinking, lasting, spans)


def prompt_tokens(vocab: Vocabulary, rendered: Rendered, piece: int) -> PromptTokens:
    """Tokenise part by part: the template's text with special tokens, each segment's apart and as plain text."""
    tokens, ends = ([vocab.bos] if vocab.adds_bos else []), []
    marks: set[int] = set()
    spans: list[Span] = []
    parts = [
        (part, vocab.tokenize(part.text, parse_special=True) if part.template else None) for part in rendered.parts
    ]
    for _, found in parts:
        marks.update(token for token in found or () if vocab.is_special(token))
    for part, found in parts:
        if found is None:
            start = len(tokens)
            tokens += plain_tokens(vocab, part.text, marks)
            ends.append(len(tokens))
            if part.segment is not None:
                spans.append(Span(part.segment, start, len(tokens)))
        elif vocab.adds_bos and tokens == found[:1] == [vocab.bos]:
            tokens = found  # the template brings its own
        else:
            tokens += found
    total, last = len(tokens), max((span.end for span in spans), default=0)
    turn = [span.start for span in spans if span.segment.kind in _OF_A_TURN][:1]
    lasting = cut_points(total, [span.end for span in spans], piece, turn)
    return PromptTokens(
        tuple(tokens), cut_points(total, ends[:-1], piece, turn), rendered.thinking,
        tuple(cut for cut in lasting if cut <= last), tuple(spans),
    )  # fmt: skip


def plain_tokens(vocab: Vocabulary, text: str, marks: Set[int] = frozenset()) -> list[int]:
    """Tokens of a document's text, in which nothing is a turn's mark.

    llama.cpp leaves control tokens alone here, but not those a model file declares as "user defined"; where one of
    the template's own marks still comes out, the text is broken inside it, so that its letters remain letters.
    """
    tokens = vocab.tokenize(text, parse_special=False)
    for token in tokens:
        if token in marks or vocab.is_control(token):
            mark = vocab.piece(token, special=True).decode("utf-8", "replace")
            at = text.find(mark)
            if len(mark) < 2 or at < 0:
                continue
            return plain_tokens(vocab, text[: at + 1], marks) + plain_tokens(vocab, text[at + 1 :], marks)
    return tokens


def cut_points(
    total: int, segment_ends: Sequence[int], piece: int, always: Sequence[int] = ()
) -> tuple[int, ...]:
    """Where the prefill's pieces end: after `piece` tokens, or at a segment's end if that makes no crumb.

    A cut depends only on what stands before it, so two prompts with a common beginning of whole segments have the
    same cuts there, and a prefix taken from the cache goes on exactly as a cold prefill would. `always` are cuts even
    if that makes a crumb: where the first turn's own text begins, since after a long document each token that a
    question needn't compute again is a twentieth of a second on a small PC.
    """
    cuts, start = [], 0
    for end in [*sorted({*segment_ends, *always}), total]:
        while end - start > piece:
            start += piece
            cuts.append(start)
        if end > start and (end == total or end in always or end - start >= SHORTEST_PIECE):
            start = end
            cuts.append(end)
    return tuple(cuts)
