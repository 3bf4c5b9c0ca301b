"""A log: a directory that stores events and answers questions."""

from __future__ import annotations

import html
import inspect
from pathlib import Path

from permlog._asking import Asking
from permlog._keeping import Keeping
from permlog._reading import Reading
from permlog._rows import Rows
from permlog.errors import PermlogError


class Log(Asking, Reading, Rows, Keeping):
    """A log of permission events.

    No file is opened until a method is called. The first ingest makes the directory.

    Parameters
    ----------
    path : path, optional
        The log's directory. By default the environment variable ``PERMLOG_LOG``, else ``permlog-data``.
    threads : int, optional
        The number of threads that the tool may use. By default one per core.

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

    def _repr_html_(self) -> str:
        if not self.path.exists():
            return f"<p>{html.escape(repr(self))}: nothing was ingested yet</p>"
        try:
            return self.info()._repr_html_()
        except PermlogError as problem:  # A notebook shows what it can.
            return f"<p>{html.escape(repr(self))}: {html.escape(str(problem))}</p>"


# Errors of a call name the class that users know.
for _part in (Asking, Reading, Rows, Keeping):
    for _name, _method in vars(_part).items():
        if inspect.isfunction(_method) and not _name.startswith("_"):
            _method.__qualname__, _method.__module__ = f"Log.{_name}", __name__
