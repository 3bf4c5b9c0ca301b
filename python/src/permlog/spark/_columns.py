"""The columns that go to the tool, and the one that users are divided by."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from permlog._feed import needed
from permlog._questions import Question
from permlog.errors import DataError, PermlogError, UsageError
from permlog.spark._needs import FIELDS, fields_of
from permlog.spark._reading import Reading
from permlog.spark._users import IDS, PLACES, id_of, named_user, needs_user, user_of_columns, user_of_lines

KEY = "permlog_user"
GUARD = "permlog_shard"
# The type, alone or within others; names of fields of that name end with a colon.
_VARIANT = re.compile(r"(?<![^<:,])variant(?![^>,])")
_FOLDED = {field.replace("_", ""): field for field in FIELDS}


@dataclass(frozen=True)
class Divided:
    """The columns that go through the shuffle, and the column that decides the shard."""

    selected: Sequence[Any]
    """Columns of the frame under their names: first those that go to the tool."""
    key: str
    """The column by which users are divided."""
    sent: Sequence[str]
    """The names of the columns that go to the tool."""
    json: frozenset[str]
    """The columns with objects and lists as texts."""
    is_lines: bool = False
    needs_event_id: bool = False
    """Whether columns were left out, so that no id can be made of all of them."""


def divided_rows(
    df: Any,
    columns: Mapping[str, Any] | None,
    user: Any,
    reading: Reading,
    keep_ids: bool,
    asked: Sequence[Question],
) -> Divided:
    """The columns of a table that the tool reads. With questions, only those that the questions need.

    Raises
    ------
    UsageError
        If a column is missing, or the column by which users are divided is not named.
    """
    from pyspark.sql import functions as F

    named = _named(df, columns)
    try:
        names = needed(list(named), reading.here)
    except DataError as problem:
        raise _lacking(problem, df) from None
    if reading.is_vendor:
        fields = {name: name for name in names}
    else:
        fields = _own_fields(names)
    _check_given(columns, names, fields, reading)
    # Ids of events without one are made of all fields, so that none may be missing then.
    is_pruned = bool(asked) and not reading.is_vendor and "event_id" in fields
    # Under the tool's own names, so that a task cannot take the table for another form.
    columns_of = {field: named[name] for field, name in fields.items()}
    types = dict(df.select(*(column.alias(field) for field, column in columns_of.items())).dtypes)
    if is_pruned:
        # A value that is not a text may be a reason to reject a row.
        wanted = fields_of(asked)
        columns_of = {
            field: column
            for field, column in columns_of.items()
            if field in wanted or types[field] != "string" or field_of(field) is None
        }
    selected, json = [], set()
    for field, column in columns_of.items():
        if _VARIANT.search(types[field]):
            json.add(field)
            column = F.to_json(column)
        elif types[field].startswith(("struct", "array", "map")):
            json.add(field)
        elif types[field].startswith("decimal") and types[field].endswith(",0)"):
            column = column.cast("string")
        selected.append(column.alias(field))
    sent, texts = list(columns_of), frozenset(json)
    if user is None and reading.is_vendor:
        if reading.preset not in PLACES:
            raise needs_user(reading.preset)
        key = user_of_columns(columns_of, types, reading.preset, reading.is_account)
        return Divided([*selected, named_user(key, keep_ids).alias(KEY)], KEY, sent, texts)
    if user is not None:
        key = named_user(_column(df, user, "user").cast("string"), keep_ids)
        return Divided([*selected, key.alias(KEY)], KEY, sent, texts, needs_event_id=is_pruned)
    # Integers and texts of the same digits are one user: both are divided by their digits.
    text = id_of(columns_of["user_id"].cast("string"), keep_ids)
    if types["user_id"] in IDS:
        # The column that travels anyway, cut here already.
        selected[sent.index("user_id")] = text.alias("user_id")
        return Divided(selected, "user_id", sent, texts, needs_event_id=is_pruned)
    return Divided([*selected, text.alias(KEY)], KEY, sent, texts, needs_event_id=is_pruned)


def _own_fields(names: Sequence[str]) -> dict[str, str]:
    """The columns of a canonical table, by their fields.

    Raises
    ------
    UsageError
        If the table is not canonical, or has a field twice.
    """
    found: dict[str, str] = {}
    # Spelled exactly it is the log's own form, whatever columns are beside.
    is_own = {"user_id", "timestamp", "event"} <= set(names)
    for name in names:
        field = field_of(name)
        if field is None and is_own:
            # It influences the meaning of an event's name that is not a kind.
            field = name
        if field is None:
            # The tool reads a column that is not one of its fields, so the table is a vendor's, with another user column than user_id.
            raise UsageError(
                f"The frame is read as a vendor's table, because it has the column {name} but not all of user_id, "
                'timestamp and event. Name the vendor with mapping=, like mapping="amplitude", or name the columns with columns={"user_id": …}'
            )
        if field in found:
            raise UsageError(
                f"The columns {found[field]} and {name} are both {field}: leave one out with columns={{{name!r}: None}}"
            )
        found[field] = name
    if "user_id" not in found:
        raise UsageError(
            'The frame has no column user_id. Name it with columns={"user_id": …}, or name a mapping with mapping='
        )
    return found


def _check_given(
    columns: Mapping[str, Any] | None, names: Sequence[str], fields: Mapping[str, str], reading: Reading
) -> None:
    """Checks that the tool reads every named column.

    Raises
    ------
    UsageError
        If one would be silently ignored.
    """
    for name, column in (columns or {}).items():
        if column is None or name in names:
            continue
        known = sorted(FIELDS) if not reading.is_vendor else sorted(fields)
        near = difflib.get_close_matches(_plain(name) if not reading.is_vendor else name, known, 1)
        hint = f"did you mean {near[0]}?" if near else f"fields are {', '.join(known)}."
        what = "is not a field of an event" if not reading.is_vendor else "is not read by the mapping"
        raise UsageError(f"columns: {name} {what}; {hint} The key is permlog's name, the value the frame's column")


def _lacking(problem: DataError, df: Any) -> PermlogError:
    """The tool's error for a missing column, in the words of a lake."""
    found = re.search(r"the Arrow stream has no column (\w+);", problem.sentence)
    if found is None:
        return problem
    return UsageError(
        f'The frame has no column {found[1]}; it has {", ".join(df.columns)}. Name it with columns={{"{found[1]}": …}} '
        f"(for the program --column {found[1]}=…)"
    )


def divided_lines(df: Any, line: Any, user: Any, reading: Reading, keep_ids: bool) -> Divided:
    """Lines, and the column by which users are divided.

    Raises
    ------
    UsageError
        If a column is missing, or the column by which users are divided is not named.
    """
    from pyspark.sql import functions as F

    text = _column(df, line, "line").cast("string")
    if user is not None:
        key = _column(df, user, "user").cast("string")
    elif not reading.is_vendor:
        key = F.get_json_object(text, "$.user_id")
    elif reading.preset in PLACES:
        key = user_of_lines(text, reading.preset, reading.is_account)
    else:
        raise needs_user(reading.preset)
    return Divided([text.alias("line"), named_user(key, keep_ids).alias(KEY)], KEY, ["line"], frozenset(), True)


def _named(df: Any, columns: Mapping[str, Any] | None) -> dict[str, Any]:
    """The frame's columns under the log's names."""
    given = dict(columns or {})
    for name in given:
        if not isinstance(name, str) or not name:
            raise UsageError(f"columns takes the names of fields as texts, not {name!r}")
    twice = next((name for name in df.columns if df.columns.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"The frame has two columns named {twice}")
    # One of several columns of a field, by its own name; else the field.
    left = {name for name, column in given.items() if column is None and name in df.columns}
    replaced = {field_of(name) or _plain(name) for name in given if name not in left}
    found = {
        name: _column(df, name, name)
        for name in df.columns
        if name not in left and (field_of(name) or _plain(name)) not in replaced
    }
    found.update({name: _column(df, column, name) for name, column in given.items() if column is not None})
    return found


def _column(df: Any, column: Any, what: str) -> Any:
    from pyspark.sql import functions as F

    if not isinstance(column, str):
        if not hasattr(column, "alias"):
            raise UsageError(f"{what} takes the name of a column, or a Column; not {column!r}")
        return column
    if column in df.columns:
        return F.col("`" + column.replace("`", "``") + "`")
    root = column.partition(".")[0]
    if root in df.columns and root != column:  # A field of a struct.
        return F.col(column)
    raise UsageError(f"{what}: the frame has no column {column}; it has {', '.join(df.columns)}")


def field_of(name: str) -> str | None:
    """The field that a column's name means, in any case and with spaces, dashes or capitals between its words; None if it means no field."""
    return _FOLDED.get(_plain(name).replace("_", ""))


def _plain(name: str) -> str:
    """A name in the spelling that the tool compares: ``User ID`` and ``userId`` are ``user_id``."""
    words = "".join(
        f"_{sign.lower()}" if sign.isupper() and place and not name[place - 1].isupper() else sign.lower()
        for place, sign in enumerate(name.strip())
    )
    return "_".join(part for part in words.replace("-", "_").replace(" ", "_").split("_") if part)
