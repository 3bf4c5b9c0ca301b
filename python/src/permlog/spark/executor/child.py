"""The tool as a child process of a task, and the folder that it works in."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import IO

from permlog.spark.executor.job import ShardError

_SAID = 2048  # Bytes of the beginning and of the end of standard error that go into an error.
_PATIENCE = 5.0  # Seconds between the polite signal and the other one.
_LOCK = "lock"  # Held as long as the task of a folder lives.
_TAKEN = (0, 2, 64)  # Statuses that another attempt would give again.


@contextlib.contextmanager
def scratch(named: str | None, shard: int, name: str) -> Iterator[str]:
    """A folder for one attempt of one task, which is removed at its end.

    Raises
    ------
    ShardError
        If it cannot be made.
    """
    # The folders that Spark removes when the executor ends, so that nothing stays of a task that was killed.
    listed = os.environ.get("SPARK_LOCAL_DIRS") or os.environ.get("LOCAL_DIRS") or ""
    places = [place for place in listed.split(",") if os.path.isdir(place) and os.access(place, os.W_OK)]
    parent = named or (places[shard % len(places)] if places else None)
    try:
        _sweep(parent or tempfile.gettempdir())
        folder, lock = _locked(parent)
    except OSError as problem:
        place = parent or problem.filename or "for temporary files"
        raise ShardError(f"{name}: the folder {place} cannot be used: {problem.strerror}") from problem
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _locked(parent: str | None) -> tuple[str, int]:
    """A new folder, and a lock that the system releases when this process ends, in whatever way."""
    unnamed = tempfile.mkdtemp(prefix=".permlog-shard-", dir=parent)
    lock = os.open(os.path.join(unnamed, _LOCK), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    with contextlib.suppress(
        OSError
    ):  # A file system without locks: then no process can mistake it for a dead worker's either.
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    # Seen by others from now on, when it is locked.
    place, hidden = os.path.split(unnamed)
    folder = os.path.join(place, hidden[1:])
    os.rename(unnamed, folder)
    return folder, lock


def _sweep(parent: str) -> None:
    """Removes the folders of killed workers: no process holds their locks any more."""
    for entry in os.scandir(parent):
        if not entry.name.startswith("permlog-shard-") or not entry.is_dir(follow_symlinks=False):
            continue
        with contextlib.suppress(OSError):
            lock = os.open(os.path.join(entry.path, _LOCK), os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(entry.path, ignore_errors=True)
            finally:
                os.close(lock)


def written(folder: str, name: str, content: bytes) -> str:
    """Writes a file in the folder and returns its name, for the tool that runs there.

    Raises
    ------
    ShardError
        If the disk is full or missing.
    """
    try:
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
    except OSError as problem:
        raise ShardError(f"The folder {folder} cannot be used: {problem.strerror}") from problem
    return name


@contextlib.contextmanager
def running(
    arguments: Sequence[str], folder: str, environment: Mapping[str, str], stdin: int = subprocess.PIPE
) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    """The tool with a file for its standard error.

    If the block is left by an error, it is ended before its input is closed. If this process is killed itself, the tool sees the end of its
    input: it refuses a table without its end marker, and its result for lines is never read.
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


def text_of(said: IO[bytes]) -> str:
    """The tool's messages. Of a long text only the beginning, which has the error, and the end."""
    size = said.seek(0, os.SEEK_END)
    said.seek(0)
    text = said.read(_SAID)
    if size > 2 * _SAID:
        text += b"\n[...]\n"
        said.seek(size - _SAID)
    return (text + said.read(_SAID)).decode("utf-8", "replace").strip()


def answer_of(name: str, status: int, text: str, output: str) -> tuple[bytes, str]:
    """The sums, or the tool's error for wrong data or arguments.

    Raises
    ------
    ShardError
        For any other failure, which the next attempt may not have.
    """
    if status not in _TAKEN:
        how = f"was ended by signal {-status}" if status < 0 else f"failed with status {status}"
        raise ShardError(f"{name}: the tool {how}. {text or 'It printed nothing.'}")
    if status != 0:
        return b"", f"{name}\n{text}"
    try:
        with open(output, "rb") as file:
            return file.read(), text
    except OSError as problem:
        raise ShardError(f"{name}: the tool wrote no sums: {problem}") from problem
