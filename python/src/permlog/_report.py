"""The weekly report as tables, pages and charts."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import TYPE_CHECKING

from permlog import _report_tables as tables
from permlog._document import Paper, Question, moment
from permlog._frames import Column
from permlog._words import counted

if TYPE_CHECKING:
    import pandas

    from permlog._plot_report import ReportPlots


class Report(Paper):
    """The answer of :meth:`permlog.Log.report`.

    Each table has the columns ``permission``, ``week`` (text like "2026-W13") and ``week_start`` (its Monday), both
    missing for all weeks together, and ``complete`` (whether the week was over). With ``by`` each property has a
    column of its name. ``other`` is true in the row that adds up all values without a row of their own. Counts are
    ``Int64``, rates are shares of 1 in ``float64`` with the bounds of their 95 % interval in ``…_low`` and
    ``…_high``. Unknown values are missing, never 0.
    """

    _schema = "permlog.report/3"

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        by: list[str] = []
        for row in self._data["rows"][:1]:
            crossed = row["by"] if isinstance(row["by"], list) else [row["by"]]
            by = [part["property"] for part in crossed if part is not None]
        self._by = by
        self._page_options = tuple(
            f"--section={name}" for name in ("lead", "attention", *(["values"] if len(by) == 1 else []), "granted")
        )

    @property
    def as_of(self) -> datetime.datetime | None:
        """The report counts events up to this moment, in UTC; None for a log without events."""
        return moment(self._data["as_of"])

    @property
    def time_zone(self) -> str:
        """The zone of days and weeks."""
        return str(self._data["time_zone"])

    @property
    def log_start(self) -> datetime.datetime | None:
        """The time from which the log has all events."""
        return moment(self._data["log_start"])

    @property
    def where(self) -> tuple[str, ...]:
        """The conditions on the exposure."""
        return tuple(self._data["where"])

    @property
    def by(self) -> tuple[str, ...]:
        """The properties that the rows are broken down by."""
        return tuple(self._by)

    @property
    def events(self) -> int:
        """Events up to ``as_of``."""
        return int(self._data["events"])

    @property
    def users(self) -> int:
        """Users with any event up to ``as_of``."""
        return int(self._data["users"])

    @property
    def unexposed(self) -> int:
        """Journeys with an answer but no screen, which are left out."""
        return int(self._data["unexposed"])

    @property
    def rows(self) -> pandas.DataFrame:
        """Counts and rates of the first time that a permission is asked for: one row per permission and week, and one for all weeks together.

        ``answered_by_status`` counts answers that only a status check shows; they have no times.
        """
        return self._of_rows("rows", tables.ROWS)

    @property
    def weeks(self) -> pandas.DataFrame:
        """The ``rows`` of single weeks."""
        rows = self.rows
        return rows[rows["week"].notna()].reset_index(drop=True)

    @property
    def totals(self) -> pandas.DataFrame:
        """The ``rows`` of all weeks together."""
        rows = self.rows
        return rows[rows["week"].isna()].drop(columns=["week", "week_start", "complete"]).reset_index(drop=True)

    @property
    def no_evidence(self) -> pandas.DataFrame:
        """The kinds of ``evidence`` that the log does not have, one row each.

        The figures that need them are missing.
        """
        return self._long("no_evidence", tables.no_evidence, tables.NO_EVIDENCE)

    @property
    def at_once(self) -> pandas.DataFrame:
        """Answered prompts of all journeys, and those whose call returned at once: one row per permission and platform.

        Only permissions with such calls have rows. If ``applied`` is false, these answers count anyway: the app logs
        prompt and answer together, or in whole seconds. If the times are unknown for that reason, ``no_evidence`` has
        ``prompt_times``.
        """
        return self._frame("at_once", lambda: tables.plain(self._data["at_once"], tables.AT_ONCE))

    @property
    def granted_by_follow_up(self) -> pandas.DataFrame:
        """Users whose permission was found on by the end of the follow-up, by any path."""
        return self._of_rows("granted_by_follow_up", tables.GRANTED_BY_FOLLOW_UP)

    @property
    def steps(self) -> pandas.DataFrame:
        """From the first screen to the answer: one row per ``step``, explanation or prompt.

        Figures that a step does not have, or that are unknown, are missing.
        """
        return self._long("steps", tables.steps, tables.STEPS)

    @property
    def explained_against_cold(self) -> pandas.DataFrame:
        """Journeys that begin with an explanation compared with those that begin with the prompt: an observation."""
        return self._of_rows("explained_against_cold", tables.EXPLAINED_AGAINST_COLD)

    @property
    def times(self) -> pandas.DataFrame:
        """Times in milliseconds: one row per ``measure``.

        Only ``time_to_answer`` also has rows by ``outcome``. Unknown times are missing.
        """
        return self._long("times", tables.times, tables.TIMES)

    @property
    def after_grant(self) -> pandas.DataFrame:
        """Later changes of the grants: revoked, upgraded."""
        return self._of_rows("after_grant", tables.AFTER_GRANT)

    @property
    def enabled_later(self) -> pandas.DataFrame:
        """Users who granted later: one row per ``outcome`` (denied, skipped, dropped_off)."""
        return self._long("enabled_later", tables.enabled_later, tables.ENABLED_LATER)

    @property
    def kaplan_meier(self) -> pandas.DataFrame:
        """The share found on by ``day`` 1, 7 and 28 after an ``outcome`` (Kaplan-Meier): ``value``, ``low``, ``high``."""
        return self._long("kaplan_meier", tables.kaplan_meier, tables.KAPLAN_MEIER)

    @property
    def settings_prompt(self) -> pandas.DataFrame:
        """Denied journeys and the prompt to open Settings; and its daily trials: an observation."""
        return self._of_rows("settings_prompt", tables.SETTINGS_PROMPT)

    @property
    def engagement(self) -> pandas.DataFrame:
        """Use of the app in the 28 days from the exposure, by users who granted and by all others: an observation."""
        return self._of_rows("engagement", tables.ENGAGEMENT)

    @property
    def retention(self) -> pandas.DataFrame:
        """Users active on ``day`` 1, 7 and 30: one row per ``outcome``. An observation."""
        return self._long("retention", tables.retention, tables.RETENTION)

    @property
    def retention_difference(self) -> pandas.DataFrame:
        """Retention of users who granted minus that of all others: one row per ``day``."""
        return self._long("retention_difference", tables.retention_difference, tables.RETENTION_DIFFERENCE)

    @property
    def trend(self) -> pandas.DataFrame:
        """The change of the grant rate since the week before: a row for each week that can be compared."""
        return self._long("trend", tables.trend, tables.TREND)

    @property
    def usual(self) -> pandas.DataFrame:
        """Where the grant rate of a complete week is expected; ``outside`` is ``lower`` or ``higher``, or missing."""
        return self._long("usual", tables.usual, tables.USUAL)

    @property
    def reach(self) -> pandas.DataFrame:
        """Active users by the latest known state of each permission, at ``as_of``."""
        return self._frame("reach", lambda: tables.plain(self._data["reach"], tables.REACH))

    @property
    def activity(self) -> pandas.DataFrame:
        """Events of each ``kind`` by their own week. ``permission`` is missing for events without a permission."""
        return self._frame("activity", lambda: tables.plain(tables.activity(self._data["activity"]), tables.ACTIVITY))

    @property
    def timing(self) -> pandas.DataFrame:
        """Grant rates by how early users were asked: one row per ``classification`` and ``class``.

        Empty with ``by``.
        """
        return self._frame("timing", lambda: tables.plain(tables.timing(self._data["timing"]), tables.TIMING))

    @property
    def completeness(self) -> pandas.DataFrame:
        """Which numbered events arrived: a row for ``all``, then for each ``week``, ``version`` and ``platform`` (``part``).

        Empty if the app does not number its events, and for sums.
        """
        return self._frame(
            "completeness", lambda: tables.plain(tables.completeness(self._data["completeness"]), tables.COMPLETENESS)
        )

    @property
    def ranking(self) -> pandas.DataFrame:
        """With one ``by``: the values of the property, by the grants that they lost. Otherwise empty."""
        return self._frame("ranking", lambda: tables.plain(tables.ranking(self._data["by_ranking"]), tables.RANKING))

    @property
    def plot(self) -> ReportPlots:
        """Charts with matplotlib: ``plot.grant_rate()``, ``plot.outcomes()``, ``plot.retention()``."""
        from permlog._plot_report import ReportPlots

        return ReportPlots(self)

    def __repr__(self) -> str:
        rows = self._data["rows"]
        if self._data["as_of"] is None:
            return "<permlog report: the log is empty>"
        permissions = len({row["permission"] for row in rows})
        weeks = len({row["week"] for row in rows if row["week"] is not None})
        by = f" by {' and '.join(self._by)}" if self._by else ""
        return (
            f"<permlog report{by} as of {self._data['as_of']}, {self.time_zone}: "
            f"{counted(permissions, 'permission')}, {counted(weeks, 'week')}, {counted(self.users, 'user')}, "
            f"{counted(self.events, 'event')}>"
        )

    def _of_rows(self, name: str, columns: Sequence[Column]) -> pandas.DataFrame:
        return self._frame(name, lambda: tables.keyed(self._data["rows"], columns, self._by))

    def _long(self, name: str, records: tables.Unfolding, columns: Sequence[Column]) -> pandas.DataFrame:
        return self._frame(name, lambda: tables.keyed(records(self._data["rows"]), columns, self._by))
