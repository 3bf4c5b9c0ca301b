"""The content of a log, and whether it is undamaged."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

from permlog._document import Document, html_table, moment
from permlog._frames import counts, frame, texts

if TYPE_CHECKING:
    import pandas

_PARTS = [*texts("name"), *counts("events", "bytes", "blocks"), *texts("oldest", "newest")]


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
