"""The tool on an executor: the driver's, to the byte."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import types
from collections.abc import Iterator
from typing import Any

from permlog.spark.executor.job import NoToolError, Tool


def tool_here(tool: Tool, name: str) -> str:
    """The path of the tool on this machine.

    Raises
    ------
    NoToolError
        If there is no tool, or only different ones.
    """
    found = [path for path in dict.fromkeys(_places(tool)) if os.path.isfile(path) and os.access(path, os.X_OK)]
    for path in found:
        if _known_checksum(path) == tool.sha256:
            return path
    prefix = f"{name}: " if name else ""
    host = os.uname().nodename
    if not found:
        looked = ", ".join(dict.fromkeys(os.path.dirname(path) for path in _places(tool)))
        raise NoToolError(
            f"{prefix}the tool permlog is not on the executor {host}. Searched {looked}. Install permlog's wheel there, set "
            'spark.executorEnv.PERMLOG_TOOL, or give tool="ship" (for the program --ship)'
        )
    listed = ", ".join(f"{path} ({_version(path)}, sha256 {checksum(path)[:12]}…)" for path in found)
    raise NoToolError(
        f"{prefix}the executor {host} has a different tool permlog than the driver ({tool.version}, sha256 {tool.sha256[:12]}…): "
        f"{listed}. "
        'Install the same wheel on both, or give tool="ship" (for the program --ship)'
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
    # This module is loaded again for each task, so known results are kept outside it.
    kept = sys.modules.setdefault("_permlog_checksums", types.ModuleType("_permlog_checksums"))
    known: dict[Any, str] = kept.__dict__.setdefault("known", {})
    status = os.stat(path)
    state = (path, status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    if state not in known:
        known[state] = checksum(path)
    return known[state]


def _places(tool: Tool) -> Iterator[str]:
    """The possible paths of the tool, the likeliest first."""
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
