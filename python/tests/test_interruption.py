"""An ingest that is interrupted, or whose source fails, stores nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import permlog

_SCHEMA = pa.schema([("user_id", pa.int64()), ("timestamp", pa.int64()), ("event", pa.string())])


def _batch(first: int) -> pa.RecordBatch:
    rows = 1000
    return pa.RecordBatch.from_arrays(
        [pa.array(range(first, first + rows)), pa.array([1772445600000] * rows), pa.array(["app_active"] * rows)],
        schema=_SCHEMA,
    )


_PATIENCE = 60.0
"""Seconds for what takes a moment: nothing here depends on how fast the machine is."""


def _wait(is_so: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + _PATIENCE
    while not is_so():
        if time.monotonic() > end:
            pytest.fail(f"waited {_PATIENCE:.0f} s for {what}")
        time.sleep(0.01)


def _is_there(group: int) -> bool:
    """Whether a process of a group runs."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


class _SourceFailedError(Exception):
    pass


@pytest.mark.parametrize("there_before", [False, True])
def test_a_source_that_fails_in_the_middle(log: permlog.Log, there_before: bool) -> None:
    def failing() -> Iterator[pa.RecordBatch]:
        for number in range(50):
            yield _batch(1 + 1000 * number)
        raise _SourceFailedError("the lake is gone")

    if there_before:
        log.ingest(pa.Table.from_batches([_batch(10**9)]), progress=False)
    with pytest.raises(_SourceFailedError, match="the lake is gone"):
        log.ingest(pa.RecordBatchReader.from_batches(_SCHEMA, failing()), progress=False)
    # A log that was to be made may be there, and is empty; or half made.
    if there_before or (log.path / "manifest").exists():
        assert log.verify().events == log.info().events == (1000 if there_before else 0)


def test_a_refusal_in_the_middle_stops_the_source(log: permlog.Log) -> None:
    """The tool ends at a text that is not UTF-8, or when it has read all; either way its sentence is what is raised."""
    pulled = []

    def bad() -> Iterator[pa.RecordBatch]:
        schema = pa.schema([("user_id", pa.binary()), ("timestamp", pa.int64()), ("event", pa.string())])
        for number in range(20):
            pulled.append(number)
            columns = [pa.array([b"\xff"] * 1000), *_batch(1).columns[1:]]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)

    schema = pa.schema([("user_id", pa.binary()), ("timestamp", pa.int64()), ("event", pa.string())])
    with pytest.raises(permlog.DataError):
        log.ingest(pa.RecordBatchReader.from_batches(schema, bad()), progress=False)
    assert not log.path.exists()


_SLOW = """
import sys, time
import pyarrow as pa
import permlog

schema = pa.schema([("user_id", pa.int64()), ("timestamp", pa.int64()), ("event", pa.string())])

def slowly():
    for number in range(100_000):
        users = pa.array(range(1 + 1000 * number, 1001 + 1000 * number))
        yield pa.RecordBatch.from_arrays(
            [users, pa.array([1772445600000] * 1000), pa.array(["app_active"] * 1000)], schema=schema
        )
        if number == 20:
            print("reading", flush=True)
        if number > 20:
            time.sleep(0.05)

permlog.Log(sys.argv[1]).ingest(pa.RecordBatchReader.from_batches(schema, slowly()), progress=False)
"""


@pytest.mark.parametrize("whom", ["python", "both"])
def test_ctrl_c_ends_the_tool_and_stores_nothing(log: permlog.Log, tmp_path: Path, whom: str) -> None:
    log.ingest(pa.Table.from_batches([_batch(10**9)]), progress=False)
    before = log.info().fingerprint
    (tmp_path / "slow.py").write_text(_SLOW)
    process = subprocess.Popen(
        [sys.executable, tmp_path / "slow.py", log.path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "reading\n"
    # A notebook interrupts Python alone, a terminal the tool, too.
    (os.killpg if whom == "both" else os.kill)(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=_PATIENCE)
    assert "KeyboardInterrupt" in said, said
    assert process.returncode in (130, -signal.SIGINT)
    _wait(lambda: not _is_there(process.pid), "nobody of the session to be left")
    assert log.info().fingerprint == before
    assert log.ingest(pa.Table.from_batches([_batch(1)]), progress=False).new == 1000, "and the log is not locked"


_STUCK = """
import os, sys, time
if "--version" in sys.argv:
    print(VERSION)
elif "columns" in sys.argv:
    print("user_id\\ntimestamp\\nevent")
else:
    with open(PLACE, "w") as file:
        file.write(str(os.getpid()))
    time.sleep(60)
"""


def test_a_tool_that_is_stuck_is_ended(log: permlog.Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, tool = tmp_path / "pid", tmp_path / "permlog"
    text = _STUCK.replace("VERSION", repr(permlog.__version__)).replace("PLACE", repr(str(place)))
    tool.write_text(f"#!{sys.executable}\n{text}")
    tool.chmod(0o700)
    monkeypatch.setenv("PERMLOG_TOOL", str(tool))

    def failing() -> Iterator[pa.RecordBatch]:
        yield _batch(1)
        _wait(lambda: place.exists() and bool(place.read_text()), "the tool to have begun")
        raise _SourceFailedError

    with pytest.raises(_SourceFailedError):
        log.ingest(pa.RecordBatchReader.from_batches(_SCHEMA, failing()), progress=False)
    with pytest.raises(ProcessLookupError):
        os.kill(int(place.read_text()), 0)
