"""Runs the tool: reads both outputs, ends it with the caller, and raises its errors as exceptions."""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import warnings
import weakref
from collections.abc import Iterator, Sequence
from typing import IO

from permlog._tool import find_tool
from permlog._words import in_python
from permlog.errors import PermlogWarning, error

Argument = str | bytes
_PATIENCE = 5.0  # Seconds between the polite signal and the other one.
_MOMENT = 1.0  # Seconds for threads that the interpreter does not wait for.
_running: weakref.WeakSet[subprocess.Popen[bytes]] = weakref.WeakSet()
"""The tools of this process that have not ended."""
_is_ending = False  # Whether the interpreter ends.


@atexit.register
def _end_all() -> None:
    """Ends what still runs, such as the tool of a reader that was read half, while there is an interpreter to do it."""
    global _is_ending
    _is_ending = True
    # Their pipes stay open: a thread may read them at this moment, and comes to the end of the rows by itself.
    for process in list(_running):
        _stop(process)
    # A thread that is within Arrow when the interpreter goes aborts it. Its rows have ended, so it is out of there soon.
    until = time.monotonic() + _MOMENT
    while _running and time.monotonic() < until and any(each.daemon for each in threading.enumerate()):
        time.sleep(0.01)


def _forget() -> None:
    _running.clear()


if hasattr(os, "register_at_fork"):  # What the parent runs is not the child's to end.
    os.register_at_fork(after_in_child=_forget)


def run(arguments: Sequence[Argument], text: bytes | None = None, told: re.Pattern[str] | None = None) -> bytes:
    """Runs the tool to its end.

    Parameters
    ----------
    arguments : list of str
        Command, options, operands.
    text : bytes, optional
        Its standard input; by default empty.
    told : re.Pattern, optional
        Messages that were shown before and do not become a warning again.

    Returns
    -------
    bytes
        The content of standard output.

    Raises
    ------
    PermlogError
        By its exit status, with its sentence. If it succeeds, the text of standard error becomes a warning.
    """
    stdin = subprocess.DEVNULL if text is None else subprocess.PIPE
    with child(arguments, stdin=stdin, stdout=subprocess.PIPE) as (process, said):
        output, _ = process.communicate(text)
        finish(process, said, told)
    return bytes(output)


@contextlib.contextmanager
def child(
    arguments: Sequence[Argument], *, stdin: int = subprocess.DEVNULL, stdout: int | IO[bytes] | None
) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    """The running tool and the file of its standard error.

    If the block is left before the tool has ended, by an error or by ctrl-C, the tool is ended first.
    """
    with tempfile.TemporaryFile() as said:
        # Notebooks set FORCE_COLOR, but a text that is returned is no terminal.
        plain = {**os.environ, "NO_COLOR": "1"}
        process = subprocess.Popen([find_tool(), *arguments], stdin=stdin, stdout=stdout, stderr=said, env=plain)
        _running.add(process)
        try:
            yield process, said
        finally:
            end(process)
            _running.discard(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends the tool if it runs, and closes the pipes to it.

    The order matters: if the input is closed first, the tool takes it for complete.
    """
    _stop(process)
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            try:
                pipe.close()
            except OSError:  # What could not be flushed has no reader any more.
                pass


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ends the tool if it runs."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def finish(process: subprocess.Popen[bytes], said: IO[bytes], told: re.Pattern[str] | None = None) -> None:
    """Waits for the tool. Raises if it failed; otherwise its messages become a warning."""
    code = process.wait()
    text = read(said)
    if code != 0 and _is_ending:
        raise SystemExit  # Of a thread that the interpreter does not wait for: its tool did not fail.
    if code != 0:
        raise error(code, text)
    warn(told.sub("", text) if told else text)


def read(said: IO[bytes]) -> str:
    """The whole content of a file."""
    said.seek(0)
    return said.read().decode("utf-8", "replace")


def warn(text: str) -> None:
    """Turns the tool's messages, if any, into a warning at the line that called this package."""
    if text.strip():
        warnings.warn(in_python(text.strip()), PermlogWarning, stacklevel=_depth())


def _depth() -> int:
    """The number of frames between the warning and the line that called this package."""
    inner = (os.path.dirname(__file__), contextlib.__file__)
    frame, depth = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(inner):
        frame, depth = frame.f_back, depth + 1
    return depth
