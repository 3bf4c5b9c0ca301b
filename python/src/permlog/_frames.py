"""Records of the tool's JSON as columns of a data frame: a name, the path of the value, its dtype."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from permlog._extras import need_pandas

if TYPE_CHECKING:
    import pandas

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Column:
    """A column: its name, the keys that lead to its value, and its dtype. A null on the path is a missing value."""

    name: str
    path: tuple[str, ...]
    dtype: str

    def value(self, record: Record) -> Any:
        found: Any = record
        for key in self.path:
            if found is None:
                return None
            found = found[key]
        return found


def texts(*names: str) -> list[Column]:
    """Columns of text under their own keys."""
    return [Column(name, (name,), "string") for name in names]


def flags(*names: str) -> list[Column]:
    """Columns of true and false."""
    return [Column(name, (name,), "boolean") for name in names]


def times(*names: str) -> list[Column]:
    """Columns of moments in UTC."""
    return [Column(name, (name,), "time") for name in names]


def counts(*names: str) -> list[Column]:
    """Columns of whole numbers. A name may be a path with dots; its column has underscores."""
    return [Column(name.replace(".", "_"), tuple(name.split(".")), "Int64") for name in names]


def numbers(*names: str) -> list[Column]:
    """Columns of fractions; NaN is unknown."""
    return [Column(name.replace(".", "_"), tuple(name.split(".")), "float64") for name in names]


def estimates(*names: str, under: str = "") -> list[Column]:
    """A number with its 95 % interval: three columns each, the bounds with ``_low`` and ``_high``.

    Parameters
    ----------
    under : str
        A key before the names. The columns' names do not have it.
    """
    first = (under,) if under else ()
    return [
        Column(name.replace(".", "_") + end, (*first, *name.split("."), key), "float64")
        for name in names
        for end, key in (("", "value"), ("_low", "low"), ("_high", "high"))
    ]


def within(key: str, columns: Iterable[Column]) -> list[Column]:
    """The same columns, read from an object under a key."""
    return [Column(column.name, (key, *column.path), column.dtype) for column in columns]


def objects(*names: str) -> list[Column]:
    """Columns of lists, as Python objects."""
    return [Column(name, (name,), "object") for name in names]


def frame(records: Sequence[Record], columns: Sequence[Column]) -> pandas.DataFrame:
    """A data frame with one row per record. Without records it still has its columns and dtypes."""
    pd = need_pandas()
    made = {column.name: series([column.value(record) for record in records], column.dtype) for column in columns}
    table: pandas.DataFrame = pd.DataFrame(made, columns=[column.name for column in columns])
    return table


def series(values: list[Any], dtype: str) -> Any:
    """Values with None for unknown as a column; of dates as text, days."""
    pd = need_pandas()
    if dtype == "day":
        return pd.Series(pd.to_datetime(values, format="%Y-%m-%d"), dtype="datetime64[ns]")
    if dtype == "time":
        return pd.Series(pd.to_datetime(values, format="ISO8601", utc=True), dtype="datetime64[ns, UTC]")
    if dtype == "week":
        return pd.Series(pd.to_datetime([monday(week) for week in values]), dtype="datetime64[ns]")
    if dtype == "float64":
        values = [float("nan") if value is None else value for value in values]
    return pd.Series(values, dtype=dtype)


def monday(week: str | None) -> datetime.date | None:
    """The first day of a week like "2026-W13", or "2026-03-29"."""
    if week is None:
        return None
    year, found, number = week.partition("-W")
    if not found:
        return datetime.date.fromisoformat(week)
    return datetime.date.fromisocalendar(int(year), int(number), 1)
