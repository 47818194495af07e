"""What was dropped, as files."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from aipc_app.errors import UserMistake
from aipc_app.ingest.sources import expand, readable_name
from aipc_app.store.originals import Originals


def make(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, encoding="utf-8")


def test_a_folder_gives_its_files_with_paths_inside_it_in_natural_order(tmp_path: Path) -> None:
    make(tmp_path / "卷宗", "第10页.txt", "第2页.txt", "证据/借条.pdf", "B.txt", "a.txt")
    sources = expand([tmp_path / "卷宗"])
    assert [source.name for source in sources] == ["a.txt", "B.txt", "第2页.txt", "第10页.txt", "证据/借条.pdf"]
    assert sources[-1].given == str(tmp_path / "卷宗" / "证据" / "借条.pdf")
    assert all(source.path.read_text(encoding="utf-8") == source.name for source in sources)


def test_hidden_and_system_files_inside_folders_are_left_out_and_given_ones_are_not(tmp_path: Path) -> None:
    make(tmp_path, ".DS_Store", "Thumbs.db", "desktop.ini", "~$合同.docx", ".git/config", "__MACOSX/x", "ok.txt")
    assert [source.name for source in expand([tmp_path])] == ["ok.txt"]
    assert [source.name for source in expand([tmp_path / "~$合同.docx"])] == ["~$合同.docx"]


def test_several_paths_keep_the_order_they_were_given_in(tmp_path: Path) -> None:
    make(tmp_path, "z.txt", "folder/a.txt")
    names = [source.name for source in expand([tmp_path / "z.txt", tmp_path / "folder"])]
    assert names == ["z.txt", "a.txt"]


def test_a_link_to_a_folder_above_is_not_followed_for_ever(tmp_path: Path) -> None:
    make(tmp_path / "case", "a.txt", "inner/b.txt")
    (tmp_path / "case" / "inner" / "up").symlink_to(tmp_path / "case")
    (tmp_path / "case" / "inner" / "self").symlink_to(tmp_path / "case" / "inner")
    assert [source.name for source in expand([tmp_path / "case"])] == ["a.txt", "inner/b.txt"]


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    make(tmp_path, "a.txt")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "broken").symlink_to(tmp_path / "nowhere")
    assert [source.name for source in expand([tmp_path])] == ["a.txt"]


def test_what_is_given_and_can_not_be_taken_stands_for_itself(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    given = [tmp_path / "missing.txt", tmp_path / "pipe"]
    assert [(source.path, source.name) for source in expand(given)] == [(path, path.name) for path in given]
    for source in expand(given):
        with pytest.raises(UserMistake, match=source.name):
            Originals(tmp_path / "originals").put(source.path)


def test_names_that_are_no_utf8_become_readable(tmp_path: Path) -> None:
    raw = os.fsencode(tmp_path) + b"/" + "合同.txt".encode("gb18030")
    with open(raw, "wb"):  # noqa: PTH123
        pass
    (source,) = expand([tmp_path])
    assert source.name == "合同.txt"
    assert source.path.exists()
    assert readable_name("e\u0301.txt") == "é.txt"
    source.given.encode()
    for strange in (os.fsdecode(raw), os.fsdecode(b"\xff\xff gone.txt")):
        (given,) = expand([Path(strange)])
        (given.name + given.given).encode()


def test_a_mistake_about_a_name_that_is_no_utf8_can_be_printed(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match=r"gone\.txt") as caught:
        Originals(tmp_path / "originals").put(tmp_path / os.fsdecode(b"\xff\xff gone.txt"))
    caught.value.message.encode()


def test_what_can_not_be_looked_at_is_told_and_stops_nothing(tmp_path: Path) -> None:
    make(tmp_path / "case", "a.txt", "z.txt")
    (tmp_path / "case" / "loop").symlink_to("loop")
    (tmp_path / "case" / "long").symlink_to("长" * 200)
    too_long = tmp_path / ("长" * 200)
    sources = expand([tmp_path / "case", tmp_path / "case" / "loop", too_long])
    assert [source.name for source in sources] == ["a.txt", "long", "loop", "z.txt", "loop", too_long.name]
    for source in (sources[1], sources[2], sources[-1]):
        with pytest.raises(UserMistake, match=source.name):
            Originals(tmp_path / "originals").put(source.path)


def test_a_closed_folder_is_called_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path / "卷宗" / "inner", "a.txt")

    def closed(_folder: Path) -> list[os.DirEntry[str]]:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("aipc_app.ingest.sources.os.scandir", closed)  # a test run as root may list anything
    assert [source.name for source in expand([tmp_path / "卷宗"])] == ["卷宗"]
    monkeypatch.chdir(tmp_path / "卷宗")
    assert [source.name for source in expand([Path()])] == ["卷宗"]


def test_a_folder_that_is_left_out_is_left_out_by_every_name(tmp_path: Path) -> None:
    make(tmp_path / "papers", "a.txt", "home/aipc.sqlite", "home/originals/ab/abc")
    (tmp_path / "papers" / "link").symlink_to(tmp_path / "papers" / "home")
    home = tmp_path / "papers" / "home"
    assert [source.name for source in expand([tmp_path / "papers"], leave_out=home)] == ["a.txt"]
    assert expand([home], leave_out=home) == ()
    assert len(expand([tmp_path / "papers"], leave_out=tmp_path / "missing")) == 5
