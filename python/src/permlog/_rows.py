"""Events and journeys as rows: streamed from the tool to Arrow, pandas, Parquet."""

from __future__ import annotations

from pathlib import Path

from permlog._arguments import Conditions, Duration, Moment, StrPath, Zone, files, given, options
from permlog._base import LogBase
from permlog._journeys import Journeys
from permlog._parquet import write_parquet
from permlog._process import run
from permlog._stream import EVENT_COLUMNS, batches
from permlog.errors import UsageError


class Rows(LogBase):
    """What a log holds, as rows."""

    def journeys(
        self,
        *,
        permission: str | None = None,
        week: str | None = None,
        from_: Moment | None = None,
        to: Moment | None = None,
        where: Conditions | None = None,
        time_zone: Zone | None = None,
        as_of: Moment | None = None,
        at_once: Duration | None = None,
        response_window: Duration | None = None,
        follow_up: Duration | None = None,
    ) -> Journeys:
        """One row a user and permission that saw a screen: when and under what, the outcome, and what came later.

        Sums over the rows are the counts of a report with the same arguments.

        Parameters
        ----------
        permission : str, optional
            Only this one.
        week, from_, to, where, time_zone, as_of, at_once, response_window, follow_up : optional
            As in :meth:`report`.

        Returns
        -------
        Journeys
            Nothing is read yet: ``to_pandas()``, ``to_arrow()``, ``reader()`` and ``to_parquet(path)`` stream the rows.
        """
        chosen = options(**given(locals()))
        return Journeys(["export", *self._options(), "--journeys", *chosen])

    def export(
        self, path: StrPath, *, journeys: bool = False, skip_damaged: bool = False, key: StrPath | None = None
    ) -> Path:
        """Writes every stored event, or every journey, to a file, whole or not at all. Events add nothing if ingested again.

        Parameters
        ----------
        path : path
            Its name says the format: ``.parquet`` (Zstandard, times as timestamps of milliseconds in UTC, all else as
            text), ``.csv`` or ``.ndjson``.
        journeys : bool
            Write journeys in place of events; to choose among them see :meth:`journeys`.
        skip_damaged : bool
            Leave out what is damaged; then a DataError says what is missing after the file is written. Not for Parquet.
        key : path, optional
            The key of the list of erased users, needed with ``skip_damaged`` if the list of files itself is damaged.

        Returns
        -------
        pathlib.Path
            The file.

        Raises
        ------
        UsageError
            For another name.
        PermlogError
            If there is no log, it is damaged, or the file cannot be written.
        """
        target = Path(path)
        suffix = target.suffix.lower()
        if suffix == ".parquet":
            if skip_damaged:
                raise UsageError("skip_damaged goes with .csv and .ndjson")
            if journeys:
                return self.journeys().to_parquet(target)
            write_parquet(target, batches(["export", *self._options(), "--format=csv"], EVENT_COLUMNS), EVENT_COLUMNS)
        elif suffix in (".csv", ".ndjson", ".jsonl"):
            form = "csv" if suffix == ".csv" else "ndjson"
            chosen = options(
                format=form, output=files(target)[0], journeys=journeys, skip_damaged=skip_damaged, key=key
            )
            run(["export", *self._options(), *chosen])
        else:
            raise UsageError(f"{target}: export writes .parquet, .csv or .ndjson")
        return target
