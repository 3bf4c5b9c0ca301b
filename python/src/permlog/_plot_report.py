"""Charts of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permlog._extras import need_pandas
from permlog._plots import COLOURS, axes_for, days, left_out, percent, points
from permlog._words import counted
from permlog.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from permlog._report import Report

_LINES = 6  # More cannot be distinguished.


class ReportPlots:
    """Charts with matplotlib, of the figures in the report's tables; nothing is computed here."""

    def __init__(self, report: Report) -> None:
        self._report = report

    def grant_rate(self, permission: str | None = None, ax: Axes | None = None) -> Axes:
        """The grant rate week by week with its 95 % intervals. Unfinished weeks are hollow.

        A note in the picture names anything that is left out.

        Parameters
        ----------
        permission : str, optional
            Only this one; by default the six with the most exposures, a line each. With one ``by`` it is required,
            and the lines are the six values with the most exposures.
        ax : matplotlib.axes.Axes, optional
            Draw on these axes.

        Returns
        -------
        matplotlib.axes.Axes
        """
        if self._report.by:
            return self._rates_by_value(permission, ax)
        return self._rates(self._report.weeks, "grant_rate", "granted, %", permission, ax)

    def outcomes(self, permission: str | None = None, ax: Axes | None = None) -> Axes:
        """How the first asking ended, of all weeks together: a bar a permission, in percent of the base.

        Parameters
        ----------
        permission : str, optional
            Only this one; then a bar a week. Unfinished weeks are pale.
        ax : matplotlib.axes.Axes, optional
            Draw on these axes.

        Returns
        -------
        matplotlib.axes.Axes
        """
        self._unbroken("outcomes")
        frame = self._report.totals if permission is None else self._one(self._report.weeks, permission)
        frame = frame[(frame["base"] > 0) & frame["grant_rate"].notna()]
        labels = list(frame["permission"] if permission is None else frame["week"])
        pale = [False] * len(frame) if permission is None else [not over for over in frame["complete"]]
        axes = axes_for(ax, height=max(2.0, 0.4 * len(frame) + 1))
        left = frame["grant_rate"].to_numpy(dtype=float) * 0
        for outcome, rate in (
            ("granted", "grant_rate"),
            ("denied", "deny_rate"),
            ("skipped", "skip_rate"),
            ("dropped_off", "drop_off_rate"),
        ):
            share = 100 * frame[rate].fillna(0).to_numpy(dtype=float)  # Unknown values have no bar.
            name = "no answer" if outcome == "dropped_off" else outcome
            bars = axes.barh(labels, share, left=left, color=COLOURS[outcome], label=name)
            for bar, is_pale in zip(bars, pale, strict=True):
                bar.set_alpha(0.4 if is_pale else 1.0)
            left = left + share
        axes.invert_yaxis()
        axes.set_xlim(0, 100)
        without = len(self._report.totals) - len(frame) if permission is None else 0
        note = f"; {counted(without, 'permission')} without known answers not shown" if without else ""
        axes.set_xlabel(f"share of the base, %{note}")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncol=4, frameon=False)
        return axes

    def retention(self, permission: str | None = None, ax: Axes | None = None) -> Axes:
        """The share that used the app on day 1, 7 and 30, by outcome, with 95 % intervals: an observation.

        Parameters
        ----------
        permission : str, optional
            Only this one; by default the one with the most exposures.
        ax : matplotlib.axes.Axes, optional
            Draw on these axes.

        Returns
        -------
        matplotlib.axes.Axes
        """
        self._unbroken("retention")
        retention = self._report.retention
        frame = retention[retention["week"].isna() & retention["rate"].notna()]
        name = permission or self._largest(1)[0]
        frame = self._one(frame, name)
        axes = axes_for(ax)
        followed = sorted(frame["day"].unique())
        places = {day: place for place, day in enumerate(followed)}
        outcomes = ("granted", "denied", "skipped", "dropped_off")
        for step, outcome in enumerate(outcomes):
            part = frame[frame["outcome"] == outcome]
            x = [places[day] + 0.12 * (step - 1.5) for day in part["day"]]
            label = "no answer" if outcome == "dropped_off" else outcome
            points(axes, x, part, "rate", solid=[True] * len(part), colour=COLOURS[outcome], label=label)
        axes.set_xticks(range(len(followed)), [f"day {day}" for day in followed])
        axes.set_title(name, loc="left", fontsize=10)
        if permission is None:
            left_out(axes, len(self._report.totals) - 1, "permission")
        percent(axes, "active, %", top=None)
        axes.legend(loc="best", frameon=False)
        return axes

    def _rates(self, frame: Any, name: str, label: str, permission: str | None, ax: Axes | None) -> Axes:
        shown = [permission] if permission is not None else self._largest(_LINES)
        axes = self._lines([(each, self._one(frame, each)) for each in shown], name, label, ax)
        if len(shown) == 1:
            axes.set_title(shown[0], loc="left", fontsize=10)
        if permission is None:
            left_out(axes, len(self._report.totals) - len(shown), "permission")
        return axes

    def _rates_by_value(self, permission: str | None, ax: Axes | None) -> Axes:
        """A line a value of the one property that the report is broken down by."""
        by = self._report.by
        if len(by) > 1:
            raise UsageError(
                "plot.grant_rate draws a report by one property; draw report.rows, or make a report by one property"
            )
        if permission is None:
            raise UsageError(f'plot.grant_rate of a report by {by[0]} draws one permission: plot.grant_rate("camera")')
        rows = self._one(self._report.totals, permission)
        totals = rows[~rows["other"]].sort_values("exposed", ascending=False, kind="stable")
        weeks = self._one(self._report.weeks, permission)
        weeks = weeks[~weeks["other"]]
        found = list(totals[by[0]])
        pd = need_pandas()
        lines = []
        for value in found[:_LINES]:
            is_unknown = pd.isna(value)
            chosen = weeks[by[0]].isna() if is_unknown else weeks[by[0]].eq(value).fillna(False)
            lines.append((f"no {by[0]}" if is_unknown else str(value), weeks[chosen]))
        axes = self._lines(lines, "grant_rate", "granted, %", ax)
        axes.set_title(f"{permission} by {by[0]}", loc="left", fontsize=10)
        left_out(axes, len(found) - len(lines), "value", others=len(totals) < len(rows))
        return axes

    def _lines(self, lines: list[tuple[str, Any]], name: str, label: str, ax: Axes | None) -> Axes:
        """A line of rates each, with a legend if there are several."""
        pd = need_pandas()
        axes = axes_for(ax)
        for number, (each, rows) in enumerate(lines):
            part = rows[rows[name].notna()]
            colour = COLOURS["granted"] if len(lines) == 1 else f"C{number}"
            # Beside each other, so that no interval hides another.
            x = part["week_start"] + pd.Timedelta(hours=12 * (number - (len(lines) - 1) / 2))
            points(axes, x, part, name, solid=list(part["complete"]), colour=colour, label=each)
        percent(axes, label)
        days(axes)
        if len(lines) > 1:
            axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
        return axes

    def _unbroken(self, chart: str) -> None:
        if self._report.by:
            raise UsageError(f"plot.{chart} draws a report without by; make such a report, or draw report.rows")

    def _largest(self, number: int) -> list[str]:
        totals = self._report.totals.sort_values("exposed", ascending=False, kind="stable")
        names = [str(name) for name in totals["permission"].head(number)]
        if not names:
            raise UsageError("The report has no rows to draw")
        return names

    def _one(self, frame: Any, permission: str) -> Any:
        found = frame[frame["permission"] == permission]
        if found.empty:
            known = ", ".join(dict.fromkeys(str(name) for name in self._report.totals["permission"]))
            raise UsageError(f"The report has no figures of {permission} to draw. It has: {known}")
        return found
