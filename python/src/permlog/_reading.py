"""Reading events into a log: from exports, tables, data frames."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from permlog._arguments import Moment, Paths, StrPath, Wait, Zone, files, options, seconds
from permlog._base import LogBase
from permlog._feed import feed, needed
from permlog._process import Argument, child, read, warn
from permlog._progress import Progress
from permlog._row_places import Places
from permlog._row_places import state as state_of_row
from permlog._sources import Table, resolve
from permlog._summary import Ingest
from permlog._words import counted, of_rows
from permlog.errors import DataError, error

_REASONS = 8  # Lines of notes in the text of an error.
# With skip_bad this is no failure, although the tool has a status for it.
_LEFT_OUT = re.compile(r"[^\n]* files? (?:was|were) left out, and (?:all others are stored|there was no other)\.")


class Reading(LogBase):
    """The methods that read events into a log."""

    def ingest(
        self,
        source: Any,
        *,
        mapping: Paths | None = None,
        format: str = "auto",
        identity: str | None = None,
        project_time_zone: Zone | None = None,
        input_time_zone: Zone | None = None,
        event_name: str | None = None,
        snapshot_time: Moment | None = None,
        keep_ids: bool = False,
        allow_custom_permissions: bool = False,
        allow_future: bool = False,
        keep_partial: bool = False,
        experiment: str | Sequence[str] | None = None,
        state: str | Sequence[str] | Mapping[str, str] | None = None,
        no_join: bool = False,
        replace: bool = False,
        into_new_log: bool = False,
        hash_users: Paths | None = None,
        force_mixed_users: bool = False,
        key: StrPath | None = None,
        strict: bool = False,
        max_rejected: int | str | None = None,
        rejects: StrPath | None = None,
        rejects_limit: str = "100MB",
        skip_bad: bool = False,
        again: bool = False,
        wait: Wait | None = None,
        filesystem: Any = None,
        progress: bool | None = None,
    ) -> Ingest:
        """Reads events into the log: all of the source, or nothing. Events that the log already has are left out.

        Parameters
        ----------
        source : path, list of paths, data frame, Arrow table or stream
            Exports, which the tool reads itself (also folders and patterns); Parquet, Feather, Arrow and ORC files,
            folders of them (with Hive's ``key=value`` folders), patterns, and addresses like ``s3://bucket/events/``; a
            pandas or polars DataFrame, a pyarrow Table, RecordBatch, RecordBatchReader or Dataset, and anything else
            with the Arrow C stream interface. Of a table only the columns that permlog uses are read.
        mapping : path or list of paths, optional
            Mappings of your own (YAML).
        format : str
            The format of the source: ndjson, csv, or a vendor like amplitude (``permlog mapping show`` lists them).
            By default it is recognised, for tables by their columns.
        identity : {"device", "account"}, optional
            What counts as one user of a vendor's export. By default the device.
        project_time_zone : str or ZoneInfo, optional
            The zone of exports with the project's local times.
        input_time_zone : str or ZoneInfo, optional
            For times without one, like "Europe/Berlin". By default such lines are rejected.
        event_name : str, optional
            The name of the event, for files that do not have it (CleverTap's pages, each of one event).
        snapshot_time : str, date or datetime, optional
            The moment of files in which each row is a user at one time (OneSignal's subscriptions).
        keep_ids : bool
            Keep spaces at the ends of ids.
        allow_custom_permissions : bool
            Store permissions outside the taxonomy under their own names.
        allow_future : bool
            Accept times up to the year 2100. By default up to 25 hours from now.
        keep_partial : bool
            Keep the readable part of a damaged export.
        experiment : str or list of str, optional
            Read assignments to these experiments from properties of any row.
        state : dict, str or list of str, optional
            Read the states of permissions from properties of any row: {"notifications": "push_enabled"}.
        no_join : bool
            Do not join ids that belong to one install according to the source.
        replace : bool
            Store the new reading of rows that the log already has.
        into_new_log : bool
            Refuse the ingest if the log exists.
        hash_users : path or list of path, optional
            Store keyed hashes instead of user ids. The key is the content of this file, at least 16 bytes. Always use
            the same key; after ``rekey`` all keys, the oldest first.
        force_mixed_users : bool
            Ingest with a different key than the log's, or with none.
        key : path, optional
            The key of the list of erased users, if it is kept outside the log.
        strict : bool
            Store nothing if any line is rejected.
        max_rejected : int or str, optional
            Store nothing if more lines than this are rejected: 100, or "1%".
        rejects : path, optional
            Also write the rejected lines to this file (NDJSON).
        rejects_limit : str
            The largest size of that file, like "100MB".
        skip_bad : bool
            Leave out exports that cannot be read to their end, and store the others. A warning names them. By default
            nothing is stored. A table is stored as a whole or not at all.
        again : bool
            Read files of a folder of exports again even if the log has them. Tables are always read.
        wait : number of seconds, str or timedelta, optional
            How long to wait for another process that writes to the log. By default do not wait.
        filesystem : pyarrow.fs.FileSystem or fsspec file system, optional
            The file system of the paths.
        progress : bool, optional
            Show a tqdm bar while a table is read. By default in notebooks and on terminals.

        Returns
        -------
        Ingest
            The counts of events read and stored, with the rejected lines as a frame.

        Raises
        ------
        DataError
            If the data is wrong: nothing was stored. ``error.ingest`` has the rejected lines.
        UsageError
            If an argument is wrong, or a table cannot be read.
        FailedError
            If the log is busy, or cannot be written.

        Warns
        -----
        PermlogWarning
            For rejected lines, data that looks wrong, and files that ``skip_bad`` left out.
        """
        reading = [
            *options(mapping=None if mapping is None else files(mapping)),
            *options(format=None if format == "auto" else format, identity=identity),
            *options(project_time_zone=project_time_zone, input_time_zone=input_time_zone, keep_ids=keep_ids),
            *options(event_name=event_name, snapshot_time=snapshot_time),
            *options(allow_custom_permissions=allow_custom_permissions, allow_future=allow_future),
            *options(keep_partial=keep_partial, experiment=experiment, state=state),
        ]
        storing = options(
            no_join=no_join,
            replace=replace,
            into_new_log=into_new_log,
            hash_users=hash_users,
            force_mixed_users=force_mixed_users,
            key=key,
            strict=strict,
            max_rejected=max_rejected,
            rejects_limit=rejects_limit,
            wait=seconds("wait", wait),
        )
        of_exports = options(skip_bad=skip_bad, again=again)
        arguments = ["ingest", *self._options(), *reading, *storing]
        found = resolve(source, filesystem)
        with tempfile.TemporaryDirectory(prefix="permlog-") as directory:
            kept = os.fspath(rejects) if rejects is not None else os.path.join(directory, "rejected.ndjson")
            arguments += ["--summary=json", *options(rejects=kept)]
            with open(os.path.join(directory, "summary.json"), "w+b") as summary:
                is_table = not isinstance(found, list)
                columns: tuple[list[str], list[str]] | None = None
                place: Callable[[int], str] | None = None
                if isinstance(found, list):
                    with child([*arguments, *of_exports, *files(found)], stdout=summary) as (process, said):
                        code = process.wait()
                        text = read(said)
                else:
                    before = state_of_row(kept)
                    names = needed(found.names, reading)
                    columns = names, [name for name in found.names if name not in names]
                    code, text = self._send(found, arguments, names, summary, progress)
                    if isinstance(sent := getattr(found, "sent", None), dict):
                        places = Places(sent)
                        place = places.named
                        places.in_file(kept, before)
                summary.seek(0)
                printed = summary.read()
            lines = b""
            if os.path.exists(kept):
                with open(kept, "rb") as file:
                    lines = file.read()
        if rejects is None:  # A missing file is not worth a message.
            text = "".join(line for line in text.splitlines(keepends=True) if kept not in line)
        return _result(
            code, of_rows(text, place) if is_table else text, printed, lines, columns, getattr(found, "index", None)
        )

    @staticmethod
    def _send(
        table: Table, arguments: Sequence[Argument], names: list[str], summary: Any, progress: bool | None
    ) -> tuple[int, str]:
        schema, batches = table.read(names)
        with Progress(table.rows, progress) as bar:
            return feed([*arguments, "-"], schema, batches, stdout=summary, progress=bar)


def _result(
    code: int, text: str, printed: bytes, rejects: bytes, columns: tuple[list[str], list[str]] | None, index: Any
) -> Ingest:
    """Returns the summary, or raises the error with it."""
    unit = "line" if columns is None else "row"
    if code != 0:
        problem = error(code, text)
        if _LEFT_OUT.match(problem.sentence) and printed:
            # All that could be read is stored, and the notes name the files.
            code, text = 0, f"{problem.notes}\n{problem.sentence}"
    if code != 0:
        if isinstance(problem, DataError) and printed:
            problem.ingest = Ingest(printed, rejects, problem.notes, unit, columns, index)
            problem.notes = problem.ingest.notes
            _give_reasons(problem, problem.ingest, unit)
        raise problem
    made = Ingest(printed, rejects, text.strip(), unit, columns, index)
    if made.rejected:
        verb = "was" if made.rejected == 1 else "were"
        text = f"{counted(made.rejected, unit)} {verb} rejected and not stored; see .rejections. The first of each reason:\n{text}"
    # A lake has many names that no rule takes. Which they are is in the notes; that some look like answers is a warning.
    if not text.startswith("Not stored:\n"):
        warn(text)
    return made


def _give_reasons(problem: DataError, ingest: Ingest, unit: str) -> None:
    """Adds the main reasons to the error's text, because often only that is read."""
    if not ingest.rejected or not ingest.notes:
        return
    said = str(problem)
    if unit == "row":  # These two commands take files.
        said = re.sub(r" permlog mapping check FILE [^\n]*", "", said)
    reasons = ingest.notes.splitlines()
    shown = reasons[:_REASONS] + ["…"] * (len(reasons) > _REASONS)
    rows = f"error.ingest.rejections has {'the first of them' if ingest.is_cut else f'every {unit}'}."
    problem.args = ("\n".join([said, "The first of each reason:", *(f"  {line}" for line in shown), rows]),)
