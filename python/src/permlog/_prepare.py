"""Columns of any Arrow type as the types that the tool reads. The tool itself refuses the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from permlog._exact import first_rounded, limit, sentence
from permlog._extras import need_pyarrow
from permlog._nested import as_json
from permlog.errors import UsageError

if TYPE_CHECKING:
    import pyarrow

Conversion = Callable[[Any], Any]


JSON_MARK = {b"permlog.json": b"true"}
"""Metadata of a field that is sent as JSON: its values are objects and lists, not texts."""


class Preparation:
    """How the columns of a schema become columns that the tool reads.

    Texts, numbers, booleans, timestamps, dates and dictionaries of texts stay as they are. Views become plain, other
    dictionaries and run ends are decoded, whole decimals become digits, UUIDs their usual text in lower case. Structs,
    lists and maps become JSON, and are marked as that.
    """

    def __init__(self, schema: pyarrow.Schema) -> None:
        pa = need_pyarrow("compute")
        self._conversions: list[Conversion | None] = []
        self._limits = [limit(pa, field.type) for field in schema]
        self._rows = 0
        fields = []
        for field in schema:
            type_, conversion = _prepared(pa, field.type, field.name)
            is_json = _is_nested(pa, field.type) or (field.metadata or {}).items() >= JSON_MARK.items()
            if is_json and pa.types.is_dictionary(type_):  # The mark is of plain columns.
                type_, conversion = type_.value_type, _decoded(conversion)
            fields.append(pa.field(field.name, type_, metadata=JSON_MARK if is_json else None))
            self._conversions.append(conversion)
        self.schema: pyarrow.Schema = pa.schema(fields)

    def __call__(self, batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
        """The next batch of the schema with its columns converted.

        Raises
        ------
        UsageError
            For a value that cannot be sent exactly.
        """
        pa = need_pyarrow()
        columns = [
            column if conversion is None else conversion(column)
            for column, conversion in zip(batch.columns, self._conversions, strict=True)
        ]
        for column, field, size in zip(columns, self.schema, self._limits, strict=True):
            place = None if size is None else first_rounded(column, size)
            if size is not None and place is not None:
                where = f"in row {self._rows + place}"
                raise UsageError(sentence(field.name, column[place].as_py(), where, size))
        self._rows += batch.num_rows
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)


def _is_nested(pa: Any, type_: Any) -> bool:
    """Whether a column is sent as JSON."""
    if isinstance(type_, pa.BaseExtensionType):
        return _is_nested(pa, type_.storage_type)
    if pa.types.is_dictionary(type_) or pa.types.is_run_end_encoded(type_):
        return _is_nested(pa, type_.value_type)
    return bool(pa.types.is_nested(type_))


def _prepared(pa: Any, type_: Any, name: str) -> tuple[Any, Conversion | None]:
    """The type that a column is sent as, and its conversion; None if no conversion is needed."""
    is_ = pa.types
    if isinstance(type_, pa.BaseExtensionType):
        return _unwrapped(pa, type_, name)
    if is_.is_dictionary(type_):
        return _of_dictionary(pa, type_, name)
    if is_.is_run_end_encoded(type_):
        return _then(pa, type_.value_type, name, pa.compute.run_end_decode)
    if is_.is_float16(type_):
        return pa.float32(), lambda column: _widened(pa, column)
    if is_.is_decimal(type_) and type_.scale == 0:
        return pa.string(), lambda column: column.cast(pa.string())
    if is_.is_fixed_size_binary(type_):
        return pa.binary(), lambda column: column.cast(pa.binary())
    if is_.is_nested(type_):
        return pa.large_string(), lambda column: as_json(column, name).cast(pa.large_string())
    for view, plain in (("is_string_view", pa.string()), ("is_binary_view", pa.binary())):
        # Views came with pyarrow 16.
        if hasattr(is_, view) and getattr(is_, view)(type_):
            return plain, lambda column, plain=plain: column.cast(plain)
    return type_, None


def _of_dictionary(pa: Any, type_: Any, name: str) -> tuple[Any, Conversion | None]:
    """Dictionaries of texts of any kind stay dictionaries; others are decoded."""
    value, convert = _prepared(pa, type_.value_type, name)
    is_texts = pa.types.is_string(value) or pa.types.is_large_string(value)
    if convert is None:
        return (type_, None) if is_texts else (value, lambda column: column.dictionary_decode())
    values = _Once(convert)

    def rebuilt(column: Any) -> Any:
        return pa.DictionaryArray.from_arrays(column.indices, values(column.dictionary))

    if is_texts:
        return pa.dictionary(type_.index_type, value), rebuilt
    return value, lambda column: rebuilt(column).dictionary_decode()


def _decoded(first: Conversion | None) -> Conversion:
    """A conversion to a dictionary, followed by the conversion that makes it plain."""
    return lambda column: (column if first is None else first(column)).dictionary_decode()


class _Once:
    """A conversion of dictionaries. Later batches mostly have the same dictionary as the first."""

    def __init__(self, convert: Conversion) -> None:
        self._convert = convert
        self._last: tuple[Any, Any] | None = None

    def __call__(self, values: Any) -> Any:
        if self._last is None or not self._last[0].equals(values):
            self._last = values, self._convert(values)
        return self._last[1]


def _then(pa: Any, type_: Any, name: str, first: Conversion) -> tuple[Any, Conversion]:
    """A conversion to a type, followed by the conversion that this type needs."""
    prepared, second = _prepared(pa, type_, name)
    if second is None:
        return prepared, first
    return prepared, lambda column: second(first(column))


def _unwrapped(pa: Any, type_: Any, name: str) -> tuple[Any, Conversion]:
    """An extension type as its storage type; UUIDs as text."""
    extension = str(getattr(type_, "extension_name", type_))
    if extension == "arrow.uuid":
        return pa.string(), lambda column: _uuids(pa, column.storage)
    if extension == "arrow.bool8":
        return pa.bool_(), lambda column: column.storage.cast(pa.bool_())
    if extension.startswith("pandas."):
        raise UsageError(
            f"Column {name} holds {extension.removeprefix('pandas.')}s, which are neither times nor texts: convert it, for "
            "example with .dt.to_timestamp() or .astype(str)"
        )
    return _then(pa, type_.storage_type, name, lambda column: column.storage)


def _widened(pa: Any, column: Any) -> Any:
    """Floats of 16 bits as ones of 32."""
    try:
        return column.cast(pa.float32())
    except pa.ArrowNotImplementedError:  # Came with a later pyarrow.
        return pa.array([None if value is None else float(value) for value in column.to_pylist()], pa.float32())


def _uuids(pa: Any, column: Any) -> Any:
    """16 bytes each as 36 characters, in small letters."""
    import numpy

    digits = numpy.frombuffer("".join(f"{value:02x}" for value in range(256)).encode(), "S2")
    rows = len(column)
    raw = pa.compute.fill_null(column, b"\0" * 16)
    stored = numpy.frombuffer(raw.buffers()[1], numpy.uint8)
    codes = stored[16 * raw.offset : 16 * (raw.offset + rows)].reshape(rows, 16)
    pairs = digits[codes].view("S1").reshape(rows, 32)
    text = numpy.full((rows, 36), b"-", "S1")
    places = [place for place in range(36) if place not in (8, 13, 18, 23)]
    text[:, places] = pairs
    offsets = numpy.arange(0, 36 * rows + 1, 36, dtype=numpy.int32)
    made = pa.StringArray.from_buffers(rows, pa.py_buffer(offsets), pa.py_buffer(text.tobytes()))
    return pa.compute.if_else(column.is_null(), pa.scalar(None, pa.string()), made)
