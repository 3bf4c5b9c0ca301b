"""Parquet files of made-up events: the output of `permlog simulate`, written by pyarrow with zstd and in row groups of its default size."""

from pathlib import Path

from .runs import run

# Eight of the columns that an export has: what the weekly counts need, the event's id, and a column that differs within a user.
COLUMNS = ("event_id", "user_id", "timestamp", "event", "permission", "status", "variant", "app_version")
ROWS_OF_A_GROUP = 1 << 20
BLOCK = 1 << 24


def flat(permlog, users, place):
    """A file of canonical events, eight columns, made if it is not there yet. Its path."""
    import pyarrow

    types = dict.fromkeys(COLUMNS, pyarrow.string()) | {"timestamp": pyarrow.timestamp("ms", tz="UTC")}
    return made(permlog, users, Path(place) / f"flat-{users}.parquet", "ndjson", pyarrow.schema(list(types.items())))


def nested(permlog, users, place):
    """A file like an export of GA4 from BigQuery, parameters as lists of structs, and the JSON that it was made of; both
    made if they are not there yet. Their paths."""
    path = made(permlog, users, Path(place) / f"ga4-{users}.parquet", "ga4", None)
    return path, path.with_suffix(".ndjson")


def made(permlog, users, path, form, schema):
    """The simulated export as Parquet; without a schema the types are those that pyarrow finds."""
    if path.exists():
        return path
    export, unfinished = path.with_suffix(".ndjson"), path.with_suffix(".unfinished")
    run([permlog, "simulate", "--users", users, "--format", form, "--output", export])
    write(export, unfinished, schema)
    if schema is not None:
        export.unlink()
    unfinished.rename(path)
    return path


def write(export, path, schema):
    """Lines of JSON to Parquet, a row group at a time. Whole numbers of GA4, texts in its JSON, are numbers in BigQuery's Parquet."""
    import pyarrow
    from pyarrow import json, parquet

    if schema is None:
        table = json.read_json(export, read_options=json.ReadOptions(block_size=BLOCK))
        place = table.schema.get_field_index("event_timestamp")
        table = table.set_column(place, "event_timestamp", table.column(place).cast(pyarrow.int64()))
        parquet.write_table(table, path, compression="zstd", row_group_size=ROWS_OF_A_GROUP)
        return
    wanted = json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    batches = json.open_json(export, read_options=json.ReadOptions(block_size=BLOCK), parse_options=wanted)
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        rows = pyarrow.table([[]] * len(schema), schema=schema)
        for batch in batches:
            rows = pyarrow.concat_tables([rows, pyarrow.Table.from_batches([batch])])
            while len(rows) >= ROWS_OF_A_GROUP:
                writer.write_table(rows.slice(0, ROWS_OF_A_GROUP), row_group_size=ROWS_OF_A_GROUP)
                rows = rows.slice(ROWS_OF_A_GROUP)
        if len(rows):
            writer.write_table(rows, row_group_size=ROWS_OF_A_GROUP)


def rows_of(path):
    """Rows of a Parquet file, by its footer."""
    from pyarrow import parquet

    return parquet.read_metadata(path).num_rows
