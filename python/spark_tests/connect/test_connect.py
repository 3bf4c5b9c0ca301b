"""The same through Spark Connect, which has neither RDDs nor a SparkContext."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import permlog
from permlog import spark as ps
from spark_tests.conftest import MASTER, Wrap, answers, settings, sums_lines


@pytest.fixture(scope="module")
def spark(environment: Path) -> Iterator[Any]:
    import os

    from pyspark.sql import SparkSession

    # A server of its own, which takes its settings from here and not from the client.
    (environment / "conf").mkdir()
    lines = "".join(f"{name} {value}\n" for name, value in settings(environment).items())
    (environment / "conf" / "spark-defaults.conf").write_text(lines)
    os.environ["SPARK_CONF_DIR"] = str(environment / "conf")
    session = SparkSession.builder.remote(MASTER).getOrCreate()
    yield session
    session.stop()
    del os.environ["SPARK_CONF_DIR"]


def test_two_shards(
    spark: Any, exports: list[Path], asked: list[ps.Question], expected: list[str], whole: list[bytes]
) -> None:
    from pyspark.sql import functions as F

    lines = spark.read.text([str(path) for path in exports])
    lake = ps.PermissionLake.lines(lines, "value", F.get_json_object("value", "$.user_id"))
    sums = lake.sums(*asked, shards=2)
    assert answers(sums) == expected
    assert sums_lines(sums.to_bytes()) == whole
    assert lake.sums(asked[0], shards=2, merge_above=1).report().to_json() == expected[0]


def test_types_are_refused_before_the_shuffle(
    spark: Any, asked: list[ps.Question], monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark.sql import functions as F

    frame = spark.sql("select 'u' user_id, '2026-03-02T10:00:00Z' timestamp, 'app_active' event")
    monkeypatch.setattr("permlog.spark._run._collected", lambda *_: pytest.fail("a job began"))
    with pytest.raises(permlog.DataError, match="^the table: the column country is of the type"):
        ps.PermissionLake(frame.withColumn("country", F.lit(1).cast("decimal(10,2)"))).sums(asked[0], shards=2)
    for text, kind in (("interval 1 month", "interval month"), ("make_interval(1, 2)", "interval")):
        with pytest.raises(
            permlog.UsageError, match=f"^The column country is of the type {kind}, which Spark cannot send"
        ):
            ps.PermissionLake(frame.withColumn("country", F.expr(text))).sums(asked[0], shards=2)


def test_a_shipped_tool(spark: Any, asked: list[ps.Question], wrapped: Wrap, tmp_path: Path) -> None:
    wrapped(f'[ "$1 $2" != "sums make" ] || echo x >>{tmp_path}/ran')
    rows = [("u1", "2026-03-02T10:00:00Z", "app_active"), ("u2", "2026-03-02T10:00:00Z", "app_active")]
    frame = spark.createDataFrame(rows, "user_id string, timestamp string, event string")
    assert ps.PermissionLake(frame, tool="ship").sums(asked[0], shards=2).counts.users == 2
    assert (tmp_path / "ran").read_text() == "x\nx\n"
    with pytest.raises(permlog.ToolNotFoundError, match="a different tool"):
        ps.PermissionLake(frame).sums(asked[0], shards=2)
