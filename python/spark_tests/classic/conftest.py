"""One cluster for all tests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark_tests.conftest import MASTER, settings


@pytest.fixture(scope="session")
def spark(environment: Path) -> Iterator[Any]:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(MASTER)
    speculation = {
        "spark.speculation": "true",
        "spark.speculation.interval": "200ms",
        "spark.speculation.quantile": "0.3",
        "spark.speculation.minTaskRuntime": "5s",
        "spark.speculation.efficiency.enabled": "false",
    }
    for name, value in {**settings(environment), **speculation}.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def lines(spark: Any, exports: list[Path]) -> Any:
    """The exports as texts."""
    return spark.read.text([str(path) for path in exports])


@pytest.fixture(scope="session")
def events(spark: Any, exports: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The same lines as a table of texts, those that are no JSON with nothing in them, in Parquet."""
    rows = []
    for path in exports:
        for line in path.read_bytes().splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                row = {}
            rows.append({key: value if isinstance(value, str) else json.dumps(value) for key, value in row.items()})
    names = sorted({name for row in rows for name in row})
    place = tmp_path_factory.mktemp("parquet") / "events.parquet"
    table = pa.table({name: pa.array([row.get(name) for row in rows], pa.string()) for name in names})
    pq.write_table(table, place)
    return spark.read.parquet(str(place))
