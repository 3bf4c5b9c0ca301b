"""Parquet, Arrow and ORC files as one table: their columns brought together, their folders' names as columns."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from permlog._extras import need_pyarrow
from permlog._forms import FORMS, OpenFile
from permlog._places import File
from permlog._schemas import cast, is_text, joined, value_type
from permlog.errors import DataError, FailedError, UsageError

if TYPE_CHECKING:
    import pyarrow


class ArrowFiles:
    """Files of one form. A file without a column has nulls there; folders like ``date=2026-03-01`` are texts."""

    def __init__(self, system: Any, files: Sequence[File], form: str) -> None:
        self._system, self._files, self._form = system, list(files), form
        self._columns: dict[str, frozenset[str]] = {}
        self.sent: dict[str, int] = {}  # Rows of each file, as far as they were asked for.
        self._schema, self.rows, self._repeated = self._looked_at()
        folders = dict.fromkeys(key for file in self._files for key in file.folders)
        self.names = [*self._schema.names, *(key for key in folders if key not in self._schema.names)]

    def read(self, names: list[str]) -> tuple[pyarrow.Schema, Iterator[pyarrow.RecordBatch]]:
        """The schema of these columns, and their batches, file by file."""
        pa: Any = need_pyarrow()
        repeated = pa.dictionary(pa.int32(), pa.string())
        fields = []
        for name in names:
            type_ = self._schema.field(name).type if name in self._schema.names else pa.null()
            of_folder = next((file for file in self._files if self._is_folder(name, file)), None)
            if pa.types.is_null(type_) and of_folder is not None:
                type_ = repeated
            elif of_folder is not None and not is_text(pa, value_type(pa, type_)):
                raise UsageError(
                    f"Column {name} has type {type_} in one file, but in the path of {of_folder.path} it is a folder's name, "
                    "which is text. Ingest them separately, or rewrite them with one type."
                )
            if name in self._repeated and (pa.types.is_string(type_) or pa.types.is_large_string(type_)):
                type_ = repeated
            fields.append(pa.field(name, type_))
        schema = pa.schema(fields)
        return schema, self._batches(schema)

    def _is_folder(self, name: str, file: File) -> bool:
        """Whether a column comes from the folders of a file's path alone."""
        return name in file.folders and name not in self._columns[file.path]

    def _looked_at(self) -> tuple[Any, int | None, set[str]]:
        """The columns of all files, the number of rows if the files say it, and columns with few values."""
        schema: Any = None
        rows: int | None = 0
        repeated: set[str] = set()
        for path in (file.path for file in self._files):
            with self._opened(path) as file:
                found, count, few = file.schema, file.rows, file.repeated()
            names = list(found.names)
            self._columns[path] = frozenset(names)
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise UsageError(f"{path} has two columns named {twice}")
            repeated = few if schema is None else repeated & few | {name for name in few if name not in schema.names}
            schema = found if schema is None else joined(schema, found, self._files[0].path, path)
            rows = None if rows is None or count is None else rows + count
        return schema, rows, repeated

    def _batches(self, schema: Any) -> Iterator[Any]:
        pa: Any = need_pyarrow("compute")
        for path, folders in ((file.path, file.folders) for file in self._files):
            with self._opened(path, self._repeated & self._columns[path]) as file:
                own = [name for name in schema.names if name in file.schema.names]
                for batch in self._read(path, file.batches(own)):
                    self.sent[path] = self.sent.get(path, 0) + batch.num_rows
                    columns = []
                    for field in schema:
                        if field.name not in own:
                            columns.append(_filled(pa, folders.get(field.name), batch.num_rows, field.type))
                            continue
                        column = batch.column(own.index(field.name))
                        if field.name in folders:
                            _agree(pa, column, folders[field.name], field.name, path)
                        columns.append(cast(column, field, path))
                    yield pa.RecordBatch.from_arrays(columns, schema=schema)

    @contextlib.contextmanager
    def _opened(self, path: str, repeated: set[str] | None = None) -> Iterator[OpenFile]:
        need_pyarrow("parquet", "ipc")
        with self._named(path):
            opened = FORMS[self._form](self._system, path, repeated or set())
        with opened as file:
            yield file

    def _read(self, path: str, batches: Iterator[Any]) -> Iterator[Any]:
        """Batches, and errors in between with the file's name."""
        while True:
            with self._named(path):
                batch = next(batches, None)
            if batch is None:
                return
            yield batch

    @contextlib.contextmanager
    def _named(self, path: str) -> Iterator[None]:
        """Errors of reading, in the same form as the tool's errors for exports.

        Raises
        ------
        DataError
            If the file is damaged.
        FailedError
            If it no longer exists, or cannot be read at all.
        """
        pa: Any = need_pyarrow("fs")
        try:
            yield
        except FileNotFoundError as problem:
            raise FailedError(f"{path} no longer exists; nothing was stored") from problem
        except OSError as problem:
            # Damage, too, is an OSError of pyarrow's, but has no number. Of a network it is not known which it is.
            if problem.errno is None and isinstance(self._system, pa.fs.LocalFileSystem):
                raise DataError(_damaged(path, problem)) from problem
            raise FailedError(f"{path} cannot be read: {problem}; nothing was stored") from problem
        except pa.ArrowException as problem:
            raise DataError(_damaged(path, problem)) from problem


def _damaged(path: str, problem: Exception) -> str:
    return f"{path} cannot be read: {problem}; nothing was stored, so write or fetch the file again"


def _filled(pa: Any, value: str | None, rows: int, type_: Any) -> Any:
    """A column of one value, or of nulls."""
    if value is None:
        return pa.nulls(rows, type_)
    if not pa.types.is_dictionary(type_):
        return pa.array([value], pa.string()).cast(type_).take(pa.array([0] * rows, pa.int32()))
    indices = pa.repeat(pa.scalar(0, type_.index_type), rows)
    return pa.DictionaryArray.from_arrays(indices, pa.array([value], pa.string()).cast(type_.value_type))


def _agree(pa: Any, column: Any, value: str | None, name: str, path: str) -> None:
    """Checks that a column has the value that the folder of its name gives.

    Raises
    ------
    UsageError
        If it does not, or that cannot be checked.
    """
    pc = pa.compute
    try:
        texts = (column.dictionary_decode() if pa.types.is_dictionary(column.type) else column).cast(pa.string())
        same = texts.is_null() if value is None else pc.fill_null(pc.equal(texts, value), False)
        if pc.all(same, min_count=0).as_py():
            return
    except pa.ArrowException:
        pass  # A type that is no text.
    raise UsageError(
        f"{path} has a column {name} and is in a folder of that name ({name}={'' if value is None else value}), but their values "
        "differ. Rename one of them, or leave the column out."
    )
