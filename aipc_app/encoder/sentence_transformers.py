"""Any local sentence-transformers model folder, on CPU or GPU (extra `transformers`)."""

from __future__ import annotations

import importlib.metadata
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from aipc_app.domain.encoder_wire import TextKind
from aipc_app.encoder.embedder import Matrix, content_hash
from aipc_app.encoder.errors import EmbedderUnusable

_WEIGHTS = ("*.safetensors", "pytorch_model*.bin")
# Beyond what any of these models reads; keeps a query of 100,000 characters out of the tokenizer.
_MAX_CHARACTERS = 32_000


class LocalModel:
    """A model folder as sentence-transformers saves it. Prompts and pooling come from the folder's own config.

    No code from the folder is run (`trust_remote_code` stays off), nothing is looked up on a network.
    """

    geometry = "as-embedded"

    def __init__(self, folder: Path | None) -> None:
        if folder is None or not (folder / "config.json").is_file():
            raise EmbedderUnusable(
                f"There is no sentence-transformers model in {folder or 'the settings'}; "
                "choose a folder with a config.json in Settings."
            )
        self._model = _load(folder)
        self._turn = threading.Lock()  # a fast tokenizer can't be used by two threads
        version = importlib.metadata.version("sentence-transformers")
        weights = [path for pattern in _WEIGHTS for path in folder.rglob(pattern)]
        configs = list(folder.rglob("*config*.json"))
        self.identity = f"sentence-transformers-{version}/{folder.name}/{content_hash(weights + configs)}"
        self.dimensions = int(self._model.get_embedding_dimension())
        self.batch = 64 if self._model.device.type == "cuda" else 8

    def embed(self, texts: Sequence[str], kind: TextKind) -> Matrix:
        """As Embedder.embed. Texts are cut where the model's own limit is."""
        encode = self._model.encode_query if kind is TextKind.QUERY else self._model.encode_document
        with self._turn:
            rows = encode(
                [text[:_MAX_CHARACTERS] for text in texts],
                batch_size=self.batch, show_progress_bar=False, convert_to_numpy=True, normalize_embeddings=True,
            )  # fmt: skip
        return np.asarray(rows, dtype=np.float32)

    def for_index(self, rows: Matrix, kind: TextKind) -> Matrix:
        """As Embedder.for_index: nothing is changed."""
        return rows


def _load(folder: Path) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise EmbedderUnusable(
            "Models of this kind need the extra 'transformers' (pip install 'aipc[transformers]'); "
            "until then choose the built-in model in Settings."
        ) from error
    try:
        return SentenceTransformer(str(folder), local_files_only=True, trust_remote_code=False)
    except Exception as error:  # the libraries below raise whatever they like for a bad folder
        raise EmbedderUnusable(
            f"The embedding model in {folder} can't be loaded ({type(error).__name__}); "
            "copy it again, or choose another one in Settings."
        ) from error
