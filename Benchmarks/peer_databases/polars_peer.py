"""Polars: the file as Parquet, a further loader without a query."""

import time

from .events import COLUMNS


def version():
    import polars

    return f"Polars {polars.__version__}"


def load(place, file, ordered):
    """Seconds to write the file as Parquet (zstd), its times as times. There is no ordered table here."""
    import polars

    assert not ordered
    start = time.perf_counter()
    time_column = polars.col("timestamp").str.to_datetime("%Y-%m-%dT%H:%M:%S%.3fZ", time_unit="ms")
    frame = polars.scan_ndjson(file, schema=dict.fromkeys(COLUMNS, polars.String)).with_columns(time_column)
    frame.sink_parquet(path(place), compression="zstd")
    return time.perf_counter() - start


def path(place):
    return f"{place}.parquet"
