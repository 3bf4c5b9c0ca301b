"""Nested columns as JSON: written at once, they say what they say row by row."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import permlog
from permlog import _nested

_PARAMETERS = pa.list_(
    pa.struct(
        [
            ("key", pa.string()),
            ("value", pa.struct([("text", pa.large_string()), ("int", pa.int64()), ("float", pa.float64())])),
        ]
    )
)
_TYPE = pa.struct(
    [("parameters", _PARAMETERS), ("flag", pa.bool_()), ('many "x"', pa.large_list(pa.float32())), ("none", pa.null())]
)

_texts = st.text(st.characters(codec="utf-8"), max_size=6)
_values = st.fixed_dictionaries(
    {
        "text": st.none() | _texts,
        "int": st.none() | st.integers(-(2**63), 2**63 - 1),
        "float": st.none() | st.floats(),
    }
)
_parameters = st.lists(
    st.none() | st.fixed_dictionaries({"key": st.none() | _texts, "value": st.none() | _values}), max_size=3
)
_rows = st.fixed_dictionaries(
    {
        "parameters": st.none() | _parameters,
        "flag": st.none() | st.booleans(),
        'many "x"': st.none() | st.lists(st.none() | st.floats(width=32), max_size=3),
        "none": st.none(),
    }
)


def _row_by_row(column: pa.Array) -> list[Any]:
    plain = _nested._plain(pa, column.type)
    return [None if value is None else plain(value) for value in column.to_pylist()]


@settings(max_examples=150, derandomize=True, database=None, deadline=None, print_blob=True)
@given(rows=st.lists(st.none() | _rows, max_size=5), start=st.integers(0, 3))
def test_at_once_is_row_by_row(rows: list[Any], start: int) -> None:
    column = pa.array(rows, _TYPE).slice(start)
    made = _nested.as_json(column, "x").to_pylist()
    assert [None if text is None else json.loads(text) for text in made] == _row_by_row(column)


def test_what_is_written_at_once() -> None:
    column = pa.array([{"a": [{"b": 'x "\\'}, None], "c": 5.0, "d": None}, {"a": [], "c": None, "d": True}, None])
    assert _nested._written(pa, column).to_pylist() == [r'{"a":[{"b":"x \"\\"},null],"c":5}', '{"a":[],"d":true}', None]
    assert _nested._written(pa, pa.array([{"a": "two\nlines"}])) is None, "left to be done row by row"
    assert _nested.as_json(pa.array([{"a": "two\nlines"}]), "x").to_pylist() == ['{"a":"two\\nlines"}']


def test_maps_keep_all_their_keys() -> None:
    type_ = pa.map_(pa.string(), pa.int64())
    column = pa.array([[("a", 1), ("b", None)], [("a", 1), ("a", 2)], None], type_)
    assert [None if text is None else json.loads(text) for text in _nested.as_json(column, "x").to_pylist()] == [
        {"a": 1, "b": None},
        [{"key": "a", "value": 1}, {"key": "a", "value": 2}],
        None,
    ]


def test_what_json_has_no_form_for_is_an_error() -> None:
    with pytest.raises(
        permlog.UsageError, match=r"Column x of type struct<a: duration\[ms\]> cannot be written as JSON"
    ):
        _nested.as_json(pa.array([{"a": 1}], pa.struct([("a", pa.duration("ms"))])), "x")
