"""What goes wrong on a cluster, made to happen: tasks that are killed, tools that fail, executors that go."""

from __future__ import annotations

import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import functions as F

import permlog
from permlog import spark as ps
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


def test_an_error_before_the_tool_is_no_end_of_its_input(
    events: Any, asked: list[ps.Question], wrapped: Wrap, tmp_path: Path
) -> None:
    wrapped(
        f'if [ "$1 $2" = "sums make" ]; then "$tool" "$@"; status=$?; echo $status >>{tmp_path}/ends; exit $status; fi'
    )
    # Fails in the shuffle's map side, with an error of Spark's own.
    broken = events.withColumn(
        "country", F.when(F.col("country") == "DE", F.raise_error(F.lit("made up"))).otherwise("x")
    )
    with pytest.raises(Exception, match="made up"):
        ps.PermissionLake(broken, tool="ship").sums(asked[0], shards=2)
    assert not (tmp_path / "ends").exists()


def test_a_missing_or_another_tool_is_said_before_the_shuffle(
    events: Any, asked: list[ps.Question], environment: Path, wrapped: Wrap, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = environment / "permlog"
    real = os.readlink(installed)
    monkeypatch.setenv("PERMLOG_TOOL", real)
    lake = ps.PermissionLake(events.withColumn("country", F.raise_error(F.lit("shuffled"))))
    try:
        installed.unlink()
        with pytest.raises(permlog.ToolNotFoundError, match=r"^There is no tool permlog on the executor [^\n]*\.$"):
            lake.sums(asked[0], shards=2)
        installed.write_text("#!/bin/sh\necho 0.0.1\n")
        installed.chmod(0o755)
        with pytest.raises(
            permlog.ToolNotFoundError, match=r"^The executor .* has another tool .*0\.0\.1, sha256 [^\n]*\.$"
        ):
            lake.sums(asked[0], shards=2)
    finally:
        installed.unlink()
        installed.symlink_to(real)


def test_bad_rows_are_counted(spark: Any, asked: list[ps.Question]) -> None:
    good = ("u", "2026-03-02T10:00:00Z", "app_active")
    rows = [(f"u{number}", *good[1:]) for number in range(20)]
    rows += [("anonymous", *good[1:])] * 3 + [("u1", "yesterday", "app_active"), ("u2", good[1], "push_denied")]
    frame = spark.createDataFrame(rows, "user_id string, timestamp string, event string")
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
    with pytest.raises(permlog.FailedError, match=r"^Shard \d of 3: there are rows of another shard"):
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


def test_nothing_is_left_on_executors(environment: Path) -> None:
    left = [path for path in (environment / "scratch").rglob("permlog-shard-*") if path.is_dir()]
    assert left == []
