"""aipc bench NAME."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from aipc_app.bench import decode, ingest, kv, parallel, placement, retrieval, start
from aipc_app.bench.report import BenchReport

_BENCHES: dict[str, Callable[[Path | None], BenchReport]] = {
    "decode": decode.of,
    "kv": kv.run,
    "parallel": parallel.of,
    "placement": placement.run,
    "start": lambda _data: start.run(),
}
_NAMES = sorted([*_BENCHES, "ingest", "retrieval"])


class Prints(Protocol):
    """Where results go."""

    json: bool

    def object(self, value: Any) -> None: ...
    def line(self, text: str = "") -> None: ...


def declare(commands: Any, common: argparse.ArgumentParser) -> None:
    parser = commands.add_parser("bench", parents=[common], help="measure this program on this PC")
    parser.add_argument("name", choices=_NAMES, metavar="NAME", help=", ".join(_NAMES))
    parser.add_argument("--data", type=Path, metavar="DIR", help="test data (or AIPC_BENCH_DATA)")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="of ingest, retrieval: what a run leaves to the next")
    parser.add_argument("--others", type=int, metavar="N", help="of retrieval: N other articles beside the gold ones")
    parser.add_argument("--library", type=Path, metavar="HOME", help="of retrieval: a home whose library is laws/cn")
    parser.add_argument("--reranker", type=Path, metavar="DIR", help="of retrieval: a cross-encoder to measure too")
    parser.set_defaults(action=_bench, without_home=True)


def _bench(options: argparse.Namespace, output: Prints) -> int:
    if options.name == "ingest":
        report = ingest.run(options.data, options.keep)
    elif options.name == "retrieval":
        report = retrieval.run(
            options.data, options.keep, options.others, library=options.library, reranker=options.reranker
        )
    else:
        report = _BENCHES[options.name](options.data)
    if output.json:
        output.object(report)
    for bar in report.bars:
        output.line(f"{bar.name}: {bar.value:.3f} (bar {bar.bar}: {'holds' if bar.holds else 'DOES NOT HOLD'})")
    return 0
