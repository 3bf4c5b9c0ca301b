"""What happens when several permissions are asked for in a row."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from permlog._document import Paper, moment
from permlog._frames import Column, Record, counts, estimates, frame, objects, texts
from permlog._words import counted

if TYPE_CHECKING:
    import pandas

_OUTCOMES = ("granted", "denied", "skipped", "dropped_off", "restricted")
_KEYS = [*texts("week"), Column("week_start", ("week",), "week"), *texts("which")]
_FLOWS = [*_KEYS, *counts("flows", "pending", "settled", "users", "more")]
_LISTS = [*_KEYS, *objects("permissions"), *counts("flows")]
_TREE = [
    *_KEYS,
    *objects("prefix"),
    *counts("flows"),
    *(Column(name, ("outcomes", name), "Int64") for name in _OUTCOMES),
    *counts("ended", *(f"ended_by_outcome.{name}" for name in _OUTCOMES), "more", "went_on"),
]
_BY_POSITION = [*_KEYS, *texts("permission", "position"), *counts("base", "granted"), *estimates("rate")]
_BY_OUTCOME = [*_KEYS, *texts("permission", "before"), *counts("base", "granted"), *estimates("rate")]
_DECLARED = [
    *_KEYS,
    *counts("step"),
    *texts("permission"),
    *counts("started", "reached", "answered", "completed"),
]
_DURATION = [
    *_KEYS,
    *counts("count"),
    *(Column(f"{name}_ms", (name,), "float64") for name in ("mean", "p50", "p90", "p99")),
]


class Flow(Paper):
    """The answer of :meth:`permlog.Log.flow`.

    Each table has ``week`` (of the first exposure, missing for all weeks together), ``week_start`` and ``which``:
    ``all`` flows, the ``first`` of each user, or the ``later`` ones.
    """

    _schema = "permlog.flow/1"

    @property
    def flows(self) -> pandas.DataFrame:
        """The number of flows, pending and settled. All other figures are of the settled ones."""
        return self._frame("flows", lambda: frame(self._data["flow"], _FLOWS))

    @property
    def lists(self) -> pandas.DataFrame:
        """The number of flows that asked for exactly these ``permissions``, in their order (a list)."""
        return self._table("lists", _LISTS)

    @property
    def tree(self) -> pandas.DataFrame:
        """Every list of permissions and every beginning of one (``prefix``): the outcomes of its last permission, and how many flows went on."""
        return self._table("tree", _TREE)

    @property
    def by_position(self) -> pandas.DataFrame:
        """Grant rates by the ``position`` within the flow."""
        return self._table("by_position", _BY_POSITION)

    @property
    def by_outcome_before(self) -> pandas.DataFrame:
        """Grant rates by the outcome of the step ``before``."""
        return self._table("by_outcome_before", _BY_OUTCOME)

    @property
    def declared(self) -> pandas.DataFrame:
        """With ``steps``: one row per step of the intended flow, with the number that came this far.

        Otherwise empty.
        """
        return self._frame("declared", lambda: frame(list(self._steps()), _DECLARED))

    @property
    def duration(self) -> pandas.DataFrame:
        """With ``steps``: the time from the first screen to the answer of the last permission, in milliseconds.

        Otherwise empty.
        """

        def found() -> Iterator[Record]:
            for entry in self._data["flow"]:
                if entry["declared"] is not None:
                    yield {**entry, **entry["declared"]["duration_ms"]}

        return self._frame("duration", lambda: frame(list(found()), _DURATION))

    @property
    def as_of(self) -> datetime.datetime | None:
        """Events up to this moment are counted, in UTC."""
        return moment(self._data["as_of"])

    def __repr__(self) -> str:
        all_of_it = next((entry for entry in self._data["flow"] if entry["week"] is None), None)
        said = (
            "no flows"
            if all_of_it is None
            else f"{counted(all_of_it['flows'], 'flow')} of {counted(all_of_it['users'], 'user')}"
        )
        return f"<permlog flow as of {self._data['as_of']}: {said}>"

    def _table(self, key: str, columns: Sequence[Column]) -> pandas.DataFrame:
        records = [
            {"week": entry["week"], "which": entry["which"], **record}
            for entry in self._data["flow"]
            for record in entry[key]
        ]
        return self._frame(key, lambda: frame(records, columns))

    def _steps(self) -> Iterator[dict[str, Any]]:
        for entry in self._data["flow"]:
            declared = entry["declared"]
            if declared is None:
                continue
            for number, permission in enumerate(declared["permissions"]):
                yield {
                    "week": entry["week"],
                    "which": entry["which"],
                    "step": number + 1,
                    "permission": permission,
                    "started": declared["started"],
                    "reached": declared["reached"][number],
                    "answered": declared["answered"][number],
                    "completed": declared["completed"],
                }
