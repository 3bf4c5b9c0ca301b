"""The user of a row, computed in Spark as the tool does it. Users are divided by this id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from permlog.errors import UsageError

# What the tool cuts from the ends of ids: spaces, tabs, line ends, the no-break space and the byte-order mark.
BLANKS = " \t\n\x0b\x0c\r\u00a0\ufeff"
# Ids that name no user, in any case and with spaces around them. The tool rejects them, or reads the next path for the user.
NOBODY = (
    *(
        "",
        "null",
        "nil",
        "undefined",
        "none",
        "unknown",
        "anonymous",
        "anon",
        "0",
        "-0",
        "-1",
        "nan",
        "[]",
        "{}",
        "\\n",
        "n/a",
    ),
    *("na", "#n/a", "<null>", "(not set)", "(null)", "guest", "-", "00000000-0000-0000-0000-000000000000"),
)
# Types with a text that is the id.
IDS = frozenset(("string", "tinyint", "smallint", "int", "bigint"))
# The paths of users in presets, as columns or keys of the record: for installs, and for accounts.
PLACES = {
    "amplitude": (("device_id", "user_id", "amplitude_id"), ("user_id", "device_id", "amplitude_id")),
    "ga4": (("user_pseudo_id", "user_id"), ("user_id", "user_pseudo_id")),
}
# The tool does not accept longer texts as ids, and reads the next path.
_LONGEST = 65_535
_FRACTION = r"^-?[0-9]+(\.[0-9]+([eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)$"


def id_of(user: Any, keep_ids: bool) -> Any:
    """A text as the tool reads it as an id: without spaces at its ends.

    Otherwise " u1" and "u1", which are one user for the tool, could go to two shards and count as two. A text of only
    spaces does not change: the tool rejects it.
    """
    from pyspark.sql import functions as F

    if keep_ids:
        return user
    cut = F.btrim(user, F.lit(BLANKS))
    # Cutting costs much more than looking at both ends, and nearly no id needs it.
    first, last = F.ascii(user), F.ascii(F.substring(user, -1, 1))
    is_clean = first.between(0x21, 0x7E) & last.between(0x21, 0x7E)
    return F.when(is_clean | user.isNull(), user).when(F.length(cut) == 0, user).otherwise(cut)


def named_user(user: Any, keep_ids: bool) -> Any:
    """The same, and null for what names no user: a task asks the tool whether it reads events of such rows."""
    from pyspark.sql import functions as F

    return F.when(is_somebody(user), id_of(user, keep_ids))


def is_somebody(user: Any) -> Any:
    """False or null for values that the tool does not accept as an id."""
    from pyspark.sql import functions as F

    text = F.btrim(user, F.lit(BLANKS))
    lower = F.lower(text)
    # Capitals of ASCII alone are folded, as the tool does; others that become ASCII have more bytes.
    return ~(lower.isin(*NOBODY) & (F.octet_length(lower) == F.octet_length(text)))


def first_id(*places: Any) -> Any:
    """The first of several columns that has an id, as the tool selects among the paths of a mapping.

    Empty texts, texts of only spaces, and ids that name no user (``unknown``, ``0``, zeros) are skipped; ``coalesce``
    would take them. If the first text left may be an object or a list of JSON, the result is null.

    Parameters
    ----------
    *places : str or Column
        Columns in the order of the mapping; for lines like ``get_json_object("value", "$.device_id")``.

    Returns
    -------
    pyspark.sql.Column
        Texts; null if no column has an id.
    """
    from pyspark.sql import functions as F

    if not places:
        raise UsageError("first_id takes at least one column")
    return _first([(F.col(place) if isinstance(place, str) else place).cast("string") for place in places], True)


def _first(places: Sequence[Any], may_be_json: bool) -> Any:
    """The same for texts. If they may be objects or lists of JSON, those give null."""
    from pyspark.sql import functions as F

    found = F.lit(None).cast("string")
    for text in reversed(places):
        # As a number 1e5 is spelled in another way by Spark. So all spellings of it go to one shard; each stays a user of its own.
        spelled = F.when(text.rlike(_FRACTION), F.concat(F.lit("number "), text.cast("double"))).otherwise(text)
        is_unclear = F.octet_length(text) > _LONGEST
        if may_be_json:
            is_unclear |= text.startswith("{") | text.startswith("[")
        # null if it is unclear, which ends the search: the tool may take it, or the next path.
        found = F.when(is_somebody(text), F.when(~is_unclear, spelled)).otherwise(found)
    return found


def user_of_lines(line: Any, preset: str, is_account: bool) -> Any:
    """The user of a preset's lines."""
    from pyspark.sql import functions as F

    return first_id(*(F.get_json_object(line, f"$.{name}") for name in PLACES[preset][is_account]))


def user_of_columns(columns: dict[str, Any], types: dict[str, str], preset: str, is_account: bool) -> Any:
    """The user of a preset's table.

    Raises
    ------
    UsageError
        If it is unknown.
    """
    places = [name for name in PLACES[preset][is_account] if name in columns]
    if not places:
        raise UsageError(
            f"The frame has none of the columns that {preset} has for users: {', '.join(PLACES[preset][is_account])}"
        )
    odd = [name for name in places if types[name] not in IDS]
    if odd:
        raise UsageError(
            f"user is needed: the column {odd[0]} is of the type {types[odd[0]]}, from which permlog cannot compute the id. Cast "
            "it to string or bigint"
        )
    return _first([columns[name].cast("string") for name in places], False)


def needs_user(preset: str | None) -> UsageError:
    """The error if the user is not named and not known."""
    return UsageError(
        f"user is needed with {preset or 'a mapping of your own'}: name the id that it reads as the user, by which users are "
        "divided. For several columns write user=first_id(…), in the mapping's order. permlog knows it only for "
        f"{' and '.join(sorted(PLACES))}"
    )
