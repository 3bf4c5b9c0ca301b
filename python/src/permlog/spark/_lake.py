"""Events in a data frame of Spark, and the sums of questions over them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from permlog._arguments import Paths, Zone, options
from permlog._questions import Question
from permlog._sums import Sums
from permlog.errors import DataError, UsageError
from permlog.spark._columns import Divided, divided_lines, divided_rows
from permlog.spark._reading import Reading
from permlog.spark._run import run_job
from permlog.spark._session import Shipping

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_LEAST = 4  # Spark's version: it sends archives and runs mapInArrow on Connect from then on.
MERGE_ABOVE = 200
"""From this number of shards, tasks add up the sums, not only the driver."""


class PermissionLake:
    """Events in a data frame of Spark, a row an event.

    Nothing runs until :meth:`sums` is called. Then the rows are divided by user (one shuffle for any number of
    questions), the tool reads each part on an executor, and sums come back.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        Of a classic session or of Spark Connect.
    columns : dict, optional
        The log's name of a field, and the frame's column (its name, or a Column): ``{"user_id": "device_id"}``. Other
        fields are the columns of their own names. None leaves out the column of exactly that name, or else all
        columns of the field.
    user : str or Column, optional
        The id by which users are divided. By default the column ``user_id``, and for amplitude and ga4 the first id
        that the preset finds. Required with any other mapping. All rows of one user must have the same value, except
        for spaces at its ends, and the value of a row must not change when it is computed again. :func:`first_id`
        selects among several columns as the tool does.
    mapping : str, path or list of paths, optional
        How the rows of a vendor's table are read: the vendor's name, like amplitude (``permlog mapping show`` lists them), or mappings of your own
        (YAML).
    identity, project_time_zone, input_time_zone, keep_ids, allow_custom_permissions, allow_future : optional
        As in :meth:`permlog.Log.ingest`.
    no_join : bool
        Ignore rows that link two ids of one user (PostHog's ``$identify``); the ids stay two users. Without it such
        rows are refused if there are several shards, because the ids may be in two of them.
    equal_copies : bool
        A promise: rows with the same user and ``event_id`` are equal in every column, and every text is UTF-8 of at
        most 256 bytes. Then text columns that no question needs are not sent, which makes the shuffle cheaper. It is
        used if there is an ``event_id`` and no mapping. If copies are found to differ, that is an error. Without it
        all columns are sent, because all of them decide which copy counts.
    tool : {"installed", "ship"}
        Whether executors have the tool (permlog's wheel is installed there, or ``PERMLOG_TOOL`` is set), or receive
        the driver's.
    scratch : str, optional
        A folder on the executors' own disks for what does not fit in memory. By default Spark's own local folders.

    Raises
    ------
    UsageError
        If an argument is wrong, or the frame lacks a column.
    """

    def __init__(
        self,
        df: DataFrame,
        columns: Mapping[str, str | Column | None] | None = None,
        *,
        user: str | Column | None = None,
        mapping: Paths | None = None,
        identity: str | None = None,
        project_time_zone: Zone | None = None,
        input_time_zone: Zone | None = None,
        keep_ids: bool = False,
        allow_custom_permissions: bool = False,
        allow_future: bool = False,
        no_join: bool = False,
        equal_copies: bool = False,
        tool: str = "installed",
        scratch: str | None = None,
    ) -> None:
        chosen = options(identity=identity, project_time_zone=project_time_zone, input_time_zone=input_time_zone)
        chosen += options(
            keep_ids=keep_ids,
            allow_custom_permissions=allow_custom_permissions,
            allow_future=allow_future,
            no_join=no_join,
        )
        self._setup(df, Reading.of(mapping, chosen, "arrow"), tool, scratch, keep_ids)
        if not isinstance(equal_copies, bool):
            raise UsageError(f"equal_copies takes True or False, not {equal_copies!r}")
        self._columns, self._user, self._equal_copies = columns, user, equal_copies
        self._line: str | Column | None = None
        self._divided([])  # Wrong arguments are an error here, not when the job begins.

    @classmethod
    def lines(
        cls,
        df: DataFrame,
        line: str | Column,
        user: str | Column | None = None,
        *,
        mapping: Paths | None = None,
        identity: str | None = None,
        project_time_zone: Zone | None = None,
        input_time_zone: Zone | None = None,
        keep_ids: bool = False,
        allow_custom_permissions: bool = False,
        allow_future: bool = False,
        no_join: bool = False,
        tool: str = "installed",
        scratch: str | None = None,
    ) -> PermissionLake:
        """Exports as texts, one line of NDJSON per row.

        Parameters
        ----------
        df : pyspark.sql.DataFrame
            Of a classic session or of Spark Connect.
        line : str or Column
            The texts, like ``"value"`` of ``spark.read.text``.
        user : str or Column, optional
            The id by which users are divided, like ``get_json_object("value", "$.uid")``: the field that the mapping
            reads as the user. Not required for permlog's own lines, amplitude and ga4. All lines of one user must
            have the same value, except for spaces at its ends. :func:`first_id` selects among several fields as the
            tool does.
        mapping, identity, project_time_zone, input_time_zone, keep_ids, allow_custom_permissions, allow_future, no_join, tool, scratch : optional
            As of :class:`PermissionLake`.

        Raises
        ------
        UsageError
            If an argument is wrong.
        """
        lake = cls.__new__(cls)
        chosen = options(identity=identity, project_time_zone=project_time_zone, input_time_zone=input_time_zone)
        chosen += options(
            keep_ids=keep_ids,
            allow_custom_permissions=allow_custom_permissions,
            allow_future=allow_future,
            no_join=no_join,
        )
        lake._setup(df, Reading.of(mapping, chosen, "ndjson"), tool, scratch, keep_ids)
        lake._columns, lake._user, lake._line, lake._equal_copies = None, user, line, False
        lake._divided([])
        return lake

    def sums(
        self,
        *questions: Question,
        shards: int | None = None,
        merge_above: int = MERGE_ABOVE,
    ) -> Sums:
        """Asks all questions in one job.

        Parameters
        ----------
        *questions : Question
            Of :func:`report`, :func:`compare`, :func:`flow`, :func:`audit`.
        shards : int, optional
            The number of parts into which users are divided. By default the rows are counted, and there is a shard for
            each two million, and at least one for each core. The tool of a task needs about 100 MB, and 40 bytes an
            event. Name a number if it is expensive to compute the frame twice.
        merge_above : int
            With more shards than this, tasks add up their sums in groups of 64 before the driver receives them.

        Returns
        -------
        permlog.Sums

        Raises
        ------
        UsageError
            If an argument is wrong, or a column has a type that Spark cannot send to a task.
        ToolNotFoundError
            If executors lack the tool, or have a different one. If a check of some executors finds this, it is raised
            before anything is shuffled.
        DataError
            If the data is wrong, with the shard. Also if copies differ in spite of ``equal_copies``, or the tool
            reads events from rows for which ``user`` has no id.
        FailedError
            If a task failed more often than Spark allows, with the tool's message.
        """
        asked = self._asked(questions)
        for name, value, least in (("shards", shards, 1), ("merge_above", merge_above, 1)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
                raise UsageError(f"{name} takes a whole number from {least}, not {value!r}")
        made = run_job(
            self._df,
            self._divided(asked),
            self._reading,
            asked,
            shards=shards,
            merge_above=merge_above,
            shipping=self._shipping,
            scratch=self._scratch,
        )
        if self._equal_copies and made.counts.conflicts:
            raise DataError(
                f"{made.counts.conflicts:,} copies differ from the event that was counted, but equal_copies promises that they "
                "are equal. Leave it out."
            )
        return made

    def _setup(self, df: Any, reading: Reading, tool: str, scratch: str | None, keep_ids: bool) -> None:
        if not hasattr(df, "mapInArrow"):
            raise UsageError(
                f"A lake is made of a data frame of Spark, not of {type(df).__module__}.{type(df).__name__}"
            )
        for what, version in (("PySpark", _pyspark()), ("the session's Spark", str(df.sparkSession.version))):
            if not version.partition(".")[0].isdigit() or int(version.partition(".")[0]) < _LEAST:
                raise UsageError(f"Spark {_LEAST}.0 or later is needed, and {what} is {version}")
        if tool not in ("installed", "ship"):
            raise UsageError(f'tool takes "installed" or "ship", not {tool!r}')
        self._df, self._reading, self._scratch, self._keep_ids = df, reading, scratch, keep_ids
        self._shipping = Shipping(tool == "ship")

    def _divided(self, asked: list[Question]) -> Divided:
        if self._line is not None:
            return divided_lines(self._df, self._line, self._user, self._reading, self._keep_ids)
        pruned = asked if self._equal_copies else []
        return divided_rows(self._df, self._columns, self._user, self._reading, self._keep_ids, pruned)

    @staticmethod
    def _asked(questions: tuple[Question, ...]) -> list[Question]:
        for each in questions:
            if not isinstance(each, Question):
                raise UsageError(f"sums takes questions, like permlog.spark.report(as_of=…), not {each!r}")
        # The same question twice is one.
        asked = list({each.text: each for each in questions}.values())
        if not asked:
            raise UsageError("No question to answer: name one, like permlog.spark.report(as_of=…)")
        return asked


def _pyspark() -> str:
    import pyspark

    return str(pyspark.__version__)
