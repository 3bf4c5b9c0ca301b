"""Parquet files, written under a temporary name first."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from permlog._extras import need_pyarrow
from permlog._stream import schema
from permlog.errors import FileError, PermlogError

if TYPE_CHECKING:
    import pyarrow

_ROW_GROUP = 1 << 17  # Rows: small enough to hold in memory, large enough to compress well.


def write_parquet(path: Path, batches: Iterator[pyarrow.RecordBatch], columns: Mapping[str, str]) -> None:
    """Writes batches to a file, which appears under its name when it is complete. Memory use is that of one row group.

    Raises
    ------
    FileError
        If the file cannot be written.
    """
    pa: Any = need_pyarrow("parquet")
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with pa.parquet.ParquetWriter(unfinished, schema(columns), compression="zstd") as writer:
            for group in _row_groups(pa, batches):
                writer.write_table(group, row_group_size=_ROW_GROUP)
        os.replace(unfinished, path)
    except PermlogError:  # Of the tool; one of them is an OSError.
        raise
    except OSError as problem:
        raise FileError.unwritten(path, problem) from problem
    finally:
        unfinished.unlink(missing_ok=True)


def _row_groups(pa: Any, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.Table]:
    """The batches in tables of one row group each; the last may be smaller."""
    held: list[Any] = []
    rows = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        if rows >= _ROW_GROUP:
            table = pa.Table.from_batches(held)
            whole = rows - rows % _ROW_GROUP
            yield table.slice(0, whole)
            held = table.slice(whole).to_batches()
            rows -= whole
    if held:
        yield pa.Table.from_batches(held)
