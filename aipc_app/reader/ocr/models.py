"""The three networks of PP-OCR, from the files of the rapidocr package; its own code is never imported."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt
import onnxruntime

from aipc_app.reader.failure import FailureKind, ReadingError

Image: TypeAlias = npt.NDArray[np.uint8]  # rows, columns, blue-green-red
Tensor: TypeAlias = npt.NDArray[np.float32]
_FIND, _READ, _TURN = "PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx", "ch_ppocr_mobile_v2.0_cls_mobile.onnx"
_MOST_THREADS = 4
_SILENT = 4


@dataclass(frozen=True)
class Network:
    """One model with one input and one output."""

    session: Any

    def __call__(self, tensor: Tensor) -> Tensor:
        """Raises MemoryError when the file's limit is reached inside the runtime."""
        try:
            (result, *_) = self.session.run(None, {self.session.get_inputs()[0].name: tensor})
        except Exception as error:
            if "alloc" in str(error).lower():
                raise MemoryError("text recognition") from error
            raise
        return np.asarray(result, dtype=np.float32)


class Networks:
    """Where lines are, what they say, and whether one stands on its head; each is loaded when first asked.

    `alphabet`: by the reading's output.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def find(self) -> Network:
        return _open(self._folder / _FIND)

    @cached_property
    def read(self) -> Network:
        return _open(self._folder / _READ)

    @cached_property
    def turn(self) -> Network:
        return _open(self._folder / _TURN)

    @cached_property
    def alphabet(self) -> tuple[str, ...]:
        characters = self.read.session.get_modelmeta().custom_metadata_map["character"].splitlines()
        return ("", *characters, " ")


def threads() -> int:
    """A quarter of the cores and at most four: several readers may recognise at once, and the model needs the rest."""
    return max(1, min(_MOST_THREADS, (os.cpu_count() or 1) // 4))


@cache
def networks() -> Networks:
    """The same ones for the whole process. Raises ReadingError when they aren't installed."""
    cv2.setNumThreads(threads())
    return Networks(_folder())


def _folder() -> Path:
    found = importlib.util.find_spec("rapidocr")
    if found is None or not found.submodule_search_locations:
        raise ReadingError(FailureKind.ERROR, "The part that reads scans is not installed; install the program again.")
    return Path(next(iter(found.submodule_search_locations))) / "models"


def _open(path: Path) -> Network:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads()
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # it keeps the largest page's memory for good
    options.log_severity_level = _SILENT
    return Network(onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"]))
