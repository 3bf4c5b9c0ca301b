"""One cluster for all tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spark_tests.conftest import MASTER, settings


@pytest.fixture(scope="session")
def spark(environment: Path) -> Iterator[Any]:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(MASTER)
    for name, value in settings(environment).items():
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
def events(spark: Any, table: Path) -> Any:
    """The exports as a table."""
    return spark.read.parquet(str(table))
