"""Arguments as an analyst would give them, and what is said about those that are wrong."""

from __future__ import annotations

import datetime
import fcntl
import threading
import zoneinfo
from typing import Any

import numpy as np
import pandas as pd
import polars
import pytest
from conftest import DATA, Run

import permlog
from permlog._arguments import options, seconds
from permlog._document import Interval
from permlog._words import in_python


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"from_": pd.Timestamp("2026-03-01")}, ["--from=2026-03-01"]),
        ({"to": datetime.datetime(2026, 3, 1)}, ["--to=2026-03-01"]),
        ({"from_": np.datetime64("2026-03-01", "ns")}, ["--from=2026-03-01"]),
        ({"time_zone": zoneinfo.ZoneInfo("Europe/Berlin")}, ["--time-zone=Europe/Berlin"]),
        ({"time_zone": datetime.timezone.utc}, ["--time-zone=UTC"]),
        ({"where": {"country": "DE", "surface": ["b", "a"]}}, ["--where=country=DE", "--where=surface=a,b"]),
        ({"where": {"surface": "a, b\\c "}}, ["--where=surface=a\\, b\\\\c\\ "]),
    ],
)
def test_values_of_python_are_understood(arguments: dict[str, Any], expected: list[str]) -> None:
    assert options(**arguments) == expected


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"from_": pd.Timestamp("2026-03-01T10:00")}, r"from_ takes a day, .* Give its day with .date\(\)"),
        ({"to": pd.Timestamp("2026-03-01", tz="Europe/Berlin")}, r"to takes a day, .* with .date\(\)"),
        ({"from_": pd.NaT}, "from_: the value is missing"),
        ({"follow_up": 28}, 'follow_up=28 has no unit. Write it as text, like "28d", or as datetime.timedelta'),
        ({"at_once": 250}, 'at_once=250 has no unit. Write it as text, like "250ms", or as datetime.timedelta'),
        (
            {"time_zone": datetime.timezone(datetime.timedelta(hours=1))},
            'takes a zone by its name, like "Europe/Berlin"',
        ),
        ({"where": {"app_version>": "3"}}, "is not a property"),
        ({"where": {"app_version": 3.1}}, 'compared with text, like {"app_version": "3.1"}'),
        ({"where": {"country": []}}, "country has an empty list"),
        ({"where": {"country": None}}, "compared with text"),
    ],
)
def test_values_that_mean_two_things_are_errors(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(permlog.UsageError, match=said):
        options(**arguments)


def test_a_mapping_of_conditions_is_asked(sample: permlog.Log) -> None:
    chosen = sample.report(where={"country": ["US", "DE"]}, from_=pd.Timestamp("2026-02-01"))
    assert chosen.to_json() == sample.report(where="country=DE,US", from_="2026-02-01").to_json()


@pytest.mark.parametrize(
    ("wait", "expected"),
    [(None, None), (0, "0s"), (1, "1s"), (1.2, "2s"), ("1m", "1m"), (datetime.timedelta(milliseconds=1500), "2s")],
)
def test_waiting_times(wait: Any, expected: str | None) -> None:
    assert seconds("wait", wait) == expected


@pytest.mark.parametrize("wait", [True, -1, float("nan"), [1]])
def test_what_is_no_waiting_time(wait: Any) -> None:
    with pytest.raises(permlog.UsageError, match="wait takes seconds"):
        seconds("wait", wait)


def test_a_busy_log(log: permlog.Log) -> None:
    log.ingest(DATA / "export-2.csv")
    with open(log.path / "lock", "r+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(permlog.FailedError, match='wait for it with wait="60s"'):
            log.compact()


@pytest.mark.parametrize("wait", ["60s", 60])
def test_ingest_waits_for_a_busy_log(log: permlog.Log, wait: Any) -> None:
    log.ingest(DATA / "export-2.csv")
    with open(log.path / "lock", "r+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        threading.Timer(0.3, lambda: fcntl.flock(lock, fcntl.LOCK_UN)).start()
        assert log.ingest(DATA / "export-2.csv", wait=wait).new == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"by": "foo"}, "by: foo is not one of variant, experiment, surface"),
        ({"follow_up": "28"}, "follow_up: 28 is not a duration: give a number with ms, s, m, h or d"),
        ({"at_once": "250"}, "at_once: 250 is not a duration: give a number with ms, s, m, h or d"),
    ],
)
def test_wrong_values_name_the_right_ones(sample: permlog.Log, arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(permlog.UsageError) as caught:
        sample.report(**arguments)
    assert said in str(caught.value)


def test_sentences_are_not_for_shells(sample: permlog.Log, log: permlog.Log) -> None:
    with pytest.raises(permlog.UsageError) as caught:
        sample.report(where="x")
    assert str(caught.value) == "where: x has no operator (= != >= > <= <)."
    with pytest.raises(permlog.UsageError, match='like 100, or a share like "1%"'):
        log.ingest(DATA / "export-1.ndjson", max_rejected="many")
    assert in_python("wait for it with --wait 60s.") == 'wait for it with wait="60s".'


def test_points_and_shares(sample: permlog.Log) -> None:
    with pytest.warns(permlog.PermlogWarning, match="effect=0.02 is 0.02 percentage points. If 2 were meant") as caught:
        sample.plan(permission="notifications", effect=0.02, baseline=60, traffic=1e6)
    assert caught[0].filename == __file__
    with pytest.warns(permlog.PermlogWarning, match="baseline=0.6 is 0.6 per cent. If 60 were meant"):
        sample.plan(permission="notifications", effect=5, baseline=0.6)


@pytest.mark.parametrize("path", [None, "", 3])
def test_a_log_that_is_no_path(path: Any) -> None:
    with pytest.raises(permlog.UsageError, match="Log takes the path of a directory"):
        permlog.Log(path)


@pytest.mark.parametrize("column", [pd.Series(["a"]), polars.Series(["a"])])
def test_a_column_is_no_table(log: permlog.Log, column: Any) -> None:
    with pytest.raises(permlog.UsageError, match="is one column, not a table"):
        log.ingest(column)


def test_short_words(sample: permlog.Log, log: permlog.Log, tool: Run) -> None:
    comparison = sample.compare("A", "B", permission="notifications")
    assert repr(comparison).endswith(": B won on 2026-03-08>")
    assert repr(Interval(1 / 3, None, 0.5)) == "Interval(value=0.3333, low=None, high=0.5)"
    assert Interval(1 / 3, None, 0.5).value == 1 / 3
    log.ingest(pd.DataFrame({"user_id": [], "timestamp": [], "event": []}, dtype="string"))
    assert repr(log.report()) == "<permlog report: the log is empty>"
