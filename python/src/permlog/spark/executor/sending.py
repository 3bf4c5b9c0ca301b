"""Rows to the tool's standard input, as an Arrow stream or as lines."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from typing import IO, Any

from permlog.spark.executor.job import Job, ShardError

_PIPE = 1 << 20  # Bytes that may wait in the pipe to the tool.


def send(job: Job, shard: int, batches: Iterator[Any], process: subprocess.Popen[bytes], name: str) -> int:
    """Sends all rows and then the end; how many there were.

    Raises
    ------
    ShardError
        For a row of another shard.
    """
    assert process.stdin is not None
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(process.stdin.fileno(), fcntl.F_SETPIPE_SZ, _PIPE)
    write = _send_rows if job.columns else _send_lines
    rows = 0

    def checked() -> Iterator[Any]:
        nonlocal rows
        for batch in batches:
            _check_shard(batch.column(batch.num_columns - 1), shard, name)
            rows += batch.num_rows
            yield batch

    try:
        write(job, checked(), process.stdin)
        process.stdin.close()
    except BrokenPipeError:  # The tool has refused, and its status says why.
        if process.wait() == 0:
            raise ShardError(f"{name}: the tool ended before its input did") from None
    return rows


def _check_shard(column: Any, shard: int, name: str) -> None:
    """Whoever divides the users must bring each to one shard: a row that came elsewhere would be a second user."""
    import pyarrow.compute as pc

    found = pc.min_max(column).as_py()
    if column.null_count or (len(column) and (found["min"] != shard or found["max"] != shard)):
        other = found["min"] if found["min"] != shard else found["max"]
        raise ShardError(f"{name}: there are rows of another shard ({other + 1 if other is not None else 'none'})")


def _send_rows(job: Job, batches: Iterator[Any], stdin: IO[bytes]) -> None:
    import pyarrow as pa

    writer: Any = None
    schema: Any = None
    for batch in batches:
        if schema is None:
            schema = pa.schema(
                pa.field(
                    name,
                    batch.schema.field(place).type,
                    metadata={"permlog.json": "true"} if name in job.json_columns else None,
                )
                for place, name in enumerate(job.columns)
            )
            # Not as a context manager: that would write the end of the stream after an error, too.
            writer = pa.ipc.new_stream(pa.PythonFile(stdin, mode="w"), schema)
        writer.write_batch(pa.RecordBatch.from_arrays(batch.columns[: len(job.columns)], schema=schema))
    if writer is None:  # An empty shard; the types of columns without values do not matter.
        schema = pa.schema([(name, pa.string()) for name in job.columns])
        writer = pa.ipc.new_stream(pa.PythonFile(stdin, mode="w"), schema)
    writer.close()


def _send_lines(job: Job, batches: Iterator[Any], stdin: IO[bytes]) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    for batch in batches:
        # A text that is missing is a row that says nothing, which the tool rejects with its reason.
        lines = pc.fill_null(batch.column(0), "null")
        # In JSON a line end is a blank between values; here it would end the line.
        if pc.any(pc.match_substring_regex(lines, "[\r\n]")).as_py():
            lines = pc.replace_substring_regex(lines, "[\r\n]+", " ")
        ended = pc.binary_join_element_wise(lines, pa.scalar("\n", lines.type), pa.scalar("", lines.type))
        _, offsets, values = ended.buffers()
        wide = pa.int64() if pa.types.is_large_string(ended.type) else pa.int32()
        ends = pa.Array.from_buffers(wide, len(ended) + 1, [None, offsets], offset=ended.offset)
        stdin.write(memoryview(values)[ends[0].as_py() : ends[len(ended)].as_py()])
