"""Groups of users that are large enough for any reader."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permlog._document import Page
from permlog._frames import counts, estimates, frame, texts
from permlog._words import counted

if TYPE_CHECKING:
    import pandas

_SPAN = texts("permission", "first_week", "last_week")
_COUNTS = counts("base", "granted")
_RATE = estimates("grant_rate")


class LargeGroups(Page):
    """The answer of :meth:`permlog.Log.large_groups`."""

    _schema = "permlog.large-groups/1"

    @property
    def spans(self) -> pandas.DataFrame:
        """The weeks of each permission, joined in their order until each span is a large group."""
        return self._table("spans", [*_SPAN, *_COUNTS, *_RATE])

    @property
    def values(self) -> pandas.DataFrame:
        """Users of one or more spans together by the values of ``by``. ``of`` is value, none or others."""
        return self._table("values", [*_SPAN, *texts("of", "value"), *_COUNTS, *_RATE])

    @property
    def answers(self) -> pandas.DataFrame:
        """Users of one or more spans together by their answers."""
        return self._table("answers", [*_SPAN, *_COUNTS, *counts("denied", "skipped", "dropped_off")])

    def _table(self, name: str, columns: list[Any]) -> pandas.DataFrame:
        return self._frame(name, lambda: frame(list(self._data[name]), columns))

    def __repr__(self) -> str:
        groups = counted(len(self._data["spans"]) + len(self._data["values"]), "group")
        return f"<permlog large groups: {groups} of {self._data['smallest_group']} users or more>"
