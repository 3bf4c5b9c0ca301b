"""A bar while rows are read: by tqdm, in notebooks and on terminals."""

from __future__ import annotations

import importlib
import sys
import warnings
from types import TracebackType
from typing import Any

_DELAY = 1.0  # Seconds: a shorter read needs no bar.


class Progress:
    """Counts rows, and shows a bar in notebooks and on terminals.

    Parameters
    ----------
    rows : int or None
        The total number, if known.
    shown : bool or None
        None shows a bar in notebooks and on terminals, if tqdm is installed; True asks for one anywhere.
    """

    def __init__(self, rows: int | None, shown: bool | None) -> None:
        self._bar: Any = None
        if shown is False or (shown is None and not _is_watched()):
            return
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Without ipywidgets it is a bar of text.
                auto = importlib.import_module("tqdm.auto")
        except ImportError:
            if shown:
                raise ImportError("A progress bar needs tqdm: pip install tqdm", name="tqdm") from None
            return
        delay = 0 if shown else _DELAY
        self._bar = auto.tqdm(total=rows, unit=" rows", unit_scale=True, desc="permlog ingest", delay=delay)

    def update(self, rows: int) -> None:
        """Adds rows that were sent."""
        if self._bar is not None:
            self._bar.update(rows)

    def __enter__(self) -> Progress:  # noqa: PYI034  (Self came with Python 3.11.)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()


def _is_watched() -> bool:
    """Whether this is a notebook, or standard error a terminal."""
    return "ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())
