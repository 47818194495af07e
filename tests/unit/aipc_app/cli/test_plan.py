"""`aipc plan` prints what is promised, from a header alone."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gguf import GGUFWriter

from aipc_app.cli.main import run
from aipc_app.cli.plan import size

FIELDS = {
    "model", "architecture", "parameters", "active_parameters", "file_bytes", "fits", "placement", "predicted",
    "context", "kv_bytes_per_token", "explanation",
}  # fmt: skip


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A mixture of experts of one layer; its weights are ones."""
    path = tmp_path / "mixture.gguf"
    writer = GGUFWriter(path, "llama")
    writer.add_name("Small mixture")
    writer.add_block_count(1)
    writer.add_embedding_length(64)
    writer.add_head_count(4)
    writer.add_context_length(8_192)
    writer.add_expert_count(8)
    writer.add_expert_used_count(2)
    shapes = {
        "token_embd": (100, 64), "output": (100, 64), "blk.0.attn_q": (64, 64), "blk.0.attn_k": (32, 64),
        "blk.0.attn_v": (32, 64), "blk.0.attn_output": (64, 64), "blk.0.ffn_gate_inp": (8, 64),
        "blk.0.ffn_up_exps": (8, 128, 64), "blk.0.ffn_down_exps": (8, 64, 128),
    }  # fmt: skip
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", np.ones(shape, np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture
def aipc(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run a command over a home of its own: status, standard output, standard error."""

    def opener(_home: Any) -> AbstractContextManager[Any]:
        raise AssertionError("planning needs no open home")

    def command(*arguments: str) -> tuple[int, str, str]:
        status = run(["--home", str(tmp_path / "home"), *arguments], opener, lambda *_, **__: 0)
        said = capsys.readouterr()
        return status, said.out, said.err

    return command


def test_the_json_has_the_promised_fields_and_no_others(
    aipc: Callable[..., tuple[int, str, str]], model: Path
) -> None:
    status, out, _ = aipc("plan", str(model), "--vram", "2GiB", "--ram", "8GiB", "--context", "4096", "--json")
    made = json.loads(out)
    assert status == 0 and set(made) == FIELDS
    assert (made["model"], made["architecture"], made["fits"]) == ("Small mixture", "llama", True)
    assert made["context"] == 4_096
    assert made["kv_bytes_per_token"] == 2 * (32 + 32)
    assert {"tensors", "layers", "device", "bytes", "reason"} == set(made["placement"][0])
    assert {part["device"] for part in made["placement"]} == {"GPU0", "CPU"}
    kinds = {"vram_bytes", "ram_bytes", "disk_bytes", "decode_tokens_per_s", "prefill_tokens_per_s"}
    assert set(made["predicted"]) == kinds and made["predicted"]["decode_tokens_per_s"] > 0
    assert all(isinstance(sentence, str) and sentence for sentence in made["explanation"])


def test_what_does_not_fit_is_said_and_is_a_failure(aipc: Callable[..., tuple[int, str, str]], model: Path) -> None:
    status, out, _ = aipc("plan", str(model), "--vram", "0", "--ram", "1MiB", "--json")
    made = json.loads(out)
    assert status == 1 and made["fits"] is False and made["placement"] == []
    assert "more RAM" in " ".join(made["explanation"])


@pytest.mark.parametrize("data", [b"", b"GGUF" + bytes(60), b"GGUF\x03\0\0\0" + b"\xff" * 64])
def test_a_header_that_lies_is_one_sentence(
    aipc: Callable[..., tuple[int, str, str]], tmp_path: Path, data: bytes
) -> None:
    path = tmp_path / "lies.gguf"
    path.write_bytes(data)
    status, out, error = aipc("plan", str(path), "--json", "--vram", "0", "--ram", "1GiB")
    assert status == 1 and out == "" and error.startswith("aipc: ") and error.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("24GiB", 24 << 30), ("24G", 24 << 30), ("24 GB", 24 * 10**9), ("512MiB", 512 << 20), ("0", 0),
        ("1.5GiB", 3 << 29),
    ],
)
def test_sizes_are_read_as_people_write_them(text: str, expected: int) -> None:
    assert size(text) == expected


@pytest.mark.parametrize("text", ["", "many", "-1", "24PiB", "1e3", "GiB"])
def test_what_is_no_size_is_wrong_usage(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="like 24GiB"):
        size(text)
