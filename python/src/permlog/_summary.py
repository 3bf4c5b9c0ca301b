"""The counts of an ingest, with the rejected lines."""

from __future__ import annotations

import datetime
import html
import json
from typing import TYPE_CHECKING, Any

from permlog._document import moment
from permlog._frames import counts, flags, frame, series, texts
from permlog._info import findings
from permlog._words import counted, in_python, of_rows

if TYPE_CHECKING:
    import pandas

_OF_LINES = [*texts("file"), *counts("line"), *texts("reason", "text")]
_OF_ROWS = [*texts("file"), *counts("row"), *texts("reason", "text")]
_NOT_STORED = [
    *texts("name", "answer", "outcome"),
    *counts("count"),
    *flags("looks_like_permission"),
    *texts("example"),
]


class Ingest:
    """The answer of :meth:`permlog.Log.ingest`: the counts of the tool's summary.

    Parameters
    ----------
    summary : bytes
        The JSON of ``--summary json``.
    rejects : bytes
        The lines of ``--rejects``.
    notes : str
        Other messages of the tool.
    unit : {"line", "row"}
        What was read.
    columns : pair of lists of str, optional
        For a table, the columns that were read, and the others.
    index : pandas.Index, optional
        The labels of a frame's rows.
    """

    def __init__(
        self,
        summary: bytes,
        rejects: bytes,
        notes: str = "",
        unit: str = "line",
        columns: tuple[list[str], list[str]] | None = None,
        index: Any = None,
    ) -> None:
        self._bytes = summary
        self._data: dict[str, Any] = json.loads(summary)
        self._rejects = rejects
        self._notes = in_python(notes)
        self._unit = unit
        self._columns = columns
        self._index = index

    @property
    def files(self) -> int:
        """Files that were read; a table counts as one."""
        return int(self._data["files"])

    @property
    def skipped_files(self) -> int:
        """Files without events, which were left out."""
        return int(self._data["skipped_files"])

    @property
    def lines(self) -> int:
        """Lines, or rows of a table, that are not empty."""
        return int(self._data["lines"])

    @property
    def events(self) -> int:
        """Events that were understood: ``new`` and ``duplicates``."""
        return int(self._data["events"])

    @property
    def new(self) -> int:
        """Events that were stored. For a refused ingest, the events that would have been stored."""
        return int(self._data["new"])

    @property
    def duplicates(self) -> int:
        """Events that the log, or this ingest, already had."""
        return int(self._data["duplicates"])

    @property
    def conflicts(self) -> int:
        """Of the duplicates, those that differ from the event that was kept."""
        return int(self._data["conflicts"])

    @property
    def erased(self) -> int:
        """Events that were left out: those of erased users, those older than the log keeps, and the ``surplus``."""
        return int(self._data["erased"])

    @property
    def surplus(self) -> int:
        """Of ``erased``, the events above the limit of one user."""
        return int(self._data["surplus"])

    @property
    def rejected(self) -> int:
        """Lines, or rows, that break a rule; see ``rejections``."""
        return int(self._data["rejected"])

    @property
    def respelled(self) -> int:
        """Events with a kind, permission or status in a non-standard spelling."""
        return int(self._data["respelled"])

    @property
    def ignored_fields(self) -> int:
        """Values of fields that the log does not keep."""
        return int(self._data["ignored_fields"])

    @property
    def unmapped_events(self) -> int:
        """Records of a vendor's export that no rule matches; ``notes`` names them."""
        return int(self._data["unmapped_events"])

    @property
    def contradictions(self) -> int:
        """Duplicates with a different meaning than the log's event; ``notes`` shows some."""
        return int(self._data["contradictions"])

    @property
    def replaced(self) -> int:
        """With ``replace``: events of the log that were replaced by a new reading."""
        return int(self._data["replaced"])

    @property
    def withdrawn(self) -> int:
        """With ``replace``: events of the log whose rows are not events in the new reading."""
        return int(self._data["withdrawn"])

    @property
    def links(self) -> int:
        """Links between ids that were new to the log."""
        return int(self._data["links"])

    @property
    def known_files(self) -> int:
        """Files of folders that were not read, because the log has them; ``again=True`` reads them."""
        return int(self._data["known_files"])

    @property
    def bad_files(self) -> tuple[str, ...]:
        """With ``skip_bad``: a sentence for each file that was left out, with its name."""
        return tuple(in_python(sentence) for sentence in self._data["bad_files"])

    @property
    def health(self) -> pandas.DataFrame:
        """The measures that are far outside the log's own past, each with a ``sentence``. A warning has it too."""
        return findings(self._data["health"])

    @property
    def not_stored(self) -> pandas.DataFrame:
        """Names of events that were not stored, names that look like permission events first: the first 100."""
        records = self._data["not_stored"]
        if self._unit == "row":
            records = [{**record, "example": of_rows(record["example"] or "") or None} for record in records]
        return frame(records, _NOT_STORED)

    @property
    def newest(self) -> datetime.datetime | None:
        """The time of the newest event in the log, in UTC; None if it has none."""
        return moment(self._data["newest"])

    @property
    def seconds(self) -> float:
        """How long the tool took."""
        return float(self._data["seconds"])

    @property
    def notes(self) -> str:
        """Other messages of the tool: the first line of each reason, doubtful data, names that were not understood."""
        return self._notes

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The columns of a table that were read; None for exports."""
        return None if self._columns is None else tuple(self._columns[0])

    @property
    def columns_not_read(self) -> tuple[str, ...] | None:
        """The columns of a table that neither the log nor the mapping uses; None for exports."""
        return None if self._columns is None else tuple(self._columns[1])

    @property
    def rejections(self) -> pandas.DataFrame:
        """A row for each rejected line: ``file``, ``line``, ``reason``, ``text``.

        For a table it has ``row`` instead of ``line``: the row of that file or frame, from 0, as ``frame.iloc`` counts.
        For a frame of pandas ``index`` is the row's label. A table in memory has no ``file``.

        If not all were kept, the last row says so in ``reason``, and its ``line`` or ``row`` is missing.
        """
        records = [self._record(line) for line in self._rejects.split(b"\n") if line]
        if self._unit == "line":
            return frame(records, _OF_LINES)
        made = frame(records, _OF_ROWS)
        if self._index is not None:
            labels = [None if record["row"] is None else self._index[record["row"]] for record in records]
            made.insert(2, "index", series(labels, "object") if None in labels else labels)
        return made

    @property
    def is_cut(self) -> bool:
        """Whether ``rejections`` has only the first rejected lines, because they are too many to keep."""
        return len(self._rejects.splitlines()) < self.rejected or b'"line": null' in self._rejects[-4096:]

    def _record(self, line: bytes) -> dict[str, Any]:
        record: dict[str, Any] = json.loads(line)
        record["reason"] = in_python(record["reason"])
        if self._unit == "row" and record["line"] is None:  # Not a row: that not all were kept.
            record["reason"] = of_rows(record["reason"])
        if self._unit == "row":
            record["file"] = None if record["file"] == "-" else record["file"]
            record["row"] = None if record["line"] is None else record["line"] - 1
        return record

    def to_json(self) -> str:
        """The tool's summary, as it was printed."""
        return self._bytes.decode()

    def __repr__(self) -> str:
        said = (
            f"<permlog ingest: {counted(self.lines, self._unit)} read, {counted(self.new, 'event')} new, "
            f"{counted(self.duplicates, 'duplicate')}"
        )
        if self.known_files:
            said += f", {counted(self.known_files, 'file')} in the log already"
        for count, what in (
            (self.conflicts, "of them different"),
            (self.erased, "left out"),
            (self.unmapped_events, "not mapped"),
            (self.rejected, "rejected"),
        ):
            if count:
                said += f", {count:,} {what}"
        if self.bad_files:
            said += f", {counted(len(self.bad_files), 'bad file')} left out"
        if self.columns_not_read:
            said += f", {counted(len(self.columns_not_read), 'column')} not read"
        return said + ">"

    def _repr_html_(self) -> str:
        # The duration is left out, so that the same ingest gives the same page.
        shown = {
            key: len(value) if isinstance(value, list) else value
            for key, value in self._data.items()
            if value and key not in ("seconds", "newest")
        }
        if self._data["newest"] is not None:
            shown["newest event in the log"] = self._data["newest"]
        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(key.replace('_', ' '))}</th>"
            f"<td style='text-align:right'>{html.escape(f'{value:,}' if isinstance(value, int) else value)}</td></tr>"
            for key, value in shown.items()
        )
        for title, names in (("columns", self.columns), ("columns not read", self.columns_not_read)):
            if names:
                rows += f"<tr><th style='text-align:left'>{title}</th><td>{html.escape(', '.join(names))}</td></tr>"
        # The tool's own groups: how many lines for what, the first of each.
        said = f"<pre style='white-space:pre-wrap'>{html.escape(self._notes)}</pre>" if self._notes else ""
        return f"<p>{html.escape(repr(self))}</p><table>{rows}</table>{said}"
