"""DuckDB: read_json into a table of a file. Its defaults are all cores and four fifths of the memory."""

import time

from .events import COLUMNS, query


def version():
    import duckdb

    return f"DuckDB {duckdb.__version__}"


def load(place, file, ordered):
    """Seconds to load the file, from connecting to closing.

    `preserve_insertion_order` off and the named format of the time were the fastest of what was tried (together a fifth);
    UUID and ENUM columns made neither the load nor the queries faster, and the table no smaller.
    """
    import duckdb

    start = time.perf_counter()
    with duckdb.connect(f"{place}.duckdb") as connection:
        types = ", ".join(f"{name}: '{'TIMESTAMP' if name == 'timestamp' else 'VARCHAR'}'" for name in COLUMNS)
        path = file.replace("'", "''")
        source = (
            f"read_json('{path}', format='newline_delimited', columns={{{types}}}, "
            "timestampformat='%Y-%m-%dT%H:%M:%S.%gZ')"
        )
        if ordered:
            connection.execute(
                f"CREATE TABLE ordered AS SELECT DISTINCT ON (user_id, event_id) * FROM {source} "
                "ORDER BY user_id, timestamp, event_id"
            )
        else:
            connection.execute("SET preserve_insertion_order = false")
            connection.execute(f"CREATE TABLE events AS SELECT * FROM {source}")
    return time.perf_counter() - start


def ask(place, question, table):
    """Seconds and rows of a question, from connecting to closing."""
    import duckdb

    sql = query("duckdb", question, table)
    start = time.perf_counter()
    with duckdb.connect(f"{place}.duckdb") as connection:
        rows = connection.execute(sql).fetchall()
    return time.perf_counter() - start, rows


def path(place):
    return f"{place}.duckdb"
