"""The columns that go to the tool, and the one that users are divided by."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from permlog._feed import needed
from permlog._questions import Question
from permlog.errors import DataError, PermlogError, UsageError
from permlog.spark._needs import fields_of
from permlog.spark._reading import Reading

# What the tool cuts from the ends of ids: spaces, tabs, line ends, the no-break space and the byte-order mark.
BLANKS = " \t\n\x0b\x0c\r\u00a0\ufeff"
# Types whose text is the id.
_IDS = frozenset(("string", "tinyint", "smallint", "int", "bigint"))
KEY = "permlog_user"
GUARD = "permlog_shard"


@dataclass(frozen=True)
class Divided:
    """What goes through the shuffle, and what decides where to."""

    selected: Sequence[Any]
    """Columns of the frame under their names: first those that go to the tool."""
    key: str
    """The one of them that users are divided by."""
    sent: Sequence[str]
    """Names of those that go to the tool."""
    json: frozenset[str]
    """Those that hold objects and lists, as texts."""
    is_lines: bool = False


def id_of(user: Any, keep_ids: bool) -> Any:
    """A text as the tool will have it as an id: without blanks at its ends.

    Else " u1" and "u1", which are one user to the tool, could come to two shards and be counted as two. Nothing but blanks stays as
    it is: the tool rejects it.
    """
    from pyspark.sql import functions as F

    if keep_ids:
        return user
    cut = F.btrim(user, F.lit(BLANKS))
    # Cutting costs much more than looking at both ends, and nearly no id needs it.
    first, last = F.ascii(user), F.ascii(F.substring(user, -1, 1))
    is_clean = first.between(0x21, 0x7E) & last.between(0x21, 0x7E)
    return F.when(is_clean | user.isNull(), user).when(F.length(cut) == 0, user).otherwise(cut)


def divided_rows(
    df: Any,
    columns: Mapping[str, Any] | None,
    user: Any,
    reading: Reading,
    keep_ids: bool,
    asked: Sequence[Question],
) -> Divided:
    """The columns of a table that the tool looks at; of them, with questions, only those that these need.

    Raises
    ------
    UsageError
        If a column is missing, or it is not said what users are divided by.
    """
    from pyspark.sql import functions as F

    named = _named(df, columns)
    if reading.is_vendor and user is None:
        raise UsageError(
            "user is needed with a mapping: the column that it takes for the user, by which users are divided"
        )
    try:
        names = needed(list(named), reading.here)
    except DataError as problem:
        raise _lacking(problem, df) from None
    fields = {_plain(name): name for name in names}
    if not reading.is_vendor and "user_id" not in fields:
        raise UsageError(
            'The frame has no column user_id. Name it with columns={"user_id": …}, or say how the rows are read with mapping='
        )
    # Ids of events without one are made of all fields, so that none may be missing then.
    if asked and not reading.is_vendor and "event_id" in fields:
        wanted = fields_of(asked)
        names = [name for field, name in fields.items() if field in wanted]
    selected, json = [], set()
    types = dict(df.select(*(named[name].alias(name) for name in names)).dtypes)
    for name in names:
        column = named[name]
        if types[name].startswith(("struct", "array", "map")):
            json.add(name)
            column = F.to_json(column)
        elif types[name].startswith("decimal") and types[name].endswith(",0)"):
            column = column.cast("string")
        selected.append(column.alias(name))
    # Integers and texts of the same digits are one user: both are divided by their digits.
    of = fields["user_id"] if user is None else None
    if of is not None and types[of] in _IDS:
        # The column that travels anyway, cut here already.
        text = id_of(named[of].cast("string"), keep_ids)
        selected[names.index(of)] = text.alias(of)
        return Divided(selected, of, names, frozenset(json))
    text = (named[of] if of is not None else _column(df, user, "user")).cast("string")
    return Divided([*selected, id_of(text, keep_ids).alias(KEY)], KEY, names, frozenset(json))


def _lacking(problem: DataError, df: Any) -> PermlogError:
    """What the tool says of a column that is missing, in the words of a lake."""
    found = re.search(r"the Arrow stream has no column (\w+);", problem.sentence)
    if found is None:
        return problem
    return UsageError(
        f'The frame has no column {found[1]}; it has {", ".join(df.columns)}. Name it with columns={{"{found[1]}": …}} '
        f"(for the program --column {found[1]}=…)"
    )


def divided_lines(df: Any, line: Any, user: Any, keep_ids: bool) -> Divided:
    """Lines, and what users are divided by.

    Raises
    ------
    UsageError
        If a column is missing.
    """

    text = _column(df, line, "line").cast("string").alias("line")
    key = id_of(_column(df, user, "user").cast("string"), keep_ids).alias(KEY)
    return Divided([text, key], KEY, ["line"], frozenset(), True)


def _named(df: Any, columns: Mapping[str, Any] | None) -> dict[str, Any]:
    """The frame's columns under the log's names."""
    given = dict(columns or {})
    for name in given:
        if not isinstance(name, str) or not name:
            raise UsageError(f"columns takes the names of fields as texts, and not {name!r}")
    replaced = {_plain(name) for name in given}
    found = {name: _column(df, name, name) for name in df.columns if _plain(name) not in replaced}
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


def _plain(name: str) -> str:
    """A name in the spelling that the tool compares: ``User ID`` and ``userId`` are ``user_id``."""
    words = "".join(
        f"_{sign.lower()}" if sign.isupper() and place and not name[place - 1].isupper() else sign.lower()
        for place, sign in enumerate(name.strip())
    )
    return "_".join(part for part in words.replace("-", "_").replace(" ", "_").split("_") if part)
