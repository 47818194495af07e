"""Lists the sentences that may reach a person and have no Chinese yet; exit status 1 if there are any, or entries
of sentences that nothing says any more.

Reads the source of aipc_app/ (but for ui/, whose words have a catalogue of their own) and engine/ without running it,
and what assets/models.toml says of models. A sentence is what goes into an error, or into anything called reason,
problem or message. What is printed can be pasted into assets/translations/messages_zh.toml; `--all` prints every
sentence with the Chinese that is known.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from sentences.sites import Sentence, extract
from sentences.template import shape

ROOT = Path(__file__).resolve().parents[1]
CATALOGUE = ROOT / "assets" / "translations" / "messages_zh.toml"


def known(path: Path = CATALOGUE) -> dict[str, str]:
    """The catalogue: English to Chinese."""
    return {entry["en"]: entry["zh"] for entry in tomllib.loads(path.read_text(encoding="utf-8"))["message"]}


def missing(sentences: Iterable[Sentence], catalogue: Mapping[str, str]) -> list[Sentence]:
    """Those without an entry. Names of places don't count: they follow the names in the source, which change."""
    shapes = {shape(en) for en in catalogue}
    return [sentence for sentence in sentences if sentence.shape not in shapes]


def stale(sentences: Iterable[Sentence], catalogue: Mapping[str, str]) -> list[str]:
    """Entries for sentences that nothing says any more."""
    said = {sentence.shape for sentence in sentences}
    return [en for en in catalogue if shape(en) not in said]


def entry(en: str, zh: str) -> str:
    """One entry of the catalogue."""
    return f"[[message]]\nen = {_toml(en)}\nzh = {_toml(zh)}\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when every sentence has its Chinese and every entry its sentence, else 1 and the entries to be filled in."""
    parser = argparse.ArgumentParser(description="Sentences for people that have no Chinese yet.")
    parser.add_argument("--all", action="store_true", help="print every sentence, and what is known of it")
    options = parser.parse_args(arguments)
    sentences, catalogue = extract(ROOT), known()
    by_shape = {shape(en): (en, zh) for en, zh in catalogue.items()}
    without = missing(sentences, catalogue)
    for sentence in sentences if options.all else without:
        places = "".join(f"# {site}\n" for site in sentence.sites)
        print(places + entry(*by_shape.get(sentence.shape, (sentence.en, ""))))
    gone = stale(sentences, catalogue)
    for en in gone:
        print(f"Nothing says this any more: {en}", file=sys.stderr)
    print(f"{len(sentences)} sentences, {len(without)} without Chinese.", file=sys.stderr)
    return 1 if without or gone else 0


def _toml(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


if __name__ == "__main__":
    sys.exit(main())
