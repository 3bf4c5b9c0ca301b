"""A pandas data frame as Arrow batches, a slice at a time. A column with several kinds of values is an error."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from permlog._extras import need_pandas, need_pyarrow
from permlog._feed import ROWS
from permlog._prepare import JSON_MARK
from permlog._values import Kind, kind_of_column
from permlog.errors import UsageError

if TYPE_CHECKING:
    import pandas
    import pyarrow


class PandasTable:
    """A data frame. Its index is not a column: an index with the name of a needed column is an error."""

    def __init__(self, source: pandas.DataFrame) -> None:
        for name in source.columns:
            if not isinstance(name, str):
                raise UsageError(
                    f"Column {name!r} has a name that is not text; convert the names: frame.columns = frame.columns.map(str)"
                )
        if not source.columns.is_unique:
            twice = source.columns[source.columns.duplicated()][0]
            raise UsageError(f"The frame has two columns named {twice}")
        self._source = source
        self.rows: int | None = len(source)
        self.index = source.index
        self._indices = [name for name in source.index.names if isinstance(name, str) and name not in source.columns]
        # The index counts too, so that a frame with the user as its index does not seem to have no user.
        self.names = [*self._indices, *source.columns]

    def read(self, names: list[str]) -> tuple[pyarrow.Schema, Iterator[pyarrow.RecordBatch]]:
        for name in self._indices:
            if name in names:
                raise UsageError(f"{name} is the frame's index, not a column: ingest frame.reset_index()")
        pa: Any = need_pyarrow()
        columns = [_Column(self._source[name]) for name in names]
        schema = pa.schema([column.field(pa) for column in columns])
        return schema, self._batches(columns, schema)

    def _batches(self, columns: list[_Column], schema: Any) -> Iterator[Any]:
        pa: Any = need_pyarrow()
        for start in range(0, len(self._source), ROWS):
            arrays = [column.slice(start, start + ROWS) for column in columns]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)


class _Column:
    """A column of a frame, and the Arrow type that all its slices have.

    Parameters
    ----------
    place : str
        The word for a position in errors.
    """

    def __init__(self, series: Any, place: str = "row") -> None:
        pd, pa = need_pandas(), need_pyarrow("compute")
        self.name = str(series.name)
        self._kind: Kind | None = None
        self._codes: Any = None
        self._categories: Any = None
        if isinstance(series.dtype, pd.SparseDtype):
            series = series.sparse.to_dense()
        self._series = series
        if isinstance(series.dtype, pd.CategoricalDtype):
            # Converted once, not for each slice.
            categories = series.dtype.categories.to_series(name=self.name)
            column = _Column(categories, "category")
            self._categories = column.slice(0, len(categories))
            self._codes = series.cat.codes.to_numpy()
            self._kind = column._kind
            self.type = pa.dictionary(pa.int32(), self._categories.type)
        elif series.dtype == object:
            self._kind = kind_of_column(self.name, series, place)
            self.type = self._kind.type
        else:
            self.type = self._converted(pa, 0, 1).type

    def field(self, pa: Any) -> Any:
        """The column's field."""
        is_json = self._kind is not None and self._kind.is_json
        return pa.field(self.name, self.type, metadata=JSON_MARK if is_json else None)

    def slice(self, start: int, end: int) -> Any:
        """A part of the column as an Arrow array."""
        pa: Any = need_pyarrow("compute")
        if self._categories is not None:
            codes = pa.array(self._codes[start:end].astype("int32"))
            indices = pa.compute.if_else(pa.compute.less(codes, 0), pa.scalar(None, pa.int32()), codes)
            return pa.DictionaryArray.from_arrays(indices, self._categories)
        if self._kind is not None:
            return self._kind.array(self._series.iloc[start:end])
        made = self._converted(pa, start, end)
        return made if made.type.equals(self.type) else made.cast(self.type)

    def _converted(self, pa: Any, start: int, end: int) -> Any:
        try:
            made = pa.array(self._series.iloc[start:end], from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError) as problem:
            raise UsageError(f"Column {self.name} of dtype {self._series.dtype} cannot be read: {problem}") from problem
        if isinstance(made, pa.ChunkedArray):
            made = made.combine_chunks()
        if pa.types.is_floating(made.type) and not pa.types.is_float16(made.type):
            # NaN is pandas' word for absent, also in columns that have another.
            made = pa.compute.if_else(pa.compute.is_nan(made), pa.scalar(None, made.type), made)
        return made
