"""The whole journey with no network at all, and with every socket watched."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.end2end.conftest import Aipc, files
from tests.end2end.test_command_line import contract

INTERNET = re.compile(r"socket\(AF_INET6?\b")


def journey(aipc: Aipc, tmp_path: Path, model: Path) -> None:
    aipc.json("models", "use", str(model))
    aipc.json("add", "--library", *map(str, files("lending", room="library")[:2]))
    aipc.json("add", "--case", "甲", contract(tmp_path), str(files("lending")[2]))
    assert aipc.json("search", "--case", "甲", "月利率")[0]["passages"]
    assert aipc.json("ask", "--case", "甲", "月利率是多少？")[0]["citations"]


@pytest.mark.long  # the next one makes the same journey, watched, in `make test`
def test_the_journey_without_an_interface(tmp_path: Path, small_model: Path) -> None:
    prefix = ("unshare", "-rn")
    if shutil.which("unshare") is None or subprocess.run([*prefix, "true"], capture_output=True).returncode:
        pytest.skip("network namespaces are not allowed here")
    journey(Aipc(tmp_path / "home", prefix), tmp_path, small_model)


def test_no_process_opens_an_internet_socket(tmp_path: Path, small_model: Path) -> None:
    log = tmp_path / "sockets"
    log.mkdir()
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    prefix = ("strace", "-ff", "--seccomp-bpf", "-e", "trace=socket,connect", "-o", str(log / "trace"))
    if subprocess.run([*prefix, "true"], capture_output=True).returncode:
        pytest.skip("tracing is not allowed here")
    aipc = Aipc(tmp_path / "home", prefix)
    journey(aipc, tmp_path, small_model)
    traced = [line for trace in log.iterdir() for line in trace.read_text(errors="replace").splitlines()]
    assert traced  # the journey does open local sockets or at least was traced
    assert [line for line in traced if INTERNET.search(line)] == []
    assert not (aipc.home / "logs" / "network.log").exists()


RECOGNISER = """
import time
from engine.wire.offline import guard
guard()
import onnxruntime
onnxruntime.InferenceSession({path!r}, providers=["CPUExecutionProvider"])
time.sleep(8)  # its report is sent some seconds later
"""


@pytest.mark.long
def test_the_runtime_of_text_recognition_reports_to_nobody(tmp_path: Path) -> None:
    """It looks a host name up by native code, and only in an environment as plain as a desktop's."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    found = importlib.util.find_spec("rapidocr")
    assert found is not None
    model = sorted(Path(str(found.origin)).parent.glob("models/*.onnx"))[0]
    program = RECOGNISER.format(path=str(model))
    trace = tmp_path / "trace"
    command = ["strace", "-f", "-qq", "-e", "trace=%network", "-o", str(trace), sys.executable, "-c", program]
    plain = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    subprocess.run(command, check=True, env=plain, cwd=Path(__file__).parents[2])
    assert not INTERNET.search(trace.read_text(errors="replace"))
