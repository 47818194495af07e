"""Asks the loaded model whether a span states a claim, by the probability it gives to yes.

Small models answer this better than they refuse (design.md §3): measured on pairs in both languages, the default
model separates true from false, the smallest one does not; so a model is believed only after `trusted`.
"""

from __future__ import annotations

import math

from aipc_app.answer.wording import wording
from engine.client.base import EngineClient
from engine.types.generation import ScoreRequest
from engine.types.prompt import ChatMessage, Prompt, Role, Segment, SegmentKind

TRUSTED_PARAMETERS = 1_000_000_000  # measured: 1.5B AUC 0.92, 0.5B AUC 0.52


def trusted(parameters: int) -> bool:
    """Is a model of this size worth asking?"""
    return parameters >= TRUSTED_PARAMETERS


def support_probability(engine: EngineClient, *, source: str, question: str, claim: str, language: str) -> float:
    """P(yes) / (P(yes) + P(no)) that `source` states `claim` as an answer to `question`. Blocks."""
    words = wording(language)
    text = words.judge.format(source=source, question=question, claim=claim)
    prompt = Prompt((ChatMessage(Role.USER, (Segment(SegmentKind.QUESTION, text),)),))
    scores = engine.score(ScoreRequest(prompt, (words.yes, words.no))).logprobs
    return 1.0 / (1.0 + math.exp(min(60.0, scores[1] - scores[0])))
