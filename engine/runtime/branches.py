"""Answers that are decoded side by side, each on a sequence of its own that shares one prefix."""

from __future__ import annotations

import time
from collections.abc import Sequence

from engine.native.context import Context, Logits, State
from engine.runtime.answer import Answer
from engine.runtime.tokens import SHORTEST_PIECE, PromptTokens
from engine.types.generation import FinishReason, Timing


class Branch:
    """One answer of several: its tokens, how many of them its sequence holds, and its cells set aside."""

    def __init__(self, index: int, answer: Answer, max_tokens: int) -> None:
        self.index, self.answer, self.max_tokens = index, answer, max_tokens
        self.tokens = list(answer.prompt.tokens)
        self.sequence, self.held = -1, 0
        self.restored, self.prefill_s = 0, 0.0
        self._aside: State | None = None
        self._began = 0.0

    @property
    def prompt_tokens(self) -> int:
        return len(self.answer.prompt.tokens)

    @property
    def behind(self) -> int:
        """Tokens still to compute."""
        return len(self.tokens) - self.held

    def need(self, shared: int) -> int:
        """Cells it may take beside those it shares."""
        return self.prompt_tokens - shared + self.max_tokens

    def fork(self, context: Context, source: int, sequence: int, shared: int) -> None:
        """Live on `sequence`, which begins with the first `shared` tokens of `source`."""
        if shared:
            context.copy(source, sequence, shared)
        self.sequence, self.held, self.restored = sequence, shared, shared
        self._began = time.monotonic()

    def piece(self, most: int) -> Sequence[int]:
        """The next tokens to compute: up to the next cut of its prompt, and at most `most`."""
        cuts = [*self.answer.prompt.cuts, len(self.tokens)]
        end = min(cut for cut in cuts if cut > self.held)
        return self.tokens[self.held : min(end, self.held + most)]

    def computed(self, count: int) -> None:
        """`count` more tokens are in its cells."""
        self.held += count
        if not self.prefill_s and self.held >= self.prompt_tokens:
            self.prefill_s = time.monotonic() - self._began

    def speak(self, logits: Logits) -> FinishReason | None:
        """Choose the token after the last one; why the answer has ended, None when it goes on."""
        token = self.answer.choose(logits)
        reason = self.answer.take(token)
        if reason is None:
            self.tokens.append(token)
        return reason

    def timing(self, queued_at: float, queue_s: float) -> Timing:
        """Its figures; what it shares counts as restored."""
        prefilled = max(0, min(self.held, self.prompt_tokens) - self.restored)
        read = Timing(
            prompt_tokens=self.prompt_tokens, restored_tokens=self.restored, prefilled_tokens=prefilled,
            queue_s=queue_s, prefill_s=self.prefill_s,
        )  # fmt: skip
        return self.answer.timing(read, queued_at)

    def set_aside(self, context: Context, scratch: int, shared: int) -> None:
        """Copy what it has beyond the shared prefix to RAM and leave the context."""
        if self.held > shared:
            context.copy(self.sequence, scratch, -1, shared)
            self._aside = context.save(scratch)
            context.drop(scratch)
        context.drop(self.sequence)

    def bring_back(self, context: Context, source: int, shared: int) -> None:
        """Be in the context again as before `set_aside`; what can't be brought back is computed again."""
        state, self._aside = self._aside, None
        if state is None or not context.restore(self.sequence, state):
            self.held = min(self.held, shared)
        if shared:
            context.copy(source, self.sequence, shared)


def shared_length(prompts: Sequence[PromptTokens]) -> int:
    """Tokens that all prompts share from their beginning, of which each leaves one or more to compute.

    It ends at a cut of all of them unless that would give away a piece worth computing once.
    """
    least = min(len(prompt.tokens) for prompt in prompts)
    first = prompts[0].tokens
    common = next(
        (i for i in range(least) if any(prompt.tokens[i] != first[i] for prompt in prompts)), least
    )  # fmt: skip
    common = min(common, least - 1)
    cuts = set(prompts[0].cuts).intersection(*(prompt.cuts for prompt in prompts))
    at_cut = max((cut for cut in cuts if cut <= common), default=0)
    return at_cut if common - at_cut < SHORTEST_PIECE else common
