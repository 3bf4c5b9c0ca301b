"""Rows to the tool's standard input, as an Arrow stream or as lines."""

from __future__ import annotations

import contextlib
import re
import subprocess
from collections.abc import Iterator
from typing import IO, Any

from permlog._nested import as_json
from permlog.errors import UsageError
from permlog.spark.executor.job import Job, RefusedError, ShardError
from permlog.spark.executor.kept import Unnamed

_BLANK = "^[ \t\n\x0b\x0c\r\u00a0\ufeff]*$"
# The texts of JSON, also one that is not closed, and line ends.
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"?|[\r\n]+', re.DOTALL)
_PIPE = 1 << 20  # Bytes that may wait in the pipe to the tool.


def send(
    job: Job, shard: int, batches: Iterator[Any], process: subprocess.Popen[bytes], name: str, unnamed: Unnamed
) -> None:
    """Sends all rows and then the end. Rows without a user are also kept.

    Raises
    ------
    ShardError
        For a row of another shard.
    RefusedError
        For rows that cannot be sent exactly.
    """
    assert process.stdin is not None
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(process.stdin.fileno(), fcntl.F_SETPIPE_SZ, _PIPE)

    def checked() -> Iterator[Any]:
        for batch in batches:
            _check_shard(batch.column(batch.num_columns - 1), shard, name)
            if job.needs_event_id:
                _check_event_ids(dict(zip(job.columns, batch.columns)))
            if job.has_key:
                unnamed.add(batch)
            yield batch

    try:
        write(job, checked(), process.stdin)
        process.stdin.close()
    except BrokenPipeError:  # The tool has refused the input; its status gives the reason.
        if process.wait() == 0:
            raise ShardError(f"{name}: the tool ended before its input did") from None


def write(job: Job, batches: Iterator[Any], stdin: IO[bytes]) -> None:
    """Rows in the format that the tool expects."""
    (_send_rows if job.columns else _send_lines)(job, batches, stdin)


def _check_shard(column: Any, shard: int, name: str) -> None:
    """Checks that each user is in one shard: a row in another shard would count as a second user."""
    import pyarrow.compute as pc

    found = pc.min_max(column).as_py()
    if column.null_count or (len(column) and (found["min"] != shard or found["max"] != shard)):
        other = found["min"] if found["min"] != shard else found["max"]
        raise ShardError(f"{name}: the input has rows of another shard ({other + 1 if other is not None else 'none'})")


def _check_event_ids(columns: dict[str, Any]) -> None:
    """Checks for rows without an id: their id would be made of all columns, but some were left out.

    Raises
    ------
    RefusedError
        If there is such a row that is not rejected anyway.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    column = columns["event_id"]
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        # Bytes, because Spark's texts may not be UTF-8. Spaces at the beginning sort before "!" or are not ASCII: mostly
        # two comparisons show that a text has none.
        ends = pc.min_max(column.cast(pa.binary() if pa.types.is_string(column.type) else pa.large_binary()))
        if not column.null_count and len(column) and b"!" <= ends["min"].as_py() and ends["max"].as_py() < b"\x80":
            return
        is_blank = pc.fill_null(pc.match_substring_regex(column, _BLANK), True)
    else:
        is_blank = column.is_null()
    for name in ("user_id", "timestamp", "event"):
        is_blank = pc.and_(is_blank, columns[name].is_valid())
    if pc.any(is_blank).as_py():
        raise RefusedError(
            2,
            "equal_copies needs an event_id in every row, but some rows have none. Leave equal_copies out: these rows then get "
            "an id made of all columns",
        )


def _send_rows(job: Job, batches: Iterator[Any], stdin: IO[bytes]) -> None:
    import pyarrow as pa

    writer: Any = None
    schema: Any = None
    for batch in batches:
        columns = [
            _as_json(batch.column(place), name) if name in job.json_columns else batch.column(place)
            for place, name in enumerate(job.columns)
        ]
        if schema is None:
            schema = pa.schema(
                pa.field(name, column.type, metadata={"permlog.json": "true"} if name in job.json_columns else None)
                for name, column in zip(job.columns, columns, strict=True)
            )
            # Not as a context manager: that would write the end of the stream after an error, too.
            writer = pa.ipc.new_stream(pa.PythonFile(stdin, mode="w"), schema)
        writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
    if writer is None:  # An empty shard; the types of columns without values do not matter.
        schema = pa.schema([(name, pa.string()) for name in job.columns])
        writer = pa.ipc.new_stream(pa.PythonFile(stdin, mode="w"), schema)
    writer.close()


def _as_json(column: Any, name: str) -> Any:
    """Objects and lists as an ingest of the same values writes them."""
    import pyarrow as pa

    if not pa.types.is_nested(column.type):
        return column.cast(pa.large_string())  # Written by Spark.
    try:
        return as_json(column, name).cast(pa.large_string())
    except UsageError as problem:
        raise RefusedError(64, problem.sentence) from problem


def _one_line(text: str) -> str:
    """A text with line breaks as one line.

    Between values of JSON they are spaces. Inside a JSON text, and in other formats, the tool must reject them as in
    a file, so it gets a character that it rejects.
    """
    if not text.lstrip().startswith(("{", "[")):
        return text.strip("\r\n") if not re.search("[\r\n]", text.strip("\r\n")) else "\x01"
    return _STRINGS.sub(lambda found: re.sub("[\r\n]", "\x01", found[0]) if found[0][0] == '"' else " ", text)


def _send_lines(job: Job, batches: Iterator[Any], stdin: IO[bytes]) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    for batch in batches:
        # A missing text becomes an empty row, which the tool rejects with its reason.
        lines = pc.fill_null(batch.column(0), "null")
        # Such texts are rare, and written by hand.
        has_ends = pc.match_substring_regex(lines, "[\r\n]")
        if pc.any(has_ends).as_py():
            texts = [_one_line(text.as_py()) if found.as_py() else text.as_py() for text, found in zip(lines, has_ends)]
            lines = pa.array(texts, lines.type)
        ended = pc.binary_join_element_wise(lines, pa.scalar("\n", lines.type), pa.scalar("", lines.type))
        _, offsets, values = ended.buffers()
        wide = pa.int64() if pa.types.is_large_string(ended.type) else pa.int32()
        ends = pa.Array.from_buffers(wide, len(ended) + 1, [None, offsets], offset=ended.offset)
        stdin.write(memoryview(values)[ends[0].as_py() : ends[len(ended)].as_py()])
