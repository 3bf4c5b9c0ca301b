"""Journeys: one row per user and permission, streamed."""

from __future__ import annotations

import html
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from permlog._arguments import StrPath
from permlog._extras import need_pandas, need_pyarrow
from permlog._parquet import write_parquet
from permlog._stream import JOURNEY_COLUMNS, batches, schema
from permlog.errors import PermlogError

if TYPE_CHECKING:
    import pandas
    import pyarrow


_SHOWN = 5  # Rows in a notebook.


class Journeys:
    """The answer of :meth:`permlog.Log.journeys`: rows that are read on request, each time again.

    Everything that takes the Arrow C stream interface reads it directly, like ``polars.DataFrame(journeys)``. DuckDB
    takes ``journeys.reader()``.
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        self._arguments = [*arguments, "--format=csv"]

    @property
    def schema(self) -> pyarrow.Schema:
        """The columns: times are timestamps of milliseconds in UTC, null means that it did not happen or is unknown."""
        return schema(JOURNEY_COLUMNS)

    def __iter__(self) -> Iterator[pyarrow.RecordBatch]:
        return batches(self._arguments, JOURNEY_COLUMNS)

    def reader(self) -> pyarrow.RecordBatchReader:
        """The rows as a stream of batches, which can be read once. Memory use does not depend on their number."""
        pa: Any = need_pyarrow()
        rows = iter(self)
        # Read the first batch now, so that a missing log is an error here, not in the code that reads the stream.
        first = list(itertools.islice(rows, 1))
        return pa.RecordBatchReader.from_batches(self.schema, itertools.chain(first, rows))

    def to_arrow(self) -> pyarrow.Table:
        """All rows as an Arrow table."""
        return self.reader().read_all()

    def to_pandas(self) -> pandas.DataFrame:
        """All rows as a data frame: texts ``string``, counts ``Int64``, flags ``boolean``, times in UTC."""
        pd, pa = need_pandas(), need_pyarrow()
        dtypes = {pa.string(): pd.StringDtype(), pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
        frame: pandas.DataFrame = self.to_arrow().to_pandas(types_mapper=dtypes.get)
        return frame

    def to_parquet(self, path: StrPath) -> Path:
        """Writes the rows to a Parquet file (Zstandard), completely or not at all.

        Returns
        -------
        pathlib.Path
            The file.
        """
        target = Path(path)
        write_parquet(target, iter(self), JOURNEY_COLUMNS)
        return target

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.reader().__arrow_c_stream__(requested_schema)

    def _repr_html_(self) -> str:
        """The first rows, and the columns with their types."""
        rows = iter(self)
        try:
            batch = next(rows, None)
        except PermlogError as problem:  # A notebook shows what it can.
            return f"<p>{html.escape(repr(self))}</p><p>{html.escape(str(problem))}</p>"
        rows.close()  # type: ignore[attr-defined]
        head = need_pyarrow().Table.from_batches([] if batch is None else [batch.slice(0, _SHOWN)], schema=self.schema)
        shown = head.to_pandas().to_html(na_rep="", border=0)
        types = html.escape(", ".join(f"{field.name}: {field.type}" for field in self.schema))
        return f"<p>{html.escape(repr(self))}</p>{shown}<details><summary>Columns</summary>{types}</details>"

    def __repr__(self) -> str:
        return "<permlog journeys: to_pandas(), to_arrow(), reader(), to_parquet(path)>"
