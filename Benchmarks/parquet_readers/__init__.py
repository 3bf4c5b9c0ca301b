"""Who reads a Parquet file of events and counts by week: permlog through its Python package, DuckDB and Polars."""
