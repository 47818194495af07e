"""A backup holds everything of one moment; a restore happens whole, or not at all, however it is interrupted."""

from __future__ import annotations

import random
import shutil
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from aipc_app.errors import AipcError, Cancelled, HomeInUse, SchemaTooNew, StorageError, UserMistake
from aipc_app.operations.backup import restore_home
from aipc_app.paths import Home
from aipc_app.settings.file import load, save
from aipc_app.settings.model import Answers, Server, Settings
from aipc_app.store import Store
from aipc_app.store.archive import MANIFEST, Manifest, write_archive
from aipc_app.store.home_lock import locked
from aipc_app.store.restoring import Restored, commit, complete_restore, is_pending, staged
from tests.unit.aipc_app.store.conftest import Filler

TEXTS = ("甲方向乙方出借人民币500,000元。", "月利率为1.5%。", "借款期限十二个月。")


@pytest.fixture
def backup(store: Store, home: Home, fill: Filler, tmp_path: Path) -> Path:
    """Of a home with a case of three documents, settings and a template of one's own."""
    case = store.cases.create("甲案")
    for text in TEXTS:
        document = fill.document(case.id, text)
        fill.read(document.id, [text])
    save(home.settings, Settings(answers=Answers(passages=17)))
    home.templates.mkdir()
    (home.templates / "own.toml").write_text("[template]\n", encoding="utf-8")
    return taken(home, store, tmp_path / "甲.aipcbackup")


def taken(home: Home, store: Store, target: Path, on_progress: Callable[[float], None] = lambda _share: None) -> Path:
    write_archive(home, store, target, on_progress, threading.Event())
    return target


def restored(home: Home, source: Path, *, force: bool = False) -> Restored:
    return restore_home(home, path=source, force=force).run()


def content(home: Home) -> tuple[list[str], list[str]]:
    """Cases, and texts of the documents as their originals have them."""
    store = Store.open(home)
    try:
        cases = store.cases.list()
        documents = [document for case in cases for document in store.documents.of_case(case.id)]
        found = [store.originals.path(document.sha256).read_text("utf-8") for document in documents]
        return [case.name for case in cases], found
    finally:
        store.close()


def other(root: Path) -> Home:
    """A home with other work in it, and its caches."""
    home = Home(root)
    store = Store.open(home)
    fresh = Filler(store, root.parent)
    fresh.document(store.cases.create("乙案").id, "乙的合同", name="乙.txt")
    store.close()
    (home.kv).mkdir()
    (home.kv / "block").write_bytes(b"read")
    (home.models).mkdir()
    return home


WHOLE = (["甲案"], list(TEXTS))
OLD = (["乙案"], ["乙的合同"])


def test_everything_comes_back(backup: Path, tmp_path: Path) -> None:
    home = Home(tmp_path / "new")
    told = restored(home, backup)
    assert content(home) == WHOLE and told.aside is None
    assert load(home.settings).answers.passages == 17
    assert (home.templates / "own.toml").is_file()
    store = Store.open(home)
    store.check()
    store.close()
    assert backup.stat().st_mode & 0o777 == 0o600


def test_work_goes_on_while_it_is_taken(
    backup: Path, store: Store, home: Home, tmp_path: Path
) -> None:
    """A document deleted after the moment is in the backup, one added after it isn't."""
    case = store.cases.list()[0]
    first = store.documents.of_case(case.id)[0]

    def meanwhile(_share: float) -> None:
        if store.documents.of_case(case.id)[0].id == first.id:
            store.documents.unlink(case.id, first.id)
            store.cases.create("后来")

    later = taken(home, store, tmp_path / "later.aipcbackup", meanwhile)
    assert not store.originals.path(first.sha256).exists()
    new = Home(tmp_path / "new")
    restored(new, later)
    assert content(new) == WHOLE
    assert not list(home.root.glob(".backup-*"))


def test_a_stopped_backup_leaves_what_was_there(backup: Path, store: Store, home: Home) -> None:
    before, stop = backup.read_bytes(), threading.Event()
    with pytest.raises(Cancelled):
        write_archive(home, store, backup, lambda share: stop.set() if share > 0.1 else None, stop)
    assert backup.read_bytes() == before
    assert not [path for path in backup.parent.iterdir() if path.name.endswith(".partial")]


def test_an_original_that_is_lost_or_changed_is_told_not_hidden(backup: Path, store: Store, home: Home) -> None:
    one, two, _ = (store.originals.path(d.sha256) for d in store.documents.of_case(store.cases.list()[0].id))
    one.unlink()
    two.chmod(0o600)
    two.write_text("another text", encoding="utf-8")
    manifest = write_archive(home, store, backup, lambda _share: None, threading.Event())
    assert [Path(name).name for name in manifest.missing] == [one.name]
    assert [Path(name).name for name in manifest.damaged] == [two.name]


def test_a_home_with_work_is_refused_unless_forced_and_nothing_of_it_is_lost(backup: Path, tmp_path: Path) -> None:
    home = other(tmp_path / "used")
    with pytest.raises(UserMistake, match="--force"):
        restored(home, backup)
    assert content(home) == OLD
    told = restored(home, backup, force=True)
    assert content(home) == WHOLE
    assert told.aside is not None and content(Home(Path(told.aside))) == OLD
    assert not home.kv.exists() and home.models.is_dir()  # what was read belongs to the old cases, models to nobody


def test_a_home_in_use_is_refused(backup: Path, tmp_path: Path) -> None:
    home = other(tmp_path / "used")
    with locked(home), pytest.raises(HomeInUse):
        restored(home, backup, force=True)
    assert content(home) == OLD


def test_interrupted_anywhere_it_is_completed_at_the_next_start(
    backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The power goes before each of the steps that change the data folder, one after the other."""
    pristine, points, rename = other(tmp_path / "used"), 0, Path.rename
    while True:
        home = Home(tmp_path / f"try-{points}")
        shutil.copytree(pristine.root, home.root)
        left = points

        def failing(self: Path, target: Path) -> Path:
            nonlocal left
            left -= 1
            if left < 0:
                raise RuntimeError("the power is gone")
            return rename(self, target)

        with staged(home, backup, lambda _share: None, threading.Event()) as (folder, _):
            aside = commit(home, folder)
        monkeypatch.setattr(Path, "rename", failing)
        try:
            complete_restore(home)
            interrupted = False
        except RuntimeError:
            interrupted = True
        monkeypatch.setattr(Path, "rename", rename)
        if interrupted:
            assert is_pending(home)
            complete_restore(home)
        assert content(home) == WHOLE and content(Home(aside)) == OLD
        assert not is_pending(home) and not list(home.root.glob(".restore-*"))
        if not interrupted:
            break
        points += 1
    assert points >= 6


def test_stopped_before_it_is_committed_nothing_has_happened(backup: Path, tmp_path: Path) -> None:
    home, stop = other(tmp_path / "used"), threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        restore_home(home, path=backup, force=True).run(cancel=stop)
    assert content(home) == OLD and not is_pending(home) and not list(home.root.glob(".restore-*"))


def test_any_damage_is_found_before_anything_is_touched(backup: Path, tmp_path: Path) -> None:
    home, data = other(tmp_path / "used"), backup.read_bytes()
    choose = random.Random(7)
    damaged = tmp_path / "damaged.aipcbackup"
    refused = 0
    for _ in range(60):
        at = choose.randrange(len(data))
        flipped = bytes([data[at] ^ (1 << choose.randrange(8))])
        cut = choose.random() < 0.2
        damaged.write_bytes(data[:at] if cut else data[:at] + flipped + data[at + 1 :])
        try:
            with staged(home, damaged, lambda _share: None, threading.Event()):
                pass  # bits of the zip that mean nothing: what is unpacked was verified all the same
        except (StorageError, UserMistake, SchemaTooNew):
            refused += 1
    assert refused > 40
    assert content(home) == OLD and not list(home.root.glob(".restore-*"))


def rewritten(source: Path, target: Path, change: Callable[[dict[str, bytes], Manifest], Manifest]) -> Path:
    with zipfile.ZipFile(source) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = change(members, msgspec.json.decode(members.pop(MANIFEST), type=Manifest))
    with zipfile.ZipFile(target, "w") as sink:
        for name, data in {**members, MANIFEST: msgspec.json.encode(manifest)}.items():
            sink.writestr(name, data)
    return target


def escaping(members: dict[str, bytes], manifest: Manifest) -> Manifest:
    members["../evil.toml"] = members.pop("templates/own.toml")
    files = tuple(
        msgspec.structs.replace(f, path=f.path.replace("templates/own", "../evil")) for f in manifest.files
    )
    return msgspec.structs.replace(manifest, files=files)


def newer(_members: dict[str, bytes], manifest: Manifest) -> Manifest:
    return msgspec.structs.replace(manifest, schema=10_000)


def lacking(members: dict[str, bytes], manifest: Manifest) -> Manifest:
    gone = manifest.files[-1].path
    del members[gone]
    return msgspec.structs.replace(manifest, files=manifest.files[:-1])


@pytest.mark.parametrize(
    ("change", "words"),
    [(escaping, "belong to no data folder"), (newer, "newer version"), (lacking, "documents are missing")],
)
def test_what_a_backup_may_not_be(
    backup: Path, tmp_path: Path, change: Callable[[dict[str, bytes], Manifest], Manifest], words: str
) -> None:
    home = Home(tmp_path / "new")
    with pytest.raises(AipcError, match=words):
        restored(home, rewritten(backup, tmp_path / "odd.aipcbackup", change))
    assert not home.database.exists() and not (tmp_path / "evil.toml").exists()


def test_a_server_is_never_chosen_by_a_file(backup: Path, store: Store, home: Home, tmp_path: Path) -> None:
    server = Server(enabled=True, address="http://far.example:1/v1", allowed=("http://far.example:1",))
    save(home.settings, Settings(server=server, answers=Answers(passages=17)))
    new = Home(tmp_path / "new")
    told = restored(new, taken(home, store, backup))
    assert told.left_out == ("server",)
    assert load(new.settings) == Settings(answers=Answers(passages=17))


def test_what_is_no_backup_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("合同", encoding="utf-8")
    with pytest.raises(UserMistake, match="no backup of this program"):
        restored(Home(tmp_path / "new"), tmp_path / "a.txt")
    with pytest.raises(UserMistake, match="There is no file"):
        restored(Home(tmp_path / "new"), tmp_path / "none")
