"""Any number of shards, from tables and from lines: the bytes of one log."""

from __future__ import annotations

import datetime
import decimal
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F

import permlog
from permlog import spark as ps
from permlog.spark import _run
from spark_tests.conftest import AS_OF, answers, sums_lines


@pytest.mark.parametrize("shards", [1, 2, 7])
def test_lines(
    shards: int, lines: Any, asked: list[ps.Question], expected: list[str], whole: list[bytes], log: permlog.Log
) -> None:
    lake = ps.PermissionLake.lines(lines, "value", F.get_json_object("value", "$.user_id"))
    sums = lake.sums(*asked, shards=shards)
    assert answers(sums) == expected
    assert sums_lines(sums.to_bytes()) == whole
    assert (sums.counts.shards, sums.counts.missing) == (shards, ())
    assert (
        sums.report().to_html()
        == log.report("os_version", as_of=AS_OF, log_start="2026-01-01", time_zone="Europe/Berlin").to_html()
    )
    assert sums.counts.conflicts
    assert sum(sums.counts.rejections.values()) == sums.counts.rejected == 3


@pytest.fixture(scope="module")
def whole_table(events: Any, asked: list[ps.Question], tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The sums that the tool makes of the table on one machine."""
    tmp_path = tmp_path_factory.mktemp("whole")
    words = []
    for number, question in enumerate(asked):
        question.save(tmp_path / f"{number}.question")
        words.append(f"--question={tmp_path / f'{number}.question'}")
    table = pq.read_table(events.inputFiles()[0].removeprefix("file://"))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    command = [permlog.find_tool(), "sums", "make", "-", *words, f"--output={tmp_path / 'sums'}", "--quiet"]
    subprocess.run(command, input=sink.getvalue(), check=True)
    return sums_lines((tmp_path / "sums").read_bytes())


@pytest.mark.parametrize("shards", [1, 2, 7])
def test_table(
    shards: int, events: Any, asked: list[ps.Question], expected: list[str], whole_table: list[bytes]
) -> None:
    sums = ps.PermissionLake(events).sums(*asked, shards=shards)
    assert answers(sums) == expected
    assert sums_lines(sums.to_bytes()) == whole_table


def test_sums_are_added_as_a_tree(
    events: Any, asked: list[ps.Question], expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_run, "GROUP", 3)  # Two levels: 7, 3, 1.
    sums = ps.PermissionLake(events).sums(*asked, shards=7, merge_above=2)
    assert answers(sums) == expected
    assert sums.counts.shards == 7


def test_a_job_again_gives_the_same(events: Any, asked: list[ps.Question]) -> None:
    lake = ps.PermissionLake(events)
    first, second = lake.sums(asked[0], shards=3), lake.sums(asked[0], shards=3)
    assert sums_lines(first.to_bytes()) == sums_lines(second.to_bytes())


def test_no_rows_at_all(events: Any, asked: list[ps.Question], tmp_path: Path) -> None:
    empty = permlog.Log(tmp_path / "log")
    (tmp_path / "empty.ndjson").write_bytes(b"")
    empty.ingest(tmp_path / "empty.ndjson")
    expected = empty.report("os_version", as_of=AS_OF, log_start="2026-01-01", time_zone="Europe/Berlin").to_json()
    # The first is known to be empty before it runs, the second is not.
    for frame in (events.where("1 = 0"), events.where("user_id = 'nobody at all'")):
        sums = ps.PermissionLake(frame).sums(asked[0], shards=3)
        assert sums.report().to_json() == expected
        assert (sums.counts.events, sums.counts.users, sums.counts.rows) == (0, 0, 0)


def test_more_shards_than_users(spark: Any, asked: list[ps.Question]) -> None:
    rows = [("u1", "2026-03-02T10:00:00Z", "app_active"), ("u2", "2026-03-02T10:00:00Z", "app_active")]
    frame = spark.createDataFrame(rows, "user_id string, timestamp string, event string")
    sums = ps.PermissionLake(frame).sums(asked[0], shards=9)
    assert (sums.counts.users, sums.counts.events) == (2, 2)


def test_blanks_at_the_ends_of_ids_make_no_other_user(spark: Any, asked: list[ps.Question]) -> None:
    blanks = ("", " ", "\t", "\u00a0", "\ufeff", " \u00a0\r\n")
    rows = [(f"{blank}user-{number}{blank}", minute) for number in range(20) for minute, blank in enumerate(blanks)]
    frame = spark.createDataFrame(rows, "user_id string, minute int").select(
        "user_id",
        F.format_string("2026-03-02T10:%02d:00Z", "minute").alias("timestamp"),
        F.lit("app_active").alias("event"),
    )
    sums = ps.PermissionLake(frame).sums(asked[0], shards=3)
    assert (sums.counts.users, sums.counts.events) == (20, 120)
    written = F.to_json(F.struct("user_id", "timestamp", "event"))
    texts = ps.PermissionLake.lines(frame.select(written.alias("line"), "user_id"), "line", "user_id")
    assert texts.sums(asked[0], shards=3).counts.users == 20
    kept = ps.PermissionLake(frame, keep_ids=True).sums(asked[0], shards=3)
    assert kept.counts.users == 120


def test_how_prompts_are_logged_is_decided_by_all_shards(spark: Any, asked: list[ps.Question], tmp_path: Path) -> None:
    """Answers without screens, and prompts that are logged with their answers."""
    rows = []
    for user in range(90):
        start = 1_772_445_600_000 + user * 3_600_000
        answer, message = ("granted", "denied")[user % 3 == 0], "AB"[user % 2]
        rows.append((f"u{user}", start, answer, "notifications", message))
        rows.append((f"u{user}", start + 60_000, "prompt_shown", "camera", message))
        rows.append((f"u{user}", start + 60_001, answer, "camera", message))
    names = ("user_id", "timestamp", "event", "permission", "variant")
    frame = spark.createDataFrame(
        rows, "user_id string, timestamp long, event string, permission string, variant string"
    )
    log = permlog.Log(tmp_path / "log")
    log.ingest(pa.Table.from_pylist([dict(zip(names, row)) for row in rows]))
    report = log.report("os_version", as_of=AS_OF, log_start="2026-01-01", time_zone="Europe/Berlin")
    found = ps.PermissionLake(frame).sums(*asked, shards=5)
    assert found.report().to_json() == report.to_json()
    assert report.rows.exposed.sum() >= 180
    assert found.compare().to_json() == log.compare("A", "B", permission="notifications", as_of=AS_OF).to_json()
    assert found.flow().to_json() == log.flow(["notifications", "camera"], as_of=AS_OF).to_json()
    expected = log.audit(as_of=AS_OF, log_start="2026-01-01").to_json()
    assert found.audit().to_json() == expected


def test_types_of_columns(spark: Any, asked: list[ps.Question]) -> None:
    moment = datetime.datetime(2026, 3, 2, 10, tzinfo=datetime.timezone.utc)
    rows = [
        (number % 5 + 1, decimal.Decimal(number), moment + datetime.timedelta(minutes=number), "app_active")
        for number in range(50)
    ]
    frame = spark.createDataFrame(rows, "device bigint, `ID` decimal(20,0), at timestamp, kind string")
    columns = {"user_id": "device", "event_id": "ID", "timestamp": "at", "event": F.lower("kind")}
    sums = ps.PermissionLake(frame, columns).sums(asked[0], shards=3)
    assert (sums.counts.users, sums.counts.events, sums.counts.rejected) == (5, 50, 0)
    assert sums.counts.newest == moment + datetime.timedelta(minutes=49)


def test_equal_copies_are_a_promise(events: Any, asked: list[ps.Question], log: permlog.Log, tmp_path: Path) -> None:
    with pytest.raises(permlog.DataError, match="copies differ from the event that was counted"):
        ps.PermissionLake(events, equal_copies=True).sums(asked[0], shards=2)
    log.export(tmp_path / "events.parquet")
    single = events.sparkSession.read.parquet(str(tmp_path / "events.parquet"))
    sums = ps.PermissionLake(single, equal_copies=True).sums(asked[0], shards=2)
    assert sums.report().to_json() == ps.PermissionLake(single).sums(asked[0], shards=2).report().to_json()


def test_a_vendors_table(spark: Any, asked: list[ps.Question], tmp_path: Path) -> None:
    rows = [(f"u{number % 4}", f"e{number}", "Push Prompt Shown") for number in range(12)]
    frame = (
        spark.createDataFrame(rows, "who string, id string, name string")
        .withColumn("at", F.lit("2026-03-02T10:00:00Z"))
        .withColumn("props", F.struct(F.lit("B").alias("copy")))
    )
    (tmp_path / "mine.yaml").write_text(
        "record:\n  recognise: [/who, /name, /at]\n  event: /name\n  user: /who\n  time: {from: /at}\n  id: /id\n"
        "  properties: [/props]\nfields:\n  variant: [copy]\nusual_spellings: false\nrules:\n"
        "  - event: Push Prompt Shown\n    kind: prompt_shown\n    permission: notifications\n"
    )
    with pytest.raises(permlog.UsageError, match="user is needed"):
        ps.PermissionLake(frame, mapping=tmp_path / "mine.yaml")
    lake = ps.PermissionLake(frame, mapping=tmp_path / "mine.yaml", user="who")
    found = lake.sums(ps.report("variant", as_of=AS_OF, log_start="2026-01-01"), shards=3)
    assert (found.counts.users, found.counts.events) == (4, 12)
    assert list(found.report().totals["variant"]) == ["B"]


def test_reasons_of_rejected_rows_are_the_same_in_every_job(
    spark: Any, asked: list[ps.Question], tmp_path: Path
) -> None:
    (tmp_path / "mine.yaml").write_text(
        "record:\n  recognise: [/who, /name, /at]\n  event: /name\n  user: /who\n  time: {from: /at}\n  id: /id\n"
        "usual_spellings: false\nrules:\n  - event: Asked\n    kind: prompt_shown\n    permission: {from: [kind]}\n"
    )
    rows = [(f"u{number}", "Asked" if number % 2 else None, "2026-03-02T10:00:00Z") for number in range(8)]
    frame = spark.createDataFrame(rows, "who string, name string, at string").withColumn("kind", F.lit("nothing"))
    lake = ps.PermissionLake(frame, mapping=tmp_path / "mine.yaml", user="who")
    first, second = (lake.sums(asked[0], shards=shards) for shards in (1, 3))
    assert first.counts.rejected
    assert sums_lines(first.to_bytes()) == sums_lines(second.to_bytes())
    # Neither names of folders nor values.
    assert set(first.counts.rejections) == {
        "permission is not a known permission",
        "the record has no name of an event",
    }
