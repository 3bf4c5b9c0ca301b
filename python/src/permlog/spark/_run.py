"""The job: rows divided by user, one tool per shard, sums added up."""

from __future__ import annotations

import contextlib
import math
import os
import re
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from permlog._process import run, warn
from permlog._questions import Question
from permlog._sums import Sums, warn_of_rejected
from permlog._words import counted
from permlog.errors import FailedError, ToolNotFoundError, error
from permlog.spark._check import check
from permlog.spark._columns import GUARD, Divided
from permlog.spark._reading import Reading
from permlog.spark._session import Shipping, by_value
from permlog.spark.executor.job import Job
from permlog.spark.executor.packing import unpacked
from permlog.spark.executor.tasks import COLUMNS, empty_rows, merged_rows, shard_rows

GROUP = 64  # The number of shards with sums that one task adds up.
_PATIENCE = 2.0  # Seconds in which a job that was interrupted is ended.
_ROWS = 2_000_000  # Of a shard: fewer cost more starts of the tool than they save, more need more memory and disk.
_LEAST_ROWS = 50_000  # Of a shard that is there to keep a core busy.


def run_job(
    df: Any,
    divided: Divided,
    reading: Reading,
    asked: Sequence[Question],
    *,
    shards: int | None,
    merge_above: int,
    shipping: Shipping,
    scratch: str | None,
) -> Sums:
    """Counts events and adds up the sums.

    Raises
    ------
    PermlogError
        As :meth:`permlog.spark.PermissionLake.sums`.
    """
    session = df.sparkSession
    count = shards if shards is not None else _shards_for(df.count(), session)
    check(df, divided, reading, asked, count)
    job = Job(
        id=str(uuid.uuid4()),
        shards=count,
        questions=[question.text for question in asked],
        options=reading.options,
        mappings=mapping_names(reading.paths, reading.mappings),
        columns=[] if divided.is_lines else list(divided.sent),
        json_columns=divided.json,
        has_key=divided.key not in divided.sent,
        needs_event_id=divided.needs_event_id,
        tool=shipping.tool(session),
        scratch=scratch,
    )
    frame = _shards(df, divided, job)
    rows = _collected(_few(frame, job, merge_above), job.id)
    if not rows and not df.limit(1).collect():
        rows = _collected(_few(_no_shards(session, job), job, merge_above), job.id)
    _raise_first(rows)
    made = _added(rows)
    warn_of_rejected(made.counts, [example for row in rows for example in row["message"].splitlines()])
    return made


def mapping_names(paths: Sequence[str], contents: Sequence[bytes]) -> list[tuple[str, bytes]]:
    """Mappings under the names that their files have here, without folders: the same on every machine."""
    names = [os.path.basename(path) for path in paths]
    # Equal names, or names of the task's own files, get a number.
    plain = len(set(names)) == len(names) and all(name.endswith((".yaml", ".yml")) for name in names)
    return [
        (name if plain else f"mapping-{number}.yaml", content)
        for number, (name, content) in enumerate(zip(names, contents, strict=True), 1)
    ]


def _shards(df: Any, divided: Divided, job: Job) -> Any:
    """A row for each shard."""
    from pyspark.sql import functions as F

    # The shard of a row is computed before the shuffle, and each task compares it with its own number. After the shuffle nothing is
    # computed: rows go to Python as they come, without another copy.
    selected = df.select(*divided.selected)
    key = F.col("`" + divided.key.replace("`", "``") + "`")
    guarded = selected.withColumn(GUARD, F.pmod(F.hash(key), F.lit(job.shards)).cast("int"))
    # The number of partitions is named: else adaptive execution joins small ones, and the number would not be known here.
    together = guarded.repartition(job.shards, key)
    return together.mapInArrow(by_value(shard_rows, job), COLUMNS)


def _no_shards(session: Any, job: Job) -> Any:
    """A row for each shard of a frame that Spark knows to be empty. Spark runs no tasks for such a frame."""
    return session.range(0, job.shards, 1, job.shards).mapInArrow(by_value(empty_rows, job), COLUMNS)


def _few(frame: Any, job: Job, most: int) -> Any:
    """Rows that the driver can add up. Tasks add the sums of many shards in groups, like a tree."""
    left = job.shards
    while left > most and left > 1:
        left = math.ceil(left / GROUP)
        frame = _merged(frame, left, job)
    return frame


def _merged(frame: Any, groups: int, job: Job) -> Any:
    """A row for each group of shards, or of groups."""
    from pyspark.sql import functions as F

    group = F.floor(F.col("shard") / F.lit(GROUP))
    return frame.repartition(groups, group).mapInArrow(by_value(merged_rows, job, GROUP), COLUMNS)


def _collected(frame: Any, job: str) -> list[Any]:
    """The rows on the driver. Ctrl-C ends the job on the cluster, too.

    Raises
    ------
    FailedError
        If one of our tasks failed too often, with its sentence. Spark's own errors are raised unchanged.
    ToolNotFoundError
        If the tool is missing on an executor that was not checked before.
    """
    tag = f"permlog-{job}"  # On what runs for this job, and on nothing else of the session.
    add, interrupt, remove = _tags(frame.sparkSession)
    handled = sys.exc_info()[1]  # What the caller is in the middle of.
    add(tag)
    try:
        rows: list[Any] = frame.collect()
    except KeyboardInterrupt:
        _cancel(interrupt, tag)
        raise
    except Exception as problem:  # Of Py4J or of Connect, by the session.
        if _was_interrupted(problem, handled):
            _cancel(interrupt, tag)
            raise KeyboardInterrupt from problem
        said = re.findall(r"(ShardError|NoToolError): (.*?)(?=\n\n|\nTraceback|\n\s+at |\Z)", str(problem), re.DOTALL)
        if not said:
            raise
        name, sentence = said[-1]
        raise (ToolNotFoundError if name == "NoToolError" else FailedError)(sentence.strip()) from problem
    finally:
        # The connection may be lost, which is no reason to hide the raised error.
        with contextlib.suppress(Exception):
            remove(tag)
    return rows


def _was_interrupted(problem: BaseException | None, handled: BaseException | None) -> bool:
    """Whether ctrl-C caused an error: Py4J may fail while it cleans up after it. A ctrl-C that was already handled does not count."""
    while problem is not None and problem is not handled and not isinstance(problem, KeyboardInterrupt):
        problem = problem.__context__
    return problem is not None and problem is not handled


def _cancel(interrupt: Callable[[str], Any], tag: str) -> None:
    """Ends what runs under a tag. The connection to the JVM that ctrl-C closed may need a moment."""
    last = time.monotonic() + _PATIENCE
    while True:
        with contextlib.suppress(Exception):
            interrupt(tag)
            return
        if time.monotonic() > last:
            return warn("the job could not be ended: it may still run in the cluster")
        time.sleep(0.2)


def _tags(session: Any) -> tuple[Callable[[str], Any], Callable[[str], Any], Callable[[str], Any]]:
    """The functions that add a tag to later jobs, interrupt the jobs with it, and remove it."""
    context = None
    with contextlib.suppress(Exception):  # Connect and serverless do not have it, and each reports that differently.
        context = session.sparkContext
    if context is None:
        return session.addTag, session.interruptTag, session.removeTag
    # A classic session knows its tags by the JVM's thread, and ctrl-C closes the connection to that one.
    return context.addJobTag, context.cancelJobsWithTag, context.removeJobTag


def _raise_first(rows: Sequence[Any]) -> None:
    """Raises the tool's error for wrong data or arguments, once, for the first shard.

    Raises
    ------
    DataError, UsageError
        With the shard.
    """
    failed = sorted((row for row in rows if row["status"] != 0), key=lambda row: row["shard"])
    if not failed:
        return
    name, _, text = failed[0]["message"].partition("\n")
    found = error(failed[0]["status"], text)
    more = f" (and {len(failed) - 1} other shards)" if len(failed) > 1 else ""
    raise type(found)(f"{name}{more}: {found.sentence}", found.code, found.notes)


def _added(rows: Sequence[Any]) -> Sums:
    """The sums of all rows. The tool refuses sums that do not belong together."""
    with tempfile.TemporaryDirectory(prefix="permlog-") as folder:
        paths = []
        for number, row in enumerate(sorted(rows, key=lambda row: row["shard"])):
            paths.append(os.path.join(folder, f"{number}.sums"))
            with open(paths[-1], "wb") as file:
                file.write(unpacked(row["sums"]))
        if not paths:
            raise FailedError("Spark returned no sums, although the frame has rows: ask again")
        made = Sums(run(["sums", "merge", *paths, "--output=-"]))
    missing = made.counts.missing
    if missing:
        raise FailedError(
            f"{counted(len(missing), 'shard')} of {made.counts.shards} were not returned, the first is {missing[0]}: ask again"
        )
    return made


def _shards_for(rows: int, session: Any) -> int:
    """Shards of some million rows each, and at least one for each core if there are rows for that."""
    return max(1, math.ceil(rows / _ROWS), min(_cores(session), math.ceil(rows / _LEAST_ROWS)))


def _cores(session: Any) -> int:
    """The tasks that run at once; a session of Connect does not tell, so it is the partitions of its shuffles."""
    with contextlib.suppress(Exception):  # Connect and serverless do not have it, and each reports that differently.
        return max(1, int(session.sparkContext.defaultParallelism))
    try:
        return max(1, int(session.conf.get("spark.sql.shuffle.partitions")))
    except (TypeError, ValueError):  # "auto" on Databricks.
        return 1
