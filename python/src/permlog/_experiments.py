"""Every experiment in the log, with its decision."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from permlog._document import Page, moment
from permlog._frames import Column, counts, estimates, flags, frame, texts

if TYPE_CHECKING:
    import pandas

_SHARED = [
    *texts("permission", "experiment"),
    *flags("running"),
    Column("first_exposure", ("first_exposure",), "day"),
    Column("last_exposure", ("last_exposure",), "day"),
    *texts("control"),
]
_ROWS = [
    *_SHARED,
    *texts("message"),
    *counts("exposed"),
    *texts("decision"),
    Column("decided_on", ("decided_on",), "day"),
    *estimates("rate", "difference"),
    *texts("not_compared", "screen"),
    *flags("winner_kept"),
]


@dataclass(frozen=True)
class Winners:
    """How many winners of a list may be false, by Benjamini and Hochberg over its ``comparisons``.

    Of the ``kept`` winners at most ``expected_false`` are expected to be false.
    """

    comparisons: int
    winners: int
    kept: int
    expected_false: float


class Experiments(Page):
    """The answer of :meth:`permlog.Log.experiments`."""

    _schema = "permlog.experiments/1"

    @property
    def rows(self) -> pandas.DataFrame:
        """One row per message of each experiment. For the control, decision and difference are missing."""
        return self._frame("rows", lambda: frame(list(self._messages()), _ROWS))

    @property
    def as_of(self) -> datetime.datetime | None:
        """Events up to this moment are counted, in UTC."""
        return moment(self._data["as_of"])

    @property
    def winners(self) -> Winners | None:
        """How many winners may be false; None for a log without events."""
        found = self._data["winners"]
        if found is None:
            return None
        return Winners(found["comparisons"], found["winners"], found["kept"], found["expected_false"])

    def __len__(self) -> int:
        return len(self._data["experiments"])

    def __repr__(self) -> str:
        names = [experiment["experiment"] for experiment in self._data["experiments"]]
        return f"<permlog experiments as of {self._data['as_of']}: {', '.join(names) or 'none'}>"

    def _messages(self) -> Iterator[dict[str, Any]]:
        for experiment in self._data["experiments"]:
            pairs = {pair["b"]["variant"]: pair for pair in experiment["comparisons"]}
            control = experiment["comparisons"][0]["a"] if experiment["comparisons"] else None
            for message in experiment["messages"]:
                pair = pairs.get(message["variant"])
                arm = pair["b"] if pair else control
                is_control = message["variant"] == experiment["control"]
                yield {
                    **experiment,
                    "message": message["variant"],
                    "exposed": message["exposed"],
                    "decision": pair["decision"] if pair else None,
                    "decided_on": pair["decided_on"] if pair else None,
                    "rate": arm["rate"] if arm and (pair or is_control) else None,
                    "difference": pair["difference"] if pair else None,
                    "winner_kept": pair["winner"]["kept"] if pair and pair["winner"] else None,
                }
