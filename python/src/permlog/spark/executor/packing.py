"""Compressed sums for the way through Spark, because the driver accepts at most ``spark.driver.maxResultSize`` from a job (1 GB)."""

from __future__ import annotations

from typing import Any

from permlog.errors import FailedError

_CODEC = "zstd"
_MAGIC = b"\x28\xb5\x2f\xfd"


def packed(sums: bytes) -> bytes:
    """A file of sums compressed to about a third of its bytes; unchanged if Arrow was built without Zstandard."""
    import pyarrow as pa

    if not sums or not pa.Codec.is_available(_CODEC):
        return sums
    sink: Any = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, _CODEC) as out:
        out.write(sums)
    return bytes(sink.getvalue().to_pybytes())


def unpacked(data: bytes) -> bytes:
    """The file again.

    Raises
    ------
    FailedError
        If it is compressed, but Arrow was built without Zstandard here.
    """
    import pyarrow as pa

    if not data.startswith(_MAGIC):
        return data
    if not pa.Codec.is_available(_CODEC):
        raise FailedError(
            "the pyarrow of this Python was built without Zstandard, with which executors compress sums: install its wheel"
        )
    with pa.CompressedInputStream(pa.BufferReader(data), _CODEC) as found:
        return bytes(found.read())
