"""What was measured is kept, corrects what is predicted, and may vanish at any time."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.hardware.bandwidth import disk_speed, ram_speed
from engine.hardware.facts import FactsStore, machine_name
from engine.types.machine import Inventory, Speeds
from engine.types.model import Device, DeviceKind
from engine.types.plan import ComputeBuffers, ComputeShape, Correction

SHAPE = ComputeBuffers(ComputeShape.NOTHING, 4_096, 512, "f16", 0, 100)


@pytest.fixture
def store(tmp_path: Path) -> FactsStore:
    return FactsStore(tmp_path / "measured", "1.0")


def test_speeds_are_those_of_this_machine_alone(store: FactsStore) -> None:
    here, other = (Inventory((), cores, 1 << 34, 0) for cores in (4, 8))
    store.keep_speeds(machine_name(here), Speeds(ram=7.0, measured=("ram",)))
    kept = store.speeds(machine_name(here))
    assert kept is not None and kept.ram == 7.0 and kept.measured == ("ram",)
    assert store.speeds(machine_name(other)) is None


def test_devices_of_the_last_probe_are_known(store: FactsStore) -> None:
    gpu = Device("GPU0", "a GPU", DeviceKind.GPU, 2, 1)
    assert store.devices() == ((), ())
    store.keep_speeds("m", Speeds(), (gpu,), ("AVX2",))
    assert store.devices() == ((gpu,), ("AVX2",))


def test_dry_runs_are_kept_and_replaced(store: FactsStore) -> None:
    store.keep_compute("digest", (SHAPE,))
    newer = ComputeBuffers(ComputeShape.NOTHING, 4_096, 512, "f16", 0, 200)
    longer = ComputeBuffers(ComputeShape.NOTHING, 8_192, 512, "f16", 0, 300)
    store.keep_compute("digest", (newer, longer))
    assert store.of_model("digest", "").compute == (newer, longer)
    assert store.of_model("another", "").compute == ()


def test_of_dry_runs_with_just_so_many_layers_the_last_is_kept_beside_the_shapes(store: FactsStore) -> None:
    some, ten, twelve = (
        ComputeBuffers(ComputeShape.SOME_LAYERS, 4_096, 512, "f16", 1, 1, gpu_layers=count) for count in (0, 10, 12)
    )
    store.keep_compute("digest", (some, ten))
    store.keep_compute("digest", (twelve,))
    assert store.of_model("digest", "").compute == (some, twelve)


def test_another_build_has_other_buffers(store: FactsStore, tmp_path: Path) -> None:
    store.keep_compute("digest", (SHAPE,))
    assert FactsStore(tmp_path / "measured", "1.1").of_model("digest", "").compute == ()


def test_runs_are_averaged_and_a_disturbed_one_is_held_back(store: FactsStore) -> None:
    first = store.keep_run("digest", "GPU0", decode=0.5, prefill=2.0, gpu_bytes=10)
    assert first == Correction(0.5, 2.0, 10, 1)
    second = store.keep_run("digest", "GPU0", decode=1_000.0, prefill=0.0, gpu_bytes=-5)
    assert second == Correction(0.5 * 0.5 + 10.0 * 0.5, 2.0, 0, 2)
    assert store.of_model("digest", "GPU0").correction == second
    assert store.of_model("digest", "").correction == Correction()


@pytest.mark.parametrize("rubbish", [b"", b"{", b"[]", b'{"build": 7}', b"\xff\x00"])
def test_a_spoilt_file_is_no_file(store: FactsStore, tmp_path: Path, rubbish: bytes) -> None:
    store.keep_compute("digest", (SHAPE,))
    for file in (tmp_path / "measured").iterdir():
        file.write_bytes(rubbish)
    assert store.of_model("digest", "").compute == ()
    assert store.speeds("m") is None


def test_a_folder_that_cannot_be_written_costs_only_the_fact(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    store = FactsStore(blocked, "1.0")
    store.keep_compute("digest", (SHAPE,))
    assert store.of_model("digest", "").compute == ()


def test_memory_has_a_speed() -> None:
    assert ram_speed(1) > 1e8


def test_a_file_with_holes_or_none_has_no_speed(tmp_path: Path) -> None:
    sparse = tmp_path / "sparse"
    with sparse.open("wb") as file:
        file.truncate(1 << 30)
    assert disk_speed(sparse) == 0.0
    assert disk_speed(tmp_path / "none") == 0.0
