"""The findings of an audit."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

from permlog._document import Paper, moment
from permlog._frames import Column, counts, estimates, frame, objects, texts
from permlog._words import counted

if TYPE_CHECKING:
    import pandas

_FINDINGS = [
    *texts("id", "severity", "permission"),
    *counts("users", "of"),
    *estimates("share", "cost"),
    *texts("sentence", "advice", "reference"),
    *objects("examples"),
]
_OTHERS: list[Column] = [*_FINDINGS, *texts("left_out")]
_CALLS = [*objects("permissions"), *texts("symbol", "file"), *counts("line"), *objects("conditional")]


class Audit(Paper):
    """The answer of :meth:`permlog.Log.audit`."""

    _schema = "permlog.audit/1"

    @property
    def findings(self) -> pandas.DataFrame:
        """One row per finding, errors first: the number of ``users`` and of how many (``of``), the apparent cost, and the advice."""
        return self._frame("findings", lambda: frame(self._data["findings"], [*_FINDINGS, *objects("locations")]))

    @property
    def others(self) -> pandas.DataFrame:
        """With ``all``: the checks that found nothing, with the reason in ``left_out``."""
        return self._frame("others", lambda: frame(self._data["others"], _OTHERS))

    @property
    def calls(self) -> pandas.DataFrame:
        """With ``source``: one row per call that asks, with its file, its line and the permissions that it may ask for."""
        return self._frame("calls", lambda: frame(self._data["calls"], _CALLS))

    @property
    def only(self) -> list[str] | None:
        """The checks that were looked at, if ``only`` chose them; None for all checks."""
        found: list[str] | None = self._data["only"]
        return found

    @property
    def as_of(self) -> datetime.datetime | None:
        """Events up to this moment are counted, in UTC."""
        return moment(self._data["as_of"])

    @property
    def users(self) -> int | None:
        """Users with any event up to ``as_of``."""
        found: int | None = self._data["users"]
        return found

    def __len__(self) -> int:
        return len(self._data["findings"])

    def __repr__(self) -> str:
        severities = [finding["severity"] for finding in self._data["findings"]]
        said = ", ".join(counted(severities.count(severity), severity) for severity in ("error", "warning", "note"))
        only = "" if self.only is None else f", only of {', '.join(self.only)}"
        return f"<permlog audit as of {self._data['as_of']}: {said}{only}>"
