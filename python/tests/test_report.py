"""The report's tables against the tool's CSV, which names each figure on its own."""

from __future__ import annotations

import datetime
import io
import json
import warnings
from typing import Any

import pandas as pd
import pytest
from conftest import AS_OF, Run, records

import permlog


def _figures(tool: Run, log: permlog.Log, *options: str, by: str = "by") -> dict[Any, tuple[float, ...]]:
    """Every figure of the CSV under (permission, week, value of by, name)."""
    text = tool("report", "--log", log.path, "--format", "csv", *options)
    table = pd.read_csv(io.BytesIO(text), keep_default_na=False, dtype=str)
    found = {}
    for row in records(table):
        key = (row["permission"], row["week"], row[by] if row["other"] != "true" else "(other)", row["figure"])
        found[key] = tuple(float(row[name] or "nan") for name in ("value", "low", "high"))
    return found


def _same(a: object, b: float) -> bool:
    return (pd.isna(a) and pd.isna(b)) or a == b  # type: ignore[call-overload]


# Of each table, what the name of its figures begins with.
_LONG = {
    "steps": "steps.{step}",
    "granted_by_follow_up": "granted_by_follow_up",
    "after_grant": "after_grant",
    "enabled_later": "enabled_later.{outcome}",
    "retention": "retention.day_{day}.{outcome}",
    "retention_difference": "retention.day_{day}",
    "trend": "trend",
    "usual": "usual",
    "explained_against_cold": "explained_against_cold",
    "settings_prompt": "settings_prompt",
    "engagement": "engagement",
    "rows": "",
}
_KEYS = {
    "permission",
    "week",
    "week_start",
    "complete",
    "step",
    "outcome",
    "day",
    "previous_week",
    "outside",
    "surface",
    "other",
}


def _name(table: str, prefix: str, column: str) -> str:
    """The figure's name in CSV."""
    if table in ("explained_against_cold", "settings_prompt", "engagement"):
        for side in ("explained", "cold", "not_granted", "granted", "trials_not_prompted", "trials_prompted", "trials"):
            if column.startswith(side + "_"):
                column = f"{side.replace('trials_', 'trials.')}.{column.removeprefix(side + '_')}"
                break
    return f"{prefix}.{column}" if prefix else column


def _covered(report: permlog.Report, figures: dict[Any, Any], by: str | None = None) -> set[Any]:
    """Compares each cell of the tables with its figure; the figures that were met."""
    met = set()
    for table, pattern in _LONG.items():
        frame: pd.DataFrame = getattr(report, table)
        numbers = [name for name in frame.columns if name not in _KEYS and not name.endswith(("_low", "_high"))]
        for row in records(frame):
            prefix = pattern.format(**row)
            week = "" if pd.isna(row["week"]) else row["week"]
            value = ""
            if by is not None:
                value = "(other)" if row["other"] else ("" if pd.isna(row[by]) else row[by])
            for column in numbers:
                key = (row["permission"], week, value, _name(table, prefix, column))
                if key not in figures:
                    assert table in ("steps", "settings_prompt"), key
                    assert pd.isna(row[column]), key
                    continue
                met.add(key)
                expected = (
                    row[column],
                    row.get(f"{column}_low", float("nan")),
                    row.get(f"{column}_high", float("nan")),
                )
                for mine, theirs in zip(expected, figures[key], strict=True):
                    assert _same(mine, theirs), (key, mine, theirs)
    return met


def _times_and_curves(report: permlog.Report, figures: dict[Any, Any]) -> set[Any]:
    met = set()
    for row in records(report.times):
        week = "" if pd.isna(row["week"]) else row["week"]
        prefix = f"{row['measure']}_ms" if pd.isna(row["outcome"]) else f"time_by_outcome_ms.{row['outcome']}"
        for column in ("count", "mean", "p50", "p90", "p99"):
            key = (row["permission"], week, "", f"{prefix}.{column}")
            met.add(key)
            assert _same(row[column if column == "count" else f"{column}_ms"], figures[key][0]), key
    for row in records(report.kaplan_meier):
        week = "" if pd.isna(row["week"]) else row["week"]
        key = (row["permission"], week, "", f"enabled_later.{row['outcome']}.kaplan_meier.day_{row['day']}")
        met.add(key)
        for mine, theirs in zip((row["value"], row["low"], row["high"]), figures[key], strict=True):
            assert _same(mine, theirs), key
    return met


def test_every_figure_of_the_csv_is_in_a_table(sample: permlog.Log, tool: Run) -> None:
    report, figures = sample.report(), _figures(tool, sample)
    met = _covered(report, figures) | _times_and_curves(report, figures)
    for row in records(report.activity):
        key = ("" if pd.isna(row["permission"]) else row["permission"], row["week"], "", f"activity.{row['kind']}")
        assert row["events"] == figures[key][0]
        met.add(key)
    for row in records(report.reach):
        for column in (
            "active_users",
            "never_asked",
            "on",
            "partial",
            "off",
            "restricted",
            "undecided",
            "turned_on",
            "turned_off",
        ):
            key = (row["permission"], "", "", f"reach.{column}")
            assert row[column] == figures[key][0]
            met.add(key)
    for row in records(report.timing):
        prefix = f"timing.{row['classification']}"
        assert _same(row["trend_p"], figures[row["permission"], "", "", f"{prefix}.trend_p"][0])
        met.add((row["permission"], "", "", f"{prefix}.trend_p"))
        for column in ("base", "granted", "rate"):
            key = (row["permission"], "", "", f"{prefix}.{row['class']}.{column}")
            assert _same(row[column], figures[key][0]), key
            met.add(key)
    left = {key for key in figures if key not in met and key[0]}
    # Of what the log has no evidence of, the JSON has no object, and so the tables no row.
    assert all(key[3].startswith("timing.by_install") for key in left), sorted(left)[:5]
    assert len(met) > 5000


def test_numbered_events_are_a_table(log: permlog.Log, sample: permlog.Log) -> None:
    assert sample.report().completeness.empty
    rows = [
        {
            "event_id": f"0000000a-0000-8000-8000-{number:012x}",
            "user_id": "u",
            "timestamp": f"2026-01-0{number}T10:00:00Z",
            "event": "prompt_shown",
            "permission": "camera",
            "app_version": "2.0",
        }
        for number in (1, 2, 4, 5)
    ]
    log.ingest(pd.DataFrame(rows), progress=False)
    found = records(log.report().completeness)
    assert [(row["part"], row["numbered"], row["arrived"]) for row in found] == [
        ("all", 3, 2),
        ("week", 2, 1),
        ("version", 3, 2),
        ("platform", 3, 2),
    ]
    assert (found[1]["value"], found[2]["value"], pd.isna(found[3]["value"])) == ("2026-W01", "2.0", True)


def test_figures_under_by(sample: permlog.Log, tool: Run) -> None:
    report = sample.report("surface", by_limit=2)
    met = _covered(report, _figures(tool, sample, "--by", "surface", "--by-limit", "2"), by="surface")
    assert len(met) > 1000
    assert report.rows["other"].any()
    assert report.rows.loc[report.rows["other"], "surface"].isna().all()
    assert report.by == ("surface",)


def test_two_properties_have_a_column_each(sample: permlog.Log) -> None:
    rows = sample.report(["surface", "country"]).totals
    found = json.loads(sample.report(["surface", "country"]).to_json())
    totals = [row for row in found["rows"] if row["week"] is None]
    assert list(rows["surface"]) == [row["by"][0]["value"] for row in totals]
    assert list(rows["country"]) == [row["by"][1]["value"] for row in totals]


def test_ranking_is_the_json(sample: permlog.Log) -> None:
    report = sample.report("country", permission="notifications")
    ranking, found = report.ranking, json.loads(report.to_json())["by_ranking"][0]
    assert list(ranking["value"]) == [value["value"] for value in found["values"]]
    assert list(ranking["lost_grants"]) == [value["lost_grants"] for value in found["values"]]
    assert set(ranking["p_value"]) == {found["test"]["p_value"]}


def test_no_evidence_is_a_row_each(sample: permlog.Log) -> None:
    report = sample.report()
    expected = sum(len(row["no_evidence"]) for row in json.loads(report.to_json())["rows"])
    assert len(report.no_evidence) == expected > 0
    assert set(report.no_evidence["evidence"]) == {"app_installed"}


def _line(user: int, milliseconds: int, event: str, permission: str, **more: str) -> str:
    time = 1_772_445_600_000 + user * 3_600_000 + milliseconds
    return json.dumps({"user_id": f"u{user}", "timestamp": time, "event": event, "permission": permission, **more})


@pytest.fixture
def sparse(log: permlog.Log, tmp_path: Any) -> permlog.Log:
    """A log of which hardly any figure is known: each permission is logged in another way."""
    lines = []
    for user in range(40):
        answer = "granted" if user % 4 else "denied"
        status = "authorized" if user % 4 else "denied"
        took = 20 if user % 2 else 4000
        lines += [
            # Half of the calls return at once.
            _line(user, 0, "prompt_shown", "tracking", platform="ios"),
            _line(user, took, answer, "tracking", platform="ios"),
            # Prompt and answer are logged together.
            _line(user, 60_000, "prompt_shown", "notifications"),
            _line(user, 60_001, answer, "notifications"),
            # The status tells the answer.
            _line(user, 120_000, "prompt_shown", "camera"),
            _line(user, 125_000, "status_checked", "camera", status=status),
            # Answers without screens, and screens without answers.
            _line(user, 180_000, answer, "contacts"),
            _line(user, 240_000, "prompt_shown", "siri"),
        ]
    (tmp_path / "sparse.ndjson").write_text("\n".join(lines))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", permlog.PermlogWarning)
        log.ingest(tmp_path / "sparse.ndjson")
    return log


def test_what_is_not_known_is_missing_in_every_table(sparse: permlog.Log, tool: Run) -> None:
    report = sparse.report(as_of="2026-05-01")
    found = {row["permission"]: row for row in json.loads(report.to_json())["rows"] if row["week"] is None}
    assert found["contacts"]["steps"] is None
    assert found["notifications"]["time_to_answer_ms"] is None
    assert found["siri"]["granted"] is None
    for name in [*_LONG, "times", "kaplan_meier", "no_evidence", "reach", "activity", "timing", "ranking", "totals"]:
        assert isinstance(getattr(report, name), pd.DataFrame), name
    totals = report.totals.set_index("permission")
    assert totals["granted"].isna()["siri"]
    assert totals["dropped_off"].isna()["contacts"]
    assert totals.loc["camera", "answered_by_status"] == 40
    assert totals["granted"].dtype == "Int64"
    steps, times = (frame[frame["week"].isna()] for frame in (report.steps, report.times))
    assert len(steps) == 2 * len(totals)
    assert steps.loc[steps["permission"] == "contacts", "shown"].isna().all()
    assert len(times) == 6 * len(totals)
    unknown = times[times["permission"] == "contacts"]
    assert unknown["count"].isna().all()
    assert unknown["p50_ms"].isna().all()
    evidence = report.no_evidence.groupby("permission")["evidence"].agg(set)
    assert "screens" in evidence["contacts"]
    assert "answers" in evidence["siri"]
    assert "prompt_times" in evidence["notifications"]
    assert _covered(report, _figures(tool, sparse, "--as-of", "2026-05-01"))


def test_calls_that_return_at_once(sparse: permlog.Log) -> None:
    report = sparse.report(as_of="2026-05-01")
    rows = report.at_once.set_index("permission")
    assert list(rows.index) == ["notifications", "tracking"]
    assert list(rows.loc["tracking"]) == ["ios", 40, 20, True]
    assert rows["platform"].isna()["notifications"]
    assert not rows["applied"]["notifications"]
    assert report.totals.set_index("permission").loc["tracking", "exposed"] == 20
    for nothing in ("0s", datetime.timedelta()):
        every = sparse.report(as_of="2026-05-01", at_once=nothing)
        assert every.data["at_once_ms"] == 0
        assert every.totals.set_index("permission").loc["tracking", "exposed"] == 40
        assert every.at_once.empty


def test_charts_of_what_is_not_known(sparse: permlog.Log) -> None:
    report = sparse.report(as_of="2026-05-01")
    outcomes = report.plot.outcomes()
    assert "1 permission without known answers not shown" in outcomes.get_xlabel()
    bars = [bar for bar in outcomes.patches if hasattr(bar, "get_width")]
    assert all(bar.get_width() == bar.get_width() for bar in bars)
    report.plot.outcomes("contacts")
    report.plot.grant_rate()


def test_dtypes_keep_unknown_apart_from_zero(sample: permlog.Log) -> None:
    report = sample.report(permission="camera")
    rows = report.rows
    assert rows["exposed"].dtype == "Int64"
    assert rows["grant_rate"].dtype == "float64"
    assert rows["permission"].dtype == "string"
    assert rows["complete"].dtype == "boolean"
    assert rows["week_start"].dtype == "datetime64[ns]"
    assert list(report.weeks["week_start"].dt.strftime("%G-W%V")) == list(report.weeks["week"])
    newest = report.granted_by_follow_up.iloc[-1]
    assert newest["eligible"] == 0
    assert pd.isna(newest["rate"])


def test_rows_are_weeks_and_totals(sample: permlog.Log) -> None:
    report = sample.report()
    assert len(report.rows) == len(report.weeks) + len(report.totals)
    assert (
        report.weeks.groupby("permission")["exposed"].sum() == report.totals.set_index("permission")["exposed"]
    ).all()


def test_a_table_is_the_callers_own(sample: permlog.Log) -> None:
    report = sample.report()
    rows = report.rows
    rows["exposed"] = 0
    assert (report.rows["exposed"] > 0).any()


def test_a_log_without_events_has_empty_tables_with_dtypes(log: permlog.Log, tmp_path: Any) -> None:
    (tmp_path / "empty.ndjson").write_bytes(b"")
    log.ingest(tmp_path / "empty.ndjson")
    report = log.report()
    assert report.as_of is None
    assert report.rows.empty
    assert report.rows["exposed"].dtype == "Int64"
    assert len(report.weeks) == 0


def test_attributes(sample: permlog.Log) -> None:
    report = sample.report(where=["country=DE,FR", "surface!=map"], time_zone="Europe/Berlin")
    assert report.as_of == datetime.datetime.fromisoformat(AS_OF.replace("Z", "+00:00"))
    assert report.time_zone == "Europe/Berlin"
    assert len(report.where) == 2
    assert (report.events, report.users) == (report.data["events"], report.data["users"])
    assert report.log_start is not None


@pytest.mark.parametrize(
    "as_of",
    ["2026-03-01T12:00:00Z", datetime.datetime(2026, 3, 1, 13, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))],
)
def test_as_of_may_be_text_or_time(sample: permlog.Log, as_of: Any) -> None:
    assert sample.report(as_of=as_of).data["as_of"] == "2026-03-01T12:00:00.000Z"


def test_json_is_the_tools_own(sample: permlog.Log, tool: Run) -> None:
    assert sample.report().to_json().encode() == tool("report", "--log", sample.path, "--format", "json")


def test_another_schema_is_an_error(sample: permlog.Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permlog.Report, "_schema", "permlog.report/99")
    with pytest.raises(permlog.FailedError, match="permlog.report/3, but this package reads permlog.report/99"):
        sample.report()
