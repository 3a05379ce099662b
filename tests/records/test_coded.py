"""Columns of cells as numbers behave as the lists of their texts, however few bytes a number has."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from goldmark.records.tidy import packed
from goldmark.records.tidy.coded import Coded, numbered
from goldmark.records.tidy.columns import Frame
from goldmark.records.tidy.packed import PackedTexts

CELLS = ["b", "a", "b", "", "\ud800 half", "a", "a", "ü"]


@pytest.mark.parametrize(("different", "size"), [(1, 1), (127, 1), (128, 2), (32_767, 2), (32_768, 4)])
def test_a_cell_takes_as_few_bytes_as_tell_the_texts_apart(different: int, size: int) -> None:
    cells = [str(number) for number in range(different)]
    column = Coded.of([*cells, *cells])
    assert column.codes.itemsize == size
    assert list(column) == [*cells, *cells]
    assert (column.codes + 1).max() == different  # there is room for one more
    assert np.flatnonzero(column.equal(cells[-1])).tolist() == [different - 1, 2 * different - 1]
    assert not column.equal("another").any()


def test_a_column_of_one_text_takes_nothing_whatever_is_picked() -> None:
    column = Coded.of(["same"] * 1000).take(np.arange(500))
    assert (len(column), column.codes.strides) == (500, (0,))
    assert column.used()[1] == ["same"]


def test_columns_one_after_the_other() -> None:
    parts = [Coded.of(CELLS), Coded.of(["new", "a"]), Coded.of([])]
    assert list(Coded.joined(parts)) == [*CELLS, "new", "a"]
    assert list(Coded.joined([])) == []


def test_numbers_are_those_of_the_rows_alone() -> None:
    column = Coded.of(["12", "x", "", "12", "3.0"]).take(np.array([0, 2, 3, 4]))
    assert column.whole().tolist() == [12, 0, 12, 3]
    assert column.take(np.array([0, 2, 3])).numbers().tolist() == [12.0, 12.0, 3.0]


def test_the_first_rows_of_keys_and_their_places() -> None:
    keys = np.array([7, 7, 3, 7, 3, 3, 9])
    first, place = numbered(keys)
    assert first.tolist() == [2, 0, 6]
    assert keys[first][place].tolist() == keys.tolist()
    assert [len(one) for one in numbered(np.zeros(0, dtype=np.int64))] == [0, 0]


def test_a_column_is_picked_when_it_is_asked_for() -> None:
    frame = Frame("x", {"a": Coded.of(CELLS), "b": CELLS}, range(1, 9)).take([5, 0])
    assert (len(frame), list(frame.cells), list(frame.lines)) == (2, ["a", "b"], [6, 1])
    assert list(frame.cells["a"]) == frame.cells["b"] == ["a", "b"]
    assert frame.cells["a"] is frame.cells["a"]
    assert "c" not in frame.cells


def pack(cells: list[str]) -> Coded:
    texts = PackedTexts()
    return texts.coded(np.array([texts.add(cell) for cell in cells]))


@pytest.mark.parametrize("cells", [CELLS, CELLS[:2], [], ["a", "a"], [str(n) for n in range(200)]])
def test_packed_texts_are_the_same_texts_each_once_in_their_order(cells: list[str]) -> None:
    column = pack(cells)
    assert list(column) == cells
    assert list(column.names) == list(dict.fromkeys(cells))
    assert list(column.names[1:]) == list(dict.fromkeys(cells))[1:]
    assert all(column.names.index(cell) == column.codes[cells.index(cell)] for cell in cells)
    assert "nowhere" not in column.names
    if isinstance(column.names, PackedTexts):
        assert list(pickle.loads(pickle.dumps(column.names))) == list(column.names)


def test_two_texts_with_one_hash_stay_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "hash", lambda text: 7, raising=False)
    assert list(pack(CELLS)) == CELLS
    assert list(pack(CELLS).names) == list(dict.fromkeys(CELLS))
