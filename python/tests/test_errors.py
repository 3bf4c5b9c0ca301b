"""Errors of the tool as exceptions, and finding the tool."""

from __future__ import annotations

import errno
import os
import pickle
import re
import stat
import sys
from pathlib import Path

import pytest
from conftest import DATA

import permlog
from permlog import errors
from permlog._words import in_python


def _program(path: Path, text: str) -> Path:
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_no_log(log: permlog.Log) -> None:
    with pytest.raises(permlog.FailedError, match="no log at ") as caught:
        log.report()
    assert caught.value.code == 1
    assert not caught.value.sentence.startswith("permlog:")
    assert isinstance(caught.value, permlog.PermlogError)


@pytest.mark.parametrize("question", ["week", "permission", "by"])
def test_a_wrong_argument(sample: permlog.Log, question: str) -> None:
    with pytest.raises(permlog.UsageError) as caught:
        sample.report(**{question: "no such thing"})  # type: ignore[arg-type]
    assert caught.value.code == 64
    assert "no such thing" in caught.value.sentence
    assert "Usage:" not in caught.value.sentence
    assert isinstance(caught.value, ValueError)


def test_lines_at_fault(log: permlog.Log) -> None:
    with pytest.raises(permlog.DataError, match="nothing was stored") as caught:
        log.ingest(DATA / "export-1.ndjson", strict=True)
    assert caught.value.code == 2
    assert "names no zone" in caught.value.notes
    assert caught.value.ingest is not None
    assert list(caught.value.ingest.rejections["line"]) == [251, 502, 753]
    assert not log.path.exists()


def test_damage(log: permlog.Log) -> None:
    log.ingest(DATA / "export-2.csv")
    part = next(log.path.glob("part-*"))
    content = bytearray(part.read_bytes())
    content[len(content) // 2] ^= 0xFF
    part.chmod(0o600)
    part.write_bytes(content)
    with pytest.raises(permlog.DataError) as caught:
        log.verify()
    assert part.name in caught.value.sentence + caught.value.notes


def test_notes_become_a_warning_at_the_callers_line(log: permlog.Log) -> None:
    with pytest.warns(permlog.PermlogWarning, match="names no zone") as caught:
        log.ingest(DATA / "export-1.ndjson")
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert "rejected.ndjson" not in str(caught[0].message)


def test_what_was_said_is_taken_apart() -> None:
    problem = errors.error(64, "a note\nError: Unknown option '--x'.\nUsage: permlog report\n  See 'permlog --help'\n")
    assert (type(problem), problem.sentence, problem.notes) == (permlog.UsageError, "Unknown option '--x'.", "a note")
    assert errors.error(1, "").sentence == "The tool ended with status 1 and printed nothing."
    assert errors.error(-9, "").sentence == "The tool was ended by signal 9."
    assert errors.error(7, "permlog: why").code == 7


def test_the_named_tool_is_missing(sample: permlog.Log, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PERMLOG_TOOL", str(tmp_path / "nothing"))
    with pytest.raises(permlog.ToolNotFoundError, match="PERMLOG_TOOL is .*, but no program is at that path"):
        sample.report()


def test_the_named_tool_is_of_another_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = _program(tmp_path / "permlog", "print('0.0.1')")
    monkeypatch.setenv("PERMLOG_TOOL", str(other))
    with pytest.raises(
        permlog.ToolNotFoundError, match=f"which is 0.0.1; this package needs permlog {permlog.__version__}"
    ):
        permlog.find_tool()
    _program(other, f"print('{permlog.__version__}')  # replaced")
    assert permlog.find_tool() == other


def test_a_tool_on_the_path_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PERMLOG_TOOL", raising=False)
    monkeypatch.setattr("sysconfig.get_path", lambda *_: str(tmp_path / "scripts"))
    monkeypatch.setattr("site.ENABLE_USER_SITE", False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    if not (Path(permlog.__file__).parents[1] / "bin" / "permlog").exists():
        with pytest.raises(permlog.ToolNotFoundError, match="The tool permlog was not found in .*scripts"):
            permlog.find_tool()
    for folder, version in (("scripts", "0.0.1"), ("bin", permlog.__version__)):
        (tmp_path / folder).mkdir()
        _program(tmp_path / folder / "permlog", f"print('{version}')")
    assert permlog.find_tool() == tmp_path / "bin" / "permlog"
    _program(tmp_path / "bin" / "permlog", "print('0.0.2 ')")
    with pytest.raises(permlog.ToolNotFoundError, match="scripts/permlog is 0.0.1, .*bin/permlog is 0.0.2"):
        permlog.find_tool()


def test_the_log_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERMLOG_LOG", "elsewhere")
    assert permlog.Log().path == Path("elsewhere")
    monkeypatch.delenv("PERMLOG_LOG")
    assert permlog.Log().path == Path("permlog-data")
    assert os.fspath(permlog.Log("here").path) == "here"


def test_a_file_that_cannot_be_written_is_an_error_of_the_system_too(sample: permlog.Log, tmp_path: Path) -> None:
    target = tmp_path / "no" / "folder" / "x"
    report = sample.report()
    for write in (report.to_html, report.to_markdown, lambda path: sample.export(f"{path}.parquet")):
        with pytest.raises(permlog.FileError, match=f"{target}.* cannot be written: ") as caught:
            write(target)
        assert isinstance(caught.value, permlog.FailedError)
        assert isinstance(caught.value, OSError)
        assert caught.value.errno == errno.ENOENT
        assert str(caught.value.filename).startswith(str(target))
        assert caught.value.code == 1


def test_an_error_of_a_file_travels(tmp_path: Path, sample: permlog.Log) -> None:
    with pytest.raises(permlog.FileError) as caught:
        sample.report().to_html(tmp_path / "no" / "x.html")
    again = pickle.loads(pickle.dumps(caught.value))
    for name in ("errno", "strerror", "filename", "sentence", "code"):
        assert getattr(again, name) == getattr(caught.value, name)
    assert str(again) == str(caught.value)
    assert pickle.loads(pickle.dumps(permlog.Log.report)) is permlog.Log.report


def test_a_missing_tool_is_no_error_of_the_target(
    sample: permlog.Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERMLOG_TOOL", str(tmp_path / "nowhere"))
    with pytest.raises(permlog.ToolNotFoundError):
        sample.export(tmp_path / "x.parquet")


def test_a_file_is_no_log(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_text("user_id\n")
    with pytest.raises(permlog.UsageError, match=r'Log\("permlog-data"\)\.ingest\(.*export\.csv'):
        permlog.Log(path)


def test_a_wrong_keyword_names_the_method_of_users(sample: permlog.Log) -> None:
    for method in ("report", "ingest", "journeys", "expire"):
        with pytest.raises(TypeError, match=rf"^Log\.{method}\(\) got an unexpected keyword argument 'weak'"):
            getattr(sample, method)(weak=1)


def test_no_advice_is_in_the_words_of_the_command(log: permlog.Log) -> None:
    with pytest.raises(permlog.FailedError) as caught:
        log.report()
    assert str(caught.value).endswith(f'Make one with Log("{log.path}").ingest(path).')
    # All remedies of the command, but those of documents, and of the commands that only the tool has.
    source = (Path(__file__).parents[2] / "Sources/Permlog/CommandWords.swift").read_text()
    begin, end = source.index("static let text: RemedyWords"), source.index("case .readJSON")
    cases = re.split(r"\n    case ", source[begin:end])[1:]
    assert len(cases) > 30
    only_tool = ("draftMapping", "unpackLargeWindow", "readWithPython", "showPreset", "tryMapping", "exampleIngest")
    for case in cases:
        name = case.partition(":")[0]
        if name.lstrip(".").startswith(only_tool):
            continue
        text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', case.partition(":")[2]))
        said = in_python(re.sub(r"\\\([^)]*\)*", "x", text))
        assert not re.search(
            r"permlog (backup|compact|compare|erase|export|help|info|ingest|mapping|rekey|report|sums|undo|verify)\b",
            said,
        ), name
        assert "--" not in said, name
        assert "FILE" not in said, name
