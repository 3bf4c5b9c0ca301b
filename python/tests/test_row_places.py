"""Where a rejected row is: the file and the row in it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import permlog
from permlog._row_places import Places
from permlog._words import of_rows


def _rows(users: Sequence[str | None]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "user_id": pd.array(list(users), dtype="string"),
            "timestamp": pd.to_datetime(["2026-03-02T10:00:00Z"] * len(users)),
            "event": "prompt_shown",
            "permission": "camera",
            "note": "x",
        }
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three files; the first has no bad row, the second one and the third two."""
    for day, users in ((1, ("a", "b")), (2, ("c", None)), (3, (None, "d", None))):
        place = tmp_path / "events" / f"date=2026-03-0{day}"
        place.mkdir(parents=True)
        _rows(users).to_parquet(place / "part.parquet")
    return tmp_path / "events"


BAD = [("date=2026-03-02", 2), ("date=2026-03-03", 1), ("date=2026-03-03", 3)]


def _found(files: list[str], lines: list[int]) -> list[tuple[str, int]]:
    return [(Path(file).parent.name, line) for file, line in zip(files, lines, strict=True)]


def test_rejected_rows_of_a_folder_name_their_file(log: permlog.Log, folder: Path, tmp_path: Path) -> None:
    kept = tmp_path / "rejected.ndjson"
    with pytest.warns(permlog.PermlogWarning, match=r"3 rows: .* first at .*date=2026-03-02/part.parquet, row 1"):
        ingest = log.ingest(folder, rejects=kept)
    assert _found(list(ingest.rejections["file"]), [row + 1 for row in ingest.rejections["row"]]) == BAD
    records = [json.loads(line) for line in kept.read_bytes().splitlines()]
    assert _found([each["file"] for each in records], [each["line"] for each in records]) == BAD
    assert ingest.columns_not_read is not None
    assert {"note", "date"} == set(ingest.columns_not_read)
    assert ingest.columns == ("user_id", "timestamp", "event", "permission")
    assert "2 columns not read" in repr(ingest)
    assert "3 rows: user_id is missing" in ingest._repr_html_()


def test_rejected_rows_on_the_command_line(log: permlog.Log, folder: Path, tmp_path: Path) -> None:
    kept = tmp_path / "rejected.ndjson"
    command = [sys.executable, "-m", "permlog", "ingest", str(folder), "--log", str(log.path), "--rejects", str(kept)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "date=2026-03-02/part.parquet, row 1" in done.stderr
    records = [json.loads(line) for line in kept.read_bytes().splitlines()]
    assert _found([each["file"] for each in records], [each["line"] for each in records]) == BAD
    assert sorted(path.name for path in tmp_path.iterdir()) == ["events", "log", "rejected.ndjson"]


def test_rows_of_an_earlier_ingest_stay_as_they_are(log: permlog.Log, folder: Path, tmp_path: Path) -> None:
    """If the tool refuses before it reads, the file of rejected rows is still the one of before."""
    kept = tmp_path / "rejected.ndjson"
    with pytest.warns(permlog.PermlogWarning):
        log.ingest(_rows(["a", None]), rejects=kept)
    before = kept.read_bytes()
    assert before.startswith(b'{"file": "-", "line": 2,')
    with pytest.raises(permlog.PermlogError):
        log.ingest(folder, rejects=kept, hash_users=tmp_path / "no-such-key")
    assert kept.read_bytes() == before
    command = [sys.executable, "-m", "permlog", "ingest", str(folder), "--log", str(log.path), "--rejects", str(kept)]
    done = subprocess.run([*command, "--hash-users", str(tmp_path / "no-such-key")], capture_output=True, check=False)
    assert done.returncode != 0
    assert kept.read_bytes() == before


def test_rows_of_a_frame_are_of_no_file(log: permlog.Log) -> None:
    with pytest.warns(permlog.PermlogWarning, match="row 1: user_id is missing"):
        ingest = log.ingest(_rows(["a", None]).set_axis(["first", "second"]))
    assert ingest.rejections["file"].isna().all()
    assert list(ingest.rejections["row"]) == [1], "counted from 0"
    assert list(ingest.rejections["index"]) == ["second"]
    assert "line" not in ingest.rejections
    with pytest.warns(permlog.PermlogWarning):
        exports = log.ingest(Path(__file__).parents[2] / "data" / "export-1.ndjson")
    assert (exports.columns, exports.columns_not_read) == (None, None)


def test_every_row_is_bad(log: permlog.Log) -> None:
    with pytest.raises(permlog.DataError) as caught:
        log.ingest(_rows([None, "anonymous", None]))
    said = str(caught.value)
    assert "3 rows were read and none was understood" in said
    assert "2 rows: user_id is missing, first at row 0" in said
    assert "FILE" not in said
    assert "--" not in said + caught.value.notes
    assert said.endswith("error.ingest.rejections has every row.")
    assert caught.value.ingest is not None
    assert list(caught.value.ingest.rejections["row"]) == [0, 1, 2]
    assert "2 rows: user_id" in caught.value.ingest.notes


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        ("timestamp", pd.Timestamp("2026-03-02"), r"the table: the column timestamp has times without a zone; name the zone of these times with input_time_zone"),
        ("os_version", 18.1, r"os_version has decimal numbers where text is needed, and 18.1 may have been 18.10; read it as text, in pandas with pd.read_csv\(path, dtype=str, keep_default_na=False\) or permlog.read_csv\(path\)"),
        ("variant", 1, r'variant has whole numbers where text is needed; convert it to text, in pandas with frame\[name\].astype\("string"\)'),
        ("country", True, "country has true and false where text is needed"),
    ],
)  # fmt: skip
def test_a_column_without_a_right_value_ends_the_ingest(log: permlog.Log, column: str, values: Any, said: str) -> None:
    frame = _rows(["a"] * 200_000).assign(**{column: values})
    with pytest.raises(permlog.DataError, match=said) as caught:
        log.ingest(frame, progress=False)
    assert caught.value.ingest is None
    assert not log.path.exists() or log.info().events == 0
    assert "Berlin" not in str(caught.value)
    missing = pd.NaT if column == "timestamp" else float("nan")
    frame = _rows(["a", "b"]).assign(**{column: pd.Series([missing, missing])})
    if column == "timestamp":
        return
    assert log.ingest(frame, progress=False).events == 2, "a column of floats without a value is an empty one"


def test_rows_that_were_not_sent_have_no_place() -> None:
    places = Places({"a": 2, "empty": 0, "b": 1})
    assert [places.of(row) for row in range(5)] == [None, ("a", 1), ("a", 2), ("b", 1), None]
    assert of_rows("first at -:3 and -:9 and x-:1", places.named) == "first at b, row 0 and row 8 and x-:1"
    assert of_rows("2 lines: r, first at -:1", Places({"/lines/a": 1}).named) == "2 rows: r, first at /lines/a, row 0"


def test_rejected_rows_keep_their_bytes(tmp_path: Path) -> None:
    kept = tmp_path / "rejected.ndjson"
    tail = rb', "reason": "r", "text": "\ud800 \u00e9"}' + b"\n"
    more = b'{"file": "-", "line": null, "reason": "more"}\n'
    kept.write_bytes(b'{"file": "-", "line": 3' + tail + more)
    kept.chmod(0o600)
    Places({"a": 2, 'é "b"': 1}).in_file(str(kept), None)
    assert kept.read_bytes() == '{"file": "é \\"b\\"", "line": 1'.encode() + tail + more
    assert kept.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [kept]
