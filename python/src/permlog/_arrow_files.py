"""Parquet, Arrow and ORC files as one table: their columns brought together, their folders' names as columns."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from permlog._extras import need_pyarrow
from permlog._feed import ROWS
from permlog.errors import UsageError

if TYPE_CHECKING:
    import pyarrow

_DICTIONARY_PAGE = 1 << 16  # Bytes: a column with a larger dictionary has too many values to gain by it.
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


class ArrowFiles:
    """Files of one form. A file without a column has nulls there; folders like ``date=2026-03-01`` are texts."""

    def __init__(self, system: Any, paths: Sequence[str], form: str) -> None:
        self._system, self._paths, self._form = system, list(paths), form
        self._columns: dict[str, frozenset[str]] = {}
        self._schema, self.rows, self._repeated = self._looked_at()
        self._folders = [key for path in self._paths for key in _folders(path)]
        self._folders = [key for key in dict.fromkeys(self._folders) if key not in self._schema.names]
        self.names = [*self._schema.names, *self._folders]

    def read(self, names: list[str]) -> tuple[pyarrow.Schema, Iterator[pyarrow.RecordBatch]]:
        """The schema of these columns, and their batches, file by file."""
        pa: Any = need_pyarrow()
        fields = []
        for name in names:
            type_ = pa.dictionary(pa.int32(), pa.string()) if name in self._folders else self._schema.field(name).type
            if name in self._repeated and (pa.types.is_string(type_) or pa.types.is_large_string(type_)):
                type_ = pa.dictionary(pa.int32(), pa.string())
            fields.append(pa.field(name, type_))
        schema = pa.schema(fields)
        return schema, self._batches(schema)

    def _looked_at(self) -> tuple[Any, int | None, set[str]]:
        """The columns of all files, the number of rows if the files say it, and columns with few values."""
        schema: Any = None
        rows: int | None = 0
        repeated: set[str] = set()
        for path in self._paths:
            with self._opened(path) as file:
                found, count, few = file.schema, file.rows, file.repeated()
            names = list(found.names)
            self._columns[path] = frozenset(names)
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise UsageError(f"{path} has two columns named {twice}")
            repeated = few if schema is None else repeated & few | {name for name in few if name not in schema.names}
            schema = found if schema is None else _joined(schema, found, self._paths[0], path)
            rows = None if rows is None or count is None else rows + count
        return schema, rows, repeated

    def _batches(self, schema: Any) -> Iterator[Any]:
        pa: Any = need_pyarrow()
        for path in self._paths:
            folders = _folders(path)
            with self._opened(path, self._repeated & self._columns[path]) as file:
                own = [name for name in schema.names if name in file.schema.names]
                for batch in file.batches(own):
                    columns = []
                    for field in schema:
                        if field.name in own:
                            columns.append(_cast(batch.column(own.index(field.name)), field, path))
                        else:
                            columns.append(_filled(pa, folders.get(field.name), batch.num_rows, field.type))
                    yield pa.RecordBatch.from_arrays(columns, schema=schema)

    def _opened(self, path: str, repeated: set[str] | None = None) -> _File:
        pa: Any = need_pyarrow("parquet", "ipc")
        try:
            return _FORMS[self._form](self._system, path, repeated or set())
        except pa.ArrowInvalid as problem:
            raise UsageError(f"{path} cannot be read: {problem}") from problem


class _File:
    """A file that is open; what the forms have in common."""

    schema: Any
    rows: int | None = None

    def __init__(self, system: Any, path: str, repeated: set[str]) -> None:
        self._input = system.open_input_file(path)

    def repeated(self) -> set[str]:
        """Columns of texts with few values."""
        return set()

    def batches(self, names: list[str]) -> Iterator[Any]:
        """These columns, in batches."""
        raise NotImplementedError

    def __enter__(self) -> _File:  # noqa: PYI034  (Self came with Python 3.11.)
        return self

    def __exit__(self, *_: object) -> None:
        self._input.close()


class _Parquet(_File):
    def __init__(self, system: Any, path: str, repeated: set[str]) -> None:
        super().__init__(system, path, repeated)
        pq = need_pyarrow("parquet").parquet
        # Column chunks are read as they are needed, and not a whole row group beforehand: memory stays flat.
        self._file = pq.ParquetFile(self._input, read_dictionary=sorted(repeated), pre_buffer=False)
        self.schema = self._file.schema_arrow
        self.rows = self._file.metadata.num_rows

    def repeated(self) -> set[str]:
        metadata = self._file.metadata
        few: set[str] = set()
        for place in range(metadata.num_columns if metadata.num_row_groups else 0):
            chunks = [metadata.row_group(group).column(place) for group in range(metadata.num_row_groups)]
            if all(_has_small_dictionary(chunk) for chunk in chunks):
                few.add(chunks[0].path_in_schema)
        # Not what is within a column: its path may be another column's name.
        pa: Any = need_pyarrow()
        return {field.name for field in self.schema if field.name in few and _is_text(pa, field.type)}

    def batches(self, names: list[str]) -> Iterator[Any]:
        # One thread: the tool has the other cores.
        return iter(self._file.iter_batches(batch_size=ROWS, columns=names, use_threads=False))


class _IPC(_File):
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


class _ORC(_File):
    def __init__(self, system: Any, path: str, repeated: set[str]) -> None:
        super().__init__(system, path, repeated)
        self._file = need_pyarrow("orc").orc.ORCFile(self._input)
        self.schema, self.rows = self._file.schema, self._file.nrows

    def batches(self, names: list[str]) -> Iterator[Any]:
        for stripe in range(self._file.nstripes):
            yield self._file.read_stripe(stripe, columns=names).select(names)


_FORMS: dict[str, type[_File]] = {"parquet": _Parquet, "ipc": _IPC, "orc": _ORC}


def _has_small_dictionary(chunk: Any) -> bool:
    start = chunk.dictionary_page_offset
    return bool(
        chunk.physical_type == "BYTE_ARRAY" and start and 0 < chunk.data_page_offset - start <= _DICTIONARY_PAGE
    )


def _joined(first: Any, second: Any, path: str, other: str) -> Any:
    """The columns of both files, each with a type that holds what either has.

    Raises
    ------
    UsageError
        If a column holds different things.
    """
    pa: Any = need_pyarrow()
    fields = {field.name: field for field in first}
    for field in second:
        known = fields.get(field.name)
        if known is None:
            fields[field.name] = field
        elif not known.type.equals(field.type):
            type_ = _wider(pa, known.type, field.type)
            if type_ is None:
                raise UsageError(
                    f"Column {field.name} is {known.type} in {path} and {field.type} in {other}. Ingest them apart, or write "
                    "them anew with one type."
                )
            fields[field.name] = pa.field(field.name, type_)
    return pa.schema(list(fields.values()))


def _wider(pa: Any, one: Any, other: Any) -> Any:
    """A type that holds the values of both exactly; None if there is none."""
    is_ = pa.types
    for a, b in ((one, other), (other, one)):
        if is_.is_null(a):
            return b
        if is_.is_dictionary(a):
            return _wider(pa, a.value_type, b.value_type if is_.is_dictionary(b) else b) or (
                a.value_type if a.value_type.equals(b.value_type if is_.is_dictionary(b) else b) else None
            )
    if _is_text(pa, one) and _is_text(pa, other):
        return pa.large_string()
    if is_.is_signed_integer(one) and is_.is_signed_integer(other):
        return one if one.bit_width >= other.bit_width else other
    if is_.is_unsigned_integer(one) and is_.is_unsigned_integer(other):
        return one if one.bit_width >= other.bit_width else other
    if is_.is_floating(one) and is_.is_floating(other):
        return one if one.bit_width >= other.bit_width else other
    if is_.is_timestamp(one) and is_.is_timestamp(other) and (one.tz is None) == (other.tz is None):
        units = ("s", "ms", "us", "ns")
        return pa.timestamp(units[max(units.index(one.unit), units.index(other.unit))], tz=one.tz)
    return None


def _is_text(pa: Any, type_: Any) -> bool:
    is_ = pa.types
    return bool(
        is_.is_string(type_)
        or is_.is_large_string(type_)
        or (hasattr(is_, "is_string_view") and is_.is_string_view(type_))
    )


def _cast(column: Any, field: Any, path: str) -> Any:
    """A column of one file in the type of all."""
    pa: Any = need_pyarrow()
    if column.type.equals(field.type):
        return column
    try:
        if pa.types.is_dictionary(field.type) and not pa.types.is_dictionary(column.type):
            return column.cast(field.type.value_type).dictionary_encode().cast(field.type)
        return column.cast(field.type)
    except pa.ArrowInvalid as problem:
        raise UsageError(f"Column {field.name} of {path} cannot be read as {field.type}: {problem}") from problem


def _filled(pa: Any, value: str | None, rows: int, type_: Any) -> Any:
    """A column of one value, or of nulls."""
    if value is None:
        return pa.nulls(rows, type_)
    indices = pa.repeat(pa.scalar(0, type_.index_type), rows)
    return pa.DictionaryArray.from_arrays(indices, pa.array([value], type_.value_type))


def _folders(path: str) -> dict[str, str | None]:
    """The folders of a path that are named key=value, as Hive names them."""
    found: dict[str, str | None] = {}
    for part in path.split("/")[:-1]:
        key, sign, value = part.partition("=")
        if sign and key:
            text = urllib.parse.unquote(value)
            found[urllib.parse.unquote(key)] = None if text == _NO_VALUE else text
    return found
