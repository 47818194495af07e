"""aipc doctor."""

from __future__ import annotations

import argparse
import threading
from typing import Any

from aipc_app.cli.output import Output
from aipc_app.messages import system_language, translate
from aipc_app.operations.doctor import examine
from aipc_app.operations.services import Services


def declare(commands: Any, common: argparse.ArgumentParser) -> None:
    parser = commands.add_parser("doctor", parents=[common], help="check the program, this PC and its models")
    parser.set_defaults(action=_doctor)


def _doctor(services: Services, _options: argparse.Namespace, output: Output, cancel: threading.Event) -> int:
    report = examine(services).run(cancel=cancel)
    if output.json:
        output.object(report)
    for device in report.devices:
        output.line(f"device   {device.name}: {device.description}, {device.memory_total / 2**30:.1f} GiB")
    output.line(f"memory   {report.memory['available'] / 2**30:.1f} of {report.memory['total'] / 2**30:.1f} GiB free")
    for model in report.models:
        output.line(
            f"model    {model.name} ({model.role or 'own'}): {'verified' if model.verified else 'not verified'}"
        )
    for name, version in report.versions.items():
        output.line(f"version  {name} {version}")
    output.line(f"network  {report.offline.attempts} connections attempted")
    if report.server:
        output.line(f"server   text of your files is sent to {report.server}")
    for problem in report.problems:
        output.line(f"problem  {translate(problem, system_language())}")
    output.line("all is well" if report.ok else "see the problems above")
    return 0 if report.ok else 1
