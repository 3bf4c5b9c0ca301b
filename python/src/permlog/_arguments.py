"""Keyword arguments as options of the tool, for all commands."""

from __future__ import annotations

import datetime
import math
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

# Arguments that are not fields: the question, its operands, and files written with the answer.
_NO_FIELDS = frozenset(("self", "question", "messages", "record", "save"))
# Lists that are one option, not a repeated one.
_JOINED = {"split": ":", "adjust": ",", "only": ",", "steps": ","}
# Flags. readmit depends on the command: expire has a flag, erase takes ids.
_FLAGS = frozenset(
    """
    again all allow_custom_permissions allow_future allow_missing assignments dry_run explain force_mixed_users hash_event_ids into_new_log journeys
    keep_ids keep_partial no_join onboarding other_spellings record replace settings_messages skip_bad skip_damaged strict
    """.split()  # noqa: SIM905
)
# Between key and value of a mapping.
_PAIRED = {"guardrail": ":", "threshold": "=", "state": "=", "split": "=", "from_": "="}


def given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a method that are fields of its question: all of its ``locals()`` except ``self`` and the like.

    Call it first, before other local names exist.
    """
    return {name: value for name, value in arguments.items() if name not in _NO_FIELDS}


def options(**values: Any) -> list[str]:
    """Options of the command line for keyword arguments.

    A name gives the long option: ``from_`` is ``--from``, ``time_zone`` is ``--time-zone``. None and False are left out,
    True is a flag, a list is an option repeated, a mapping one with key and value.

    Raises
    ------
    UsageError
        For a value that the argument does not take.
    """
    arguments: list[str] = []
    for name, value in values.items():
        if type(value).__name__ in ("bool_", "bool"):
            if name not in _FLAGS and name != "readmit":
                raise UsageError(f"{name} takes a value, not {bool(value)}")
            value = bool(value)  # Of numpy's, too.
        elif name in _FLAGS and value is not None:
            raise UsageError(f"{name} takes True or False, not {value!r}")
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
        return [f"{text(name, key)}{_PAIRED[name]}{_joined(name, item)}" for key, item in value.items()]
    if isinstance(value, (set, frozenset)):
        raise UsageError(f"{name} takes a list, not a set, because a set has no order")
    if isinstance(value, (list, tuple)):
        items = [text(name, item) for item in value]
        if name in _JOINED and not items:
            raise UsageError(f"{name} is empty")
        return [_JOINED[name].join(items)] if name in _JOINED else items
    return [text(name, value)]


def _joined(name: str, item: Any) -> str:
    return (
        ":".join(text(name, part) for part in item)
        if name in _JOINED and isinstance(item, (list, tuple))
        else text(name, item)
    )


def text(name: str, value: Any) -> str:
    """One value as the command line spells it.

    Raises
    ------
    UsageError
        For a time without a zone, and for a type that no option takes.
    """
    value = special(name, value)
    match value:
        case str():
            return _checked(name, value)
        case bool():
            raise UsageError(f"{name} takes no boolean in a list")
        case datetime.datetime():
            if value.tzinfo is None:
                raise UsageError(f"{name}: {value.isoformat()} names no zone; add one, like tzinfo=timezone.utc")
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
            return files(value)[0]
    if hasattr(value, "item"):  # A number of numpy.
        return text(name, value.item())
    raise UsageError(f"{name} takes no {type(value).__name__}")


def files(paths: Paths) -> list[str]:
    """Paths as arguments that no parser mistakes for options.

    Raises
    ------
    UsageError
        If a value is not a path.
    """
    listed = [paths] if isinstance(paths, (str, bytes, os.PathLike)) else paths
    if not isinstance(listed, (list, tuple)):
        raise UsageError(f"a path or a list of paths is needed, not a {type(paths).__name__}")
    names = []
    for path in listed:
        name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
        if not isinstance(name, str) or not name:
            raise UsageError(f"{path!r} is not a path")
        names.append(_checked("path", name))
    return [f"./{name}" if name.startswith("-") else name for name in names]


def seconds(name: str, wait: Wait | None) -> str | None:
    """A waiting time in the units that the tool takes for it: whole seconds."""
    if wait is None or isinstance(wait, str):
        return wait
    if isinstance(wait, (int, float)) and not isinstance(wait, bool) and math.isfinite(wait):
        wait = datetime.timedelta(seconds=wait)
    if not isinstance(wait, datetime.timedelta) or wait < datetime.timedelta(0):
        raise UsageError(f"{name} takes seconds, a text like '30s' or a timedelta, and no negative one; not {wait!r}")
    return f"{-(wait // -datetime.timedelta(seconds=1))}s"


def _checked(name: str, value: str) -> str:
    """A text that can be on a command line.

    Raises
    ------
    UsageError
        If it cannot.
    """
    if not value:
        raise UsageError(f"{name} is empty")
    if "\0" in value:
        raise UsageError(f"{name}: {value!r} contains a null character")
    try:
        value.encode("utf-8", "surrogateescape")  # Names of files may have any bytes.
    except UnicodeEncodeError:
        raise UsageError(f"{name}: {value!r} is not Unicode text") from None
    return value
