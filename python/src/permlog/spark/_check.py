"""A shard without rows, made on the driver: what the tool refuses of types and questions is said before anything is shuffled."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from typing import Any

from permlog._extras import need_pyarrow
from permlog._process import run
from permlog._questions import Question
from permlog._words import of_rows
from permlog.errors import PermlogError
from permlog.spark._columns import Divided
from permlog.spark._reading import Reading


def check(df: Any, divided: Divided, reading: Reading, asked: Sequence[Question], shards: int) -> None:
    """Has the tool look at columns, options and questions.

    Raises
    ------
    PermlogError
        With what it says of them.
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
    from pyspark.sql.pandas.types import to_arrow_schema

    spark = df.select(*divided.selected[: len(divided.sent)]).schema
    types = {field.name: field.type for field in to_arrow_schema(spark, timezone="UTC")}
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
