"""Asks the loaded model whether the material answers the question, by the probability it gives to yes.

Asked whether a claim is right, the default model says yes to true and invented ones alike; asked whether a text
can answer a question, without being shown the claim, it tells them apart (decisions/0002). Small models can't.
"""

from __future__ import annotations

import math

from aipc_app.answer.wording import Wording
from engine.client.base import EngineClient
from engine.types.generation import ScoreRequest
from engine.types.prompt import ChatMessage, Prompt, Role, Segment, SegmentKind

TRUSTED_PARAMETERS = 1_000_000_000  # the 1.5B model separates; the 0.5B one is at chance
# Mean of the two probabilities below. Chosen on a part of the samples' questions (decisions/0002).
SUPPORT_FROM = 0.65
DOUBT_FROM = 0.55


def trusted(parameters: int) -> bool:
    """Is a model of this size worth asking?"""
    return parameters >= TRUSTED_PARAMETERS


def quote_prompt(source: str, question: str, words: Wording) -> Prompt:
    """Can this quote, with the page around it, answer the question?"""
    text = words.judge_quote.format(source=source, question=question)
    return Prompt((ChatMessage(Role.USER, (Segment(SegmentKind.QUESTION, text),)),))


def material_question(question: str, words: Wording) -> str:
    """Can all of the material answer it? Asked in the place of the question, so that the prefix is reused."""
    return words.judge_material.format(question=question)


def probability_of_yes(engine: EngineClient, prompt: Prompt, words: Wording, *, owner: str = "") -> float:
    """P(yes) / (P(yes) + P(no)) of the model's next words; what is read is kept for `owner`. Blocks."""
    yes, no = engine.score(ScoreRequest(prompt, (words.yes, words.no), owner=owner)).logprobs
    return 1.0 / (1.0 + math.exp(min(60.0, no - yes)))
