"""Whole numbers in narrow floats: above a certain size they may have been rounded earlier."""

from __future__ import annotations

from typing import Any

from permlog._extras import need_pyarrow

OF_NUMPY = {"float16": 1 << 11, "float32": 1 << 24}
"""The size from which whole numbers of a numpy type may have been rounded."""
_OF_ARROW = {"halffloat": OF_NUMPY["float16"], "float": OF_NUMPY["float32"]}


def limit(pa: Any, type_: Any) -> int | None:
    """The size from which whole numbers of a type may have been rounded; None if that does not matter.

    Dictionaries, run ends and extensions are as their values.
    """
    if isinstance(type_, pa.BaseExtensionType):
        return limit(pa, type_.storage_type)
    if pa.types.is_dictionary(type_) or pa.types.is_run_end_encoded(type_):
        return limit(pa, type_.value_type)
    return _OF_ARROW.get(str(type_))


def first_rounded(column: Any, size: int) -> int | None:
    """The index of the first finite number of at least this size in a column of floats; None if it has no such number."""
    pa: Any = need_pyarrow("compute")
    pc = pa.compute
    wide = column.cast(pa.float64())
    doubtful = pc.and_(pc.is_finite(wide), pc.greater_equal(pc.abs(wide), float(size)))
    place = pc.index(doubtful, pa.scalar(True)).as_py()
    return None if place < 0 else int(place)


def sentence(name: str, value: Any, where: str, size: int) -> str:
    """The error for a number that may have been rounded."""
    return (
        f"Column {name} holds {int(value)} {where}, in floats of {32 if size > 1 << 11 else 16} bits, which round whole numbers "
        f"from {size}. Read it again as integers or texts."
    )
