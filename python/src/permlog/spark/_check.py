"""A shard without rows, made on the driver: wrong types and questions are refused before anything is shuffled."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from typing import Any

from permlog._extras import need_pyarrow
from permlog._process import run
from permlog._questions import Question
from permlog._words import of_rows
from permlog.errors import PermlogError, UsageError
from permlog.spark._columns import Divided
from permlog.spark._reading import Reading


def check(df: Any, divided: Divided, reading: Reading, asked: Sequence[Question], shards: int) -> None:
    """Lets the tool check columns, options and questions.

    Raises
    ------
    PermlogError
        With the tool's error.
    UsageError
        Also if a column has a type that cannot be sent to a task.
    """
    rows = b"" if divided.is_lines else _no_rows(df, divided)
    with tempfile.TemporaryDirectory(prefix="permlog-") as folder:
        paths = [os.path.join(folder, f"{number}.question") for number in range(len(asked))]
        for path, question in zip(paths, asked, strict=True):
            question.save(path)
        named = [f"--question={path}" for path in paths]
        job = [f"--shard=1/{shards}", "--job=check", "--quiet", f"--scratch={folder}", "--output=-"]
        try:
            run(["sums", "make", "-", *reading.here, *named, *job], rows)
        except PermlogError as problem:
            raise type(problem)(of_rows(problem.sentence), problem.code, of_rows(problem.notes)) from None


def _no_rows(df: Any, divided: Divided) -> bytes:
    """An Arrow stream of the columns with the types that tasks send, without a row."""
    pa: Any = need_pyarrow("ipc")
    types = _types(df.select(*divided.selected[: len(divided.sent)]))
    fields = [
        pa.field(name, pa.large_string(), metadata={"permlog.json": "true"})
        if name in divided.json
        else pa.field(name, types[name])
        for name in divided.sent
    ]
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, pa.schema(fields)):
        pass
    return bytes(sink.getvalue().to_pybytes())


def _types(sent: Any) -> dict[str, Any]:
    """The Arrow types of columns as Spark has them.

    Raises
    ------
    UsageError
        If Spark cannot write a column as Arrow.
    """
    try:
        # A frame without rows is planned, and runs no tasks.
        return {field.name: field.type for field in sent.limit(0).toArrow().schema}
    except Exception as problem:  # Of PySpark, or of the server of Connect.
        if not _is_of_type(problem):
            raise
        # It names only the type, not the column.
        for name, kind in sent.dtypes:
            if not _is_arrow(sent.select("`" + name.replace("`", "``") + "`")):
                raise UsageError(
                    f"The column {name} is of the type {kind}, which Spark cannot send to a task. Cast it to string, or leave it out with "
                    f"columns={{{name!r}: None}}"
                ) from problem
        raise


def _is_arrow(frame: Any) -> bool:
    """Whether Spark can write it as Arrow."""
    try:
        frame.limit(0).toArrow()
    except Exception as problem:
        if _is_of_type(problem):
            return False
        raise
    return True


def _is_of_type(problem: Exception) -> bool:
    """Whether Spark's error is about a type. In Spark Connect the error and the name of its condition differ."""
    return re.search(r"\[UNSUPPORTED_\w*TYPE", str(problem)) is not None
