"""Rows with an unknown user, kept on disk."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any


class Unnamed:
    """The rows of a shard with an unknown user. All such rows of a job go to one shard.

    Whether they matter is up to the tool: rows that it rejects belong to no user.
    """

    def __init__(self, path: str) -> None:
        self._path, self._file = path, contextlib.ExitStack()
        self._writer: Any = None
        self.rows = 0

    def add(self, batch: Any) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        key = batch.column(batch.num_columns - 2)
        if not key.null_count:
            return
        found = batch.filter(pc.is_null(key))
        self.rows += found.num_rows
        if self._writer is None:
            self._writer = self._file.enter_context(pa.ipc.new_file(self._path, batch.schema))
        self._writer.write_batch(found)

    def batches(self) -> Iterator[Any]:
        """Yields the rows again."""
        import pyarrow as pa

        self._file.close()
        with pa.OSFile(self._path) as file:
            stored = pa.ipc.open_file(file)
            for number in range(stored.num_record_batches):
                yield stored.get_batch(number)
