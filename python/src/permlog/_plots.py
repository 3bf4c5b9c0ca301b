"""Marks that the charts share: figures, points with intervals, percent axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permlog._extras import need_pyplot
from permlog._words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

# The colours of the tool's pages, in light.
COLOURS = {
    "granted": "#0b5fa5",
    "denied": "#b5330f",
    "skipped": "#a87900",
    "dropped_off": "#7f858f",
    "other": "#5d6470",
}


def axes_for(ax: Axes | None, height: float = 3.4) -> Axes:
    """The axes to draw on: those of the caller, or of a new figure."""
    if ax is not None:
        return ax
    _, made = need_pyplot().subplots(figsize=(9, height), layout="constrained")
    axes: Axes = made
    return axes


def points(ax: Axes, x: Any, frame: Any, name: str, *, solid: Sequence[bool], colour: str, label: str | None) -> None:
    """A line of estimates in percent with their intervals. Estimates that are not solid are hollow."""
    value, low, high = (100 * frame[column].to_numpy(dtype=float) for column in (name, f"{name}_low", f"{name}_high"))
    ax.plot(x, value, color=colour, lw=1, alpha=0.5)
    ax.vlines(x, low, high, color=colour, lw=1.5, alpha=0.7)
    filled = [colour if is_solid else "none" for is_solid in solid]
    # Lines that are not drawn have no name, and a point at 0 % or 100 % is drawn completely.
    ax.scatter(
        x, value, s=26, c=filled, edgecolors=colour, zorder=3, label=label if len(frame) else None, clip_on=False
    )


def percent(ax: Axes, label: str, top: float | None = 100) -> None:
    """The vertical axis as percent from 0 on."""
    ax.set_ylim(0, top)
    ax.set_ylabel(label)
    ax.spines[["top", "right"]].set_visible(False)


def left_out(ax: Axes, number: int, noun: str, others: bool = False) -> None:
    """Notes in the picture how many are left out, if any. Others are values without a row of their own."""
    parts = ([f"{counted(number, noun)} with fewer exposures"] if number else []) + (["all others"] if others else [])
    if parts:
        ax.set_title(f"{' and '.join(parts)} not shown", loc="right", fontsize=8)


def days(ax: Axes) -> None:
    """The horizontal axis as dates, short enough to stay horizontal. Other axes of the figure do not change."""
    dates = need_pyplot().matplotlib.dates
    locator = dates.AutoDateLocator(maxticks=8)
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))
