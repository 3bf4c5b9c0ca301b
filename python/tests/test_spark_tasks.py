"""What runs on executors, without Spark: the tool that is looked for, rows that are sent, fields that are needed."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from conftest import AS_OF, Run

import permlog
from permlog import spark as ps
from permlog.spark._columns import _plain
from permlog.spark._needs import fields_of
from permlog.spark._run import _collected, mapping_names
from permlog.spark.executor.child import answer_of, running, scratch, text_of
from permlog.spark.executor.job import Job, NoToolError, RefusedError, ShardError, Tool
from permlog.spark.executor.packing import packed, unpacked
from permlog.spark.executor.sending import _check_event_ids, _check_shard, _send_lines, _send_rows
from permlog.spark.executor.tool import checksum, tool_here


def _job(columns: list[str], json_columns: frozenset[str] = frozenset()) -> Job:
    return Job("job", 3, [], [], [], columns, json_columns, Tool("0", ""))


def _script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_the_tool_is_found_by_its_checksum(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _script(tmp_path / "permlog", "echo 9.9.9")
    monkeypatch.setenv("PERMLOG_TOOL", path)
    assert tool_here(Tool("9.9.9", checksum(path)), "Shard 1 of 2") == path
    with pytest.raises(NoToolError, match=r"Shard 1 of 2: the executor .* has a different tool .*9\.9\.9, sha256"):
        tool_here(Tool("9.9.9", "0" * 64), "Shard 1 of 2")
    # A file that is replaced is looked at again.
    _script(tmp_path / "permlog", "echo 9.9.8 # longer")
    with pytest.raises(NoToolError, match="a different tool"):
        tool_here(Tool("9.9.9", checksum(__file__)), "")
    monkeypatch.setenv("PERMLOG_TOOL", str(tmp_path / "missing"))
    with pytest.raises(NoToolError, match='the tool permlog is not on the executor .* tool="ship"'):
        tool_here(Tool("9.9.9", "0" * 64), "")


def test_a_shipped_tool_is_in_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark")
    (tmp_path / "permlog-1").mkdir()
    path = _script(tmp_path / "permlog-1" / "permlog", "echo 9.9.9")
    monkeypatch.chdir(tmp_path)
    assert tool_here(Tool("9.9.9", checksum(path), "permlog-1"), "") == path


def test_rows_of_another_shard_are_refused() -> None:
    _check_shard(pa.array([2, 2], pa.int32()), 2, "Shard 3 of 3")
    _check_shard(pa.array([], pa.int32()), 2, "Shard 3 of 3")
    for values in ([2, 1], [0, 2], [1], [2, None]):
        with pytest.raises(ShardError, match="Shard 3 of 3: the input has rows of another shard"):
            _check_shard(pa.array(values, pa.int32()), 2, "Shard 3 of 3")


def test_an_empty_shard_is_a_stream_with_its_end() -> None:
    sink = io.BytesIO()
    _send_rows(_job(["user_id", "event"]), iter(()), sink)
    read = pa.ipc.open_stream(sink.getvalue())
    assert read.schema.names == ["user_id", "event"]
    assert read.read_all().num_rows == 0


def test_only_columns_for_the_tool_are_sent() -> None:
    batch = pa.record_batch({"a": ["1"], "b": ['{"x":1}'], "permlog_user": ["u"], "permlog_shard": [0]})
    sink = io.BytesIO()
    _send_rows(_job(["a", "b"], frozenset("b")), iter([batch, batch]), sink)
    table = pa.ipc.open_stream(sink.getvalue()).read_all()
    assert table.to_pydict() == {"a": ["1", "1"], "b": ['{"x":1}'] * 2}
    assert table.schema.field("b").metadata == {b"permlog.json": b"true"}
    assert table.schema.field("a").metadata is None


def test_an_error_of_the_source_leaves_no_end() -> None:
    def batches() -> object:
        yield pa.record_batch({"a": ["1"], "permlog_shard": [0]})
        raise OSError("the source broke")

    sink = io.BytesIO()
    with pytest.raises(OSError, match="the source broke"):
        _send_rows(_job(["a"]), batches(), sink)  # type: ignore[arg-type]
    assert not sink.getvalue().endswith(b"\xff\xff\xff\xff\0\0\0\0")


@pytest.mark.parametrize("type_", [pa.string(), pa.large_string()])
def test_lines_end_where_texts_do(type_: pa.DataType) -> None:
    texts = pa.array(["skipped", '{"a":1}', None, '{\r\n"b":\n2}', "", "ü"], type_)
    batch = pa.record_batch([texts.slice(1), pa.array([0] * 5)], ["line", "permlog_shard"])
    sink = io.BytesIO()
    _send_lines(_job([]), iter([batch, batch.slice(0, 0)]), sink)
    assert sink.getvalue().decode() == '{"a":1}\nnull\n{ "b": 2}\n\nü\n'


def test_statuses() -> None:
    assert answer_of("Shard 1 of 2", 2, "bad", "") == (b"", "Shard 1 of 2\nbad")
    with pytest.raises(ShardError, match="ended by signal 9. It printed nothing"):
        answer_of("Shard 1 of 2", -9, "", "")
    with pytest.raises(ShardError, match="failed with status 1. disk full"):
        answer_of("Shard 1 of 2", 1, "disk full", "")
    with pytest.raises(ShardError, match="wrote no sums"):
        answer_of("Shard 1 of 2", 0, "", "/nowhere")


def test_of_much_that_the_tool_said_the_beginning_and_the_end_are_kept() -> None:
    assert text_of(io.BytesIO()) == ""
    for size in (10, 2048, 2049, 4096):
        text = "".join(f"{number:7}\n" for number in range(600))[:size]
        assert text_of(io.BytesIO(text.encode())) == text.strip()
    notes = "".join(f"note {number}\n" for number in range(2000))
    kept = text_of(io.BytesIO(f"permlog: the question is wrong\n{notes}permlog: the disk is full\n".encode()))
    assert kept.startswith("permlog: the question is wrong\nnote 0\n")
    assert kept.endswith("note 1999\npermlog: the disk is full")
    assert "\n[...]\n" in kept
    assert len(kept) < 5000


def test_an_error_ends_the_child_before_its_input(tmp_path: Path) -> None:
    # It writes its mark only if it sees the end of its input.
    script = _script(tmp_path / "tool", f"cat >/dev/null; touch {tmp_path}/ended")
    with pytest.raises(KeyError), running([script], str(tmp_path), os.environ) as (process, _):
        raise KeyError
    assert process.returncode is not None
    assert not (tmp_path / "ended").exists()


def test_the_end_of_a_killed_worker_is_the_end_of_its_tool(tmp_path: Path) -> None:
    """The tool has its input from the worker alone, and refuses a table that breaks off."""
    script = _script(
        tmp_path / "tool", f"echo $$ >{tmp_path}/pid; cat >/dev/null; touch {tmp_path}/ended; exec sleep 0"
    )
    code = (
        "import os, sys\nfrom permlog.spark.executor.child import running\n"
        f"with running([{script!r}], {str(tmp_path)!r}, os.environ) as (process, _):\n"
        f"    while not os.path.exists({str(tmp_path / 'pid')!r}): pass\n    os.kill(os.getpid(), 9)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    limit = time.monotonic() + 30
    while not (tmp_path / "ended").exists():
        assert time.monotonic() < limit
        time.sleep(0.01)


def test_scratch_is_in_sparks_own_folder_and_gone_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{tmp_path}/one,{tmp_path}/two,{tmp_path}/missing")
    with pytest.raises(KeyError), scratch(None, 3, "Shard 4 of 4") as folder:
        assert Path(folder).parent == tmp_path / "two"
        raise KeyError
    assert not Path(folder).exists()


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(ShardError, match=rf"^Shard 4 of 4: the folder {tmp_path}/missing cannot be used: No such file"),
        scratch(str(tmp_path / "missing"), 3, "Shard 4 of 4"),
    ):
        pass


def test_a_killed_workers_folder_goes_with_the_next_task(tmp_path: Path) -> None:
    code = (
        "import os\nfrom permlog.spark.executor.child import scratch\n"
        f"with scratch({str(tmp_path)!r}, 0, ''):\n    os.kill(os.getpid(), 9)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    (killed,) = tmp_path.iterdir()
    other = tmp_path / "somebodys"
    other.mkdir()
    with scratch(str(tmp_path), 0, "") as first, scratch(str(tmp_path), 1, "") as second:
        # The killed one's is gone, and one that is in use stays.
        assert {str(path) for path in tmp_path.iterdir()} == {first, second, str(other)}
    assert not killed.exists()
    assert list(tmp_path.iterdir()) == [other]


def test_mappings_have_their_names_and_no_folders() -> None:
    assert mapping_names(["/a/mine.yaml"], [b"x"]) == [("mine.yaml", b"x")]
    assert mapping_names(["/a/m.yaml", "/b/m.yaml"], [b"x", b"y"]) == [
        ("mapping-1.yaml", b"x"),
        ("mapping-2.yaml", b"y"),
    ]
    assert mapping_names(["said"], [b"x"]) == [("mapping-1.yaml", b"x")]


@pytest.mark.parametrize("blank", [None, "", " ", "\t\r", "\u00a0", "\ufeff ", " \u00a0"])
def test_rows_without_an_event_id_are_seen(blank: str | None) -> None:
    def columns(ids: list[str | None]) -> dict[str, pa.Array]:
        names = ("user_id", "timestamp", "event")
        return {"event_id": pa.array(ids, pa.string()), **{name: pa.array(["x"] * len(ids)) for name in names}}

    for more in (["e1", "f2"], ["é", "e"], [" e"], ["~", "!"]):
        _check_event_ids(columns(list(more)))
        with pytest.raises(RefusedError, match="some rows have none"):
            _check_event_ids(columns([*more, blank]))
    _check_event_ids(columns([]))
    # Spark's texts may be no UTF-8: the tool says what it thinks of such an id.
    odd = pa.array([b"e1", b"\xff"], pa.binary()).view(pa.string())
    _check_event_ids({**columns(["e1", "e2"]), "event_id": odd})


def test_sums_are_packed_on_their_way() -> None:
    for sums in (b"", b"permlog-sums 2\n", b"permlog-sums 2\n" + b"=camera 1:2 3:4\n" * 100_000):
        assert unpacked(packed(sums)) == sums
    assert len(packed(b"=camera 1:2 3:4\n" * 100_000)) < 100_000


@pytest.mark.parametrize("is_hidden", [False, True])
def test_ctrl_c_ends_the_job_also_if_another_error_comes_of_it(is_hidden: bool) -> None:
    said: list[str] = []

    class Session:
        def addTag(self, tag: str) -> None:
            said.append("add")

        def interruptTag(self, tag: str) -> None:
            said.append("interrupt")
            if said.count("interrupt") < 3:
                raise OSError("no connection")

        def removeTag(self, tag: str) -> None:
            said.append("remove")

    class Frame:
        sparkSession = Session()

        def collect(self) -> None:
            try:
                raise KeyboardInterrupt
            finally:
                if is_hidden:
                    raise OSError("the answer is empty")

    with pytest.raises(KeyboardInterrupt):
        _collected(Frame(), "job")
    assert said == ["add", "interrupt", "interrupt", "interrupt", "remove"]


def test_an_error_is_not_taken_for_an_interruption_that_was_handled_before() -> None:
    class Session:
        def addTag(self, tag: str) -> None:
            pass

        def interruptTag(self, tag: str) -> None:
            pytest.fail("nothing was interrupted")

        def removeTag(self, tag: str) -> None:
            raise OSError("no connection")

    class Frame:
        sparkSession = Session()

        def collect(self) -> None:
            raise RuntimeError("ShardError: the disk is full")

    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        with pytest.raises(permlog.FailedError, match="the disk is full"):
            _collected(Frame(), "job")


@pytest.mark.parametrize(
    ("name", "kind"), [("ShardError", permlog.FailedError), ("NoToolError", permlog.ToolNotFoundError)]
)
def test_the_last_error_of_a_task_decides_the_kind(name: str, kind: type[Exception]) -> None:
    class Session:
        def addTag(self, tag: str) -> None:
            pass

        interruptTag = removeTag = addTag

    class Frame:
        sparkSession = Session()

        def collect(self) -> None:
            raise RuntimeError(
                f"ShardError: before\n\npermlog.spark.executor.job.{name}: Shard 1 of 2: this\n\tat org.apache"
            )

    with pytest.raises(kind, match=r"^Shard 1 of 2: this$"):
        _collected(Frame(), "job")


def test_names_are_compared_as_the_tool_does() -> None:
    for name in ("user_id", "User ID", "userId", "USER_ID", " user-id ", "UserID"):
        assert _plain(name) == "user_id"
    assert _plain("os_version") == "os_version"


def test_needed_fields() -> None:
    always = {"user_id", "timestamp", "event", "event_id", "permission", "status", "platform"}
    assert fields_of([ps.flow(as_of=AS_OF)]) == always
    assert fields_of([ps.report("surface", as_of=AS_OF, log_start="2026-01-01", where="country!=DE")]) == always | {
        "app_version",
        "surface",
        "country",
    }


# Made in the test: the tool makes them.
_ASKED = [
    lambda: ps.report(as_of=AS_OF, log_start="2026-01-01"),
    lambda: ps.report(
        ["feature", "surface"], as_of=AS_OF, log_start="2026-01-01", where=["os_version>=17", "country=DE,US"]
    ),
    lambda: ps.compare("A", "B", permission="notifications", as_of=AS_OF),
    lambda: ps.compare(
        "A", "B", permission="notifications", as_of=AS_OF, adjust=["locale"], by="country", where="surface!=map"
    ),
    lambda: ps.compare("ios", "android", permission="camera", as_of=AS_OF, property="platform"),
    lambda: ps.flow(["notifications"], as_of=AS_OF, where="variant=A"),
    lambda: ps.audit(as_of=AS_OF, log_start="2026-01-01"),
    lambda: ps.audit(as_of=AS_OF, log_start="2026-01-01", examples=3, where="experiment!=x"),
]


@pytest.mark.parametrize("make", _ASKED)
def test_fields_that_are_left_out_change_nothing(
    make: Callable[[], ps.Question], sample: permlog.Log, tool: Run, tmp_path: Path
) -> None:
    question = make()
    question.save(tmp_path / "q")
    events = [json.loads(line) for line in tool("export", "--log", sample.path).splitlines()]
    wanted = fields_of([question])
    assert len(wanted) < 15
    made = []
    for fields in (wanted, {key for event in events for key in event}):
        lines = "".join(json.dumps({key: event[key] for key in event if key in fields}) + "\n" for event in events)
        made.append(tool("sums", "make", "-", f"--question={tmp_path / 'q'}", "--output=-", text=lines.encode()))
    assert made[0] == made[1]
