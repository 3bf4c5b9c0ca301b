"""Keyword arguments as options of the tool, in one place for all commands."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from permlog._spelling import conditions, special
from permlog.errors import UsageError

StrPath = str | os.PathLike[str]
Paths = StrPath | Sequence[StrPath]
Moment = str | datetime.date
"""A date or a time with a zone: text as on the command line, or a date or an aware datetime."""
Duration = str | datetime.timedelta
"""A number with a unit, like "30m" or "28d", or a timedelta."""
Zone = str | datetime.tzinfo
"""A time zone by its IANA name, or a ``zoneinfo.ZoneInfo``."""
Wait = Duration | float
"""How long to wait: seconds, or a duration."""
Strings = str | Sequence[str]
Conditions = Strings | Mapping[str, Strings]
"""Conditions as text, or properties with the value or values that they have."""

# Lists that are one option and not a repeated one.
_JOINED = {"split": ":", "adjust": ",", "steps": ","}
# Between key and value of a mapping.
_PAIRED = {"guardrail": ":", "threshold": "="}


def options(**values: Any) -> list[str]:
    """Options of the command line for keyword arguments.

    A name gives the long option: ``from_`` is ``--from``, ``time_zone`` is ``--time-zone``. None and False are left out,
    True is a flag, a list is an option repeated, a mapping one with key and value.
    """
    arguments: list[str] = []
    for name, value in values.items():
        if value is None or value is False:
            continue
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            arguments.append(option)
        else:
            # The form with the sign takes values that begin with a dash.
            arguments += [f"{option}={text}" for text in _texts(name, value)]
    return arguments


def _texts(name: str, value: Any) -> Iterable[str]:
    if isinstance(value, Mapping):
        if name == "where":
            return conditions(name, value)
        if name not in _PAIRED:
            raise UsageError(f"{name} takes no mapping")
        return [f"{text(name, key)}{_PAIRED[name]}{text(name, item)}" for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        items = [text(name, item) for item in value]
        return [_JOINED[name].join(items)] if name in _JOINED else items
    return [text(name, value)]


def text(name: str, value: Any) -> str:
    """One value as the command line spells it.

    Raises
    ------
    UsageError
        For a time without a zone, and for what no option takes.
    """
    value = special(name, value)
    match value:
        case str():
            return value
        case bool():
            raise UsageError(f"{name} takes no boolean in a list")
        case datetime.datetime():
            if value.tzinfo is None:
                raise UsageError(f"{name}: {value.isoformat()} names no zone; give it one, like tzinfo=timezone.utc")
            return value.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        case datetime.date():
            return value.isoformat()
        case datetime.timedelta():
            milliseconds, rest = divmod(value, datetime.timedelta(milliseconds=1))
            if rest:
                raise UsageError(f"{name}: {value!r} is not a whole number of milliseconds")
            return f"{milliseconds}ms"
        case int() | Decimal():
            return str(value)
        case float():
            return repr(float(value))  # Without the name of numpy's type.
        case os.PathLike():
            return str(os.fspath(value))
    if hasattr(value, "item"):  # A number of numpy.
        return text(name, value.item())
    raise UsageError(f"{name} takes no {type(value).__name__}")


def files(paths: Paths) -> list[str]:
    """Paths as arguments that no parser takes for options."""
    listed = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    names = [os.fspath(path) for path in listed]
    return [f"./{name}" if name.startswith("-") else name for name in names]
