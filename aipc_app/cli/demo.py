"""aipc demo: the sample case in the window, or, with no display, in the terminal."""

from __future__ import annotations

import argparse
import os
import sys
import threading
from typing import Any

from aipc_app.cli.asking import _stream, settle, show
from aipc_app.cli.output import Output
from aipc_app.domain.answers import Question
from aipc_app.ingest.report import IngestProgress
from aipc_app.operations.asking import ask
from aipc_app.operations.models import ensure_loaded
from aipc_app.operations.samples import list_samples, open_sample
from aipc_app.operations.services import Services


def declare(commands: Any, common: argparse.ArgumentParser) -> None:
    parser = commands.add_parser("demo", parents=[common], help="open the sample case and ask its questions")
    parser.set_defaults(action=_demo, opens_window=True)


def has_display() -> bool:
    """Is there a screen to open a window on?"""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def _demo(services: Services, _options: argparse.Namespace, output: Output, cancel: threading.Event) -> int:
    sample = list_samples()[0]
    output.line(f"Opening the sample case: {sample.name_zh} ({sample.name_en})")
    opened = open_sample(services, sample=sample, language="zh").run()

    def progress(event: object) -> None:
        if isinstance(event, IngestProgress):
            output.status(f"{event.done} of {event.total} files indexed")

    for report in services.ingest.wait(opened.added, progress, cancel):
        output.line(f"  {report.document}: {report.status}, {report.pages} pages")
    ensure_loaded(services).run(cancel=cancel)
    for question in sample.demo_questions:
        output.line(f"\n> {question.question}")
        asked = Question(text=question.question, cases=(opened.case.id,))
        show(ask(services, question=asked).run(lambda event: _stream(event, output), cancel), output)
        settle(services, (opened.case.id,))
    return 0
