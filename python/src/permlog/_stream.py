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

_BLOCK = 4 << 20  # Bytes of CSV that become a batch.


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
    with child(arguments, stdout=subprocess.PIPE) as (process, said):
        assert process.stdout is not None
        try:
            if process.stdout.peek(1):  # type: ignore[attr-defined]
                yield from _open(pa, process.stdout, schema(columns))
        except pa.ArrowException:
            # A row may be incomplete if the tool failed there. The tool's error gives the reason.
            process.stdout.close()
            if process.wait() in (0, -signal.SIGPIPE):
                raise
        finish(process, said)


def _open(pa: Any, stdout: IO[bytes], wanted: pyarrow.Schema) -> pyarrow.RecordBatchReader:
    """CSV as batches."""
    csv = pa.csv
    return csv.open_csv(
        stdout,
        read_options=csv.ReadOptions(block_size=_BLOCK),
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
