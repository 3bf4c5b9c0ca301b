"""Rows of the stream that the tool read, as rows of their files."""

from __future__ import annotations

import bisect
import contextlib
import itertools
import json
import os
import re
import secrets
import shutil
import warnings
from collections.abc import Mapping

from permlog.errors import PermlogWarning

_OF_STREAM = re.compile(rb'\{"file": "-", "line": (\d+)')


class Places:
    """The positions of the rows of several files that were sent one after another.

    Parameters
    ----------
    sent : dict of str to int
        The number of rows sent of each file, in this order.
    """

    def __init__(self, sent: Mapping[str, int]) -> None:
        self._paths = list(sent)
        self._ends = list(itertools.accumulate(sent.values()))

    def of(self, row: int) -> tuple[str, int] | None:
        """The file of a row of the stream, and the row there; both from 1, as the tool counts. None for a row that was not sent."""
        number = bisect.bisect_left(self._ends, row)
        if row < 1 or number == len(self._ends):
            return None
        return _short(self._paths[number]), row - (self._ends[number - 1] if number else 0)

    def named(self, row: int) -> str:
        """The position of a row of the stream, for a sentence: from 0, as in a frame."""
        place = self.of(row)
        return f"row {row - 1}" if place is None else f"{place[0]}, row {place[1] - 1}"

    def in_line(self, line: bytes) -> bytes:
        """A rejected row with its file; other lines stay as they are."""
        found = _OF_STREAM.match(line)
        place = None if found is None else self.of(int(found[1]))
        if found is None or place is None:
            return line
        # The rest stays byte for byte as the tool wrote it.
        return (
            f'{{"file": {json.dumps(place[0], ensure_ascii=False)}, "line": {place[1]}'.encode() + line[found.end() :]
        )

    def in_file(self, path: str, before: State) -> None:
        """Names the files in a file of rejected rows; it is replaced when all of it is written.

        Parameters
        ----------
        path : str
            The file.
        before : tuple or None
            Its state before the tool ran. If the tool refuses early, the file is of an earlier ingest and does not
            change.
        """
        if not os.path.isfile(path) or state(path) == before:
            return
        path = os.path.realpath(path)
        unfinished = f"{path}.{secrets.token_hex(4)}.part"
        try:
            with open(path, "rb") as old, open(unfinished, "xb") as new:
                shutil.copymode(path, unfinished)
                new.writelines(map(self.in_line, old))
            os.replace(unfinished, path)
        except OSError as problem:  # The events are stored: that is no error of the ingest.
            said = f"{path}: {problem.strerror}. It has no names of files, and its rows are counted over all of them."
            warnings.warn(said, PermlogWarning, stacklevel=2)
        finally:
            with contextlib.suppress(OSError):
                os.unlink(unfinished)


State = tuple[int, int, int] | None


def state(path: str) -> State:
    """A value that changes if a file is replaced or written to; None if there is no file."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns


def _short(path: str) -> str:
    """A path below the working directory without that directory."""
    here = os.path.join(os.getcwd(), "")
    return path.removeprefix(here)
