"""Sums: the counts of one or more questions, without the events."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from typing import Any, overload

from permlog._arguments import Paths, Strings, StrPath, files, given, options
from permlog._audit import Audit
from permlog._comparison import Comparison
from permlog._document import Question as Command
from permlog._document import moment, write_file
from permlog._flow import Flow
from permlog._process import run, warn
from permlog._questions import Question
from permlog._report import Report
from permlog._words import counted, in_python
from permlog.errors import UsageError

_SHARDS = 20  # The number of missing shards in a sentence.
_REASONS = 3  # The number of reasons for rejected rows in a warning.
# Options of a comparison that a plan leaves open.
_BESIDE_PLAN = ("--as-of=", "--at-once=", "--where=", "--property=", "--by=", "--from=", "--to=", "--time-zone=")


class Counts:
    """The counts of the input from which sums were made, as ``sums show`` reports them.

    Parameters
    ----------
    shown : bytes
        The JSON of ``sums show``.
    """

    def __init__(self, shown: bytes) -> None:
        self._data: dict[str, Any] = json.loads(shown)
        self._totals: dict[str, Any] = self._data["totals"]

    @property
    def data(self) -> dict[str, Any]:
        """The whole JSON as Python objects; docs/schemas describes it."""
        return self._data

    @property
    def events(self) -> int:
        """Events that were counted, copies left out."""
        return int(self._totals["events"])

    @property
    def users(self) -> int:
        """Users with any of these events."""
        return int(self._totals["users"])

    @property
    def rows(self) -> int | None:
        """Rows or lines that were read; None for sums of a log."""
        found: int | None = self._totals["lines"]
        return found

    @property
    def duplicates(self) -> int | None:
        """Copies of events; None if the log did not record them."""
        found: int | None = self._totals["duplicates"]
        return found

    @property
    def conflicts(self) -> int | None:
        """Copies that differ from the counted event; None if the log did not record them."""
        found: int | None = self._totals["conflicts"]
        return found

    @property
    def rejected(self) -> int | None:
        """Rows that broke a rule; None for sums of a log."""
        found: int | None = self._totals["rejected"]
        return found

    @property
    def unmapped(self) -> int | None:
        """Events that the mapping does not know or leaves out; None for sums of a log."""
        found: int | None = self._totals["unmapped"]
        return found

    @property
    def rejections(self) -> dict[str, int]:
        """The reasons, most frequent first, and the number of rows rejected for each."""
        return {in_python(str(each["reason"])): int(each["count"]) for each in self._data["reasons"]}

    @property
    def shards(self) -> int:
        """The number of parts into which users were divided."""
        return int(self._data["shards"])

    @property
    def missing(self) -> tuple[int, ...]:
        """The missing shards, numbered from 1. Answers need all shards."""
        return tuple(shard for each in self._data["missing"] for shard in range(each["first"], each["last"] + 1))

    def _said_missing(self) -> str:
        first = ", ".join(f"{shard}" for shard in self.missing[:_SHARDS])
        more = f" and {len(self.missing) - _SHARDS:,} more" if len(self.missing) > _SHARDS else ""
        few = "shard" if len(self.missing) == 1 else "shards"
        return f"{few} {first}{more} of {self.shards} {'is' if len(self.missing) == 1 else 'are'} missing"

    @property
    def newest(self) -> datetime.datetime | None:
        """The time of the newest event, in UTC; None without events."""
        return moment(self._totals["newest"])

    def __repr__(self) -> str:
        said = f"{counted(self.events, 'event')} of {counted(self.users, 'user')}"
        for count, what in ((self.duplicates, "duplicate"), (self.conflicts, "conflict")):
            said += f", {counted(count, what)}" if count else ""
        said += f", {self.rejected:,} rejected" if self.rejected else ""
        said += f", {self.unmapped:,} unmapped" if self.unmapped else ""
        said += f", {self._said_missing()}" if self.missing else ""
        return f"<permlog counts: {said}, newest {self.newest}>"


class Sums:
    """Sums of questions, from which answers are made.

    Made by :func:`permlog.read_sums`, and by :meth:`permlog.spark.PermissionLake.sums`. They have counts, not events,
    in memory: some hundred kilobytes, or megabytes for years of weeks and many values.

    An answer equals that of a log with the same events, byte for byte. If the sums have several questions of one
    kind, name the question.
    """

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._counts = Counts(run(["sums", "show", "--format=json", "-"], text))

    @property
    def counts(self) -> Counts:
        """Events, users, copies, rejected rows with their reasons."""
        return self._counts

    def to_bytes(self) -> bytes:
        """The file's bytes. They are the same for the same events and questions, however the users were divided."""
        return self._text

    def save(self, path: StrPath) -> None:
        """Writes them to a file, which ``permlog report --from-sums`` and :func:`permlog.read_sums` take."""
        write_file(path, self._text)

    @overload
    def report(
        self, question: Question | None = None, *, by_limit: int | None = None, format: None = None
    ) -> Report: ...

    @overload
    def report(self, question: Question | None = None, *, by_limit: int | None = None, format: str) -> str: ...

    def report(
        self, question: Question | None = None, *, by_limit: int | None = None, format: str | None = None
    ) -> Report | str:
        """The report.

        Parameters
        ----------
        question : Question, optional
            Which one, if the sums are of several reports.
        by_limit : int, optional
            As in :meth:`permlog.Log.report`.
        format : str, optional
            Instead of a Report, its text in this format of the tool: text, json, csv, markdown, html.

        Raises
        ------
        DataError
            If shards are missing, or every row was rejected.
        UsageError
            If the sums have no such question, or have several and none was named.
        """
        command = self._command("report", question, options(by_limit=by_limit))
        if format is None:
            return Report(command)
        if not isinstance(format, str):
            raise UsageError(f"format takes a text like 'json', not {format!r}")
        return command.ask(format).decode()

    def compare(
        self,
        question: Question | None = None,
        *,
        metric: str | None = None,
        split: str | Sequence[float] | None = None,
        contaminated: str | None = None,
        minimum_effect: float | None = None,
        guardrail: Strings | Mapping[str, float] | None = None,
        plan: StrPath | None = None,
        rule: str | None = None,
        planned_n: int | None = None,
        looks: int | None = None,
        explain: bool = False,
        record: bool = False,
    ) -> Comparison:
        """The comparison.

        Parameters
        ----------
        question : Question, optional
            Which one, if the sums are of several comparisons.
        metric, split, contaminated, minimum_effect, guardrail, plan, rule, planned_n, looks, explain, record : optional
            As in :meth:`permlog.Log.compare`.

        Raises
        ------
        DataError, UsageError
            As :meth:`report`.
        """
        chosen = options(**given(locals()))
        return Comparison(self._command("compare", question, chosen), options(record=record))

    def flow(self, question: Question | None = None, *, permission: str | None = None) -> Flow:
        """What happens when several permissions are asked for in a row.

        Parameters
        ----------
        question : Question, optional
            Which one, if the sums are of several flows.
        permission : str, optional
            As in :meth:`permlog.Log.flow`.

        Raises
        ------
        DataError, UsageError
            As :meth:`report`.
        """
        return Flow(self._command("flow", question, options(permission=permission)))

    def audit(
        self,
        question: Question | None = None,
        *,
        info_plist: Paths | None = None,
        source: Paths | None = None,
        threshold: Mapping[str, float] | None = None,
        all: bool = False,
        permission: str | None = None,
        only: Strings | None = None,
    ) -> Audit:
        """What the events and the Info.plist say about how the app asks.

        Parameters
        ----------
        question : Question, optional
            Which one, if the sums are of several audits.
        info_plist, source, threshold, all, permission, only : optional
            As in :meth:`permlog.Log.audit`.

        Raises
        ------
        DataError, UsageError
            As :meth:`report`.
        """
        plists: list[str] | None = None if info_plist is None else files(info_plist)
        code: list[str] | None = None if source is None else files(source)
        chosen = options(info_plist=plists, source=code, threshold=threshold, all=all, permission=permission, only=only)
        return Audit(self._command("audit", question, chosen))

    def __repr__(self) -> str:
        return f"<permlog sums: {repr(self._counts)[len('<permlog counts: ') : -1]}>"

    def _command(self, kind: str, question: Question | None, chosen: list[str]) -> Command:
        if question is not None and not isinstance(question, Question):
            raise UsageError(f"{kind} takes a question of permlog.spark.{kind}(), not {question!r}")
        if question is not None and question.kind != kind:
            raise UsageError(f"The question is for .{question.kind}(), not for .{kind}()")
        kinds = sorted({str(each["kind"]) for each in self._counts.data["questions"]})
        if kind not in kinds:
            raise UsageError(f"No {kind} is in these sums. They have answers for .{'(), .'.join(kinds)}()")
        given, operands = question.options() if question is not None else ([], [])
        # Arguments that a plan fixes are left out. The others distinguish the question from others of the same plan.
        if any(each.startswith("--plan=") for each in chosen):
            given, operands = [each for each in given if each.startswith(_BESIDE_PLAN)], []
        return Command(kind, ["--from-sums=-", *given, *chosen], operands, text=self._text)


def read_sums(paths: Paths) -> Sums:
    """Adds up files of sums: of shards, of machines, or of earlier jobs that divided the same users.

    Parameters
    ----------
    paths : path or list of paths
        Files of ``permlog sums make`` or :meth:`Sums.save`. Name each shard of the job once, in any order.

    Returns
    -------
    Sums

    Raises
    ------
    DataError
        If a file is damaged, or is of another question, job or division.
    FailedError
        If a file cannot be read.
    """
    names = files(paths)
    if not names:
        raise UsageError("The list of sums is empty; name at least one")
    made = Sums(run(["sums", "merge", *names, "--output=-"]))
    warn_of_rejected(made.counts)
    if made.counts.missing:
        warn(f"{made.counts._said_missing()}: these sums count only some users, and answer no question yet")
    return made


def warn_of_rejected(counts: Counts, examples: Sequence[str] = ()) -> None:
    """Warns about rejected rows, as an ingest does. The job goes on, because this may be expected.

    Parameters
    ----------
    examples : list of str
        Why some rows were rejected, with their values.
    """
    if not counts.rejected:
        return
    reasons = list(counts.rejections.items())
    said = "; ".join(f"{count:,}: {reason}" for reason, count in reasons[:_REASONS])
    more = f"; and {counted(len(reasons) - _REASONS, 'other reason')}" if len(reasons) > _REASONS else ""
    few = list(dict.fromkeys(examples))[:_REASONS]
    shown = "".join(f"\n  for example: {example}" for example in few)
    of = "" if counts.rows is None else f" of {counts.rows:,}"
    warn(f"{counts.rejected:,}{of} rows were rejected ({said}{more}). All reasons: sums.counts.rejections{shown}")
