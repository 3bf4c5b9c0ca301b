"""Comparisons, experiments, audits, flows and plans against the tool's JSON."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from conftest import DATA, Run, records

import permlog
from permlog import _questions


def _same(mine: Any, theirs: Any) -> bool:
    return bool(pd.isna(mine)) if theirs is None else bool(mine == theirs)


def _row_is(row: dict[str, Any], record: dict[str, Any], *, estimates: tuple[str, ...] = ()) -> None:
    """Every value of a record is in the row, under its key."""
    for key, theirs in record.items():
        if key in estimates:
            theirs = theirs or {"value": None, "low": None, "high": None}
            for end, part in (("", "value"), ("_low", "low"), ("_high", "high")):
                assert _same(row[key + end], theirs[part]), key + end
        elif isinstance(theirs, dict):
            _row_is({name.removeprefix(f"{key}_"): value for name, value in row.items()}, theirs)
        elif isinstance(theirs, list):
            assert list(row[key]) == theirs
        elif key in row and not isinstance(row[key], pd.Timestamp):
            assert _same(row[key], theirs), key


def _compared(sample: permlog.Log) -> permlog.Comparison:
    return sample.compare("A", "B", permission="notifications", by="platform", guardrail={"drop_off_rate": 1})


def test_the_decision(sample: permlog.Log) -> None:
    comparison = _compared(sample)
    found = json.loads(comparison.to_json())
    assert comparison.decision == "b_wins"
    assert comparison.winners == ("B",)
    assert comparison.decided_on == datetime.date(2026, 3, 8)
    assert comparison.difference == permlog.Interval(**found["difference"])
    assert comparison.difference_at_decision == permlog.Interval(**found["rule_interval"]["at_decision"])
    assert comparison.difference_by_rule == permlog.Interval(**found["rule_interval"]["now"])
    assert comparison.estimate == permlog.Interval(**found["estimate"])
    assert comparison.difference_at_decision is not None
    assert 0 < comparison.estimate.value < comparison.difference_at_decision.value
    assert comparison.outlook is None
    assert comparison.reasons == tuple(found["reasons"])
    assert comparison.sample_ratio is not None
    assert comparison.sample_ratio.observed == (392, 444)
    assert comparison.assigned is None


def test_before_a_decision_there_is_an_outlook(sample: permlog.Log) -> None:
    comparison = sample.compare("A", "B", permission="notifications", as_of="2026-02-03")
    assert comparison.estimate is None
    assert comparison.outlook == json.loads(comparison.to_json())["outlook"]
    assert comparison.outlook == "on_course"


def test_users_are_compared_by_assignment(log: permlog.Log) -> None:
    rows = []
    for user in range(120):
        at, variant = 1767225600000 + user * 9_000_000, "long" if user % 2 else "short"
        install = {"distinct_id": f"u{user}", "properties": {"$feature/copy": variant}}
        answer = f"Push Permission {'Granted' if user % 4 else 'Denied'}"
        for name, after in (("Opened", 0), ("Push Permission Prompt Shown", 1000), (answer, 5000)):
            if after == 0 or user % 3:
                time = datetime.datetime.fromtimestamp((at + after) / 1000, datetime.UTC).isoformat()
                rows.append({"event": name, "uuid": f"{user}-{after}", "timestamp": time, **install})
    log.ingest(pd.DataFrame(rows), format="posthog", experiment="copy")
    comparison = log.compare("short", "long", experiment="copy", permission="notifications", as_of="2026-02-01")
    assert comparison.assigned is not None
    assert comparison.assigned.users == (60, 60)
    assert comparison.assigned.exposed == (40, 40)
    assert comparison.arms["exposed"].tolist() == [40, 40]


def test_messages_of_settings_prompts_are_compared(log: permlog.Log) -> None:
    rows = []
    for user in range(200):
        at, variant = 1767225600000 + user * 9_000_000, "benefit" if user % 2 else "plain"
        shared = {"user_id": f"u{user}", "permission": "notifications"}
        kinds = [("prompt_shown", 0), ("denied", 4000), ("settings_prompt_shown", 90_000_000)]
        if user % 8 in (0, 1, 3):
            kinds.append(("re_enabled", 180_000_000))
        for kind, after in kinds:
            text = {"variant": variant} if kind == "settings_prompt_shown" else {}
            rows.append({"timestamp": at + after, "event": kind, **shared, **text})
    log.ingest(pd.DataFrame(rows))
    comparison = log.compare("plain", "benefit", screen="settings", as_of="2026-03-01")
    assert (comparison.screen, comparison.metric) == ("settings", "settings_enabled")
    assert comparison.arms["exposed"].tolist() == [100, 100]
    assert comparison.arms["successes"].tolist() == [25, 50]
    question = _questions.compare("plain", "benefit", screen="settings", permission="notifications", as_of="2026-03-01")
    assert question.data["screen"] == "settings"
    assert "--screen=settings" in question.options()[0]


def test_tables_of_a_comparison(sample: permlog.Log) -> None:
    comparison = _compared(sample)
    found = comparison.data
    for row, record in zip(records(comparison.arms), [found["a"], found["b"]], strict=True):
        _row_is(row, record, estimates=("rate",))
        assert row["message"] == record["variant"]
    for table in ("secondary", "observations", "guardrails"):
        rows = records(getattr(comparison, table))
        for row, record in zip(rows, found[table], strict=True):
            record = {key: value for key, value in record.items() if key not in ("low", "high")}
            _row_is(row, record, estimates=("difference",))
    for row, record in zip(records(comparison.segments), found["segments"]["segments"], strict=True):
        _row_is(row, record, estimates=("difference",))
    for row, record in zip(records(comparison.series), found["series"], strict=True):
        assert row["day"] == pd.Timestamp(record["day"])
        assert row["a_trials"] == record["a"]["trials"]
        for mine, theirs in (("difference", "difference"), ("rule_low", "rule_low"), ("always_valid_high", "high")):
            assert _same(row[mine], record[theirs])
    for row, record in zip(records(comparison.looks), found["monitoring"]["looks"], strict=True):
        _row_is(row, record, estimates=("difference",))
    looks = comparison.looks
    assert looks.loc[looks["crossed"], "day"].min() == pd.Timestamp("2026-03-08")


def test_several_messages_have_a_row_each(log: permlog.Log, tmp_path: Path) -> None:
    lines = (DATA / "export-1.ndjson").read_text().splitlines()
    every_other = [
        line.replace('"variant":"B"', '"variant":"C"') if number % 2 else line for number, line in enumerate(lines)
    ]
    (tmp_path / "three.ndjson").write_text("\n".join(every_other))
    with pytest.warns(permlog.PermlogWarning):
        log.ingest(tmp_path / "three.ndjson")
    comparison = log.compare("A", "B", "C", permission="notifications")
    assert list(comparison.arms["message"]) == ["A", "B", "C"]
    assert list(comparison.decisions["message"]) == ["B", "C"]
    assert list(comparison.decisions["decision"]) == [comparison.decision, comparison.data["others"][0]["decision"]]
    assert comparison.winners == tuple(comparison.data["overall"]["winners"])
    assert set(comparison.series["message"]) == {"B", "C"}


def test_a_comparison_as_planned_with_its_record(sample: permlog.Log, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    sample.plan("A", "B", permission="notifications", effect=5, save=plan, baseline=40, traffic=50, as_of="2026-01-22")
    assert json.loads(plan.read_text())["schema"].startswith("permlog.plan-file/")
    comparison = sample.compare(plan=plan, record=True)
    assert (tmp_path / "plan.looks.json").exists()
    assert comparison.permission == "notifications"
    assert "B" in comparison.text()


def test_experiments_have_a_row_a_message(sample: permlog.Log, tool: Run) -> None:
    experiments = sample.experiments()
    rows, found = experiments.rows, experiments.data["experiments"]
    assert len(experiments) == len(found) == 4
    text = tool("experiments", "--log", sample.path, "--format", "csv").decode().splitlines()
    names = text[0].split(",")
    for row, line in zip(records(rows), text[1:], strict=True):
        said = dict(zip(names, line.split(","), strict=True))
        assert (row["experiment"], row["message"]) == (said["experiment"], said["message"])
        for name in ("exposed", "rate", "rate_low", "rate_high", "difference", "difference_low", "difference_high"):
            assert _same(row[name], float(said[name]) if said[name] else None), name
        assert _same(row["decision"], said["decision"] or None)
        assert _same(row["decided_on"], pd.Timestamp(said["decided_on"]) if said["decided_on"] else None)


def test_winners_of_experiments_may_be_false(sample: permlog.Log) -> None:
    experiments = sample.experiments(split={"notification_copy_v1": [1, 1]})
    pairs = [pair for found in experiments.data["experiments"] for pair in found["comparisons"]]
    won = [pair for pair in pairs if pair["winner"] is not None]
    assert experiments.winners is not None and won
    assert experiments.winners.comparisons == len(pairs) and experiments.winners.winners == len(won)
    assert experiments.winners.expected_false == pytest.approx(0.05 * experiments.winners.kept)
    assert [row for row in records(experiments.rows) if row["winner_kept"] is not None]
    declared = {found["experiment"]: found["sample_ratio"] for found in experiments.data["experiments"]}
    assert declared["notification_copy_v1"]["split_declared"] is True
    with pytest.raises(permlog.UsageError, match="split: the log has no experiment nothing"):
        sample.experiments(split={"nothing": "1:1"})


def test_an_audit_of_some_checks(sample: permlog.Log) -> None:
    audit = sample.audit(only=["no_activity", "cold_ask"], all=True)
    assert audit.only == ["cold_ask", "no_activity"]
    assert set(audit.findings["id"]) | set(audit.others["id"]) == {"cold_ask", "no_activity"}
    assert repr(audit).endswith(", only of cold_ask, no_activity>")
    assert sample.audit().only is None
    with pytest.raises(permlog.UsageError, match=r"^only: feed_stoped is not the id .* mean feed_stopped\?"):
        sample.audit(only="feed_stoped")


def test_findings_of_an_audit(sample: permlog.Log) -> None:
    audit = sample.audit(DATA / "app" / "Info.plist", all=True, threshold={"cold_ask": 25}, examples=2)
    for row, record in zip(records(audit.findings), audit.data["findings"], strict=True):
        _row_is(row, record, estimates=("share", "cost"))
    for row, record in zip(records(audit.others), audit.data["others"], strict=True):
        _row_is(row, record, estimates=("share", "cost"))
    assert len(audit) == len(audit.findings)
    assert audit.findings["users"].isna().any(), "what counts nothing is unknown"
    assert set(audit.findings["severity"]) == {"error", "warning", "note"}
    plain = sample.audit()
    assert plain.others.empty
    assert plain.calls.empty
    assert not plain.findings["examples"].map(bool).any()


def test_calls_in_code(sample: permlog.Log, tmp_path: Path) -> None:
    (tmp_path / "Scan.swift").write_text("import AVFoundation\nAVCaptureDevice.requestAccess(for: .video) { _ in }\n")
    audit = sample.audit(DATA / "app" / "Info.plist", source=tmp_path)
    (call,) = records(audit.calls)
    assert (call["symbol"], call["line"], call["permissions"]) == ("requestAccess", 2, ["camera"])
    assert audit.findings["locations"].map(bool).any()


def test_tables_of_flows(onboarding: permlog.Log) -> None:
    flow = onboarding.flow(["notifications", "photo_library", "tracking"])
    for row, record in zip(records(flow.flows), flow.data["flow"], strict=True):
        assert [row[name] for name in ("flows", "pending", "settled", "users", "more")] == [
            record[name] for name in ("flows", "pending", "settled", "users", "more")
        ]
    for table in ("lists", "by_position", "by_outcome_before"):
        entries = [{"week": e["week"], "which": e["which"], **r} for e in flow.data["flow"] for r in e[table]]
        for row, record in zip(records(getattr(flow, table)), entries, strict=True):
            _row_is(row, record, estimates=("rate",))
    tree = [record for entry in flow.data["flow"] for record in entry["tree"]]
    for row, record in zip(records(flow.tree), tree, strict=True):
        assert row["prefix"] == record["prefix"]
        assert row["granted"] == record["outcomes"]["granted"]
        assert row["ended_by_outcome_denied"] == record["ended_by_outcome"]["denied"]
        assert row["went_on"] == record["went_on"]
    declared = flow.data["flow"][0]["declared"]
    mine = flow.declared[flow.declared["week"].isna() & flow.declared["which"].eq("all")]
    assert list(mine["reached"]) == declared["reached"]
    assert list(mine["answered"]) == declared["answered"]
    assert flow.duration.iloc[0]["p50_ms"] == declared["duration_ms"]["p50"]
    assert onboarding.flow().declared.empty


def test_designs_of_a_plan(sample: permlog.Log) -> None:
    plan = sample.plan(permission="notifications", effect=5)
    for row, record in zip(records(plan.designs), plan.data["designs"], strict=True):
        _row_is(row, record)
    assert plan.baseline == plan.data["baseline"]
    assert permlog.Log("no such log").plan(baseline=40, traffic=100, effect=5).designs["days"].notna().all()


def test_large_groups(sample: permlog.Log, tmp_path: Path) -> None:
    groups = sample.large_groups(10, by="country", permission="notifications")
    spans = groups.spans
    assert set(spans["permission"]) == {"notifications"}
    assert (spans["granted"] >= 10).all()
    assert (spans["base"] - spans["granted"] >= 10).all()
    assert spans["grant_rate"].to_list() == pytest.approx((spans["granted"] / spans["base"]).to_list())
    values = groups.values
    assert set(values["of"]) <= {"value", "none", "others"}
    assert (values["granted"] >= 10).all()
    assert "(other)" in groups.text()
    assert groups.answers["denied"].ge(10).all()
    assert groups.to_html(tmp_path / "groups.html").startswith("<!DOCTYPE html>")
    assert repr(groups).startswith("<permlog large groups: ")
    with pytest.raises(permlog.UsageError):
        sample.large_groups(1)
