"""How many users and days an experiment needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permlog._document import Document
from permlog._frames import Column, counts, frame, numbers, objects, texts

if TYPE_CHECKING:
    import pandas

_DESIGNS: list[Column] = [
    *texts("design"),
    *counts("looks"),
    *numbers("inflation"),
    *counts("per_variant", "users", "days"),
    *numbers("detectable_up", "detectable_down"),
    *objects("by_variant"),
]


class Plan(Document):
    """The answer of :meth:`permlog.Log.plan`."""

    _schema = "permlog.plan/1"

    @property
    def designs(self) -> pandas.DataFrame:
        """One row per design: the users and days that it needs, or the difference that it can find (a share of 1)."""
        return self._frame("designs", lambda: frame(self._data["designs"], _DESIGNS))

    @property
    def baseline(self) -> float:
        """The control's rate, a share of 1."""
        return float(self._data["baseline"])

    @property
    def effect(self) -> float | None:
        """The difference to find, a share of 1; None if users or days were given."""
        found: float | None = self._data["effect"]
        return found

    @property
    def exposures_per_day(self) -> float | None:
        """Exposures a day, all messages together; None if unknown."""
        found: float | None = self._data["exposures_per_day"]
        return found

    @property
    def refused(self) -> str | None:
        """The reason for a missing answer, in a sentence; None if there is an answer."""
        found: str | None = self._data["refused"]
        return found

    def _repr_html_(self) -> str:
        return self.designs.to_html(index=False, na_rep="unknown")

    def __repr__(self) -> str:
        users = {row["design"]: row["users"] for row in self._data["designs"]}
        said = self.refused or ", ".join(f"{design} {count:,} users" for design, count in users.items() if count)
        return f"<permlog plan, {self._data['metric']} from {self.baseline:.1%}: {said}>"
