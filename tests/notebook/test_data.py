"""Whatever a notebook holds becomes the same table of cells that a file would give."""

from __future__ import annotations

import math
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from goldmark.records.tidy.columns import Frame, written
from goldmark.texts.readers.tidy import NoSuchFile, NotATable, NotReadable, read_tidy, table_of

COLUMNS: dict[str, list[Any]] = {
    "unit": ["u1", "u2", "u3"],
    "value": [1.5, None, 0.1],
    "n": [1, 2, 3],
    "test": [True, False, True],
    "label": ["a", None, ""],
}
CELLS = {
    "unit": ["u1", "u2", "u3"],
    "value": ["1.5", "", "0.1"],
    "n": ["1", "2", "3"],
    "test": ["true", "false", "true"],
    "label": ["a", "", ""],
}


class Judged(NamedTuple):
    unit: str
    value: float | None
    n: int
    test: bool
    label: str | None


ROWS = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]


@pytest.mark.parametrize(
    "data",
    [
        COLUMNS,
        ROWS,
        iter(ROWS),
        [Judged(**row) for row in ROWS],
        pd.DataFrame(COLUMNS),
        pd.DataFrame(COLUMNS).convert_dtypes(),
        pd.DataFrame(COLUMNS, index=[7, 8, 9]),
        pd.DataFrame(COLUMNS).set_index("unit"),
        pl.DataFrame(COLUMNS),
        pa.table(COLUMNS),
        {name: np.array(values, dtype=object) for name, values in COLUMNS.items()},
    ],
    ids=[
        "columns",
        "rows",
        "generator",
        "tuples",
        "pandas",
        "nullable",
        "index",
        "named-index",
        "polars",
        "arrow",
        "numpy",
    ],
)
def test_all_give_the_same_cells(data: object) -> None:
    assert table_of(data).cells == CELLS


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl", "tsv"])
def test_a_path_is_read(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"ratings.{ending}"
    frame = pl.DataFrame(COLUMNS)
    if ending == "parquet":
        frame.write_parquet(path)
    elif ending == "jsonl":
        frame.write_ndjson(path)
    else:
        frame.write_csv(path, separator="\t" if ending == "tsv" else ",")
    assert table_of(path).cells == table_of(str(path)).cells == CELLS
    assert table_of(path).source == path.name


def test_what_is_missing_is_an_empty_cell_and_words_are_words() -> None:
    missing = [None, math.nan, np.float32("nan"), pd.NA, pd.NaT, Decimal("NaN")]
    assert [written(value) for value in missing] == [""] * len(missing)
    assert [written(value) for value in ("nan", "None", "NaT", np.True_, np.int64(3), np.float64(0.1))] == [
        *("nan", "None", "NaT"),
        *("true", "3", "0.1"),
    ]
    assert [written(value) for value in (["a", 1], {"a": None}, np.array(["x"]), ("b",))] == [
        *('["a", 1]', '{"a": null}', '["x"]', '["b"]')
    ]


def test_what_is_no_table_is_told(tmp_path: Path) -> None:
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    for data, found in (
        (7, "a int"),
        ([1, 2], "a list of int"),
        (twice, "two columns of one name"),
        (None, "a NoneType"),
    ):
        with pytest.raises(NotATable, match=found):
            table_of(data, "ratings")
    with pytest.raises(NoSuchFile):
        table_of(tmp_path / "none.parquet")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(NotReadable):
        read_tidy(tmp_path / "broken.parquet")


def test_a_frame_is_itself() -> None:
    frame = Frame("mine", {"a": ["1"]})
    assert table_of(frame) is frame
