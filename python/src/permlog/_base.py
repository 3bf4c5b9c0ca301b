"""What all methods of a log need: its directory, and the number of threads."""

from __future__ import annotations

import os

from permlog._arguments import StrPath, files, options
from permlog.errors import UsageError


class LogBase:
    """A directory with a log."""

    def __init__(self, path: StrPath | None = None, *, threads: int | None = None) -> None:
        chosen = path if path is not None else os.environ.get("PERMLOG_LOG") or "permlog-data"
        self._name = files(chosen)[0]
        if threads is not None and (isinstance(threads, bool) or not isinstance(threads, int) or threads < 1):
            raise UsageError(f"threads takes a whole number from 1 on, and not {threads!r}")
        self._thread_count = threads

    def _threads(self) -> list[str]:
        return options(threads=self._thread_count)

    def _options(self) -> list[str]:
        return [f"--log={self._name}", *self._threads()]
