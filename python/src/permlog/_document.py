"""The parts that all answers share: the tool's JSON, and the same answer in the tool's other formats."""

from __future__ import annotations

import datetime
import html
import json
import os
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from permlog._arguments import StrPath
from permlog._process import run
from permlog.errors import FailedError, FileError, PermlogWarning

if TYPE_CHECKING:
    import pandas


class Interval(NamedTuple):
    """A number with its interval; a bound is None if there is no interval."""

    value: float
    low: float | None
    high: float | None

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={part if part is None else round(part, 4)}" for name, part in self._asdict().items())
        return f"Interval({said})"

    @classmethod
    def of(cls, found: dict[str, Any] | None) -> Interval | None:
        """Of the JSON's object; None if it is unknown."""
        return None if found is None else cls(found["value"], found["low"], found["high"])


# For sums this is printed when they are read, not with each answer.
_TOLD = re.compile(r"^[^\n]* lines? (?:was|were) rejected and left out\.[^\n]*\n?", re.MULTILINE)


class Question(NamedTuple):
    """A command with its arguments, to ask again in another format."""

    command: str
    options: Sequence[str]
    operands: Sequence[str] = ()
    log: str | None = None
    text: bytes | None = None
    """What the tool reads from standard input."""

    def ask(self, form: str, *more: str) -> bytes:
        """The answer in a format."""
        operands = ["--", *self.operands] if self.operands else []
        log = [] if self.log is None else [f"--log={self.log}"]
        told = None if self.text is None else _TOLD
        return run([self.command, *log, *self.options, *more, f"--format={form}", *operands], self.text, told)


class Document:
    """An answer of the tool.

    It is the tool's JSON, read once. Pages and text are made on request, from the log as it is then.
    """

    _schema: str

    def __init__(self, question: Question, once: Sequence[str] = ()) -> None:
        """Asks.

        Parameters
        ----------
        once : list of str
            Options that write a file. They are not repeated for a page of the same answer.
        """
        self._question = question
        self._fingerprint = fingerprint(question.log)
        self._bytes = question.ask("json", *once)
        self._data: dict[str, Any] = json.loads(self._bytes)
        found = self._data.get("schema")
        if found != self._schema:
            raise FailedError(
                f"The tool answers in the format {found}, but this package reads {self._schema}. Update the package."
            )
        self._frames: dict[str, pandas.DataFrame] = {}

    @property
    def data(self) -> dict[str, Any]:
        """The whole JSON as Python objects; docs/schemas describes it. Unknown is None."""
        return self._data

    @property
    def left_out_users(self) -> int | None:
        """Users with events who are left out of the answer; None if no list of users is left out."""
        return self._data.get("left_out_users")

    def to_json(self) -> str:
        """The tool's JSON, as it was printed."""
        return self._bytes.decode()

    def text(self) -> str:
        """The answer as the command line prints it."""
        return self._rendered("text")

    def _rendered(self, form: str, *options: str) -> str:
        if fingerprint(self._question.log) != self._fingerprint:
            warnings.warn(
                "The log has changed since this answer; the page shows the log as it is now.",
                PermlogWarning,
                stacklevel=3,
            )
        return self._question.ask(form, *options).decode()

    def _frame(self, name: str, make: Callable[[], pandas.DataFrame]) -> pandas.DataFrame:
        """A copy of a frame that is made once, so that changes by a caller do not affect others."""
        if name not in self._frames:
            self._frames[name] = make()
        return self._frames[name].copy()


class Page(Document):
    """An answer that can also be an HTML page."""

    _page_options: tuple[str, ...] = ()

    def to_html(self, path: StrPath | None = None) -> str:
        """The page of ``--format html``, one file that needs no network and runs no script.

        Parameters
        ----------
        path : path, optional
            Also write it to this file.

        Raises
        ------
        FileError
            If the file cannot be written; it is an OSError, too.
        """
        return self._written("html", path)

    def _repr_html_(self) -> str:
        # The sentence remains on pages that remove frames.
        return f"<p>{html.escape(repr(self))}</p>" + framed(self._rendered("html", *self._page_options))

    def _written(self, form: str, path: StrPath | None) -> str:
        page = self._rendered(form)
        if path is not None:
            write_file(path, page.encode())
        return page


class Paper(Page):
    """An answer that can also be Markdown."""

    def to_markdown(self, path: StrPath | None = None) -> str:
        """The answer for a pull request or a chat, under 60,000 characters.

        Parameters
        ----------
        path : path, optional
            Also write it to this file.
        """
        return self._written("markdown", path)


def html_table(title: str, rows: Mapping[str, object]) -> str:
    """A small table for notebooks: a name and a value in each row."""
    cells = "".join(
        f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
        f"<td style='text-align:right'>{html.escape(str(value))}</td></tr>"
        for name, value in rows.items()
    )
    return f"<p>{html.escape(title)}</p><table>{cells}</table>"


def write_file(path: StrPath, content: bytes) -> None:
    """Writes a file.

    Raises
    ------
    FileError
        If the system refuses.
    """
    try:
        Path(os.fspath(path)).write_bytes(content)
    except OSError as problem:
        raise FileError.unwritten(path, problem) from problem


def fingerprint(log: str | None) -> bytes:
    """A fingerprint of the log's present state; empty without a log."""
    if log is None or not os.path.isdir(log):
        return b""
    return run(["info", f"--log={log}", "--fingerprint"])


def framed(page: str, height: int = 640) -> str:
    """A page in a frame of its own, in which no script runs, for notebooks."""
    # The size of a notebook's text: wide tables keep their last column in it.
    page = page.replace("</head>", "<style>html{font-size:13px}</style></head>", 1)
    return (
        f'<iframe sandbox="" srcdoc="{html.escape(page)}" style="width:100%;height:{height}px;border:1px solid #8884;'
        'border-radius:6px;box-sizing:border-box;resize:vertical;background:Canvas" loading="lazy" title="permlog"></iframe>'
    )


def moment(found: str | None) -> datetime.datetime | None:
    """A time of the JSON, in UTC; None if it is unknown."""
    return None if found is None else datetime.datetime.fromisoformat(found.replace("Z", "+00:00"))


def day(found: str | None) -> datetime.date | None:
    """A day of the JSON; None if it is unknown."""
    return None if found is None else datetime.date.fromisoformat(found)
