"""The tasks: send one shard's rows to the tool, add up sums of shards, check for the tool."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from typing import Any

from permlog.spark.executor.child import answer_of, running, scratch, text_of, written
from permlog.spark.executor.job import Job, NoToolError, RefusedError, Tool
from permlog.spark.executor.kept import Unnamed
from permlog.spark.executor.packing import packed, unpacked
from permlog.spark.executor.sending import send
from permlog.spark.executor.tool import tool_here
from permlog.spark.executor.unnamed import refusal

COLUMNS = "shard int, status int, sums binary, message string"
"""The rows that a task returns, with compressed sums: one per shard, or one per group of shards after adding."""


def shard_rows(job: Job, batches: Iterator[Any]) -> Iterator[Any]:
    """The sums of one shard. The last column of the batches is the shard that the user of a row belongs to.

    Yields
    ------
    pyarrow.RecordBatch
        One, with one row.

    Raises
    ------
    ShardError
        If the tool failed, or the rows include those of another shard.
    """
    from pyspark import TaskContext

    context: Any = TaskContext.get()
    shard = context.partitionId()
    name = f"Shard {shard + 1} of {job.shards}"
    program = tool_here(job.tool, name)
    with scratch(job.scratch, shard, name) as folder:
        # Names of files, not paths: the tool runs in that folder, and reasons of rejected rows name the mapping.
        arguments = [program, "sums", "make", *job.options, "--output=shard.sums", "--scratch=.", "--threads=1"]
        arguments += [f"--shard={shard + 1}/{job.shards}", f"--job={job.id}"]
        for number, question in enumerate(job.questions):
            arguments.append(f"--question={written(folder, f'question-{number}.json', question)}")
        for mapping_name, mapping in job.mappings:
            arguments.append(f"--mapping={written(folder, mapping_name, mapping)}")
        # The attempt is for anyone who inspects processes, and for tests.
        environment = {**os.environ, "PERMLOG_SPARK_ATTEMPT": str(context.attemptNumber())}
        with running([*arguments, "-"], folder, environment) as (process, said):
            unnamed = Unnamed(os.path.join(folder, "unnamed"))
            try:
                send(job, shard, batches, process, name, unnamed)
            except RefusedError as problem:
                yield row_of(shard, problem.status, b"", f"{name}\n{problem}")
                return
            status = process.wait()
            text = text_of(said)
        made = answer_of(name, status, text, os.path.join(folder, "shard.sums"))
        if status == 0:
            made = made[0], examples_of(text)
        if status == 0 and unnamed.rows:
            refused = refusal(job, unnamed, arguments, folder, environment, name)
            status, made = (status, made) if refused is None else (2, (b"", f"{name}\n{refused}"))
    yield row_of(shard, status, *made)


EXAMPLES = 5
"""Rejected rows that a shard, or a group of shards, tells of."""
_EXAMPLE = re.compile(r"(?:^-:\d+: |, first at -:\d+\n +)(.{1,200})", re.MULTILINE)


def examples_of(text: str) -> str:
    """The first rejected rows of what the tool said, a reason a line: the number of a row in its shard means nothing."""
    return "\n".join(list(dict.fromkeys(_EXAMPLE.findall(text)))[:EXAMPLES])


def empty_rows(job: Job, batches: Iterator[Any]) -> Iterator[Any]:
    """The sums of a shard without rows."""
    for _ in batches:
        pass
    yield from shard_rows(job, iter(()))


def merged_rows(job: Job, size: int, batches: Iterator[Any]) -> Iterator[Any]:
    """Adds up the sums of groups of this many shards; a whole group is in one task.

    Rows that report an error do not change.
    """
    groups: dict[int, list[str]] = {}
    said: dict[int, list[str]] = {}
    failed = []
    with scratch(job.scratch, 0, "Adding up shards") as folder:
        for batch in batches:
            for row in batch.to_pylist():
                if row["status"] != 0:
                    failed.append(row)
                    continue
                group = row["shard"] // size
                path = written(folder, f"{row['shard']}.sums", unpacked(row["sums"]))
                groups.setdefault(group, []).append(path)
                said.setdefault(group, []).extend(row["message"].splitlines())
        program = tool_here(job.tool, "Adding up shards") if groups else ""
        made = []
        for group, paths in groups.items():
            name = f"Adding up shards, group {group + 1}"
            output = f"group-{group}.merged"
            arguments = [program, "sums", "merge", *paths, f"--output={output}"]
            with running(arguments, folder, os.environ, stdin=subprocess.DEVNULL) as (process, spoken):
                status = process.wait()
                text = text_of(spoken)
            sums, message = answer_of(name, status, text, os.path.join(folder, output))
            few = "\n".join(list(dict.fromkeys(said[group]))[:EXAMPLES])
            made.append((group, status, sums, message if status else few))
    for row in failed:
        yield row_of(row["shard"], row["status"], row["sums"], row["message"])
    for each in made:
        yield row_of(*each)


def probed(tool: Tool, batches: Iterator[Any]) -> Iterator[Any]:
    """Checks for the tool here: a row with status 0, or with the error."""
    for _ in batches:
        pass
    try:
        tool_here(tool, "")
    except NoToolError as problem:
        yield row_of(0, 1, b"", str(problem).strip())
    else:
        yield row_of(0, 0, b"", "")


def row_of(shard: int, status: int, sums: bytes, message: str) -> Any:
    import pyarrow as pa

    return pa.RecordBatch.from_arrays(
        [
            pa.array([shard], pa.int32()),
            pa.array([status], pa.int32()),
            pa.array([packed(sums)], pa.binary()),
            pa.array([message], pa.string()),
        ],
        names=["shard", "status", "sums", "message"],
    )
