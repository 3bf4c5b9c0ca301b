"""What is said when a question or an answer of sums is asked for wrongly, and when the program for spark-submit is."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import AS_OF, Run

import permlog
from permlog import spark as ps
from permlog.spark.__main__ import main
from permlog.spark._columns import _lacking
from permlog.spark._users import NOBODY


@pytest.fixture
def sums(tool: Run, tmp_path: Path) -> permlog.Sums:
    """A comparison and nothing else, of rows that were all rejected."""
    ps.compare("A", "B", permission="camera", as_of=AS_OF).save(tmp_path / "q")
    bad = b'{"user_id":"anonymous","timestamp":"2026-03-02T10:00:00Z","event":"app_active"}\n'
    options = (f"--question={tmp_path / 'q'}", "--shard=1/1", "--job=j", f"--output={tmp_path / 's'}")
    tool("sums", "make", "-", "--format=ndjson", *options, text=bad)
    return permlog.read_sums(tmp_path / "s")


def test_what_was_not_asked(sums: permlog.Sums) -> None:
    with pytest.raises(permlog.UsageError, match=r"^No flow is in these sums\. They have answers for \.compare\(\)$"):
        sums.flow()


def test_rows_that_were_all_rejected(sums: permlog.Sums) -> None:
    with pytest.raises(permlog.DataError, match="none was understood .*the sums have the reasons") as raised:
        sums.compare().data  # noqa: B018
    assert "permlog sums show" not in str(raised.value)


def test_a_metric_that_is_none(sample: permlog.Log) -> None:
    with pytest.raises(permlog.UsageError, match="^metric: nope is not one of grant_rate, granted_by_day_28, "):
        sample.compare("A", "B", permission="notifications", metric="nope").data  # noqa: B018


@pytest.mark.parametrize(
    ("make", "given", "said"),
    [
        (ps.report, {}, "report needs as_of"),
        (ps.report, {"as_of": AS_OF, "by_limit": 3}, r"by_limit is chosen .* sums\.report\(by_limit=…\)"),
        (ps.compare, {"as_of": AS_OF}, "compare needs permission"),
        (
            ps.compare,
            {"as_of": AS_OF, "permission": "camera", "metric": "skip_rate"},
            r"metric is chosen .* sums\.compare\(metric=…\)",
        ),
        (ps.flow, {"as_of": AS_OF, "permision": "camera"}, "flow has no argument permision; it has steps, as_of"),
        (ps.audit, {"as_of": AS_OF, "threshold": {}}, r"threshold is chosen .* sums\.audit\(threshold=…\)"),
    ],
)
def test_arguments_of_questions(make: Any, given: dict[str, Any], said: str) -> None:
    with pytest.raises(permlog.UsageError, match=f"^{said}"):
        make(**given)


def test_a_missing_column_is_named_as_a_lake_names_it() -> None:
    sentence = "the table: the Arrow stream has no column timestamp; name the columns as documented"
    frame = SimpleNamespace(columns=["user_id", "event", "at"])
    said = _lacking(permlog.DataError(sentence), frame).sentence
    assert said.startswith("The frame has no column timestamp; it has user_id, event, at. Name it with columns=")
    other = permlog.DataError("the table: its format is not known")
    assert _lacking(other, frame) is other


# What is nearly an id of nobody, and is one of somebody.
_SOMEBODY = (
    *(
        "nul",
        "nulll",
        "nile",
        "undefine",
        "no",
        "unknown1",
        "anonymous2",
        "an",
        "00",
        "-00",
        "+0",
        "0.0",
        "1",
        "-2",
        "nana",
    ),
    *(
        "[ ]",
        "[",
        "{ }",
        "}",
        "\\r",
        "/n",
        "n.a",
        "n/",
        "#na",
        "<nil>",
        "(null",
        "(unset)",
        "not set",
        "guests",
        "--",
        "_",
    ),
    *(
        "00000000-0000-0000-0000-000000000001",
        "00000000000000000000000000000000",
        "un\u212anown",
        "n\u0130l",
        "\u2003null",
    ),
)


def test_ids_of_nobody_are_the_tools(tool: Run, log: permlog.Log) -> None:
    """The tool rejects each in any case and with blanks around it, and none of those that are nearly one."""
    blanks = " \t\u00a0\ufeff"
    nobody = [text for each in NOBODY for text in (each, each.upper(), f"{blanks}{each.title()}{blanks}")]
    event = {"timestamp": "2026-03-02T10:00:00Z", "event": "app_active"}
    ids = [*nobody, *_SOMEBODY]
    lines = [json.dumps({"user_id": text, "event_id": str(place), **event}) for place, text in enumerate(ids)]
    tool("ingest", "-", "--format=ndjson", f"--log={log.path}", "--quiet", text="\n".join(lines).encode())
    read = {json.loads(line)["event_id"] for line in tool("export", "--log", log.path).splitlines()}
    assert [text for place, text in enumerate(ids) if str(place) in read] == list(_SOMEBODY)


def test_a_wrong_option_ends_with_64(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--shards=many"])
    assert ended.value.code == 64
    assert "permlog: argument --shards: invalid int value: 'many'" in capsys.readouterr().err


def test_whether_the_output_can_be_written_shows_before_the_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ps.report(as_of=AS_OF, log_start="2026-01-01").save(tmp_path / "q")
    (tmp_path / "folder").mkdir()
    monkeypatch.setattr("permlog.spark.__main__._session", lambda: pytest.fail("a session began"))
    for name, why in (
        ("folder", "it is a folder"),
        ("missing/o", "No such file or directory"),
        ("q/o", "Not a directory"),
    ):
        status = main([f"--question={tmp_path / 'q'}", "--input=x", f"--output={tmp_path / name}"])
        said = capsys.readouterr().err
        assert (status, said) == (
            1,
            f"permlog: --output: {tmp_path / name} cannot be written: {why}. Name another file.\n",
        )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "q"]


def test_without_pyspark_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ps.report(as_of=AS_OF, log_start="2026-01-01").save(tmp_path / "q")
    real = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name.partition(".")[0] == "pyspark":
            raise ModuleNotFoundError("No module named 'pyspark'", name="pyspark")
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.setitem(__import__("sys").modules, "pyspark", None)
    status = main([f"--question={tmp_path / 'q'}", "--input=x", f"--output={tmp_path / 'o'}"])
    assert (status, "pyspark: pip install 'pyspark>=4.0' pyarrow (the extra spark)" in capsys.readouterr().err) == (
        1,
        True,
    )
    assert [path.name for path in tmp_path.iterdir()] == ["q"]  # No part of the output.
