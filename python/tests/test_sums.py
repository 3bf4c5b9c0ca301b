"""Questions and sums in Python, without Spark: the same answers as a log, from files of any division."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from conftest import AS_OF, DATA, Run

import permlog
from permlog import spark as ps

START = "2026-01-01"


@pytest.fixture(scope="module")
def questions() -> list[ps.Question]:
    return [
        ps.report(as_of=AS_OF, log_start=START),
        ps.report("country", as_of=AS_OF, log_start=START, time_zone="Europe/Berlin"),
        ps.compare("A", "B", permission="notifications", as_of=AS_OF),
        ps.flow(["notifications", "camera"], as_of=AS_OF),
        ps.audit(as_of=AS_OF, log_start=START),
    ]


@pytest.fixture(scope="module")
def sums(
    sample: permlog.Log, questions: list[ps.Question], tool: Run, tmp_path_factory: pytest.TempPathFactory
) -> permlog.Sums:
    """Of the sample's events in three shards, read in another order."""
    folder = tmp_path_factory.mktemp("sums")
    events = [json.loads(line) for line in tool("export", "--log", sample.path).splitlines()]
    users = sorted({event["user_id"] for event in events})
    for number, question in enumerate(questions):
        question.save(folder / f"{number}.question")
    asked = [f"--question={folder / f'{number}.question'}" for number in range(len(questions))]
    for shard in range(3):
        mine = set(users[shard::3])
        lines = "".join(json.dumps(event) + "\n" for event in reversed(events) if event["user_id"] in mine)
        place = f"--output={folder / f'{shard}.sums'}"
        shown = ("--format=ndjson", f"--shard={shard + 1}/3", "--job=test", place)
        tool("sums", "make", "-", *asked, *shown, text=lines.encode())
    return permlog.read_sums([folder / f"{shard}.sums" for shard in (2, 0, 1)])


def test_answers_are_those_of_one_log(sample: permlog.Log, sums: permlog.Sums, questions: list[ps.Question]) -> None:
    plain, by = questions[0], questions[1]
    assert sums.report(plain).to_json() == sample.report(as_of=AS_OF, log_start=START).to_json()
    expected = sample.report("country", as_of=AS_OF, log_start=START, time_zone="Europe/Berlin")
    assert sums.report(by).to_json() == expected.to_json()
    assert sums.report(by).to_html() == expected.to_html()
    assert sums.report(by).ranking.equals(expected.ranking)
    compared = sample.compare("A", "B", permission="notifications", as_of=AS_OF)
    assert sums.compare().to_json() == compared.to_json()
    assert sums.flow().to_json() == sample.flow(["notifications", "camera"], as_of=AS_OF).to_json()
    assert sums.audit().findings.equals(sample.audit(as_of=AS_OF, log_start=START).findings)


def test_what_is_chosen_after_counting(sample: permlog.Log, sums: permlog.Sums, questions: list[ps.Question]) -> None:
    mine = sums.compare(metric="skip_rate", split=[2, 1], guardrail={"deny_rate": 1})
    log = sample.compare(
        "A", "B", permission="notifications", as_of=AS_OF, metric="skip_rate", split=[2, 1], guardrail={"deny_rate": 1}
    )
    assert mine.to_json() == log.to_json()
    limited = sums.report(questions[1], by_limit=2)
    assert (
        limited.to_json()
        == sample.report("country", as_of=AS_OF, log_start=START, time_zone="Europe/Berlin", by_limit=2).to_json()
    )
    lower = sums.audit(threshold={"cold_ask": 1}, permission="camera")
    log_lower = sample.audit(as_of=AS_OF, log_start=START, threshold={"cold_ask": 1}, permission="camera")
    assert len(lower.findings) > 0
    assert lower.to_json() == log_lower.to_json()
    assert len(sums.audit(all=True).others) > 0
    assert sums.flow(permission="camera").to_json() == (
        sample.flow(["notifications", "camera"], as_of=AS_OF, permission="camera").to_json()
    )


def test_a_format_gives_the_text_of_the_tool(
    sample: permlog.Log, sums: permlog.Sums, questions: list[ps.Question], tool: Run
) -> None:
    found = sums.report(questions[0], format="csv")
    assert found.encode() == tool(
        "report", "--log", sample.path, "--as-of", AS_OF, "--log-start", START, "--format", "csv"
    )
    with pytest.raises(permlog.UsageError):
        sums.report(questions[0], format="docx")


def test_counts(sample: permlog.Log, sums: permlog.Sums) -> None:
    counts, info = sums.counts, sample.info()
    assert (counts.events, counts.newest) == (info.events, info.newest)
    assert counts.users == sample.report(as_of="2026-12-31").users
    assert (counts.rejected, counts.rejections, counts.missing, counts.shards) == (0, {}, (), 3)


def test_who_reads_sums_is_told_of_rejected_lines_once(tool: Run, tmp_path: Path) -> None:
    ps.report(as_of=AS_OF, log_start=START).save(tmp_path / "q")
    event = {"timestamp": "2026-03-02T10:00:00Z", "event": "app_active"}
    lines = "".join(json.dumps({"user_id": user, **event}) + "\n" for user in ("u1", "u2", "anonymous"))
    tool("sums", "make", "-", f"--question={tmp_path / 'q'}", f"--output={tmp_path / 's'}", text=lines.encode())
    with pytest.warns(permlog.PermlogWarning, match=r"^1 of 3 rows were rejected \(1: user_id names no user\)"):
        sums = permlog.read_sums(tmp_path / "s")
    assert (sums.counts.rows, sums.counts.rejected, sums.counts.unmapped) == (3, 1, 0)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        sums.report().to_json()
    # What else there is to say is said.
    assert len(said) == 1
    assert str(said[0].message).startswith("The newest event of these sums is from 2026-03-02")


def test_sums_of_a_log_do_not_know_what_was_rejected(sample: permlog.Log, tool: Run, tmp_path: Path) -> None:
    ps.report(as_of=AS_OF, log_start=START).save(tmp_path / "q")
    tool("sums", "make", "--log", sample.path, f"--question={tmp_path / 'q'}", f"--output={tmp_path / 's'}")
    counts = permlog.read_sums(tmp_path / "s").counts
    assert (counts.rows, counts.rejected, counts.unmapped, counts.rejections) == (None, None, None, {})
    assert "rejected" not in repr(counts)


def test_saved_sums_are_read_again(sums: permlog.Sums, tmp_path: Path) -> None:
    sums.save(tmp_path / "all.sums")
    assert permlog.read_sums(tmp_path / "all.sums").to_bytes() == sums.to_bytes()


def test_several_questions_of_a_kind_need_a_choice(
    sample: permlog.Log, sums: permlog.Sums, questions: list[ps.Question], tool: Run, tmp_path: Path
) -> None:
    # Two time zones: neither asks for less than the other.
    with pytest.raises(permlog.UsageError, match="^sums: the sums answer 2 questions of a report, and several fit"):
        sums.report()
    words = []
    for by in ("country", "surface"):
        ps.report(by, as_of=AS_OF, log_start=START).save(tmp_path / by)
        words.append(f"--question={tmp_path / by}")
    tool("sums", "make", "--log", sample.path, *words, f"--output={tmp_path / 's'}")
    with pytest.raises(permlog.UsageError, match="^sums: the sums answer 2 questions of a report"):
        permlog.read_sums(tmp_path / "s").report()
    # Without further options means the one question that has none.
    plain = ps.report(as_of=AS_OF, log_start=START)
    plain.save(tmp_path / "plain")
    words.append(f"--question={tmp_path / 'plain'}")
    tool("sums", "make", "--log", sample.path, *words, f"--output={tmp_path / 't'}")
    assert permlog.read_sums(tmp_path / "t").report().to_json() == sums.report(questions[0]).to_json()
    with pytest.raises(permlog.UsageError, match="not for .flow"):
        sums.flow(questions[0])


def test_a_plan_fixes_only_a_part_of_a_question(sample: permlog.Log, tool: Run, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    tool(
        *("plan", "A", "B", "--permission=notifications", "--effect=5", "--baseline=40", "--traffic=300"),
        f"--save={plan}",
    )
    wanted: list[dict[str, Any]] = [{"as_of": AS_OF}, {"as_of": "2026-03-01"}, {"as_of": AS_OF, "by": "country"}]
    asked = [ps.compare("A", "B", permission="notifications", **each) for each in wanted]
    for number, question in enumerate(asked):
        question.save(tmp_path / f"{number}.question")
    words = [f"--question={tmp_path / f'{number}.question'}" for number in range(len(asked))]
    tool("sums", "make", "--log", sample.path, *words, f"--output={tmp_path / 'sums'}")
    sums = permlog.read_sums(tmp_path / "sums")
    for each, question in zip(wanted, asked, strict=True):
        assert sums.compare(question, plan=plan).to_json() == sample.compare(plan=plan, **each).to_json()


def test_a_missing_shard_is_refused(
    sums: permlog.Sums, questions: list[ps.Question], tool: Run, tmp_path: Path
) -> None:
    questions[4].save(tmp_path / "q")
    tool(
        "sums",
        "make",
        "-",
        "--format=ndjson",
        f"--question={tmp_path / 'q'}",
        "--shard=2/3",
        "--job=x",
        f"--output={tmp_path / 's'}",
        text=b"",
    )
    with pytest.warns(permlog.PermlogWarning, match="shards 1, 3 of 3 are missing"):
        part = permlog.read_sums(tmp_path / "s")
    assert part.counts.missing == (1, 3)
    assert "shards 1, 3 of 3 are missing" in repr(part.counts)
    with pytest.raises(permlog.DataError, match="1"):
        part.audit()


def test_damage_is_refused(sums: permlog.Sums, tmp_path: Path) -> None:
    text = bytearray(sums.to_bytes())
    text[len(text) // 2] ^= 1
    (tmp_path / "damaged.sums").write_bytes(text)
    with pytest.raises(permlog.DataError, match=r"damaged\.sums"):
        permlog.read_sums(tmp_path / "damaged.sums")
    with pytest.raises(permlog.UsageError, match="empty"):
        permlog.read_sums([])


def test_a_question_travels_as_a_file(questions: list[ps.Question], tmp_path: Path) -> None:
    questions[2].save(tmp_path / "q")
    again = ps.read_question(tmp_path / "q")
    assert again == questions[2]
    assert (again.kind, again.data["variants"]) == ("compare", ["A", "B"])
    (tmp_path / "other").write_bytes(b"{}\n")
    with pytest.raises(permlog.DataError, match="has no question"):
        ps.read_question(tmp_path / "other")
    with pytest.raises(permlog.FailedError, match="cannot be read"):
        ps.read_question(tmp_path / "missing")


def test_a_question_without_its_moment_is_refused() -> None:
    with pytest.raises(permlog.UsageError, match="^report needs as_of"):
        ps.report()  # type: ignore[call-arg]
    with pytest.raises(permlog.UsageError, match="permission"):
        ps.compare("A", "B", as_of=AS_OF)
    with pytest.raises(permlog.UsageError):
        ps.report(as_of="yesterday")


def test_importing_needs_no_spark(tmp_path: Path) -> None:
    import subprocess
    import sys

    code = 'import permlog.spark, sys; assert not {"pyspark", "pyarrow", "pandas"} & sys.modules.keys()'
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_lake_is_made_of_a_spark_frame() -> None:
    frame: Any = DATA
    with pytest.raises(permlog.UsageError, match="data frame of Spark"):
        ps.PermissionLake(frame)
