"""The prompt of the next step: instructions, what is at hand, the steps so far. Pure.

What documents say stands in user turns only, never in the system's, and each segment is tokenised apart, so that no
document can open a turn of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from aipc_app.review.tasks.wording import said
from engine.types.prompt import ChatMessage, Prompt, Role, Segment, SegmentKind

_LONGEST_RESULT = 1_600  # characters
_FEWEST_KEPT = 3  # results, however small the context


class Taken(Struct, frozen=True):
    """A step that was taken: the call as it was written, and what came of it."""

    written: str
    result: str


def prompt_of(
    task: str, language: str, contents: str, steps: Sequence[Taken], *, room: int, only_answer: bool, doubts: str = ""
) -> Prompt:
    """`room`: characters that results may take; the earliest are left out when they take more. The first step is
    code's own search, told together with what is at hand. `doubts`: why an answer was not borne out."""
    first, *rest = _within(steps, room, said("cut", language))
    hand = f"{said('contents_head', language)}\n{contents}\n\n"  # apart: the same for every task over the case
    found = f"{said('found_head', language)}\n{first.result}\n\n"
    asked = said("task", language).format(task)
    begun = _question(asked, 2, language, not rest and only_answer, "" if rest else doubts)
    messages = [
        ChatMessage(Role.SYSTEM, (Segment(SegmentKind.SYSTEM, said("instructions", language).strip()),)),
        ChatMessage(Role.USER, (*(Segment(SegmentKind.PASSAGES, text) for text in (hand, found)), begun)),
    ]
    for number, step in enumerate(rest, 2):
        told = f"{said('result', language).format(number)}\n{step.result}\n\n"
        last = number == len(steps)
        question = _question(asked, number + 1, language, last and only_answer, doubts if last else "")
        messages += [
            ChatMessage(Role.ASSISTANT, (Segment(SegmentKind.HISTORY, step.written),)),
            ChatMessage(Role.USER, (Segment(SegmentKind.PASSAGES, told), question)),
        ]
    return Prompt(tuple(messages))


def _question(asked: str, number: int, language: str, only_answer: bool, doubts: str) -> Segment:
    following = said("next_last", language) if only_answer else said("next", language).format(number)
    if doubts:
        following = f"{said('doubts', language).format(doubts)}\n{following}"
    return Segment(SegmentKind.QUESTION, f"{asked}\n{following}")


def _within(steps: Sequence[Taken], room: int, cut: str) -> list[Taken]:
    """Results shortened, and the earliest left out where all of them take more than the room."""
    kept = [Taken(step.written, _short(step.result)) for step in steps]
    for at in range(len(kept) - _FEWEST_KEPT):
        if sum(len(step.result) + len(step.written) for step in kept) <= room:
            break
        kept[at] = Taken(kept[at].written, cut)
    return kept


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_RESULT else f"{text[:_LONGEST_RESULT]}…"
