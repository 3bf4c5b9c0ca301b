"""Charts of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permlog._extras import need_pandas
from permlog._plots import COLOURS, axes_for, days
from permlog.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from permlog._comparison import Comparison


class ComparisonPlots:
    """Charts with matplotlib, of the figures in the comparison's tables."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison

    def difference(self, message: str | None = None, ax: Axes | None = None) -> Axes:
        """The difference to the control day by day, in points, with the interval of the rule and the decision.

        Parameters
        ----------
        message : str, optional
            Which of several messages; by default the first.
        ax : matplotlib.axes.Axes, optional
            Draw on these axes.

        Returns
        -------
        matplotlib.axes.Axes
        """
        pd = need_pandas()
        series, decisions, arms = self._comparison.series, self._comparison.decisions, self._comparison.arms
        name = str(decisions["message"].iloc[0]) if message is None else message
        if name not in set(decisions["message"]):
            raise UsageError(f"{name} is not in this comparison. It compares: {', '.join(decisions['message'])}")
        series = series[series["message"] == name]
        axes = axes_for(ax)
        colour = COLOURS["granted"]
        low, high = 100 * series["rule_low"], 100 * series["rule_high"]
        axes.fill_between(series["day"], low, high, color=colour, alpha=0.18, lw=0, label="interval of the rule")
        axes.plot(series["day"], 100 * series["difference"], color=colour, label="difference by that day")
        axes.axhline(0, color=COLOURS["other"], lw=1)
        decided = decisions.loc[decisions["message"] == name, "decided_on"].iloc[0]
        if not pd.isna(decided):
            axes.axvline(decided, color="black", ls=":", label=f"decided on {decided:%Y-%m-%d}")
        axes.set_ylabel(f"{name} − {arms['message'].iloc[0]}, points")
        axes.set_title(f"{self._comparison.permission}: {self._comparison.metric}", loc="left", fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(loc="best", frameon=False)
        days(axes)
        return axes
