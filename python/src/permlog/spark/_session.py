"""The tool on the executors: shipped on request, and checked before anything is shuffled."""

from __future__ import annotations

import atexit
import contextlib
import functools
import importlib
import os
import re
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from permlog import _extras, _nested, _words, errors
from permlog._tool import find_tool
from permlog._version import __version__
from permlog.errors import FailedError, ToolNotFoundError
from permlog.spark import executor
from permlog.spark.executor.job import Tool
from permlog.spark.executor.tasks import COLUMNS, probed
from permlog.spark.executor.tool import checksum

_PROBES = 4  # Tasks that look, which will mostly be on more than one executor.


class Shipping:
    """The driver's tool as executors are to have it."""

    def __init__(self, is_shipped: bool) -> None:
        self._is_shipped = is_shipped
        self._ready: Tool | None = None

    def tool(self, session: Any) -> Tool:
        """The tool, after making sure that executors have it: shipped on request, and checked before anything is shuffled.

        Raises
        ------
        ToolNotFoundError
            If the driver or an executor has no tool, or an executor has a different one.
        FailedError
            If it cannot be sent.
        """
        path = find_tool()
        sha256 = _checksum(str(path), path.stat().st_mtime_ns, path.stat().st_size)
        # Its checksum is in the folder's name: a session that was sent another tool keeps it, and both work.
        tool = Tool(__version__, sha256, f"permlog-{sha256[:16]}" if self._is_shipped else None)
        if tool == self._ready:  # Looked for by an earlier job; every task looks itself, too.
            return tool
        said = _problem(session, tool)
        if said is not None and tool.archive is not None:
            _send(session, path, tool.archive)
            said = _problem(session, tool)
        if said is not None:
            raise ToolNotFoundError(said[:1].upper() + said[1:] + ".")
        self._ready = tool
        return tool


def by_value(function: Callable[..., Any], *arguments: Any) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """A function of the package ``executor`` with its first arguments, so that executors do not need permlog's Python package."""
    pickling: Any = importlib.import_module("pyspark.cloudpickle")
    for module in (executor, _nested, _extras, errors, _words):
        pickling.register_pickle_by_value(module)

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        yield from function(*arguments, batches)

    return run


def _problem(session: Any, tool: Tool) -> str | None:
    """The problem with the tool on an executor; None without a problem.

    Raises
    ------
    FailedError
        If the executors' Python lacks a module that every task needs.
    """
    frame = session.range(0, _PROBES, 1, _PROBES).mapInArrow(by_value(probed, tool), COLUMNS)
    try:
        rows = frame.collect()
    except Exception as problem:  # Of Py4J or of Connect, by the session.
        lacking = re.search(r"No module named '(\w+)'", str(problem))
        if lacking is None:
            raise
        raise FailedError(
            f"The executors' Python{_python(session)} has no {lacking[1]}, which every task needs. Install it there, or set "
            "PYSPARK_PYTHON to a Python that has it before the session begins."
        ) from problem
    return next((str(row["message"]) for row in rows if row["status"] != 0), None)


def _python(session: Any) -> str:
    """The path of an executor's Python, for a sentence; empty if it cannot be asked."""
    with contextlib.suppress(Exception):
        from pyspark.sql import functions as F

        path = F.udf(lambda _: __import__("sys").executable, "string", useArrow=False)
        return f" ({session.range(1).select(path('id')).collect()[0][0]})"
    return ""


@functools.lru_cache(maxsize=8)
def _checksum(path: str, modified: int, size: int) -> str:
    del modified, size  # A part of the key: another file at the same path is read again.
    return checksum(path)


def _send(session: Any, path: Path, name: str) -> None:
    """Packs the tool and gives it to the session, which unpacks it on every executor."""
    folder = tempfile.mkdtemp(prefix="permlog-")
    atexit.register(
        shutil.rmtree, folder, ignore_errors=True
    )  # A classic session may hand out this file as long as it lives.
    packed = os.path.join(folder, f"{name}.tar.gz")
    with tarfile.open(packed, "w:gz", compresslevel=1) as archive:
        archive.add(path, arcname="permlog", filter=_executable)
    try:
        session.addArtifact(f"{packed}#{name}", archive=True)
    except Exception as problem:  # Of Py4J, of gRPC: whatever a session raises.
        raise FailedError(f"The tool could not be sent to the executors: {problem}") from problem


def _executable(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.mode, entry.uid, entry.gid, entry.uname, entry.gname, entry.mtime = 0o755, 0, 0, "", "", 0
    return entry
