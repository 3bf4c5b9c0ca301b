"""Parquet, Arrow and ORC files as one table: their columns brought together, their folders' names as columns."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from permlog._extras import need_pyarrow
from permlog._forms import FORMS, OpenFile
from permlog._schemas import cast, joined
from permlog.errors import UsageError

if TYPE_CHECKING:
    import pyarrow

_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


class ArrowFiles:
    """Files of one form. A file without a column has nulls there; folders like ``date=2026-03-01`` are texts."""

    def __init__(self, system: Any, paths: Sequence[str], form: str) -> None:
        self._system, self._paths, self._form = system, list(paths), form
        self._columns: dict[str, frozenset[str]] = {}
        self.sent: dict[str, int] = {}  # Rows of each file, as far as they were asked for.
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
            schema = found if schema is None else joined(schema, found, self._paths[0], path)
            rows = None if rows is None or count is None else rows + count
        return schema, rows, repeated

    def _batches(self, schema: Any) -> Iterator[Any]:
        pa: Any = need_pyarrow()
        for path in self._paths:
            folders = _folders(path)
            with self._opened(path, self._repeated & self._columns[path]) as file:
                own = [name for name in schema.names if name in file.schema.names]
                for batch in file.batches(own):
                    self.sent[path] = self.sent.get(path, 0) + batch.num_rows
                    columns = []
                    for field in schema:
                        if field.name in own:
                            columns.append(cast(batch.column(own.index(field.name)), field, path))
                        else:
                            columns.append(_filled(pa, folders.get(field.name), batch.num_rows, field.type))
                    yield pa.RecordBatch.from_arrays(columns, schema=schema)

    def _opened(self, path: str, repeated: set[str] | None = None) -> OpenFile:
        pa: Any = need_pyarrow("parquet", "ipc")
        try:
            return FORMS[self._form](self._system, path, repeated or set())
        except pa.ArrowInvalid as problem:
            raise UsageError(f"{path} cannot be read: {problem}") from problem


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
