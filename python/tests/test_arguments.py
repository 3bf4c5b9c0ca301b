"""Keyword arguments and the tool's options: that no option was forgotten, and how values are spelled."""

from __future__ import annotations

import datetime
import inspect
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Run

import permlog
import permlog.spark
from permlog._arguments import files, options
from permlog._words import KEYWORDS, in_python

# What belongs to the command line alone.
_FOR_TERMINALS = {
    "quiet",
    "color",
    "ascii",
    "output",
    "format",
    "no-pager",
    "no-references",
    "title",
    "full",
    "section",
    "version",
    "help",
}
_OF_THE_LOG = {"log", "threads", "no-cache"}  # See PERMLOG_NO_CACHE.
_OF_SUMS = {"from-sums", "save-question"}  # See permlog.read_sums and permlog.spark.
_LEFT_OUT = {
    "report": {"fail-on-drop", "small-groups", "follow"},  # See trend and large_groups; a terminal follows.
    "audit": {"fail-on", "allow-unknown"},  # See findings.
    "ingest": {"summary", "fail-on"},  # A warning is one of Python's.
    "info": {"max-age", "fingerprint", "ingests", "erasures"},  # See newest, fingerprint, Log.ingests, Log.erasures.
    "verify": {"receipt", "key"},  # See verify_receipt.
    "erase": {"users-from"},  # A list of users.
    "export": {"for-spreadsheets", "permission", "week-start", "week", "from", "to", "where", "time-zone", "as-of"}
    | {"at-once", "response-window", "follow-up", "without-users"}  # See journeys.
    | {"user", "users-from", "hash-users"},  # See person.
}
_METHODS = (
    "report",
    "compare",
    "experiments",
    "audit",
    "flow",
    "plan",
    "ingest",
    "erase",
    "expire",
    "rekey",
    "compact",
    "undo",
    "info",
)


def _options_of(tool: Run, command: str) -> set[str]:
    text = tool("help", command).decode()
    return set(re.findall(r"^  (?:-\w, )?--([a-z-]+)", text.partition("OPTIONS:")[2], re.MULTILINE))


@pytest.mark.parametrize("command", [*_METHODS, "backup", "verify", "export", "simulate"])
def test_every_option_is_an_argument(tool: Run, command: str) -> None:
    call = permlog.simulate if command == "simulate" else getattr(permlog.Log, command)
    names = {name.rstrip("_").replace("_", "-") for name in inspect.signature(call).parameters}
    ours = {"source", "keys", "rejects", "progress", "filesystem", "messages", "self", "path", "output", "format"}
    expected = _options_of(tool, command) - _FOR_TERMINALS - _OF_THE_LOG - _OF_SUMS - _LEFT_OUT.get(command, set())
    assert expected - names == set(), "options without an argument"
    assert names - expected - ours == set(), "arguments without an option"


@pytest.mark.parametrize("command", ["report", "compare", "audit", "flow"])
def test_a_question_and_its_sums_have_them_all(command: str) -> None:
    """What enters the counts is an argument of the question, what is chosen afterwards one of the answer; a plan is both."""
    before = set(inspect.signature(getattr(permlog.spark, command)).parameters)
    after = set(inspect.signature(getattr(permlog.Sums, command)).parameters) - {"self", "question", "format"}
    # Users are left out where events are counted: by a filter of the frame, or by the list of the log.
    ours = {"self", "without_users", "hash_users"}
    assert before | after == set(inspect.signature(getattr(permlog.Log, command)).parameters) - ours
    assert before & after <= {"plan"}


def test_journeys_have_the_options_of_export(tool: Run) -> None:
    names = {name.rstrip("_").replace("_", "-") for name in inspect.signature(permlog.Log.journeys).parameters}
    assert names - {"self"} == _LEFT_OUT["export"] - {"for-spreadsheets", "user", "users-from"}
    assert names - {"self"} <= _options_of(tool, "export")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"by": "surface"}, ["--by=surface"]),
        ({"by": ["surface", "country"]}, ["--by=surface", "--by=country"]),
        ({"from_": datetime.date(2026, 3, 1)}, ["--from=2026-03-01"]),
        ({"response_window": datetime.timedelta(minutes=5)}, ["--response-window=300000ms"]),
        ({"follow_up": "7d"}, ["--follow-up=7d"]),
        ({"at_once": datetime.timedelta(milliseconds=100)}, ["--at-once=100ms"]),
        ({"at_once": 0}, ["--at-once=0ms"]),
        ({"strict": True, "keep_ids": False, "key": None}, ["--strict"]),
        ({"split": [2, 1]}, ["--split=2:1"]),
        ({"split": {"copy": [2, 1], "a=b": "1:1"}}, ["--split=copy=2:1", "--split=a=b=1:1"]),
        ({"steps": ("camera", "tracking")}, ["--steps=camera,tracking"]),
        ({"guardrail": {"drop_off_rate": 1.5}}, ["--guardrail=drop_off_rate:1.5"]),
        (
            {"threshold": {"cold_ask": 25, "shared": Decimal("0.1")}},
            ["--threshold=cold_ask=25", "--threshold=shared=0.1"],
        ),
        ({"effect": np.float64(2.5), "users": np.int64(10)}, ["--effect=2.5", "--users=10"]),
        ({"mapping": Path("a.yaml")}, ["--mapping=a.yaml"]),
        ({"where": "-x=1"}, ["--where=-x=1"]),
    ],
)
def test_values_are_spelled_as_the_tool_reads_them(arguments: dict[str, Any], expected: list[str]) -> None:
    assert options(**arguments) == expected


def test_a_time_needs_a_zone() -> None:
    moment = datetime.datetime(2026, 3, 1, 12)
    with pytest.raises(permlog.UsageError, match="as_of: 2026-03-01T12:00:00 names no zone"):
        options(as_of=moment)
    assert options(as_of=moment.replace(tzinfo=datetime.timezone.utc)) == ["--as-of=2026-03-01T12:00:00.000000Z"]


@pytest.mark.parametrize("value", [object(), {"a": 1}, datetime.timedelta(microseconds=1)])
def test_what_no_option_takes_is_an_error(value: Any) -> None:
    with pytest.raises(permlog.UsageError):
        options(where=value)


def test_a_path_is_never_an_option() -> None:
    assert files(["-x.csv", Path("b")]) == ["./-x.csv", "b"]


def test_sentences_name_arguments(sample: permlog.Log) -> None:
    calls = [getattr(permlog.Log, name) for name in (*_METHODS, "journeys", "export")] + [permlog.simulate, permlog.Log]
    arguments = {name for call in calls for name in inspect.signature(call).parameters}
    assert {name.replace("-", "_") for name in KEYWORDS} - {name.rstrip("_") for name in arguments} == set()
    said = in_python(
        "name the zone of these times, like --input-time-zone Europe/Berlin (--allow-future keeps it) --log x --from: y"
    )
    assert (
        said
        == 'name the zone of these times, like input_time_zone="Europe/Berlin" (allow_future keeps it) Log(path) x from_: y'
    )
    with pytest.raises(permlog.UsageError) as caught:
        sample.compare("A", "B")
    assert "choose one with permission: camera" in str(caught.value)
    assert "--permission" in caught.value.sentence
