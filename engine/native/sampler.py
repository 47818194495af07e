"""Chooses the next token: greedy or by chance, under a grammar or free."""

from __future__ import annotations

import ctypes
from typing import Any

import llama_cpp.llama_cpp as api
import numpy as np
import numpy.typing as npt

from engine.errors import RequestInvalid
from engine.native.context import Logits
from engine.native.model import Vocab
from engine.types.generation import Sampling

_PENALTY_WINDOW = 256
_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])


class Grammar:
    """A GBNF grammar's state; owns its llama_sampler."""

    def __init__(self, vocab: Vocab, text: str) -> None:
        """Raises RequestInvalid when the grammar can't be parsed."""
        self._handle: Any = api.llama_sampler_init_grammar(vocab.handle, text.encode(), b"root")
        if not text.strip() or not self._handle:
            raise RequestInvalid("The grammar of this request can't be read.")
        self._one = np.zeros(1, _CANDIDATE)

    def close(self) -> None:
        if self._handle:
            api.llama_sampler_free(self._handle)
            self._handle = None

    def allows(self, token: int) -> bool:
        self._one[0] = (token, 0.0, 0.0)
        array = _array(self._one)
        api.llama_sampler_apply(self._handle, ctypes.byref(array))
        return bool(np.isfinite(self._one["logit"][0]))

    def restrict(self, candidates: npt.NDArray[Any]) -> None:
        """Set the logit of every token that may not come next to minus infinity."""
        array = _array(candidates)
        api.llama_sampler_apply(self._handle, ctypes.byref(array))

    def accept(self, token: int) -> None:
        """Move on by a token that `allows`; any other would end the process."""
        api.llama_sampler_accept(self._handle, token)


class Sampler:
    """One request's sampler. Greedy at temperature 0: the lowest id among equal logits, so it can be repeated."""

    def __init__(self, vocab: Vocab, sampling: Sampling, grammar: str | None = None) -> None:
        """Raises RequestInvalid for a bad grammar or figures out of range."""
        _check(sampling)
        self._vocab = vocab
        self._ids = np.arange(vocab.size, dtype=np.int32)
        self._grammar = Grammar(vocab, grammar) if grammar is not None else None
        self._plain = sampling.temperature <= 0 and sampling.repeat_penalty == 1.0
        self._chain: Any = None if self._plain else _chain(vocab, sampling)

    @property
    def plain(self) -> bool:
        """Whether it is greedy, without penalties and without a grammar: the likeliest token it is."""
        return self._plain and self._grammar is None

    def close(self) -> None:
        if self._chain:
            api.llama_sampler_free(self._chain)
            self._chain = None
        if self._grammar:
            self._grammar.close()

    def sample(self, logits: Logits) -> int:
        """The next token, accepted unless it ends the generation."""
        token = self._choose(logits, restricted=False)
        if self._grammar and not self._grammar.allows(token):
            # Most tokens fit at once; the grammar over the whole vocabulary costs milliseconds.
            token = self._choose(logits, restricted=True)
        self.accept(token)
        return token

    def accept(self, token: int) -> None:
        """Take note of a token that was chosen or given."""
        if self._chain:
            api.llama_sampler_accept(self._chain, token)
        if self._grammar and not self._vocab.ends_generation(token):
            self._grammar.accept(token)

    def allows(self, token: int) -> bool:
        """Whether the grammar, if any, lets this token come next."""
        return self._grammar is None or self._grammar.allows(token)

    def _choose(self, logits: Logits, *, restricted: bool) -> int:
        if self._plain and not restricted:
            return int(np.argmax(logits))
        candidates = np.zeros(len(logits), _CANDIDATE)
        candidates["id"], candidates["logit"] = self._ids, logits
        if restricted and self._grammar:
            self._grammar.restrict(candidates)
        if self._plain:
            return int(np.argmax(candidates["logit"]))
        array = _array(candidates)
        api.llama_sampler_apply(self._chain, ctypes.byref(array))
        return int(array.data[array.selected].id)


def _array(candidates: npt.NDArray[Any]) -> Any:
    data = ctypes.cast(candidates.ctypes.data, api.llama_token_data_p)
    return api.llama_token_data_array(data, len(candidates), -1, False)


def _check(sampling: Sampling) -> None:
    if not 0 < sampling.top_p <= 1 or sampling.repeat_penalty <= 0 or sampling.temperature < 0:
        raise RequestInvalid("Temperature, top-p or repeat penalty are out of range.")


def _chain(vocab: Vocab, sampling: Sampling) -> Any:
    chain = api.llama_sampler_chain_init(api.llama_sampler_chain_default_params())
    steps = []
    if sampling.repeat_penalty != 1.0:
        steps.append(
            api.llama_sampler_init_penalties(vocab.size, _PENALTY_WINDOW, sampling.repeat_penalty, 0.0, 0.0)
        )
    if sampling.temperature <= 0:
        steps.append(api.llama_sampler_init_greedy())
    else:
        steps += [
            api.llama_sampler_init_top_k(sampling.top_k),
            api.llama_sampler_init_top_p(sampling.top_p, 1),
            api.llama_sampler_init_temp(sampling.temperature),
            api.llama_sampler_init_dist(sampling.seed % 0xFFFFFFFF),  # 0xFFFFFFFF would mean: by the clock
        ]
    for step in steps:
        api.llama_sampler_chain_add(chain, step)
    return chain
