"""python -m permlog: the tool as it is, and tables to ingest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import DATA, Run

import permlog


def _main(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "permlog", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)


def test_the_tool_takes_over(sample: permlog.Log, tool: Run) -> None:
    assert _main("--version").stdout == f"{permlog.__version__}\n"
    done = _main("report", "--log", sample.path, "--format", "json")
    assert done.stdout.encode() == tool("report", "--log", sample.path, "--format", "json")
    wrong = _main("report", "--bogus")
    assert wrong.returncode == 64
    assert "Unknown option '--bogus'" in wrong.stderr


def test_exports_are_the_tools_own(log: permlog.Log) -> None:
    done = _main("ingest", DATA / "export-2.csv", "--log", log.path, "--quiet")
    assert (done.returncode, done.stdout) == (0, "")
    assert log.info().events > 0
    assert "Read exported event files" in _main("ingest", "--help").stdout


def test_parquet_is_fed_to_the_tool(log: permlog.Log, events: Path, sample: permlog.Log) -> None:
    done = _main("ingest", "--log", log.path, "--threads=1", events.name, "--summary", "json", cwd=events.parent)
    assert done.returncode == 0, done.stderr
    assert f'"new": {sample.info().events}' in done.stdout
    again = _main("ingest", events, f"--log={log.path}")
    assert "Nothing new was stored" in again.stdout
    quiet = _main("ingest", "--quiet", events, "--log", log.path)
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")


def test_a_mapping_of_a_table(log: permlog.Log, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    names = ["push_prompt_shown", "push_permission_denied"]
    rows = [
        {
            "device": f"d{n}",
            "event_name": names[n % 2],
            "ts": f"2025-11-24T18:03:{20 + n}Z",
            "props": '{"variant": "B"}',
            "more": {"a": n},
        }
        for n in range(10)
    ]
    file = tmp_path / "own.parquet"
    parquet.write_table(pa.Table.from_pylist(rows), file)
    draft = _main("mapping", "draft", file)
    assert draft.returncode == 0, draft.stderr
    assert "10 events of 10 records" in draft.stdout
    assert "\n  form: table\n" in draft.stdout
    mapping = tmp_path / "mine.yaml"
    mapping.write_text(draft.stdout)
    check = _main("mapping", "check", "--rows", "5", file, "--mapping", mapping)
    assert check.returncode == 0, check.stderr
    assert "10 lines: 10 events, 0 not stored, 0 rejected" in check.stdout
    columns = _main("mapping", "columns", file, "--mapping", mapping)
    assert columns.stdout.split() == ["device", "event_name", "ts", "props"]
    assert _main("ingest", file, "--mapping", mapping, "--log", log.path).returncode == 0
    assert log.info().events == 10
    parquet.write_table(pa.Table.from_pylist(rows).slice(0, 0), file)
    empty = _main("mapping", "draft", file)
    assert (empty.returncode, "no rows" in empty.stderr) == (64, True)


def test_errors_are_sentences_with_a_status(log: permlog.Log, events: Path) -> None:
    both = _main("ingest", events, DATA / "export-2.csv", "--log", log.path)
    assert both.returncode == 64
    assert both.stderr.startswith("permlog: ")
    assert "Traceback" not in both.stderr
    wrong = _main("ingest", events, "--format", "ga4", "--log", log.path)
    assert wrong.returncode in (2, 64)
    assert "Traceback" not in wrong.stderr
    unknown = _main("ingest", events, "--strct", "--log", log.path)
    assert unknown.returncode == 64
    assert "--strct" in unknown.stderr
    assert not log.path.exists()


def test_no_package_is_needed_for_the_tool() -> None:
    """Without pandas and pyarrow the package can be imported, and the tool be run."""
    code = "import sys; sys.modules.update(dict.fromkeys(('pandas', 'pyarrow', 'numpy', 'matplotlib', 'tqdm')));"
    code += "import permlog; print(permlog.find_tool()); log = permlog.Log('none')\n"
    code += f"log = permlog.Log({str(DATA.parent / 'none')!r})\n"
    code += "try: log.report()\nexcept permlog.FailedError: print('no log')\n"
    code += "try: permlog.simulate(users=10).to_pandas()\nexcept ImportError as problem: print(problem)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "no log" in done.stdout
    assert "needs pandas: pip install pandas pyarrow" in done.stdout
