"""Questions that are fixed before their events are counted, as texts that can be sent elsewhere."""

from __future__ import annotations

import functools
import inspect
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ParamSpec

from permlog._arguments import Conditions, Duration, Moment, Strings, StrPath, Zone, given, options
from permlog._document import write_file
from permlog._process import run
from permlog.errors import DataError, FileError, UsageError

_KINDS = ("report", "compare", "flow", "audit")
# Arguments, and the keys of a question that hold them.
_PLAIN = {"from_": "from", "to": "to"} | {
    name: name for name in ("as_of", "permission", "experiment", "property", "log_start", "examples")
}
_WINDOWS = ("at_once", "response_window", "follow_up")


_Given = ParamSpec("_Given")


@dataclass(frozen=True)
class Question:
    """A question that was fixed before anything was counted.

    It has everything that a count depends on: ``as_of``, the windows, the zone with its clock changes, filters and
    messages. It also has the time at which it was made, to the second: events more than 25 hours after that are
    rejected. So make a question once, and use the same one everywhere.

    Attributes
    ----------
    kind : str
        report, compare, flow or audit.
    text : bytes
        The tool's JSON, one line.
    """

    kind: str
    text: bytes

    @property
    def data(self) -> dict[str, Any]:
        """The JSON as Python objects; docs/schemas describes it."""
        found: dict[str, Any] = json.loads(self.text)
        return found

    def save(self, path: StrPath) -> None:
        """Writes it to a file, as ``--save-question`` does."""
        write_file(path, self.text)

    def options(self) -> tuple[list[str], list[str]]:
        """The options and operands of this question for the command line.

        They select it among sums of several questions.
        """
        data = self.data
        windows = {name: None if data.get(f"{name}_ms") is None else f"{data[f'{name}_ms']}ms" for name in _WINDOWS}
        plain = {name: data[key] for name, key in _PLAIN.items()}
        # Lists that are empty were not asked for.
        lists = {name: data[name] or None for name in ("where", "by", "adjust", "steps")}
        plain |= {name: data.get(name) for name in ("variant_from", "week_start", "screen")}
        return options(time_zone=data["time_zone"]["name"], **plain, **lists, **windows), data["variants"] or []

    def __repr__(self) -> str:
        chosen, operands = self.options()
        return f"<permlog question: {' '.join((self.kind, *operands, *chosen))}>"


def read_question(path: StrPath) -> Question:
    """A question from a file of ``--save-question``.

    Raises
    ------
    DataError
        If the file is not a question. The tool checks its content when it is asked.
    FileError
        If it cannot be read.
    """
    try:
        text = Path(os.fspath(path)).read_bytes()
    except OSError as problem:
        raise FileError(f"{os.fspath(path)} cannot be read: {problem.strerror}", problem, path) from problem
    try:
        kind = json.loads(text)["kind"]
    except (ValueError, TypeError, KeyError):
        kind = None
    if kind not in _KINDS:
        raise DataError(f"{os.fspath(path)} has no question; Question.save(path) writes one")
    return Question(kind, text)


@functools.cache
def chosen_later(kind: str) -> set[str]:
    """The arguments of an answer that no count depends on. Sums take these."""
    from permlog._sums import Sums  # It knows questions.

    return set(inspect.signature(getattr(Sums, kind)).parameters) - {"self", "question", "plan"}


def _told(make: Callable[_Given, Question]) -> Callable[_Given, Question]:
    """Explains what to do about arguments that are missing or belong elsewhere."""
    kind, signature = make.__name__, inspect.signature(make)

    @functools.wraps(make)
    def question(*given: _Given.args, **named: _Given.kwargs) -> Question:
        for name in named:
            if name in chosen_later(kind):
                raise UsageError(f"{name} is chosen when the sums are read: sums.{kind}({name}=…)")
            if name not in signature.parameters:
                raise UsageError(f"{kind} has no argument {name}; it has {', '.join(signature.parameters)}")
        if named.get("as_of") is None:
            raise UsageError(f"{kind} needs as_of: the newest event is not known before events are counted")
        if kind == "compare" and named.get("permission") is None and named.get("plan") is None:
            raise UsageError("compare needs permission, or a plan that names it")
        return make(*given, **named)

    return question


@_told
def report(
    by: Strings | None = None,
    *,
    as_of: Moment,
    week_start: str | None = None,
    week: str | None = None,
    from_: Moment | None = None,
    to: Moment | None = None,
    permission: str | None = None,
    where: Conditions | None = None,
    time_zone: Zone | None = None,
    at_once: Duration | None = None,
    response_window: Duration | None = None,
    follow_up: Duration | None = None,
    log_start: Moment | None = None,
) -> Question:
    """The question that :meth:`permlog.Log.report` asks, with the same arguments.

    ``as_of`` is required: without events there is no newest event for a default. ``by_limit`` is chosen when the sums
    are read.

    Raises
    ------
    UsageError
        If an argument is wrong.
    """
    return _question("report", options(**given(locals())))


@_told
def compare(
    *messages: str,
    as_of: Moment,
    permission: str | None = None,
    experiment: str | None = None,
    variant_from: str | None = None,
    screen: str | None = None,
    property: str | None = None,
    adjust: Strings | None = None,
    plan: StrPath | None = None,
    from_: Moment | None = None,
    to: Moment | None = None,
    where: Conditions | None = None,
    by: str | None = None,
    time_zone: Zone | None = None,
    at_once: Duration | None = None,
    response_window: Duration | None = None,
    follow_up: Duration | None = None,
) -> Question:
    """The question that :meth:`permlog.Log.compare` asks, with the same arguments.

    ``as_of`` and ``permission`` (or a plan that names it) are required. Metric, split, rule, guardrails, minimum
    effect and the treatment of users with several messages are chosen when the sums are read.

    Raises
    ------
    UsageError
        If an argument is wrong.
    """
    chosen = options(**given(locals()))
    return _question("compare", chosen, messages)


@_told
def flow(
    steps: Strings | None = None,
    *,
    as_of: Moment,
    week_start: str | None = None,
    week: str | None = None,
    from_: Moment | None = None,
    to: Moment | None = None,
    where: Conditions | None = None,
    time_zone: Zone | None = None,
    at_once: Duration | None = None,
    response_window: Duration | None = None,
) -> Question:
    """The question that :meth:`permlog.Log.flow` asks, with the same arguments.

    ``as_of`` is required; ``permission`` is chosen when the sums are read.

    Raises
    ------
    UsageError
        If an argument is wrong.
    """
    return _question("flow", options(**given(locals())))


@_told
def audit(
    *,
    as_of: Moment,
    examples: int | None = None,
    week_start: str | None = None,
    week: str | None = None,
    from_: Moment | None = None,
    to: Moment | None = None,
    where: Conditions | None = None,
    time_zone: Zone | None = None,
    at_once: Duration | None = None,
    log_start: Moment | None = None,
) -> Question:
    """The question that :meth:`permlog.Log.audit` asks, with the same arguments.

    ``as_of`` is required; Info.plists, thresholds and ``permission`` are chosen when the sums are read.

    Raises
    ------
    UsageError
        If an argument is wrong.
    """
    return _question("audit", options(**given(locals())))


def _question(kind: str, chosen: list[str], operands: Sequence[str] = ()) -> Question:
    if not all(isinstance(each, str) for each in operands):
        raise UsageError("compare takes the names of messages as texts")
    words = ["--", *operands] if operands else []
    text = run([kind, *chosen, "--save-question=-", *words])
    return Question(kind, text)
