"""Maintenance of a log: its content, back-ups, taking ingests back, removing users and old events."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

from permlog._arguments import Moment, Paths, StrPath, Wait, Zone, files, options, seconds
from permlog._base import LogBase
from permlog._document import Question
from permlog._info import Erasures, Info, Ingests, Verification
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

    def erasures(self) -> Erasures:
        """The requests to erase users: when each was, how many ids it had, and how many of these had events.

        The log has only keyed hashes of the ids, and cannot name them. Readmitted ids are not counted.

        Raises
        ------
        FailedError
            If there is no log.
        """
        return Erasures(Question("info", [*self._threads(), "--erasures"], (), self._name))

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

    def person(
        self, user: str | Sequence[str], *, hash_users: Paths | None = None, key: StrPath | None = None
    ) -> list[dict[str, Any]]:
        """All that the log has of some persons: events, the journeys that permlog computes from them, and linked ids.

        Parameters
        ----------
        user : str or list of str
            The ids.
        hash_users : path or list of path, optional
            The key of a log that has keyed hashes instead of user ids; after ``rekey`` all keys.
        key : path, optional
            The key of the list of erased users, if it is kept outside the log.

        Returns
        -------
        list of dict
            One for each id, as ``persons`` in docs/schemas/person-1.json.

        Raises
        ------
        MissingUsersError
            If the log has nothing of one of them. The message names them.
        """
        with _users_file(_ids(user)) as given:
            chosen = options(hash_users=hash_users, key=key)
            found = run(["export", *self._options(), "--format=json", *chosen, *given])
        return list(json.loads(found)["persons"])

    def verify_receipt(self, receipt: StrPath, *, key: StrPath | None = None) -> str:
        """Checks every byte of the log, and looks for the users of a receipt of ``erase`` in all of its files.

        Parameters
        ----------
        receipt : path
            The file of ``erase(user, receipt=file)``, for this log or another one.
        key : path, optional
            The key of the list of erased users, if the receipt was made with it.

        Returns
        -------
        str
            The receipt and the comparison, in sentences.

        Raises
        ------
        DataError
            If an erased user is in the log again, or if the log or the receipt is damaged.
        """
        return self._change("verify", options(receipt=receipt, key=key))

    def erase(
        self,
        user: str | Sequence[str] | None = None,
        *,
        readmit: str | Sequence[str] | None = None,
        dry_run: bool = False,
        hash_users: Paths | None = None,
        key: StrPath | None = None,
        move_key: StrPath | None = None,
        hash_event_ids: bool = False,
        link_file: StrPath | None = None,
        other_spellings: bool = False,
        allow_missing: bool = False,
        receipt: StrPath | None = None,
        export_list: StrPath | None = None,
        import_list: StrPath | None = None,
        wait: Wait | None = None,
    ) -> str:
        """Removes users permanently from every file of the log. Later ingests leave them out.

        Parameters
        ----------
        user : str or list of str, optional
            The ids.
        readmit : str or list of str, optional
            Erased users to accept again. Ids that were not erased raise ``MissingUsersError``; the others are accepted.
        dry_run : bool
            Report what would be removed, and change no file.
        hash_users : path or list of path, optional
            The key of a log that has keyed hashes instead of user ids; after ``rekey`` all keys.
        key : path, optional
            The key of the list of erased users, if it is kept outside the log.
        move_key : path, optional
            A new file to move that key to. Not with any other argument.
        hash_event_ids : bool
            Store keyed hashes instead of the event ids that apps wrote; goes with ``hash_users`` alone.
        link_file : path, optional
            A CSV file of pairs, account and install: an account's installs are erased with it.
        other_spellings : bool
            Also erase ids that differ from a given one only in case, spaces or the form of a UUID.
        allow_missing : bool
            Accept ids that the log does not have. Without it they raise ``MissingUsersError``; the others are erased.
        receipt : path, optional
            A new file: a receipt of the erasure, without ids in clear. ``verify(receipt=file)`` compares it with a log.
        export_list : path, optional
            A file for the list of erased users. Not with any other argument.
        import_list : path, optional
            Keep out the erased users of another log, too: the file of its ``erase(export_list=file)`` or
            ``export(path, with_erasures=file)``. Goes with ``key`` alone.
        wait : number of seconds, str or timedelta, optional
            How long to wait for another process that writes to the log.

        Returns
        -------
        str
            The removed users and events, in sentences.

        Raises
        ------
        MissingUsersError
            If the log does not have one of the ids, so that its request is not fulfilled. The message names them.
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
            link_file=link_file,
            other_spellings=other_spellings,
            allow_missing=allow_missing,
            receipt=receipt,
            export_list=export_list,
            import_list=import_list,
            wait=seconds("wait", wait),
        )
        if user is None:
            return self._change("erase", chosen)
        with _users_file(_ids(user)) as given:
            return self._change("erase", [*chosen, *given])

    def exclude_users(
        self, user: str | Sequence[str], *, hash_users: Paths | None = None, wait: Wait | None = None
    ) -> str:
        """Leaves users out of every answer from now on, as if they had no events: the team, testers. No event changes.

        Parameters
        ----------
        user : str or list of str
            Their ids, also of users who have no events yet.
        hash_users : path or list of path, optional
            The key of a log that has keyed hashes instead of user ids; after ``rekey`` all keys.
        wait : number of seconds, str or timedelta, optional
            How long to wait for another process that writes to the log.

        Returns
        -------
        str
            How many ids are left out, in sentences.
        """
        return self._change_list("exclude", user, hash_users, wait)

    def include_users(
        self, user: str | Sequence[str], *, hash_users: Paths | None = None, wait: Wait | None = None
    ) -> str:
        """Takes users back into every answer. The arguments are as in :meth:`exclude_users`.

        Ids that are not in the list raise ``MissingUsersError``; the others are taken back.
        """
        return self._change_list("include", user, hash_users, wait)

    def excluded_users(self) -> list[str]:
        """The ids of users who are left out of answers, as the log stores them."""
        listed = run(["users", "list", *self._options(), "--quiet"]).decode("utf-8", "surrogateescape")
        return listed.split("\n")[:-1]

    def _change_list(self, change: str, user: str | Sequence[str], hash_users: Paths | None, wait: Wait | None) -> str:
        chosen = options(hash_users=hash_users, wait=seconds("wait", wait))
        with _users_file(_ids(user), ("--from", "--id")) as given:
            return run(["users", change, *self._options(), *chosen, *given]).decode().strip()

    def expire(
        self,
        before: Moment | None = None,
        *,
        keep: str | None = None,
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
        keep : str, optional
            A standing rule instead: how long to keep events, like ``"90d"``, ``"13mo"`` or ``"2y"``. Each ingest applies it.
            ``"none"`` ends the rule.
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
            before=before, keep=keep, time_zone=time_zone, readmit=readmit, dry_run=dry_run, wait=seconds("wait", wait)
        )
        return self._change("expire", chosen)

    def rekey(self, *keys: StrPath, wait: Wait | None = None) -> str:
        """Gives a log of hashed users another key. From then on ``hash_users`` needs all keys, in this order.

        Parameters
        ----------
        *keys : path
            The files of all keys of the log, the oldest first, and then that of the new key.
        wait : number of seconds, str or timedelta, optional
            How long to wait for another process that writes to the log.

        Returns
        -------
        str
            How many users and events have other pseudonyms, in a sentence.

        Examples
        --------
        >>> log.rekey("key-2026", "key-2027")  # doctest: +SKIP
        >>> log.ingest("exports", hash_users=["key-2026", "key-2027"])  # doctest: +SKIP
        """
        # The other line is about options of the command line.
        return self._change("rekey", [*options(wait=seconds("wait", wait)), *files(keys)]).partition("\n")[0]

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


@contextlib.contextmanager
def _users_file(ids: Sequence[str], names: tuple[str, str] = ("--users-from", "--user")) -> Iterator[list[str]]:
    """Options that name the ids, by these names for a file and for one id: a file has room for any number, and a command line shows them to everyone on the machine."""
    # Such lines of a file are comments, or empty.
    odd = [each for each in ids if each.startswith("#") or not each.strip(" \t")]
    descriptor, name = tempfile.mkstemp(prefix="permlog-users-")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{each}\n" for each in ids if each not in odd)
        of_file = [f"{names[0]}={name}"] if len(odd) < len(ids) else []
        yield [*of_file, *(f"{names[1]}={each}" for each in odd)]
    finally:
        os.unlink(name)


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
