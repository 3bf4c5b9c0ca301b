"""A bar while rows are read: by tqdm, in notebooks and on terminals."""

from __future__ import annotations

import importlib
import sys
from types import TracebackType
from typing import Any


class Progress:
    """Counts rows, and shows them if somebody looks.

    Parameters
    ----------
    rows : int or None
        How many there will be, if that is known.
    shown : bool or None
        None shows a bar in notebooks and on terminals, if tqdm is installed; True asks for one anywhere.
    """

    def __init__(self, rows: int | None, shown: bool | None) -> None:
        self._bar: Any = None
        if shown is False or (shown is None and not _is_watched()):
            return
        try:
            auto = importlib.import_module("tqdm.auto")
        except ImportError:
            if shown:
                raise ImportError("A progress bar needs tqdm: pip install 'permlog[progress]'", name="tqdm") from None
            return
        self._bar = auto.tqdm(total=rows, unit=" rows", unit_scale=True, desc="permlog ingest")

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
