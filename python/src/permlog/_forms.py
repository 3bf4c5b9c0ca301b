"""Open files of tables, one class per format: their columns, and batches of these."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from permlog._extras import need_pyarrow
from permlog._feed import ROWS
from permlog._schemas import is_text

_DICTIONARY_PAGE = 1 << 16  # Bytes: a column with a larger dictionary has too many values to gain by it.


class OpenFile(ABC):
    """An open file; the common part of all formats."""

    schema: Any
    rows: int | None = None

    def __init__(self, system: Any, path: str, repeated: set[str]) -> None:
        self._input = system.open_input_file(path)

    def repeated(self) -> set[str]:
        """Columns of texts with few values."""
        return set()

    @abstractmethod
    def batches(self, names: list[str]) -> Iterator[Any]:
        """These columns, in batches."""

    def __enter__(self) -> OpenFile:  # noqa: PYI034  (Self came with Python 3.11.)
        return self

    def __exit__(self, *_: object) -> None:
        self._input.close()


class _Parquet(OpenFile):
    def __init__(self, system: Any, path: str, repeated: set[str]) -> None:
        super().__init__(system, path, repeated)
        pq = need_pyarrow("parquet").parquet
        # Column chunks are read when needed, not a whole row group in advance, so that memory stays flat.
        self._file = pq.ParquetFile(self._input, read_dictionary=sorted(repeated), pre_buffer=False)
        self.schema = self._schema()
        self.rows = self._file.metadata.num_rows

    def _schema(self) -> Any:
        """The columns. Times of 96 bits name no zone; Spark writes UTC."""
        pa: Any = need_pyarrow()
        schema = self._file.schema_arrow
        parquet = self._file.metadata.schema
        old = {
            parquet.column(place).path
            for place in range(len(parquet))
            if parquet.column(place).physical_type == "INT96"
        }
        if not old or not any(key.startswith(b"org.apache.spark.") for key in self._file.metadata.metadata or {}):
            return schema
        return pa.schema(
            [
                field.with_type(pa.timestamp(field.type.unit, tz="UTC")) if field.name in old else field
                for field in schema
            ]
        )

    def repeated(self) -> set[str]:
        metadata = self._file.metadata
        few: set[str] = set()
        for place in range(metadata.num_columns if metadata.num_row_groups else 0):
            chunks = [metadata.row_group(group).column(place) for group in range(metadata.num_row_groups)]
            if all(_has_small_dictionary(chunk) for chunk in chunks):
                few.add(chunks[0].path_in_schema)
        # Not the fields within a column, because their path may be another column's name.
        pa: Any = need_pyarrow()
        return {field.name for field in self.schema if field.name in few and is_text(pa, field.type)}

    def batches(self, names: list[str]) -> Iterator[Any]:
        pa: Any = need_pyarrow()
        wanted = [self.schema.field(name).type for name in names]
        # One thread: the tool has the other cores.
        for batch in self._file.iter_batches(batch_size=ROWS, columns=names, use_threads=False):
            # They come in the file's order, including a.b if a is requested.
            chosen = batch.select(names)
            columns = [
                column if column.type == type_ or not pa.types.is_timestamp(type_) else column.view(type_)
                for column, type_ in zip(chosen.columns, wanted, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(columns, names=names)


class _IPC(OpenFile):
    def __init__(self, system: Any, path: str, repeated: set[str]) -> None:
        super().__init__(system, path, repeated)
        self._ipc = need_pyarrow("ipc").ipc
        self.schema = self._ipc.open_file(self._input).schema

    def batches(self, names: list[str]) -> Iterator[Any]:
        places = [self.schema.names.index(name) for name in names]
        options = self._ipc.IpcReadOptions(included_fields=places)
        file = self._ipc.open_file(self._input, options=options)
        for number in range(file.num_record_batches):
            yield file.get_batch(number).select(names)


class _ORC(OpenFile):
    def __init__(self, system: Any, path: str, repeated: set[str]) -> None:
        super().__init__(system, path, repeated)
        self._file = need_pyarrow("orc").orc.ORCFile(self._input)
        self.schema, self.rows = self._file.schema, self._file.nrows

    def batches(self, names: list[str]) -> Iterator[Any]:
        for stripe in range(self._file.nstripes):
            yield self._file.read_stripe(stripe, columns=names).select(names)


FORMS: dict[str, type[OpenFile]] = {"parquet": _Parquet, "ipc": _IPC, "orc": _ORC}


def _has_small_dictionary(chunk: Any) -> bool:
    start = chunk.dictionary_page_offset
    return bool(
        chunk.physical_type == "BYTE_ARRAY" and start and 0 < chunk.data_page_offset - start <= _DICTIONARY_PAGE
    )
