"""What runs on an executor: one shard's rows to the tool, and the tool's sums back as a row.

This module travels to the executors as it is, with the function that uses it. So it imports nothing of permlog, and executors need
only Python, pyarrow and the tool.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

COLUMNS = "shard int, status int, rows bigint, sums binary, message string"
"""The rows that a task gives: one a shard, or one a group of shards whose sums were added."""

_TAIL = 2048  # Bytes of standard error that go into an error.
_PATIENCE = 5.0  # Seconds between the polite signal and the other one.
_PIPE = 1 << 20  # Bytes that may wait in the pipe to the tool.
_TAKEN = (0, 2, 64)  # Statuses that another attempt would give again.


class ShardError(RuntimeError):
    """A task failed, and Spark may try it again. Its text names the shard."""


@dataclass(frozen=True)
class Tool:
    """The tool that executors must have: the driver's, to the byte."""

    version: str
    sha256: str
    archive: str | None = None
    """The folder that it was shipped in; None if executors have it already."""


@dataclass(frozen=True)
class Job:
    """All that a task needs to know."""

    id: str
    shards: int
    questions: Sequence[bytes]
    options: Sequence[str]
    """How rows are read."""
    mappings: Sequence[bytes]
    columns: Sequence[str]
    """Names of the columns that are sent; of lines none."""
    json_columns: frozenset[str]
    """Those that hold objects and lists as texts."""
    tool: Tool
    scratch: str | None = None
    """A folder on the executors; by default Spark's own."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Added to the tool's own."""


def shard_rows(job: Job, batches: Iterator[Any]) -> Iterator[Any]:
    """The sums of one shard. The last column of the batches is the shard that the user of a row belongs to.

    Yields
    ------
    pyarrow.RecordBatch
        One, with one row.

    Raises
    ------
    ShardError
        If the tool failed, or rows of another shard came.
    """
    from pyspark import TaskContext

    context: Any = TaskContext.get()
    shard = context.partitionId()
    name = f"Shard {shard + 1} of {job.shards}"
    program = tool_here(job.tool, name)
    with _scratch(job.scratch, shard) as folder:
        output = os.path.join(folder, "shard.sums")
        arguments = [program, "sums", "make", *job.options, f"--output={output}", f"--scratch={folder}", "--threads=1"]
        arguments += [f"--shard={shard + 1}/{job.shards}", f"--job={job.id}"]
        for number, question in enumerate(job.questions):
            arguments.append(f"--question={_written(folder, f'question-{number}.json', question)}")
        for number, mapping in enumerate(job.mappings):
            arguments.append(f"--mapping={_written(folder, f'mapping-{number}.yaml', mapping)}")
        # The attempt is there for those who look at processes, and for tests.
        environment = {**os.environ, **job.environment, "PERMLOG_SPARK_ATTEMPT": str(context.attemptNumber())}
        with _running([*arguments, "-"], folder, environment) as (process, said):
            rows = _sent(job, shard, batches, process, name)
            status = process.wait()
            text = _tail(said)
        made = _answer(name, status, text, output)
    yield _row(shard, status, rows, *made)


def empty_rows(job: Job, batches: Iterator[Any]) -> Iterator[Any]:
    """The sums of a shard without rows."""
    for _ in batches:
        pass
    yield from shard_rows(job, iter(()))


def merged_rows(job: Job, size: int, batches: Iterator[Any]) -> Iterator[Any]:
    """Adds up the sums of groups of so many shards; a whole group is in one task. Rows that report an error stay as they are."""
    groups: dict[int, list[str]] = {}
    rows: dict[int, int] = {}
    failed = []
    with _scratch(job.scratch, 0) as folder:
        for batch in batches:
            for row in batch.to_pylist():
                if row["status"] != 0:
                    failed.append(row)
                    continue
                group = row["shard"] // size
                path = _written(folder, f"{row['shard']}.sums", row["sums"])
                groups.setdefault(group, []).append(path)
                rows[group] = rows.get(group, 0) + row["rows"]
        program = tool_here(job.tool, "Adding up shards") if groups else ""
        made = []
        for group, paths in groups.items():
            name = f"Adding up shards, group {group + 1}"
            output = os.path.join(folder, f"group-{group}.merged")
            arguments = [program, "sums", "merge", *paths, f"--output={output}"]
            with _running(arguments, folder, {**os.environ, **job.environment}, stdin=subprocess.DEVNULL) as (
                process,
                said,
            ):
                status = process.wait()
                text = _tail(said)
            made.append((group, status, rows[group], *_answer(name, status, text, output)))
    for row in failed:
        yield _row(row["shard"], row["status"], row["rows"], row["sums"], row["message"])
    for each in made:
        yield _row(*each)


def probed(tool: Tool, batches: Iterator[Any]) -> Iterator[Any]:
    """Looks whether the tool is here: a row with status 0, or with the sentence that says what is wrong."""
    for _ in batches:
        pass
    try:
        tool_here(tool, "")
    except ShardError as problem:
        yield _row(0, 1, 0, b"", str(problem).strip())
    else:
        yield _row(0, 0, 0, b"", "")


def tool_here(tool: Tool, name: str) -> str:
    """The path of the tool on this machine.

    Raises
    ------
    ShardError
        If there is none, or only others.
    """
    found = [path for path in dict.fromkeys(_places(tool)) if os.path.isfile(path) and os.access(path, os.X_OK)]
    for path in found:
        if _known_checksum(path) == tool.sha256:
            return path
    prefix = f"{name}: " if name else ""
    host = os.uname().nodename
    if not found:
        looked = ", ".join(dict.fromkeys(os.path.dirname(path) for path in _places(tool)))
        raise ShardError(
            f"{prefix}there is no tool permlog on the executor {host}. Looked in {looked}. Install permlog's wheel there, set "
            'spark.executorEnv.PERMLOG_TOOL, or give tool="ship"'
        )
    listed = ", ".join(f"{path} ({_version(path)}, sha256 {checksum(path)[:12]}…)" for path in found)
    raise ShardError(
        f"{prefix}the executor {host} has another tool permlog than the driver ({tool.version}, sha256 {tool.sha256[:12]}…): {listed}. "
        'Install the same wheel on both, or give tool="ship"'
    )


def checksum(path: str) -> str:
    """SHA-256 of a file in hexadecimal digits."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _known_checksum(path: str) -> str:
    """The checksum of a file, computed once by each worker process, which runs many tasks."""
    # This module is made anew for each task. So what is known is kept beside it.
    kept = sys.modules.setdefault("_permlog_checksums", types.ModuleType("_permlog_checksums"))
    known: dict[Any, str] = kept.__dict__.setdefault("known", {})
    status = os.stat(path)
    state = (path, status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    if state not in known:
        known[state] = checksum(path)
    return known[state]


def _places(tool: Tool) -> Iterator[str]:
    """Where the tool may be, the likeliest first."""
    if tool.archive is not None:
        from pyspark import SparkFiles

        # By SparkFiles, and in the working directory: which of them has it differs between releases (SPARK-44348).
        roots = [os.getcwd()]
        with contextlib.suppress(Exception):
            roots.append(SparkFiles.getRootDirectory())
        for root in roots:
            yield os.path.abspath(os.path.join(root, tool.archive, "permlog"))
        return
    named = os.environ.get("PERMLOG_TOOL")
    if named:
        yield os.path.abspath(os.path.expanduser(named))
        return
    yield os.path.join(sysconfig.get_path("scripts"), "permlog")
    yield os.path.join(os.path.dirname(sys.executable), "permlog")
    on_path = shutil.which("permlog")
    if on_path:
        yield os.path.abspath(on_path)


def _version(path: str) -> str:
    try:
        done = subprocess.run(
            [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return "not permlog"
    words = done.stdout.decode("utf-8", "replace").split()
    return words[0] if done.returncode == 0 and len(words) == 1 else "not permlog"


@contextlib.contextmanager
def _scratch(named: str | None, shard: int) -> Iterator[str]:
    """A folder for one attempt of one task, which is gone at its end."""
    # The folders that Spark removes when the executor ends, so that nothing stays of a task that was killed.
    listed = os.environ.get("SPARK_LOCAL_DIRS") or os.environ.get("LOCAL_DIRS") or ""
    places = [place for place in listed.split(",") if os.path.isdir(place) and os.access(place, os.W_OK)]
    parent = named or (places[shard % len(places)] if places else None)
    folder = tempfile.mkdtemp(prefix="permlog-", dir=parent)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _written(folder: str, name: str, content: bytes) -> str:
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(content)
    return path


@contextlib.contextmanager
def _running(
    arguments: Sequence[str], folder: str, environment: Mapping[str, str], stdin: int = subprocess.PIPE
) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    """The tool with a file for its standard error.

    If the block is left by an error, it is ended before its input is closed. If this process is killed itself, the tool sees the end of its
    input: it refuses a table without its end mark, and what it makes of lines is read by nobody.
    """
    with open(os.path.join(folder, "said"), "w+b") as said:
        try:
            process = subprocess.Popen(
                arguments,
                stdin=stdin,
                stdout=subprocess.DEVNULL,
                stderr=said,
                cwd=folder,
                env=dict(environment),
            )
        except (OSError, subprocess.SubprocessError) as problem:
            raise ShardError(f"The tool could not be started: {problem}") from problem
        try:
            yield process, said
        finally:
            _ended(process)


def _ended(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    # Only now: an input that is closed before would look like one that came to its end.
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()


def _tail(said: IO[bytes]) -> str:
    """The end of what the tool said."""
    size = said.seek(0, os.SEEK_END)
    said.seek(max(0, size - _TAIL))
    return said.read().decode("utf-8", "replace").strip()


def _sent(job: Job, shard: int, batches: Iterator[Any], process: subprocess.Popen[bytes], name: str) -> int:
    """Sends all rows and then the end; how many there were.

    Raises
    ------
    ShardError
        For a row of another shard.
    """
    assert process.stdin is not None
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(process.stdin.fileno(), fcntl.F_SETPIPE_SZ, _PIPE)
    send = _send_rows if job.columns else _send_lines
    rows = 0

    def checked() -> Iterator[Any]:
        nonlocal rows
        for batch in batches:
            _check_shard(batch.column(batch.num_columns - 1), shard, name)
            rows += batch.num_rows
            yield batch

    try:
        send(job, checked(), process.stdin)
        process.stdin.close()
    except BrokenPipeError:  # The tool has refused, and its status says why.
        if process.wait() == 0:
            raise ShardError(f"{name}: the tool ended before its input did") from None
    return rows


def _check_shard(column: Any, shard: int, name: str) -> None:
    """Whoever divides the users must bring each to one shard: a row that came elsewhere would be a second user."""
    import pyarrow.compute as pc

    found = pc.min_max(column).as_py()
    if column.null_count or (len(column) and (found["min"] != shard or found["max"] != shard)):
        other = found["min"] if found["min"] != shard else found["max"]
        raise ShardError(f"{name}: there are rows of another shard ({other + 1 if other is not None else 'none'})")


def _send_rows(job: Job, batches: Iterator[Any], stdin: IO[bytes]) -> None:
    import pyarrow as pa

    writer: Any = None
    schema: Any = None
    for batch in batches:
        if schema is None:
            schema = pa.schema(
                pa.field(
                    name,
                    batch.schema.field(place).type,
                    metadata={"permlog.json": "true"} if name in job.json_columns else None,
                )
                for place, name in enumerate(job.columns)
            )
            # Not as a context manager: that would write the end of the stream after an error, too.
            writer = pa.ipc.new_stream(pa.PythonFile(stdin, mode="w"), schema)
        writer.write_batch(pa.RecordBatch.from_arrays(batch.columns[: len(job.columns)], schema=schema))
    if writer is None:  # An empty shard; the types of columns without values do not matter.
        schema = pa.schema([(name, pa.string()) for name in job.columns])
        writer = pa.ipc.new_stream(pa.PythonFile(stdin, mode="w"), schema)
    writer.close()


def _send_lines(job: Job, batches: Iterator[Any], stdin: IO[bytes]) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    for batch in batches:
        # A text that is missing is a row that says nothing, which the tool rejects with its reason.
        lines = pc.fill_null(batch.column(0), "null")
        # In JSON a line end is a blank between values; here it would end the line.
        if pc.any(pc.match_substring_regex(lines, "[\r\n]")).as_py():
            lines = pc.replace_substring_regex(lines, "[\r\n]+", " ")
        ended = pc.binary_join_element_wise(lines, pa.scalar("\n", lines.type), pa.scalar("", lines.type))
        _, offsets, values = ended.buffers()
        wide = pa.int64() if pa.types.is_large_string(ended.type) else pa.int32()
        ends = pa.Array.from_buffers(wide, len(ended) + 1, [None, offsets], offset=ended.offset)
        stdin.write(memoryview(values)[ends[0].as_py() : ends[len(ended)].as_py()])


def _answer(name: str, status: int, text: str, output: str) -> tuple[bytes, str]:
    """The sums, or what the tool said of data or arguments that are at fault.

    Raises
    ------
    ShardError
        For any other end, which the next attempt may not have.
    """
    if status not in _TAKEN:
        how = f"was ended by signal {-status}" if status < 0 else f"failed with status {status}"
        raise ShardError(f"{name}: the tool {how}. {text or 'It said nothing.'}")
    if status != 0:
        return b"", f"{name}\n{text}"
    try:
        with open(output, "rb") as file:
            return file.read(), text
    except OSError as problem:
        raise ShardError(f"{name}: the tool left no sums: {problem}") from problem


def _row(shard: int, status: int, rows: int, sums: bytes, message: str) -> Any:
    import pyarrow as pa

    return pa.RecordBatch.from_arrays(
        [
            pa.array([shard], pa.int32()),
            pa.array([status], pa.int32()),
            pa.array([rows], pa.int64()),
            pa.array([sums], pa.binary()),
            pa.array([message], pa.string()),
        ],
        names=["shard", "status", "rows", "sums", "message"],
    )
