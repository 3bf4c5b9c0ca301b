"""The report's JSON as tables: the columns of each, and how nested values become rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from permlog._frames import Column, Record, counts, estimates, flags, frame, numbers, texts, within

if TYPE_CHECKING:
    import pandas

Unfolding = Callable[[Iterable[Record]], Iterable[Record]]

ROWS = [
    *counts("exposed", "pending", "restricted", "base", "granted", "partial", "denied", "skipped", "dropped_off"),
    *estimates("grant_rate", "deny_rate", "skip_rate", "drop_off_rate", "prompt_grant_rate"),
    *counts("answered_by_status"),
]
NO_EVIDENCE = texts("evidence")
GRANTED_BY_FOLLOW_UP = within(
    "granted_by_follow_up", [*counts("eligible", "granted", "partial", "granted_first"), *estimates("rate")]
)
AT_ONCE = [*texts("permission", "platform"), *counts("answered", "at_once"), *flags("applied")]
STEPS = [*texts("step"), *counts("shown", "continued", "answered", "granted", "denied", "skipped", "dropped")]
EXPLAINED_AGAINST_COLD = within(
    "explained_against_cold",
    [*counts("explained.base", "explained.granted", "cold.base", "cold.granted"), *estimates("difference")],
)
TIMES = [
    *texts("measure", "outcome"),
    *counts("count"),
    *(Column(f"{name}_ms", (name,), "float64") for name in ("mean", "p50", "p90", "p99")),
]
AFTER_GRANT = within(
    "after_grant",
    [
        *counts("eligible", "revoked"),
        *estimates("revoked_rate"),
        *counts("partial_eligible", "upgraded"),
        *estimates("upgraded_rate"),
    ],
)
ENABLED_LATER = [*texts("outcome"), *counts("eligible", "enabled", "partial"), *estimates("rate")]
KAPLAN_MEIER = [*texts("outcome"), *counts("day", "at_risk"), *numbers("value", "low", "high")]
SETTINGS_PROMPT = within(
    "settings_prompt",
    [
        *counts("shown", "opened", "eligible", "enabled", "partial"),
        *counts("trials.prompted.n", "trials.prompted.enabled"),
        *counts("trials.not_prompted.n", "trials.not_prompted.enabled", "trials.not_prompted.prompted_later"),
        *estimates("trials.risk_ratio"),
    ],
)
ENGAGEMENT = within(
    "engagement",
    [
        *counts("eligible"),
        *(
            column
            for side in ("granted", "not_granted")
            for column in (
                *counts(f"{side}.n"),
                *numbers(f"{side}.mean_active_days", f"{side}.mean_feature_events"),
            )
        ),
        *estimates(
            "active_days_difference",
            "feature_events_difference",
            "active_days_correlation",
            "feature_events_correlation",
        ),
    ],
)
RETENTION = [*counts("day"), *texts("outcome"), *counts("eligible", "retained"), *estimates("rate")]
RETENTION_DIFFERENCE = [*counts("day"), *estimates("difference")]
TREND = [*texts("previous_week"), *estimates("change"), *numbers("p_value", "p_adjusted")]
USUAL = [*counts("weeks"), *numbers("low", "high"), *texts("outside")]
REACH = [
    *texts("permission"),
    *counts(
        "active_users", "never_asked", "on", "partial", "off", "restricted", "undecided", "turned_on", "turned_off"
    ),
]
COMPLETENESS = [*texts("part", "value"), *counts("numbered", "arrived"), *numbers("arrived_share")]
ACTIVITY = [*texts("permission", "week"), Column("week_start", ("week",), "week"), *texts("kind"), *counts("events")]
TIMING = [
    *texts("permission", "classification", "class"),
    *counts("base", "granted"),
    *estimates("rate"),
    *numbers("trend_p"),
]
RANKING = [
    *texts("permission", "property", "value"),
    *counts("base", "granted"),
    *estimates("rate"),
    *numbers("lost_grants", "best"),
    Column("chi_square", ("test", "statistic"), "float64"),
    Column("df", ("test", "df"), "Int64"),
    Column("p_value", ("test", "p_value"), "float64"),
]

_KEYS = ("permission", "week", "complete", "by")
_STEPS = ("explanation", "prompt")
_ANSWERS = ("granted", "denied", "skipped")
_LATER = ("denied", "skipped", "dropped_off")
_OUTCOMES = ("granted", "denied", "skipped", "dropped_off")


def keyed(records: Iterable[Record], columns: Sequence[Column], by: Sequence[str]) -> pandas.DataFrame:
    """A table with rows by permission, week and values of properties."""
    flat = [_with_values(record, by) for record in records]
    keys = [
        *texts("permission", "week"),
        Column("week_start", ("week",), "week"),
        *flags("complete"),
        *(Column(name, (f"by {name}",), "string") for name in by),
        *([Column("other", ("by other",), "boolean")] if by else []),
    ]
    return frame(flat, [*keys, *columns])


def plain(records: Iterable[Record], columns: Sequence[Column]) -> pandas.DataFrame:
    """A table of records that already have all their keys."""
    return frame(list(records), columns)


def _with_values(record: Record, by: Sequence[str]) -> Record:
    """The record with the values of its properties under keys of their own."""
    if not by:
        return record
    parts = record["by"] if isinstance(record["by"], list) else [record["by"]]
    values: dict[str, Any] = {f"by {part['property']}": part["value"] for part in parts}
    return {**record, **values, "by other": any(part.get("other", False) for part in parts)}


def _keys(row: Record) -> dict[str, Any]:
    return {key: row[key] for key in _KEYS}


def no_evidence(rows: Iterable[Record]) -> Iterator[Record]:
    """A record for each thing that the log lacks."""
    for row in rows:
        for evidence in row["no_evidence"]:
            yield {**_keys(row), "evidence": evidence}


def steps(rows: Iterable[Record]) -> Iterator[Record]:
    """One record per step; its unknown values are missing."""
    for row in rows:
        for step in _STEPS:
            unknown = dict.fromkeys(column.name for column in STEPS)
            found = (row["steps"] or {}).get(step) or {}
            yield {**_keys(row), **unknown, **found, "step": step}


def times(rows: Iterable[Record]) -> Iterator[Record]:
    """One record per measure and outcome; its unknown values are missing."""
    unknown = dict.fromkeys(column.path[0] for column in TIMES)
    for row in rows:
        for measure in ("time_to_answer", "explanation_time", "prompt_time"):
            yield {**_keys(row), **unknown, **(row[f"{measure}_ms"] or {}), "measure": measure, "outcome": None}
        for outcome in _ANSWERS:
            found = (row["time_by_outcome_ms"] or {}).get(outcome) or {}
            yield {**_keys(row), **unknown, **found, "measure": "time_to_answer", "outcome": outcome}


def enabled_later(rows: Iterable[Record]) -> Iterator[Record]:
    """A record an outcome."""
    for row in rows:
        for outcome in _LATER:
            yield {**_keys(row), **row["enabled_later"][outcome], "outcome": outcome}


def kaplan_meier(rows: Iterable[Record]) -> Iterator[Record]:
    """A record a point of a curve."""
    for row in rows:
        for outcome in _LATER:
            for point in row["enabled_later"][outcome]["kaplan_meier"]:
                yield {**_keys(row), **point, "outcome": outcome}


def retention(rows: Iterable[Record]) -> Iterator[Record]:
    """A record a day and outcome."""
    for row in rows:
        for found in row["retention"]:
            for outcome in _OUTCOMES:
                yield {**_keys(row), **found[outcome], "day": found["day"], "outcome": outcome}


def retention_difference(rows: Iterable[Record]) -> Iterator[Record]:
    """A record a day."""
    for row in rows:
        for found in row["retention"]:
            yield {**_keys(row), "day": found["day"], "difference": found["difference"]}


def trend(rows: Iterable[Record]) -> Iterator[Record]:
    """A record a row that has a trend."""
    for row in rows:
        if row["trend"] is not None:
            yield {**_keys(row), **row["trend"]}


def usual(rows: Iterable[Record]) -> Iterator[Record]:
    """A record a row that has a usual range."""
    for row in rows:
        if row["usual"] is not None:
            yield {**_keys(row), **row["usual"]}


def activity(found: Iterable[Record]) -> Iterator[Record]:
    """A record a kind."""
    for week in found:
        for kind, events in week["counts"].items():
            yield {"permission": week["permission"], "week": week["week"], "kind": kind, "events": events}


def timing(found: Iterable[Record]) -> Iterator[Record]:
    """One record per class; no record for a classification without evidence in the log."""
    for permission in found:
        for key in ("by_install", "by_active_days", "by_feature_used"):
            if permission[key] is not None:
                for record in permission[key]["classes"]:
                    yield {
                        **record,
                        "permission": permission["permission"],
                        "classification": key,
                        "trend_p": permission[key]["trend_p"],
                    }


def completeness(found: Record | None) -> Iterator[Record]:
    """A record for all numbers, then one for each week, version and platform; none without numbers."""
    if found is None:
        return
    yield {**found, "part": "all", "value": None}
    for part, key in (("week", "week"), ("version", "app_version"), ("platform", "platform")):
        for record in found[f"by_{part}"]:
            yield {**record, "part": part, "value": record[key]}


def ranking(found: Iterable[Record]) -> Iterator[Record]:
    """A record a value of a permission."""
    for permission in found:
        shared = {key: permission[key] for key in ("permission", "property", "best", "test")}
        for record in permission["values"]:
            yield {**record, **shared}
