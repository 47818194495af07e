"""Which block goes first when room is needed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.kv.index import Entry, Index
from tests.unit.engine.kv.states import FINGERPRINT, chain


def filled(*prompts: list[int]) -> Index:
    index = Index()
    for prompt in prompts:
        made = chain(prompt, size=1)
        for i, key in enumerate(made.keys):
            if index.get(key) is None:
                entry = Entry(key, made.parent(i), FINGERPRINT, i, 1, 10)
                index.add(entry)
                index.set_on_disk(entry, True)
    return index


prompts = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=6), min_size=1, max_size=8)


@given(prompts, prompts)
def test_the_longest_unused_is_never_above_another_block(stored: list[list[int]], used: list[list[int]]) -> None:
    index = filled(*stored)
    for now, prompt in enumerate([*stored, *used]):
        index.touch(chain(prompt, size=1).keys, now)
    while (oldest := index.oldest(lambda entry: entry.on_disk, ())) is not None:
        assert index.with_descendants([oldest]) == [oldest]
        index.remove(oldest)
    assert len(index) == index.disk_bytes == index.ram_bytes == 0


def test_what_was_used_later_stays_longer() -> None:
    index = filled([1, 2], [3, 4])
    index.touch(chain([3, 4], size=1).keys, 100)
    index.touch(chain([1, 2], size=1).keys, 200)
    oldest = index.oldest(lambda entry: True, ())
    assert oldest is not None and oldest.key == chain([3, 4], size=1).keys[1]
    spared = index.oldest(lambda entry: True, set(chain([3, 4], size=1).keys))
    assert spared is not None and spared.key == chain([1, 2], size=1).keys[1]


def test_use_is_later_even_when_the_clock_goes_back() -> None:
    index = filled([1], [2])
    index.touch(chain([1], size=1).keys, 1_000)
    index.touch(chain([2], size=1).keys, 10)
    oldest = index.oldest(lambda entry: True, ())
    assert oldest is not None and oldest.key == chain([1], size=1).keys[0]


def test_descendants_are_what_was_computed_after() -> None:
    index = filled([1, 2, 3], [1, 2, 4], [1, 5])
    second = index.get(chain([1, 2], size=1).keys[1])
    assert second is not None
    below = {entry.key for entry in index.with_descendants([second])}
    assert below == {second.key, chain([1, 2, 3], size=1).keys[2], chain([1, 2, 4], size=1).keys[2]}
