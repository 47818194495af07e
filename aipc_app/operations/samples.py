"""The sample cases that come with the program."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from msgspec import Struct

from aipc_app import paths
from aipc_app.domain.documents import LIBRARY_ID, Case
from aipc_app.ingest.queue import Added
from aipc_app.operations.cases import ensure_case
from aipc_app.operations.documents import add_files
from aipc_app.operations.op import Op, simply
from aipc_app.operations.services import Services


class SampleQuestion(Struct, frozen=True, kw_only=True):
    id: str
    question: str
    language: str
    answerable: bool
    key_facts: tuple[tuple[str, ...], ...] = ()
    documents: tuple[str, ...] = ()


class Sample(Struct, frozen=True, kw_only=True):
    """A sample on disk, not yet added."""

    id: str
    name_zh: str
    name_en: str
    folder: str
    documents: tuple[str, ...]
    library: tuple[str, ...]
    questions: tuple[SampleQuestion, ...]
    demo: tuple[str, ...]

    @property
    def demo_questions(self) -> tuple[SampleQuestion, ...]:
        return tuple(q for wanted in self.demo for q in self.questions if q.id == wanted)


class OpenedSample(Struct, frozen=True, kw_only=True):
    case: Case
    added: tuple[Added, ...]


def list_samples() -> tuple[Sample, ...]:
    """The samples in assets, in a fixed order."""
    root = paths.assets() / "samples"
    return tuple(_read(root / name) for name in ("lending", "loan", "paper") if (root / name / "case.toml").is_file())


def open_sample(services: Services, *, sample: Sample, language: str) -> Op[OpenedSample]:
    """Add a sample as a case (again: the same case). Reading goes on in the background."""
    return simply("open sample", lambda: _open(services, sample, language))


def _read(folder: Path) -> Sample:
    raw = tomllib.loads((folder / "case.toml").read_text(encoding="utf-8"))
    questions = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    return Sample(
        id=raw["id"],
        name_zh=raw["name_zh"],
        name_en=raw["name_en"],
        folder=str(folder),
        documents=tuple(raw["documents"]),
        library=tuple(raw.get("library", ())),
        questions=tuple(
            SampleQuestion(
                id=q["id"],
                question=q["question"],
                language=q["language"],
                answerable=q["answerable"],
                key_facts=tuple(tuple(f) for f in q.get("key_facts", ())),
                documents=tuple(q.get("documents", ())),
            )
            for q in questions
        ),
        demo=tuple(raw.get("questions_demo", ())),
    )


def _open(services: Services, sample: Sample, language: str) -> OpenedSample:
    folder = Path(sample.folder)
    case = ensure_case(services, name=sample.name_zh if language == "zh" else sample.name_en).run()
    added = add_files(services, case_id=case.id, paths=_inside(folder, "documents", sample.documents)).run()
    if sample.library:
        added += add_files(services, case_id=LIBRARY_ID, paths=_inside(folder, "library", sample.library)).run()
    return OpenedSample(case=case, added=added)


def _inside(folder: Path, room: str, names: tuple[str, ...]) -> list[Path]:
    """Names in case.toml may or may not carry the room's folder."""
    return [folder / name if name.startswith(room + "/") else folder / room / name for name in names]
