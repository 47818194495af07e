"""Models in folders that hold odd things; files brought in and taken out."""

from __future__ import annotations

import hashlib
import os
import threading
from pathlib import Path
from typing import Any, cast

import pytest

from aipc_app import paths
from aipc_app.errors import Cancelled, ModelUnavailable, StorageError, UserMistake
from aipc_app.operations.changes import ChangeBus
from aipc_app.operations.model_files import import_model, remove_model
from aipc_app.operations.models import chosen_model, list_models, use_model
from aipc_app.operations.services import Services
from aipc_app.paths import Home
from aipc_app.settings.holder import SettingsHolder
from engine.client.models import ModelTasks

GGUF = b"GGUF and the rest"
EMBEDDER = "all-minilm-l6-v2"
ODD = "odd-role.gguf"
CATALOGUE = "".join(
    f'[[model]]\nname = "{Path(file).stem}"\nrole = "{role}"\nfile = "{file}"\nsize = 1\nsha256 = ""\nlicence = ""\n'
    for file, role in (("default.gguf", "chat-default"), (EMBEDDER, "embedder-test"), (ODD, "embedder-odd"))
)


@pytest.fixture
def other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that comes before the home's."""
    folder = tmp_path / "other"
    folder.mkdir()
    monkeypatch.setenv("AIPC_MODELS", str(folder))
    monkeypatch.setattr(paths, "checkout", lambda: None)
    return folder


@pytest.fixture
def services(tmp_path: Path, other: Path) -> Services:
    """Those parts that work on model files; the others are not there, and nothing here may need them."""
    home = Home(tmp_path / "home")
    home.create()
    home.models.mkdir()
    catalogue = tmp_path / "models.toml"
    catalogue.write_text(CATALOGUE)
    absent = cast(Any, None)
    return Services(
        home=home,
        settings=SettingsHolder(home.settings),
        changes=ChangeBus(),
        model_tasks=ModelTasks((), catalogue, home.logs / "models.log"),
        store=absent,
        reviews=absent,
        tasks=absent,
        reader=absent,
        encoder=absent,
        engine=absent,
        ingest=absent,
        watcher=absent,
        search=absent,
        answers=absent,
        memory=absent,
        ahead=absent,
    )


@pytest.fixture
def brought(tmp_path: Path) -> Path:
    """A model file to import."""
    return written(tmp_path / "mine.gguf")


def written(path: Path) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(GGUF)
    return path


def here(services: Services) -> set[str]:
    return {model.file for model in list_models(services).run() if model.path is not None}


def test_what_is_no_readable_file_is_left_out_of_the_list(services: Services, other: Path) -> None:
    (other / "dangling.gguf").symlink_to(other / "gone")
    (other / "loop.gguf").symlink_to(other / "loop.gguf")
    (other / "folder.gguf").mkdir()
    (other / "default.gguf").mkdir()
    written(services.home.models / "good.gguf")
    assert here(services) == {"good.gguf"}


def test_a_dangling_link_does_not_hide_the_default_model(services: Services, other: Path) -> None:
    (other / "default.gguf").symlink_to(other / "gone")
    default = written(services.home.models / "default.gguf")
    assert chosen_model(services) == default


def test_a_folder_that_cannot_be_listed_is_passed_over(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIPC_MODELS", "x" * 300)
    default = written(services.home.models / "default.gguf")
    assert here(services) == {"default.gguf"}
    assert chosen_model(services) == default


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
@pytest.mark.parametrize("mode", [0o000, 0o444])
def test_a_folder_without_rights_is_passed_over(services: Services, other: Path, mode: int) -> None:
    written(other / "secret.gguf")
    other.chmod(mode)
    try:
        assert here(services) == set()
    finally:
        other.chmod(0o700)


def test_a_name_with_of_in_it_is_no_part(services: Services, other: Path) -> None:
    for name in ("best-of-all.gguf", "a-00001-of-00002.gguf", "a-00002-of-00002.gguf"):
        written(other / name)
    assert here(services) == {"best-of-all.gguf", "a-00001-of-00002.gguf"}


def test_an_embedder_is_not_chosen_to_answer(services: Services, other: Path) -> None:
    (other / EMBEDDER).mkdir()
    written(other / ODD)
    for name in (EMBEDDER, str(other / EMBEDDER), "embedder-test", "odd-role"):
        with pytest.raises(UserMistake, match="is not a chat model"):
            use_model(services, name=name).run()
    assert services.settings().models.chat is None


def test_an_import_is_the_copy_in_the_home(services: Services, brought: Path) -> None:
    model = import_model(services, path=brought).run()
    assert model.path == str(services.home.models / "mine.gguf")
    assert Path(model.path).read_bytes() == GGUF
    assert not list(services.home.models.glob("*.partial"))


def test_a_name_that_lies_in_another_folder_is_refused(services: Services, other: Path, brought: Path) -> None:
    written(other / "mine.gguf")
    with pytest.raises(UserMistake, match=f"in {other} already"):
        import_model(services, path=brought).run()
    assert not list(services.home.models.iterdir())


def test_an_import_is_described_by_its_copy_even_when_that_name_appears_elsewhere_meanwhile(
    services: Services, other: Path, brought: Path
) -> None:
    def meanwhile(_fraction: float) -> None:
        written(other / "mine.gguf")

    model = import_model(services, path=brought).run(meanwhile)
    assert model.path == str(services.home.models / "mine.gguf")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("mine.bin", "ends in .gguf"),
        ("mine.GGUF", "ends in .gguf"),
        ("mine-00002-of-00003.gguf", "later part"),
    ],
)
def test_a_name_that_would_not_be_found_again_is_refused(
    services: Services, tmp_path: Path, name: str, why: str
) -> None:
    with pytest.raises(UserMistake, match=why):
        import_model(services, path=written(tmp_path / name)).run()
    assert not list(services.home.models.iterdir())


def test_a_source_that_cannot_be_read_is_said(services: Services, tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match="can't be read"):
        import_model(services, path=tmp_path / ("x" * 300 + ".gguf")).run()
    with pytest.raises(UserMistake, match="no file"):
        import_model(services, path=tmp_path / "none.gguf").run()


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_source_without_rights_is_said(services: Services, brought: Path) -> None:
    brought.chmod(0)
    with pytest.raises(UserMistake, match="can't be read"):
        import_model(services, path=brought).run()


def test_a_home_without_room_for_models_is_said(services: Services, brought: Path) -> None:
    services.home.models.rmdir()
    services.home.models.write_text("in the way")
    with pytest.raises(StorageError, match="can't be copied"):
        import_model(services, path=brought).run()


def test_remove_finds_the_homes_copy_under_another_of_its_name(services: Services, other: Path) -> None:
    kept, gone = written(other / "twice.gguf"), written(services.home.models / "twice.gguf")
    assert remove_model(services, name="twice").run().path == str(gone)
    assert kept.is_file() and not gone.exists()
    with pytest.raises(UserMistake, match="not in the data folder"):
        remove_model(services, name="twice").run()
    assert kept.is_file()


def test_a_folder_is_not_removed(services: Services) -> None:
    (services.home.models / EMBEDDER).mkdir()
    with pytest.raises(UserMistake, match="is a folder"):
        remove_model(services, name=EMBEDDER).run()
    (services.home.models / "named.gguf").mkdir()
    with pytest.raises(StorageError, match="can't be deleted"):
        remove_model(services, name="named.gguf").run()
    assert len(list(services.home.models.iterdir())) == 2


def split(folder: Path, count: int = 3, missing: int = 0) -> Path:
    """Parts of one model; returns the first."""
    for i in range(1, count + 1):
        if i != missing:
            written(folder / f"big-{i:05d}-of-{count:05d}.gguf")
    return folder / f"big-00001-of-{count:05d}.gguf"


def test_a_split_model_is_brought_in_and_taken_out_whole(services: Services, tmp_path: Path) -> None:
    progress: list[float] = []
    model = import_model(services, path=split(tmp_path / "stick")).run(progress.append)
    here = services.home.models
    assert sorted(path.name for path in here.iterdir()) == [f"big-{i:05d}-of-00003.gguf" for i in (1, 2, 3)]
    assert model.path == str(here / "big-00001-of-00003.gguf") and progress[-1] == 1.0 and len(progress) == 3
    written(here / "big-picture.gguf")
    remove_model(services, name=model.file).run()
    assert [path.name for path in here.iterdir()] == ["big-picture.gguf"]


def test_a_split_model_with_a_part_missing_is_refused_before_anything_is_copied(
    services: Services, tmp_path: Path
) -> None:
    with pytest.raises(UserMistake, match=r"Part big-00002-of-00003\.gguf of the model is missing"):
        import_model(services, path=split(tmp_path / "stick", missing=2)).run()
    assert list(services.home.models.iterdir()) == []


def test_cancelling_between_parts_leaves_nothing(services: Services, tmp_path: Path) -> None:
    cancel = threading.Event()
    with pytest.raises(Cancelled):
        import_model(services, path=split(tmp_path / "stick")).run(lambda _: cancel.set(), cancel)
    assert list(services.home.models.iterdir()) == []


def test_a_known_model_is_compared_with_its_checksum_on_the_way(services: Services, tmp_path: Path) -> None:
    wrong = import_model(services, path=written(tmp_path / "stick" / "default.gguf")).run()
    assert wrong.verified is False
    unknown = import_model(services, path=written(tmp_path / "stick" / "mine.gguf")).run()
    assert unknown.verified is None


def packed(folder: Path, digest: str = "") -> Path:
    """A model pack in three pieces, with a checksum beside it; returns the second piece."""
    folder.mkdir()
    for number, piece in enumerate((GGUF[:7], GGUF[7:12], GGUF[12:]), 1):
        (folder / f"big.gguf.{number:03}").write_bytes(piece)
    (folder / "big.gguf.sha256").write_text(f"{digest or hashlib.sha256(GGUF).hexdigest()}  big.gguf\n")
    return folder / "big.gguf.002"


def test_the_pieces_of_a_pack_are_joined_whichever_was_named(services: Services, tmp_path: Path) -> None:
    model = import_model(services, path=packed(tmp_path / "stick")).run()
    assert model.file == "big.gguf"
    assert (services.home.models / "big.gguf").read_bytes() == GGUF
    assert [path.name for path in services.home.models.iterdir()] == ["big.gguf"]


def test_a_pack_with_other_bytes_than_its_sum_is_refused_and_leaves_nothing(services: Services, tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match=r"not those that big\.gguf\.sha256 names"):
        import_model(services, path=packed(tmp_path / "stick", digest="0" * 64)).run()
    assert list(services.home.models.iterdir()) == []


def test_a_missing_piece_is_named(services: Services, tmp_path: Path) -> None:
    piece = packed(tmp_path / "stick")
    piece.unlink()
    with pytest.raises(UserMistake, match=r"big\.gguf\.002 of the model is missing"):
        import_model(services, path=tmp_path / "stick" / "big.gguf.003").run()


def test_an_installed_program_without_a_model_does_not_advise_to_download_one(
    services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "installation", lambda: tmp_path)
    with pytest.raises(ModelUnavailable, match="import one") as told:
        chosen_model(services)
    assert "fetch" not in told.value.message
