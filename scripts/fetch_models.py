"""Fetches models into .models of this checkout: `fetch_models.py [ROLE …]`, all of them without arguments."""

from __future__ import annotations

import sys
from pathlib import Path

from engine.errors import ModelError
from engine.models.assembly import FetchProgress, default_cache_dir, fetch
from engine.models.catalogue import load_catalogue

ROOT = Path(__file__).resolve().parents[1]
STAGES = {
    "waiting": "waiting for another fetch of",
    "checking": "checking",
    "downloading": "downloading",
    "joining": "joining",
}
STEP_PERCENT = 10
ERASE_LINE = "\r\033[K"


class Terminal:
    """Shows progress: a line that is rewritten on a terminal, a line every ten percent elsewhere."""

    def __init__(self) -> None:
        self._shown = ""
        self._rewriting = sys.stdout.isatty()

    def __call__(self, progress: FetchProgress) -> None:
        if progress.stage == "finished":
            self._end(progress)
            return
        percent = 100 * progress.done_bytes // progress.total_bytes
        if not self._rewriting:
            percent -= percent % STEP_PERCENT
        text = f"    {STAGES[progress.stage]} {progress.model}"
        if progress.stage in ("downloading", "joining"):
            text += f" ({progress.total_bytes / 1e6:.0f} MB): {percent}%"
        if text != self._shown:
            self._show(text)
            self._shown = text

    def _show(self, text: str) -> None:
        if self._rewriting:
            print(f"{ERASE_LINE}{text}", end="", flush=True)
        else:
            print(text, flush=True)

    def _end(self, progress: FetchProgress) -> None:
        if self._shown:
            print(ERASE_LINE if self._rewriting else "", end="")
            print(f"    {progress.model} is there and verified", flush=True)
            self._shown = ""


def main(wanted: list[str]) -> int:
    """0 when all are there; 1 with a sentence for the first that is not."""
    try:
        catalogue = load_catalogue(ROOT / "assets" / "models.toml")
        entries = [catalogue.find(name) for name in wanted] or list(catalogue.entries)
        for entry in entries:
            fetch(entry, ROOT / ".models", default_cache_dir(), Terminal(), lambda: False)
    except ModelError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
