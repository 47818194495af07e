"""The software GPU, and a mixture of experts small enough for it."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from aipc_app.bench.small_mixture import make_mixture

ROOT = Path(__file__).resolve().parents[2]


def _variables() -> dict[str, str] | str:
    """Of a process that is to see the software GPU; why these tests can't run where there is none."""
    found = importlib.util.find_spec("llama_cpp")
    packages = Path(str(found.origin)).parents[1] if found else ROOT
    if next((packages / "bin").glob("*ggml-vulkan.*"), None) is None:
        return "llama.cpp's Vulkan backend is not installed; 'python3 scripts/setup.py --vulkan' builds it."
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "scripts")
        from setting_up import software_gpu

        return software_gpu.environment()


@pytest.fixture(scope="module", autouse=True)
def software_gpu_variables() -> Iterator[None]:
    """Every process that a module's tests start sees the software GPU and no other."""
    variables = _variables()
    if isinstance(variables, str):
        message = f"THE TESTS OF THE GPU'S SIDE DID NOT RUN: {variables}"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        patch.setenv("PYTHONPATH", str(ROOT))
        yield


@pytest.fixture(scope="session")
def mixture(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight copies of each feed-forward layer of the tiny model as experts: it computes what that one computes."""
    path = tmp_path_factory.mktemp("mixture") / "mixture.gguf"
    make_mixture(tiny_model, path)
    return path
