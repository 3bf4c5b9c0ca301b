"""Journeys and events as rows: equal to the tool's CSV, and back again without a change."""

from __future__ import annotations

import io
import warnings
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import Run

import permlog


def _as_csv(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame's values as the tool writes them."""
    made = frame.copy()
    for name in made.columns:
        if isinstance(made[name].dtype, pd.DatetimeTZDtype):
            text = made[name].dt.strftime("%Y-%m-%dT%H:%M:%S.%f").str[:-3] + "Z"
            made[name] = text
        elif made[name].dtype == "boolean":
            made[name] = made[name].map({True: "true", False: "false"})
        made[name] = made[name].astype("string").fillna("")
    return made.astype(object)


def test_journeys_are_the_csv(sample: permlog.Log, tool: Run) -> None:
    frame = sample.journeys().to_pandas()
    text = tool("export", "--journeys", "--format", "csv", "--log", sample.path)
    expected = pd.read_csv(io.BytesIO(text), dtype=str, keep_default_na=False).astype(object)
    pd.testing.assert_frame_equal(_as_csv(frame), expected, check_dtype=False, check_column_type=False)


def test_journeys_are_chosen_as_in_the_report(sample: permlog.Log) -> None:
    chosen = {"permission": "notifications", "where": "country=DE", "as_of": "2026-03-01"}
    journeys = sample.journeys(**chosen).to_pandas()
    totals = sample.report(**chosen).totals  # type: ignore[arg-type]
    assert len(journeys) == totals["exposed"].sum() > 0
    assert (journeys["outcome"] == "granted").sum() == totals["granted"].sum()


def test_journeys_have_types(sample: permlog.Log) -> None:
    journeys = sample.journeys()
    table = journeys.to_arrow()
    assert table.schema == journeys.schema
    assert table.schema.field("t0").type == pa.timestamp("ms", tz="UTC")
    frame = journeys.to_pandas()
    assert frame["active_days"].dtype == "Int64"
    assert frame["partial"].dtype == "boolean"
    assert frame["variant"].dtype == "string"
    assert frame["retained_30"].isna().any()


def test_journeys_stream_to_others(sample: permlog.Log) -> None:
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(sample.journeys()).height == sample.journeys().to_arrow().num_rows


def test_no_journeys_have_columns_too(sample: permlog.Log) -> None:
    frame = sample.journeys(from_="2020-03-01", to="2020-03-02").to_pandas()
    assert frame.empty
    assert list(frame.columns) == sample.journeys().schema.names


def test_a_reader_says_at_once_that_there_is_no_log(log: permlog.Log) -> None:
    with pytest.raises(permlog.FailedError, match="no log at"):
        log.journeys().reader()


def test_leaving_journeys_early_ends_the_tool(sample: permlog.Log) -> None:
    rows = iter(sample.journeys())
    assert next(rows).num_rows > 0
    rows.close()  # type: ignore[attr-defined]


def test_events_go_to_parquet_and_back(sample: permlog.Log, events: Path, log: permlog.Log, tool: Run) -> None:
    metadata = pq.read_metadata(events)
    assert metadata.row_group(0).column(0).compression == "ZSTD"
    assert metadata.num_rows == sample.info().events
    assert sample.ingest(events, progress=False).new == 0
    assert log.ingest(events, progress=False).new == metadata.num_rows
    assert tool("export", "--log", log.path) == tool("export", "--log", sample.path)


@pytest.mark.parametrize("suffix", ["csv", "ndjson"])
def test_events_go_to_text(sample: permlog.Log, tool: Run, tmp_path: Path, suffix: str) -> None:
    path = sample.export(tmp_path / f"events.{suffix}")
    assert path.read_bytes() == tool("export", "--log", sample.path, "--format", suffix)
    journeys = sample.export(tmp_path / f"journeys.{suffix}", journeys=True)
    assert journeys.read_bytes() == tool("export", "--journeys", "--log", sample.path, "--format", suffix)


def test_journeys_go_to_parquet(sample: permlog.Log, tmp_path: Path) -> None:
    path = sample.export(tmp_path / "journeys.parquet", journeys=True)
    assert pq.read_table(path).equals(sample.journeys().to_arrow())


def test_a_file_is_there_whole_or_not_at_all(sample: permlog.Log, log: permlog.Log, tmp_path: Path) -> None:
    path = tmp_path / "out" / "events.parquet"
    path.parent.mkdir()
    path.write_bytes(b"old")
    with pytest.raises(permlog.FailedError):
        log.export(path)
    assert path.read_bytes() == b"old"
    assert list(path.parent.iterdir()) == [path]
    with pytest.raises(permlog.FailedError, match="cannot be written"):
        sample.export(tmp_path / "no folder" / "events.parquet")
    with pytest.raises(permlog.UsageError, match="writes .parquet, .csv or .ndjson"):
        sample.export(tmp_path / "events.xlsx")


def test_names_like_null_are_names(log: permlog.Log, tmp_path: Path) -> None:
    names = ["NA", "null", "nan", "None", "#N/A", "true", "1", 'a "quoted", name', "two\\nlines"]
    frame = pd.DataFrame({"variant": names, "user_id": [f"u{number}" for number in range(len(names))]})
    frame = frame.assign(timestamp=1772445600000, event="prompt_shown", permission="camera")
    frame["variant"] = frame["variant"].str.replace("\\n", "\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", permlog.PermlogWarning)
        assert log.ingest(frame, progress=False).new == len(names)
    journeys = log.journeys().to_pandas().set_index("user_id").loc[frame["user_id"]]
    assert list(journeys["variant"]) == list(frame["variant"])
    events = (
        pq.read_table(log.export(tmp_path / "events.parquet")).to_pandas().set_index("user_id").loc[frame["user_id"]]
    )
    assert list(events["variant"]) == list(frame["variant"])


def test_simulations_repeat(tmp_path: Path) -> None:
    one, two = (permlog.simulate(users=30, weeks=2, seed=3) for _ in range(2))
    assert one.path.read_bytes() == two.path.read_bytes()
    assert one.truth["seed"] == "3"
    frame = one.to_pandas()
    assert len(frame) == one.path.read_bytes().count(b"\n")
    assert frame["timestamp"].dtype == "datetime64[ms, UTC]"
    decided = permlog.simulate(users=30, weeks=2, seed=3, decided_before=20)
    assert [unit["users"] for unit in decided.truth["not_asked"]] == [6, 6]
    assert decided.path.read_bytes() != one.path.read_bytes() and one.truth["not_asked"] == []
    assigned = permlog.simulate(users=30, weeks=2, seed=3, assignments=True)
    counts = {found["experiment"]: found["assigned"]["users"] for found in assigned.truth["experiments"]}
    given = assigned.to_pandas().query("event == 'assigned'").drop_duplicates(["user_id", "experiment", "variant"])
    for experiment, users in counts.items():
        rows = given[given["experiment"] == experiment]["variant"]
        assert [sum(rows == "A"), sum(rows == "B")] == users and sum(users) == 30
    with pytest.raises(permlog.UsageError, match="assignments needs experiments, which onboarding lacks"):
        permlog.simulate(onboarding=True, assignments=True)
    named = permlog.simulate(tmp_path / "x.csv", users=30, weeks=2, seed=3, truth=tmp_path / "truth.json")
    assert named.path.read_text().startswith("event_id,user_id")
    assert (tmp_path / "truth.json").exists()


def test_pages_of_notebooks(sample: permlog.Log, log: permlog.Log) -> None:
    assert "nothing was ingested yet" in log._repr_html_()
    page = sample._repr_html_()
    assert page == sample.info()._repr_html_()
    assert f"{sample.info().events:,}" in page
    assert "notifications" in page
    assert "is whole" in sample.verify()._repr_html_()
    rows = sample.journeys(permission="camera")
    shown = rows._repr_html_()
    assert shown.count("<tr") == 6, "a heading and the first five rows"
    assert "<th>outcome</th>" in shown
    assert "t0: timestamp[ms, tz=UTC]" in shown
    assert "no log at" in log.journeys()._repr_html_()
    log.path.mkdir()
    assert "no log at" in log._repr_html_()
    assert sample.journeys(permission="camera", week="2031-W01")._repr_html_().count("<tr") == 1
