"""Events and journeys as rows: streamed from the tool to Arrow, pandas, Parquet."""

from __future__ import annotations

from pathlib import Path

from permlog._arguments import Conditions, Duration, Moment, Paths, StrPath, Zone, files, given, options
from permlog._base import LogBase
from permlog._journeys import Journeys
from permlog._parquet import write_parquet
from permlog._process import run
from permlog._stream import EVENT_COLUMNS, batches
from permlog.errors import UsageError


class Rows(LogBase):
    """The rows of a log."""

    def journeys(
        self,
        *,
        permission: str | None = None,
        week_start: str | None = None,
        week: str | None = None,
        from_: Moment | None = None,
        to: Moment | None = None,
        where: Conditions | None = None,
        time_zone: Zone | None = None,
        as_of: Moment | None = None,
        at_once: Duration | None = None,
        without_users: Paths | None = None,
        hash_users: Paths | None = None,
        response_window: Duration | None = None,
        follow_up: Duration | None = None,
    ) -> Journeys:
        """One row per user and permission with a screen: the time, the context, the outcome, and later events.

        Sums over the rows are the counts of a report with the same arguments.

        Parameters
        ----------
        permission : str, optional
            Only this one.
        week_start, week, from_, to, where, time_zone, as_of, at_once, response_window, follow_up, without_users, hash_users : optional
            As in :meth:`report`.

        Returns
        -------
        Journeys
            It reads nothing yet: ``to_pandas()``, ``to_arrow()``, ``reader()`` and ``to_parquet(path)`` stream the
            rows.
        """
        chosen = options(**given(locals()))
        return Journeys(["export", *self._options(), "--journeys", *chosen])

    def export(
        self,
        path: StrPath,
        *,
        journeys: bool = False,
        skip_damaged: bool = False,
        key: StrPath | None = None,
        with_erasures: StrPath | None = None,
    ) -> Path:
        """Writes every stored event, or every journey, to a file, completely or not at all.

        Ingesting the events again adds nothing.

        Parameters
        ----------
        path : path
            The end of its name selects the format: ``.parquet`` (Zstandard, times as timestamps of milliseconds in
            UTC, all else as text), ``.csv`` or ``.ndjson``.
        journeys : bool
            Write journeys instead of events; to select some of them use :meth:`journeys`.
        skip_damaged : bool
            Leave out damaged pieces. After the file is written, a DataError names the missing pieces. Not for Parquet.
        key : path, optional
            The key of the list of erased users, needed with ``skip_damaged`` if the list of files itself is damaged.
        with_erasures : path, optional
            Also write the list of erased users to this file. ``erase(import_list=file)`` of a log that is made of the export
            then keeps them out, too. Without erased users it is not written. Not with ``journeys`` or ``skip_damaged``.

        Returns
        -------
        pathlib.Path
            The file.

        Raises
        ------
        UsageError
            If the name has another ending.
        PermlogError
            If there is no log, it is damaged, or the file cannot be written.
        """
        target = Path(path)
        suffix = target.suffix.lower()
        if suffix == ".parquet":
            if skip_damaged:
                raise UsageError("skip_damaged goes with .csv and .ndjson")
            if journeys:
                if with_erasures is not None:
                    raise UsageError("with_erasures is for events: leave it out with journeys")
                return self.journeys().to_parquet(target)
            chosen = options(format="csv", with_erasures=with_erasures)
            write_parquet(target, batches(["export", *self._options(), *chosen], EVENT_COLUMNS), EVENT_COLUMNS)
        elif suffix in (".csv", ".ndjson", ".jsonl"):
            form = "csv" if suffix == ".csv" else "ndjson"
            chosen = options(
                format=form,
                output=files(target)[0],
                journeys=journeys,
                skip_damaged=skip_damaged,
                key=key,
                with_erasures=with_erasures,
            )
            run(["export", *self._options(), *chosen])
        else:
            raise UsageError(f"{target}: export writes .parquet, .csv or .ndjson")
        return target
