"""What every test shares: where models and test data lie, and a reason when they don't."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DEFAULT_MODEL = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
SMALL_MODEL = "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
TINY_MODEL = "smollm2-135m-instruct-q4_1.gguf"


def model_path(file: str) -> Path:
    """A model of .models or $AIPC_MODELS; skips with a reason when it isn't there (in CI that is a failure)."""
    for folder in (Path(os.environ.get("AIPC_MODELS", "")), ROOT / ".models"):
        if (folder / file).is_file():
            return folder / file
    message = f"{file} is not in .models; 'make setup' fetches it"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(scope="session")
def small_model() -> Path:
    return model_path(SMALL_MODEL)


@pytest.fixture(scope="session")
def tiny_model() -> Path:
    return model_path(TINY_MODEL)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The public test data beside the checkout; a stranger's clone doesn't have it."""
    root = Path(os.environ.get("AIPC_TEST_DATA") or ROOT.parent / "shared") / "data"
    if not (root / "INDEX.md").is_file():
        pytest.skip("the test data is not beside this checkout (AIPC_TEST_DATA names the folder with data/)")
    return root
