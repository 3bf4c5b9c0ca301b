"""Events to ask, and the answers of one log: what Spark has to give, to the byte."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import permlog
from permlog import spark as ps

DATA = Path(__file__).parents[2] / "data"
AS_OF = "2026-04-01T22:47:06.058Z"
JAVA = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
MASTER = "local-cluster[2,1,768]"

Wrap = Callable[[str], Path]
PATIENCE = 180.0  # Seconds after which a test gives up.

# The first tool that makes a shard leaves its number, reads all that it is sent, as the real one does, and then waits for its worker to go.
# If it did not read, a worker that Spark cut off would wait in the pipe for ever.
FIRST_WAITS = """
if [ "$1 $2" = "sums make" ] && mkdir {0}/first 2>/dev/null; then
  echo $$ >{0}/pid.part; mv {0}/pid.part {0}/pid
  cat <&0 >/dev/null &
  while kill -0 $PPID 2>/dev/null; do sleep 0.05; done
  exit 1
fi
"""


def settings(folder: Path) -> dict[str, Any]:
    """Of a small cluster, with logs and scratch in a folder."""
    return {
        "spark.executor.memory": "512m",
        "spark.executor.extraJavaOptions": JAVA,
        "spark.driver.extraJavaOptions": JAVA,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "America/New_York",
        "spark.sql.shuffle.partitions": "3",
        # A Python worker has 15 seconds to begin by default, which a busy machine may not give it.
        "spark.python.authenticate.socketTimeout": "120s",
        "spark.local.dir": str(folder / "scratch"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }


@pytest.fixture(scope="session", autouse=True)
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What the cluster's processes inherit: this Python, and a place for the tool that tests can change."""
    folder = tmp_path_factory.mktemp("spark")
    installed = folder / "permlog"
    installed.symlink_to(permlog.find_tool())
    patch = pytest.MonkeyPatch()
    patch.setenv("PYSPARK_PYTHON", sys.executable)
    patch.setenv("PYSPARK_DRIVER_PYTHON", sys.executable)
    patch.setenv("SPARK_WORKER_DIR", str(folder / "work"))
    patch.setenv("PERMLOG_TOOL", str(installed))
    yield folder
    patch.undo()


@pytest.fixture(scope="session")
def exports(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The sample's exports as lines: copies, copies that differ, and lines that are bad on purpose."""
    folder = tmp_path_factory.mktemp("exports")
    packed = (DATA / "export-3.ndjson.zst").read_bytes()
    with open(folder / "export-3.ndjson", "wb") as file:
        subprocess.run(["zstd", "-dc"], input=packed, stdout=file, check=True)
    return [DATA / "export-1.ndjson", folder / "export-3.ndjson"]


@pytest.fixture(scope="session")
def table(exports: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
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
    columns = pa.table({name: pa.array([row.get(name) for row in rows], pa.string()) for name in names})
    pq.write_table(columns, place)
    return place


@pytest.fixture(scope="session")
def log(exports: list[Path], tmp_path_factory: pytest.TempPathFactory) -> permlog.Log:
    """One log of these exports."""
    made = permlog.Log(tmp_path_factory.mktemp("log") / "log")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", permlog.PermlogWarning)
        made.ingest(exports)
    return made


@pytest.fixture(scope="session")
def asked() -> list[ps.Question]:
    """A question of each kind."""
    return [
        ps.report("os_version", as_of=AS_OF, log_start="2026-01-01", time_zone="Europe/Berlin"),
        ps.compare("A", "B", permission="notifications", as_of=AS_OF),
        ps.flow(["notifications", "camera"], as_of=AS_OF),
        ps.audit(as_of=AS_OF, log_start="2026-01-01"),
    ]


@pytest.fixture(scope="session")
def expected(log: permlog.Log) -> list[str]:
    """The log's answers to them."""
    return [
        log.report("os_version", as_of=AS_OF, log_start="2026-01-01", time_zone="Europe/Berlin").to_json(),
        log.compare("A", "B", permission="notifications", as_of=AS_OF).to_json(),
        log.flow(["notifications", "camera"], as_of=AS_OF).to_json(),
    ]


@pytest.fixture(scope="session")
def whole(exports: list[Path], asked: list[ps.Question], tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The sums that the tool makes of the exports on one machine, line by line."""
    folder = tmp_path_factory.mktemp("whole")
    words = []
    for number, question in enumerate(asked):
        question.save(folder / f"{number}.question")
        words.append(f"--question={folder / f'{number}.question'}")
    made = [
        permlog.find_tool(),
        "sums",
        "make",
        *exports,
        *words,
        "--format=ndjson",
        f"--output={folder / 'sums'}",
        "--quiet",
    ]
    subprocess.run(made, check=True)
    return sums_lines((folder / "sums").read_bytes())


def answers(sums: permlog.Sums) -> list[str]:
    """The same from sums."""
    return [sums.report().to_json(), sums.compare().to_json(), sums.flow().to_json()]


def sums_lines(text: bytes) -> list[bytes]:
    """The lines of sums that do not say how the rows came: into how many shards, in which form, and the checksum of all that."""
    # A job of one shard, too, has a sketch of its users, and its format; all users at once have none.
    others = (b"permlog-sums ", b"job ", b"shards ", b"claimed ", b"read ", b"sketch ", b"checksum ")
    return [line for line in text.splitlines() if not line.startswith(others)]


@pytest.fixture
def wrapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wrap:
    """The tool as a script with lines of its own before it, for ``tool="ship"``. `$tool` is the real one.

    Shards that the driver makes, to see whether the tool takes the columns, go to the real one at once.
    """

    def wrap(text: str) -> Path:
        path = tmp_path / "permlog"
        real = os.path.realpath(os.environ["PERMLOG_TOOL"])
        is_task = '[ "$1 $2" != "sums make" ] || [ -n "$PERMLOG_SPARK_ATTEMPT" ]'
        path.write_text(f'#!/bin/bash\ntool={real}\nif {is_task}; then\n:\n{text}\nfi\nexec "$tool" "$@"\n')
        path.chmod(0o755)
        monkeypatch.setenv("PERMLOG_TOOL", str(path))
        return path

    return wrap


def wait_for(holds: Callable[[], bool]) -> None:
    limit = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < limit
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
