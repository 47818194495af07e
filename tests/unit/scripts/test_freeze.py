"""Constraints that mean the same on every machine."""

from __future__ import annotations

from freeze import constraints


def test_local_marks_paths_and_installers_are_left_out() -> None:
    frozen = [
        "torch==2.13.0+cpu",
        "PySide6_Essentials==6.12.0",
        "-e git+file:///somewhere#egg=aipc",
        "aipc==0.1.0",
        "llama_cpp_python @ file:///somewhere/llama_cpp_python-0.3.36-py3-none-linux_x86_64.whl",
        "pip==26.3",
        "certifi==2026.10.19.post1",
    ]
    assert constraints(frozen) == ["certifi==2026.10.19.post1", "pyside6-essentials==6.12.0", "torch==2.13.0"]
