"""A process that fills a store until it is stopped: `filling.py FOLDER SEED COUNT [FILE_LIMIT]`, a line for each block.

At the end it says "problem: …" of the store's status.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np

from engine.kv.keys import Chain
from engine.kv.layout import Rows, Section, State, StateLayout
from engine.kv.store import BlockStore
from engine.types.remembering import StoreSettings
from tests.unit.engine.kv.states import chain, large_state

LARGE = StateLayout((Section(2, (Rows(1, 512),) * 4),))
BLOCK_TOKENS, BLOCKS = 64, 6  # 131 kB each


def prompts(seed: int, count: int) -> Iterator[Chain]:
    """The same for the same seed; all share their first two blocks."""
    random = np.random.default_rng(seed)
    begin = list(range(2 * BLOCK_TOKENS))
    for number in range(count):
        more = random.integers(0, 1_000, (BLOCKS - 2) * BLOCK_TOKENS).tolist()
        yield chain([*begin, *more], size=BLOCK_TOKENS, owner=f"case:{number % 3}", sources=[f"document:{number}"])


def state(prompt: Chain, index: int) -> State:
    return large_state(LARGE, prompt.start(index), prompt.ends[index], prompt.keys[index])


def open_store(folder: str) -> BlockStore:
    store = BlockStore(StoreSettings(folder, 1 << 30, 1 << 30, 0))
    store.start()
    return store


def main(folder: str, seed: int, count: int) -> None:
    store = open_store(folder)
    for prompt in prompts(seed, count):
        for i in range(store.reach(prompt), len(prompt.keys)):
            store.put(prompt, i, state(prompt, i))
            store.use(prompt, i + 1)
            print(i, flush=True)
    store.flush()
    print("problem:", store.status().problem, flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 4:
        import resource
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # the write then fails with an error, as on a full disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[4]), int(sys.argv[4])))
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
