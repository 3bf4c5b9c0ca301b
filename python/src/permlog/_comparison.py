"""A comparison of messages: the decision, and the numbers behind it."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from permlog import _comparison_tables as tables
from permlog._document import Interval, Paper, Question, day, moment

if TYPE_CHECKING:
    import pandas

    from permlog._plot_comparison import ComparisonPlots


@dataclass(frozen=True)
class Assigned:
    """The users assigned to the control, then to the message."""

    users: tuple[int, int]
    exposed: tuple[int, int]
    p_value: float | None


@dataclass(frozen=True)
class SampleRatio:
    """Whether the users were divided as expected, control first.

    ``split_declared`` is False if an even split is assumed because none was declared.
    """

    expected: tuple[float, ...]
    observed: tuple[int, ...]
    p_value: float | None
    mismatch: bool
    sequential_p_value: float | None
    alarm: bool
    split_declared: bool


class Comparison(Paper):
    """The answer of :meth:`permlog.Log.compare`.

    Attributes that name no message compare the first message with the control. With several messages, ``decisions``
    has a row for each, and every table has their rows by ``message``. Rates and differences are shares of 1.
    """

    _schema = "permlog.compare/3"

    def __init__(self, question: Question, once: Sequence[str] = ()) -> None:
        super().__init__(question, once)
        self._pairs: list[dict[str, Any]] = [self._data, *self._data["others"]]

    @property
    def decision(self) -> str:
        """The decision, like ``b_wins`` or ``keep_running``."""
        return str(self._data["decision"])

    @property
    def decided_on(self) -> datetime.date | None:
        """The day of the decision; None if there is no decision yet."""
        return day(self._data["decided_on"])

    @property
    def winners(self) -> tuple[str, ...]:
        """The messages that won; of two messages, by the decision."""
        overall = self._data["overall"]
        if overall is not None:
            return tuple(overall["winners"])
        side = {"a_wins": "a", "b_wins": "b"}.get(self.decision)
        return () if side is None else (str(self._data[side]["variant"]),)

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons for the decision, in sentences."""
        return tuple(self._data["reasons"])

    @property
    def cautions(self) -> tuple[str, ...]:
        """Cautions: what to check before trusting the result, in sentences."""
        return tuple(self._data["cautions"])

    @property
    def permission(self) -> str:
        """The permission."""
        return str(self._data["permission"])

    @property
    def screen(self) -> str:
        """What shows the messages: ``permission``, or ``settings`` for Settings prompts."""
        return str(self._data["screen"])

    @property
    def metric(self) -> str:
        """The metric that is compared."""
        return str(self._data["metric"])

    @property
    def as_of(self) -> datetime.datetime | None:
        """Events up to this moment are counted, in UTC."""
        return moment(self._data["as_of"])

    @property
    def difference(self) -> Interval | None:
        """Message less control by ``as_of``, with the 95 % interval of one look; None if it is unknown."""
        return Interval.of(self._data["difference"])

    @property
    def difference_at_decision(self) -> Interval | None:
        """The difference on the day that decided, with the interval of the rule."""
        return Interval.of(self._data["rule_interval"]["at_decision"])

    @property
    def difference_by_rule(self) -> Interval | None:
        """The difference at the latest look, with the interval of the rule."""
        return Interval.of(self._data["rule_interval"]["now"])

    @property
    def estimate(self) -> Interval | None:
        """How large the effect is, without the luck of the day that decided; None before a decision."""
        return Interval.of(self._data["estimate"])

    @property
    def outlook(self) -> str | None:
        """Before a decision: ``too_early``, ``on_course``, ``spent`` or ``out_of_reach``; None after it."""
        found: str | None = self._data["outlook"]
        return found

    @property
    def p_value(self) -> float | None:
        """The p-value of one look. The decision does not use it."""
        found: float | None = self._data["p_value"]
        return found

    @property
    def sample_ratio(self) -> SampleRatio | None:
        """Whether the users were divided as expected; None if no messages are compared."""
        found = self._data["sample_ratio"]
        if found is None:
            return None
        sequential = found["sequential"] or {"p_value": None, "alarm": False}
        return SampleRatio(
            tuple(found["expected"]),
            tuple(found["observed"]),
            found["p_value"],
            found["mismatch"],
            sequential["p_value"],
            sequential["alarm"],
            found["split_declared"],
        )

    @property
    def assigned(self) -> Assigned | None:
        """The users assigned to the messages, asked or not; None if screens carry the messages."""
        found = self._data["assigned"]
        if found is None:
            return None
        return Assigned(tuple(found["users"]), tuple(found["exposed"]), found["p_value"])

    @property
    def decisions(self) -> pandas.DataFrame:
        """A row a message against the control: decision, day, difference, p-values."""
        return self._frame("decisions", lambda: tables.decisions(self._pairs))

    @property
    def arms(self) -> pandas.DataFrame:
        """A row a message, the control first: counts, and the rate with its interval."""
        return self._frame("arms", lambda: tables.arms(self._pairs))

    @property
    def secondary(self) -> pandas.DataFrame:
        """The other metrics of each message against the control; times are in milliseconds."""
        return self._frame("secondary", lambda: tables.metrics(self._pairs, "secondary"))

    @property
    def observations(self) -> pandas.DataFrame:
        """Differences among users who were selected by their outcome: a description, not an effect."""
        return self._frame("observations", lambda: tables.metrics(self._pairs, "observations"))

    @property
    def guardrails(self) -> pandas.DataFrame:
        """The metrics that must not become worse, with ``margin`` and ``state``."""
        return self._frame("guardrails", lambda: tables.guardrails(self._pairs))

    @property
    def segments(self) -> pandas.DataFrame:
        """Under ``by``: the comparison within each value of the property."""
        return self._frame("segments", lambda: tables.segments(self._pairs))

    @property
    def series(self) -> pandas.DataFrame:
        """Day by day: counts and rates of the day alone, and the difference of all up to then with its intervals."""
        return self._frame("series", lambda: tables.series(self._pairs))

    @property
    def looks(self) -> pandas.DataFrame:
        """The looks of the rule: the observed figures, and those that would have decided."""
        return self._frame("looks", lambda: tables.looks(self._pairs))

    @property
    def plot(self) -> ComparisonPlots:
        """Charts with matplotlib: ``plot.difference()``."""
        from permlog._plot_comparison import ComparisonPlots

        return ComparisonPlots(self)

    def __repr__(self) -> str:
        names = [self._data["a"]["variant"], *(pair["b"]["variant"] for pair in self._pairs)]
        said = ", ".join(self._said(pair) for pair in self._pairs)
        return (
            f"<permlog comparison of {', '.join(names[1:])} with {names[0]}, {self.permission}, {self.metric}, "
            f"as of {self._data['as_of']}: {said}>"
        )

    def _said(self, pair: dict[str, Any]) -> str:
        """The decision between a message and the control, in words."""
        winner = {"a_wins": "a", "b_wins": "b"}.get(pair["decision"])
        on = f" on {pair['decided_on']}" if pair["decided_on"] else ""
        if winner is None:
            return f"{pair['b']['variant']}: {pair['decision'].replace('_', ' ')}{on}"
        control = self._data["a"]["variant"]
        return f"{control if winner == 'a' else pair['b']['variant']} won{on}"
