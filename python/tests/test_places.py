"""Where tables are: folders that are columns, addresses, names with odd signs, files that are damaged or gone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

import permlog
from permlog import _arrow_files, _paths, _places

_TIME = 1772445600000


def _write(path: Path, first: int = 0, **columns: Any) -> Path:
    """Two good rows of exposures, with some columns replaced or added."""
    base = {
        "user_id": [f"u{first}", f"u{first + 1}"],
        "timestamp": [_TIME] * 2,
        "event": ["prompt_shown"] * 2,
        "permission": ["camera"] * 2,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(base | columns), path)
    return path


def _stored(log: permlog.Log, column: str) -> list[str | None]:
    frame = pd.read_csv(log.export(log.path.parent / "stored.csv"), dtype=str).sort_values("user_id")
    return [None if pd.isna(value) else value for value in frame[column]]


@pytest.mark.parametrize("column", [["A", "B"], pa.array(["A", "B"]).dictionary_encode()])
def test_a_folder_is_what_is_a_column_in_another_file(log: permlog.Log, tmp_path: Path, column: Any) -> None:
    _write(tmp_path / "all" / "a.parquet", 0, variant=column)
    _write(tmp_path / "all" / "variant=B" / "b.parquet", 2)
    log.ingest(tmp_path / "all", progress=False)
    assert _stored(log, "variant") == ["A", "B", "B", "B"]


def test_a_folder_and_a_column_of_another_type(log: permlog.Log, tmp_path: Path) -> None:
    _write(tmp_path / "all" / "a.parquet", 0, variant=[1, 2], day=[1, 2])
    _write(tmp_path / "all" / "variant=2" / "day=2" / "b.parquet", 2)
    with pytest.raises(permlog.UsageError, match=r"Column variant has type int64 .*variant=2/day=2/b.* text"):
        log.ingest(tmp_path / "all", progress=False)
    _write(tmp_path / "other" / "a.parquet", 0, day=[1, 2])
    _write(tmp_path / "other" / "day=2" / "b.parquet", 2)
    assert log.ingest(tmp_path / "other", progress=False).new == 4, "nobody asks for the day"
    _write(tmp_path / "empty" / "a.parquet", 4, variant=pa.nulls(2))
    _write(tmp_path / "empty" / "variant=2" / "b.parquet", 6)
    log.ingest(tmp_path / "empty", progress=False)
    assert _stored(log, "variant")[4:] == [None, None, "2", "2"]


@pytest.mark.parametrize(
    ("values", "folder", "agree"),
    [
        (["A", "A"], "A", True),
        (["A", "B"], "A", False),
        (["A", None], "A", False),
        (pa.nulls(2, pa.string()), "__HIVE_DEFAULT_PARTITION__", True),
        (["A", None], "__HIVE_DEFAULT_PARTITION__", False),
        (pa.array(["A", "A"]).dictionary_encode(), "A", True),
        (pa.array([b"\xff", b"A"]), "A", False),
        ([{"a": 1}, {"a": 1}], "A", False),
    ],
)
def test_a_folder_and_a_column_in_one_file(
    log: permlog.Log, tmp_path: Path, values: Any, folder: str, agree: bool
) -> None:
    _write(tmp_path / "all" / f"variant={folder}" / "a.parquet", 0, variant=values)
    if agree:
        assert log.ingest(tmp_path / "all", progress=False).new == 2
        assert _stored(log, "variant") == [None if folder.startswith("__") else folder] * 2
    else:
        with pytest.raises(permlog.UsageError, match=r"a\.parquet has a column variant and is in a folder"):
            log.ingest(tmp_path / "all", progress=False)


def test_folders_count_from_the_callers_place_downwards(
    log: permlog.Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "variant=wrong"
    _write(home / "lake" / "platform=ios" / "a.parquet")
    monkeypatch.chdir(home)
    sources: list[Any] = [
        "lake",
        home / "lake",
        home / "lake" / "*" / "*.parquet",
        "lake/**/*.parquet",
        "*/*/*",
        f"file://{home}/lake",
    ]
    for number, source in enumerate(sources):
        other = permlog.Log(tmp_path / str(number) / "log")
        other.ingest(source, progress=False)
        assert (_stored(other, "variant"), _stored(other, "platform")) == ([None] * 2, ["ios"] * 2), source
    log.ingest("lake/platform=ios", progress=False)
    assert _stored(log, "platform") == [None] * 2


@pytest.mark.parametrize("name", ["a b", "a%20b", "ä", "a#b", "a+b", "user@host", "q?x"])
def test_addresses_with_odd_names(log: permlog.Log, tmp_path: Path, name: str) -> None:
    from urllib.parse import quote

    _write(tmp_path / name / "x.parquet", 0)
    assert log.ingest(f"file://{quote(str(tmp_path / name))}/x.parquet", progress=False).new == 2
    assert log.ingest(f"file://{quote(str(tmp_path / name))}/*.parquet", progress=False).duplicates == 2
    assert log.ingest(f"file://{quote(str(tmp_path / name))}", progress=False).duplicates == 2
    assert log.ingest(tmp_path / name, progress=False).duplicates == 2
    if not any(sign in name for sign in "%#"):
        assert log.ingest(f"file://{tmp_path / name}/*.parquet", progress=False).duplicates == 2


def test_what_pyarrow_makes_of_an_address_is_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyarrow import fs

    asked: list[str] = []

    def from_uri(address: str) -> tuple[Any, str]:
        asked.append(address)
        return fs.LocalFileSystem(), "bucket/a b"

    class _FileSystem(fs.FileSystem):  # type: ignore[misc]
        pass

    monkeypatch.setattr(_FileSystem, "from_uri", staticmethod(from_uri), raising=False)
    monkeypatch.setattr(fs, "FileSystem", _FileSystem)
    for address, plain, path in (
        ("s3://me:se/cret@bucket/a%20b/x=*/?.parquet", "s3://me:se/cret@bucket/a%20b", "bucket/a b/x=*/?.parquet"),
        ("s3://bucket/a b?region=eu&scheme=http", "s3://bucket/a%20b?region=eu&scheme=http", "bucket/a b"),
        ("s3://bucket/a b/*?region=eu", "s3://bucket/a%20b?region=eu", "bucket/a b/*"),
    ):
        assert _places.located(_places.Place(address), None)[1] == path
        assert asked.pop() == plain


def test_secrets_of_addresses_are_not_said(log: permlog.Log) -> None:
    assert _places.shown("s3://key:se/cret@bucket/x?secret=hush") == "s3://bucket/x"
    assert _places.shown("abfs://box@account/x") == "abfs://box@account/x"
    assert _places.shown("s3://bucket/a:b@c") == "s3://bucket/a:b@c"
    for address in (
        "nosuch://key:hush@bucket/x?token=hush",
        "s3://key:hush@bucket/x?nosuch=hush",
        "gs://key:hush@b/?x=hush",
    ):
        with pytest.raises((permlog.PermlogError, ImportError)) as caught:
            log.ingest(address, progress=False)
        assert "hush" not in str(caught.value)
        assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("a/*.parquet", "a/x.parquet", True),
        ("a/*.parquet", "a/b/x.parquet", False),
        ("a/?/x", "a/b/x", True),
        ("a?b", "a/b", False),
        ("a/[bc]*-*-*.p", "a/b-1-2.p", True),
        ("a/[!b]", "a/b", False),
        ("a/[!b]x", "a//x", False),
        ("a/**/x", "a/x", True),
        ("a/**/x", "a/b/c/x", True),
        ("a/day=*", "a/day=1/x", True),
        ("a/x.p", "a/xxp", False),
    ],
)
def test_patterns(pattern: str, path: str, fits: bool) -> None:
    import re

    assert (re.fullmatch(_paths._pattern(pattern), path) is not None) == fits


def test_columns_are_taken_by_name(log: permlog.Log, tmp_path: Path) -> None:
    """Also if files have them in another order, or a dotted name beside one that begins so."""
    columns = {
        "user_id": ["a", "b"],
        "timestamp": [_TIME] * 2,
        "event": ["prompt_shown"] * 2,
        "permission": ["camera"] * 2,
    }
    table = pa.table(columns | {"variant": ["A", "B"], "variant.name": ["x", "y"], "event.user_id": ["no", "no"]})
    pq.write_table(table, tmp_path / "a.parquet")
    order = list(reversed(table.schema.names))
    pq.write_table(table.select(order).set_column(6, "user_id", pa.array(["c", "d"])), tmp_path / "b.parquet")
    assert log.ingest(tmp_path / "*.parquet", progress=False).new == 4
    assert _stored(log, "variant") == ["A", "B", "A", "B"]
    assert _stored(log, "user_id") == ["a", "b", "c", "d"]


def test_files_that_are_missing_or_cannot_be_opened(log: permlog.Log, tmp_path: Path) -> None:
    for source in (tmp_path / "no.parquet", f"file://{tmp_path}/no.parquet", [tmp_path / "no.parquet"]):
        with pytest.raises(permlog.FailedError, match=r"no\.parquet") as caught:
            log.ingest(source, progress=False)
        assert caught.value.code == 1


def test_a_file_that_goes_away_while_it_is_read(
    log: permlog.Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [_write(tmp_path / "a.parquet"), _write(tmp_path / "b.parquet", 2)]
    read = _arrow_files.ArrowFiles.read

    def late(self: Any, names: list[str]) -> Any:
        os.unlink(paths[1])
        return read(self, names)

    monkeypatch.setattr(_arrow_files.ArrowFiles, "read", late)
    with pytest.raises(permlog.FailedError, match=r"b\.parquet no longer exists"):
        log.ingest(paths, progress=False)
    # The tool may be ended before it makes a log, or after.
    assert not (log.path / "manifest").exists() or log.info().events == 0


def test_damage_within_a_file_names_it(log: permlog.Log, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(
        pa.table({"user_id": [str(i) for i in range(9000)], "timestamp": [_TIME] * 9000, "event": ["x"] * 9000}), path
    )
    content = bytearray(path.read_bytes())
    content[50:4000] = b"\xff" * 3950
    path.write_bytes(content)
    with pytest.raises(permlog.DataError, match=r"a\.parquet cannot be read: .*nothing was stored") as caught:
        log.ingest(path, progress=False)
    assert caught.value.code == 2


def test_a_column_is_no_table(log: permlog.Log) -> None:
    for column in (pa.array(["a"]), pa.chunked_array([["a"]]), pd.Series(["a"])):
        with pytest.raises(permlog.UsageError, match="is one column, not a table"):
            log.ingest(column, progress=False)


def test_a_stream_elsewhere_is_not_taken_for_a_file(log: permlog.Log, tmp_path: Path) -> None:
    table = pq.read_table(_write(tmp_path / "a.parquet"))
    with pa.OSFile(str(tmp_path / "s.arrow"), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
    feather.write_feather(table, tmp_path / "f.arrow")
    assert log.ingest(f"file://{tmp_path}/f.arrow", progress=False).new == 2
    with pytest.raises(permlog.UsageError, match=r"s\.arrow is not a Parquet, Arrow or ORC file"):
        log.ingest(f"file://{tmp_path}/s.arrow", progress=False)
