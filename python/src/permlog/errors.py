"""Exceptions with the tool's exit status and sentence."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from permlog._words import in_python

if TYPE_CHECKING:
    from permlog._summary import Ingest

__all__ = [
    "DataError",
    "FailedError",
    "FileError",
    "MissingUsersError",
    "PermlogError",
    "PermlogWarning",
    "ToolNotFoundError",
    "UsageError",
]


class PermlogError(Exception):
    """The tool ended with an error, or could not be asked.

    Its text is the sentence, with the tool's options spelled as arguments.

    Parameters
    ----------
    sentence : str
        What is wrong, where, and what to do about it.
    code : int
        The exit status of the tool.
    notes : str
        The earlier messages on standard error; may be empty.

    Attributes
    ----------
    code : int
        1 a failure, 2 wrong data, 3 users that are not there, 64 a wrong argument.
    sentence : str
        The tool's sentence.
    notes : str
        Its messages before the sentence.
    """

    def __init__(self, sentence: str, code: int = 1, notes: str = "") -> None:
        super().__init__(in_python(sentence))
        self.sentence = sentence
        self.code = code
        self.notes = notes


class UsageError(PermlogError, ValueError):
    """An argument is wrong (exit status 64)."""

    def __init__(self, sentence: str, code: int = 64, notes: str = "") -> None:
        super().__init__(sentence, code, notes)


class DataError(PermlogError):
    """The data is wrong (exit status 2): nothing was stored, or the log is damaged.

    Attributes
    ----------
    ingest : Ingest or None
        If an ingest was refused for its lines: its counts, with the rejected lines.
    """

    def __init__(self, sentence: str, code: int = 2, notes: str = "", ingest: Ingest | None = None) -> None:
        super().__init__(sentence, code, notes)
        self.ingest = ingest


class FailedError(PermlogError):
    """A failure (exit status 1): no log, a busy log, a full disk."""


class FileError(FailedError, OSError):
    """A file could not be read or written: the system refused. ``errno`` and ``filename`` are the system's."""

    def __init__(self, sentence: str, cause: OSError | None = None, path: object = None) -> None:
        super().__init__(sentence)
        self.errno = None if cause is None else cause.errno
        self.strerror = None if cause is None else cause.strerror
        self.filename = None if path is None else str(path)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.sentence, None, self.filename), {"errno": self.errno, "strerror": self.strerror}

    def __str__(self) -> str:  # Not the text that OSError makes of its number.
        return str(self.args[0])

    @classmethod
    def unwritten(cls, path: object, cause: OSError) -> FileError:
        """The error for a file that cannot be written."""
        # pyarrow's text has the path, which is a temporary one.
        said = os.strerror(cause.errno) if cause.errno else cause.strerror or cause
        return cls(f"{path} cannot be written: {said}", cause, path)


class MissingUsersError(PermlogError):
    """The log does not have all of the named users (exit status 3); the other users are erased, or were printed."""

    def __init__(self, sentence: str, code: int = 3, notes: str = "") -> None:
        super().__init__(sentence, code, notes)


class ToolNotFoundError(PermlogError, FileNotFoundError):
    """There is no tool ``permlog`` of this package's version."""


class PermlogWarning(UserWarning):
    """Messages of the tool beside its result: rejected lines, doubtful data, an old log."""


_CLASSES: dict[int, type[PermlogError]] = {1: FailedError, 2: DataError, 3: MissingUsersError, 64: UsageError}


def error(code: int, stderr: str) -> PermlogError:
    """The exception for an exit status and the text of standard error.

    The error is the last line that begins with ``permlog:`` (or ``Error:``, of the command line's parser); notes
    come before it.
    """
    if code < 0:
        return FailedError(f"The tool was ended by signal {-code}.", 1, stderr.strip())
    lines = stderr.strip().splitlines()
    start = next((i for i in reversed(range(len(lines))) if lines[i].startswith(("permlog: ", "Error: "))), None)
    if start is None:
        sentence, notes = stderr.strip() or f"The tool ended with status {code} and printed nothing.", ""
    else:
        said = [line for line in lines[start:] if not line.startswith(("Usage: ", "Help: ", "  See '"))]
        said[0] = said[0].partition(": ")[2]
        sentence, notes = "\n".join(said).strip(), "\n".join(lines[:start]).strip()
    return _CLASSES.get(code, FailedError)(sentence, code, notes)
