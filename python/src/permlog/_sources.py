"""The sources that can be ingested: exports, which the tool reads itself, and tables, which are sent to it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from permlog._extras import need_pyarrow
from permlog._feed import ROWS
from permlog._paths import arrow_files, split
from permlog._places import shown
from permlog.errors import UsageError

if TYPE_CHECKING:
    import pyarrow


class Table(Protocol):
    """A table of which some columns can be read as batches."""

    names: list[str]
    """Its columns."""
    rows: int | None
    """The number of rows, if known."""

    def read(self, names: list[str]) -> tuple[pyarrow.Schema, Iterator[pyarrow.RecordBatch]]:
        """The schema of these columns, and their batches."""
        ...


def resolve(source: Any, filesystem: Any = None) -> list[str] | Table:
    """A source as paths for the tool, or as a table.

    Raises
    ------
    UsageError
        If it is neither or both.
    """
    if isinstance(source, (str, bytes, os.PathLike)):
        return _of_paths(_names([source]), filesystem)
    if isinstance(source, (list, tuple)) and source and any(isinstance(each, (str, os.PathLike)) for each in source):
        return _of_paths(_names(source), filesystem)
    if isinstance(source, (list, tuple)) and not source:
        raise UsageError("The list of sources is empty; name at least one")
    if filesystem is not None:
        raise UsageError("filesystem goes with paths")
    return table(source)


def _names(paths: Sequence[Any]) -> list[str]:
    """Paths as texts."""
    for path in paths:
        if not isinstance(path, (str, os.PathLike)) or not isinstance(os.fspath(path), str) or not os.fspath(path):
            raise UsageError(f"{path!r} is not a path that ingest takes: give a text or a pathlib.Path")
        if "\0" in os.fspath(path):
            raise UsageError(f"{path!r} contains a null character")
    return [str(os.fspath(path)) for path in paths]


def _of_paths(paths: list[str], filesystem: Any) -> list[str] | Table:
    exports, tables = split(paths, filesystem)
    if exports and tables:
        raise UsageError(
            f"{exports[0]} is an export and {shown(tables[0].path)} a table: call ingest once for each of them."
        )
    return arrow_files(tables, filesystem) if tables else exports


def table(source: Any) -> Table:
    """A data frame, Arrow table, stream of batches or data set as a table."""
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(source, pandas.DataFrame):
        from permlog._pandas import PandasTable

        return PandasTable(source)
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is not None:
        if isinstance(source, pyarrow.RecordBatch):
            source = pyarrow.Table.from_batches([source])
        if isinstance(source, pyarrow.Table):
            return ArrowTable(source)
        if isinstance(source, (pyarrow.Array, pyarrow.ChunkedArray)):
            raise UsageError(_one_column(source))
        if isinstance(source, pyarrow.RecordBatchReader):
            return Stream(source)
        if "pyarrow.dataset" in sys.modules and isinstance(source, sys.modules["pyarrow.dataset"].Dataset):
            return Dataset(source)
    if type(source).__name__ == "Series":
        raise UsageError(_one_column(source))
    if hasattr(source, "__arrow_c_stream__"):
        pa: Any = need_pyarrow()
        try:
            if hasattr(pa.RecordBatchReader, "from_stream"):
                return Stream(pa.RecordBatchReader.from_stream(source), getattr(source, "height", None))
            return Stream(pa.RecordBatchReader._import_from_c_capsule(source.__arrow_c_stream__()))
        except (pa.ArrowException, TypeError) as problem:  # Like string views, which came with pyarrow 16.
            raise UsageError(f"pyarrow {pa.__version__} cannot read this: {problem}. Update pyarrow.") from problem
    if (advice := _advice(source)) is not None:
        raise UsageError(advice)
    raise UsageError(
        f"ingest takes paths, a pandas.DataFrame, a polars.DataFrame, or an Arrow table, batch, stream or data set; not a "
        f"{type(source).__module__}.{type(source).__qualname__}"
    )


def _advice(source: Any) -> str | None:
    """What to do with a source that is nearly a table."""
    name = type(source).__name__
    if name == "LazyFrame":
        return "A polars.LazyFrame has no rows yet: ingest frame.collect()"
    if isinstance(source, dict):
        return "A dict is not a table: ingest pd.DataFrame(columns), or pd.DataFrame([row]) for one row"
    if isinstance(source, (list, tuple)):
        kinds = {type(each).__name__ for each in source}
        if kinds == {"DataFrame"}:
            polars = any(type(each).__module__.startswith("polars") for each in source)
            return f"A list of frames: ingest {'pl' if polars else 'pd'}.concat(frames), or each of them alone"
        if kinds == {"Table"}:
            return "A list of tables: ingest pa.concat_tables(tables), or each of them alone"
        if kinds <= {"dict"}:
            return "A list of dicts: ingest pd.DataFrame(rows), or pa.Table.from_pylist(rows)"
    return None


def _one_column(source: Any) -> str:
    name = f"{type(source).__module__.split('.')[0]}.{type(source).__qualname__}"
    return f"A {name} is one column, not a table: put it into a table with the others"


class ArrowTable:
    """A table in memory."""

    def __init__(self, source: pyarrow.Table) -> None:
        self.names = list(source.column_names)
        self.rows: int | None = source.num_rows
        self._source = source

    def read(self, names: list[str]) -> tuple[pyarrow.Schema, Iterator[pyarrow.RecordBatch]]:
        chosen = self._source.select(names)
        return chosen.schema, iter(chosen.to_batches())


class Stream:
    """Batches that can be read once."""

    def __init__(self, source: pyarrow.RecordBatchReader, rows: int | None = None) -> None:
        self.names = list(source.schema.names)
        self.rows = rows
        self._source = source

    def read(self, names: list[str]) -> tuple[pyarrow.Schema, Iterator[pyarrow.RecordBatch]]:
        pa: Any = need_pyarrow()
        places = [self.names.index(name) for name in names]
        schema = pa.schema([self._source.schema.field(place) for place in places])
        return schema, (_select(pa, batch, places, schema) for batch in self._source)


class Dataset:
    """A data set of pyarrow's."""

    def __init__(self, source: Any) -> None:
        self.names = list(source.schema.names)
        self.rows: int | None = None
        self._source = source

    def read(self, names: list[str]) -> tuple[pyarrow.Schema, Iterator[pyarrow.RecordBatch]]:
        ds = need_pyarrow("dataset").dataset
        chosen: dict[str, Any] = {"columns": names, "batch_size": ROWS, "batch_readahead": 1, "fragment_readahead": 1}
        if isinstance(getattr(self._source, "format", None), ds.ParquetFileFormat):
            # Half the memory and the time of reading ahead.
            chosen["fragment_scan_options"] = ds.ParquetFragmentScanOptions(pre_buffer=False, use_buffered_stream=True)
        scanner = self._source.scanner(**chosen)
        return scanner.projected_schema, scanner.to_batches()


def _select(pa: Any, batch: Any, places: Sequence[int], schema: Any) -> Any:
    return pa.RecordBatch.from_arrays([batch.column(place) for place in places], schema=schema)
