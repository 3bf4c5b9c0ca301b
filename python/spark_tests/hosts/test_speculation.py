"""Spark starts a second copy of a slow task on another host. So here is a cluster of two hosts: addresses of this machine."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from permlog import spark as ps
from spark_tests.conftest import FIRST_WAITS, Wrap, is_running, settings, wait_for


@pytest.fixture(scope="module")
def master(environment: Path) -> Iterator[str]:
    """A standalone cluster: a master, and a worker on each of two addresses."""
    import pyspark

    home = Path(pyspark.__file__).parent
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    address = f"spark://127.0.0.1:{port}"
    deploy = "org.apache.spark.deploy"
    commands = [[f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]]
    commands += [
        [f"{deploy}.worker.Worker", "--host", host, "--cores", "1", "--memory", "768m", "--webui-port", "0", address]
        for host in ("127.0.0.1", "127.0.0.2")
    ]
    inherited = {**os.environ, "SPARK_DAEMON_MEMORY": "256m", "SPARK_HOME": str(home)}
    with open(environment / "daemons", "wb") as said:
        daemons = [
            subprocess.Popen([home / "bin" / "spark-class", *words], env=inherited, stdout=said, stderr=said)
            for words in commands
        ]
        try:
            yield address
        finally:
            for daemon in daemons:
                daemon.terminate()
            for daemon in daemons:
                daemon.wait()


@pytest.fixture(scope="module")
def spark(master: str, environment: Path) -> Iterator[Any]:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master)
    speculation = {
        "spark.driver.host": "127.0.0.1",
        "spark.speculation": "true",
        "spark.speculation.interval": "200ms",
        "spark.speculation.quantile": "0.5",
        "spark.speculation.multiplier": "1.5",
        "spark.speculation.efficiency.enabled": "false",
        # Both executors must be there, or the waiting task has no other host.
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
    }
    for name, value in {**settings(environment), **speculation}.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def test_a_speculative_copy_wins(
    spark: Any, table: Path, asked: list[ps.Question], expected: list[str], wrapped: Wrap, tmp_path: Path
) -> None:
    wrapped(FIRST_WAITS.format(tmp_path))
    events = spark.read.parquet(str(table))
    sums = ps.PermissionLake(events, tool="ship").sums(asked[0], shards=4)
    assert sums.report().to_json() == expected[0]
    # The first copy had begun, and was ended.
    pid = int((tmp_path / "pid").read_text())
    wait_for(lambda: not is_running(pid))
