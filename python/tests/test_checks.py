"""What an argument does not take is said in the words of this package, before the tool is asked."""

from __future__ import annotations

import datetime
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from conftest import DATA

import permlog
from permlog._arguments import options, seconds
from permlog._stream import EVENT_COLUMNS, batches
from permlog._words import in_python, of_rows


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"strict": 1}, "strict takes True or False, not 1"),
        ({"dry_run": "no"}, "dry_run takes True or False, not 'no'"),
        ({"by": True}, "by takes a value, not True"),
        ({"week": np.bool_(False)}, "week takes a value, not False"),
        ({"where": {"a", "b"}}, "where takes a list, not a set"),
        ({"week": "2026\0"}, "week: '2026\\\\x00' contains a null character"),
        ({"variant": "\ud800"}, "is not Unicode text"),
        ({"week": object()}, "week takes no object"),
        ({"permission": ""}, "permission is empty"),
        ({"steps": []}, "steps is empty"),
        ({"where": ["country=DE", ""]}, "where is empty"),
    ],
)
def test_values_that_no_option_takes(values: dict[str, Any], said: str) -> None:
    with pytest.raises(permlog.UsageError, match=said):
        options(**values)


def test_flags_of_numpy() -> None:
    assert options(strict=np.bool_(True), all=np.bool_(False), readmit=True) == ["--strict", "--readmit"]


def test_waiting_times() -> None:
    assert [
        seconds("wait", each) for each in (None, "5m", datetime.timedelta(milliseconds=1), datetime.timedelta(0))
    ] == [
        None,
        "5m",
        "1s",
        "0s",
    ]
    for wrong in (-1, float("nan"), datetime.timedelta(seconds=-1)):
        with pytest.raises(permlog.UsageError, match="wait takes seconds, a text like '30s'"):
            seconds("wait", wrong)


@pytest.mark.parametrize("source", [b"x.csv", "", ["x.csv", None], ["x.csv", 5], "a\0b", 5, None, {"x.csv"}])
def test_sources_that_are_none(log: permlog.Log, source: Any) -> None:
    with pytest.raises(permlog.UsageError):
        log.ingest(source)


def test_paths_that_are_none(log: permlog.Log) -> None:
    for wrong in ("", b"x", 5):
        with pytest.raises(permlog.UsageError, match="path"):
            permlog.Log(wrong)  # type: ignore[arg-type]
        with pytest.raises(permlog.UsageError, match="path"):
            log.ingest("x.csv", mapping=wrong)  # type: ignore[arg-type]
    with pytest.raises(permlog.UsageError, match="filesystem is a str"):
        log.ingest("x.csv", filesystem="memory")
    for threads in (0, True, "2"):
        with pytest.raises(permlog.UsageError, match="threads takes a whole number"):
            permlog.Log(log.path, threads=threads)  # type: ignore[arg-type]


@pytest.mark.parametrize("user", [[], [""], ["a", 5], 5, "\ufeffa", ["a", "\ufeffa"], "a\nb", "\ud800"])
def test_ids_that_would_be_others(log: permlog.Log, user: Any) -> None:
    log.ingest(DATA / "export-2.csv")
    before = log.info().fingerprint
    with pytest.raises(permlog.UsageError, match="^user"):
        log.erase(user)
    assert log.info().fingerprint == before


def test_an_id_with_a_mark_is_not_taken_for_another(log: permlog.Log) -> None:
    table = pa.table({"user_id": ["a", "\ufeffa"], "timestamp": [1772445600000] * 2, "event": ["app_active"] * 2})
    log.ingest(table, keep_ids=True)
    with pytest.raises(permlog.UsageError, match=r"begins with U\+FEFF"):
        log.erase("\ufeffa")
    assert log.info().events == 2


def test_options_in_sentences() -> None:
    said = "name another with --log, --output or --users-from; --from takes a day, --quiet is as it was"
    assert in_python(said) == "name another with Log(path), path or user; from_ takes a day, --quiet is as it was"


def test_lines_in_sentences_are_rows() -> None:
    said = (
        '-:11: "3 lines" is no line\n-: ends early; 1 line was rejected, 3 lines were (-:2), a deadline is "a \\" line"'
    )
    assert of_rows(said) == (
        'row 10: "3 lines" is no row\nthe table: ends early; 1 row was rejected, 3 rows were (-:2), a deadline is "a \\" line"'
    )


def test_lines_of_other_files_keep_their_numbers() -> None:
    said = "m.yaml, line 3: fields has no key x"
    assert of_rows(said) == said


def test_other_lines_stay_lines() -> None:
    said = "a command line, a line end, all of them are in /a/line/lines.csv and lines.csv"
    assert of_rows(said) == said


def test_errors_of_tables_speak_of_rows(log: permlog.Log) -> None:
    table = pa.table({"user_id": ["a", None], "timestamp": [1772445600000] * 2, "event": ["app_active"] * 2})
    with pytest.raises(permlog.DataError, match="1 row was rejected and strict was given: .* Fix the rows") as caught:
        log.ingest(table, strict=True, progress=False)
    assert "row 1: user_id is missing" in caught.value.notes
    with pytest.raises(permlog.PermlogError) as refused:
        log.ingest(table.select(["event"]), progress=False)
    assert str(refused.value).startswith("the table: its format is not known. Its columns: event.")


def test_the_tools_end_in_the_middle_of_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its sentence is raised, and not what the reader says of half a row."""
    tool = tmp_path / "permlog"
    head = ",".join(EVENT_COLUMNS)
    text = f"""
import sys
if "--version" in sys.argv:
    print({permlog.__version__!r})
else:
    sys.stdout.write({head!r} + "\\n" + "a,b," * 3)
    sys.stdout.flush()
    sys.stderr.write("permlog: part-1 is damaged\\n")
    sys.exit(CODE)
"""
    monkeypatch.setenv("PERMLOG_TOOL", str(tool))
    for code, error, said in ((2, permlog.DataError, "part-1 is damaged"), (0, pa.ArrowException, "Expected")):
        tool.write_text(f"#!{sys.executable}\n{text.replace('CODE', str(code))}")
        os.chmod(tool, 0o700)
        with pytest.raises(error, match=said):
            list(batches(["export"], EVENT_COLUMNS))
