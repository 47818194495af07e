"""A prompt as a server takes it: messages of plain text. Pure.

Here segments are tokenised apart and never as special tokens; a server renders and tokenises itself. So marks that
could open a chat turn there are broken up in what documents and users say, and tokens can only be estimated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from engine.client.openai import Message
from engine.errors import RequestInvalid
from engine.types.prompt import Prompt
from engine.types.remembering import Known, KnownSegment

# Qwen, DeepSeek, Llama 3, GLM, gpt-oss: <|…|> and <｜…｜>; Gemma: <start_of_turn>; Llama 2, Mistral: [INST], <<SYS>>.
_MARK = re.compile(
    r"<(?=[|｜][^<>]{1,60}[|｜]>|/?s>|/?(?:start|end)_of_turn>|/?(?:bos|eos|pad|unk)>|<SYS>>|</SYS>>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|AVAILABLE_TOOLS|gMASK|sop)\])"
)
_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
_TURN_TOKENS = 8  # that a chat template adds to each message


def harmless(text: str) -> str:
    """The text with a blank after the bracket of each mark of a chat template."""
    return _MARK.sub(lambda found: found[0] + " ", text)


def messages(prompt: Prompt) -> tuple[Message, ...]:
    """Raises RequestInvalid for a beginning of the answer, which a server can't be made to continue."""
    if prompt.answer_start:
        raise RequestInvalid("A server's model can't be made to go on from a given beginning.")
    return tuple(
        Message(str(turn.role), harmless("".join(segment.text for segment in turn.segments)))
        for turn in prompt.messages
    )


def estimate(text: str) -> int:
    """Tokens of a text, erring upwards for the tokenisers of today: one a Chinese character, one in three others."""
    wide = len(_WIDE.findall(text))
    return wide + -(-(len(text) - wide) // 3)


def estimates(texts: Iterable[str]) -> tuple[int, ...]:
    return tuple(estimate(text) for text in texts)


def unknown(prompt: Prompt, prefill_tokens_per_s: float) -> Known:
    """What is remembered of a prompt as far as we can know: nothing."""
    told = tuple(
        KnownSegment(segment.source, segment.kind, estimate(segment.text), 0)
        for turn in prompt.messages
        for segment in turn.segments
    )
    total = sum(segment.tokens for segment in told) + _TURN_TOKENS * len(prompt.messages)
    return Known(total, 0, told, prefill_tokens_per_s)
