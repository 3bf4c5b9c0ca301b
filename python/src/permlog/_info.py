"""The content of a log, its ingests, and whether it is undamaged."""

from __future__ import annotations

import datetime
import html
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from permlog._document import Document, html_table, moment
from permlog._frames import Record, counts, flags, frame, numbers, objects, series, texts, times
from permlog._words import counted, in_python

if TYPE_CHECKING:
    import pandas

_PARTS = [*texts("name"), *counts("events", "bytes", "blocks"), *texts("oldest", "newest")]
_FINDINGS = [
    *texts("measure"),
    *counts("count", "of"),
    *numbers("usual"),
    *counts("ingests", "reference"),
    *texts("sentence"),
]
_INGESTS = [
    *counts("ingest"),
    *times("time"),
    *counts("files", "new", "duplicates", "findings"),
    *times("undone"),
    *flags("can_undo"),
    *objects("names"),
]
_REQUESTS = [*times("time"), *counts("ids", "found", "not_found", "events")]
_MEASURES = [*counts("ingest"), *texts("measure"), *counts("count")]


def findings(found: Iterable[Record]) -> pandas.DataFrame:
    """The measures that were far outside the log's own past."""
    return frame([{**finding, "sentence": in_python(finding["sentence"])} for finding in found], _FINDINGS)


class Info(Document):
    """The answer of :meth:`permlog.Log.info`."""

    _schema = "permlog.info/1"

    @property
    def events(self) -> int:
        """Events in the log."""
        return int(self._data["events"])

    @property
    def oldest(self) -> datetime.datetime | None:
        """The time of the oldest event, in UTC; None if the log has none."""
        return moment(self._data["oldest"])

    @property
    def excluded_users(self) -> int:
        """Ids in the list of users who are left out of answers (:meth:`permlog.Log.exclude_users`)."""
        return int(self._data["excluded_users"])

    @property
    def newest(self) -> datetime.datetime | None:
        """The time of the newest event, in UTC; None if the log has none."""
        return moment(self._data["newest"])

    @property
    def bytes(self) -> int:
        """The size of the log's events on disk."""
        return int(self._data["bytes"])

    @property
    def fingerprint(self) -> str:
        """The version of the log's state: it changes with every commit."""
        return str(self._data["fingerprint"])

    @property
    def permissions(self) -> tuple[str, ...]:
        """The permissions that events name."""
        return tuple(self._data["permissions"])

    @property
    def experiments(self) -> tuple[str, ...]:
        """The experiments that events name."""
        return tuple(self._data["experiments"])

    @property
    def variants(self) -> tuple[str, ...]:
        """The messages that events name."""
        return tuple(self._data["variants"])

    @property
    def parts(self) -> pandas.DataFrame:
        """The files of the log."""
        return self._frame("parts", lambda: frame(self._data["parts"], _PARTS))

    @property
    def ingests(self) -> int | None:
        """The number of ingests that the log remembers; :meth:`permlog.Log.ingests` lists them.

        None if their list is damaged.
        """
        found = self._data["ingests"]
        return None if found is None else int(found)

    @property
    def newest_ingest(self) -> datetime.datetime | None:
        """When the newest ingest was, in UTC; None if the log remembers none."""
        return moment(self._data["newest_ingest"])

    @property
    def undoable_ingest(self) -> int | None:
        """The number of the ingest that :meth:`permlog.Log.undo` takes back; None if it takes nothing back."""
        undo = self._data["undo"]
        return None if undo is None else int(undo["ingest"])

    @property
    def health(self) -> pandas.DataFrame:
        """The measures of the newest ingest that were far outside the log's own past, each with a ``sentence``."""
        return self._frame("health", lambda: findings(self._data["health"]))

    def _repr_html_(self) -> str:
        rows = {
            "events": f"{self.events:,}",
            "oldest": self.oldest,
            "newest": self.newest,
            "bytes": f"{self.bytes:,}",
            "permissions": ", ".join(self.permissions),
            "experiments": ", ".join(self.experiments),
            "messages": ", ".join(self.variants),
        }
        return html_table(f"Log {self._data['log']}", {name: value for name, value in rows.items() if value})

    def __repr__(self) -> str:
        return f"<permlog log {self._data['log']}: {self.events:,} events, {self.bytes:,} bytes, newest {self.newest}>"


class Ingests(Document):
    """The answer of :meth:`permlog.Log.ingests`."""

    _schema = "permlog.ingests/1"

    @property
    def rows(self) -> pandas.DataFrame:
        """One row per ingest, the oldest first.

        ``findings`` is the number of its unusual measures, and ``names`` a list of some of its files. ``undone`` is the
        time when it was taken back. ``can_undo`` is true for the ingest that :meth:`permlog.Log.undo` takes back.
        """
        return self._frame("rows", lambda: frame([self._row(each) for each in self._data["ingests"]], _INGESTS))

    @property
    def health(self) -> pandas.DataFrame:
        """One row per unusual measure of an ingest, with a ``sentence``; ``ingest`` is the number of the ingest."""
        return self._frame("health", self._health)

    def _health(self) -> pandas.DataFrame:
        made = findings(finding for each in self._data["ingests"] for finding in each["health"])
        numbers = [each["ingest"] for each in self._data["ingests"] for _ in each["health"]]
        made.insert(0, "ingest", series(numbers, "Int64"))
        return made

    @property
    def measures(self) -> pandas.DataFrame:
        """The counts of the ingests: a row for each ingest and measure. Counts of 0 have no row."""
        return self._frame("measures", lambda: frame(list(self._measures()), _MEASURES))

    def _measures(self) -> Iterator[dict[str, Any]]:
        for each in self._data["ingests"]:
            for measure in each["measures"]:
                yield {"ingest": each["ingest"], "measure": measure["name"], "count": measure["count"]}

    @staticmethod
    def _row(ingest: dict[str, Any]) -> dict[str, Any]:
        return {**ingest, "findings": len(ingest["health"])}

    def __len__(self) -> int:
        return len(self._data["ingests"])

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self))}</p>" + self.rows.to_html(index=False)

    def __repr__(self) -> str:
        return f"<permlog ingests of {self._data['log']}: {counted(len(self), 'ingest')}>"


class Erasures(Document):
    """The answer of :meth:`permlog.Log.erasures`."""

    _schema = "permlog.erasures/1"

    @property
    def rows(self) -> pandas.DataFrame:
        """One row per request, the oldest first.

        ``ids`` are still kept out; ``found`` of them had events, or were linked with one that had; ``events`` were removed.
        Requests of versions before 0.4.0 are one row without a time and without these counts.
        """
        return self._frame("rows", lambda: frame(list(self._data["requests"]), _REQUESTS))

    def __len__(self) -> int:
        return len(self._data["requests"])

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self))}</p>" + self.rows.to_html(index=False)

    def __repr__(self) -> str:
        return f"<permlog erasures of {self._data['log']}: {counted(len(self), 'request')}>"


class Verification(Document):
    """The answer of :meth:`permlog.Log.verify` for an undamaged log."""

    _schema = "permlog.verify/1"

    @property
    def events(self) -> int:
        """Events that were read."""
        return int(self._data["events"])

    @property
    def notes(self) -> tuple[str, ...]:
        """Oddities that are not damage, in sentences."""
        return tuple(self._data["notes"])

    def _repr_html_(self) -> str:
        rows: dict[str, object] = {"events": f"{self.events:,}", "bytes": f"{self._data['bytes']:,}"}
        return html_table(
            f"Log {self._data['log']} is whole", rows | {"note": "\n".join(self.notes)} if self.notes else rows
        )

    def __repr__(self) -> str:
        return f"<permlog log {self._data['log']} is whole: {self.events:,} events, {self._data['bytes']:,} bytes>"
