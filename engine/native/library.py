"""Opens llama.cpp: its backends, its logger, and a check that the binding and the library agree."""

from __future__ import annotations

import ctypes
import difflib
import importlib.metadata
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import llama_cpp
import llama_cpp.llama_cpp as api

from engine.errors import EngineError
from engine.native.logs import LogCapture

BINDING_VERSION = "0.3.36"
_BACKEND_LINE = re.compile(r"loaded (\S+) backend from (\S+)")


class LibraryBroken(EngineError):
    """llama.cpp can't be used on this machine; the message says why."""


@dataclass(frozen=True)
class Library:
    """llama.cpp, opened. `ggml` and `base` are the process image's own libggml and libggml-base."""

    ggml: ctypes.CDLL
    base: ctypes.CDLL
    log: LogCapture
    cpu_backend: str
    versions: dict[str, str]


def set_fields(struct: ctypes.Structure, **values: Any) -> None:
    """Set fields of a ctypes struct; an unknown name raises AttributeError, where ctypes itself stays silent."""
    known = [field[0] for field in struct._fields_]
    for name, value in values.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise AttributeError(f"{type(struct).__name__} has no field {name}{hint}")
        setattr(struct, name, value)


def open_library() -> Library:
    """Load the backends, take the log, check the binding. Raises LibraryBroken. Call once, in a child."""
    os.environ.setdefault("GGML_NO_BACKTRACE", "1")  # on an abort ggml would fork a debugger over us
    log = LogCapture()
    log.install()
    ggml, base = _open_ggml()
    folder = _backend_folder()
    if folder is not None:
        ggml.ggml_backend_load_all_from_path(os.fsencode(folder))
    if ggml.ggml_backend_dev_count() == 0:
        raise LibraryBroken("llama.cpp found no backend that runs on this processor; install the program again.")
    api.llama_backend_init()
    _check_binding()
    return Library(ggml, base, log, _cpu_backend(log), _versions(base))


def _open_ggml() -> tuple[ctypes.CDLL, ctypes.CDLL]:
    """libggml and libggml-base under the very names libllama links.

    A wheel stores the library's symlinks as separate copies; any other name would be a second library with a
    registry of its own that no model load ever looks at.
    """
    folder = Path(str(api._base_path))
    ggml = ctypes.CDLL(str(_present(folder, "ggml")))
    base = ctypes.CDLL(str(_present(folder, "ggml-base")))
    _bind(ggml.ggml_backend_load_all_from_path, None, ctypes.c_char_p)
    _bind(ggml.ggml_backend_dev_count, ctypes.c_size_t)
    _bind(ggml.ggml_backend_dev_get, ctypes.c_void_p, ctypes.c_size_t)
    for name in ("name", "description"):
        _bind(getattr(base, f"ggml_backend_dev_{name}"), ctypes.c_char_p, ctypes.c_void_p)
    _bind(base.ggml_backend_dev_type, ctypes.c_int, ctypes.c_void_p)
    _bind(base.ggml_backend_dev_backend_reg, ctypes.c_void_p, ctypes.c_void_p)
    _bind(base.ggml_backend_reg_get_proc_address, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)
    size = ctypes.POINTER(ctypes.c_size_t)
    _bind(base.ggml_backend_dev_memory, None, ctypes.c_void_p, size, size)
    for name in ("ggml_version", "ggml_commit"):
        _bind(getattr(base, name), ctypes.c_char_p)
    return ggml, base


def _bind(function: Any, result: Any, *arguments: Any) -> None:
    function.restype, function.argtypes = result, list(arguments)


def _present(folder: Path, stem: str) -> Path:
    """The library of that stem which libllama itself links on this system."""
    if sys.platform == "win32":
        names = [f"{stem}.dll"]
    elif sys.platform == "darwin":
        names = [f"lib{stem}.0.dylib", f"lib{stem}.dylib"]
    else:
        names = [f"lib{stem}.so.0", f"lib{stem}.so"]
    for name in names:
        if (folder / name).exists():
            return folder / name
    raise LibraryBroken(f"{names[0]} is missing from the program's folder; install the program again.")


def _backend_folder() -> Path | None:
    """Where the dynamic backends are; None for a build that has them linked in."""
    package = Path(str(llama_cpp.__file__)).parent
    for folder in (package.parent / "bin", package / "bin", package / "lib"):
        if folder.is_dir() and any("ggml-cpu" in path.name for path in folder.iterdir()):
            return folder
    return None


def _cpu_backend(log: LogCapture) -> str:
    for line in log.lines():
        found = _BACKEND_LINE.search(line)
        if found and found[1] == "CPU":
            return Path(found[2]).stem.removeprefix("libggml-cpu-").removeprefix("ggml-cpu-")
    return "linked in"


def _versions(base: ctypes.CDLL) -> dict[str, str]:
    return {
        "llama-cpp-python": str(llama_cpp.__version__),
        "llama.cpp": api.llama_version().decode(),
        "ggml": f"{base.ggml_version().decode()} ({base.ggml_commit().decode()})",
        "numpy": importlib.metadata.version("numpy"),
        "python": sys.version.split()[0],
    }


def _check_binding() -> None:
    """A struct laid out otherwise than the library's shows in its defaults; a wrong layout would corrupt memory."""
    if llama_cpp.__version__ != BINDING_VERSION:
        raise LibraryBroken(f"llama-cpp-python {BINDING_VERSION} is needed, {llama_cpp.__version__} is installed.")
    model, context = api.llama_model_default_params(), api.llama_context_default_params()
    expectations: tuple[tuple[str, Callable[[], bool]], ...] = (
        ("llama_model_params", lambda: bool(model.use_extra_bufts) and not model.vocab_only and not model.no_alloc),
        ("llama_model_params", lambda: model.load_mode == api.LLAMA_LOAD_MODE_AUTO and not model.progress_callback),
        ("llama_context_params", lambda: (context.n_batch, context.n_ubatch, context.n_seq_max) == (2048, 512, 1)),
        ("llama_context_params", lambda: (context.type_k, context.type_v) == (1, 1)),
        ("llama_context_params", lambda: bool(context.offload_kqv and context.swa_full) and not context.kv_unified),
        ("llama_context_params", lambda: context.n_samplers == 0 and not context.ctx_other),
    )
    for name, holds in expectations:
        if not holds():
            raise LibraryBroken(f"The layout of {name} isn't the one this program was made for; install it again.")
