"""A script may stop reading rows at any time: it ends as it would without rows, and no tool is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import permlog

_REPEATS = int(os.environ.get("PERMLOG_REPEATS", "3"))
_PATIENCE = 60.0

_WAYS = {
    "a reader, read half": "rows = journeys.reader(); rows.read_next_batch()",
    "a reader that was not read": "rows = journeys.reader()",
    "a reader that is dropped": "rows = journeys.reader(); rows.read_next_batch(); del rows",
    "a reader in a cycle": "rows = [journeys.reader()]; rows.append(rows); rows[0].read_next_batch(); del rows",
    "a loop that is left": "for batch in journeys:\n    break",
    "a loop over a reader that is left": "for batch in journeys.reader():\n    break",
    "an iterator that is kept": "rows = iter(journeys); next(rows)",
    "two readers": "a, b = journeys.reader(), journeys.reader(); a.read_next_batch(); b.read_next_batch()",
    "the stream of C": "rows = pa.RecordBatchReader.from_stream(journeys); rows.read_next_batch()",
    "an exception": "rows = journeys.reader(); rows.read_next_batch(); raise SystemExit(0)",
    "a thread": "rows = journeys.reader(); t = threading.Thread(target=rows.read_next_batch); t.start(); t.join()",
    "a thread that is left": "threading.Thread(target=lambda: list(journeys), daemon=True).start(); time.sleep(0.2)",
    "all rows": "journeys.to_arrow()",
}
_DUCKDB = {
    "a limit": "rows = journeys.reader(); duckdb.sql('SELECT outcome FROM rows LIMIT 5').fetchall()",
    "a relation": "rows = journeys.reader(); kept = duckdb.sql('SELECT outcome FROM rows LIMIT 5'); str(kept)",
}
# What runs in the background of a script ignores ctrl-C, unless it says otherwise.
_BEGIN = """
import signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import pyarrow as pa
import permlog
journeys = permlog.Log(sys.argv[1]).journeys()
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> permlog.Log:
    """A log with more journeys than a pipe and a batch hold."""
    folder = tmp_path_factory.mktemp("large")
    log = permlog.Log(folder / "log")
    log.ingest(permlog.simulate(users=12_000, weeks=8, output=folder / "made-up.ndjson").path, allow_future=True)
    return log


def _start(script: str, log: permlog.Log) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _BEGIN + script, str(log.path)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def _none_is_left(group: int) -> bool:
    """Whether all processes of a session have ended; waits a little for what the system cleans up."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("way", [*_WAYS, *_DUCKDB])
def test_the_interpreter_ends_well(large: permlog.Log, way: str) -> None:
    script = _WAYS.get(way, "")
    if way in _DUCKDB:
        pytest.importorskip("duckdb")
        script = "import duckdb\n" + _DUCKDB[way]
    started = [_start(script, large) for _ in range(_REPEATS)]
    for process in started:
        _, said = process.communicate(timeout=_PATIENCE)
        # Python ends a thread that it does not wait for where it is. Within Arrow, on a machine that is busy, that is an abort of C++.
        is_cut = way == "a thread that is left" and said == "terminate called without an active exception\n"
        assert is_cut or (process.returncode, said) == (0, "")
        assert _none_is_left(process.pid)


@pytest.mark.parametrize("whom", ["python", "both"])
@pytest.mark.parametrize(
    "use",
    [
        "journeys.to_pandas()",
        "journeys.to_parquet(sys.argv[1] + '.parquet')",
        "list(journeys.reader())",
        "permlog.Log(sys.argv[1]).export(sys.argv[1] + '.parquet')",
        "permlog.Log(sys.argv[1]).export(sys.argv[1] + '.csv')",
    ],
)
def test_ctrl_c_ends_both(large: permlog.Log, use: str, whom: str) -> None:
    import_first = "import pandas, pyarrow.csv, pyarrow.parquet\n"
    script = f"{import_first}print('begins', flush=True)\nwhile True:\n    {use}\n"
    for repeat in range(_REPEATS):
        process = _start(script, large)
        assert process.stdout is not None
        assert process.stdout.readline() == "begins\n"
        time.sleep(0.01 + 0.05 * repeat)
        # A notebook interrupts Python alone, a terminal the tool, too.
        interrupt = os.killpg if whom == "both" else os.kill
        interrupt(process.pid, signal.SIGINT)
        try:
            _, said = process.communicate(timeout=_PATIENCE)
        except subprocess.TimeoutExpired:
            # pyarrow can drop an interrupt while it looks for optional modules of pandas. People press ctrl-C again.
            if use != "journeys.to_pandas()":
                raise
            interrupt(process.pid, signal.SIGINT)
            _, said = process.communicate(timeout=_PATIENCE)
            assert "Exception ignored" not in said, said
        # pyarrow takes an interrupt while it imports a module for the module's absence, and says that.
        if not (process.returncode == 1 and "zoneinfo module or pytz package must be installed" in said):
            assert process.returncode in (130, -signal.SIGINT), said
            assert "KeyboardInterrupt" in said, said
        assert _none_is_left(process.pid)
    assert not list(Path(large.path).parent.glob(".*.part")), "nothing half written stays"
