"""How llama.cpp writes a sequence's attention cache, as far as blocks need it: checked, cut and joined in Python.

After `llama_state_seq_get_data` of the vendored version (src/llama-context.cpp, src/llama-kv-cache.cpp): magic,
sequence; then for each cache (one; two for models with a sliding window): streams, cells, position and sequence of each
cell, transposition, layers, and for each layer the K rows and then for each layer the V rows, a row for each cell.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

State = npt.NDArray[np.uint8]

MAGIC = 0xAF143CD8
_HEAD, _SECTION, _SHAPE, _ROWS = struct.Struct("<Ii"), struct.Struct("<II"), struct.Struct("<II"), struct.Struct("<iQ")
_CELL = np.dtype([("position", "<i4"), ("sequences", "<u4"), ("sequence", "<i4")])
_MOST_LAYERS, _MOST_ROW_BYTES, _MOST_TYPE = 4_096, 1 << 24, 255


class BadState(Exception):
    """These bytes are not a state of this layout."""


@dataclass(frozen=True)
class Rows:
    """K or V of one layer: ggml's number of the type, bytes of a cell."""

    type: int
    row_bytes: int


@dataclass(frozen=True)
class Section:
    """One attention cache: `layers`, then all their K and all their V (none for latent attention)."""

    layers: int
    rows: tuple[Rows, ...]


@dataclass(frozen=True)
class StateLayout:
    """The layout of one model's states. `sections` come one after the other."""

    sections: tuple[Section, ...]

    @property
    def name(self) -> str:
        """Changes with anything in it."""
        return hashlib.blake2b(repr(self).encode(), digest_size=16).hexdigest()

    def size(self, cells: int) -> int:
        """Bytes of a state of so many cells."""
        return _HEAD.size + sum(_section_bytes(section, cells) for section in self.sections)

    def check(self, state: State, start: int, cells: int) -> None:
        """Raises BadState unless these bytes are the cells of positions start … start + cells - 1 and nothing else."""
        if state.nbytes != self.size(cells) or cells < 1:
            raise BadState("size")
        if _HEAD.unpack_from(state.data) != (MAGIC, 0):
            raise BadState("magic")
        at = _HEAD.size
        for section in self.sections:
            if _SECTION.unpack_from(state.data, at) != (1, cells):
                raise BadState("cells")
            at += _SECTION.size
            if not np.array_equal(state[at : at + cells * _CELL.itemsize], _cells(start, cells)):
                raise BadState("positions")
            at += cells * _CELL.itemsize
            if _SHAPE.unpack_from(state.data, at) != (0, section.layers):
                raise BadState("layers")
            at += _SHAPE.size
            for rows in section.rows:
                if _ROWS.unpack_from(state.data, at) != (rows.type, rows.row_bytes):
                    raise BadState("rows")
                at += _ROWS.size + rows.row_bytes * cells

    def normalise(self, state: State) -> None:
        """Zero what names the sequence a state was taken from, so that equal cells are equal bytes. In place."""
        state[4 : _HEAD.size] = 0
        at = _HEAD.size
        for section in self.sections:
            if at + _SECTION.size > state.nbytes:
                raise BadState("size")
            _, cells = _SECTION.unpack_from(state.data, at)
            end = at + _section_bytes(section, cells)
            if end > state.nbytes:
                raise BadState("size")
            at += _SECTION.size
            state[at : at + cells * _CELL.itemsize].view(_CELL)["sequence"] = 0
            at = end

    def join(self, states: Sequence[State], cells: Sequence[int]) -> State:
        """One state of consecutive blocks, the first of which begins at position 0. Each was checked before."""
        total = sum(cells)
        joined = np.empty(self.size(total), np.uint8)
        _HEAD.pack_into(joined.data, 0, MAGIC, 0)
        to, sources = _HEAD.size, [_HEAD.size] * len(states)
        for section in self.sections:
            to = _begin_section(joined, to, section, total)
            sources = [at + _rows_at(count) for at, count in zip(sources, cells, strict=True)]
            for rows in section.rows:
                _ROWS.pack_into(joined.data, to, rows.type, rows.row_bytes)
                to += _ROWS.size
                for i, (state, count) in enumerate(zip(states, cells, strict=True)):
                    at, length = sources[i] + _ROWS.size, rows.row_bytes * count
                    joined[to : to + length] = state[at : at + length]
                    sources[i], to = at + length, to + length
        return joined


def probe(state: State, cells: int) -> StateLayout | None:
    """The layout of a state of cells 0 … cells - 1; None when it isn't made of plain attention caches alone.

    At least two cells, or fields that a kind of model adds to each cell could pass unseen.
    """
    if cells < 2 or state.nbytes < _HEAD.size or _HEAD.unpack_from(state.data)[0] != MAGIC:
        return None
    sections = _parse(state.tobytes(), _HEAD.size, cells)
    return StateLayout(tuple(sections)) if sections else None


def _parse(state: bytes, at: int, cells: int) -> list[Section] | None:
    """Sections from `at` to the very end. Whether a section has V rows shows only by what follows."""
    if at == len(state):
        return []
    try:
        if _SECTION.unpack_from(state, at) != (1, cells):
            return None
        at += _SECTION.size
        given = np.frombuffer(state, _CELL, cells, at)
        wanted = np.arange(cells)
        if not (np.array_equal(given["position"], wanted) and (given["sequences"] == 1).all()):
            return None
        at += cells * _CELL.itemsize
        transposed, layers = _SHAPE.unpack_from(state, at)
        if transposed or not 1 <= layers <= _MOST_LAYERS:
            return None
        at += _SHAPE.size
        keys, after_keys = _parse_rows(state, at, layers, cells)
    except (struct.error, ValueError):
        return None
    try:
        values, after_values = _parse_rows(state, after_keys, layers, cells)
        rest = _parse(state, after_values, cells)
        if rest is not None:
            return [Section(layers, (*keys, *values)), *rest]
    except (struct.error, ValueError):
        pass  # no V rows, then
    rest = _parse(state, after_keys, cells)
    return None if rest is None else [Section(layers, tuple(keys)), *rest]


def _parse_rows(state: bytes, at: int, layers: int, cells: int) -> tuple[list[Rows], int]:
    found = []
    for _ in range(layers):
        type_, row_bytes = _ROWS.unpack_from(state, at)
        at += _ROWS.size + row_bytes * cells
        if not (0 <= type_ <= _MOST_TYPE and 0 < row_bytes <= _MOST_ROW_BYTES) or at > len(state):
            raise ValueError("no rows")
        found.append(Rows(type_, row_bytes))
    return found, at


def _rows_at(cells: int) -> int:
    """Where a section's rows begin."""
    return _SECTION.size + cells * _CELL.itemsize + _SHAPE.size


def _section_bytes(section: Section, cells: int) -> int:
    return _rows_at(cells) + sum(_ROWS.size + rows.row_bytes * cells for rows in section.rows)


def _begin_section(state: State, at: int, section: Section, cells: int) -> int:
    _SECTION.pack_into(state.data, at, 1, cells)
    at += _SECTION.size
    state[at : at + cells * _CELL.itemsize] = _cells(0, cells)
    at += cells * _CELL.itemsize
    _SHAPE.pack_into(state.data, at, 0, section.layers)
    return at + _SHAPE.size


def _cells(start: int, cells: int) -> State:
    made = np.zeros(cells, _CELL)
    made["position"] = np.arange(start, start + cells)
    made["sequences"] = 1
    return made.view(np.uint8)
