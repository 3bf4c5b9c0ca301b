"""The tool's CSV as a stream of Arrow batches, with a type for each column."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

from permlog._extras import need_pyarrow
from permlog._process import child, finish

if TYPE_CHECKING:
    import pyarrow

_CONTEXT = ("variant", "experiment", "surface", "app_version", "os_version", "platform", "locale", "country")

EVENT_COLUMNS: dict[str, str] = dict.fromkeys(
    ("event_id", "user_id", "timestamp", "event", "permission", "status", "variant", "experiment", "surface", "feature")
    + ("app_version", "os_version", "platform", "locale", "country"),
    "text",
) | {"timestamp": "time"}
"""The columns of an event, with their types."""

JOURNEY_COLUMNS: dict[str, str] = (
    {"user_id": "text", "permission": "text", "t0": "time"}
    | dict.fromkeys(_CONTEXT, "text")
    | {"outcome": "text", "partial": "flag"}
    | dict.fromkeys(("answer_at", "first_prompt_at", "enabled_at", "revoked_at"), "time")
    | dict.fromkeys(("settings_prompt_at", "settings_opened_at"), "time")
    | {"active_days": "count"}
    | dict.fromkeys(("retained_1", "retained_7", "retained_30"), "flag")
    | {"begins_with": "text", "feature": "text", "found_on_at": "time", "found_on_partial": "flag"}
    | {"enabled_partial": "flag", "upgraded_at": "time", "feature_events": "count", "as_of": "time"}
)
"""The columns of a journey, with their types; docs/metrics.md defines them."""

_BLOCK = 4 << 20  # Bytes of CSV that are read at once.


def schema(columns: Mapping[str, str]) -> pyarrow.Schema:
    """The Arrow schema of columns: texts, times in milliseconds of UTC, counts, flags."""
    pa: Any = need_pyarrow()
    types = {"text": pa.string(), "time": pa.timestamp("ms", tz="UTC"), "count": pa.int64(), "flag": pa.bool_()}
    return pa.schema([(name, types[kind]) for name, kind in columns.items()])


def batches(arguments: Sequence[str], columns: Mapping[str, str]) -> Iterator[pyarrow.RecordBatch]:
    """Runs the tool and yields its output as batches. Memory use does not depend on their number.

    The tool is ended if the caller stops before the end.

    Raises
    ------
    PermlogError
        If the tool fails, even after it has printed rows.
    """
    pa: Any = need_pyarrow("csv")
    wanted = schema(columns)
    with child(arguments, stdout=subprocess.PIPE) as (process, said):
        assert process.stdout is not None
        try:
            rows = _whole_rows(process.stdout)
            names = next(rows, b"").decode().rstrip().split(",")
            for block in rows:
                yield from _parsed(pa, block, names, wanted)
        except pa.ArrowException:
            # A row may be incomplete if the tool failed there. The tool's error gives the reason.
            process.stdout.close()
            if process.wait() in (0, -signal.SIGPIPE):
                raise
        finish(process, said)


def _whole_rows(stdout: IO[bytes]) -> Iterator[bytes]:
    """The heading, and then blocks of whole rows.

    They are read here and not by Arrow: a thread of Arrow that calls Python's file when the interpreter ends would
    abort it.
    """
    rest = stdout.readline()
    if rest:
        yield rest
    rest = b""
    while block := stdout.read(_BLOCK):
        block = rest + block
        end = _end_of_rows(block)
        if end:
            yield block[:end]
        rest = block[end:]
    if rest:
        yield rest


def _end_of_rows(block: bytes) -> int:
    """The end of the last whole row. A line end inside quotes is part of a value."""
    quotes = block.count(b'"')
    end = len(block)
    while line_end := block.rfind(b"\n", 0, end) + 1:
        quotes -= block.count(b'"', line_end, end)
        if quotes % 2 == 0:
            return line_end
        end = line_end - 1
    return 0


def _parsed(pa: Any, rows: bytes, names: Sequence[str], wanted: pyarrow.Schema) -> Iterator[pyarrow.RecordBatch]:
    """Rows of CSV as batches."""
    # Arrow's own memory: its threads may be the last to let go of it, and need no interpreter for that.
    memory = pa.allocate_buffer(len(rows))
    memoryview(memory).cast("B")[:] = rows
    csv = pa.csv
    # Not read_csv, which takes ctrl-C for itself while it runs, and may lose it at its end (pyarrow 26).
    yield from csv.open_csv(
        pa.BufferReader(memory),
        read_options=csv.ReadOptions(column_names=names, block_size=len(rows)),
        parse_options=csv.ParseOptions(newlines_in_values=True),
        # Only an empty cell is unknown: "NA" and "null" are names like others.
        convert_options=csv.ConvertOptions(
            column_types=wanted,
            include_columns=wanted.names,
            null_values=[""],
            strings_can_be_null=True,
            true_values=["true"],
            false_values=["false"],
        ),
    )
