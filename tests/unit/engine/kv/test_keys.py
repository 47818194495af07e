"""A block's name depends on every token up to its end, and on everything that changes the numbers."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kv.keys import ROOT, Fingerprint, block_ends, chain_of

ONE = Fingerprint(
    content="a", build="b", kv_type="f16", flash_attention=True, rope=("base=1",), rotation="", lora=(),
    backend=("cpu",), context_class="", layout="x",
)  # fmt: skip
OTHERS = {
    "content": "c", "build": "c", "kv_type": "q8_0", "flash_attention": False, "rope": ("base=2",), "rotation": "1",
    "lora": ("l",), "backend": ("gpu",), "context_class": "long", "layout": "y",
}  # fmt: skip
tokens = st.lists(st.integers(0, 3), min_size=1, max_size=40)


def test_every_part_of_a_fingerprint_counts() -> None:
    assert set(OTHERS) == set(Fingerprint.__struct_fields__)
    digests = {msgspec.structs.replace(ONE, **{name: value}).digest() for name, value in OTHERS.items()}
    assert len(digests | {ONE.digest()}) == len(OTHERS) + 1


@given(tokens, tokens)
def test_equal_keys_mean_equal_beginnings(one: list[int], other: list[int]) -> None:
    first, second = (chain_of(b"f", t, block_ends([len(t)], 4)) for t in (one, other))
    for i, (a, b) in enumerate(zip(first.keys, second.keys, strict=False)):
        assert (a == b) == (one[: first.ends[i]] == other[: second.ends[i]])


def test_another_fingerprint_gives_other_keys() -> None:
    assert not set(chain_of(b"f", [1, 2, 3], [2, 3]).keys) & set(chain_of(b"g", [1, 2, 3], [2, 3]).keys)


def test_where_a_block_begins_counts_too() -> None:
    assert chain_of(b"f", [1, 2, 3], [3]).keys[-1] != chain_of(b"f", [1, 2, 3], [1, 3]).keys[-1]


def test_a_chain_knows_its_blocks() -> None:
    made = chain_of(b"f", range(10), [4, 8, 10])
    assert [made.tokens_of(i).tolist() for i in range(3)] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert made.parent(0) == ROOT and made.parent(2) == made.keys[1]
    assert [made.count_until(n) for n in (0, 3, 4, 9, 10)] == [0, 0, 1, 2, 3]


@pytest.mark.parametrize(
    ("cuts", "ends"),
    [([512, 700], (256, 512, 700)), ([100], (100,)), ([256], (256,)), ([300, 900], (256, 300, 556, 812, 900))],
)
def test_blocks_end_after_256_tokens_and_with_each_piece(cuts: list[int], ends: tuple[int, ...]) -> None:
    assert block_ends(cuts) == ends
