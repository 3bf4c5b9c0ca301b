"""Structs and lists as JSON, a column at a time; the rest row by row in Python."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from permlog._extras import need_pyarrow
from permlog.errors import UsageError

Conversion = Callable[[Any], Any]

_CONTROL = r"[\x00-\x1f\x7f]"


def as_json(column: Any, name: str) -> Any:
    """A column of structs, lists or maps as texts. Keys with null values are left out, as in exports.

    Raises
    ------
    UsageError
        If it has a value that JSON cannot express.
    """
    pa: Any = need_pyarrow("compute")
    whole = _written(pa, column) if _is_plain(pa, column.type) else None
    if whole is not None:
        return whole
    plain = _plain(pa, column.type)

    def text(value: Any) -> str | None:
        return None if value is None else json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"))

    try:
        return pa.array([text(value) for value in column.to_pylist()], pa.string())
    except (TypeError, ValueError) as problem:
        raise UsageError(f"Column {name} of type {column.type} cannot be written as JSON: {problem}") from problem


def _is_plain(pa: Any, type_: Any) -> bool:
    """Whether a column of this type can be written at once: structs and lists of texts, numbers and booleans."""
    is_ = pa.types
    if is_.is_struct(type_):
        return all(_is_plain(pa, type_.field(i).type) for i in range(type_.num_fields))
    if is_.is_list(type_) or is_.is_large_list(type_):
        return _is_plain(pa, type_.value_type)
    if is_.is_float16(type_):
        return False
    return bool(
        is_.is_string(type_)
        or is_.is_large_string(type_)
        or is_.is_integer(type_)
        or is_.is_floating(type_)
        or is_.is_boolean(type_)
        or is_.is_null(type_)
    )


def _written(pa: Any, column: Any) -> Any:
    """The values of a column as JSON, null for null; None if a text holds a sign that has to be escaped one by one."""
    pc, is_, text = pa.compute, pa.types, pa.large_string()
    if is_.is_struct(column.type):
        pieces = []
        for number, part in enumerate(column.flatten()):
            written = _written(pa, part)
            if written is None:
                return None
            key = pa.scalar(json.dumps(column.type.field(number).name, ensure_ascii=False) + ":", text)
            piece = pc.binary_join_element_wise(key, written, pa.scalar(",", text), pa.scalar("", text))
            pieces.append(pc.fill_null(piece, ""))
        # Each piece ends with a comma. (Joining with null_handling="skip" loses rows of which all pieces are null.)
        inner = pc.ascii_rtrim(pc.binary_join_element_wise(*pieces, pa.scalar("", text)), ",") if pieces else ""
        return _enclosed(pa, column, "{", inner, "}")
    if is_.is_list(column.type) or is_.is_large_list(column.type):
        first, last = column.offsets[0].as_py(), column.offsets[-1].as_py()
        elements = _written(pa, column.values.slice(first, last - first))
        if elements is None:
            return None
        offsets = pc.subtract(column.offsets, first).cast(pa.int64())
        lists = pa.LargeListArray.from_arrays(offsets, pc.fill_null(elements, "null"))
        return _enclosed(pa, column, "[", pc.binary_join(lists, pa.scalar(",", text)), "]")
    if is_.is_string(column.type) or is_.is_large_string(column.type):
        if pc.any(pc.match_substring_regex(column, _CONTROL)).as_py():
            return None
        quoted = pc.replace_substring(pc.replace_substring(column.cast(text), "\\", "\\\\"), '"', '\\"')
        return _enclosed(pa, column, '"', quoted, '"')
    if is_.is_floating(column.type):
        wide = column.cast(pa.float64())
        return pc.if_else(pc.is_finite(wide), wide, pa.scalar(None, pa.float64())).cast(text)
    return column.cast(text)


def _enclosed(pa: Any, column: Any, start: str, inner: Any, end: str) -> Any:
    """Texts between two signs; null if the column is."""
    pc, text = pa.compute, pa.large_string()
    if isinstance(inner, str):
        inner = pa.repeat(pa.scalar(inner, text), len(column))
    made = pc.binary_join_element_wise(pa.scalar(start, text), inner, pa.scalar(end, text), pa.scalar("", text))
    return pc.if_else(column.is_valid(), made, pa.scalar(None, text))


def _plain(pa: Any, type_: Any) -> Conversion:
    """The function that turns a Python value of an Arrow type into a value of JSON."""
    is_ = pa.types
    if is_.is_struct(type_):
        parts = {type_.field(i).name: _plain(pa, type_.field(i).type) for i in range(type_.num_fields)}
        return lambda value: {key: part(value[key]) for key, part in parts.items() if value.get(key) is not None}
    if is_.is_map(type_):
        item = _plain(pa, type_.item_type)
        return lambda value: _mapped([(key, None if found is None else item(found)) for key, found in value])
    if is_.is_nested(type_):
        element = _plain(pa, type_.value_type)
        return lambda value: [None if found is None else element(found) for found in value]
    return simple


def _mapped(pairs: list[tuple[Any, Any]]) -> Any:
    """A map as an object; as a list of keys and values if a key comes twice, so that nothing is lost."""
    made = {simple(key): value for key, value in pairs}
    if len(made) == len(pairs):
        return made
    return [{"key": simple(key), "value": value} for key, value in pairs]


def simple(value: Any) -> Any:
    """A value that is not a collection, as a value of JSON.

    Raises
    ------
    TypeError, ValueError
        For values that JSON cannot express: bytes that are not UTF-8, durations.
    """
    match value:
        case bool() | int() | str() | None:
            return value
        case float():
            if not math.isfinite(value):
                return None
            return int(value) if value.is_integer() and abs(value) < 1 << 53 else value
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case bytes():
            return value.decode("utf-8")
        case datetime.datetime() if value.tzinfo is not None:
            return value.astimezone(datetime.timezone.utc).isoformat().replace("+00:00", "Z")
        case datetime.date():
            return value.isoformat()
    if type(value).__name__ == "UUID":
        return str(value)
    raise TypeError(f"a {type(value).__name__} cannot be written as JSON")
