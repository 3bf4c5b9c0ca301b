"""ClickHouse, embedded (chdb): INSERT SELECT from the file into a MergeTree. Its defaults are all cores."""

import json
import time

from .events import COLUMNS, query


def version():
    import chdb

    return f"ClickHouse {chdb.engine_version} (chdb {chdb.__version__})"


def load(place, file, ordered):
    """Seconds to load the file, from opening the session to closing it.

    Plain: texts and no order, which loads fastest (UUID and LowCardinality columns took a third longer). Ordered: one row for
    each user and event id, by user and time, in UUID and LowCardinality columns, which queries read fastest.
    """
    from chdb import session

    start = time.perf_counter()
    texts = ", ".join(f"{name} {'DateTime64(3)' if name == 'timestamp' else 'String'}" for name in COLUMNS)
    typed = dict.fromkeys(COLUMNS, "LowCardinality(String)")
    typed |= {"event_id": "UUID", "user_id": "UUID", "timestamp": "DateTime64(3)"}
    columns = ", ".join(f"{name} {kind}" for name, kind in typed.items()) if ordered else texts
    settings = "date_time_input_format = 'best_effort', input_format_null_as_default = 1"
    path = file.replace("'", "\\'")
    source = f"file('{path}', 'JSONEachRow', '{columns}')"
    database = session.Session(place)
    database.query("CREATE DATABASE IF NOT EXISTS benchmark")
    if ordered:
        database.query(
            f"CREATE TABLE benchmark.ordered ({columns}) ENGINE = MergeTree ORDER BY (user_id, timestamp, event_id)"
        )
        select = f"SELECT * FROM {source} LIMIT 1 BY user_id, event_id"
    else:
        database.query(f"CREATE TABLE benchmark.events ({columns}) ENGINE = MergeTree ORDER BY tuple()")
        select = f"SELECT * FROM {source}"
    database.query(f"INSERT INTO benchmark.{'ordered' if ordered else 'events'} {select} SETTINGS {settings}")
    database.close()
    return time.perf_counter() - start


def ask(place, question, table):
    """Seconds and rows of a question, from opening the session to closing it."""
    from chdb import session

    sql = query("clickhouse", question, f"benchmark.{table}")
    start = time.perf_counter()
    database = session.Session(place)
    text = str(database.query(sql, "JSONCompactEachRow"))
    database.close()
    seconds = time.perf_counter() - start
    return seconds, [json.loads(line) for line in text.splitlines()]


def path(place):
    return place
