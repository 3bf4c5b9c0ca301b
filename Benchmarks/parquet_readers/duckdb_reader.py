"""DuckDB over a Parquet file: the weekly counts by the query that the other benchmark uses. Its defaults are all cores.

Of what was tried for `once`: DISTINCT ON over all events took 4.2 s where over the events that decide a journey it takes 1.5 s; a view
is as fast as a temporary table or faster; GROUP BY with any_value makes no difference.
"""

from peer_databases.events import query

from .forms import COPIES, DECIDING, STORED

COLUMNS = "user_id, timestamp, event, permission, status, variant"


def version():
    import duckdb

    return f"DuckDB {duckdb.__version__}"


def weekly(file, form, place):
    """Rows of permission, week and five counts."""
    import duckdb

    source = "read_parquet('" + file.replace("'", "''") + "')"
    with duckdb.connect(f"{place}.duckdb" if form == STORED else ":memory:") as connection:
        connection.execute("SET enable_progress_bar = false")
        if form == COPIES:
            sql = query("duckdb", "weekly", source)
        elif form == STORED:
            connection.execute(
                f"CREATE TABLE ordered AS SELECT DISTINCT ON (user_id, event_id) * FROM {source} "
                "ORDER BY user_id, timestamp, event_id"
            )
            sql = query("duckdb", "weekly", "ordered")
        else:
            kinds = ", ".join(f"'{kind}'" for kind in DECIDING)
            connection.execute(
                f"CREATE TEMP VIEW once AS SELECT DISTINCT ON (user_id, event_id) {COLUMNS} FROM {source} "
                f"WHERE event IN ({kinds})"
            )
            # The moment from which the report looks is the newest of all events, which the view does not have.
            sql = query("duckdb", "weekly", "once").replace("AS as_of FROM once", f"AS as_of FROM {source}")
        return connection.execute(sql).fetchall()
