"""A comparison's JSON as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from permlog._frames import Column, Record, counts, estimates, flags, frame, numbers, texts

if TYPE_CHECKING:
    import pandas

Pair = dict[str, Any]

_MESSAGE = texts("message")
_TESTED = [*estimates("difference"), *numbers("p_value", "p_adjusted")]
_DECISIONS = [*_MESSAGE, *texts("decision"), Column("decided_on", ("decided_on",), "day"), *_TESTED]
_ARMS = [
    *_MESSAGE,
    *flags("control"),
    *counts("exposed", "pending", "restricted", "base", "granted", "denied", "skipped", "dropped_off"),
    *counts("not_asked", "successes", "trials"),
    *estimates("rate"),
]
_METRICS = [
    *_MESSAGE,
    *texts("metric"),
    *numbers("a", "b"),
    *_TESTED,
    *flags("descriptive"),
    *texts("test"),
    *numbers("p_b_greater"),
    *counts("a_n", "b_n"),
    *texts("reason"),
]
_TALLIES = [
    column
    for side in ("a", "b")
    for column in (*counts(f"{side}.exposed", f"{side}.trials", f"{side}.successes"), *numbers(f"{side}.rate"))
]
_SETTLED = [
    column
    for side in ("a", "b")
    for column in (*counts(f"{side}.trials", f"{side}.successes"), *numbers(f"{side}.rate"))
]
_GUARDRAILS = [
    *_MESSAGE,
    *texts("metric"),
    *numbers("margin"),
    *flags("automatic"),
    *texts("state"),
    *_TALLIES,
    *estimates("difference"),
    *numbers("p_value"),
    # The bounds that hold however often one looks.
    Column("always_valid_low", ("low",), "float64"),
    Column("always_valid_high", ("high",), "float64"),
    *texts("method", "reason"),
]
_SEGMENTS = [*_MESSAGE, *texts("property", "value"), *_TALLIES, *_TESTED, *numbers("sample_ratio_p_value")]
_SERIES = [
    *_MESSAGE,
    Column("day", ("day",), "day"),
    *_SETTLED,
    *numbers("difference", "rule_low", "rule_high"),
    Column("always_valid_low", ("low",), "float64"),
    Column("always_valid_high", ("high",), "float64"),
]
_LOOKS = [
    *_MESSAGE,
    Column("day", ("day",), "day"),
    *counts("day_number"),
    *_SETTLED,
    *numbers("time", "z", "bound"),
    *counts("lower", "upper"),
    *estimates("difference"),
    *flags("crossed"),
]


def decisions(pairs: Sequence[Pair]) -> pandas.DataFrame:
    """A row a message against the control."""
    return frame([{**pair, "message": pair["b"]["variant"]} for pair in pairs], _DECISIONS)


def arms(pairs: Sequence[Pair]) -> pandas.DataFrame:
    """A row a message, the control first."""
    first = {**pairs[0]["a"], "message": pairs[0]["a"]["variant"], "control": True}
    others = [{**pair["b"], "message": pair["b"]["variant"], "control": False} for pair in pairs]
    return frame([first, *others], _ARMS)


def metrics(pairs: Sequence[Pair], key: str) -> pandas.DataFrame:
    """Metrics beside the one that decides."""
    return _of_each(pairs, lambda pair: pair[key], _METRICS)


def guardrails(pairs: Sequence[Pair]) -> pandas.DataFrame:
    """A row a message and guardrail."""
    return _of_each(pairs, lambda pair: pair["guardrails"], _GUARDRAILS)


def segments(pairs: Sequence[Pair]) -> pandas.DataFrame:
    """A row a message and value; none without a property."""

    def found(pair: Pair) -> list[Record]:
        within = pair["segments"] or {"property": None, "segments": []}
        return [{**segment, "property": within["property"]} for segment in within["segments"]]

    return _of_each(pairs, found, _SEGMENTS)


def series(pairs: Sequence[Pair]) -> pandas.DataFrame:
    """A row a message and day."""
    return _of_each(pairs, lambda pair: pair["series"], _SERIES)


def looks(pairs: Sequence[Pair]) -> pandas.DataFrame:
    """A row a message and look."""
    return _of_each(pairs, lambda pair: pair["monitoring"]["looks"], _LOOKS)


def _of_each(
    pairs: Sequence[Pair], records: Callable[[Pair], Iterable[Record]], columns: Sequence[Column]
) -> pandas.DataFrame:
    found = [{**record, "message": pair["b"]["variant"]} for pair in pairs for record in records(pair)]
    return frame(found, columns)
