"""What goes in by a table is what goes in as NDJSON, whatever the columns' types are; or it is an error."""

from __future__ import annotations

import datetime
import json
import os
import uuid
import warnings
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import DATA, Run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import permlog

Values = list[Any]
BERLIN = "Europe/Berlin"

# The same examples in every run; a longer search is asked for by a number of them, and draws its own.
_number = os.environ.get("PERMLOG_EXAMPLES")
_examples = settings(
    max_examples=int(_number or 12),
    derandomize=_number is None,
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)


def _stored(tool: Run, folder: Path, source: Any, **options: Any) -> tuple[bytes, list[int]]:
    """What a log holds after an ingest into a new one, and the rejected lines or rows."""
    log = permlog.Log(folder)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", permlog.PermlogWarning)
            ingest = log.ingest(source, progress=False, **options)
    except permlog.DataError as problem:
        assert problem.ingest is not None, problem
        return b"", _rows_of(problem.ingest)
    return tool("export", "--log", log.path), _rows_of(ingest)


def _rows_of(ingest: permlog.Ingest) -> list[int]:
    """The rejected rows, counted from 0, or the lines, which count from 1."""
    found = ingest.rejections
    return [int(row) for row in found["row"]] if "row" in found else [int(line) - 1 for line in found["line"]]


# Each maker gives a column, and the values that NDJSON would have. None is a missing value.
Maker = Callable[[Values], tuple[Any, Values]]


def _objects(values: Values) -> tuple[Any, Values]:
    return pd.Series(values, dtype=object), values


def _strings(values: Values) -> tuple[Any, Values]:
    return pd.Series(values, dtype="string"), values


def _arrow_strings(values: Values) -> tuple[Any, Values]:
    return pd.Series(values, dtype=pd.ArrowDtype(pa.string())), values


def _categories(values: Values) -> tuple[Any, Values]:
    return pd.Series(values, dtype="category"), values


def _bytes(values: Values) -> tuple[Any, Values]:
    return pd.Series([None if value is None else value.encode() for value in values], dtype=object), values


def _mixed_missing(values: Values) -> tuple[Any, Values]:
    missing = [None, float("nan"), pd.NA, pd.NaT]
    return pd.Series([missing[i % 4] if v is None else v for i, v in enumerate(values)], dtype=object), values


def _views(values: Values) -> tuple[Any, Values]:
    return pa.array(values, pa.string()).cast(
        pa.string_view() if hasattr(pa, "string_view") else pa.large_string()
    ), values


def _large(values: Values) -> tuple[Any, Values]:
    return pa.array(values, pa.large_string()), values


def _dictionary(values: Values) -> tuple[Any, Values]:
    return pa.array(values, pa.string()).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string())), values


def _null_in_dictionary(values: Values) -> tuple[Any, Values]:
    indices = pa.array(range(len(values)), pa.int16())
    return pa.DictionaryArray.from_arrays(indices, pa.array(values, pa.string())), values


def _run_ends(values: Values) -> tuple[Any, Values]:
    return pa.compute.run_end_encode(pa.array(values, pa.string())), values


TEXT_MAKERS: list[Maker] = [_objects, _strings, _arrow_strings, _categories, _bytes, _mixed_missing]
TEXT_MAKERS += [_views, _large, _dictionary, _null_in_dictionary, _run_ends]

odd_texts = st.sampled_from(
    [None, "", "u1", "u2", "00412", "412", " u3 ", "anonymous", "NaN", "null", "1.77E+15", "é", "𝒰", 'a"b\\', "x" * 300]
)


@_examples
@given(
    users=st.lists(odd_texts, min_size=1, max_size=12),
    maker=st.sampled_from(TEXT_MAKERS),
    event_maker=st.sampled_from(TEXT_MAKERS),
    keep_ids=st.booleans(),
)
def test_texts(
    tool: Run,
    tmp_path_factory: pytest.TempPathFactory,
    users: Values,
    maker: Maker,
    event_maker: Maker,
    keep_ids: bool,
) -> None:
    kinds = ["app_active", "Granted", "prompt_shown", None, "no_such_kind"]
    columns = {
        "user_id": maker(users),
        "timestamp": _objects([1772445600000 + row for row in range(len(users))]),
        "event": event_maker([kinds[row % len(kinds)] for row in range(len(users))]),
        "permission": _strings(["camera"] * len(users)),
    }
    _compare(tool, tmp_path_factory, columns, keep_ids=keep_ids)


def _int64(values: Values) -> tuple[Any, Values]:
    return pd.Series([0 if value is None else value for value in values], dtype="int64"), [v or 0 for v in values]


def _nullable(values: Values) -> tuple[Any, Values]:
    return pd.Series(values, dtype="Int64"), values


def _became_floats(values: Values) -> tuple[Any, Values]:
    small = [None if value is None or abs(value) > 1 << 53 else value for value in values]
    return pd.Series([float("nan") if value is None else value for value in small], dtype="float64"), small


def _decimals(values: Values) -> tuple[Any, Values]:
    return pa.array([None if v is None else Decimal(v) for v in values], pa.decimal128(25, 0)), values


def _integer_objects(values: Values) -> tuple[Any, Values]:
    return pd.Series(
        [None if v is None else (np.int64(v) if i % 2 else v) for i, v in enumerate(values)], dtype=object
    ), values


def _integer_categories(values: Values) -> tuple[Any, Values]:
    return pd.Series(pd.array(values, dtype="Int64"), dtype="category"), values


def _integer_dictionary(values: Values) -> tuple[Any, Values]:
    return pa.array(values, pa.int64()).dictionary_encode(), values


NUMBER_MAKERS: list[Maker] = [_int64, _nullable, _became_floats, _decimals, _integer_objects]
NUMBER_MAKERS += [_integer_categories, _integer_dictionary]


@_examples
@given(
    users=st.lists(
        st.one_of(st.none(), st.integers(-3, 9), st.sampled_from([2**53 - 1, 2**53 + 1, 2**63 - 1, -(2**63)])),
        min_size=1,
        max_size=12,
    ),
    maker=st.sampled_from(NUMBER_MAKERS),
    time_maker=st.sampled_from(NUMBER_MAKERS),
)
def test_whole_numbers(
    tool: Run, tmp_path_factory: pytest.TempPathFactory, users: Values, maker: Maker, time_maker: Maker
) -> None:
    columns = {
        "user_id": maker(users),
        "timestamp": time_maker([None if row == 3 else 1772445600000 + row for row in range(len(users))]),
        "event": _strings(["app_active"] * len(users)),
    }
    _compare(tool, tmp_path_factory, columns)


def _utc(values: Values) -> tuple[Any, Values]:
    return pd.Series(pd.to_datetime(values, utc=True, format="ISO8601")), values


def _in_berlin(values: Values) -> tuple[Any, Values]:
    return pd.Series(pd.to_datetime(values, utc=True, format="ISO8601")).dt.tz_convert(BERLIN), values


def _seconds(values: Values) -> tuple[Any, Values]:
    made = pa.array(pd.Series(pd.to_datetime(values, utc=True, format="ISO8601")), from_pandas=True)
    cut = [None if value is None else value[:19] + "Z" for value in values]
    return made.cast(pa.timestamp("s", tz="UTC"), safe=False), cut


def _datetimes(values: Values) -> tuple[Any, Values]:
    made = [None if v is None else datetime.datetime.fromisoformat(v[:26].replace("Z", "") + "+00:00") for v in values]
    return pd.Series(made, dtype=object), values


def _naive(values: Values) -> tuple[Any, Values]:
    plain = [None if value is None else value.removesuffix("Z") for value in values]
    return pd.to_datetime(pd.Series(plain, dtype=object), format="ISO8601"), plain


def _naive_objects(values: Values) -> tuple[Any, Values]:
    plain = [None if value is None else value.removesuffix("Z")[:26] for value in values]
    return pd.Series([None if v is None else datetime.datetime.fromisoformat(v) for v in plain], dtype=object), plain


TIME_MAKERS: list[Maker] = [_utc, _in_berlin, _seconds, _datetimes, _naive, _naive_objects]

odd_times = st.one_of(
    st.none(),
    st.datetimes(datetime.datetime(2007, 12, 31), datetime.datetime(2026, 6, 1)).map(
        lambda time: time.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    ),
    st.sampled_from(["2025-10-26T02:30:00.999999Z", "2026-03-29T02:30:00.000000Z", "2099-01-01T00:00:00.000000Z"]),
    st.sampled_from(["1969-12-31T23:59:59.999900Z"]),
)


@_examples
@given(
    times=st.lists(odd_times, min_size=1, max_size=8),
    maker=st.sampled_from(TIME_MAKERS),
    zone=st.sampled_from([None, BERLIN]),
)
def test_times(
    tool: Run, tmp_path_factory: pytest.TempPathFactory, times: Values, maker: Maker, zone: str | None
) -> None:
    columns = {
        "user_id": _strings([f"u{row}" for row in range(len(times))]),
        "timestamp": maker(times),
        "event": _strings(["app_active"] * len(times)),
    }
    if zone is None and maker in (_naive, _naive_objects) and any(time is not None for time in times):
        log = permlog.Log(tmp_path_factory.mktemp("tables") / "log")
        with pytest.raises(permlog.DataError, match="has times without a zone"):
            log.ingest(pd.DataFrame({name: column for name, (column, _) in columns.items()}), progress=False)
        return
    _compare(tool, tmp_path_factory, columns, input_time_zone=zone)


def _compare(
    tool: Run, tmp_path_factory: pytest.TempPathFactory, columns: dict[str, tuple[Any, Values]], **options: Any
) -> None:
    """A table and NDJSON with the same values leave the same log and the same rejected rows."""
    folder = tmp_path_factory.mktemp("tables")
    rows = len(next(iter(columns.values()))[1])
    lines = [
        json.dumps({name: values[row] for name, (_, values) in columns.items() if values[row] is not None})
        for row in range(rows)
    ]
    (folder / "events.ndjson").write_text("\n".join(lines) + "\n")
    made = {name: column for name, (column, _) in columns.items()}
    tables: list[Any] = [
        pa.table({name: pa.array(c, from_pandas=True) if isinstance(c, pd.Series) else c for name, c in made.items()})
    ]
    if all(isinstance(column, pd.Series) for column in made.values()):
        tables.append(pd.DataFrame(made))
    expected = _stored(tool, folder / "ndjson", folder / "events.ndjson", format="ndjson", **options)
    for number, table in enumerate(tables):
        assert _stored(tool, folder / f"table-{number}", table, **options) == expected


def _frame(**columns: Any) -> pd.DataFrame:
    """Three good rows, with some columns replaced."""
    base = {"user_id": ["a", "b", "c"], "timestamp": [1772445600000] * 3, "event": ["app_active"] * 3}
    return pd.DataFrame(base | columns)


def test_ids_of_every_kind(log: permlog.Log) -> None:
    ids = [uuid.UUID(int=number) for number in (1, 2**127, 3)]
    assert log.ingest(_frame(user_id=pd.Series(ids, dtype=object)), progress=False).new == 3
    storage = pa.array([each.bytes for each in ids], pa.binary(16))
    table = pa.Table.from_pandas(_frame())
    if hasattr(pa, "uuid"):
        column = pa.ExtensionArray.from_storage(pa.uuid(), storage)
        again = log.ingest(table.set_column(0, "user_id", column), progress=False)
        assert (again.new, again.duplicates) == (0, 3)
        # The last alone, without and with a null before it.
        other = permlog.Log(log.path.parent / "other")
        assert other.ingest(table.set_column(0, "user_id", column).slice(2), progress=False).new == 1
        gap = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([None, None, ids[2].bytes], pa.binary(16)))
        with pytest.warns(permlog.PermlogWarning, match="user_id is missing"):
            assert other.ingest(table.set_column(0, "user_id", gap).slice(1), progress=False).duplicates == 1
        assert str(ids[2]) in other.export(log.path.parent / "o.csv").read_text()
    texts = [str(each) for each in ids]
    assert log.ingest(_frame(user_id=texts), progress=False).duplicates == 3
    assert set(log.export(log.path.parent / "e.csv").read_text().split(",")) >= set(texts)
    big = log.ingest(_frame(user_id=pd.Series([2**70, 5, 6], dtype=object)), strict=True, progress=False)
    assert big.new == 3
    assert str(2**70) in log.export(log.path.parent / "e.csv").read_text()


def test_bytes_have_to_be_utf8(log: permlog.Log) -> None:
    with pytest.warns(permlog.PermlogWarning, match="row 0: user_id is not valid UTF-8"):
        ingest = log.ingest(_frame(user_id=[b"\xff\xfe", b"b", b"c"]), progress=False)
    assert (ingest.new, ingest.rejected) == (2, 1)


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (["a", 2, "c"], r"user_id has several kinds of values: first texts, and in row 1 \(counted from 0\) numbers"),
        ([1, None, "c"], r"first numbers, and in row 2 \(counted from 0\) texts"),
        ([1, True, 2], "in row 1 .* booleans"),
        ([b"a", "b", "c"], "first bytes, and in row 1 .* texts"),
        ([1.5, 2**60, 3], "too large to stay exact"),
        ([datetime.time(1), datetime.time(2), None], "values of the type datetime.time, which cannot be read"),
        (pd.period_range("2026-01", periods=3, freq="M"), "user_id holds periods"),
        (pd.Series([1j, 2j, 3j]), "user_id"),
        (pd.Series(["a", 2, "c"], dtype=object).astype("category"), "in category 1"),
    ],
)
def test_what_is_not_one_kind_is_an_error(log: permlog.Log, column: Any, said: str) -> None:
    column = column if isinstance(column, (pd.Series, pd.PeriodIndex)) else pd.Series(column, dtype=object)
    if isinstance(column, pd.Series) and isinstance(column.dtype, pd.CategoricalDtype):
        said = "several kinds|in category"
    with pytest.raises(permlog.UsageError, match=said):
        log.ingest(_frame(user_id=column), progress=False)
    assert not log.path.exists()


def test_times_with_and_without_a_zone_in_one_column(log: permlog.Log) -> None:
    naive = datetime.datetime(2026, 3, 1, 12)
    mixed = pd.Series([naive, naive.replace(tzinfo=datetime.timezone.utc), naive], dtype=object)
    with pytest.raises(permlog.UsageError, match="first times without a zone, and in row 1 .* times with a zone"):
        log.ingest(_frame(timestamp=mixed), progress=False)


@pytest.mark.parametrize("type_", [pa.time64("us"), pa.duration("ms"), pa.decimal128(10, 2)])
def test_types_that_are_no_field_are_refused_by_name(log: permlog.Log, type_: Any) -> None:
    column = (
        pa.array([1, 2, 3], pa.int64()).cast(pa.decimal128(20, 0)).cast(type_)
        if pa.types.is_decimal(type_)
        else pa.array([1, 2, 3], pa.int64()).cast(type_)
    )
    table = pa.Table.from_pandas(_frame()).set_column(0, "user_id", column)
    with pytest.raises(permlog.PermlogError, match="user_id"):
        log.ingest(table, progress=False)
    assert not log.path.exists()
    other = pa.Table.from_pandas(_frame()).append_column("price", column)
    assert log.ingest(other, progress=False).new == 3, "a column that nobody asks for may be anything"


def test_columns_by_name(log: permlog.Log) -> None:
    with pytest.raises(permlog.UsageError, match="two columns named event"):
        log.ingest(pd.concat([_frame(), _frame()[["event"]]], axis=1), progress=False)
    with pytest.raises(permlog.UsageError, match="Column 7 has a name that is not text"):
        log.ingest(_frame().rename(columns={"event": 7}), progress=False)
    with pytest.raises(
        permlog.UsageError, match=r"user_id is the frame's index, not a column: ingest frame.reset_index\(\)"
    ):
        log.ingest(_frame().set_index("user_id"), progress=False)
    with pytest.raises(permlog.PermlogError, match="timestamp"):
        log.ingest(_frame()[["user_id", "event"]], progress=False)
    assert log.ingest(_frame().set_index(pd.Index([7, 8, 9], name="row")), progress=False).new == 3
    assert log.ingest(_frame().rename(columns={"user_id": "User ID"}), progress=False).duplicates == 3


def test_rejections_are_rows(log: permlog.Log) -> None:
    frame = _frame(user_id=["a", None, "anonymous"])
    with pytest.warns(permlog.PermlogWarning, match=r"2 rows were rejected and not stored; see \.rejections") as caught:
        ingest = log.ingest(frame, progress=False)
    assert "row 1: user_id is missing" in str(caught[0].message)
    assert list(ingest.rejections["row"]) == [1, 2]
    assert list(ingest.rejections["reason"]) == ["user_id is missing", 'user_id "anonymous" names no user']
    assert json.loads(ingest.rejections["text"].iloc[1])["user_id"] == "anonymous"
    assert ingest.rejections["row"].dtype == "Int64"


def test_tables_of_all_kinds(log: permlog.Log) -> None:
    frame = _frame()
    table = pa.Table.from_pandas(frame)
    sources: list[Any] = [table, table.to_batches()[0], table.to_reader(), frame]
    # Polars' texts are views, which came with pyarrow 16.
    polars = pytest.importorskip("polars") if hasattr(pa, "string_view") else None
    sources += (
        []
        if polars is None
        else [
            polars.from_arrow(table),
            polars.DataFrame({**frame.to_dict("list"), "when": [datetime.date(2026, 1, 1)] * 3}),
        ]
    )
    import pyarrow.dataset as ds

    sources.append(ds.dataset(table))
    results = [log.ingest(source, progress=False) for source in sources]
    assert [result.new for result in results] == [3] + [0] * (len(sources) - 1)
    assert all(result.lines == 3 for result in results)
    advice: list[tuple[Any, str]] = [
        (7, r"not a builtins\.int"),
        ({"user_id": [1]}, r"ingest pd\.DataFrame\(columns\)"),
        ([frame, frame], r"ingest pd\.concat\(frames\)"),
        ([table, table], r"ingest pa\.concat_tables\(tables\)"),
        (frame.to_dict("records"), r"ingest pd\.DataFrame\(rows\)"),
    ]
    if polars is not None:
        advice.append((polars.from_arrow(table).lazy(), r"ingest frame\.collect\(\)"))
    for source, said in advice:
        with pytest.raises(permlog.UsageError, match=said):
            log.ingest(source, progress=False)
    with pytest.raises(permlog.UsageError, match="The list of sources is empty"):
        log.ingest([], progress=False)


def test_rows_beyond_a_batch_are_all_read(log: permlog.Log) -> None:
    rows = (1 << 16) * 2 + 5
    frame = pd.DataFrame({"user_id": range(1, rows + 1), "timestamp": 1772445600000, "event": "app_active"})
    frame.loc[rows - 1, "event"] = "bad"
    with pytest.warns(permlog.PermlogWarning):
        ingest = log.ingest(frame, progress=False)
    assert (ingest.lines, ingest.new) == (rows, rows - 1)
    assert list(ingest.rejections["row"]) == [rows - 1]
    table = pa.Table.from_pandas(frame)
    with pytest.warns(permlog.PermlogWarning, match="row 131076"):
        assert log.ingest(table.combine_chunks(), max_rejected=1, progress=False).duplicates == rows - 1


@pytest.mark.parametrize(
    "sample",
    ["posthog/events.jsonl", "posthog/properties_as_text.jsonl", "ga4/events_20251124.json"]
    + ["mixpanel/seconds.jsonl", "amplitude/187520_2025-11-24_18#0.json"],
)
@pytest.mark.parametrize("kind", ["frame", "table", "parquet"])
def test_exports_of_vendors_as_tables(log: permlog.Log, tmp_path: Path, sample: str, kind: str) -> None:
    """What a warehouse makes of a vendor's export is read as the export is."""
    path = DATA / "samples" / sample
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    names = list(dict.fromkeys(name for row in rows for name in row))
    source: Any = pd.DataFrame(rows)
    if kind != "frame":
        source = pa.Table.from_pylist([{name: row.get(name) for name in names} for row in rows])
    if kind == "parquet":
        # Parquet has no struct without fields.
        source = source.select([field.name for field in source.schema if "struct<>" not in str(field.type)])
        pq.write_table(source, tmp_path / "events.parquet")
        source = tmp_path / "events.parquet"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain = log.ingest(path)
        table = log.ingest(source, progress=False)
    assert plain.new > 0
    assert (":3" in plain.notes, "row 2" in table.notes) == (bool(plain.unmapped_events),) * 2
    assert (table.new, table.duplicates, table.conflicts) == (0, plain.new, 0)
    assert (table.lines, table.unmapped_events) == (plain.lines, plain.unmapped_events)


def test_nested_columns_are_read_as_json(log: permlog.Log) -> None:
    rows = [
        {
            "event_name": "push_permission_denied",
            "event_timestamp": 1772445600000000 + number,
            "user_pseudo_id": f"p{number}",
            "event_params": [{"key": "screen", "value": {"string_value": "home", "int_value": None}}],
            "app_info": {"version": "3.2", "id": None},
        }
        for number in range(3)
    ]
    plain = log.path.parent / "ga4.json"
    plain.write_text("\n".join(json.dumps(row) for row in rows))
    first = log.ingest(plain, progress=False)
    assert first.new == 3
    table = log.ingest(pa.Table.from_pylist(rows), progress=False)
    assert (table.new, table.duplicates, table.conflicts) == (0, 3, 0)
    frame = log.ingest(pd.DataFrame(rows), progress=False)
    assert (frame.new, frame.duplicates, frame.conflicts) == (0, 3, 0)


def test_names_that_look_like_answers_are_a_warning(log: permlog.Log) -> None:
    rows = [
        {"event": name, "properties": {"time": 1772445600 + number, "distinct_id": "d", "$insert_id": f"i{number}"}}
        for number, name in enumerate(["push_permission_denied", "push_permission_un_granted"])
    ]
    with pytest.warns(permlog.PermlogWarning, match="looks like a permission event"):
        ingest = log.ingest(pd.DataFrame(rows), progress=False)
    assert (ingest.new, ingest.unmapped_events) == (1, 1)


@pytest.mark.parametrize("dtype", ["Float64", "float64[pyarrow]", "float64", "object"])
def test_nan_is_absent_in_every_column_of_pandas(log: permlog.Log, dtype: str) -> None:
    numbers: Any = pd.Series([1.0, 0.0, 7.0])
    column = (numbers.astype("float64" if dtype == "object" else dtype) / pd.Series([1.0, 0.0, 1.0])).astype(dtype)
    assert np.isnan(column.to_numpy(dtype=float)[1])
    with pytest.warns(permlog.PermlogWarning, match="row 1: user_id is missing"):
        assert log.ingest(_frame(user_id=column), progress=False).new == 2
