"""The arguments of questions are the fields that the tool lists."""

from __future__ import annotations

import inspect
import json
from typing import Any

import pytest

import permlog
from permlog import _questions
from permlog._process import run

# What the methods take beside fields, and what chooses how the answer looks.
BESIDE = {
    "report": set(),
    "compare": {"messages", "plan", "record", "explain"},
    "flow": set(),
    "audit": {"all"},
    "experiments": {"all"},
    "journeys": set(),
    "plan": {"messages", "save"},
}


@pytest.fixture(scope="module")
def kinds() -> dict[str, list[dict[str, Any]]]:
    listed = json.loads(run(["questions", "--format=json"]))
    assert listed["schema"] == "permlog.questions/1"
    return {kind["name"]: kind["fields"] for kind in listed["questions"]}


def arguments(function: Any) -> set[str]:
    return {name.rstrip("_") for name in inspect.signature(function).parameters} - {"self"}


def names(fields: list[dict[str, Any]]) -> set[str]:
    return {field["name"] for field in fields if field["shape"] != "operands"}


@pytest.mark.parametrize("kind", BESIDE)
def test_a_log_takes_every_field(kind: str, kinds: dict[str, list[dict[str, Any]]]) -> None:
    assert arguments(getattr(permlog.Log, kind)) == names(kinds[kind]) | BESIDE[kind]


@pytest.mark.parametrize("kind", ["report", "compare", "flow", "audit"])
def test_questions_take_what_is_counted(kind: str, kinds: dict[str, list[dict[str, Any]]]) -> None:
    counted = {field["name"] for field in kinds[kind] if field["counted"] and field["shape"] != "operands"}
    beside = {"messages", "plan"} if kind == "compare" else set()
    assert arguments(getattr(_questions, kind)) == counted | beside
    later = {field["name"] for field in kinds[kind] if field["counted"] is False and field["shape"] != "operands"}
    assert _questions.chosen_later(kind) - BESIDE[kind] - {"format"} == later


@pytest.mark.parametrize("kind", ["report", "compare", "flow", "audit"])
def test_sums_take_what_is_chosen_later(kind: str, kinds: dict[str, list[dict[str, Any]]]) -> None:
    later = {field["name"] for field in kinds[kind] if field["counted"] is False and field["shape"] != "operands"}
    beside = BESIDE[kind] - {"messages"} | ({"format"} if kind == "report" else set())
    assert arguments(getattr(permlog.Sums, kind)) == later | beside | {"question"}


def test_a_question_gives_the_arguments_that_ask_it(kinds: dict[str, list[dict[str, Any]]]) -> None:
    known = {field["name"] for fields in kinds.values() for field in fields if field["counted"]}
    listed = set(_questions._PLAIN) | {"where", "by", "adjust", "steps", "time_zone", *_questions._WINDOWS}
    assert {name.rstrip("_") for name in listed} | {"week", "week_start", "messages", "variant_from", "screen"} == known
