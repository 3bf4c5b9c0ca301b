"""The fields of events that a question reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from permlog._questions import Question

# The user, the time, the event, and the copies. Calls that return at once are judged by platform.
_ALWAYS = ("user_id", "timestamp", "event", "event_id", "permission", "status", "platform")
# What sums of a kind count whatever is asked.
_OF_KIND = {
    "report": ("app_version",),
    "compare": ("variant", "experiment", "os_version", "app_version"),
    "flow": (),
    "audit": ("app_version",),
}
_PROPERTIES = frozenset(
    ("variant", "experiment", "surface", "feature", "app_version", "os_version", "platform", "locale", "country")
)

FIELDS = _PROPERTIES.union(_ALWAYS)
"""All fields of an event."""


def fields_of(asked: Sequence[Question]) -> frozenset[str]:
    """Every field that any of the questions depends on."""
    found = set(_ALWAYS)
    for question in asked:
        found |= {text for text in _texts(question.data) if text in _PROPERTIES}
        found.update(_OF_KIND[question.kind])
    return frozenset(found)


def _texts(value: Any) -> Iterator[str]:
    """All texts among the values of a question, and the properties that conditions name."""
    if isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, str):
        yield value
        for sign in ("!=", ">=", "<=", "=", ">", "<"):
            yield value.partition(sign)[0].strip()
