"""Columns of Python objects: the kind of their values, and the Arrow type for it."""

from __future__ import annotations

import datetime
import json
import numbers
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from permlog._exact import OF_NUMPY, sentence
from permlog._extras import need_pandas, need_pyarrow
from permlog._nested import simple
from permlog.errors import UsageError


@dataclass(frozen=True)
class Kind:
    """How the values of a column become an Arrow array."""

    column: str
    type: Any
    convert: Callable[[Any], Any] | None = None
    is_json: bool = False

    def array(self, series: Any) -> Any:
        """Values of the column, missing ones as null."""
        pd, pa = need_pandas(), need_pyarrow()
        values = series.to_numpy(dtype=object)
        try:
            if self.convert is None:
                return pa.array(values, self.type, from_pandas=True)
            missing = pd.isna(series).to_numpy()
            made = [None if absent else self.convert(value) for value, absent in zip(values, missing, strict=True)]
            return pa.array(made, self.type)
        except (pa.ArrowException, OverflowError, TypeError, ValueError) as problem:
            raise UsageError(f"Column {self.column} cannot be read: {problem}") from problem


def kind_of_column(name: str, series: Any, place: str) -> Kind:
    """The kind of a column of Python objects.

    Parameters
    ----------
    place : str
        The word for a position in errors, row or category.

    Raises
    ------
    UsageError
        If its values are of several kinds (the error names the first that differs), or of a kind that no column can
        have.
    """
    pd = need_pandas()
    # Most columns of objects are texts, which pandas finds out much faster.
    if pd.api.types.infer_dtype(series, skipna=True) == "string":
        return _of_kind(name, "texts", [])
    values, missing = series.to_numpy(dtype=object), pd.isna(series).to_numpy()
    present = [value for value, absent in zip(values, missing, strict=True) if not absent]
    kinds = {_kind(type(value)) for value in present if type(value) not in _MOMENTS} | {
        _kind_of_moment(value) for value in present if type(value) in _MOMENTS
    }
    if any(isinstance(value, datetime.datetime) and type(value) not in _MOMENTS for value in present):
        kinds = {_kind_of_value(value) for value in present}
    if len(kinds) > 1:
        first = _kind_of_value(present[0])
        row = next(row for row, value in enumerate(values) if not missing[row] and _kind_of_value(value) != first)
        raise UsageError(
            f"Column {name} has several kinds of values: first {first}, and in {place} {row} (counted from 0) "
            f"{_kind_of_value(values[row])}. Convert it to one kind, for example with .astype('string')."
        )
    return _of_kind(name, kinds.pop() if kinds else "nothing", present)


# The types of times with a meaning that depends on the zone.
_MOMENTS: set[type] = {datetime.datetime}


def _kind_of_value(value: Any) -> str:
    if isinstance(value, datetime.datetime):
        return _kind_of_moment(value)
    return _kind(type(value))


def _kind_of_moment(value: datetime.datetime) -> str:
    return "times without a zone" if value.tzinfo is None else "times with a zone"


def _kind(type_: type) -> str:
    if issubclass(type_, str):
        return "texts"
    if issubclass(type_, bool) or type_.__name__ in ("bool_", "bool"):
        return "booleans"
    if issubclass(type_, Decimal):
        return "decimals"
    if issubclass(type_, (numbers.Integral, numbers.Real)):
        return "numbers"
    if issubclass(type_, bytes):
        return "bytes"
    if issubclass(type_, datetime.datetime):
        return "times"
    if issubclass(type_, datetime.date):
        return "dates"
    if issubclass(type_, uuid.UUID):
        return "UUIDs"
    if issubclass(type_, (dict, list, tuple)) or type_.__name__ == "ndarray":
        return "objects and lists"
    return f"values of the type {type_.__module__}.{type_.__qualname__}"


def _of_kind(name: str, kind: str, present: list[Any]) -> Kind:
    pa: Any = need_pyarrow()
    match kind:
        case "nothing":
            return Kind(name, pa.null())
        case "texts":
            return Kind(name, pa.string())
        case "booleans":
            return Kind(name, pa.bool_(), bool)
        case "bytes":
            return Kind(name, pa.binary())
        case "times without a zone":
            return Kind(name, pa.timestamp("us"))
        case "times with a zone":
            return Kind(name, pa.timestamp("us", tz="UTC"))
        case "dates":
            return Kind(name, pa.date32())
        case "UUIDs":
            return Kind(name, pa.string(), str)
        case "objects and lists":
            return Kind(name, pa.string(), _json, is_json=True)
        case "decimals":
            try:
                return Kind(name, pa.array(present).type)
            except pa.ArrowException as problem:
                raise UsageError(f"Column {name} cannot be read: {problem}") from problem
        case "numbers":
            return _of_numbers(name, present)
    raise UsageError(
        f"Column {name} has {kind}, which cannot be read. Convert it to texts, for example with .astype('string')."
    )


def _of_numbers(name: str, present: list[Any]) -> Kind:
    """Whole numbers stay exact: as integers if they fit, otherwise as digits."""
    pa: Any = need_pyarrow()
    narrow = {type_: OF_NUMPY[type_.__name__] for type_ in set(map(type, present)) if type_.__name__ in OF_NUMPY}
    for value in present if narrow else ():
        size = narrow.get(type(value))
        if size is not None and size <= abs(float(value)) < float("inf"):
            raise UsageError(sentence(name, value, "among its values", size))
    if not all(isinstance(value, numbers.Integral) for value in present):
        wide = next(
            (value for value in present if isinstance(value, numbers.Integral) and abs(int(value)) > 1 << 53), None
        )
        if wide is not None:
            raise UsageError(
                f"Column {name} has fractions and also {wide}, which is too large to stay exact as a float. Convert it to texts."
            )
        return Kind(name, pa.float64(), float)
    low, high = min(map(int, present)), max(map(int, present))
    if low >= -(1 << 63) and high < 1 << 63:
        return Kind(name, pa.int64(), int)
    if low >= 0 and high < 1 << 64:
        return Kind(name, pa.uint64(), int)
    return Kind(name, pa.string(), lambda value: str(int(value)))


def _json(value: Any) -> str:
    return json.dumps(_nested(value), ensure_ascii=False, separators=(",", ":"))


def _nested(value: Any) -> Any:
    """Objects and lists with values of JSON. Keys without a value are left out."""
    if type(value).__name__ == "ndarray":
        value = value.tolist()
    if isinstance(value, dict):
        made = {simple(key): _nested(found) for key, found in value.items()}
        return {key: found for key, found in made.items() if found is not None}
    if isinstance(value, (list, tuple)):
        return [_nested(found) for found in value]
    if hasattr(value, "item") and type(value).__module__ == "numpy":
        value = value.item()
    return simple(value)
