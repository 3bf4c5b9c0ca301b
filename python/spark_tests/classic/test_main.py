"""The program for spark-submit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import permlog
from permlog import spark as ps
from permlog.spark.__main__ import main
from spark_tests.conftest import answers


def test_sums_go_to_a_file(
    spark: Any, exports: list[Path], events: Any, asked: list[ps.Question], expected: list[str], tmp_path: Path
) -> None:
    words = []
    for number, question in enumerate(asked):
        question.save(tmp_path / f"{number}.question")
        words.append(f"--question={tmp_path / f'{number}.question'}")
    inputs = [f"--input={path}" for path in exports]
    assert main([*inputs, "--format=text", *words, f"--output={tmp_path / 'lines.sums'}", "--shards=2"]) == 0
    assert answers(permlog.read_sums(tmp_path / "lines.sums")) == expected
    table = f"--input={events.inputFiles()[0]}"
    assert main([table, *words, f"--output={tmp_path / 'table.sums'}", "--shards=2"]) == 0
    assert answers(permlog.read_sums(tmp_path / "table.sums")) == expected


def test_wrong_arguments(
    spark: Any, exports: list[Path], asked: list[ps.Question], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked[0].save(tmp_path / "q")
    given = [f"--input={exports[0]}", f"--question={tmp_path / 'q'}", f"--output={tmp_path / 'out'}"]
    assert main([*given, "--format=text", "--mapping=mixpanel"]) == 64
    assert "user is needed with mixpanel" in capsys.readouterr().err
    assert main([*given, "--column=user_id"]) == 64
    assert [path.name for path in tmp_path.iterdir()] == ["q"]


def test_a_job_that_fails_leaves_no_part_of_its_output(
    spark: Any, exports: list[Path], asked: list[ps.Question], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked[0].save(tmp_path / "q")
    (tmp_path / "out").write_bytes(b"of an earlier job")
    real = permlog.Sums.save

    def broken(self: permlog.Sums, path: Any) -> None:
        real(self, path)
        raise OSError("the disk is full")

    monkeypatch.setattr(permlog.Sums, "save", broken)
    given = [f"--input={exports[0]}", f"--question={tmp_path / 'q'}", f"--output={tmp_path / 'out'}", "--shards=1"]
    assert main([*given, "--format=text"]) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "q"]
    assert (tmp_path / "out").read_bytes() == b"of an earlier job"


def test_what_spark_says_is_one_sentence(
    spark: Any, asked: list[ps.Question], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked[0].save(tmp_path / "q")
    missing = tmp_path / "missing.parquet"
    assert main([f"--input={missing}", f"--question={tmp_path / 'q'}", f"--output={tmp_path / 'out'}"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("permlog: Spark failed: [PATH_NOT_FOUND]")
    assert str(missing) in said
    assert said.count("\n") == 1
