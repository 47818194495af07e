"""Any local cross-encoder of sentence-transformers: reads question and passage together (extra `transformers`)."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Protocol

from aipc_app.encoder.errors import EncoderError

# Beyond what any of these models reads; keeps a pasted book out of the tokenizer.
_MAX_CHARACTERS = {"query": 2_000, "text": 8_000}


class Reranker(Protocol):
    """Says how well texts answer a query. Used from one thread."""

    def score(self, query: str, text: str) -> float:
        """Larger is better; comparable only among texts for the same query. Raises EncoderError."""
        ...


class LocalCrossEncoder:
    """A folder as sentence-transformers' CrossEncoder saves it; loaded at the first use, which takes seconds.

    No code from the folder is run, nothing is looked up on a network.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._model: Any = None

    def score(self, query: str, text: str) -> float:
        """As Reranker.score."""
        if self._model is None:
            self._model = _load(self._folder)
        pair = (query[: _MAX_CHARACTERS["query"]], text[: _MAX_CHARACTERS["text"]])
        value = float(self._model.predict([pair], show_progress_bar=False)[0])
        if not math.isfinite(value):
            raise EncoderError(
                f"The reranking model in {self._folder} gives wrong numbers on this computer; choose another one."
            )
        return value


def _load(folder: Path) -> Any:
    if not (folder / "config.json").is_file():
        raise EncoderError(
            f"There is no reranking model in {folder}; choose a folder with a config.json in Settings."
        )
    try:
        from sentence_transformers import CrossEncoder
    except ImportError as error:
        raise EncoderError(
            "Reranking models need the extra 'transformers' (pip install 'aipc[transformers]'); "
            "until then leave the reranking model out in Settings."
        ) from error
    try:
        model = CrossEncoder(str(folder), local_files_only=True, trust_remote_code=False)
    except Exception as error:  # the libraries below raise whatever they like for a bad folder
        raise EncoderError(
            f"The reranking model in {folder} can't be loaded ({type(error).__name__}); "
            "copy it again, or choose another one in Settings."
        ) from error
    if model.num_labels != 1:
        raise EncoderError(
            f"The model in {folder} sorts texts into {model.num_labels} classes instead of giving one score; "
            "choose a reranking model in Settings."
        )
    return model
