"""Values of some arguments as the tool reads them: days, durations, zones, conditions."""

from __future__ import annotations

import datetime
import re
import warnings
from collections.abc import Mapping
from typing import Any

from permlog.errors import PermlogWarning, UsageError

_DAYS = ("from_", "to", "start")
_DURATIONS = ("at_once", "response_window", "follow_up")


def special(name: str, value: Any) -> Any:
    """The text of a value that needs special treatment for its argument; any other value unchanged.

    Raises
    ------
    UsageError
        If it is ambiguous.
    """
    if type(value).__name__ == "datetime64":  # numpy's, whose item() may be a count of nanoseconds.
        value = value.astype("datetime64[us]").item()
    # NaT is a datetime by its class.
    if value is None or str(value) in ("NaT", "nan") and not isinstance(value, str):
        raise UsageError(f"{name}: the value is missing ({value})")
    if name in _DAYS and isinstance(value, datetime.datetime):
        return _day(name, value)
    if name in _DURATIONS and isinstance(value, (int, float)):
        if value == 0:
            return "0ms"  # The same in every unit.
        unit = "ms" if name == "at_once" else "d"
        raise UsageError(
            f'{name}={value} has no unit. Write it as text, like "{value}{unit}", or as datetime.timedelta'
        )
    if isinstance(value, datetime.tzinfo):
        return _zone(name, value)
    return value


def _day(name: str, value: datetime.datetime) -> str:
    if value.tzinfo is None and value.time() == datetime.time():
        return value.date().isoformat()
    # time_zone defines the day; a moment with its own zone may be on a different day.
    raise UsageError(
        f"{name} takes a day, but {value.isoformat()} is a moment. Give its day with .date(); "
        "time_zone is the zone in which days begin"
    )


def _zone(name: str, value: datetime.tzinfo) -> str:
    key = getattr(value, "key", None) or getattr(value, "zone", None)  # Of zoneinfo, of pytz.
    if key is None and value is datetime.timezone.utc:
        key = "UTC"
    if not isinstance(key, str):
        raise UsageError(f'{name} takes a zone by its name, like "Europe/Berlin"; {value!r} has none')
    return key


def conditions(name: str, value: Mapping[Any, Any]) -> list[str]:
    """Conditions from a mapping of properties to a value, or to a list of possible values.

    Raises
    ------
    UsageError
        For a key that is not a property, and for values that are not texts.
    """
    made = []
    for key, wanted in value.items():
        if not isinstance(key, str) or re.fullmatch("[a-z_]+", key) is None:
            raise UsageError(
                f'{name}: {key!r} is not a property. For a sign other than = write a text: "app_version>=3.2"'
            )
        values = list(wanted) if isinstance(wanted, (list, tuple, set, frozenset)) else [wanted]
        for each in values:
            if not isinstance(each, str):
                raise UsageError(
                    f'{name}: a property is compared with text, like {{"{key}": "{each}"}}; not with {each!r}'
                )
        if not values:
            raise UsageError(f"{name}: {key} has an empty list")
        made.append(f"{key}={','.join(sorted(_escaped(each) for each in values))}")
    return made


def _escaped(value: str) -> str:
    """A value with escaped commas, and with escaped spaces at its ends."""
    text = value.replace("\\", "\\\\").replace(",", "\\,")
    if text.startswith(" "):
        text = "\\" + text
    return text[:-1] + "\\ " if len(value) > 1 and text.endswith(" ") else text


def doubt_points(**values: Any) -> None:
    """Warns of a number of percentage points or per cent that looks like a share of 1."""
    for name, (value, least) in values.items():
        if isinstance(value, (int, float)) and 0 < value < least:
            unit = "per cent" if name == "baseline" else "percentage points"
            warnings.warn(
                f"{name}={value:g} is {value:g} {unit}. If {100 * value:g} were meant, write {name}={100 * value:g}.",
                PermlogWarning,
                stacklevel=3,
            )
