"""Batches to the standard input of the tool, as an Arrow stream."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any

from permlog._extras import need_pyarrow
from permlog._prepare import Preparation
from permlog._process import Argument, child, read, run
from permlog._words import of_rows
from permlog.errors import FailedError, PermlogError

if TYPE_CHECKING:
    import pyarrow

    from permlog._progress import Progress

ROWS = 1 << 16
"""Rows of a batch at most."""
_PIPE = 1 << 20  # Bytes that may wait in the pipe, so that reader and tool seldom wait for each other.


def needed(names: Sequence[str], options: Sequence[Argument]) -> list[str]:
    """The columns that the tool would read, in their order.

    Raises
    ------
    PermlogError
        If a table with these columns cannot be read.
    """
    pa: Any = need_pyarrow()
    sink = pa.BufferOutputStream()
    schema = pa.schema([(name, pa.string()) for name in names])
    with pa.ipc.new_stream(sink, schema):
        pass
    try:
        answer = run(["mapping", "columns", "-", *options], sink.getvalue().to_pybytes())
    except PermlogError as problem:
        raise type(problem)(of_rows(problem.sentence), problem.code, of_rows(problem.notes)) from None
    chosen = set(answer.decode().splitlines())
    if not chosen <= set(names):  # A name that cannot be printed unchanged.
        return list(names)
    return [name for name in names if name in chosen]


def feed(
    arguments: Sequence[Argument],
    schema: pyarrow.Schema,
    batches: Iterator[pyarrow.RecordBatch],
    *,
    stdout: IO[bytes] | None,
    progress: Progress,
) -> tuple[int, str]:
    """Runs the tool on an Arrow stream.

    If the batches raise, or on ctrl-C, the tool is ended before its input is closed. It then stores nothing, because
    the stream has no end.

    Returns
    -------
    int, str
        The exit status and the text of standard error.
    """
    pa: Any = need_pyarrow("ipc")
    prepared = Preparation(schema)
    with child(arguments, stdin=subprocess.PIPE, stdout=stdout) as (process, said):
        assert process.stdin is not None
        _widen(process.stdin)
        # Not as a context manager: that would write the end of the stream after an error, too.
        writer = pa.ipc.new_stream(pa.PythonFile(process.stdin, mode="w"), prepared.schema)
        is_open = True
        for batch in batches:
            try:
                # A slice is converted when it is its turn: a table in memory may be one batch.
                for start in range(0, batch.num_rows, ROWS):
                    ready = prepared(batch.slice(start, ROWS))
                    writer.write_batch(ready)
                    progress.update(ready.num_rows)
            except BrokenPipeError:  # The tool has refused the input; its error gives the reason.
                is_open = False
                break
        if is_open:
            with contextlib.suppress(BrokenPipeError):
                writer.close()
                process.stdin.close()
        code = process.wait()
        text = read(said)
        if not is_open and code == 0:
            raise FailedError("The tool ended before its input did.")
    return code, text


def _widen(pipe: IO[bytes]) -> None:
    """Enlarges the buffer of a pipe, if the system allows it."""
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, _PIPE)
