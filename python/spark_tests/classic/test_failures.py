"""What goes wrong on a cluster, made to happen: tasks that are killed, tools that fail, executors that go."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import venv
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import functions as F

import permlog
from permlog import spark as ps
from permlog.spark import _run
from spark_tests.conftest import FIRST_WAITS, Wrap, answers, is_running, wait_for


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def name(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text().strip()


def test_an_executor_is_killed_in_the_middle(
    events: Any, asked: list[ps.Question], expected: list[str], wrapped: Wrap, tmp_path: Path
) -> None:
    wrapped(FIRST_WAITS.format(tmp_path))
    killed = []

    def kill() -> None:
        wait_for((tmp_path / "pid").exists)
        pid = int((tmp_path / "pid").read_text())
        executor = parent(pid)
        while name(executor) != "java":
            executor = parent(executor)
        killed.append((pid, executor))
        os.kill(executor, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    sums = ps.PermissionLake(events, tool="ship").sums(*asked, shards=4)
    killer.join()
    assert answers(sums) == expected
    (pid, executor) = killed[0]
    wait_for(lambda: not is_running(pid) and not is_running(executor))


def test_tools_are_killed_in_their_first_attempt(
    events: Any, asked: list[ps.Question], expected: list[str], wrapped: Wrap
) -> None:
    wrapped('[ "$1 $2 $PERMLOG_SPARK_ATTEMPT" != "sums make 0" ] || { head -c 1000 >/dev/null; kill -9 $$; }')
    assert answers(ps.PermissionLake(events, tool="ship").sums(*asked, shards=3)) == expected


def test_a_tool_that_always_fails(events: Any, asked: list[ps.Question], wrapped: Wrap) -> None:
    wrapped('[ "$1 $2" != "sums make" ] || { echo "permlog: the disk is full" >&2; exit 1; }')
    with pytest.raises(
        permlog.FailedError, match=r"^Shard \d of 2: the tool failed with status 1\. permlog: the disk is full$"
    ):
        ps.PermissionLake(events, tool="ship").sums(asked[0], shards=2)


@pytest.mark.parametrize(("status", "kind"), [(2, permlog.DataError), (64, permlog.UsageError)])
def test_what_would_fail_again_is_raised_once(
    status: int, kind: type[Exception], events: Any, asked: list[ps.Question], wrapped: Wrap, tmp_path: Path
) -> None:
    said = f'echo x >>{tmp_path}/attempts; echo "permlog: this is wrong" >&2; exit {status}'
    wrapped(f'[[ "$1 $2 $*" != "sums make"*"--shard=2/3"* ]] || {{ {said}; }}')
    with pytest.raises(kind, match=r"^Shard 2 of 3: this is wrong$"):
        ps.PermissionLake(events, tool="ship").sums(asked[0], shards=3)
    assert (tmp_path / "attempts").read_text() == "x\n"


# A tool that says what it saw first: the end of its input, or the signal that ends it.
ENDS = """
import os, signal, sys
folder = sys.argv[1]
def mark(what):
    open(os.path.join(folder, "ends"), "a").write(what + chr(10))
def stop(*_):
    # A pipe that is still open has nothing now; one that was closed has its end.
    os.set_blocking(0, False)
    try:
        while os.read(0, 65536):
            pass
        mark("end")
    except BlockingIOError:
        mark("signal")
    os._exit(143)
signal.signal(signal.SIGTERM, stop)
while os.read(0, 65536):
    open(os.path.join(folder, "read"), "w").close()
mark("end")
"""


def test_a_source_that_breaks_in_the_task_is_no_end_of_the_tools_input(
    lines: Any, asked: list[ps.Question], wrapped: Wrap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines have no end mark: if the input was closed before the tool is ended, half a shard would be counted."""
    (tmp_path / "ends.py").write_text(ENDS)
    wrapped(f'[ "$1 $2" != "sums make" ] || exec {sys.executable} {tmp_path}/ends.py {tmp_path}')
    marker, real = str(tmp_path / "read"), _run.shard_rows

    def breaking(job: Any, batches: Any) -> Any:
        def until_it_breaks() -> Any:
            import os
            import time

            yield next(batches)
            while not os.path.exists(marker):
                time.sleep(0.01)
            raise OSError("the source broke")

        yield from real(job, until_it_breaks())

    monkeypatch.setattr(_run, "shard_rows", breaking)
    # Lines of more than the buffer before the pipe, or the tool would have nothing to read.
    wide = lines.withColumn("value", F.concat("value", F.repeat(F.lit(" "), 1_000)))
    lake = ps.PermissionLake.lines(wide, "value", F.get_json_object("value", "$.user_id"), tool="ship")
    with pytest.raises(Exception, match="the source broke"):
        lake.sums(asked[0], shards=1)
    assert set((tmp_path / "ends").read_text().split()) == {"signal"}


# The first tool that makes a shard leaves its number and begins when it may.
FIRST_IS_HELD = """
if [ "$1 $2" = "sums make" ] && mkdir {0}/first 2>/dev/null; then
  echo $$ >{0}/pid.part; mv {0}/pid.part {0}/pid
  while ! [ -e {0}/go ]; do sleep 0.05; done
fi
"""


def test_interrupted_jobs_end_on_the_cluster(
    events: Any, asked: list[ps.Question], wrapped: Wrap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrapped(FIRST_IS_HELD.format(tmp_path))
    # A notebook's way: PySpark's own handler, which cancels all jobs of the session, is not there.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupt() -> None:
        try:
            wait_for((tmp_path / "pid").exists)
        finally:  # Else the job would wait for ever.
            os.kill(os.getpid(), signal.SIGINT)

    interrupter = threading.Thread(target=interrupt)
    interrupter.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            ps.PermissionLake(events, tool="ship").sums(asked[0], shards=2)
    finally:
        interrupter.join()
        signal.signal(signal.SIGINT, before)
    # The job was ended by nothing else: its tool has not begun.
    jobs = events.sparkSession.sparkContext.statusTracker()
    wait_for(lambda: not jobs.getActiveJobsIds())
    pid = int((tmp_path / "pid").read_text())
    # The tool is ended if Spark cut off its rows; if it has them all, it comes to its own end.
    (tmp_path / "go").touch()
    wait_for(lambda: not is_running(pid))


def test_a_task_leaves_no_folder_however_it_ends(
    events: Any, asked: list[ps.Question], wrapped: Wrap, tmp_path: Path
) -> None:
    ends = "case $PERMLOG_SPARK_ATTEMPT in 0) exit 1;; 1) kill -9 $$;; esac"
    wrapped(f'[ "$1 $2" != "sums make" ] || {{ echo $PWD >>{tmp_path}/folders; {ends}; }}')
    ps.PermissionLake(events, tool="ship").sums(asked[0], shards=1)
    folders = [Path(line) for line in (tmp_path / "folders").read_text().splitlines()]
    assert len(set(folders)) == 3
    assert all(path.name.startswith("permlog-shard-") and not path.exists() for path in folders)


def test_a_scratch_folder_that_is_not_there(events: Any, asked: list[ps.Question], tmp_path: Path) -> None:
    with pytest.raises(permlog.FailedError, match=rf"^Shard 1 of 1: the folder {tmp_path}/no cannot be used: No such"):
        ps.PermissionLake(events, scratch=f"{tmp_path}/no").sums(asked[0], shards=1)


def test_executors_without_pyarrow_are_told_before_the_shuffle(
    spark: Any, events: Any, asked: list[ps.Question], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    venv.create(tmp_path / "bare", with_pip=False)
    bare = str(tmp_path / "bare" / "bin" / "python")
    monkeypatch.setattr(spark.sparkContext, "pythonExec", bare)
    with pytest.raises(
        permlog.FailedError, match=rf"^The executors' Python \({bare}\) has no pyarrow.* PYSPARK_PYTHON"
    ):
        ps.PermissionLake(events).sums(asked[0], shards=1)


def test_a_missing_or_another_tool_is_said_before_the_shuffle(
    events: Any, asked: list[ps.Question], environment: Path, wrapped: Wrap, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = environment / "permlog"
    real = os.readlink(installed)
    monkeypatch.setenv("PERMLOG_TOOL", real)
    lake = ps.PermissionLake(events.withColumn("country", F.raise_error(F.lit("shuffled"))))
    try:
        installed.unlink()
        with pytest.raises(permlog.ToolNotFoundError, match=r"^The tool permlog is not on the executor [^\n]*\.$"):
            lake.sums(asked[0], shards=2)
        installed.write_text("#!/bin/sh\necho 0.0.1\n")
        installed.chmod(0o755)
        with pytest.raises(
            permlog.ToolNotFoundError, match=r"^The executor .* has a different tool .*0\.0\.1, sha256 [^\n]*\.$"
        ):
            lake.sums(asked[0], shards=2)
    finally:
        installed.unlink()
        installed.symlink_to(real)


def test_a_tool_that_goes_after_the_look_is_said_to_be_missing(
    events: Any, asked: list[ps.Question], environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on an executor that the look did not come to."""
    installed = environment / "permlog"
    real = os.readlink(installed)
    monkeypatch.setenv("PERMLOG_TOOL", real)
    lake = ps.PermissionLake(events)
    lake.sums(asked[0], shards=1)
    installed.unlink()
    try:
        with pytest.raises(
            permlog.ToolNotFoundError, match=r"^Shard \d of 2: the tool permlog is not on the executor [^\n]*$"
        ):
            lake.sums(asked[0], shards=2)
    finally:
        installed.symlink_to(real)


def test_bad_rows_are_counted(spark: Any, asked: list[ps.Question]) -> None:
    good = ("u", "2026-03-02T10:00:00Z", "app_active")
    rows = [(f"u{number}", *good[1:]) for number in range(20)]
    rows += [("anonymous", *good[1:])] * 3 + [("u1", "yesterday", "app_active"), ("u2", good[1], "teapot")]
    frame = spark.createDataFrame(rows, "user_id string, timestamp string, event string")
    with pytest.warns(permlog.PermlogWarning, match=r"^5 of 25 rows were rejected \(3: .*sums\.counts\.rejections"):
        counts = ps.PermissionLake(frame).sums(asked[0], shards=4).counts
    assert (counts.rows, counts.events, counts.rejected) == (25, 20, 5)
    assert sorted(counts.rejections.values()) == [1, 1, 3]
    bad = ps.PermissionLake(frame.where("user_id = 'anonymous'")).sums(asked[0], shards=2)
    assert (bad.counts.events, bad.counts.rejected) == (0, 3)
    with pytest.raises(permlog.DataError):
        bad.report()


def test_rows_of_another_shard_are_refused(
    events: Any, asked: list[ps.Question], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Divided by something else than was said.
    real = type(events).repartition
    monkeypatch.setattr(type(events), "repartition", lambda self, count, *_: real(self, count, F.col("timestamp")))
    with pytest.raises(permlog.FailedError, match=r"^Shard \d of 3: the input has rows of another shard"):
        ps.PermissionLake(events).sums(asked[0], shards=3)


def test_one_user_with_most_events_needs_little_memory(
    spark: Any, asked: list[ps.Question], wrapped: Wrap, tmp_path: Path
) -> None:
    measured = (
        "import json, resource, subprocess, sys; code = subprocess.call(sys.argv[2:]); "
        "used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss; "
        "open(sys.argv[1], 'a').write(json.dumps(used) + chr(10)); sys.exit(code)"
    )
    wrapped(f'if [ "$1 $2" = "sums make" ]; then exec python3 -c "{measured}" {tmp_path}/used "$tool" "$@"; fi')
    number = F.col("id")
    frame = spark.range(1_000_000).select(
        F.when(number % 5 < 3, "one").otherwise(F.concat(F.lit("u"), (number % 1000).cast("string"))).alias("user_id"),
        number.cast("string").alias("event_id"),
        F.timestamp_seconds(F.lit(1_770_000_000) + number).alias("timestamp"),
        F.lit("feature_used").alias("event"),
        F.lit("camera").alias("permission"),
    )
    counts = ps.PermissionLake(frame, tool="ship").sums(asked[0], shards=2).counts
    assert counts.events == 1_000_000
    used = [json.loads(line) for line in (tmp_path / "used").read_text().splitlines()]
    assert max(used) < 256 * 1024
