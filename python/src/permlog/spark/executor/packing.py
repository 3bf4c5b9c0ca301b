"""Sums on their way through Spark, packed: the driver takes no more than ``spark.driver.maxResultSize`` from a job (1 GB)."""

from __future__ import annotations

from typing import Any

_CODEC = "zstd"
_MAGIC = b"\x28\xb5\x2f\xfd"


def packed(sums: bytes) -> bytes:
    """A file of sums with about a third of its bytes; as it is if Arrow was built without Zstandard."""
    import pyarrow as pa

    if not sums or not pa.Codec.is_available(_CODEC):
        return sums
    sink: Any = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, _CODEC) as out:
        out.write(sums)
    return bytes(sink.getvalue().to_pybytes())


def unpacked(text: bytes) -> bytes:
    """The file again."""
    import pyarrow as pa

    if not text.startswith(_MAGIC):
        return text
    with pa.CompressedInputStream(pa.BufferReader(text), _CODEC) as found:
        return bytes(found.read())
