"""Paths, patterns and addresses: which of them are tables, and which the tool reads itself."""

from __future__ import annotations

import fnmatch
import glob
import os
import posixpath
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from permlog._extras import need_pyarrow
from permlog._places import File, Place, file_of, fixed, has_pattern, is_address, located, shown
from permlog.errors import FailedError, UsageError

if TYPE_CHECKING:
    from permlog._arrow_files import ArrowFiles

# If a name is ambiguous, as for Arrow, the bytes of the file decide.
_SUFFIXES = {
    ".parquet": "parquet",
    ".parq": "parquet",
    ".pq": "parquet",
    ".orc": "orc",
}
_FIRST_BYTES = {b"PAR1": "parquet", b"PARE": "parquet", b"ARROW1": "ipc", b"ORC": "orc"}


def split(paths: Sequence[str], filesystem: Any) -> tuple[list[str], list[Place]]:
    """Exports for the tool, and locations of tables. Patterns of local files are replaced by the files that they match.

    Raises
    ------
    UsageError
        For a pattern that matches nothing, and a folder that holds both.
    """
    exports: list[str] = []
    tables: list[Place] = []
    for path in paths:
        if filesystem is not None or is_address(path):
            tables.append(Place(path))
            continue
        found = _matches(path)
        for each in found:
            if _is_table(each):
                tables.append(Place(each, None if found == [path] else fixed(path)))
            else:
                exports.append(each)
    return exports, tables


def _matches(path: str) -> list[str]:
    """The path, or what a pattern matches."""
    if not has_pattern(path) or os.path.lexists(path):
        return [path]
    found = sorted(glob.glob(path, recursive=True))
    if not found:
        raise UsageError(f"No file matches {path}")
    return found


def _is_table(path: str) -> bool:
    """Whether a local file or folder has tables. The tool refuses a path that does not exist."""
    if not os.path.isdir(path):
        return form_of(path) is not None
    forms = {form_of(file) for file in local_files(path)}
    if forms - {None} and None in forms:
        raise UsageError(
            f"{path} has tables and other files, which are ingested separately. Name one kind, like {path}/*.parquet"
        )
    return bool(forms - {None})


def local_files(folder: str) -> list[str]:
    """The files below a folder, except hidden files and those that writers of tables leave next to them."""
    found: list[str] = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        found += [os.path.join(place, name) for name in sorted(names) if not name.startswith((".", "_"))]
    return found


def form_of(path: str) -> str | None:
    """The format of a table by its name, else by its first bytes; None if it is not a table."""
    known = _SUFFIXES.get(os.path.splitext(path)[1].lower())
    if known is not None:
        return known
    # A file named .arrow may hold a stream, which the tool reads itself.
    try:
        if not os.path.isfile(path):  # A pipe can be read only once, so not here.
            return None
        with open(path, "rb") as file:
            return _form_by_bytes(file.read(6))
    except OSError:
        return None


def _form_by_bytes(head: bytes) -> str | None:
    """The format of a table by its first bytes."""
    return next((form for start, form in _FIRST_BYTES.items() if head.startswith(start)), None)


def arrow_files(places: Sequence[Place], filesystem: Any) -> ArrowFiles:
    """The files of tables at these locations, which may be addresses.

    Raises
    ------
    UsageError
        If there are no files, or they have several formats or file systems.
    FailedError
        If a location does not exist, or cannot be read.
    """
    from permlog._arrow_files import ArrowFiles

    need_pyarrow("fs")
    found: list[File] = []
    shared: Any = None
    for place in places:
        system, path = located(place, filesystem)
        if shared is not None and not system.equals(shared):
            raise UsageError(
                f"{shown(places[0].path)} and {shown(place.path)} are on two file systems: call ingest for each"
            )
        shared = system
        try:
            found += _listed(system, path, place)
        except OSError as problem:
            raise FailedError(f"{shown(place.path)} cannot be read: {problem}") from problem
    forms = {_remote_form(shared, file.path): file.path for file in reversed(found)}
    if None in forms:
        raise UsageError(
            f"{forms[None]} is not a Parquet, Arrow or ORC file. Copy exports and streams to this machine, and ingest them here."
        )
    if len(forms) > 1:
        raise UsageError("Tables of several formats: ingest Parquet, Arrow and ORC files separately")
    return ArrowFiles(shared, found, str(next(iter(forms))))


def _listed(system: Any, path: str, place: Place) -> list[File]:
    """The files at a path: the file itself, the files below a folder, or the matches of a pattern."""
    pa: Any = need_pyarrow("fs")
    info = system.get_file_info(path)
    if info.type == pa.fs.FileType.File:
        base = posixpath.dirname(path) if place.base is None else os.path.abspath(place.base)
        return [file_of(path, base)]
    if info.type != pa.fs.FileType.Directory and not has_pattern(path):
        raise FailedError(f"{shown(place.path)} does not exist; check the path")
    folder = path if info.type == pa.fs.FileType.Directory else fixed(path)
    selector = pa.fs.FileSelector(folder, recursive=True, allow_not_found=True)
    files = sorted(each.path for each in system.get_file_info(selector) if each.type == pa.fs.FileType.File)
    files = [each for each in files if not _is_hidden(each, folder)]
    if folder != path:
        fits = re.compile(_pattern(path.lstrip("/")))
        files = [each for each in files if fits.fullmatch(each.lstrip("/"))]
    if not files:
        raise UsageError(f"{shown(place.path)} has no files")
    base = folder if place.base is None else os.path.abspath(place.base)
    return [file_of(each, base) for each in files]


def _is_hidden(path: str, base: str) -> bool:
    inner = posixpath.relpath(path.lstrip("/"), base.lstrip("/") or ".")
    return any(part.startswith((".", "_")) for part in inner.split("/"))


def _pattern(path: str) -> str:
    """A pattern as a regular expression: * and ? within a folder, ** for folders in between.

    It also matches everything below a match.
    """
    parts = ["(?:[^/]+/)*" if part == "**" else _part(part) + "/" for part in path.split("/")]
    return "".join(parts).removesuffix("/") + "(?:/.*)?"


def _part(part: str) -> str:
    """The pattern of one name."""
    signs = re.split(r"(\*|\?|\[!?\]?[^\]]*\])", part)
    made = ""
    for sign in signs:
        if sign in ("*", "?"):
            made += "[^/]*" if sign == "*" else "[^/]"
        elif sign.startswith("[") and sign.endswith("]"):
            made += "(?!/)" + fnmatch.translate(sign).removeprefix("(?s:").removesuffix(r")\Z").removesuffix(r")\z")
        else:
            made += re.escape(sign)
    return made


def _remote_form(system: Any, path: str) -> str | None:
    known = _SUFFIXES.get(posixpath.splitext(path)[1].lower())
    if known is not None:
        return known
    with system.open_input_stream(path, compression=None) as file:
        return _form_by_bytes(file.read(6))
