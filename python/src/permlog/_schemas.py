"""The columns of several files combined, exactly or not at all."""

from __future__ import annotations

from typing import Any

from permlog._exact import first_rounded, limit, sentence
from permlog._extras import need_pyarrow
from permlog.errors import UsageError


def joined(first: Any, second: Any, path: str, other: str) -> Any:
    """The columns of both files, each with a type for the values of both.

    Raises
    ------
    UsageError
        If a column has incompatible types.
    """
    pa: Any = need_pyarrow()
    fields = {field.name: field for field in first}
    for field in second:
        known = fields.get(field.name)
        if known is None:
            fields[field.name] = field
        elif not known.type.equals(field.type):
            type_ = _wider(pa, known.type, field.type)
            if type_ is None:
                raise UsageError(
                    f"Column {field.name} is {known.type} in {path} and {field.type} in {other}. Ingest them "
                    "separately, or rewrite them with one type."
                )
            fields[field.name] = pa.field(field.name, type_)
    return pa.schema(list(fields.values()))


def _wider(pa: Any, one: Any, other: Any) -> Any:
    """A type for the exact values of both; None if no such type exists."""
    is_ = pa.types
    for a, b in ((one, other), (other, one)):
        if is_.is_null(a):
            return b
        if is_.is_dictionary(a):
            return _wider(pa, a.value_type, b.value_type if is_.is_dictionary(b) else b) or (
                a.value_type if a.value_type.equals(b.value_type if is_.is_dictionary(b) else b) else None
            )
    if is_text(pa, one) and is_text(pa, other):
        return pa.large_string()
    if is_.is_signed_integer(one) and is_.is_signed_integer(other):
        return one if one.bit_width >= other.bit_width else other
    if is_.is_unsigned_integer(one) and is_.is_unsigned_integer(other):
        return one if one.bit_width >= other.bit_width else other
    if is_.is_floating(one) and is_.is_floating(other):
        return one if one.bit_width >= other.bit_width else other
    if is_.is_timestamp(one) and is_.is_timestamp(other) and (one.tz is None) == (other.tz is None):
        units = ("s", "ms", "us", "ns")
        return pa.timestamp(units[max(units.index(one.unit), units.index(other.unit))], tz=one.tz)
    return None


def is_text(pa: Any, type_: Any) -> bool:
    is_ = pa.types
    return bool(
        is_.is_string(type_)
        or is_.is_large_string(type_)
        or (hasattr(is_, "is_string_view") and is_.is_string_view(type_))
    )


def value_type(pa: Any, type_: Any) -> Any:
    """The type of a dictionary's values; for other types the type itself."""
    return type_.value_type if pa.types.is_dictionary(type_) else type_


def cast(column: Any, field: Any, path: str) -> Any:
    """A column of one file in the type of all.

    Raises
    ------
    UsageError
        If a value does not fit, or may have been rounded before.
    """
    pa: Any = need_pyarrow()
    if column.type.equals(field.type):
        return column
    size = limit(pa, column.type)
    place = None if size is None else first_rounded(column, size)
    if size is not None and place is not None:
        raise UsageError(sentence(field.name, column[place].as_py(), f"in {path}", size))
    try:
        if pa.types.is_dictionary(field.type) and not pa.types.is_dictionary(column.type):
            return column.cast(field.type.value_type).dictionary_encode().cast(field.type)
        return column.cast(field.type)
    except pa.ArrowException as problem:
        raise UsageError(f"Column {field.name} of {path} cannot be read as {field.type}: {problem}") from problem
