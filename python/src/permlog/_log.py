"""A log: a directory that events are read into and that questions are asked of."""

from __future__ import annotations

from pathlib import Path

from permlog._asking import Asking
from permlog._keeping import Keeping
from permlog._reading import Reading
from permlog._rows import Rows


class Log(Asking, Reading, Rows, Keeping):
    """A log of permission events.

    Nothing is opened until a method is called: the first ingest makes the directory.

    Parameters
    ----------
    path : path, optional
        The log's directory. By default that of the environment variable ``PERMLOG_LOG``, else ``permlog-data``.
    threads : int, optional
        Threads that the tool may use. By default one a core.

    Examples
    --------
    >>> import permlog
    >>> log = permlog.Log("permlog-data")
    >>> log.ingest("exports/")  # doctest: +SKIP
    >>> log.report().weeks  # doctest: +SKIP
    """

    @property
    def path(self) -> Path:
        """The log's directory."""
        return Path(self._name)

    def __repr__(self) -> str:
        return f"permlog.Log({self._name!r})"
