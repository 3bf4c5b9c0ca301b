"""Types of columns that have to be converted with care: categories of polars, nested columns, narrow floats."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import permlog
from permlog import _feed, _prepare, _values
from permlog._pandas import PandasTable

_TIME = 1772445600000


def _table(**columns: Any) -> pa.Table:
    """Good rows, with some columns replaced or added."""
    rows = len(next(iter(columns.values())))
    base = {"user_id": [f"u{row}" for row in range(rows)], "timestamp": [_TIME] * rows, "event": ["app_active"] * rows}
    return pa.table(base | columns)


@pytest.mark.parametrize("kind", ["Categorical", "Enum"])
@pytest.mark.parametrize("column", ["user_id", "event"])
def test_categories_of_polars(log: permlog.Log, kind: str, column: str) -> None:
    pl = pytest.importorskip("polars")
    if not hasattr(pa, "string_view"):
        pytest.skip("views came with pyarrow 16")
    texts = {"user_id": ["b", "a", None, "b"], "event": ["app_active", "app_installed", None, "app_active"]}[column]
    type_ = pl.Categorical if kind == "Categorical" else pl.Enum(sorted({text for text in texts if text}))
    frame = pl.from_arrow(_table(**{column: texts})).with_columns(pl.col(column).cast(type_))
    with pytest.warns(permlog.PermlogWarning, match=f"row 2: {column} is missing"):
        made = log.ingest(frame, progress=False)
    with pytest.warns(permlog.PermlogWarning, match=f"row 2: {column} is missing"):
        again = log.ingest(_table(**{column: texts}), progress=False)
    assert (made.events, again.duplicates, again.new, again.conflicts) == (3, 3, 0, 0)


def test_dictionaries_of_every_kind_of_value(log: permlog.Log) -> None:
    values: list[Any] = [
        pa.array(["a", "b"], pa.large_string()),
        pa.array([b"a", b"b"]),
        pa.array([b"a", b"b"], "binary"),
    ]
    if hasattr(pa, "string_view"):
        values += [pa.array(["a", "b"], pa.string_view()), pa.array([b"a", b"b"], pa.binary_view())]
    indices = pa.array([1, None, 0], pa.int8())
    for number, dictionary in enumerate(values):
        column = pa.DictionaryArray.from_arrays(indices, dictionary)
        with pytest.warns(permlog.PermlogWarning, match="row 1: user_id is missing"):
            assert log.ingest(_table(user_id=column), progress=False).new == (0 if number else 2)


_NESTED: dict[str, list[Any]] = {"struct": [{"a": 1}, {"a": None}], "list": [[1, 2], []]}


@pytest.mark.parametrize("column", ["user_id", "variant"])
@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("arrow", "struct"),
        ("arrow", "list"),
        ("frame", "struct"),
        ("categories", "list"),
        ("tuples", "list"),
        ("parquet", "struct"),
    ],
)
def test_a_nested_column_is_no_text(log: permlog.Log, tmp_path: Path, column: str, source: str, kind: str) -> None:
    """As in NDJSON, an object or a list is no user and no variant."""
    rows = [
        {"user_id": f"u{row}", "timestamp": _TIME, "event": "prompt_shown", "permission": "camera", "variant": "A"}
        | {column: value}
        for row, value in enumerate([*_NESTED[kind], None])
    ]
    (tmp_path / "events.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows))
    table: Any = pa.Table.from_pylist(rows)
    if source == "frame":
        table = pd.DataFrame(rows)
    elif source == "tuples":
        values: list[Any] = [
            tuple(value) if isinstance(value, list) else value for value in (row[column] for row in rows)
        ]
        table = pd.DataFrame(rows).assign(**{column: pd.Series(values, dtype=object).astype("category")})
    elif source == "categories":
        place, column_of_lists = table.schema.names.index(column), table[column].combine_chunks()
        indices = pa.array(range(len(rows)), pa.int32())
        table = table.set_column(place, column, pa.DictionaryArray.from_arrays(indices, column_of_lists))
    elif source == "parquet":
        pq.write_table(table, tmp_path / "events.parquet")
        table = tmp_path / "events.parquet"
    plain = _rejections(permlog.Log(tmp_path / "plain"), tmp_path / "events.ndjson")
    assert "user_id is an object" in str(plain) or column == "variant" or kind == "list"
    assert len(plain) >= 2
    assert _rejections(log, table) == plain


def _rejections(log: permlog.Log, source: Any) -> list[tuple[int, str]]:
    """The rejected lines or rows with their reasons, also if nothing was understood."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", permlog.PermlogWarning)
        try:
            rejections = log.ingest(source, progress=False).rejections
        except permlog.DataError as problem:
            assert problem.ingest is not None
            rejections = problem.ingest.rejections
    rows = rejections["row"] if "row" in rejections else rejections["line"] - 1
    return list(zip(rows, rejections["reason"], strict=True))


@pytest.mark.parametrize(
    ("type_", "good", "bad"), [("float32", 2**24 - 1, 2**24), ("float16", 2**11 - 1, 2**11), ("float32", 7, -(2**30))]
)
@pytest.mark.parametrize("source", ["arrow", "frame", "object", "dictionary"])
def test_whole_numbers_in_narrow_floats(log: permlog.Log, type_: str, good: int, bad: int, source: str) -> None:
    def table(value: int) -> Any:
        values = np.array([1, np.nan, value], type_)
        if source in ("frame", "object"):
            frame = _table(user_id=[1.0, None, 2.0]).to_pandas()
            frame["user_id"] = pd.Series(values) if source == "frame" else pd.Series(list(values), dtype=object)
            return frame
        column = pa.array(values, from_pandas=True)
        if source == "dictionary":
            column = pa.DictionaryArray.from_arrays(pa.array([0, None, 1]), column.drop_null())
        return _table(user_id=column)

    said = f"Column user_id holds {bad} (in row 2|among its values), in floats of {type_[5:]} bits"
    with pytest.raises(permlog.UsageError, match=said):
        log.ingest(table(bad), progress=False)
    # Nothing was stored, whether the tool was ended before it made a log or after.
    with pytest.warns(permlog.PermlogWarning, match="row 1: user_id is missing"):
        assert log.ingest(table(good), progress=False).new == 2
    assert log.info().events == 2


def test_narrow_floats_of_one_file_among_others(log: permlog.Log, tmp_path: Path) -> None:
    for name, type_ in (("a", pa.float32()), ("b", pa.float64())):
        pq.write_table(_table(user_id=pa.array([1.0, 2.0**25]).cast(type_)), tmp_path / f"{name}.parquet")
    with pytest.raises(permlog.UsageError, match=r"user_id holds 33554432 in .*a\.parquet, in floats of 32 bits"):
        log.ingest(tmp_path / "*.parquet", progress=False)
    assert log.ingest(tmp_path / "b.parquet", progress=False).new == 2


def test_a_row_is_named_over_all_batches(log: permlog.Log) -> None:
    users = np.zeros(3 * _feed.ROWS, "float32") + 5
    users[-1] = 2**24
    with pytest.raises(permlog.UsageError, match=f"in row {len(users) - 1}, "):
        log.ingest(_table(user_id=pa.array(users)), progress=False)


def test_one_large_batch_is_converted_by_slices(log: permlog.Log, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    convert = _prepare.Preparation.__call__

    def counted(self: _prepare.Preparation, batch: pa.RecordBatch) -> pa.RecordBatch:
        seen.append(batch.num_rows)
        return convert(self, batch)

    monkeypatch.setattr(_prepare.Preparation, "__call__", counted)
    rows = 2 * _feed.ROWS + 1
    assert log.ingest(_table(user_id=pa.array(range(1, rows + 1))), progress=False).new == rows
    assert seen == [_feed.ROWS, _feed.ROWS, 1]


def test_categories_are_converted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    convert = _values.Kind.array

    def counted(kind: Any, series: Any) -> Any:
        calls.append(len(series))
        return convert(kind, series)

    monkeypatch.setattr(_values.Kind, "array", counted)
    users = pd.Series(["a", None, "b"] * _feed.ROWS, dtype=object).astype("category")
    schema, batches = PandasTable(pd.DataFrame({"user_id": users})).read(["user_id"])
    prepared = _prepare.Preparation(schema)
    made = [prepared(batch) for batch in batches]
    assert len(made) == 3
    assert sum(calls) <= 2
    assert pa.Table.from_batches(made)["user_id"].to_pylist() == ["a", None, "b"] * _feed.ROWS
    assert len({batch.column(0).dictionary.buffers()[2].address for batch in made}) == 1
