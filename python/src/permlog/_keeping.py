"""Maintenance of a log: its content, back-ups, taking ingests back, removing users and old events."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence

from permlog._arguments import Moment, StrPath, Wait, Zone, files, options, seconds
from permlog._base import LogBase
from permlog._document import Question
from permlog._info import Info, Ingests, Verification
from permlog._process import run
from permlog.errors import UsageError


class Keeping(LogBase):
    """Maintenance methods of a log."""

    def info(self) -> Info:
        """The content of the log.

        Raises
        ------
        FailedError
            If there is no log.
        DataError
            If its list of files is damaged.
        """
        return Info(Question("info", self._threads(), (), self._name))

    def ingests(self) -> Ingests:
        """The ingests that the log remembers: when each was, its events, and unusual measures.

        ``rows`` is a table with one row per ingest.

        Raises
        ------
        FailedError
            If there is no log.
        """
        return Ingests(Question("info", [*self._threads(), "--ingests"], (), self._name))

    def undo(self, *, dry_run: bool = False, wait: Wait | None = None) -> str:
        """Takes the newest ingest with new events back: the log is as it was before.

        An ingest can be taken back until the next one with new events, an erasure, an expiry, a readmission or
        :meth:`compact`. ``info().undoable_ingest`` is its number. Its files are read again with the next
        ingest of their folder: repair them, or move them away.

        Parameters
        ----------
        dry_run : bool
            Report what would be taken back, and change no file.
        wait : number of seconds, str or timedelta, optional
            How long to wait for another process that writes to the log.

        Returns
        -------
        str
            The ingest that was taken back and its events, in sentences.

        Raises
        ------
        FailedError
            If no ingest can be taken back, or there is no log. Nothing was changed.
        """
        return self._change("undo", options(dry_run=dry_run, wait=seconds("wait", wait)))

    def backup(self, path: StrPath) -> str:
        """Copies the log, also while another process writes to it.

        The copy is a log: ``permlog.Log(path).verify()`` checks it, and ``permlog.Log(path).backup(other)`` restores it.
        If the directory has an earlier copy, only new files are copied, and an erasure reaches the copy.

        Parameters
        ----------
        path : path
            The directory of the copy: empty, not there yet, or an earlier copy.

        Returns
        -------
        str
            The copied files, in sentences.

        Raises
        ------
        FailedError
            If the directory has anything else, or there is no log.
        UsageError
            If it is the log itself, or in its directory.
        """
        return run(["backup", *self._options(), *files(path)]).decode().strip()

    def verify(self) -> Verification:
        """Checks every byte of the log.

        Raises
        ------
        DataError
            If anything is damaged; ``notes`` names each damaged piece.
        FailedError
            If there is no log.
        """
        return Verification(Question("verify", self._threads(), (), self._name))

    def erase(
        self,
        user: str | Sequence[str] | None = None,
        *,
        readmit: str | Sequence[str] | None = None,
        dry_run: bool = False,
        hash_users: StrPath | None = None,
        key: StrPath | None = None,
        move_key: StrPath | None = None,
        hash_event_ids: bool = False,
        adopt: StrPath | None = None,
        wait: Wait | None = None,
    ) -> str:
        """Removes users permanently from every file of the log. Later ingests leave them out.

        Parameters
        ----------
        user : str or list of str, optional
            The ids.
        readmit : str or list of str, optional
            Erased users to accept again.
        dry_run : bool
            Report what would be removed, and change no file.
        hash_users : path, optional
            The key of a log that has keyed hashes instead of user ids.
        key : path, optional
            The key of the list of erased users, if it is kept outside the log.
        move_key : path, optional
            A new file to move that key to. Not with any other argument.
        hash_event_ids : bool
            Store keyed hashes instead of the event ids that apps wrote; goes with ``hash_users`` alone.
        adopt : path, optional
            Keep out the erased users of another log: the file of its ``export(path, with_erasures=file)``. Goes with
            ``key`` alone, and this log must have no erased users of its own.
        wait : number of seconds, str or timedelta, optional
            How long to wait for another process that writes to the log.

        Returns
        -------
        str
            The removed users and events, in sentences.

        Raises
        ------
        PermlogError
            If the log is busy, an argument is wrong, or a key does not fit.
        """
        chosen = options(
            readmit=readmit,
            dry_run=dry_run,
            hash_users=hash_users,
            key=key,
            move_key=move_key,
            hash_event_ids=hash_event_ids,
            adopt=adopt,
            wait=seconds("wait", wait),
        )
        if user is None:
            return self._change("erase", chosen)
        ids = _ids(user)
        # A file has room for any number of ids, and a command line shows them to everyone on the machine.
        descriptor, name = tempfile.mkstemp(prefix="permlog-users-")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
                file.writelines(f"{each}\n" for each in ids)
            return self._change("erase", [*chosen, f"--users-from={name}"])
        finally:
            os.unlink(name)

    def expire(
        self,
        before: Moment | None = None,
        *,
        time_zone: Zone | None = None,
        readmit: bool = False,
        dry_run: bool = False,
        wait: Wait | None = None,
    ) -> str:
        """Removes events before a date from every file of the log. Later ingests leave such events out.

        Parameters
        ----------
        before : str, date or datetime, optional
            The first date or moment to keep.
        time_zone : str, optional
            Of the date. By default UTC.
        readmit : bool
            Accept events of any age again.
        dry_run : bool
            Report what would be removed, and change no file.
        wait : number of seconds, str or timedelta, optional
            How long to wait for another process that writes to the log.

        Returns
        -------
        str
            The removed users and events, in sentences.
        """
        chosen = options(
            before=before, time_zone=time_zone, readmit=readmit, dry_run=dry_run, wait=seconds("wait", wait)
        )
        return self._change("expire", chosen)

    def compact(self, *, wait: Wait | None = None) -> str:
        """Merges the log's files; the events stay the same.

        Parameters
        ----------
        wait : number of seconds, str or timedelta, optional
            How long to wait for another process that writes to the log.

        Returns
        -------
        str
            The merged files, in sentences.
        """
        return self._change("compact", options(wait=seconds("wait", wait)))

    def _change(self, command: str, chosen: list[str]) -> str:
        return run([command, *self._options(), *chosen]).decode().strip()


def _ids(user: str | Sequence[str]) -> list[str]:
    """The ids to erase, which go to the tool as lines of a file.

    Raises
    ------
    UsageError
        If the tool would read one of them differently from the file.
    """
    if not isinstance(user, str) and not hasattr(user, "__iter__"):
        raise UsageError(f"user takes ids as texts, not {user!r}")
    ids = [user] if isinstance(user, str) else list(user)
    if not ids:
        raise UsageError("user: the list has no ids")
    for each in ids:
        if not isinstance(each, str):
            raise UsageError(f"user takes ids as texts, not {each!r}")
        if not each:
            raise UsageError("user: an id is empty")
        if "\n" in each or "\r" in each:
            raise UsageError(f"user: {each!r} contains a line break")
        if each.startswith("\ufeff"):
            raise UsageError(
                f"user: {each!r} begins with U+FEFF, which is lost at the start of a file. Erase this user on the command line, "
                "with permlog erase"
            )
        try:
            each.encode()
        except UnicodeEncodeError:
            raise UsageError(f"user: {each!r} is not Unicode text") from None
    return ids
