"""The path of the tool, and whether it has this package's version."""

from __future__ import annotations

import functools
import os
import shutil
import site
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from permlog._version import __version__
from permlog.errors import ToolNotFoundError

_ADVICE = "Install the wheel of this version again, or name a tool with the environment variable PERMLOG_TOOL."


def find_tool() -> Path:
    """The tool that this package calls.

    It is searched in this order: the path in the environment variable ``PERMLOG_TOOL``; the scripts folder of the
    running environment (also of ``pip install --user`` and ``--target``); the folders of ``PATH``. Its version must
    be the package's.

    Returns
    -------
    pathlib.Path
        An absolute path.

    Raises
    ------
    ToolNotFoundError
        If no tool, or none of this version, was found. The sentence names the searched folders and the tools found.
    """
    named = os.environ.get("PERMLOG_TOOL")
    if named:
        return _checked(named)
    found = [path for path in dict.fromkeys(_places()) if path.is_file() and os.access(path, os.X_OK)]
    versions = {path: _version(path, _state(path)) for path in found}
    for path, version in versions.items():
        if version == __version__:
            return path
    if versions:
        listed = ", ".join(f"{path} is {version or 'not permlog'}" for path, version in versions.items())
        raise ToolNotFoundError(
            f"This package needs the tool permlog {__version__}, which was not found: {listed}. {_ADVICE}"
        )
    looked = ", ".join(str(path.parent) for path in dict.fromkeys(_places()))
    raise ToolNotFoundError(f"The tool permlog was not found in {looked}, nor in the folders of PATH. {_ADVICE}")


def _checked(named: str) -> Path:
    path = Path(named).expanduser().absolute()
    if not path.is_file() or not os.access(path, os.X_OK):
        raise ToolNotFoundError(f"PERMLOG_TOOL is {named}, but no program is at that path.")
    version = _version(path, _state(path))
    if version != __version__:
        raise ToolNotFoundError(
            f"PERMLOG_TOOL is {named}, which is {version or 'not permlog'}; this package needs permlog {__version__}."
        )
    return path


def _places() -> Iterator[Path]:
    """The paths where an installer may have put it."""
    yield Path(sysconfig.get_path("scripts")) / "permlog"
    scheme = sysconfig.get_preferred_scheme("user")
    if site.ENABLE_USER_SITE:
        yield Path(sysconfig.get_path("scripts", scheme)) / "permlog"
    # With --target the scripts are beside the packages.
    yield Path(__file__).resolve().parent.parent / "bin" / "permlog"
    on_path = shutil.which("permlog")
    if on_path:
        yield Path(on_path).absolute()


def _state(path: Path) -> tuple[int, int]:
    """A value that changes if a file is replaced."""
    status = path.stat()
    return status.st_mtime_ns, status.st_size


@functools.lru_cache(maxsize=32)
def _version(path: Path, state: tuple[int, int]) -> str | None:
    """The version that a program reports; None if it is not permlog."""
    del state  # A part of the key: another file at the same path is asked again.
    try:
        done = subprocess.run(
            [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    words = done.stdout.decode("utf-8", "replace").split()
    return words[0] if done.returncode == 0 and len(words) == 1 else None
