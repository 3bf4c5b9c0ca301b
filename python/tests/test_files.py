"""Parquet and other files of tables: patterns, folders, addresses, and files that do not agree."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from conftest import DATA
from pyarrow import feather, orc

import permlog


@pytest.fixture(scope="session")
def table(events: Path) -> pa.Table:
    return pq.read_table(events)


def _same(log: permlog.Log, sample: permlog.Log, tmp_path: Path) -> None:
    """Both logs hold the same events."""
    one = log.export(tmp_path / "one.ndjson").read_bytes()
    assert one == sample.export(tmp_path / "two.ndjson").read_bytes()


def _parts(table: pa.Table, folder: Path) -> list[Path]:
    folder.mkdir(parents=True)
    half = table.num_rows // 2
    for number, part in enumerate((table.slice(0, half), table.slice(half))):
        pq.write_table(part, folder / f"part-{number}.parquet")
    return sorted(folder.iterdir())


@pytest.mark.parametrize("how", ["list", "pattern", "folder", "address"])
def test_files_by_every_name(log: permlog.Log, sample: permlog.Log, table: pa.Table, tmp_path: Path, how: str) -> None:
    paths = _parts(table, tmp_path / "events")
    (tmp_path / "events" / "_SUCCESS").touch()
    source: Any = {
        "list": paths,
        "pattern": str(tmp_path / "*" / "part-*.parquet"),
        "folder": tmp_path / "events",
        "address": f"file://{tmp_path}/events/*.parquet",
    }[how]
    assert log.ingest(source, progress=False).lines == table.num_rows
    _same(log, sample, tmp_path)


@pytest.mark.parametrize("form", ["feather", "arrow", "orc", "nameless"])
def test_other_forms(log: permlog.Log, sample: permlog.Log, table: pa.Table, tmp_path: Path, form: str) -> None:
    path = tmp_path / (f"events.{form}" if form != "nameless" else "events")
    if form == "orc":
        orc.write_table(table, path)
    elif form == "nameless":
        pq.write_table(table, path)
    else:
        feather.write_feather(table, path, compression="lz4")
    assert log.ingest(path, progress=False).lines == table.num_rows
    _same(log, sample, tmp_path)


def test_folders_of_hive_are_columns_of_text(log: permlog.Log, table: pa.Table, tmp_path: Path) -> None:
    few = table.slice(0, 200)
    versions = pa.array([f"0{row % 2}.10" if row % 3 else None for row in range(200)])
    few = few.set_column(few.schema.names.index("app_version"), "app_version", versions)
    ds.write_dataset(
        few,
        tmp_path / "events",
        format="parquet",
        partitioning=ds.partitioning(pa.schema([("app_version", pa.string())]), flavor="hive"),
    )
    assert len(list((tmp_path / "events").iterdir())) == 3
    log.ingest(tmp_path / "events", progress=False)
    frame = pd.read_csv(log.export(tmp_path / "all.csv"), dtype=str)
    assert frame["app_version"].value_counts(dropna=False).to_dict() == pd.Series(versions.to_pylist()).value_counts(
        dropna=False
    ).rename({None: float("nan")}).to_dict() or set(frame["app_version"].dropna()) == {"00.10", "01.10"}
    assert frame["app_version"].isna().sum() == versions.null_count


def test_addresses_of_fsspec(log: permlog.Log, sample: permlog.Log, table: pa.Table, tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    half = table.num_rows // 2
    for number, part in enumerate((table.slice(0, half), table.slice(half))):
        with memory.open(f"/bucket/day={number}/events.parquet", "wb") as file:
            pq.write_table(part, file)
    try:
        assert log.ingest("memory://bucket/**/*.parquet", progress=False).lines == table.num_rows
        _same(log, sample, tmp_path)
        assert log.ingest("memory://bucket/day=1", progress=False).duplicates == table.num_rows - half
        assert log.ingest("/bucket/day=0/events.parquet", filesystem=memory, progress=False).duplicates == half
        assert log.ingest("bucket", filesystem=memory, progress=False).duplicates == table.num_rows
        with pytest.raises(permlog.FailedError, match="memory://bucket/none does not exist"):
            log.ingest("memory://bucket/none", progress=False)
    finally:
        memory.rm("/bucket", recursive=True)


def test_a_file_system_of_pyarrow(log: permlog.Log, events: Path) -> None:
    from pyarrow import fs

    system = fs.SubTreeFileSystem(str(events.parent), fs.LocalFileSystem())
    assert log.ingest(events.name, filesystem=system, progress=False).new > 0
    with pytest.raises(permlog.UsageError, match="filesystem goes with paths"):
        log.ingest(pq.read_table(events), filesystem=system)


def test_columns_of_all_files_count(log: permlog.Log, table: pa.Table, tmp_path: Path) -> None:
    first, second = table.slice(0, 50), table.slice(50, 50)
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    pq.write_table(first.drop_columns(["country"]).append_column("extra", pa.nulls(50)), paths[0])
    times = second["timestamp"].cast(pa.timestamp("ns", tz="UTC"))
    place = second.schema.names.index("timestamp")
    pq.write_table(second.set_column(place, "timestamp", times), paths[1])
    assert log.ingest(paths, progress=False).new == 100
    frame = pd.read_csv(log.export(tmp_path / "all.csv"), dtype=str)
    assert frame["country"].notna().sum() == 50 - second["country"].null_count


def test_a_data_set_with_its_own_folders(log: permlog.Log, table: pa.Table, tmp_path: Path) -> None:
    (tmp_path / "DE").mkdir()
    pq.write_table(table.slice(0, 50).drop_columns(["country"]), tmp_path / "DE" / "a.parquet")
    source = ds.dataset(tmp_path, format="parquet", partitioning=["country"])
    assert log.ingest(source, progress=False).new == 50
    assert set(pd.read_csv(log.export(tmp_path / "all.csv"), dtype=str)["country"]) == {"DE"}


def test_files_that_do_not_agree_are_refused(log: permlog.Log, tmp_path: Path) -> None:
    for name, users in (("a", [1, 2]), ("b", ["1", "2"])):
        pq.write_table(
            pa.table({"user_id": users, "timestamp": [1772445600000] * 2, "event": ["app_active"] * 2}),
            tmp_path / f"{name}.parquet",
        )
    with pytest.raises(permlog.UsageError, match=r"user_id is int64 in .*a.parquet and string in .*b.parquet"):
        log.ingest(tmp_path / "*.parquet", progress=False)
    assert not log.path.exists()


def test_two_kinds_are_two_ingests(log: permlog.Log, events: Path, tmp_path: Path) -> None:
    with pytest.raises(permlog.UsageError, match="call ingest once for each of them"):
        log.ingest([events, DATA / "export-2.csv"])
    shutil.copy(events, tmp_path / "events.parquet")
    (tmp_path / "more.csv").write_text("user_id,timestamp,event\n")
    with pytest.raises(permlog.UsageError, match="has tables and other files"):
        log.ingest(tmp_path)
    with pytest.raises(permlog.UsageError, match="No file matches"):
        log.ingest(tmp_path / "*.orc")
    feather.write_feather(pq.read_table(events), tmp_path / "events.feather")
    with pytest.raises(permlog.UsageError, match="several formats"):
        log.ingest([tmp_path / "events.parquet", tmp_path / "events.feather"])


def test_a_file_with_a_stream_is_the_tools(
    log: permlog.Log, sample: permlog.Log, table: pa.Table, tmp_path: Path
) -> None:
    with pa.OSFile(str(tmp_path / "events.arrow"), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
    assert log.ingest(tmp_path / "events.arrow").lines == table.num_rows
    _same(log, sample, tmp_path)


def test_a_file_whose_last_line_is_cut_off(log: permlog.Log, tmp_path: Path) -> None:
    line = '{"user_id":"u1","timestamp":"2026-03-02T10:00:00Z","event":"app_active"}'
    path = tmp_path / "cut.ndjson"
    path.write_text(f"{line}\n{line[:40]}")
    with pytest.raises(permlog.DataError, match=r"cut.ndjson, line 2: the last line is cut off .* keep_partial keeps"):
        log.ingest(path, progress=False)
    with pytest.warns(permlog.PermlogWarning, match="everything before it was kept"):
        counts = log.ingest(path, keep_partial=True, progress=False)
    assert counts.new == 1
    assert counts.rejected == 0


def test_a_torn_file_stores_nothing(log: permlog.Log, events: Path, tmp_path: Path) -> None:
    torn = tmp_path / "torn.parquet"
    torn.write_bytes(events.read_bytes()[:-100])
    with pytest.raises(permlog.DataError, match="torn.parquet cannot be read"):
        log.ingest(torn, progress=False)
    content = bytearray(events.read_bytes())
    content[2000:6000] = bytes(4000)
    torn.write_bytes(content)
    with pytest.raises(permlog.DataError, match="torn.parquet cannot be read"):
        log.ingest(torn, progress=False)
    # The tool may be ended while it makes the log: a lock and a manifest may be there, but no event.
    left = {path.name for path in log.path.iterdir()} if log.path.exists() else set()
    assert left <= {"lock", "manifest", "manifest.new"}, left
    if "manifest" in left:
        assert log.info().events == 0


def test_only_columns_that_mean_something_are_read(log: permlog.Log, table: pa.Table, tmp_path: Path) -> None:
    """A column that cannot be read does no harm if nobody asks for it."""
    few = table.slice(0, 10).append_column("big", pa.array([{"a": [1, 2]}] * 10))
    pq.write_table(few, tmp_path / "wide.parquet")
    ingest = log.ingest(tmp_path / "wide.parquet", progress=False)
    assert (ingest.new, ingest.ignored_fields) == (10, 0)


def test_exports_by_pattern_and_folder(log: permlog.Log, tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv"):
        shutil.copy(DATA / "export-2.csv", tmp_path / name)
    assert log.ingest(str(tmp_path / "*.csv")).files == 2
    assert log.ingest(tmp_path).files == 2
    with pytest.raises(permlog.PermlogError, match="no such file|does not exist|nothing there|not there|No such"):
        log.ingest(tmp_path / "missing.csv")


@pytest.mark.parametrize("writer", ["spark", "hive"])
def test_times_of_96_bits(log: permlog.Log, tmp_path: Path, writer: str) -> None:
    """Spark's old type of times is UTC; of other writers it is not known."""
    times = pd.Series([pd.Timestamp("2026-03-02T10:00:00.123"), pd.NaT, pd.Timestamp("2026-03-02T11:00:00")])
    table = pa.table({"user_id": ["a", "b", "c"], "timestamp": times, "event": ["app_active"] * 3, "at": times})
    if writer == "spark":
        table = table.replace_schema_metadata({b"org.apache.spark.version": b"4.0.1"})
    path = tmp_path / "events.parquet"
    pq.write_table(table, path, use_deprecated_int96_timestamps=True)
    assert pq.ParquetFile(path).metadata.schema.column(1).physical_type == "INT96"
    if writer == "hive":
        with pytest.raises(permlog.DataError, match=r"timestamp has times without a zone; .* with input_time_zone"):
            log.ingest(path, progress=False)
        assert log.ingest(path, input_time_zone="UTC", progress=False).new == 2
    else:
        with pytest.warns(permlog.PermlogWarning, match="row 1: timestamp is missing"):
            assert log.ingest(path, progress=False).new == 2
    text = log.export(tmp_path / "events.csv").read_text()
    assert "2026-03-02T10:00:00.123Z" in text
    assert "2026-03-02T11:00:00.000Z" in text


def test_csv_as_it_is_written(log: permlog.Log, sample: permlog.Log, tmp_path: Path) -> None:
    """pandas makes numbers of versions, which is refused with the cure; the cure stores what the file has."""
    path = DATA / "export-2.csv"
    with pytest.raises(permlog.DataError, match=r"os_version has decimal numbers .* permlog\.read_csv\(path\)"):
        log.ingest(pd.read_csv(path), progress=False)
    frame = permlog.read_csv(path)
    assert log.ingest(frame, progress=False).new == permlog.Log(tmp_path / "other").ingest(path).new
    assert (
        log.export(tmp_path / "a.csv").read_bytes()
        == permlog.Log(tmp_path / "other").export(tmp_path / "b.csv").read_bytes()
    )
    assert list(permlog.read_csv(path, usecols=["user_id"], nrows=2).columns) == ["user_id"]
    # A comma at the end of each row moves no column.
    (tmp_path / "commas.csv").write_text("user_id,event\n007,app_active,\n008,app_active,\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert list(permlog.read_csv(tmp_path / "commas.csv")["user_id"]) == ["007", "008"]
    with pytest.raises(permlog.UsageError, match="leave dtype out"):
        permlog.read_csv(path, dtype="string")


def test_one_id_for_all_rows_is_a_warning(log: permlog.Log) -> None:
    times = pd.date_range("2026-01-01", periods=400, freq="min", tz="UTC")
    frame = pd.DataFrame({"event_id": "same", "user_id": [f"u{n % 20}" for n in range(400)], "timestamp": times})
    with pytest.warns(permlog.PermlogWarning, match="380 of 400 events have the event_id of another event"):
        ingest = log.ingest(frame.assign(event="app_active"), progress=False)
    assert (ingest.new, ingest.conflicts) == (20, 380)
    # The same events with another property are a re-export.
    good = frame.assign(event="app_active", event_id=[f"e{n}" for n in range(400)])
    other = permlog.Log(log.path.parent / "other")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        other.ingest(good, progress=False)
        assert other.ingest(good.assign(country="DE"), progress=False).conflicts == 400
        both = pd.concat([good, good.assign(country="DE")])
        assert permlog.Log(log.path.parent / "both").ingest(both, progress=False).conflicts == 400


def test_files_of_a_folder_are_read_once(log: permlog.Log, tmp_path: Path) -> None:
    shutil.copy(DATA / "export-2.csv", tmp_path / "folder.csv")
    folder = tmp_path / "exports"
    folder.mkdir()
    shutil.copy(DATA / "export-2.csv", folder)
    first = log.ingest(folder)
    assert (first.files, first.known_files) == (1, 0)
    second = log.ingest(folder)
    assert (second.files, second.known_files, second.lines) == (0, 1, 0)
    assert "1 file in the log already" in repr(second)
    again = log.ingest(folder, again=True)
    assert (again.files, again.known_files, again.duplicates) == (1, 0, first.events)


def test_bad_files_are_left_out_with_a_warning(log: permlog.Log, tmp_path: Path) -> None:
    shutil.copy(DATA / "export-2.csv", tmp_path / "good.csv")
    (tmp_path / "cut.ndjson").write_text('{"user_id": "u", "timest')
    with pytest.raises(permlog.DataError, match=r"cut\.ndjson.*cut off"):
        log.ingest([tmp_path / "good.csv", tmp_path / "cut.ndjson"])
    assert not log.path.exists()
    with pytest.warns(permlog.PermlogWarning, match=r"left out: .*cut\.ndjson") as caught:
        ingest = log.ingest([tmp_path / "good.csv", tmp_path / "cut.ndjson"], skip_bad=True)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    said = str(caught[0].message)
    assert said.endswith("1 file was left out, and all others are stored. The next ingest tries them again.")
    assert "--" not in said
    assert ingest.new == log.info().events > 0
    assert len(ingest.bad_files) == 1
    assert "cut.ndjson, line 1" in ingest.bad_files[0]
    assert "cut.ndjson" in ingest.notes
    assert "1 bad files" not in repr(ingest)
    assert "1 bad file left out" in repr(ingest)
    assert "bad files</th><td style='text-align:right'>1<" in ingest._repr_html_()
    # What is refused for its lines is refused.
    with pytest.raises(permlog.DataError, match="strict"):
        log.ingest([DATA / "export-1.ndjson", tmp_path / "cut.ndjson"], skip_bad=True, strict=True)


def test_names_that_are_not_stored_are_a_table(log: permlog.Log) -> None:
    frame = pd.DataFrame({"event_type": ["Sofa Sold", "[Permissions] Went", "Sofa Sold"]})
    frame = frame.assign(user_id="v", device_id="v", uuid=["1", "2", "3"], event_time="2026-03-20 10:00:00.000000")
    with pytest.raises(permlog.DataError) as caught:
        log.ingest(frame, progress=False)
    assert caught.value.ingest is not None
    found = caught.value.ingest.not_stored
    assert dict(zip(found["name"], found["count"], strict=True)) == {"[Permissions] Went": 1, "Sofa Sold": 2}
    assert found["looks_like_permission"].to_list() == [True, False]
    assert "not stored" in caught.value.ingest._repr_html_()
