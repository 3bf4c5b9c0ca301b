"""The directory of a log and the number of threads, which all methods need."""

from __future__ import annotations

import os

from permlog._arguments import StrPath, files, options
from permlog.errors import UsageError


class _Default(os.PathLike[str]):
    """The default log, for calls that name none."""

    def __fspath__(self) -> str:
        return os.environ.get("PERMLOG_LOG") or "permlog-data"

    def __repr__(self) -> str:
        return "$PERMLOG_LOG or 'permlog-data'"


_DEFAULT = _Default()


class LogBase:
    """A directory with a log."""

    def __init__(self, path: StrPath = _DEFAULT, *, threads: int | None = None) -> None:
        # A variable that was forgotten must not become the default log.
        if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
            raise UsageError(f"Log takes the path of a directory, not {path!r}; Log() takes the default one")
        self._name = files(path)[0]
        if os.path.isfile(self._name):
            raise UsageError(
                f'{self._name} is a file, and a log is a directory. To read it into a log: Log("permlog-data").ingest({self._name!r})'
            )
        if threads is not None and (isinstance(threads, bool) or not isinstance(threads, int) or threads < 1):
            raise UsageError(f"threads takes a whole number from 1, not {threads!r}")
        self._thread_count = threads

    def _threads(self) -> list[str]:
        return options(threads=self._thread_count)

    def _options(self) -> list[str]:
        return [f"--log={self._name}", *self._threads()]
